package pages

import (
	"context"
	"time"

	"wpsitemapd/sitemap/view"
)

// htmlDrawn is how many HTML views are rendered at a time. Rendering them costs processor time only.
const htmlDrawn = 2

// HTML renders the HTML view of one part of a sitemap page. around is what the view shows around the list. Rendering stops if ctx
// ends. The error is view.ErrNoPart if there is no such part.
func (p *Pages) HTML(ctx context.Context, xml *Page, around view.Frame) (*Page, error) {
	if err := p.drawing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.drawing.Release(1)
	html, err := view.Render(ctx, xml.Plain(), around)
	if err != nil {
		return nil, err
	}
	// The view has no date. It also changes with its neighbours, and the date of its sitemap does not show that.
	return newPage(html, time.Time{}, p.Now(), nil), nil
}
