package pages

import (
	"context"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
)

// save has a page written to the store. ahead: no other page makes room for it.
func (p *Pages) save(key Key, page *Page, ahead bool) {
	if p.store == nil {
		return
	}
	saved := p.store.Save(&store.Copy{
		Key:         key,
		Hash:        page.hash,
		Fingerprint: p.sign(key, page),
		Modified:    page.modified,
		Built:       page.built,
		Expires:     page.expires,
		Body:        page.body,
		Gzipped:     page.gzipped,
		Brotli:      page.brotli,
		Ahead:       ahead,
	})
	page.unsaved.Store(!saved)
}

// SaveAll has every page of some sites that is in memory written again.
func (p *Pages) SaveAll(sites []*site.Site) {
	for _, s := range sites {
		all := map[Key]*Page{}
		p.InMemory(s, func(k Key, page *Page) { all[k] = page })
		for k, page := range all {
			p.save(k, page, false)
		}
	}
}

// fromStore returns the page that was written to the store, nil where there is none.
func (p *Pages) fromStore(s *site.Site, key Key) *Page {
	if p.store == nil {
		return nil
	}
	c := p.store.Copy(key)
	if c == nil {
		return nil
	}
	return pageOf(s, c)
}

// pageOf is a page from the store as it is kept in memory.
func pageOf(s *site.Site, c *store.Copy) *Page {
	page := &Page{body: c.Body, gzipped: c.Gzipped, brotli: c.Brotli, hash: c.Hash, modified: c.Modified, made: made{built: c.Built, expires: c.Expires}}
	page.setBrotli(s.Config.Brotli)
	page.slim()
	return page
}

// Peek returns the page that is in memory or in the store, without counting as a use; nil for none.
func (p *Pages) Peek(s *site.Site, b *site.Blog, name string, n int) *Page {
	key := KeyOf(s, b, name, n)
	if page := p.cache.peek(key); page != nil {
		return page
	}
	return p.fromStore(s, key)
}

// Served returns a page as Get would, without counting as a use where it is stored.
func (p *Pages) Served(ctx context.Context, s *site.Site, b *site.Blog, name string, n int) (*Page, error) {
	page := p.Peek(s, b, name, n)
	if page != nil && (b.Err != nil || p.Freshness(b, KeyOf(s, b, name, n), page) != Stale) {
		return page, nil
	}
	a, err := p.Get(ctx, s, b, name, n)
	return a.Page, err
}

// Remember returns the body of a page of a catalog that is not served, which is rendered once and kept as far as there is
// room.
func (p *Pages) Remember(ctx context.Context, s *site.Site, b *site.Blog, c site.Catalog, name string, n int) ([]byte, error) {
	key := KeyOf(s, b, name, n)
	if page := p.cache.get(key); page != nil {
		return page.Plain(), nil
	}
	doc, err := c.Rerender(ctx, name, n, catalog.Earlier{})
	if err != nil {
		return nil, err
	}
	page := newPage(doc.Body, doc.LastMod, p.Now(), nil)
	page.slim()
	p.cache.put(key, page)
	return doc.Body, nil
}
