package refresh

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest/expect"
)

func TestWhatIsACollapse(t *testing.T) {
	type counts = map[string]int
	for _, tt := range []struct {
		name        string
		share       float64
		before, now counts
		want        string
	}{
		{"nothing changes", 0.5, counts{"post": 100}, counts{"post": 100}, ""},
		{"it grows", 0.5, counts{"post": 100}, counts{"post": 1000}, ""},
		{"half is not more than half", 0.5, counts{"post": 100}, counts{"post": 50}, ""},
		{"more than half", 0.5, counts{"post": 100}, counts{"post": 49}, "51 of 100 URLs are gone"},
		{"all of the site counts", 0.5, counts{"post": 100, "page": 100}, counts{"post": 1, "page": 100}, ""},
		{"of all types together", 0.5, counts{"post": 100, "page": 100}, counts{"post": 50, "page": 49}, "101 of 200 URLs are gone"},
		{"a tenth, where that is said", 0.1, counts{"post": 1000}, counts{"post": 899}, "101 of 1000 URLs are gone"},
		{"just a tenth", 0.1, counts{"post": 1000}, counts{"post": 900}, ""},
		{"nine tenths, where that is said", 0.9, counts{"post": 1000}, counts{"post": 100}, ""},
		{"all of a type", 0.5, counts{"post": 1000, "tag": 10}, counts{"post": 1000}, "all 10 URLs of tag are gone"},
		{"all of a small type", 0.5, counts{"post": 1000, "tag": 9}, counts{"post": 1000}, ""},
		{"nearly all of a type", 0.5, counts{"post": 1000, "tag": 100}, counts{"post": 1000, "tag": 1}, ""},
		{"all of a small site", 0.5, counts{"post": 9}, counts{}, ""},
		{"all of a site", 0.5, counts{"post": 10}, counts{}, "10 of 10 URLs are gone"},
		{"nine of a site of twelve", 0.5, counts{"post": 12}, counts{"post": 3}, ""},
		{"it was empty", 0.5, counts{}, counts{}, ""},
	} {
		if _, got := lost(tt.before, tt.now, tt.share); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// News come and go by the clock, and the index counts sitemaps and not addresses.
func TestCensus(t *testing.T) {
	o := &catalog.Outline{Timed: []string{"news"}, Files: []catalog.File{
		{Name: "1", Page: 1, Entries: 3}, {Name: "post", Page: 1, Entries: 5}, {Name: "post", Page: 2, Entries: 2},
		{Name: "news", Page: 1, Entries: 50},
	}}
	if got := census(o); len(got) != 1 || got["post"] != 7 {
		t.Errorf("%v", got)
	}
}

// An alarm for a loss is decided type by type.
func TestLossesAreComparedTypeByType(t *testing.T) {
	type counts = map[string]int
	const minute = time.Minute
	for _, tt := range []struct {
		name   string
		before counts
		then   []counts // what is read a minute after the other
		held   []bool
	}{
		{"others gain as much", counts{"post": 100, "page": 20}, []counts{{"page": 120}, {"page": 120}, {"page": 121}}, []bool{true, true, false}},
		{"others gain more", counts{"post": 20, "page": 20}, []counts{{"page": 500}, {"page": 510}, {"page": 600}}, []bool{true, true, false}},
		{
			"others gain and lose every day", counts{"tag": 10, "post": 1000}, []counts{{"post": 1010}, {"post": 990}, {"post": 1001}},
			[]bool{true, true, false},
		},
		{
			"one address more or less", counts{"post": 20, "page": 3},
			[]counts{{"post": 2, "page": 3}, {"post": 3, "page": 3}, {"post": 2, "page": 3}}, []bool{true, true, false},
		},
		{
			"another type goes, too", counts{"post": 100, "tag": 50, "page": 500},
			[]counts{{"tag": 50, "page": 500}, {"page": 500}, {"page": 500}, {"page": 500}}, []bool{true, true, true, false},
		},
		{
			"the type comes back slowly", counts{"post": 1000, "page": 1000}, []counts{{}, {"post": 100}, {"post": 200}, {"post": 300}},
			[]bool{true, true, true, true},
		},
		{
			"the type comes back slowly while another gains", counts{"post": 1000, "page": 500},
			[]counts{{"page": 500}, {"post": 100, "page": 400}, {"post": 200, "page": 300}}, []bool{true, true, true},
		},
	} {
		at := time.Unix(1e9, 0)
		g := newTestGuard(&at)
		g.site.Config.Confirm = 2 * minute
		for i, now := range tt.then {
			if got := g.holds("x", tt.before, now, "") != ""; got != tt.held[i] {
				t.Errorf("%s: reading %d: held %v", tt.name, i+1, got)
				break
			}
			at = at.Add(minute)
		}
	}
}

// An operator's word counts for what was lost when it was given, and not for more.
func TestAcceptedFirst(t *testing.T) {
	type counts = map[string]int
	before := counts{"post": 100, "tag": 30, "page": 50}
	for _, tt := range []struct {
		name string
		now  counts
		held bool
	}{
		{"the same", counts{"tag": 30, "page": 150}, false},
		{"something has come back", counts{"post": 10, "tag": 30, "page": 50}, false},
		{"another gains", counts{"tag": 30, "page": 900}, false},
		{"more is lost", counts{"page": 150}, true},
	} {
		at := time.Unix(1e9, 0)
		g := newTestGuard(&at)
		if g.holds("x", before, counts{"tag": 30, "page": 150}, "") == "" || !g.Accept() {
			t.Fatal("no alarm")
		}
		expect.Equal(t, g.holds("x", before, tt.now, "") != "", tt.held, tt.name, "held")
	}
}

// A loss that settings explain is held for a moment, and none where the guard is off or our own configuration has changed.
func TestHowLongALossIsHeld(t *testing.T) {
	at := time.Unix(1e9, 0)
	before, now := map[string]int{"post": 100}, map[string]int{"post": 1}
	for name, tt := range map[string]struct {
		collapse float64
		changed  bool
		cause    string
		want     []bool // at once, after 9, 10 and 600 seconds
	}{
		"nothing explains it":           {0.5, false, "", []bool{true, true, true, false}},
		"settings do":                   {0.5, false, "noindex", []bool{true, true, false, false}},
		"the guard is off":              {0, false, "", []bool{false, false, false, false}},
		"our configuration has changed": {0.5, true, "", []bool{false, false, false, false}},
	} {
		g := newTestGuard(&at)
		g.site.Config.Collapse = tt.collapse
		g.Expect(tt.changed)
		began := at
		for i, after := range []time.Duration{0, 9 * time.Second, 10 * time.Second, 10 * time.Minute} {
			at = began.Add(after)
			expect.Equal(t, g.holds("x", before, now, tt.cause) != "", tt.want[i], name, "held", "after", after)
			if !tt.want[i] {
				break
			}
		}
		expect.Equal(t, g.site.Counted.Alarms.Load() == 1, tt.want[0] && tt.cause == "", name, "alarms")
	}
	g := newTestGuard(&at)
	for i, cause := range []string{"noindex", "noindex", "", ""} {
		g.holds("x", before, now, cause)
		if n := g.site.Counted.Alarms.Load(); (n == 1) != (i >= 2) || n > 1 {
			t.Errorf("%d alarms after reading %d", n, i+1)
		}
	}
}

// What the operator changes in our configuration is meant; what changes in wp-config.php is guarded, and what is held stays so.
func TestReloadIsDeliberate(t *testing.T) {
	at := time.Unix(1e9, 0)
	before, now := map[string]int{"post": 100}, map[string]int{}
	for name, tt := range map[string]struct {
		change func(*config.Site)
		held   bool
	}{
		"an exclusion":         {func(s *config.Site) { s.Exclude.PostIDs = []int64{1} }, false},
		"another level":        {func(s *config.Site) { s.Compat = "plugin" }, false},
		"another prefix":       {func(s *config.Site) { s.TablePrefix = "b_" }, false},
		"the guard itself":     {func(s *config.Site) { s.Collapse = 0 }, false},
		"wp-config.php alone":  {func(s *config.Site) { s.Fingerprint = "another" }, true},
		"what decides nothing": {func(s *config.Site) { s.Stylesheet = "none" }, true},
	} {
		old, next := newTestGuard(&at), newTestGuard(&at)
		old.holds("x", before, now, "")
		tt.change(&next.site.Config)
		next.Inherit(old)
		if _, since, _ := next.Alarmed(); !since.Equal(at) {
			t.Errorf("%s: alarmed since %v", name, since)
		}
		expect.Equal(t, next.holds("x", before, now, "") != "", tt.held, name, "held")
	}
}

// Blogs that vanish from a network are held where they are much of it, unless they were archived or deleted in it.
func TestVanishedBlogs(t *testing.T) {
	at := time.Unix(1e9, 0)
	blog := func(id int64, posts int) *site.Blog {
		b := site.Unread(site.Facts{ID: id, Home: fmt.Sprintf("https://%d.test", id)}, nil)
		b.Serve(site.Built{Catalog: &fakeSite{posts: posts}}, 1, at)
		return b
	}
	one, two, three := blog(1, 40), blog(2, 60), blog(3, 5)
	for _, tt := range []struct {
		name string
		left []*site.Blog
		gone []site.Gone
		held int
	}{
		{"none", []*site.Blog{one, two, three}, nil, 0}, {"a small one", []*site.Blog{one, two}, nil, 0},
		{"most of it", []*site.Blog{one, three}, nil, 1}, {"most of it was deleted", []*site.Blog{one, three}, []site.Gone{{Host: "2.test"}}, 0},
	} {
		held := newTestGuard(&at).Network(&site.Snapshot{Blogs: []*site.Blog{one, two, three}}, &site.Snapshot{Blogs: tt.left, Gone: tt.gone})
		if len(held) != tt.held || tt.held > 0 && (held[0].ID != 2 || held[0].HeldBy == "") {
			t.Errorf("%s: %d are held", tt.name, len(held))
		}
	}
}

func TestWhatSettingsExplain(t *testing.T) {
	outline := func(change func(*catalog.Outline), counts map[string]int) *catalog.Outline {
		o := &catalog.Outline{
			Active: true, Plugins: []string{"cptui/cptui.php", "wordpress-seo/wp-seo.php"},
			Types: []string{"author", "concert", "page", "post"}, Plugin: "Yoast SEO",
		}
		for name, n := range counts {
			o.Files = append(o.Files, catalog.File{Name: name, Of: strings.TrimPrefix(name, "posts-"), Page: 1, Entries: n})
		}
		change(o)
		return o
	}
	nothing := func(*catalog.Outline) {}
	before := outline(nothing, map[string]int{"post": 100, "page": 100, "concert": 300})
	core := func(o *catalog.Outline) {
		o.Plugin, o.Plugins = "WordPress", o.Plugins[:1]
	}
	for _, tt := range []struct {
		name string
		now  *catalog.Outline
		want bool
	}{
		{"a type is not indexed", outline(func(o *catalog.Outline) { o.Off = []string{"concert"} }, map[string]int{"post": 100, "page": 100}), true},
		{
			"a type is not indexed, and posts are gone",
			outline(func(o *catalog.Outline) { o.Off = []string{"concert"} }, map[string]int{"page": 100}), false,
		},
		{"the plugin of a type is gone", outline(func(o *catalog.Outline) { o.Plugins, o.Types = o.Plugins[1:], []string{"author", "page", "post"} },
			map[string]int{"post": 100, "page": 100}), true},
		{
			"another plugin is gone, and concerts are",
			outline(func(o *catalog.Outline) { o.Plugins = o.Plugins[1:] }, map[string]int{"post": 100, "page": 100}), false,
		},
		{
			"nothing says why most is unknown",
			outline(func(o *catalog.Outline) { o.Types = []string{"author", "page", "post"} }, map[string]int{"post": 100, "page": 100}),
			false,
		},
		{"posts are gone", outline(nothing, map[string]int{"page": 100, "concert": 300}), false},
		{"WordPress' own", outline(core, map[string]int{"posts-post": 100, "posts-page": 100, "posts-concert": 300}), true},
		{"WordPress' own, and nothing in them", outline(core, map[string]int{"posts-page": 1}), false},
		{"private", outline(func(o *catalog.Outline) { o.Private = true }, nil), true},
	} {
		expect.Equal(t, intended(before, tt.now, 0.5), tt.want, tt.name)
	}
}

func newTestGuard(at *time.Time) *lossGuard {
	s := site.New(config.Site{Name: "a", Collapse: 0.5, Confirm: 10 * time.Minute}, slog.New(slog.DiscardHandler))
	s.Counted = new(metrics.SiteCounts)
	return newLossGuard(s, func() time.Time { return *at })
}
