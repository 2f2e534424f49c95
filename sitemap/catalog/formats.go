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

// The protocol's other formats: every address in plain text, and the latest changes as a feed, Atom or RSS. They are made of
// the same catalog as the sitemaps, so that they hold what those hold: news and videos, whose addresses are in the sitemaps
// of their types too, add nothing.

// The names under which Render knows them, which no post type or taxonomy has.
const (
	TextName = "sitemap.txt"
	AtomName = "sitemap.atom"
	RSSName  = "sitemap.rss"
)

// IsOtherFormat reports whether a name belongs to a sitemap in another format than XML.
func IsOtherFormat(name string) bool { return name == TextName || name == AtomName || name == RSSName }

// textObjects is how many objects a text sitemap holds. The protocol allows 50,000 lines and
// 50 MiB: this many addresses of the longest that may be take less, and there is room for
// the later parts of as many posts.
const textObjects = 25_000

// FeedEntries is how many of the latest changes the feed tells.
const FeedEntries = 500

// LocateBatch is how many objects are read at a time for a text sitemap.
const LocateBatch = 1000

// Everything returns the lists that hold every address.
func (c *Catalog) Everything() []*List {
	return slices.DeleteFunc(c.Current(), func(l *List) bool { return !l.Indexed || l.Elsewhere != "" || l.Repeats() })
}

// entriesOf yields what some lists list.
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

// OtherFiles returns the files in other formats than XML, none unless they are wanted. The
// index does not name them.
func (c *Catalog) OtherFiles() []File {
	opt := &c.Options
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

// objects returns the objects among entries, by their lists.
func objects(entries []Entry) map[*List][]Entry {
	objects := map[*List][]Entry{}
	for _, e := range entries {
		if id, ok := e.Object(); ok {
			objects[e.List] = append(objects[e.List], Entry{ID: id, LastMod: e.LastMod})
		}
	}
	return objects
}

// addresses reads the addresses of entries, a post's later parts behind its own; none of what has gone.
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

// renderText writes a text sitemap, an address a line: those of textObjects objects, in the order of the index. It costs the
// queries for addresses once for every LocateBatch objects of a type.
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
		return nil, ErrNotFound
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
		c.Options.Log.Warn("text sitemap is not complete", "home", c.Blog.Home(), "sitemap", textFilename(page), "invalid_or_too_many_urls", doc.LeftOut)
	}
	return doc, nil
}

// changes are what a feed tells, the newest first and ties in the order of the index. The plugin's own RSS tells of posts alone.
func (c *Catalog) changes(feed string) []Entry {
	lists, most := c.Everything(), FeedEntries
	if feed == RSSName && c.Options.OwnRSS > 0 {
		lists = slices.DeleteFunc(lists, func(l *List) bool { return l.Kind != seo.KindPost })
		most = min(c.Options.OwnRSS, FeedEntries)
	}
	return latest(lists, most)
}

// latest returns the newest entries with a date.
func latest(lists []*List, n int) []Entry {
	var newest []Entry
	cut := func() {
		slices.SortStableFunc(newest, func(a, b Entry) int { return cmp.Compare(b.LastMod, a.LastMod) })
		newest = newest[:min(len(newest), n)]
	}
	bar := wp.NoTime // what is older is not among them
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

// siteTitle is the name of the blog, else its host.
func (c *Catalog) siteTitle() string {
	return cmp.Or(formatting.PlainText(c.Blog.Settings().Title), weburl.HostOf(c.Blog.Home()))
}

// titles reads the titles of entries, in plain text: those of objects, and of pages at whose addresses archives are. Others have
// none.
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

// titleOf is the title of an address of which the database has none: of home that of the site, else the end of its path as words.
func (c *Catalog) titleOf(loc string) string {
	path := strings.Trim(strings.TrimPrefix(loc, c.Blog.Home()), "/")
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

// renderFeed writes a feed of the latest changes. It costs the queries for addresses and one for titles, for every type
// among them.
func (c *Catalog) renderFeed(ctx context.Context, self string, page int, format *urlset.FeedFormat) (*Document, error) {
	changes := c.changes(self)
	if page != 1 || len(changes) == 0 {
		return nil, ErrNotFound
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
	written := map[string]bool{} // as their ids must differ
	for i := range changes {
		if len(locs[i]) == 0 || written[locs[i][0]] { // gone since the catalog was built, or home of two lists
			continue
		}
		e := urlset.FeedEntry{Loc: locs[i][0], Title: titles[i], Updated: changes[i].LastMod}
		if _, is := changes[i].Object(); e.Title == "" && is {
			e.Title = e.Loc
		} else if e.Title == "" {
			e.Title = c.titleOf(e.Loc)
		}
		written[e.Loc] = true
		entries = append(entries, e)
	}
	body, refused := format.Write(c.Dress.Encoding, urlset.Feed{
		Self: c.BaseURL(self), Home: c.Links.HomeURL(), Updated: changes[0].LastMod,
		Title: c.siteTitle(),
	}, entries)
	if refused > 0 {
		c.Options.Log.Warn("feed is not complete", "home", c.Blog.Home(), "sitemap", self, "invalid_urls", refused)
	}
	return &Document{Body: body, LastMod: toTime(changes[0].LastMod), Entries: len(entries) - refused}, nil
}
