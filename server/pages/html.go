package pages

import (
	"context"
	"time"

	"wpsitemapd/sitemap/view"
)

// htmlDrawn is how many HTML pages are made at a time: they cost processor time and nothing else.
const htmlDrawn = 2

// HTML makes the HTML page that shows one of the parts of a sitemap's page; around is what is around the list. It is made for one
// request, and ends with it. An error is view.ErrNoPart where there is no such part.
func (p *Pages) HTML(ctx context.Context, xml *Page, around view.Frame) (*Page, error) {
	if err := p.drawing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.drawing.Release(1)
	html, err := view.Render(ctx, xml.Plain(), around)
	if err != nil {
		return nil, err
	}
	// No date: the page changes with its neighbours too, which its sitemap's date does not say.
	return newPage(html, time.Time{}, p.Now(), nil), nil
}
