package owner

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

var newest = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// begin is when the daemon of the tests starts.
var begin = newest.Add(time.Hour)

// found returns a site of [[discover]] that was read, or that could not be read if home is "".
func found(name, home string) *site.Site {
	w := testSite(config.Site{Name: name, WPConfig: "/www/" + name + "/wp-config.php", Within: "/www"}, &site.Snapshot{Since: newest})
	w.Began = begin
	if home != "" {
		readAt(w, home)
	}
	return w
}

// readAt has a site found at a home.
func readAt(s *site.Site, home string) {
	now := opened(testBlog(home))
	now.Since = newest
	s.Publish(now)
}

// settled returns the site that has a.test, or "?" if that is undecided.
func settled(o *Owners, at time.Time, sites ...*site.Site) string {
	switch at, _ := o.Table(sites, at).Find("a.test", "/"); {
	case at.Contest != nil:
		return "?"
	case at.Site != nil && !at.Unnamed:
		return at.Site.Config.Name
	}
	return ""
}

func TestOwnership(t *testing.T) {
	const home = "https://a.test"
	type want func(name string, sites ...*site.Site)
	for _, test := range []struct {
		rule string
		run  func(want want)
	}{
		{"the first keeps it, whatever the order", func(want want) {
			live, copied := found("live", home), found("a-copy", home)
			want("live", live)
			want("live", copied, live)
		}},
		{"of two at once nobody has it, until one goes", func(want want) {
			live, copied := found("live", home), found("a-copy", home)
			want("?", copied, live)
			want("live", live)
			want("live", copied, live)
		}},
		{"one that stood elsewhere before is a newcomer", func(want want) {
			live, copied := found("live", home), found("a-copy", "https://b.test")
			want("live", copied, live)
			readAt(copied, home)
			want("live", copied, live)
		}},
		{"one that could not be read before is one, too", func(want want) {
			live, copied := found("live", ""), found("a-copy", home)
			want("a-copy", copied, live)
			readAt(live, home)
			want("a-copy", copied, live)
			live.Config.Hosts = []config.Host{"a.test"}
			want("live", copied, live)
		}},
		{"it is kept for a site that moves away, and for nobody where nobody else claims it", func(want want) {
			live, copied := found("live", home), found("a-copy", home)
			want("live", live)
			readAt(live, "https://staging.test")
			want("?", copied, live)
			readAt(live, home)
			want("live", copied, live)
			readAt(live, "https://new.test")
			want("", live, found("other", "https://b.test"))
			want("a-copy", copied, live)
		}},
		{"it is kept for an install whose files are missing", func(want want) {
			live, copied := found("live", home), found("a-copy", home)
			want("live", live)
			want("?", copied)
			want("live", copied, live)
			want("", found("other", "https://b.test"), found("another", "https://c.test"))
			want("?", copied)
		}},
		{"and not for a [[site]] that the operator has taken out", func(want want) {
			live, copied := found("live", home), found("a-copy", home)
			live.Config.Within = ""
			want("live", live)
			want("a-copy", copied)
		}},
		{"a new name makes it no other site", func(want want) {
			live, copied := found("live", home), found("a-copy", home)
			want("live", live)
			live.Config.Name = "renamed"
			want("renamed", copied, live)
		}},
		{"the operator's word is above everything", func(want want) {
			live, copied := found("live", home), found("a-copy", home)
			want("live", live)
			copied.Config.Hosts = []config.Host{"a.test"}
			want("a-copy", copied, live)
			copied.Config.Hosts = nil
			want("a-copy", copied, live)
		}},
		{"a [[site]] comes not before what was found", func(want want) {
			live, copied := found("live", home), found("a-copy", home)
			live.Config.Within = ""
			want("?", copied, live)
		}},
		{"with or without www", func(want want) {
			live, copied := found("live", home), found("a-copy", "https://www.a.test")
			want("live", live)
			want("live", copied, live)
		}},
		{"an archived blog is in nobody's way", func(want want) {
			network, live := found("network", "https://net.test"), found("live", home)
			network.Snapshot().Gone = []wp.BlogRow{{Domain: "a.test", Path: "/"}}
			want("live", network, live)
		}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			o, clock, running := New(slog.New(slog.DiscardHandler)), begin, map[*site.Site]bool{}
			test.run(func(name string, sites ...*site.Site) {
				t.Helper()
				before := running
				running = map[*site.Site]bool{}
				for _, s := range sites {
					if running[s] = true; !before[s] {
						s.Began = clock
					}
				}
				for range 2 {
					clock = clock.Add(time.Minute)
					expect.Equal(t, settled(o, clock, sites...), name)
				}
				again := New(o.log) // a restart
				for _, n := range o.notes() {
					again.recall(n)
				}
				if name != "" && len(again.of) > 0 {
					expect.Equal(t, settled(again, clock, sites...), name, "after a restart")
				}
			})
		})
	}
}

// While a site that was never read may claim a host, nobody has it, but only for a limited time.
func TestSitesThatWereNotTriedAreAwaited(t *testing.T) {
	read, hangs := found("read", "https://a.test"), found("hangs", "")
	hangs.Publish(&site.Snapshot{})
	o := New(slog.New(slog.DiscardHandler))
	if at, _ := o.Table([]*site.Site{read, hangs}, begin).Find("a.test", "/"); at.Contest == nil || at.Contest.Await[0] != hangs {
		t.Errorf("at the start: %+v", at)
	}
	expect.Equal(t, settled(o, begin.Add(site.FirstTimeout), read, hangs), "read", "after its time", "has it")
}

// A site that cannot be read has the hosts that are remembered for it.
func TestUnreadSitesKeepTheirAddress(t *testing.T) {
	live, copied := found("live", "https://a.test"), found("a-copy", "https://a.test")
	before := New(slog.New(slog.DiscardHandler))
	settled(before, begin, live)
	after := New(before.log)
	after.recall(before.notes()["live"])
	expect.Equal(t, settled(after, begin, copied, found("live", "")), "live", "has it")
	if text, n, displaced := after.Summary("a-copy"); n != 1 || !displaced || !strings.Contains(text, "belongs to site live") {
		t.Errorf("%q %d %v", text, n, displaced)
	}
	// If the configuration gives a path of the host to another site, that is no conflict: the site that was not read may have left the host.
	shop := testSite(config.Site{Name: "shop", Home: "https://a.test/shop"}, opened(testBlog("https://a.test/shop")))
	expect.Equal(t, settled(after, begin, shop, found("live", "")), "live", "has it")
	text, n, _ := after.Summary("live")
	expect.Equal(t, n, 0, text)
}

// After a restart, a site at www.www.a.test does not get a.test, although its name comes first.
func TestManyWWW(t *testing.T) {
	live := found("live", "https://a.test")
	o := New(slog.New(slog.DiscardHandler))
	expect.Equal(t, settled(o, begin, live), "live", "alone")
	for _, home := range []string{"https://www.www.a.test", "https://www.www.www.a.test/wp-admin"} {
		other := found("a-other", home)
		for range 3 {
			expect.Equal(t, settled(o, begin, other, live), "live", home)
			notes := o.notes()
			o = New(o.log)
			for _, name := range []string{"a-other", "live"} {
				o.recall(notes[name])
			}
		}
	}
}

// An earlier version stored the owner of www.www.a.test as the owner of www.a.test. Such a note does not concern a.test, and it
// disappears after the site was read.
func TestOldNotesOfWWW(t *testing.T) {
	live, other := found("live", "https://a.test"), found("a-other", "https://www.www.a.test")
	o := New(slog.New(slog.DiscardHandler))
	stored := func(s *site.Site) identity { return identity{s.Config.Name, s.Identity, true} }
	o.recall(note{"www.a.test": stored(other), "www.b.test": stored(other)})
	o.recall(note{"a.test": stored(live)})
	expect.Equal(t, settled(o, begin, other, live), "live")
	expect.Same(t, map[string]note{"live": {"a.test": stored(live)}, "a-other": {"a.test": stored(live)}}, o.notes())
}

// An alarm names the line that settles the conflict. It comes once, as long as the conflict lasts.
func TestAlarmNamesTheLine(t *testing.T) {
	var text strings.Builder
	o := New(slog.New(slog.NewTextHandler(&text, nil)))
	live, copied := found("live", "https://a.test"), found("a-copy", "https://a.test")
	live.Config.Within, copied.Config.WPConfig = "", "/www/copy/wp-config.php"
	other := found("other", "https://a.test")
	other.Config.Within = ""
	for range 3 {
		settled(o, begin, live, copied, other)
	}
	const line = `write hosts = [\"a.test\"] in the section of the site that should have the host: [[site]] live or [discover.site.a-copy] or [[site]] other`
	expect.Equal(t, strings.Count(text.String(), line), 1, &text)
	expect.Equal(t, strings.Count(text.String(), "\n"), 1, &text)
	if said, n, _ := o.Summary("live"); n != 1 || !strings.Contains(said, "503; write hosts = [\"a.test\"] in") {
		t.Errorf("%d: %s", n, said)
	}
	copied.Config.Hosts = []config.Host{"a.test"}
	settled(o, begin, live, copied, other)
	if said, n, _ := o.Summary("live"); n != 0 {
		t.Errorf("settled: %s", said)
	}
}

// A new table is made every second while a site may still be read for the first time. Then the sites that were not read are logged once.
func TestTableIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log wptest.Buffer
		o := New(slog.New(slog.NewTextHandler(&log, nil)))
		sites := []*site.Site{testSite(config.Site{Name: "read"}, opened(testBlog("https://a.test"))), testSite(config.Site{Name: "late"}, &site.Snapshot{})}
		sites[1].Began = time.Now()
		o.Table(sites, time.Now())
		var renewed atomic.Int64
		ctx, stop := context.WithCancel(t.Context())
		go o.Keep(ctx, nil, func() { renewed.Add(1); o.Table(sites, time.Now()) })
		time.Sleep(site.FirstTimeout - time.Second/2)
		expect.Equal(t, renewed.Load(), 19)
		expect.Equal(t, log.Count("some sites were not read yet"), 0, &log)
		time.Sleep(time.Minute)
		stop()
		synctest.Wait()
		expect.Equal(t, renewed.Load(), 20)
		expect.Equal(t, log.Count("some sites were not read yet"), 1, &log)
		expect.Equal(t, log.Count("sites=late"), 1, &log)
	})
}

// A note is saved if it has changed, and again if the store has lost it.
func TestNotesAreSaved(t *testing.T) {
	dir := t.TempDir()
	kept, _ := servertest.OpenStore(t, sqlite.Backend, dir, store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a", "b", "c")
	o := New(slog.New(slog.DiscardHandler))
	sites := []*site.Site{found("a", "https://a.test"), found("b", "https://b.test")}
	written := func(when string, want int) {
		t.Helper()
		for range 2 {
			o.save(kept)
			servertest.Written(t, kept)
			expect.Equal(t, kept.Stats().Written, want, when, "written")
		}
	}
	settled(o, begin, sites...)
	written("at first", 2)
	sites = append(sites, found("c", "https://c.test"))
	settled(o, begin, sites...)
	written("another site", 3)
	o.saving++
	written("the store has lost them", 6)
	again := New(o.log)
	again.Recall(sites, kept)
	expect.Same(t, o.of, again.of)
}

// A preview shows who gets a host, and the conflicts of each site. It knows the owners of a stored state.
func TestPreview(t *testing.T) {
	c := &config.Config{Sites: []config.Site{{Name: "live"}, {Name: "copy"}, {Name: "other"}}}
	blogs := func(home string) []*site.Blog { return []*site.Blog{testBlog(home)} }
	read := map[string][]*site.Blog{"live": blogs("http://a.test"), "copy": blogs("http://a.test/shop"), "other": blogs("https://b.test")}
	table, conflicts := Preview(c, read)
	at, _ := table.Find("b.test", "/")
	expect.Equal(t, at.Site.Config.Name, "other")
	expect.List(t, slices.Sorted(maps.Keys(conflicts)), []string{"copy", "live"})
	expect.Contains(t, conflicts["live"], `to share it, write hosts = ["a.test"] in [[site]] live and home = "http://a.test/shop" in [[site]] copy`)

	c.State = config.Secret(t.TempDir())
	kept, stop := servertest.OpenStore(t, sqlite.Backend, c.State.Reveal(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "live")
	before := New(slog.New(slog.DiscardHandler))
	before.Table([]*site.Site{testSite(c.Sites[0], opened(read["live"]...))}, time.Now())
	before.save(kept)
	stop()
	table, conflicts = Preview(c, read)
	at, _ = table.Find("a.test", "/")
	expect.Equal(t, at.Site.Config.Name, "live")
	expect.Contains(t, conflicts["copy"], "belongs to site live")
}
