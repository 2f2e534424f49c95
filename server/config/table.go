package config

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
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
}

// fields reads the keys of a table into the fields of a struct, by the tag toml. What a value must be follows from the type of its
// field, and from another tag: oneof has the words, bounds the least and the most, form a name in forms. A field keeps its value
// where its key is missing, or wrong.
func (t *table) fields(into any) {
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if key := f.Tag.Get("toml"); key != "" {
			t.field(key, v.Field(i), f.Tag)
		}
	}
}

// keysOf are the keys that fields reads.
func keysOf(into any) (keys []string) {
	v := reflect.TypeOf(into).Elem()
	for i := range v.NumField() {
		if key := v.Field(i).Tag.Get("toml"); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

func (t *table) field(key string, field reflect.Value, tag reflect.StructTag) {
	low, high, _ := strings.Cut(tag.Get("bounds"), " ")
	switch into := field.Addr().Interface().(type) {
	case *Secret:
		t.secret(key, into)
	case *Size:
		t.size(key, into, low)
	case encoding.TextUnmarshaler:
		t.text(key, into.UnmarshalText)
	case *time.Duration:
		t.duration(key, into, low, high)
	case *string:
		if words := strings.Fields(tag.Get("oneof")); len(words) > 0 {
			t.oneOf(key, into, words...)
			return
		}
		t.text(key, forms[tag.Get("form")].set(into))
	case **string:
		t.text(key, func(text []byte) error {
			s := string(text)
			*into = &s
			return nil
		})
	case *bool:
		get(t, key, "must be true or false", func(b bool) bool { *into = b; return true })
	case **bool:
		get(t, key, "must be true or false", func(b bool) bool { *into = &b; return true })
	case *int:
		get(t, key, "must be a whole number from "+low+" to "+high, func(n int64) bool {
			if n < number(low) || n > number(high) {
				return false
			}
			*into = int(n)
			return true
		})
	case *seo.Switch:
		t.addOn(key, into)
	case *[]int64:
		t.ids(key, into)
	case *[]string:
		t.names(key, into, tag.Get("empty") != "")
	default:
		t.other(key, field)
	}
}

// other reads a list of texts with a form of their own, or a table.
func (t *table) other(key string, field reflect.Value) {
	if field.Kind() == reflect.Slice {
		t.texts(key, func() { field.Set(reflect.MakeSlice(field.Type(), 0, 0)) }, func(text string) error {
			e := reflect.New(field.Type().Elem())
			err := e.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
			if err == nil {
				field.Set(reflect.Append(field, e.Elem()))
			}
			return err
		})
		return
	}
	t.table(key, field.Addr().Interface())
}

// table reads a table into a struct.
func (t *table) table(key string, into any) {
	if e := t.sub(key); e != nil {
		e.section += " [" + key + "]"
		e.fields(into)
		e.finish()
	}
}

// take takes a key out of the table. It says nothing of one with a variable that may be set later.
func (t *table) take(key string) (any, bool) {
	t.known = append(t.known, key)
	v, ok := t.values[key]
	delete(t.values, key)
	if t.alone && openEnded(v) {
		return nil, false
	}
	return v, ok
}

// holds reports whether one of the keys is there and not an empty text.
func (t *table) holds(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		v, ok := t.values[key]
		return ok && v != ""
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

// variable is ${NAME} or ${NAME:-default}, the escaped $${, or a ${ that is none of these.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^{}]*)?\}|\$\{`)

// openEnded reports whether a value holds a variable that is not set.
func openEnded(v any) bool {
	switch v := v.(type) {
	case string:
		return slices.ContainsFunc(variable.FindAllStringSubmatch(v, -1), func(m []string) bool {
			_, set := os.LookupEnv(m[1])
			return m[1] != "" && !set
		})
	case []any:
		return slices.ContainsFunc(v, openEnded)
	}
	return false
}

// expand puts the environment's values for ${NAME} into a text. As in a shell ${NAME:-default} is the default where the
// variable is not set, or empty.
func (t *table) expand(key, text string) (string, bool) {
	ok := true
	out := variable.ReplaceAllStringFunc(text, func(match string) string {
		name, other, optional := strings.Cut(strings.Trim(match, "${}"), ":-")
		switch value, set := os.LookupEnv(name); {
		case match == "$${":
			return "${"
		case name == "":
			t.fail(key, text, "${ begins ${NAME}, a variable of the environment; for the characters themselves write $${")
		case optional && value == "":
			return other
		case !set:
			t.fail(key, text, "the variable %s is not set in the environment; ${%s:-VALUE} is VALUE where it is not", name, name)
		default:
			return value
		}
		ok = false
		return ""
	})
	return out, ok
}

// put expands a text and hands it on. What is wrong with it is reported, without details where it holds variables, which the
// details could quote.
func (t *table) put(key, text string, set func(text string) error) bool {
	expanded, ok := t.expand(key, text)
	if !ok {
		return false
	}
	err := set(expanded)
	switch {
	case err == nil:
	case strings.Contains(text, "${"):
		t.fail(key, text, "is not valid with the values of its variables")
	default:
		t.fail(key, text, "%v", err)
	}
	return err == nil
}

const mustBeText = "must be a text in quotes"

// get takes out a key whose value must be of a type, and sets it. must is the message about any other value, and about one that set
// refuses.
func get[T any](t *table, key, must string, set func(T) bool) {
	if v, ok := t.take(key); ok {
		if value, is := v.(T); !is || !set(value) {
			t.fail(key, v, "%s", must)
		}
	}
}

// text reads a text that set takes, or refuses.
func (t *table) text(key string, set func(text []byte) error) {
	get(t, key, mustBeText, func(s string) bool {
		t.put(key, s, func(s string) error { return set([]byte(s)) })
		return true // what was wrong has been reported
	})
}

// string reads any text.
func (t *table) string(key string, into *string) { t.text(key, form{}.set(into)) }

// secret is string for what must not be shown.
func (t *table) secret(key string, into *Secret) {
	t.noteInline(key, t.values[key])
	t.string(key, (*string)(into))
}

// form is how a text must look.
type form struct {
	is   *regexp.Regexp
	must string
}

// set returns what sets a text of the form.
func (f form) set(into *string) func([]byte) error {
	return func(text []byte) error {
		if f.is != nil && !f.is.Match(text) {
			return errors.New(f.must)
		}
		*into = string(text)
		return nil
	}
}

// oneOf reads one of some words.
func (t *table) oneOf(key string, into *string, words ...string) {
	must := fmt.Sprintf(`must be "%s" or "%s"`, strings.Join(words[:len(words)-1], `", "`), words[len(words)-1])
	get(t, key, must, func(s string) bool {
		expanded, ok := t.expand(key, s)
		if ok && !slices.Contains(words, expanded) {
			return false
		}
		if ok {
			*into = expanded
		}
		return true
	})
}

// number is a bound in a tag.
func number(text string) (n int64) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

// duration reads a time from least to most.
func (t *table) duration(key string, into *time.Duration, least, most string) {
	if n, ok := t.values[key].(int64); ok {
		t.take(key)
		t.fail(key, n, `must be a duration with its unit: "%ds"`, n)
		return
	}
	t.text(key, func(text []byte) error {
		d, err := time.ParseDuration(string(text))
		low, _ := time.ParseDuration(least)
		high, _ := time.ParseDuration(most)
		switch {
		case err != nil:
			return errors.New(`must be a duration with its unit, such as "30s" or "5m"`)
		case d < low || d > high:
			return fmt.Errorf("must be from %s to %s", least, most)
		}
		*into = d
		return nil
	})
}

// size reads a number of bytes that has a least.
func (t *table) size(key string, into *Size, least string) {
	t.text(key, func(text []byte) error {
		var n, low Size
		_ = low.UnmarshalText([]byte(least))
		err := n.UnmarshalText(text)
		switch {
		case err != nil:
			return err
		case n < low:
			return fmt.Errorf("must be at least %s", least)
		}
		*into = n
		return nil
	})
}

// fraction takes a number out, written with or without a point, that is within its bounds.
func (t *table) fraction(key, must string, within func(float64) bool) (n float64, ok bool) {
	get(t, key, must, func(v any) bool {
		n, ok = v.(float64)
		if whole, is := v.(int64); is {
			n, ok = float64(whole), true
		}
		ok = ok && within(n)
		return ok
	})
	return n, ok
}

// addOn reads what an add-on decides unless the operator does.
func (t *table) addOn(key string, into *seo.Switch) {
	get(t, key, `must be true, false or "auto"`, func(v any) bool {
		switch v {
		case "auto":
			*into = seo.Auto
		case true:
			*into = seo.SwitchedOn
		case false:
			*into = seo.SwitchedOff
		default:
			return false
		}
		return true
	})
}

// texts reads a list of texts; each element goes through add, which says what is wrong with it.
func (t *table) texts(key string, reset func(), add func(string) error) {
	get(t, key, "must be a list in square brackets", func(list []any) bool {
		reset()
		for _, v := range list {
			if s, ok := v.(string); ok {
				t.put(key, s, add)
			} else {
				t.fail(key, v, "must hold texts in quotes")
			}
		}
		return true
	})
}

// textOrList reads one text or a list of them.
func (t *table) textOrList(key string, reset func(), add func(string) error) {
	switch v := t.values[key].(type) {
	case []any:
		t.texts(key, reset, add)
	case string, nil:
		t.text(key, func(text []byte) error {
			reset()
			return add(string(text))
		})
	default:
		t.take(key)
		t.fail(key, v, "must be a text in quotes, or a list of them")
	}
}

// names reads names of post types, one at least unless there may be none.
func (t *table) names(key string, into *[]string, none bool) {
	if l, ok := t.values[key].([]any); ok && len(l) == 0 && !none {
		t.fail(key, nil, "must not be empty: leave the key out, or set enabled = false")
	}
	t.texts(key, func() { *into = []string{} }, func(name string) error {
		if !postTypeForm.MatchString(name) {
			return errors.New("must hold names of post types")
		}
		*into = append(*into, name)
		return nil
	})
}

func (t *table) ids(key string, into *[]int64) {
	get(t, key, "must be a list in square brackets", func(list []any) bool {
		*into = []int64{}
		for _, v := range list {
			if n, ok := v.(int64); ok && n >= 1 {
				*into = append(*into, n)
			} else {
				t.fail(key, v, "must hold ids, whole numbers from 1")
			}
		}
		return true
	})
}

// file reads the file that a key names, whose content is what holds says. ok is false where nothing was read: the key is not
// given or empty, no other file is looked at, or something was wrong, which is reported then.
func (t *table) file(key, dir, holds string) (path, text string, ok bool) {
	asWritten := t.values[key]
	if t.string(key, &path); path == "" || t.alone {
		return path, "", false
	}
	text, err := readSecret(absolute(path, dir))
	switch {
	case err != nil:
		t.fail(key, asWritten, "cannot be read: %v", err)
	case text == "":
		t.fail(key, asWritten, "the file is empty; it must hold %s", holds)
	}
	return path, text, err == nil && text != ""
}

// sub returns the table of that name; nil when there is none.
func (t *table) sub(key string) (e *table) {
	v, ok := t.take(key)
	m, is := v.(map[string]any)
	switch {
	case is:
		e = &table{problems: t.problems, path: t.at(key), section: t.section, values: maps.Clone(m)}
	case ok:
		t.fail(key, v, "must be a table: write [%s]", t.header(key))
	}
	return e
}

// each decodes the tables in a table, by their names.
func (t *table) each(key string, decode func(e *table, name string)) {
	all := t.sub(key)
	if all == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all.values)) {
		if e := all.sub(name); e != nil {
			decode(e, name)
		}
	}
}

// subs returns the elements of an array of tables.
func (t *table) subs(key string) (tables []*table) {
	v, ok := t.take(key)
	elements, isArray := v.([]map[string]any)
	list, isList := v.([]any)
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			elements = append(elements, m)
		} else {
			t.fail(key, e, "must be a table: write [[%s]]", t.header(key))
		}
	}
	if ok && !isArray && !isList {
		t.fail(key, v, "must be written with two brackets: [[%s]]", t.header(key))
	}
	for i, m := range elements {
		path := fmt.Sprintf("%s[%d]", t.at(key), i)
		tables = append(tables, &table{problems: t.problems, path: path, section: t.section, values: maps.Clone(m)})
	}
	return tables
}

var elementNumber = regexp.MustCompile(`\[\d+\]`)

// header is a key as the header of a table has it: without the numbers of elements.
func (t *table) header(key string) string { return elementNumber.ReplaceAllString(t.at(key), "") }

// finish reports the keys nobody asked for.
func (t *table) finish() {
	keys := slices.Sorted(maps.Keys(t.values))
	for i, key := range keys {
		if len(t.found) >= maxFinding {
			t.fail("", nil, "%d more unknown keys", len(keys)-i)
			return
		}
		t.fail(key, nil, "%s", t.unknown(key))
	}
}
