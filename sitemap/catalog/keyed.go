package catalog

import (
	"context"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/urlset"
)

// Keyed is what a list of any number of rows has in the place of entries: its pages, each with the keys of its rows, which are
// read when it is rendered.
type Keyed struct {
	Pages []KeyedPage
	Read  func(ctx context.Context, page KeyedPage) ([]urlset.URL, error)
}

// KeyedPage is a page of rows whose keys are above After, up to Last.
type KeyedPage struct {
	After, Last int64
	URLs        int
	LastMod     int64
	Print       uint64 // of what is on it
}

// Add counts a URL to the page.
func (p *KeyedPage) Add(u urlset.URL) {
	p.Last, p.URLs, p.LastMod = u.Object, p.URLs+1, max(p.LastMod, u.LastMod)
	p.Print += rows.Mix(rows.MixText(0, u.Loc), uint64(u.LastMod))
}

func (c *Catalog) renderKeyed(ctx context.Context, l *List, page int) (*Document, error) {
	p := l.Keyed.Pages[page-1]
	urls, err := l.Keyed.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	s := c.sheet(l.Extensions, l.Encoding)
	if err := s.add(urls...); err != nil {
		return nil, err
	}
	found := KeyedPage{}
	for _, u := range urls {
		found.Add(u)
	}
	return c.document(s, c.Filename(l.Name, page), found.Print != p.Print), nil
}
