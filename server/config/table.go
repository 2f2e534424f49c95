package config

import (
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/seo"
)

// table is a TOML table that is being read. Keys that were read are removed, so that only unknown keys are left at the end.
type table struct {
	*problems
	path    string // as in lineIndex
	section string // for messages
	values  map[string]any
	known   []string
	written map[string]writing // the keys that were read, with their prefix; nil: do not record them
	prefix  string
}

// fields reads the keys of a table into the fields of a struct. The tag toml names the key of a field. If a key is missing or
// wrong, its field keeps its value. The type of a field and these tags say what its value must be:
//
//   - oneof lists the allowed words.
//   - bounds has the least and the greatest value.
//   - form is a key of forms.
//   - empty says what to do instead of an empty list.
func (t *table) fields(into any) {
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		field, tag := v.Field(i), v.Type().Field(i).Tag
		key := tag.Get("toml")
		switch {
		case key == "":
		case field.Kind() == reflect.Slice:
			t.slice(key, field, tag)
		case isTable(field):
			t.within(key, func(e *table) { e.fields(field.Addr().Interface()) })
		default:
			t.value(key, func(v any) error { return assign(field, tag, v) })
		}
	}
}

// isTable reports whether a field is a struct whose fields are keys.
func isTable(field reflect.Value) bool {
	_, text := reflect.TypeAssert[encoding.TextUnmarshaler](field.Addr())
	return field.Kind() == reflect.Struct && !text
}

// slice reads a list into a field.
func (t *table) slice(key string, field reflect.Value, tag reflect.StructTag) {
	if l, ok := t.values[key].([]any); ok && len(l) == 0 && tag.Get("empty") != "" {
		t.fail(key, nil, "must not be empty: %s", tag.Get("empty"))
	}
	t.list(key, false, func() { field.Set(reflect.MakeSlice(field.Type(), 0, 0)) }, func(v any) error {
		e := reflect.New(field.Type().Elem()).Elem()
		err := assign(e, tag, v)
		if err == nil {
			field.Set(reflect.Append(field, e))
		}
		return err
	})
}

// assign sets a field to a value. The error says what the value must be.
func assign(field reflect.Value, tag reflect.StructTag, v any) error {
	low, high, _ := strings.Cut(tag.Get("bounds"), " ")
	words := strings.Fields(tag.Get("oneof"))
	text, isText := v.(string)
	whole, isWhole := v.(int64)
	switch into := field.Addr().Interface().(type) {
	case *time.Duration:
		d, err := time.ParseDuration(text)
		least, _ := time.ParseDuration(low)
		if most, _ := time.ParseDuration(high); err != nil || d < least || d > most {
			return fmt.Errorf(`must be a duration with its unit, such as "30s" or "5m", from %s to %s`, low, high)
		}
		*into = d
	case *float64:
		n, ok := fraction(v)
		if !ok || !(0 <= n && n < 1) {
			return errors.New("must be a number of at least 0 and less than 1, such as 0.5")
		}
		*into = n
	case *bool:
		is, ok := v.(bool)
		if !ok {
			return errors.New("must be true or false")
		}
		*into = is
	case *int64:
		if !isWhole || whole < 1 {
			return errors.New("must hold ids, whole numbers from 1")
		}
		*into = whole
	case *int:
		least, _ := strconv.ParseInt(low, 10, 64)
		if most, _ := strconv.ParseInt(high, 10, 64); !isWhole || whole < least || whole > most {
			return fmt.Errorf("must be a whole number from %s to %s", low, high)
		}
		*into = int(whole)
	case *seo.Switch: // an add-on decides, unless the operator does
		switch v {
		case "auto":
			*into = seo.Auto
		case true:
			*into = seo.SwitchedOn
		case false:
			*into = seo.SwitchedOff
		default:
			return errors.New(`must be true, false or "auto"`)
		}
	case *Size:
		var n, least Size
		_ = least.UnmarshalText([]byte(low))
		if err := textSetter(func(s string) error { return n.UnmarshalText([]byte(s)) })(v); err != nil {
			return err
		}
		if n < least {
			return fmt.Errorf("must be at least %s", low)
		}
		*into = n
	case *regexp.Regexp:
		return textSetter(func(s string) error {
			if err := into.UnmarshalText([]byte(s)); err != nil {
				return fmt.Errorf("is not a valid pattern: %w", err)
			}
			return nil
		})(v)
	case encoding.TextUnmarshaler:
		if isText && len(words) > 0 && !slices.Contains(words, text) {
			return mustBe(words)
		}
		return textSetter(func(s string) error { return into.UnmarshalText([]byte(s)) })(v)
	case *string:
		if len(words) > 0 {
			return oneOf(into, words...)(v)
		}
		return textSetter(func(s string) error {
			if form := forms[tag.Get("form")]; form.is != nil && !form.is.MatchString(s) {
				return errors.New(form.must)
			}
			*into = s
			return nil
		})(v)
	default: // a pointer, which is nil if the key is missing
		to := reflect.New(field.Type().Elem())
		err := assign(to.Elem(), tag, v)
		if err == nil {
			field.Set(to)
		}
		return err
	}
	return nil
}

// textSetter returns a function that passes a value to set if the value is a text. For any other value, the function returns
// an error.
func textSetter(set func(text string) error) func(v any) error {
	return func(v any) error {
		if s, ok := v.(string); ok {
			return set(s)
		}
		return errors.New("must be a text in quotes")
	}
}

// form is a pattern that a text must match, with the end of the message for a text that does not match.
type form struct {
	is   *regexp.Regexp
	must string
}

// oneOf returns a function that stores a value in into if it is one of the words.
func oneOf(into *string, words ...string) func(v any) error {
	return func(v any) error {
		s, ok := v.(string)
		if !ok || !slices.Contains(words, s) {
			return mustBe(words)
		}
		*into = s
		return nil
	}
}

func mustBe(words []string) error {
	return fmt.Errorf(`must be "%s" or "%s"`, strings.Join(words[:len(words)-1], `", "`), words[len(words)-1])
}

// fraction converts a number that is written with or without a point.
func fraction(v any) (n float64, ok bool) {
	if whole, is := v.(int64); is {
		return float64(whole), true
	}
	n, ok = v.(float64)
	return n, ok
}

// take removes a key from the table and returns its value. It returns false if the key is missing. It also returns false if
// the value cannot be checked now, because it contains a variable that may be set later or a placeholder that each install
// fills.
func (t *table) take(key string) (any, bool) {
	t.known = append(t.known, key)
	v, ok := t.values[key]
	delete(t.values, key)
	if uses(v, ofHomeHost) {
		t.fail(key, nil, "%s was removed: write the host of each install below [discover.site.NAME], or make it of %s", ofHomeHost, ofName)
		return nil, false
	}
	if t.alone && openEnded(v) || t.pattern && uses(v, ofName) {
		return nil, false
	}
	return v, ok
}

// holds reports whether at least one of the keys is there and not empty.
func (t *table) holds(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		list, is := t.values[key].([]any)
		return t.values[key] != nil && t.values[key] != "" && (!is || len(list) > 0)
	})
}

func (t *table) at(key string) string {
	if t.path == "" {
		return key
	}
	return t.path + "." + key
}

// fail reports a mistake in a key. value is shown as it was written; nil shows none.
func (t *table) fail(key string, value any, format string, args ...any) {
	t.found = append(t.found, problem{
		Line: t.lines.line(t.at(key)), Section: t.section, Key: key, Value: written(shown(key, value)), Message: fmt.Sprintf(format, args...),
	})
}

// shown returns the value of a key for messages. If the key is secret, it returns stars in place of any value but a boolean.
func shown(key string, value any) any {
	if _, is := value.(bool); is || value == nil || !slices.Contains(secretKeys, key) {
		return value
	}
	return Secret(stars)
}

// Quote returns a text as a TOML string in which ${ begins no variable.
func Quote(text string) string { return strconv.Quote(strings.ReplaceAll(text, "${", "$${")) }

// Key returns a name as a part of a TOML key.
func Key(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || name == "" {
		return Quote(name)
	}
	return name
}

// variable matches ${NAME} and ${NAME:-default}, the escaped $${, and any other ${.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^{}]*)?\}|\$\{`)

// openEnded reports whether a value contains a variable that is not set.
func openEnded(v any) bool {
	return anyText(v, func(s string) bool {
		return slices.ContainsFunc(variable.FindAllStringSubmatch(s, -1), func(m []string) bool {
			_, set := os.LookupEnv(m[1])
			return m[1] != "" && !set
		})
	})
}

// anyText reports whether the function named is returns true for the text v, or for one of the texts in the list v.
func anyText(v any, is func(text string) bool) bool {
	switch v := v.(type) {
	case string:
		return is(v)
	case []any:
		return slices.ContainsFunc(v, func(v any) bool { return anyText(v, is) })
	}
	return false
}

// expand replaces ${NAME} in a text by the variable of the environment. As in a shell, ${NAME:-default} is the default if the
// variable is not set or empty. expand returns false if it has reported a mistake.
func (t *table) expand(key string, v any) (any, bool) {
	text, ok := v.(string)
	if !ok {
		return v, true
	}
	out := variable.ReplaceAllStringFunc(t.named(text), func(match string) string {
		name, other, optional := strings.Cut(strings.Trim(match, "${}"), ":-")
		value, set := os.LookupEnv(name)
		switch {
		case match == "$${":
			return "${"
		case optional && value == "":
			return other
		case !set:
			t.fail(key, text, "%s is not a variable of the environment; ${NAME:-VALUE} gives a default value, and $${ stands for ${ itself", match)
			ok = false
		}
		return value
	})
	return out, ok
}

// named replaces {name} by the name of the install. It leaves the variable ${name} alone.
func (p *problems) named(text string) string {
	if p.name == "" {
		return text
	}
	return strings.NewReplacer("$"+ofName, "$"+ofName, ofName, p.name).Replace(text)
}

// put expands a value and passes it to set. It reports the error of set. If the value contains variables, the report has no
// details, because they could quote a secret.
func (t *table) put(key string, v any, set func(v any) error) {
	expanded, ok := t.expand(key, v)
	if !ok {
		return
	}
	if err := set(expanded); err != nil {
		if text, _ := v.(string); strings.Contains(text, "${") {
			err = errors.New("is not valid with the values of its variables")
		}
		t.fail(key, v, "%v", err)
	}
}

// value takes a key and passes its value to set.
func (t *table) value(key string, set func(v any) error) {
	if v, ok := t.take(key); ok {
		t.note(key, v)
		t.put(key, v, set)
	}
}

// text takes a key whose value is a text.
func (t *table) text(key string, set func(text string) error) { t.value(key, textSetter(set)) }

// list takes a key whose value is a list. It calls reset, and then set for each element. If orText is set, a single text counts
// as a list with one element.
func (t *table) list(key string, orText bool, reset func(), set func(v any) error) {
	v, ok := t.take(key)
	if !ok {
		return
	}
	t.note(key, v)
	list, is := v.([]any)
	if text, alone := v.(string); alone && orText {
		list, is = []any{text}, true
	}
	switch {
	case !is && orText:
		t.fail(key, v, "must be a text in quotes, or a list of them")
	case !is:
		t.fail(key, v, "must be a list in square brackets")
	default:
		reset()
	}
	for _, e := range list {
		t.put(key, e, set)
	}
}

// texts takes a key whose value is a list of texts. It calls reset, and then add for each text. If orText is set, a single text
// counts as a list with one element.
func (t *table) texts(key string, orText bool, reset func(), add func(text string) error) {
	t.list(key, orText, reset, textSetter(add))
}

// maxSecret is how many bytes of a file with a secret are read.
const maxSecret = 64 << 10

// secret returns the value of key. If key + "_file" is set instead, secret returns the content of the file that it names. from
// is the key that was set, and file is the path of the file. ok is false if neither key is set or the value is wrong.
func (t *table) secret(key, dir string) (from, file string, value Secret, ok bool) {
	failed, from, fileKey := len(t.found), key, key+"_file"
	asWritten := t.values[fileKey]
	if t.holds(key) && t.holds(fileKey) {
		t.fail(fileKey, nil, "is set beside %s: one of them is enough", key)
	}
	t.text(key, func(text string) error {
		value, ok = Secret(text), true
		return nil
	})
	t.text(fileKey, func(path string) error {
		file = absolute(path, dir)
		return nil
	})
	if file != "" && !t.alone {
		text, err := readFile(file, maxSecret)
		if at, is := errors.AsType[*fs.PathError](err); is {
			err = at.Err // the message names the path as it was written
		}
		text = strings.TrimSpace(text)
		from, value, ok = fileKey, Secret(text), true
		switch {
		case err != nil:
			t.fail(fileKey, asWritten, "cannot be read: %v", withHint(err))
		case text == "":
			t.fail(fileKey, asWritten, "the file is empty; it must hold the value of %s", key)
		case strings.ContainsAny(text, "\r\n"):
			t.fail(fileKey, asWritten, "the file must hold the value of %s alone, in one line", key)
		default:
			t.noteFile(file)
		}
	}
	return from, file, value, ok && len(t.found) == failed
}

// sub takes the table at a key. It returns nil if there is no table, and reports a mistake if the value is something else.
func (t *table) sub(key string) (e *table) {
	v, ok := t.take(key)
	m, is := v.(map[string]any)
	switch {
	case is:
		e = &table{problems: t.problems, path: t.at(key), section: key, values: maps.Clone(m), written: t.written, prefix: t.prefix + key + "."}
		if t.section != "" {
			e.section = t.section + " [" + key + "]"
		}
	case ok:
		t.fail(key, v, "must be a table: write [%s]", t.header(key))
	}
	return e
}

// within takes the table at a key, passes it to read, and then reports each key that read did not take. It does nothing if
// there is no table.
func (t *table) within(key string, read func(e *table)) {
	if e := t.sub(key); e != nil {
		read(e)
		e.finish()
	}
}

// each takes the table at a key. It passes each table in it to read, with its name, sorted by name.
func (t *table) each(key string, read func(e *table, name string)) {
	all := t.sub(key)
	if all == nil {
		return
	}
	all.section = t.section
	for _, name := range slices.Sorted(maps.Keys(all.values)) {
		if e := all.sub(name); e != nil {
			e.section = fmt.Sprintf("%s [%s.%s]", t.section, key, name)
			read(e, name)
		}
	}
}

// subs takes an array of tables.
func (t *table) subs(key string) (tables []*table) {
	v, ok := t.take(key)
	elements, is := v.([]map[string]any)
	if ok && !is {
		t.fail(key, v, "must be written with two brackets: [[%s]]", t.header(key))
	}
	section := ""
	if t.section != "" {
		section = t.section + " [[" + key + "]]"
	}
	for i, m := range elements {
		path := fmt.Sprintf("%s[%d]", t.at(key), i)
		tables = append(tables, &table{problems: t.problems, path: path, section: section, values: maps.Clone(m)})
	}
	return tables
}

var elementNumber = regexp.MustCompile(`\[\d+\]`)

// header returns the full path of a key for a header such as [site.exclude], without the numbers of elements.
func (t *table) header(key string) string { return elementNumber.ReplaceAllString(t.at(key), "") }

// finish reports the keys that are unknown.
func (t *table) finish() {
	keys := slices.Sorted(maps.Keys(t.values))
	for _, key := range keys {
		t.fail(key, nil, "%s", t.unknown(key))
	}
}
