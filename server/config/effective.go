package config

import (
	"fmt"
	"maps"
	"slices"
)

// A Setting is a key that the configuration sets for a site. Source says where, for example "line 12".
type Setting struct{ Key, Value, Source string }

// writing is a key as it is written in the configuration.
type writing struct {
	value string // secrets are stars
	line  int
}

// note records how a key is written in the configuration, if the table keeps such a record.
func (t *table) note(key string, v any) {
	if t.written == nil {
		return
	}
	if text, ok := v.(string); ok {
		v = t.named(text)
	}
	t.written[t.prefix+key] = writing{asWritten(shown(key, v)), t.lines.line(t.at(key))}
}

// sets reports whether the configuration sets a key for the site, in its own section or in the defaults.
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
