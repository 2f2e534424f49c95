package refresh

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestWhatIsTooMuch(t *testing.T) {
	for _, tt := range []struct {
		name  string
		share float64
		loss  loss
		want  bool
	}{
		{"nothing changes", 0.5, loss{100, 100}, false}, {"it grows", 0.5, loss{100, 1000}, false}, {"it was empty", 0.5, loss{0, 0}, false},
		{"half is not more than half", 0.5, loss{100, 50}, false}, {"more than half", 0.5, loss{100, 49}, true},
		{"a tenth, where that is said", 0.1, loss{1000, 899}, true}, {"just a tenth", 0.1, loss{1000, 900}, false},
		{"nine tenths, where that is said", 0.9, loss{1000, 100}, false},
		{"all of a small site", 0.5, loss{9, 0}, false}, {"all of a site", 0.5, loss{10, 0}, true}, {"nine of a site of twelve", 0.5, loss{12, 3}, false},
		{"the guard is off", 0, loss{100, 0}, false},
	} {
		expect.Equal(t, tt.loss.tooMuch(tt.share), tt.want, tt.name)
	}
}

// A loss is held until a reading after the waiting time agrees with it.
func TestAnotherReadingHasToAgree(t *testing.T) {
	const minute = time.Minute
	for _, tt := range []struct {
		name string
		then []int // what is left of 1000 objects, in readings a minute apart
		held []bool
	}{
		{"the same", []int{10, 10, 10}, []bool{true, true, false}},
		{"within two per cent", []int{10, 20, 29}, []bool{true, true, false}},
		{"more is lost", []int{100, 10, 10, 10}, []bool{true, true, true, false}},
		{"they come back slowly", []int{0, 100, 200, 300}, []bool{true, true, true, true}},
		{"they are back", []int{0, 1000, 0}, []bool{true, false, true}},
	} {
		at := time.Unix(1e9, 0)
		g := newTestGuard(&at)
		g.site.Config.Confirm = 2 * minute
		for i, left := range tt.then {
			if got := g.holds("x", loss{1000, left}) != ""; got != tt.held[i] {
				t.Errorf("%s: reading %d: held %v", tt.name, i+1, got)
				break
			}
			at = at.Add(minute)
		}
	}
}

// If an operator accepts a loss, that holds for what was lost at that time, and for no more.
func TestAcceptedFirst(t *testing.T) {
	for left, held := range map[int]bool{100: false, 400: false, 50: true} {
		at := time.Unix(1e9, 0)
		g := newTestGuard(&at)
		if g.holds("x", loss{1000, 100}) == "" || !g.Accept() {
			t.Fatal("no alarm")
		}
		expect.Equal(t, g.holds("x", loss{1000, left}) != "", held, left, "of 1000, where 100 were accepted: held")
	}
}

// A loss is counted once. A change of our own configuration explains a loss at once.
func TestAlarmsAreCounted(t *testing.T) {
	at := time.Unix(1e9, 0)
	g := newTestGuard(&at)
	var log wptest.Buffer
	g.site.Log = slog.New(slog.NewTextHandler(&log, nil))
	for range 3 {
		g.holds("x", loss{100, 1})
	}
	expect.Equal(t, g.site.Counted.Alarms.Load(), 1, "alarms")
	expect.Equal(t, log.Count("level=ERROR"), 1, "errors in", log.String())
	g.Expect(true)
	expect.Equal(t, g.holds("x", loss{100, 1}), "", "our configuration has changed: held by")
	expect.Equal(t, log.Count("the loss alarm has ended"), 1, "ends in", log.String())
	g.Expect(false)
	g.holds("x", loss{100, 1})
	at = at.Add(g.site.Config.Confirm)
	expect.Equal(t, g.holds("x", loss{100, 1}), "", "confirmed, and held by")
	expect.Equal(t, log.Count("the loss is confirmed"), 1, "confirmed in", log.String())
	if why, _, _ := g.Alarmed(); why != "" {
		t.Error(why)
	}
}

// A change that the operator makes in our configuration is intended. A change in wp-config.php is guarded, and held losses stay held.
func TestReloadIsDeliberate(t *testing.T) {
	at := time.Unix(1e9, 0)
	gone := loss{100, 0}
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
		old.holds("x", gone)
		tt.change(&next.site.Config)
		next.Inherit(old)
		if _, since, _ := next.Alarmed(); !since.Equal(at) {
			t.Errorf("%s: alarmed since %v", name, since)
		}
		expect.Equal(t, next.holds("x", gone) != "", tt.held, name, "held")
	}
}

// If many blogs vanish from a network, they are held, unless they were archived or deleted in it.
func TestVanishedBlogs(t *testing.T) {
	at := time.Unix(1e9, 0)
	blog := func(id int64, posts int) *site.Blog {
		outline := catalog.Outline{Active: true, Files: []catalog.File{{Name: "1", Page: 1}, {Name: "post", Of: "post", Page: 1, Entries: posts}}}
		return site.Remembered(site.Blog{ID: id, Home: fmt.Sprintf("https://%d.test", id)}, outline, at)
	}
	one, two, three := blog(1, 40), blog(2, 60), blog(3, 5)
	for _, tt := range []struct {
		name string
		left []*site.Blog
		gone []wp.BlogRow
		held int
	}{
		{"none", []*site.Blog{one, two, three}, nil, 0}, {"a small one", []*site.Blog{one, two}, nil, 0},
		{"most of it", []*site.Blog{one, three}, nil, 1},
		{"most of it was deleted", []*site.Blog{one, three}, []wp.BlogRow{{Domain: "2.test", Path: "/"}}, 0},
	} {
		held := newTestGuard(&at).Network(&site.Snapshot{Blogs: []*site.Blog{one, two, three}}, &site.Snapshot{Blogs: tt.left, Gone: tt.gone})
		if len(held) != tt.held || tt.held > 0 && (held[0].ID != 2 || held[0].HeldBy == "") {
			t.Errorf("%s: %d are held", tt.name, len(held))
		}
	}
}

func newTestGuard(at *time.Time) *lossGuard {
	s := site.New(config.Site{Name: "a", Collapse: 0.5, Confirm: 10 * time.Minute}, slog.New(slog.DiscardHandler))
	s.Counted = new(metrics.SiteCounts)
	return newLossGuard(s, &Daemon{Now: func() time.Time { return *at }})
}
