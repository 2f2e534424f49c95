package sitemap

import (
	"fmt"
	"sync/atomic"
)

// builds counts catalogs whose pages cannot be told apart by what they are made of.
var builds atomic.Uint64

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
		if l.name == name || len(name) > len(asked) && name[:len(asked)] == asked && l.name == name[len(asked):] {
			if page >= 1 && page <= len(l.prints) {
				return l.prints[page-1]
			}
			return l.whole
		}
	}
	return 0
}

// Side is a number for what the catalog is not made of but its pages may be, as far as a build
// looks at it: the attachments that are not listed, whose files are images of posts. Only with Keep.
func (c *Catalog) Side() uint64 { return c.side }

// stamped returns a number for the settings of the site and the operator.
func (c *Catalog) stamped() uint64 {
	opt := c.opt
	opt.Now, opt.Log, opt.Before = nil, nil, nil
	urls := opt.Exclude.URLs
	opt.Exclude.URLs = nil
	return mixText(c.site.Fingerprint(), fmt.Sprintf("%+v %v %v", opt, urls, c.core))
}

// fingerprint makes the fingerprints of all pages.
func (b *build) fingerprint() {
	c := b.Catalog
	stamp := c.stamped()
	if c.site.Languages() != nil { // pages name translations, which stand anywhere
		stamp = mix(stamp, builds.Add(1))
	}
	c.print, c.whole = stamp, stamp
	touched := map[int64]uint64{}
	for _, rows := range b.posts {
		for i := range rows {
			if n := rows[i].touched; n > 0 {
				touched[rows[i].id] = uint64(n)
			}
		}
	}
	for _, l := range c.lists {
		l.fingerprint(c, stamp, touched)
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
		if l.news != nil {
			c.print = mix(c.print, l.whole)
		}
	}
}

func (l *list) fingerprint(c *Catalog, stamp uint64, touched map[int64]uint64) {
	stamp = mixText(mix(stamp, uint64(l.changes)), l.name)
	links := func(h uint64, links []firstLink) uint64 {
		for _, f := range links {
			h = mix(mix(mixText(h, f.loc), uint64(f.lastmod)), uint64(f.postID))
			h = mix(h, touched[f.postID]+touched[f.object]<<16)
		}
		return h
	}
	add := func(h uint64, e entry) uint64 {
		h = mix(mix(h, uint64(e.id)<<8|uint64(e.rule)), uint64(e.lastmod))
		if len(touched) > 0 {
			if n := touched[e.id]; n > 0 {
				h = mix(h, n)
			}
		}
		return h
	}
	if l.news != nil { // its pages move with the clock
		l.whole = stamp
		for _, a := range l.news.articles {
			l.whole = mix(add(l.whole, entry{a.id, a.lastmod, Listed}), uint64(a.published))
		}
		l.whole = mix(l.whole, uint64(l.news.date))
		return
	}
	l.prints = make([]uint64, len(l.dates))
	l.whole = stamp
	for i := range l.prints {
		first, entries, _ := c.slice(l, i+1)
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

// Due returns the next moment at which a scheduled post is to be published: WordPress will
// change its row then, or later. Zero is never.
func (c *Catalog) Due() (unix int64, ok bool) {
	if c.kept == nil || c.kept.due == noDue {
		return 0, false
	}
	return c.kept.due, true
}
