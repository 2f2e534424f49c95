package pages

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/view"
)

// A part that there is not is looked for once at most, and an HTML page is made for those only who still wait for it.
func TestPartsThatAreNotCostNothing(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	p := New(Options{Limit: 1 << 20, Now: time.Now, Breaker: NewBreaker(log)})
	s := site.New(config.Site{Name: "a"}, log)
	b := site.Unread(site.Facts{ID: 1, Home: "https://a.test"}, nil)
	page := func(ctx context.Context, text string, part int) error {
		xml := newPage(fmt.Appendf(nil,
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/%s/</loc></url></urlset>`,
			text), time.Time{}, time.Time{}, nil)
		_, err := p.HTML(ctx, s, b, "post", xml, view.Frame{Home: b.Home, Number: 1, Of: 1, Part: part})
		return err
	}
	missing := func(text string, part int) {
		t.Helper()
		if err := page(t.Context(), text, part); !errors.Is(err, view.ErrNoPart) {
			t.Errorf("part %d of %s: %v", part, text, err)
		}
	}
	missing("one", 3)
	missing("two", 99999)                                                // of a sitemap nobody has asked for
	if err := p.html.drawn.Acquire(t.Context(), htmlDrawn); err != nil { // nothing is drawn from here on
		t.Fatal(err)
	}
	for _, part := range []int{3, 2, 4, 25, 26, 99999, 1 << 40} {
		missing("one", part)
	}
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	for range 3 {
		go func() { gone <- page(ctx, "two", 1) }()
	}
	awaitWaiting := func(want int) {
		t.Helper()
		waiting := func() (n int) {
			p.html.mu.Lock()
			defer p.html.mu.Unlock()
			for _, d := range p.html.drawings {
				n += d.waiting
			}
			return n
		}
		for from := time.Now(); waiting() != want; time.Sleep(time.Millisecond) {
			if time.Since(from) > 2*time.Minute {
				t.Fatalf("%d wait, want %d", waiting(), want)
			}
		}
	}
	awaitWaiting(3)
	leave()
	for range 3 {
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	awaitWaiting(0)
	p.html.drawn.Release(htmlDrawn)
	if err := page(t.Context(), "one", 1); err != nil {
		t.Error(err)
	}
	if n := p.html.cache.stats().Count; n != 1 {
		t.Errorf("%d pages are made, want the one somebody waits for", n)
	}
}
