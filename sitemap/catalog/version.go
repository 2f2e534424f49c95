package catalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
)

// builds counts catalogs whose pages cannot be told apart by what they are made of. It begins at a number that no other
// process has.
var builds atomic.Uint64

func init() { builds.Store(rand.Uint64()) }

// A page's fingerprint is a hash of everything its bytes are made of, as far as the catalog knows, equal in every process: a
// cached page with the same fingerprint is good. A change without a trace in the narrow rows it misses.

// Fingerprint returns the fingerprint of a page, 0 for no such sitemap. That news come and go by the clock, see Expires, does
// not change it.
func (c *Catalog) Fingerprint(name string, page int) uint64 {
	switch name {
	case seo.IndexName:
		return c.print
	case TextName, AtomName, RSSName:
		return c.whole
	}
	for _, l := range c.Lists {
		if l.Name == strings.TrimPrefix(name, QueryPrefix) {
			if page >= 1 && page <= len(l.prints) {
				return l.prints[page-1]
			}
			return l.whole
		}
	}
	return 0
}

// stamped returns a hash of the settings of the blog and of the operator.
func (c *Catalog) stamped() uint64 {
	opt := c.Options
	opt.Now, opt.Log = nil, nil
	urls := opt.Exclude.URLs
	opt.Exclude.URLs = nil
	return rows.MixText(c.Blog.Fingerprint(), fmt.Sprintf("%+v %v %T", opt, urls, c.Scheme))
}

// Seal makes the fingerprints of all pages. touched counts the deltas that had to do with a post.
func (c *Catalog) Seal(touched map[int64]uint16) {
	stamp := c.stamped()
	if !c.Blog.Languages().None() { // translations stand anywhere, and only a render finds them
		stamp = rows.Mix(stamp, builds.Add(1))
	}
	c.print, c.whole = stamp, stamp
	for _, l := range c.Lists {
		l.fingerprint(stamp, touched)
		flags := uint64(0)
		if l.Indexed {
			flags |= 1
		}
		if l.Elsewhere != "" {
			flags |= 2
		}
		c.print = rows.Mix(rows.MixText(c.print, l.Name), flags)
		for _, date := range l.Dates {
			c.print = rows.Mix(c.print, uint64(date))
		}
		c.whole = rows.Mix(c.whole, l.whole)
	}
	c.print = rows.Mix(c.print, c.whole)
	if c.Blog.Languages().None() {
		c.tag = c.whole
	}
}

func (l *List) fingerprint(stamp uint64, touched map[int64]uint16) {
	stamp = rows.MixText(rows.Mix(stamp, uint64(l.Changes)), l.Name)
	l.whole = stamp
	if l.isTimed() { // its pages move with the clock
		for _, a := range l.articles() {
			l.whole = rows.Mix(objectPrint(l.whole, a.ID, a.LastMod, touched), uint64(a.Published))
		}
		if of, ok := l.Content.(OfRows); ok {
			l.whole = rows.Mix(l.whole, uint64(of.IndexDate()))
		}
		return
	}
	l.prints = make([]uint64, len(l.Dates))
	for i := range l.prints {
		on, _ := l.page(i + 1)
		h := on.print(stamp, touched)
		l.prints[i] = h
		l.whole = rows.Mix(l.whole, h)
	}
	if len(l.prints) == 0 || l.Past != PastMissing || !l.Indexed { // pages the index does not name
		l.whole = l.print(rows.Mix(l.whole, uint64(len(l.Places))), touched)
	}
}

// print adds what the catalog knows of Entries to a hash.
func (l *List) print(h uint64, touched map[int64]uint16) uint64 {
	for e := range l.Entries() {
		if f := e.Link; f != nil {
			h = rows.Mix(rows.Mix(rows.MixText(h, f.Loc), uint64(f.LastMod)), uint64(f.PostID))
			h = rows.Mix(h, uint64(touched[f.PostID])+uint64(touched[f.Object])<<16)
		} else {
			h = objectPrint(h, e.ID, e.LastMod, touched)
		}
	}
	return h
}

// objectPrint adds what the catalog knows of an object to a hash.
func objectPrint(h uint64, id, lastmod int64, touched map[int64]uint16) uint64 {
	h = rows.Mix(rows.Mix(h, uint64(id)<<8), uint64(lastmod))
	if n := touched[id]; n > 0 {
		h = rows.Mix(h, uint64(n))
	}
	return h
}
