package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Setting is a key of a site that the configuration sets, and where.
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

// Effective returns what the configuration sets for the site, in its own section or in the defaults. Secrets are stars.
func (s *Site) Effective() []Setting {
	var all []Setting
	for _, key := range slices.Sorted(maps.Keys(s.written)) {
		if key != "name" {
			all = append(all, Setting{key, s.written[key].value, fmt.Sprintf("line %d", s.written[key].line)})
		}
	}
	return all
}
