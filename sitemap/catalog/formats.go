package catalog

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/weburl"
)

// This file renders the other formats of the sitemap protocol. One is plain text with all addresses.
// The other is a feed (Atom or RSS) of the latest changes.
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

// textObjects is the number of objects on a page of a text sitemap. The protocol allows 50,000 lines
// and 50 MiB. Even with the longest addresses this number stays below the limit and leaves room for
// later parts of posts.
const textObjects = 25_000

// FeedEntries is the maximum number of changes in a feed.
const FeedEntries = 500

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

func textFilename(page int) string {
	if page == 1 {
		return TextName
	}
	return "sitemap" + strconv.Itoa(page) + ".txt"
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

// renderText renders one page of a text sitemap: one address a line, in the order of the index. A page
// holds textObjects objects. Each batch of LocateBatch objects of a type costs one set of queries.
func (c *Catalog) renderText(ctx context.Context, page int) (*Document, error) {
	var on []Entry
	seen := 0
	for e := range entriesOf(c.Everything()) {
		if seen/textObjects == page-1 {
			on = append(on, e)
		}
		seen++
	}
	if len(on) == 0 {
		return nil, cmp.Or(c.withheld(), ErrNotFound)
	}
	locs, err := addresses(ctx, on)
	if err != nil {
		return nil, err
	}
	doc, newest := &Document{}, wp.NoTime
	for i := range on {
		for part, loc := range locs[i] {
			line, ok := c.Dress.Encoding.AppendPlain(doc.Body, loc)
			if !ok || len(line) >= urlset.MaxBytes || doc.Entries == urlset.MaxEntries {
				doc.LeftOut++
				continue
			}
			doc.Body = append(line, '\n')
			doc.Entries++
			doc.Parts += min(part, 1)
			newest = max(newest, known(on[i].LastMod))
		}
	}
	doc.LastMod = toTime(newest)
	if doc.LeftOut > 0 {
		c.Rules.Options.Log.Warn("text sitemap is not complete", "home", c.Rules.Blog.Home(), "sitemap", textFilename(page),
			"invalid_or_too_many_urls", doc.LeftOut)
	}
	return doc, nil
}

// changes returns the entries of a feed, the newest first; entries with equal dates stay in index
// order. If the plugin has an RSS feed of its own, the RSS feed contains posts only.
func (c *Catalog) changes(feed string) []Entry {
	lists, most := c.Everything(), FeedEntries
	if feed == RSSName && c.Rules.Options.OwnRSS > 0 {
		lists = slices.DeleteFunc(lists, func(l *List) bool { return l.Kind != seo.KindPost })
		most = min(c.Rules.Options.OwnRSS, FeedEntries)
	}
	return latest(lists, most)
}

// latest returns the n newest entries. It skips entries without a date.
func latest(lists []*List, n int) []Entry {
	var newest []Entry
	cut := func() {
		slices.SortStableFunc(newest, func(a, b Entry) int { return cmp.Compare(b.LastMod, a.LastMod) })
		newest = newest[:min(len(newest), n)]
	}
	bar := wp.NoTime // entries that are not newer than bar cannot be in the result
	for e := range entriesOf(lists) {
		if known(e.LastMod) <= bar {
			continue
		}
		if newest = append(newest, e); len(newest) == 4*n {
			cut()
			bar = newest[n-1].LastMod
		}
	}
	cut()
	return newest
}

// siteTitle returns the name of the blog in plain text. If the blog has no name, siteTitle returns the
// host.
func (c *Catalog) siteTitle() string {
	return cmp.Or(formatting.PlainText(c.Rules.Blog.Settings().Title), weburl.HostOf(c.Rules.Blog.Home()))
}

// titles returns the titles of entries in plain text. Objects have titles. An archive has the title of the
// page at its address. An entry without an object and without a page gets "".
func (c *Catalog) titles(ctx context.Context, entries []Entry) ([]string, error) {
	ids := map[*List][]int64{}
	titled := func(e *Entry) int64 {
		if e.Link != nil {
			return cmp.Or(e.Link.PostID, e.Link.Object)
		}
		return e.ID
	}
	for i := range entries {
		if id, l := titled(&entries[i]), entries[i].List; id != 0 {
			ids[l] = append(ids[l], id)
		}
	}
	found := map[*List]map[int64]string{}
	for l, ids := range ids {
		if own, ok := l.Content.(Own); ok {
			var err error
			if found[l], err = own.Titles(ctx, ids); err != nil {
				return nil, err
			}
		}
	}
	titles := make([]string, len(entries))
	for i := range entries {
		titles[i] = formatting.PlainText(found[entries[i].List][titled(&entries[i])])
	}
	return titles, nil
}

// titleOf returns a title for an address without a title in the database. For home it is the site
// title; for other addresses it is the last path segment as words.
func (c *Catalog) titleOf(loc string) string {
	path := strings.Trim(strings.TrimPrefix(loc, c.Rules.Blog.Home()), "/")
	if path == "" {
		return c.siteTitle()
	}
	words := strings.ReplaceAll(php.RawURLDecode(path[strings.LastIndexByte(path, '/')+1:]), "-", " ")
	first, n := utf8.DecodeRuneInString(words)
	if strings.Contains(path, "?") || first == utf8.RuneError || !unicode.IsLetter(first) {
		return loc
	}
	return string(unicode.ToUpper(first)) + words[n:]
}

// renderFeed renders a feed of the latest changes. For each type in the feed it runs the address
// queries and one title query.
func (c *Catalog) renderFeed(ctx context.Context, self string, page int, format *urlset.FeedFormat) (*Document, error) {
	changes := c.changes(self)
	switch {
	case page != 1:
		return nil, ErrNotFound
	case len(changes) == 0:
		return nil, cmp.Or(c.withheld(), ErrNotFound)
	}
	locs, err := addresses(ctx, changes)
	if err != nil {
		return nil, err
	}
	titles, err := c.titles(ctx, changes)
	if err != nil {
		return nil, err
	}
	var entries []urlset.FeedEntry
	written := map[string]bool{} // addresses written so far, because feed ids must be unique
	for i := range changes {
		if len(locs[i]) == 0 || written[locs[i][0]] { // the object no longer exists, or another entry has the same address
			continue
		}
		e := urlset.FeedEntry{Loc: locs[i][0], Title: titles[i], Updated: changes[i].LastMod}
		if _, object := changes[i].Object(); e.Title == "" && object {
			e.Title = e.Loc
		} else if e.Title == "" {
			e.Title = c.titleOf(e.Loc)
		}
		written[e.Loc] = true
		entries = append(entries, e)
	}
	body, refused := format.Write(c.Dress.Encoding, urlset.Feed{
		Self: c.BaseURL(self), Home: c.Rules.Links.HomeURL(), Updated: changes[0].LastMod,
		Title: c.siteTitle(),
	}, entries)
	if refused > 0 {
		c.Rules.Options.Log.Warn("feed is not complete", "home", c.Rules.Blog.Home(), "sitemap", self, "invalid_urls", refused)
	}
	return &Document{Body: body, LastMod: toTime(changes[0].LastMod), Entries: len(entries) - refused}, nil
}
