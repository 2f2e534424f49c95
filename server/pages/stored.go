package pages

import (
	"context"
	"fmt"
	"sync"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// save queues a page to be written to the store. If ahead is set, no other page is removed to make room.
func (p *Pages) save(key store.Key, page *Page, ahead bool) {
	if p.store == nil {
		return
	}
	saving := p.store.Saving()
	saved := p.store.SavePage(&store.PageRecord{
		Key:      key,
		Hash:     page.hash,
		Version:  signatureOf(page),
		Modified: page.modified,
		Built:    page.built,
		Expires:  page.expires,
		Body:     page.body,
		Gzipped:  page.gzipped,
		Ahead:    ahead,
	})
	if saved {
		page.saved.Store(uint64(saving))
	}
}

// unsaved reports whether a page must be saved again, because there was no room for it or the store has lost it.
func (p *Pages) unsaved(page *Page) bool {
	return p.store != nil && page.saved.Load() != uint64(p.store.Saving())
}

// signatureOf returns the version under which a page is stored, for other daemons with the same store. It returns "" if these
// daemons must not take the page for current.
func signatureOf(page *Page) string {
	if page.version == 0 || page.behind {
		return ""
	}
	return signature(page.version)
}

// signature adds the version of the program to the version of the page.
func signature(version uint64) string { return fmt.Sprintf("%s %016x", program(), version) }

var program = sync.OnceValue(func() string {
	build := metrics.CurrentBuild()
	return build.Version + " " + build.Revision
})

// fromStore returns the page from the store, or nil. It sets the version of the page only if the page matches the catalog. A page with a
// version may still need revalidation, because the catalog does not see every change.
func (p *Pages) fromStore(s *site.Site, b *site.Blog, key store.Key) *Page {
	if p.store == nil {
		return nil
	}
	saving := p.store.Saving()
	c := p.store.Page(key)
	if c == nil {
		return nil
	}
	page := pageOf(c)
	page.saved.Store(uint64(saving))
	if version := b.Version(key.Name, key.Page); version != 0 && c.Version == signature(version) {
		page.term, page.generation, page.version = s.Term, b.Generation, version
	}
	return page
}

// madeElsewhere returns the page that another process has rendered from an equal catalog, and keeps it in memory. It returns nil
// if there is none.
func (p *Pages) madeElsewhere(s *site.Site, b *site.Blog, key store.Key) *Page {
	if !b.HasFixed(key.Name, key.Page) {
		return nil
	}
	page := p.fromStore(s, b, key)
	if page == nil || page.version == 0 || page.expired(p.Now()) {
		return nil
	}
	p.cache.put(key, page)
	return page
}

// pageOf turns a page of the store into a page in memory.
func pageOf(c *store.PageRecord) *Page {
	page := &Page{body: c.Body, gzipped: c.Gzipped, hash: c.Hash, modified: c.Modified, made: made{built: c.Built, expires: c.Expires}}
	page.slim()
	page.setFields()
	return page
}

// Peek returns the page from memory or the store, or nil. This does not count as a use.
func (p *Pages) Peek(s *site.Site, b *site.Blog, name string, n int) *Page {
	key := KeyOf(s, b, name, n)
	if page := p.cache.peek(key); page != nil {
		return page
	}
	return p.fromStore(s, b, key)
}

// Served returns the page that a visitor would get. If there is a cached page that is not stale, it returns that page without
// counting a use. If the blog cannot be read, it returns a stale page, too. If there is no such page, it calls Get.
func (p *Pages) Served(ctx context.Context, s *site.Site, b *site.Blog, name string, n int) (*Page, error) {
	page := p.Peek(s, b, name, n)
	if page != nil && (b.Err != nil || p.Freshness(b, KeyOf(s, b, name, n), page) != Stale) {
		return page, nil
	}
	a, err := p.Get(ctx, s, b, name, n)
	return a.Page, err
}
