package routes

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// WordPress puts # and ^ before a rule, so that the ^ belongs to the first alternative only.
func TestMatchOfAlternatives(t *testing.T) {
	m := NewMatcher([]Rule{{"a/([^/]+)/?$|b/?$", "index.php?book=$matches[1]"}})
	for path, want := range map[string]bool{"a/dune": true, "x/a/dune": false, "b": true, "x/b": true, "x/b/c": false} {
		if _, ok := m.Match(path); ok != want {
			t.Errorf("%s: %v", path, ok)
		}
	}
}

// The first rule wins. A rule for pages counts only for pages, and one that Go cannot compile makes the next match unsure.
func TestWhichRuleMatches(t *testing.T) {
	m := NewMatcher([]Rule{
		{`sale/([^/]+)/?$`, "index.php?sale=$matches[1]"},
		{`(.?.+?)/?$`, "index.php?pagename=$matches[1]"},
		{`(?<!a)b`, "index.php?b=1"},
		{`([^/]+)/?$`, "index.php?name=$matches[1]"},
	})
	for _, tt := range []struct {
		path    string
		match   func(string) (Match, bool)
		rule    int
		matches bool
		unsure  bool
	}{
		{"/sale/today/", m.Match, 0, true, false},
		{"about", m.Match, 1, true, false},
		{"about", m.MatchNoPage, 3, true, true},
		{"about/us", m.MatchNoPage, 0, false, false},
	} {
		got, ok := tt.match(tt.path)
		expect.Equal(t, ok, tt.matches, tt.path)
		expect.Equal(t, got.Rule, tt.rule, tt.path)
		expect.Equal(t, got.Unsure, tt.unsure, tt.path)
	}
}

func TestAsksForObject(t *testing.T) {
	for _, tt := range []struct {
		name  string
		vars  map[string]string
		names []string
		slug  string
		id    int64
		want  bool
	}{
		{"by the variable", map[string]string{"book": "a/dune/", "page": ""}, []string{"book", ""}, "Dune", 0, true},
		{"by the type", map[string]string{"post_type": "book", "name": "dune"}, []string{"book"}, "dune", 0, true},
		{"by the id", map[string]string{"post_type": "book", "p": "17"}, []string{"book"}, "", 17, true},
		{"no id is none", map[string]string{"post_type": "book", "p": "0"}, []string{"book"}, "", 0, false},
		{"another id", map[string]string{"post_type": "book", "p": "18"}, []string{"book"}, "", 17, false},
		{"an archive is no object", map[string]string{"post_type": "book"}, []string{"book"}, "dune", 7, false},
		{"another object", map[string]string{"book": "emma"}, []string{"book"}, "dune", 0, false},
		{"another type", map[string]string{"film": "dune"}, []string{"book"}, "dune", 0, false},
		{"another variable has the slug", map[string]string{"category_name": "category", "name": "news"}, []string{"category", "category_name"}, "news",
			0, false},
		{"no name is none", map[string]string{"film": "dune", "page": ""}, []string{""}, "dune", 0, false},
	} {
		expect.Equal(t, (Match{Vars: tt.vars}).AsksForObject(tt.names, tt.slug, tt.id), tt.want, tt.name)
	}
}

func TestAsksForArchive(t *testing.T) {
	for _, tt := range []struct {
		vars map[string]string
		want bool
	}{
		{map[string]string{"post_type": "book"}, true},
		{map[string]string{"books": ""}, true},
		{map[string]string{"post_type": "book", "paged": "2"}, true},
		{map[string]string{"books": "all", "page": ""}, false},
		{map[string]string{"post_type": "book", "books": "all"}, false},
		{map[string]string{"post_type": "book", "name": "all"}, false},
		{map[string]string{"post_type": "book", "p": "7"}, false},
		{map[string]string{"post_type": "film"}, false},
		{map[string]string{"name": "book"}, false},
	} {
		expect.Equal(t, (Match{Vars: tt.vars}).AsksForArchive([]string{"book", "books"}), tt.want, tt.vars)
	}
}

// A match has the variables of the rule's query, with the groups of the pattern. A group that the pattern lacks sets nothing.
func TestVars(t *testing.T) {
	m := NewMatcher([]Rule{{`a/([^/]+)/(?:page/([0-9]+))?`,
		"index.php?post_type=book&book=$matches[1]&paged=$matches[2]&none=$matches[3]&odd=$matches[x"}})
	for range 2 { // the pattern is compiled once
		got, ok := m.Match("a/dune/page/2")
		if !ok {
			t.Fatal("no match")
		}
		expect.Same(t, map[string]string{"post_type": "book", "book": "dune", "paged": "2", "odd": "$matches[x"}, got.Vars)
	}
}
