package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Setting is a key of a site as it is in force, and where its value is from.
type Setting struct{ Key, Value, Source string }

// writing is a key as it is in the configuration.
type writing struct {
	value string // secrets as stars
	line  int
}

// collect returns the keys of a table and the tables in it, beside those of earlier, which may be nil.
func (t *table) collect(earlier map[string]writing) map[string]writing {
	all := maps.Clone(earlier)
	if all == nil {
		all = map[string]writing{}
	}
	var walk func(path string, values map[string]any)
	walk = func(path string, values map[string]any) {
		for key, v := range values {
			at := strings.TrimPrefix(path+"."+key, ".")
			switch v := v.(type) {
			case map[string]any:
				walk(at, v)
			case []map[string]any:
			default:
				if text, ok := v.(string); ok && t.fill != nil {
					if filled, err := t.fill(text); err == nil {
						v = filled
					}
				}
				all[at] = writing{written(shown(key, v)), t.lines.line(t.at(at))}
			}
		}
	}
	walk("", t.values)
	return all
}

// sets reports whether the configuration sets a key of the site, or its defaults do.
func (s *Site) sets(key string) bool {
	_, ok := s.written[key]
	return ok
}

// Effective returns the settings of the site that are in force: those that every site has, and behind them what else the
// configuration sets. Secrets are stars.
func (s *Site) Effective() []Setting {
	var all []Setting
	left := maps.Clone(s.written)
	add := func(key string, value any, source string) {
		text := inForce(value)
		if w, ok := left[key]; ok {
			source = fmt.Sprintf("line %d", w.line)
			delete(left, key)
		} else if slices.Contains([]string{`""`, "[]", "0"}, text) {
			text = ""
		}
		all = append(all, Setting{key, text, source})
	}
	fromFile := "wp-config.php"
	if s.WPConfig == "" {
		fromFile = "default"
	}
	add("dsn", stars, fromFile)
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		key, source := f.Tag.Get("toml"), cmp.Or(f.Tag.Get("source"), "default")
		if key == "" || key == "name" || key == "wp_config" && s.WPConfig == "" || isTable(v.Field(i)) {
			continue
		}
		if source == "wp-config.php" {
			source = fromFile
		}
		add(key, v.Field(i).Interface(), source)
	}
	add("sitemaps", s.Sitemaps, "default")
	add("collapse", s.Collapse, "default")
	for _, key := range slices.Sorted(maps.Keys(left)) {
		if key != "name" {
			all = append(all, Setting{key, left[key].value, fmt.Sprintf("line %d", left[key].line)})
		}
	}
	return all
}

// inForce is a value as the configuration would have it.
func inForce(value any) string {
	if text, ok := value.(fmt.Stringer); ok { // a duration, an address
		return written(text.String())
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = inForce(v.Index(i).Interface())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(value)
}
