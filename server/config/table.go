package config

import (
	"encoding"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"wpsitemapd/server/config/lines"
)

// Problem is one mistake in a configuration.
type Problem struct {
	Line    int    // 0: not known
	Section string // whose mistake it is, such as `site "example"`; "" for the top of the file
	Key     string // as written in the file
	Value   string // as written in the file, secrets as stars; "" when it does not help
	Message string
}

func (p Problem) String() string {
	var b strings.Builder
	if p.Section != "" {
		b.WriteString(p.Section + ": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key)
		if p.Value != "" {
			b.WriteString(" = " + p.Value)
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// Error lists every problem of a configuration file.
type Error struct {
	File     string
	Problems []Problem
}

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.File
		if p.Line > 0 {
			lines[i] += fmt.Sprintf(":%d", p.Line)
		}
		lines[i] += ": " + p.String()
	}
	return strings.Join(lines, "\n")
}

// problems collects what is wrong, so that an operator sees all of it at once.
type problems struct {
	lines    lines.Index
	found    []Problem
	warnings []string // about what is no mistake
	inline   bool     // the configuration itself holds a password
	alone    bool     // no other file is looked at, and variables may be set later
}

// password finds one in a DSN or another address.
var password = regexp.MustCompile(`:[^@]+@`)

// noteInline notes a password as it is in the configuration.
func (p *problems) noteInline(key, text string) {
	if !strings.Contains(text, "${") && (key == "admin_token" && text != "" || !strings.HasPrefix(text, "sqlite:") && password.MatchString(text)) {
		p.inline = true
	}
}

// reachable reports whether everybody may pass the folders above a file.
func reachable(path string) bool {
	path, err := filepath.Abs(path)
	for dir := filepath.Dir(path); err == nil; dir = filepath.Dir(dir) {
		var info fs.FileInfo
		if info, err = os.Stat(dir); err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
	return false
}

// noteFile warns of a file with a password that every user of the machine may read.
func (p *problems) noteFile(path string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 && reachable(path) {
		p.warnings = append(p.warnings, fmt.Sprintf(
			"every user of this machine can read the password in %s: only root and the daemon's user or group should", path))
	}
}

// table decodes one TOML table. Every reader method takes a key out, so that what is left
// in the end is unknown.
type table struct {
	*problems
	path    string // in the form of lines.Index
	section string // for messages
	values  map[string]any
	known   []string
	*writings
	raw map[string]string // of values that hold variables: the text as written, for messages
}

func (t *table) take(key string) (any, bool) {
	t.known = append(t.known, key)
	v, ok := t.values[key]
	delete(t.values, key)
	if ok {
		t.note(key, v)
	}
	if t.alone && openEnded(v) {
		return nil, false
	}
	return v, ok
}

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

func (t *table) fail(key string, value any, format string, args ...any) {
	p := Problem{Line: t.lines.Line(t.at(key)), Section: t.section, Key: key, Message: fmt.Sprintf(format, args...)}
	raw, hidden := t.raw[key]
	switch _, secret := value.(Secret); {
	case value == nil:
	case hidden && !secret:
		p.Value = written(raw)
	default:
		p.Value = written(value)
	}
	t.found = append(t.found, p)
}

// variable is ${NAME} or ${NAME:-default}, the escaped $${, or a ${ that is none of these.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^{}]*)?\}|\$\{`)

// secretKeys are those whose values no message shows, not even as they were written.
var secretKeys = []string{"dsn", "key", "admin_token", "state"}

// expand puts the environment's values for ${NAME} into a text. As in a shell ${NAME:-default} is the default where the
// variable is not set, or empty. Values may be secrets: from here on messages about the key show it as it was written.
func (t *table) expand(key, text string) (string, bool) {
	if !strings.Contains(text, "${") {
		return text, true
	}
	shown := any(text)
	if slices.Contains(secretKeys, key) {
		shown = Secret(stars)
	}
	ok := true
	out := variable.ReplaceAllStringFunc(text, func(match string) string {
		name, other, optional := strings.Cut(strings.Trim(match, "${}"), ":-")
		switch value, set := os.LookupEnv(name); {
		case match == "$${":
			return "${"
		case name == "":
			t.fail(key, shown, "${ must go on as ${NAME}, a variable of the environment; $${ stands for the characters themselves")
		case optional && value == "":
			return other
		case !set:
			t.fail(key, shown, "the variable %s is not set in the environment; ${%s:-VALUE} is VALUE where it is not", name, name)
		default:
			return value
		}
		ok = false
		return ""
	})
	if t.raw == nil {
		t.raw = map[string]string{}
	}
	t.raw[key] = text
	return out, ok
}

// reason is why a text was refused, without details where the text holds variables, which the details could quote.
func (t *table) reason(key string, err error) string {
	if _, hidden := t.raw[key]; hidden {
		return "is not valid with the values of its variables"
	}
	return err.Error()
}

// userInfo matches the part of an address that holds a password.
var userInfo = regexp.MustCompile(`://[^/@]*@`)

// written prints a value about as it is in the file.
func written(v any) string {
	switch v := v.(type) {
	case Secret:
		return fmt.Sprintf("%q", stars)
	case string:
		return fmt.Sprintf("%q", userInfo.ReplaceAllString(v, "://"+stars+"@"))
	case map[string]any, []map[string]any:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = written(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

// get takes out a key whose value must be of a type; must is the message about a value of another type.
func get[T any](t *table, key, must string) (value T, ok bool) {
	v, ok := t.take(key)
	if !ok {
		return value, false
	}
	if value, ok = v.(T); !ok {
		t.fail(key, v, "%s", must)
	}
	return value, ok
}

const mustBeText = "must be a text in quotes"

func (t *table) string(key string, dst *string) (ok bool) {
	s, ok := get[string](t, key, mustBeText)
	if !ok {
		return false
	}
	if s, ok = t.expand(key, s); ok {
		*dst = s
	}
	return ok
}

// secret is string for what must not be shown.
func (t *table) secret(key string, dst *Secret) {
	v, ok := t.take(key)
	if !ok {
		return
	}
	s, ok := v.(string)
	if !ok {
		t.fail(key, Secret(stars), mustBeText)
		return
	}
	t.noteInline(key, s)
	if s, ok = t.expand(key, s); ok {
		*dst = Secret(s)
	}
}

// secrets reads a text or a list of texts that must not be shown.
func (t *table) secrets(key string) (all []Secret, ok bool) {
	v, ok := t.take(key)
	if !ok {
		return nil, false
	}
	list, many := v.([]any)
	if !many {
		list = []any{v}
	}
	if len(list) == 0 {
		t.fail(key, nil, "is an empty list")
		return nil, false
	}
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			t.fail(key, Secret(stars), "must be a text in quotes, or a list of them")
			return nil, false
		}
		t.noteInline(key, s)
		if s, ok = t.expand(key, s); !ok {
			return nil, false
		}
		all = append(all, Secret(s))
	}
	return all, true
}

// text reads a text whose type knows its own form.
func (t *table) text(key string, dst encoding.TextUnmarshaler) {
	written, ok := get[string](t, key, mustBeText)
	if !ok {
		return
	}
	s, ok := t.expand(key, written)
	if !ok {
		return
	}
	if err := dst.UnmarshalText([]byte(s)); err != nil {
		t.fail(key, written, "%s", t.reason(key, err))
	}
}

// duration reads a time from least to most. A value beyond them is reported once, even where it comes from the
// defaults of many sites.
func (t *table) duration(key string, dst *time.Duration, least, most time.Duration) {
	d := Duration{*dst}
	t.text(key, &d)
	if *dst = d.Duration; *dst < least || *dst > most {
		t.fail(key, dst.String(), "must be from %v to %v", least, most)
		*dst = least
	}
}

func (t *table) integer(key string, dst *int, least, most int) {
	v, ok := t.take(key)
	if !ok {
		return
	}
	n, ok := v.(int64)
	if !ok || n < int64(least) || n > int64(most) {
		t.fail(key, v, "must be a whole number from %d to %d", least, most)
		return
	}
	*dst = int(n)
}

// number takes a number out, written with or without a point, that is within its bounds.
func (t *table) number(key string, within func(float64) bool, must string) (n float64, ok bool) {
	v, ok := t.take(key)
	if !ok {
		return 0, false
	}
	n, ok = v.(float64)
	if whole, isWhole := v.(int64); isWhole {
		n, ok = float64(whole), true
	}
	if !ok || !within(n) {
		t.fail(key, v, "%s", must)
		return 0, false
	}
	return n, true
}

// share reads a fraction of a whole, less than 1.
func (t *table) share(key string, dst *float64) {
	n, ok := t.number(key, func(n float64) bool { return 0 <= n && n < 1 }, "must be a number from 0 up to but not 1, such as 0.5")
	if ok {
		*dst = n
	}
}

const mustBeBool = "must be true or false"

// boolean reads what is true, false or not given.
func (t *table) boolean(key string, dst **bool) {
	if b, ok := get[bool](t, key, mustBeBool); ok {
		*dst = &b
	}
}

// flag reads what is true or false, with a value of its own when it is not given.
func (t *table) flag(key string, dst *bool) {
	if b, ok := get[bool](t, key, mustBeBool); ok {
		*dst = b
	}
}

func (t *table) oneOf(key string, dst *string, words ...string) {
	v, ok := t.take(key)
	if !ok {
		return
	}
	s, ok := v.(string)
	if ok {
		if s, ok = t.expand(key, s); !ok {
			return
		}
	}
	if !ok || !slices.Contains(words, s) {
		t.fail(key, v, `must be "%s" or "%s"`, strings.Join(words[:len(words)-1], `", "`), words[len(words)-1])
		return
	}
	*dst = s
}

func (t *table) list(key string) ([]any, bool) {
	return get[[]any](t, key, "must be a list in square brackets")
}

// texts reads a list of texts; each element goes through add, which says what is wrong with it.
func (t *table) texts(key string, reset func(), add func(string) error) {
	l, ok := t.list(key)
	if !ok {
		return
	}
	reset()
	for _, v := range l {
		s, ok := v.(string)
		if !ok {
			t.fail(key, v, "must hold texts in quotes")
			continue
		}
		if s, ok = t.expand(key, s); !ok {
			continue
		}
		if err := add(s); err != nil {
			t.fail(key, v, "%s", t.reason(key, err))
		}
		delete(t.raw, key) // of this element only
	}
}

// textOrList reads one text or a list of them.
func (t *table) textOrList(key string, reset func(), add func(string) error) {
	switch v := t.values[key].(type) {
	case []any:
		t.texts(key, reset, add)
		return
	case string, nil:
	default:
		t.take(key)
		t.fail(key, v, "must be a text in quotes, or a list of them")
		return
	}
	one := ""
	if !t.string(key, &one) {
		return
	}
	reset()
	if err := add(one); err != nil {
		t.fail(key, one, "%s", t.reason(key, err))
	}
}

// file reads the file that a key names, whose content is what holds says. ok is false where nothing was read: the key is not
// given or empty, no other file is looked at, or something was wrong, which is reported then.
func (t *table) file(key, dir, holds string) (path, text string, ok bool) {
	if t.string(key, &path); path == "" || t.alone {
		return path, "", false
	}
	text, err := readSecret(absolute(path, dir))
	switch {
	case err != nil:
		t.fail(key, path, "cannot be read: %v", err)
	case text == "":
		t.fail(key, path, "the file is empty; it must hold %s", holds)
	}
	return path, text, err == nil && text != ""
}

func (t *table) ids(key string, dst *[]int64) {
	l, ok := t.list(key)
	if !ok {
		return
	}
	*dst = []int64{}
	for _, v := range l {
		n, ok := v.(int64)
		if !ok || n < 1 {
			t.fail(key, v, "must hold ids, whole numbers from 1")
			continue
		}
		*dst = append(*dst, n)
	}
}

// sub returns the table of that name; nil when there is none.
func (t *table) sub(key string) *table {
	v, ok := t.take(key)
	if !ok {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.fail(key, v, "must be a table: write [%s]", t.header(key))
		return nil
	}
	return &table{problems: t.problems, path: t.at(key), section: t.section, values: maps.Clone(m), writings: t.writings}
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
func (t *table) subs(key string) []*table {
	v, ok := t.take(key)
	if !ok {
		return nil
	}
	var elements []map[string]any
	switch v := v.(type) {
	case []map[string]any:
		elements = v
	case []any:
		for _, e := range v {
			if m, ok := e.(map[string]any); ok {
				elements = append(elements, m)
			} else {
				t.fail(key, e, "must be a table: write [[%s]]", t.header(key))
			}
		}
	default:
		t.fail(key, v, "must be written with two brackets: [[%s]]", t.header(key))
	}
	tables := make([]*table, len(elements))
	for i, m := range elements {
		tables[i] = &table{problems: t.problems, path: fmt.Sprintf("%s[%d]", t.at(key), i), section: t.section, values: maps.Clone(m)}
	}
	return tables
}

// header is a key as the header of a table has it: without the numbers of elements.
func (t *table) header(key string) string {
	var b strings.Builder
	skip := false
	for _, r := range t.at(key) {
		switch {
		case r == '[':
			skip = true
		case r == ']':
			skip = false
		case !skip:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// finish reports the keys nobody asked for.
func (t *table) finish() {
	keys := slices.Sorted(maps.Keys(t.values))
	for i, key := range keys {
		if len(t.found) >= maxFinding {
			t.fail("", nil, "%d more unknown keys", len(keys)-i)
			return
		}
		if instead := Retired(t.header(key)); instead != "" {
			t.fail(key, nil, "this key is no more: %s", instead)
			continue
		}
		message := "unknown key"
		if near := nearest(key, t.known); near != "" {
			message += ", did you mean " + near + "?"
		}
		t.fail(key, nil, "%s", message)
	}
}

// nearest returns the known word at most two edits away, or "".
func nearest(word string, known []string) string {
	best, distance := "", min(3, len(word)/2+1)
	if len(word) > 64 { // no known word is near it
		return ""
	}
	for _, k := range known {
		if d := levenshtein.ComputeDistance(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}
