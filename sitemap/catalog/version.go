package catalog

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
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
// changed in place without a trace in the narrow rows: see sitemap.Catalog.Side.

// Fingerprint returns that of a page, 0 where there is no such sitemap. The news change by
// the clock too, see Expires; that is no part of it.
func (c *Catalog) Fingerprint(name string, page int) uint64 {
	switch name {
	case seo.IndexName:
		return c.print
	case TextName, AtomName, RSSName, JoinedName:
		return c.whole
	}
	for _, l := range c.Lists {
		if l.Name == strings.TrimPrefix(name, QueryPrefix) {
			if page >= 1 && page <= len(l.Prints) {
				return l.Prints[page-1]
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
	h := rows.Mix(c.stamped(), same.whole)
	for _, l := range same.Lists {
		h = rows.MixText(h, l.Name)
		for _, date := range l.Dates {
			h = rows.Mix(h, uint64(date))
		}
		for _, links := range [][]FirstLink{l.First, l.After} {
			for _, f := range links {
				for _, a := range f.Alternates {
					h = rows.MixText(rows.MixText(h, a.Language), a.Href)
				}
			}
		}
	}
	return rows.Mix(rows.Mix(h, c.extra), same.print)
}

// Wider reports whether its pages are made of what Fingerprint and Digest know nothing of: translations stand
// anywhere, and only a render finds them.
func (c *Catalog) Wider() bool { return c.Blog.Languages() != nil }

func (c *Catalog) asCommon() *Catalog {
	c.common.once.Do(func() {
		same := New(c.Rules, c.plugin, c.Scheme, c.Dress, c.active)
		same.Lists = make([]*List, len(c.Lists))
		for i, l := range c.Lists {
			l := *l
			l.Changes = 0
			same.Lists[i] = &l
		}
		same.sum(c.stamped(), nil)
		c.common.catalog = same
	})
	return c.common.catalog
}

// stamped returns a number for the settings of the site and the operator.
func (c *Catalog) stamped() uint64 {
	opt := c.Options
	opt.Now, opt.Log = nil, nil
	urls := opt.Exclude.URLs
	opt.Exclude.URLs = nil
	return rows.MixText(c.Blog.Fingerprint(), fmt.Sprintf("%+v %v %T", opt, urls, c.Scheme))
}

// Seal makes the fingerprints of all pages. touched counts the deltas that had to do with a post; extra is a
// number for what pages are made of beside the lists.
func (c *Catalog) Seal(touched map[int64]uint64, extra uint64) {
	stamp := c.stamped()
	if c.Wider() {
		stamp = rows.Mix(stamp, builds.Add(1))
	}
	c.common, c.touched, c.extra = &common{}, touched, extra
	c.sum(stamp, touched)
}

// sum makes the fingerprints. touched counts the deltas that had to do with a post.
func (c *Catalog) sum(stamp uint64, touched map[int64]uint64) {
	c.print, c.whole = stamp, stamp
	for _, l := range c.Lists {
		l.fingerprint(stamp, touched)
		flags := uint64(0)
		if l.Indexed {
			flags |= 1
		}
		if l.Elsewhere {
			flags |= 2
		}
		c.print = rows.Mix(rows.MixText(c.print, l.Name), flags)
		for _, date := range l.Dates {
			c.print = rows.Mix(c.print, uint64(date))
		}
		c.whole = rows.Mix(c.whole, l.whole)
		if l.Timed != nil {
			c.print = rows.Mix(c.print, l.whole)
		}
	}
}

func (l *List) fingerprint(stamp uint64, touched map[int64]uint64) {
	stamp = rows.MixText(rows.Mix(stamp, uint64(l.Changes)), l.Name)
	l.stamp = stamp
	links := func(h uint64, links []FirstLink) uint64 {
		for _, f := range links {
			h = rows.Mix(rows.Mix(rows.MixText(h, f.Loc), uint64(f.LastMod)), uint64(f.PostID))
			h = rows.Mix(h, touched[f.PostID]+touched[f.Object]<<16)
		}
		return h
	}
	add := func(h uint64, e Entry) uint64 { return entryPrint(h, e, touched) }
	if l.Timed != nil { // its pages move with the clock
		l.whole = stamp
		for _, a := range l.Timed.Articles {
			l.whole = rows.Mix(add(l.whole, NewEntry(a.ID, a.LastMod, seo.Listed)), uint64(a.Published))
		}
		l.whole = rows.Mix(l.whole, uint64(l.Timed.Date))
		return
	}
	l.Prints = make([]uint64, len(l.Dates))
	l.whole = stamp
	for i := range l.Prints {
		first, entries, _ := l.Slice(i + 1)
		h := links(stamp, first)
		for _, e := range entries {
			h = add(h, e)
		}
		if i == 0 {
			h = links(h, l.After)
		}
		for _, e := range l.Tail {
			h = add(h, e)
		}
		l.Prints[i] = h
		l.whole = rows.Mix(l.whole, h)
	}
	if len(l.Prints) == 0 || l.Past != PastMissing || !l.Indexed { // pages the index does not name
		for _, e := range l.Entries {
			l.whole = add(l.whole, e)
		}
		l.whole = links(links(l.whole, l.First), l.After)
	}
}

// entryPrint adds what the catalog knows of an entry to a hash.
func entryPrint(h uint64, e Entry, touched map[int64]uint64) uint64 {
	h = rows.Mix(rows.Mix(h, uint64(e.ID)<<8|uint64(e.Verdict)), uint64(e.LastMod()))
	if len(touched) > 0 {
		if n := touched[e.ID]; n > 0 {
			h = rows.Mix(h, n)
		}
	}
	return h
}
