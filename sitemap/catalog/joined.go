package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// A plugin may have one sitemap of everything, at the address that its index would have. The lists that it is made of have no
// files of their own then. News and videos, which add no address, keep theirs.

// JoinedName is the name under which Render knows the sitemap of everything, which no post type or taxonomy has.
const JoinedName = "sitemap.xml"

// Joined is an address or an object of the sitemap of everything.
type Joined struct {
	List  *List
	Link  *FirstLink // nil: Entry
	Entry Entry
}

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

// items returns the entries of the sitemap of everything, in the order of the index.
func (c *Catalog) items() []Joined {
	var items []Joined
	for _, l := range c.Everything() {
		for i := range l.First {
			items = append(items, Joined{List: l, Link: &l.First[i]})
		}
		for _, e := range slices.Concat(ListedEntries(l.Entries), l.Tail) {
			items = append(items, Joined{List: l, Entry: e})
		}
		for i := range l.After {
			items = append(items, Joined{List: l, Link: &l.After[i]})
		}
	}
	return items
}

// joinedFile is the sitemap of everything.
func (c *Catalog) joinedFile() File {
	name := c.Filename(JoinedName, 1)
	f := File{Name: JoinedName, Page: 1, Filename: name, URL: c.BaseURL(name)}
	newest := wp.NoTime
	for _, l := range c.Everything() {
		f.Entries += l.Listed()
		f.Parted = f.Parted || l.Parts
		newest = max(newest, l.NewestListed())
		for _, links := range [][]FirstLink{l.First, l.After} {
			for i := range links {
				newest = max(newest, links[i].LastMod)
			}
		}
	}
	f.LastMod = toTime(known(newest))
	return f
}

// renderJoined writes the sitemap of everything. It costs what the pages of its lists would.
func (c *Catalog) renderJoined(ctx context.Context, earlier Earlier) (*Document, error) {
	items := c.items()
	s := c.joinedSheet(items)
	prints, taken := make([]uint64, len(items)), earlier.takes()
	missing := map[*List][]Entry{}
	for i := range items {
		it := &items[i]
		if it.Link != nil {
			continue // it is made of more than its print would tell
		}
		prints[i] = rows.Mix(entryPrint(it.List.stamp, it.Entry, c.touched), uint64(s.Extensions))
		if _, ok := taken[prints[i]]; !ok {
			missing[it.List] = append(missing[it.List], it.Entry)
		}
	}
	made, behind, err := renderLists(ctx, missing)
	if err != nil {
		return nil, err
	}
	s.pieces = &Pieces{prints: prints, ends: make([]uint32, len(items)), start: uint32(len(s.Bytes()))}
	for i := range items {
		it := &items[i]
		s.Hints = it.List.Hints
		piece, ok := taken[prints[i]]
		switch {
		case it.Link != nil:
			var front Rendered
			if front, err = it.List.frontURLs(ctx, []FirstLink{*it.Link}); err == nil {
				behind = behind || front.Behind
				err = s.add(front.URLs...)
			}
		case ok:
			err = s.take(it.Entry, piece)
		default:
			err = s.add(made[it.List][it.Entry.ID]...)
		}
		if errors.Is(err, urlset.ErrFull) && s.taken > 0 {
			return c.renderJoined(ctx, Earlier{})
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Filename(JoinedName, 1), err)
		}
		s.pieces.ends[i] = uint32(len(s.Bytes()))
	}
	return c.document(s, c.Filename(JoinedName, 1), behind, true), nil
}

// joinedSheet is a sheet with the extensions of all lists.
func (c *Catalog) joinedSheet(items []Joined) *sheet {
	extensions := urlset.Extensions(0)
	for i := range items {
		if e := items[i].List.Extensions; e != urlset.Bare {
			extensions |= cmp.Or(e, urlset.Images)
		}
	}
	extensions = cmp.Or(extensions, urlset.Bare)
	return &sheet{Writer: c.Writer(urlset.URLSet, extensions), newest: wp.NoTime}
}

// renderLists renders entries of several lists. It returns the addresses of each object.
func renderLists(ctx context.Context, entries map[*List][]Entry) (made map[*List]map[int64][]urlset.URL, behind bool, err error) {
	made = map[*List]map[int64][]urlset.URL{}
	for l, entries := range entries {
		r, err := l.Render(ctx, entries)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", l.Name, err)
		}
		of := make(map[int64][]urlset.URL, len(entries))
		for _, u := range r.URLs {
			of[u.Object] = append(of[u.Object], u)
		}
		made[l], behind = of, behind || r.Behind
	}
	return made, behind, nil
}
