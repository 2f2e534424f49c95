package sitemap

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// builds counts catalogs whose pages cannot be told apart by what they are made of.
var builds atomic.Uint64

// common are the fingerprints of a catalog without what only this process has counted. They are made
// when somebody asks.
type common struct {
	once    sync.Once
	catalog *Catalog
}

// A page's fingerprint is a number for everything its bytes are made of, as far as the catalog
// knows it: a copy with the same fingerprint is good. What it does not know is what was
// changed in place without a trace in the narrow rows: see Side.

// Fingerprint returns that of a page, 0 where there is no such sitemap. The news change by
// the clock too, see Expires; that is no part of it.
func (c *Catalog) Fingerprint(name string, page int) uint64 {
	switch name {
	case IndexName:
		return c.print
	case TextName, AtomName:
		return c.whole
	}
	for _, l := range c.lists {
		if l.name == strings.TrimPrefix(name, queryPrefix) {
			if page >= 1 && page <= len(l.prints) {
				return l.prints[page-1]
			}
			return l.whole
		}
	}
	return 0
}

// Common is Fingerprint as every process gives it that knows the same of the site, however it came to
// know. It does not tell what was changed in place: a page with the same number may have been rendered before that.
func (c *Catalog) Common(name string, page int) uint64 {
	return c.asCommon().Fingerprint(name, page)
}

// Digest is a number for all that a build finds, but for Side, the same in every process that has
// found the same.
func (c *Catalog) Digest() uint64 {
	same := c.asCommon()
	h := mix(c.stamped(), same.whole)
	for _, l := range same.lists {
		h = mixText(h, l.name)
		for _, date := range l.dates {
			h = mix(h, uint64(date))
		}
		for _, links := range [][]firstLink{l.first, l.after} {
			for _, f := range links {
				for _, a := range f.alternates {
					h = mixText(mixText(h, a.Language), a.Href)
				}
			}
		}
	}
	return mix(mix(h, c.extra), same.print)
}

// Wider reports whether its pages are made of what Fingerprint and Digest know nothing of: translations stand
// anywhere, and only a render finds them.
func (c *Catalog) Wider() bool { return c.site.Languages() != nil }

func (c *Catalog) asCommon() *Catalog {
	c.common.once.Do(func() {
		same := NewCatalog(c.Rules, c.plugin, c.urls, c.dress, c.active)
		same.lists = make([]*list, len(c.lists))
		for i, l := range c.lists {
			l := *l
			l.changes = 0
			same.lists[i] = &l
		}
		same.sum(c.stamped(), nil)
		c.common.catalog = same
	})
	return c.common.catalog
}

// stamped returns a number for the settings of the site and the operator.
func (c *Catalog) stamped() uint64 {
	opt := c.opt
	opt.Now, opt.Log = nil, nil
	urls := opt.Exclude.URLs
	opt.Exclude.URLs = nil
	return mixText(c.site.Fingerprint(), fmt.Sprintf("%+v %v %T", opt, urls, c.urls))
}

// fingerprint makes the fingerprints of all pages. touched counts the deltas that had to do with a post; extra is a
// number for what pages are made of beside the lists.
func (c *Catalog) fingerprint(touched map[int64]uint64, extra uint64) {
	stamp := c.stamped()
	if c.Wider() {
		stamp = mix(stamp, builds.Add(1))
	}
	c.common, c.touched, c.extra = &common{}, touched, extra
	c.sum(stamp, touched)
}

// sum makes the fingerprints. touched counts the deltas that had to do with a post.
func (c *Catalog) sum(stamp uint64, touched map[int64]uint64) {
	c.print, c.whole = stamp, stamp
	for _, l := range c.lists {
		l.fingerprint(stamp, touched)
		flags := uint64(0)
		if l.indexed {
			flags |= 1
		}
		if l.elsewhere {
			flags |= 2
		}
		c.print = mix(mixText(c.print, l.name), flags)
		for _, date := range l.dates {
			c.print = mix(c.print, uint64(date))
		}
		c.whole = mix(c.whole, l.whole)
		if l.timed != nil {
			c.print = mix(c.print, l.whole)
		}
	}
}

func (l *list) fingerprint(stamp uint64, touched map[int64]uint64) {
	stamp = mixText(mix(stamp, uint64(l.changes)), l.name)
	l.stamp = stamp
	links := func(h uint64, links []firstLink) uint64 {
		for _, f := range links {
			h = mix(mix(mixText(h, f.loc), uint64(f.lastmod)), uint64(f.postID))
			h = mix(h, touched[f.postID]+touched[f.object]<<16)
		}
		return h
	}
	add := func(h uint64, e entry) uint64 { return entryPrint(h, e, touched) }
	if l.timed != nil { // its pages move with the clock
		l.whole = stamp
		for _, a := range l.timed.articles {
			l.whole = mix(add(l.whole, newEntry(a.id, a.lastmod, Listed)), uint64(a.published))
		}
		l.whole = mix(l.whole, uint64(l.timed.date))
		return
	}
	l.prints = make([]uint64, len(l.dates))
	l.whole = stamp
	for i := range l.prints {
		first, entries, _ := l.slice(i + 1)
		h := links(stamp, first)
		for _, e := range entries {
			h = add(h, e)
		}
		if i == 0 {
			h = links(h, l.after)
		}
		for _, e := range l.tail {
			h = add(h, e)
		}
		l.prints[i] = h
		l.whole = mix(l.whole, h)
	}
	if len(l.prints) == 0 || l.past != pastMissing || !l.indexed { // pages the index does not name
		for _, e := range l.entries {
			l.whole = add(l.whole, e)
		}
		l.whole = links(links(l.whole, l.first), l.after)
	}
}

// entryPrint adds what the catalog knows of an entry to a hash.
func entryPrint(h uint64, e entry, touched map[int64]uint64) uint64 {
	h = mix(mix(h, uint64(e.id)<<8|uint64(e.rule)), uint64(e.lastmod()))
	if len(touched) > 0 {
		if n := touched[e.id]; n > 0 {
			h = mix(h, n)
		}
	}
	return h
}
