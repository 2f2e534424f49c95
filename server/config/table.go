package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// table is a TOML table that is being read. Keys that were read are removed, so that only unknown keys are left at the end.
type table struct {
	*problems
	path    string             // as in lineIndex
	section string             // for messages
	values  map[string]any     // the keys that were not read yet
	known   []string           // the keys that the program knows, of which a message about another key proposes a similar one
	written map[string]writing // the keys that were read, with their prefix; nil: do not record them
	prefix  string             // what precedes a key of this table in written
}

// take removes a key from the table and returns its value. It returns false if the key is missing. It also returns false if
// the value cannot be checked now, because it contains a variable that may be set later or a placeholder that each install
// fills. take reports the mistake if the value contains a placeholder of an earlier version.
func (t *table) take(key string) (any, bool) {
	t.known = append(t.known, key)
	v, ok := t.values[key]
	delete(t.values, key)
	if uses(v, ofHomeHost) {
		t.fail(key, nil, "%s was removed: write the host of each install below [discover.site.NAME], or write it with %s", ofHomeHost, ofName)
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
		list, isList := t.values[key].([]any)
		return t.values[key] != nil && t.values[key] != "" && (!isList || len(list) > 0)
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
		Line: t.lines.line(t.at(key)), Section: t.section, Key: key, Value: asWritten(shown(key, value)), Message: fmt.Sprintf(format, args...),
	})
}

// shown returns the value of a key for messages. If the key is secret, it returns stars in place of any value but a boolean.
func shown(key string, value any) any {
	if _, isBool := value.(bool); isBool || value == nil || !slices.Contains(secretKeys, key) {
		return value
	}
	return Secret(stars)
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

// list takes a key whose value is a list. It calls reset, and passes each element to set.
func (t *table) list(key string, reset func(), set func(v any) error) {
	v, ok := t.take(key)
	if !ok {
		return
	}
	t.note(key, v)
	if list, isList := v.([]any); isList {
		t.putAll(key, list, reset, set)
	} else {
		t.fail(key, v, "must be a list in square brackets")
	}
}

// textOrTexts takes a key whose value is a text or a list of texts. It calls reset, and passes each text to add.
func (t *table) textOrTexts(key string, reset func(), add func(text string) error) {
	v, ok := t.take(key)
	if !ok {
		return
	}
	t.note(key, v)
	switch v := v.(type) {
	case string:
		t.putAll(key, []any{v}, reset, textSetter(add))
	case []any:
		t.putAll(key, v, reset, textSetter(add))
	default:
		t.fail(key, v, "must be a text in quotes, or a list of them")
	}
}

// putAll calls reset, and puts each element of a list.
func (t *table) putAll(key string, list []any, reset func(), set func(v any) error) {
	reset()
	for _, e := range list {
		t.put(key, e, set)
	}
}

// sub takes the table at a key. It returns nil if there is no table, and reports a mistake if the value is something else. The caller
// reports the keys that it does not know, by finish.
func (t *table) sub(key string) (e *table) {
	v, ok := t.take(key)
	values, isTable := v.(map[string]any)
	switch {
	case isTable:
		e = &table{problems: t.problems, path: t.at(key), section: key, values: maps.Clone(values), written: t.written, prefix: t.prefix + key + "."}
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

// each takes the table at a key, and calls read for every table inside that table, in the order of their names. read reports the keys
// that it does not know, by finish.
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

// subs takes an array of tables. The caller sets the sections of tables at the top of the file, and reports the keys that it does not
// know, by finish.
func (t *table) subs(key string) (tables []*table) {
	v, ok := t.take(key)
	elements, areTables := v.([]map[string]any)
	if ok && !areTables {
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

// header returns the full path of a key as a TOML header names it: site.exclude for site[2].exclude.
func (t *table) header(key string) string { return elementNumber.ReplaceAllString(t.at(key), "") }

// finish reports the keys that are unknown.
func (t *table) finish() {
	keys := slices.Sorted(maps.Keys(t.values))
	for _, key := range keys {
		t.fail(key, nil, "%s", t.unknown(key))
	}
}
