package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Setting is a key of a site as it is in force, and where its value is from.
type Setting struct{ Key, Value, Source string }

// writing is a key as it is in the configuration.
type writing struct {
	value string // secrets as stars
	line  int
}

// writings collects the keys of a table and the tables in it.
type writings struct {
	root string // path of the table
	keys map[string]writing
}

// note keeps a key that was taken out of a table.
func (t *table) note(key string, v any) {
	switch v.(type) {
	case map[string]any, []map[string]any:
		return
	}
	if t.writings == nil {
		return
	}
	at := strings.TrimPrefix(strings.TrimPrefix(t.at(key), t.writings.root), ".")
	if slices.Contains(secretKeys, key) {
		v = Secret(stars)
	}
	t.writings.keys[at] = writing{written(v), t.lines.Line(t.at(key))}
}

// collect has the keys of a table and the tables in it noted beside those of earlier, which may be nil.
func (t *table) collect(earlier map[string]writing) map[string]writing {
	t.writings = &writings{t.path, maps.Clone(earlier)}
	if t.writings.keys == nil {
		t.writings.keys = map[string]writing{}
	}
	return t.writings.keys
}

// sets reports whether the configuration sets a key of the site, or its defaults do.
func (s *Site) sets(key string) bool {
	_, ok := s.written[key]
	return ok
}

// Effective returns the settings of the site that are in force: those that every site has, and behind them what else the
// configuration sets. Secrets are stars.
func (s *Site) Effective() []Setting {
	text := strconv.Quote
	var hosts []string
	for _, h := range s.Hosts {
		hosts = append(hosts, text(string(h)))
	}
	fromFile := "wp-config.php"
	if s.WPConfig == "" {
		fromFile = "default"
	}
	pageSize := "default, the plugin's own number"
	all := []Setting{
		{"wp_config", text(s.WPConfig), "[[discover]]"}, {"dsn", text(stars), fromFile}, {"table_prefix", text(s.TablePrefix), fromFile},
		{"upstream", written(s.Upstream.String()), "default, none"}, {"home", text(string(s.Home)), "database"},
		{"hosts", "[" + strings.Join(hosts, ", ") + "]", "database"}, {"sitemaps", text(s.Sitemaps), "default"}, {"compat", text(s.Compat), "default"},
		{"page_size", strconv.Itoa(s.PageSize), pageSize}, {"stylesheet", text(s.Stylesheet), "default"},
		{"html", strconv.FormatBool(s.HTML), "default of the level"}, {"hreflang", strconv.FormatBool(s.Hreflang), "default"},
		{"brotli", strconv.FormatBool(s.Brotli), "default"}, {"warm", strconv.FormatBool(s.Warm), "default"},
		{"cache_control", text(s.CacheControl), "default"}, {"refresh", span(s.Refresh), "default"},
		{"collapse", fmt.Sprint(s.Collapse), "default"}, {"collapse_wait", span(s.Confirm), "default"},
	}
	left := maps.Clone(s.written)
	for i := range all {
		w, ok := left[all[i].Key]
		if !ok {
			switch all[i].Value {
			case `""`, "[]", "0":
				all[i].Value = ""
			}
			continue
		}
		all[i].Source = fmt.Sprintf("line %d", w.line)
		delete(left, all[i].Key)
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		if key != "name" {
			all = append(all, Setting{key, left[key].value, fmt.Sprintf("line %d", left[key].line)})
		}
	}
	return slices.DeleteFunc(all, func(x Setting) bool { return x.Key == "wp_config" && x.Value == "" })
}

func span(d time.Duration) string { return strconv.Quote(d.String()) }
