package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/refresh"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
)

// inHurry has everything that is shared happen within a second or so.
var inHurry = pace{
	beat: 50 * time.Millisecond,
	Pace: refresh.Pace{
		FirstScan: 200 * time.Millisecond,
		LastScan:  300 * time.Millisecond,
		ScanTurn:  time.Millisecond,
		Resident:  500,
	},
}

// A page that one daemon has made is taken by another where it was made of the same, and made again in the background.
func TestPagesAreTakenFromAnother(t *testing.T) {
	t.Parallel()
	store := servertest.StartRedis(t)
	install := config.Site{Name: "a", Refresh: 200 * time.Millisecond, Stylesheet: "css", Hosts: []config.Host{"a.test"}}
	print := fakePrints.Add(1)
	var all []*daemon
	var catalogs []*fakeCatalog
	for range 2 {
		c := newFakeCatalog("https://a.test")
		c.print.Store(print)
		ts := newReal(t, config.Config{
			State: config.Secret(store.URL()), LogLevel: slog.LevelDebug, Sites: []config.Site{install},
		})
		ts.pace, ts.open = inHurry, netOf(c).open
		s := ts.start().read()
		all, catalogs = append(all, s), append(catalogs, c)
	}
	one, other := all[0], all[1]
	w := other.installs[0]
	key := pages.KeyOf(w.Site, w.Snapshot().Blogs[0], "post", 1)
	first := one.ask("a.test", "/post-sitemap.xml")
	wptest.Eventually(t, "its page is shared", func() bool { return other.store.Page(key) != nil }, one.log, other.log)
	plain, goOn := catalogs[1].render, make(chan struct{})
	var made atomic.Int32
	catalogs[1].renderWith(func(ctx context.Context, name string, page int) (*catalog.Document, error) {
		<-goOn
		made.Add(1)
		return plain(ctx, name, page)
	})
	if got := other.ask("a.test", "/post-sitemap.xml"); first.status != http.StatusOK || got != first {
		t.Errorf("made %+v, taken %+v\n%s", first, got, other.log)
	}
	if made, taken := one.copies("a")[key], other.copies("a")[key]; !made.Modified().Equal(taken.Modified()) {
		t.Errorf("made %+v, taken %+v", made, taken)
	}
	close(goOn)
	wptest.Eventually(t, "it is made again, as what catalogs do not show may have changed", func() bool { return made.Load() > 0 }, other.log)
}
