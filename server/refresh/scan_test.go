package refresh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest/expect"
)

// After a restart, the blogs that visitors asked for last are read first, then those with cached pages.
func TestOrderOfReading(t *testing.T) {
	outline := catalog.Outline{Plugin: sitemap.DefaultPlugin.Name, Active: true}
	now := &site.Snapshot{}
	var listed []wp.BlogRow
	for id, asked := range []time.Duration{-1, 0, -1, 0, time.Hour, time.Minute} {
		settings := site.Blog{ID: int64(id), Home: "https://a.test", Network: true}
		b := site.Unread(settings, site.ErrUnreadBlog)
		if asked >= 0 {
			b = site.Remembered(settings, outline, time.Now())
		}
		if asked > 0 {
			b.AskedAt(time.Now().Add(-asked))
		}
		if asked >= 0 {
			b = RememberedBlog(recordOf(&site.Site{}, b))
		}
		now.Blogs = append(now.Blogs, b)
		listed = append(listed, wp.BlogRow{ID: int64(id)})
	}
	expect.List(t, neverRead(listed, now), []int64{5, 4, 1, 3, 0, 2})
}

// An error that many blogs share is reported once and in brief.
func TestSummedErrors(t *testing.T) {
	var errs []error
	for id := range 3000 {
		errs = append(errs, fmt.Errorf("site net, blog %d: reading wp_%d_options: %w", id, id, context.DeadlineExceeded))
	}
	err := summed(errs)
	if text := err.Error(); len(text) > 500 || !strings.HasSuffix(text, "and 2995 other blogs") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d bytes: %.1000s", len(text), text)
	}
	expect.Equal(t, summed(nil), nil)
}
