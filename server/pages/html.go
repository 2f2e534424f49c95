package pages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/view"
)

const (
	htmlBytes = 32 << 20 // kept
	htmlDrawn = 2        // at a time: they cost processor time and nothing else
)

// htmlPages are the HTML pages made last. They are never waited for by a crawler, and cost it no room: sitemaps have a cache
// of their own.
type htmlPages struct {
	cache   *cache
	drawn   *semaphore.Weighted
	flights singleflight.Group
}

// noPart is kept in the place of a part that there is not, so that it is looked for once.
var noPart = newPage(nil, time.Time{}, time.Time{}, nil)

// HTML returns the HTML page that shows one of the parts of a sitemap's page; around is what is around the list. Both are
// good for the same time: the bytes shown, and the catalog that knows the neighbours, name the HTML page. An error is
// view.ErrNoPart where there is no such part.
func (p *Pages) HTML(ctx context.Context, s *site.Site, b *site.Blog, name string, xml *Page, around view.Frame) (*Page, error) {
	key := KeyOf(s, b, fmt.Sprintf("%s %s %d part %d", name, xml.hash, b.Generation, around.Part), around.Number)
	page := p.html.cache.get(key)
	if page == nil {
		select {
		case result := <-p.html.flights.DoChan(fmt.Sprint(key), func() (page any, err error) {
			err = s.Guard(func() (err error) {
				page, err = p.draw(b, key, xml, around)
				return err
			})
			return page, err
		}):
			if result.Err != nil {
				return nil, result.Err
			}
			page = result.Val.(*Page)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if page == noPart {
		return nil, view.ErrNoPart
	}
	return page, nil
}

// draw makes the HTML page of a sitemap's page, for all who wait for it.
func (p *Pages) draw(b *site.Blog, key Key, xml *Page, around view.Frame) (*Page, error) {
	ctx, cancel := context.WithTimeout(p.work, renderTimeout)
	defer cancel()
	if err := p.html.drawn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.html.drawn.Release(1)
	page := noPart
	html, err := view.Render(ctx, xml.Plain(), around)
	switch {
	case err == nil:
		// No date: the page changes with its neighbours too, which its sitemap's date does not say.
		page = newPage(html, time.Time{}, p.Now(), nil)
	case !errors.Is(err, view.ErrNoPart):
		return nil, err
	}
	p.html.cache.put(key, page)
	return page, nil
}
