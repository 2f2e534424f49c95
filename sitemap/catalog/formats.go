package catalog

import (
	"context"
	"iter"
	"slices"

	"wpsitemapd/sitemap/seo"
)

// The sitemap protocol has other formats than XML: plain text with all addresses (text.go), and a feed (Atom or RSS) of the latest
// changes (feed.go). This file has what both need.
//
// Both come from the lists of the XML sitemaps. News and videos are skipped, because the sitemaps of
// their types have the same addresses.

// Render knows the other formats by these names. No post type or taxonomy can have such a name.
const (
	TextName = "sitemap.txt"
	AtomName = "sitemap.atom"
	RSSName  = "sitemap.rss"
)

// IsOtherFormat reports whether name belongs to a sitemap in another format than XML.
func IsOtherFormat(name string) bool { return name == TextName || name == AtomName || name == RSSName }

// LocateBatch is the number of objects whose addresses are read at a time.
const LocateBatch = 1000

// Everything returns the indexed lists that together contain every address once.
func (c *Catalog) Everything() []*List {
	return slices.DeleteFunc(c.Current(), func(l *List) bool { return !l.Indexed || l.Elsewhere != "" || l.Repeats() })
}

// entriesOf yields the entries of all lists, one list after the other.
func entriesOf(lists []*List) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, l := range lists {
			for e := range l.Entries() {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// OtherFiles returns the files in other formats than XML. It returns nil if none is enabled. The index
// does not name these files.
func (c *Catalog) OtherFiles() []File {
	opt := &c.Rules.Options
	if !c.Active() || !opt.Text && !opt.Atom && !opt.RSS {
		return nil
	}
	var files []File
	lists := c.Everything()
	if opt.Text {
		objects, parted := 0, slices.ContainsFunc(lists, func(l *List) bool { return l.Parts })
		for range entriesOf(lists) {
			objects++
		}
		for page := 1; (page-1)*textObjects < objects; page++ {
			name := textFilename(page)
			files = append(files, File{
				Name: TextName, Page: page, Filename: name, URL: c.BaseURL(name), Entries: min(textObjects, objects-(page-1)*textObjects), Parted: parted,
			})
		}
	}
	for _, f := range []struct {
		name   string
		wanted bool
	}{{AtomName, opt.Atom}, {RSSName, opt.RSS}} {
		if !f.wanted {
			continue
		}
		if changes := c.changes(f.name); len(changes) > 0 {
			newest := toTime(changes[0].LastMod)
			files = append(files, File{Name: f.name, Page: 1, Filename: f.name, URL: c.BaseURL(f.name), LastMod: newest, Entries: len(changes)})
		}
	}
	return files
}

// objects groups the objects among entries by list. It skips entries that are only addresses.
func objects(entries []Entry) map[*List]Places {
	objects := map[*List]Places{}
	for _, e := range entries {
		if id, ok := e.Object(); ok {
			objects[e.List] = append(objects[e.List], NewPlace(id, e.LastMod, seo.Listed))
		}
	}
	return objects
}

// addresses returns the addresses of each entry. A post has its own address, followed by the addresses of its later
// parts. An object that no longer exists has none.
func addresses(ctx context.Context, entries []Entry) ([][]string, error) {
	found := map[*List]map[int64][]string{}
	for l, of := range objects(entries) {
		found[l] = make(map[int64][]string, len(of))
		for batch := range slices.Chunk(of, LocateBatch) {
			located, err := l.Locate(ctx, batch)
			if err != nil {
				return nil, err
			}
			for _, u := range located.URLs {
				found[l][u.Object] = append(found[l][u.Object], u.Loc)
			}
		}
	}
	all := make([][]string, len(entries))
	for i := range entries {
		if id, ok := entries[i].Object(); ok {
			all[i] = found[entries[i].List][id]
		} else {
			all[i] = []string{entries[i].Link.Loc}
		}
	}
	return all, nil
}
