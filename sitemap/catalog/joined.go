package catalog

import (
	"context"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// A plugin may have one sitemap of everything, at the address that its index would have. The lists that it is made of have no
// files of their own then. News and videos, which add no address, keep theirs.

// JoinedName is the name under which Render knows the sitemap of everything, which no post type or taxonomy has.
const JoinedName = "sitemap.xml"

// Join makes one sitemap of everything, unless there is nothing to list or more than the protocol allows in one file: then
// there is an index. Half of the places are kept for later parts of posts, where these are listed.
func (c *Catalog) Join() {
	most, objects := urlset.MaxEntries, 0
	for _, l := range c.Everything() {
		objects += l.Listed()
		if l.Parts {
			most = urlset.MaxEntries / 2
		}
	}
	c.joined = 0 < objects && objects <= most
}

// joins reports whether a list has no file of its own, as what it lists is in the sitemap of everything.
func (c *Catalog) joins(l *List) bool {
	return c.joined && l.Elsewhere == "" && l.Timed == nil && !(l.Repeats() && l.Indexed)
}

// Place returns where a page of a list is served: by its own name and number, or in the sitemap of everything.
func (c *Catalog) Place(l *List, page int) (string, int) {
	if c.joins(l) {
		return JoinedName, 1
	}
	return l.Name, page
}

// joinedFile is the sitemap of everything.
func (c *Catalog) joinedFile() File {
	name := c.Filename(JoinedName, 1)
	f := File{Name: JoinedName, Page: 1, Filename: name, URL: c.BaseURL(name)}
	newest := wp.NoTime
	for it := range items(c.Everything()) {
		f.Entries++
		f.Parted = f.Parted || it.List.Parts
		newest = max(newest, it.LastMod())
	}
	f.LastMod = toTime(known(newest))
	return f
}

func (c *Catalog) renderJoined(ctx context.Context) (*Document, error) {
	lists := c.Everything()
	s := c.sheet(extensionsOf(lists), nil)
	for _, l := range lists {
		if err := s.render(ctx, l, l); err != nil {
			return nil, err
		}
	}
	return c.document(s, c.Filename(JoinedName, 1)), nil
}
