package catalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
)

// builds counts the multilingual catalogs that this process made. Each number makes the fingerprints of
// one catalog unique. The count starts at a random number, so that processes differ.
var builds atomic.Uint64

func init() { builds.Store(rand.Uint64()) }

// A page's fingerprint is a hash of everything that the catalog knows about the contents of the page. All
// processes compute the same value, except on multilingual sites. If a cached page has the same
// fingerprint, only a change that the catalog does not see can make the page out of date.

// Fingerprint returns the fingerprint of a page, or 0 if the sitemap does not exist. It does not
// change if articles enter or leave the news by the clock; see Expires.
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

// stamped returns a hash of the settings of the blog and the operator's options.
func (c *Catalog) stamped() uint64 {
	opt := c.Rules.Options
	opt.Now, opt.Log = nil, nil
	urls := opt.Exclude.URLs
	opt.Exclude.URLs = nil
	return rows.MixText(c.Rules.Blog.Fingerprint(), fmt.Sprintf("%+v %v %T", opt, urls, c.Scheme))
}

// Seal computes the fingerprints of all pages. touched maps a post to the number of deltas that
// involved the post.
func (c *Catalog) Seal(touched map[int64]uint16) {
	stamp := c.stamped()
	if !c.Rules.Blog.Languages().None() { // any page can contain translations, and only rendering finds them
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
	if c.Rules.Blog.Languages().None() {
		c.tag = c.whole
	}
}

func (l *List) fingerprint(stamp uint64, touched map[int64]uint16) {
	stamp = rows.MixText(rows.Mix(stamp, uint64(l.Changes)), l.Name)
	l.whole = stamp
	if l.isTimed() { // its pages change with the clock
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
	if len(l.prints) == 0 || l.Past != PastMissing || !l.Indexed { // pages that the index does not name
		l.whole = l.print(rows.Mix(l.whole, uint64(len(l.Places))), touched)
	}
}

// print mixes every entry of the list into the hash h and returns the result. touched holds by post id how many deltas changed
// the post.
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

// objectPrint mixes what the catalog knows about an object into the hash h.
func objectPrint(h uint64, id, lastmod int64, touched map[int64]uint16) uint64 {
	h = rows.Mix(rows.Mix(h, uint64(id)<<8), uint64(lastmod))
	if n := touched[id]; n > 0 {
		h = rows.Mix(h, uint64(n))
	}
	return h
}
