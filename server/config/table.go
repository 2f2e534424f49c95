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

// table is a TOML table on its way into a struct. What is read is taken out, so that what is left in the end is unknown.
type table struct {
	*problems
	path    string // in the form of lineIndex
	section string // for messages
	values  map[string]any
	known   []string
	written map[string]writing // keys that were read, with their prefix; nil: they are not noted
	prefix  string
}

// fields reads the keys of a table into the fields of a struct, by the tag toml. What a value must be follows from the type of its
// field, and from another tag: oneof has the words, bounds the least and the most, form a name in forms, empty what to do instead of
// an empty list. A field keeps its value where its key is missing, or wrong.
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

// isTable reports whether a field is a table of keys.
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

// assign sets a field to a value, or says what the value must be.
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
			return errors.New("must be a number from 0 up to but not 1, such as 0.5")
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
	case *seo.Switch: // what an add-on decides unless the operator does
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
	default: // a pointer: nil where the key is missing
		to := reflect.New(field.Type().Elem())
		err := assign(to.Elem(), tag, v)
		if err == nil {
			field.Set(to)
		}
		return err
	}
	return nil
}

// textSetter returns what sets a text.
func textSetter(set func(text string) error) func(v any) error {
	return func(v any) error {
		if s, ok := v.(string); ok {
			return set(s)
		}
		return errors.New("must be a text in quotes")
	}
}

// form is how a text must look.
type form struct {
	is   *regexp.Regexp
	must string
}

// oneOf returns what sets one of some words.
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

// fraction is a number, written with or without a point.
func fraction(v any) (n float64, ok bool) {
	if whole, is := v.(int64); is {
		return float64(whole), true
	}
	n, ok = v.(float64)
	return n, ok
}

// take takes a key out of the table. It says nothing of one with a variable that may be set later, or with a placeholder that each
// install fills.
func (t *table) take(key string) (any, bool) {
	t.known = append(t.known, key)
	v, ok := t.values[key]
	delete(t.values, key)
	if t.alone && openEnded(v) || t.pattern && (uses(v, ofName) || uses(v, ofHomeHost)) {
		return nil, false
	}
	return v, ok
}

// holds reports whether one of the keys is there and not empty.
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

// fail reports what is wrong with a key. value is shown as it was written; nil for none.
func (t *table) fail(key string, value any, format string, args ...any) {
	t.found = append(t.found, Problem{
		Line: t.lines.line(t.at(key)), Section: t.section, Key: key, Value: written(shown(key, value)), Message: fmt.Sprintf(format, args...),
	})
}

// shown is the value of a key as messages may show it. A switch is no secret.
func shown(key string, value any) any {
	if _, is := value.(bool); is || value == nil || !slices.Contains(secretKeys, key) {
		return value
	}
	return Secret(stars)
}

// Quote is a text as a configuration holds it: a string of TOML, in which ${ begins no variable.
func Quote(text string) string { return strconv.Quote(strings.ReplaceAll(text, "${", "$${")) }

// Key is a name as a part of a key of TOML.
func Key(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || name == "" {
		return Quote(name)
	}
	return name
}

// variable is ${NAME} or ${NAME:-default}, the escaped $${, or any other ${.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^{}]*)?\}|\$\{`)

// openEnded reports whether a value holds a variable that is not set.
func openEnded(v any) bool {
	return anyText(v, func(s string) bool {
		return slices.ContainsFunc(variable.FindAllStringSubmatch(s, -1), func(m []string) bool {
			_, set := os.LookupEnv(m[1])
			return m[1] != "" && !set
		})
	})
}

// anyText reports whether a text, or one in a list, is what is looked for.
func anyText(v any, is func(text string) bool) bool {
	switch v := v.(type) {
	case string:
		return is(v)
	case []any:
		return slices.ContainsFunc(v, func(v any) bool { return anyText(v, is) })
	}
	return false
}

// expand puts the environment's values for ${NAME} into a text. As in a shell ${NAME:-default} is the default where the
// variable is not set, or empty.
func (t *table) expand(key string, v any) (any, bool) {
	text, ok := v.(string)
	if !ok {
		return v, true
	}
	if t.fill != nil {
		var err error
		if text, err = t.fill(text); err != nil {
			t.fail(key, v, "%v", err)
			return "", false
		}
	}
	out := variable.ReplaceAllStringFunc(text, func(match string) string {
		name, other, optional := strings.Cut(strings.Trim(match, "${}"), ":-")
		value, set := os.LookupEnv(name)
		switch {
		case match == "$${":
			return "${"
		case optional && value == "":
			return other
		case !set:
			t.fail(key, text, "%s is no variable of the environment; ${NAME:-VALUE} is VALUE where it is not set, and $${ the characters", match)
			ok = false
		}
		return value
	})
	return out, ok
}

// put expands a value and hands it to set. What is wrong with it is reported, without details where it holds variables, which the
// details could quote.
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

// value takes out a key and hands its value to set.
func (t *table) value(key string, set func(v any) error) {
	if v, ok := t.take(key); ok {
		t.note(key, v)
		t.put(key, v, set)
	}
}

// text takes out a key with a text.
func (t *table) text(key string, set func(text string) error) { t.value(key, textSetter(set)) }

// list takes out a list and hands each element to set, or a text alone where that may be.
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

// texts is list for texts alone.
func (t *table) texts(key string, orText bool, reset func(), add func(text string) error) {
	t.list(key, orText, reset, textSetter(add))
}

// maxSecret is how much of a file is read that a key names, in bytes.
const maxSecret = 64 << 10

// secret reads the value of a key, or that in the file which the same key with _file at its end names. It returns the key that has it.
// ok reports whether there is a value, and nothing is wrong.
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

// sub returns the table of that name; nil when there is none.
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

// within reads a whole table in a table, where there is one.
func (t *table) within(key string, read func(e *table)) {
	if e := t.sub(key); e != nil {
		read(e)
		e.finish()
	}
}

// each reads the tables in a table, by their names.
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

// subs returns the elements of an array of tables.
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

// header is a key as the header of a table has it: without the numbers of elements.
func (t *table) header(key string) string { return elementNumber.ReplaceAllString(t.at(key), "") }

// finish reports the keys nobody asked for.
func (t *table) finish() {
	keys := slices.Sorted(maps.Keys(t.values))
	for _, key := range keys {
		t.fail(key, nil, "%s", t.unknown(key))
	}
}
