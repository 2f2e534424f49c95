package pages

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/view"
)

// An HTML page is made once as long as its sitemap's page is the same, and a part that there is not is looked for once.
func TestHTMLIsMadeOnce(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	p := New(Options{Limit: 1 << 20, Now: time.Now, Breaker: NewBreaker(log)})
	s := site.New(config.Site{Name: "a"}, log)
	b := site.Unread(site.Facts{ID: 1, Home: "https://a.test"}, nil)
	xml := func(path string) *Page {
		return newPage([]byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/`+path+
			`/</loc></url></urlset>`), time.Time{}, time.Time{}, nil)
	}
	one, two := xml("one"), xml("two")
	for range 2 {
		for _, tt := range []struct {
			xml  *Page
			part int
			want error
		}{{one, 1, nil}, {one, 3, view.ErrNoPart}, {two, 1, nil}} {
			_, err := p.HTML(t.Context(), s, b, "post", tt.xml, view.Frame{Home: b.Home, Number: 1, Of: 1, Part: tt.part})
			if !errors.Is(err, tt.want) {
				t.Errorf("part %d: %v, want %v", tt.part, err, tt.want)
			}
		}
		ended, end := context.WithCancel(t.Context())
		end()
		p.WorkUntil(ended) // nothing is made from here on
	}
	if _, err := p.HTML(t.Context(), s, b, "post", two, view.Frame{Home: b.Home, Number: 1, Of: 1, Part: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("another part: %v", err)
	}
}
