package catalog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
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

// OtherFiles returns the files in other formats than XML, none unless they are wanted. The
// index does not name them.
func (c *Catalog) OtherFiles() []File {
	if !c.Active() || !c.Options.Text && !c.Options.Atom && !c.Options.RSS {
		return nil
	}
	var files []File
	lists := c.Everything()
	objects, _, _ := totals(lists)
	if c.Options.Text {
		for page := 1; (page-1)*textObjects < objects; page++ {
			name := textFilename(page)
			files = append(files, File{
				Name: TextName, Page: page, Filename: name, URL: c.BaseURL(name),
				Entries: min(textObjects, objects-(page-1)*textObjects), Parted: slices.ContainsFunc(lists, hasParts),
			})
		}
	}
	for _, f := range []struct {
		name   string
		wanted bool
	}{{AtomName, c.Options.Atom}, {RSSName, c.Options.RSS}} {
		if !f.wanted {
			continue
		}
		told, most := c.feedOf(f.name)
		if _, dated, newest := totals(told); dated > 0 {
			files = append(files, File{
				Name: f.name, Page: 1, Filename: f.name, URL: c.BaseURL(f.name), LastMod: toTime(newest), Entries: min(most, dated),
			})
		}
	}
	return files
}

// hasParts reports whether later parts of posts may be on a list.
func hasParts(l *List) bool { return l.Parts }

// totals counts the objects of lists and those with a date, of which it returns the newest.
func totals(lists []*List) (objects, dated int, newest int64) {
	newest = wp.NoTime
	for _, l := range lists {
		for o := range l.Objects() {
			objects++
			if o.LastMod() != wp.NoTime {
				dated++
			}
			newest = max(newest, o.LastMod())
		}
	}
	return objects, dated, newest
}

// feedOf returns the lists whose latest changes a feed tells, and how many it tells at most.
func (c *Catalog) feedOf(name string) (lists []*List, most int) {
	lists = c.Everything()
	if name != RSSName || c.Options.OwnRSS == 0 {
		return lists, FeedEntries
	}
	return slices.DeleteFunc(lists, func(l *List) bool { return l.Kind != seo.KindPost }), min(c.Options.OwnRSS, FeedEntries)
}

func textFilename(page int) string {
	if page == 1 {
		return TextName
	}
	return "sitemap" + strconv.Itoa(page) + ".txt"
}

// renderText writes a text sitemap: the addresses of textObjects objects, in the order of
// the index. It costs the queries for addresses once for every locateBatch objects of a type.
func (c *Catalog) renderText(ctx context.Context, page int) (*Document, error) {
	w := urlset.Text{Encoding: c.Dress.Encoding}
	newest := wp.NoTime
	seen, left, parts := 0, 0, 0
	var batch []object
	flush := func(l *List) error {
		defer func() { batch = batch[:0] }()
		of, err := l.locations(ctx, batch)
		if err != nil {
			return err
		}
		for _, o := range batch {
			locs := of[o.ID]
			if o.Loc != "" {
				locs = []string{o.Loc}
			}
			for i, loc := range locs {
				if err := w.Append(loc); err != nil {
					left++
					continue
				}
				parts += min(i, 1)
				newest = max(newest, o.LastMod())
			}
		}
		return nil
	}
	if page < 1 || page > 1+c.count()/textObjects {
		return nil, ErrNotFound
	}
	start, end := (page-1)*textObjects, page*textObjects
	for _, l := range c.Everything() {
		for o := range l.Objects() {
			if seen == end {
				break
			}
			if seen++; seen <= start {
				continue
			}
			if batch = append(batch, o); len(batch) == LocateBatch {
				if err := flush(l); err != nil {
					return nil, err
				}
			}
		}
		if err := flush(l); err != nil {
			return nil, err
		}
	}
	if seen <= start {
		return nil, ErrNotFound
	}
	if left > 0 {
		c.Options.Log.Warn("text sitemap is not complete", "home", c.Blog.Home(), "sitemap", textFilename(page), "invalid_or_too_many_urls", left)
	}
	return &Document{Body: w.Bytes(), LastMod: toTime(newest), Entries: w.Entries(), Parts: parts}, nil
}

// count is the number of objects of all lists.
func (c *Catalog) count() int {
	n := 0
	for _, l := range c.Everything() {
		n += len(l.First) + len(l.Entries) + len(l.After)
	}
	return n
}

// change is an object with its list.
type change struct {
	object
	list int
}

// latest returns the newest objects, the newest first and ties in the order of the index.
func latest(lists []*List, n int) []change {
	var newest []change
	cut := func() {
		slices.SortStableFunc(newest, func(a, b change) int { return cmp.Compare(b.LastMod(), a.LastMod()) })
		newest = newest[:min(len(newest), n)]
	}
	bar := wp.NoTime // what is older is not among them
	for i, l := range lists {
		for o := range l.Objects() {
			if o.LastMod() <= bar {
				continue
			}
			if newest = append(newest, change{o, i}); len(newest) == 4*n {
				cut()
				bar = newest[n-1].LastMod()
			}
		}
	}
	cut()
	return newest
}

// feed is the writer of a feed, Atom or RSS.
type feed interface {
	Begin(urlset.Feed)
	Append(urlset.FeedEntry) error
	End()
	Bytes() []byte
	Entries() int
}

// renderFeed writes a feed of the latest changes. It costs the queries for addresses and one for titles, for every type
// among them.
func (c *Catalog) renderFeed(ctx context.Context, self string, page int, w feed) (*Document, error) {
	lists, most := c.feedOf(self)
	changes := latest(lists, most)
	if page != 1 || len(changes) == 0 {
		return nil, ErrNotFound
	}
	locs, titles := make([]map[int64][]string, len(lists)), make([]map[int64]string, len(lists))
	for i, l := range lists {
		var objects []object
		var ids []int64
		for _, ch := range changes {
			if ch.list == i {
				objects = append(objects, ch.object)
				if ch.Loc == "" {
					ids = append(ids, ch.ID)
				}
			}
		}
		var err error
		if locs[i], err = l.locations(ctx, objects); err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			if titles[i], err = l.Titles(ctx, ids); err != nil {
				return nil, err
			}
		}
	}
	name := cmp.Or(formatting.PlainText(c.Blog.Settings().Title), weburl.HostOf(c.Blog.Home()))
	w.Begin(urlset.Feed{Self: c.BaseURL(self), Home: c.Links.HomeURL(), Title: name, Updated: changes[0].LastMod()})
	refused := 0
	written := map[string]bool{} // as their ids must differ
	for _, ch := range changes {
		loc, title := ch.Loc, ""
		if of := locs[ch.list][ch.ID]; loc == "" && len(of) > 0 {
			loc, title = of[0], formatting.PlainText(titles[ch.list][ch.ID])
		}
		if loc == "" || written[loc] { // gone since the catalog was built, or home of two lists
			continue
		}
		written[loc] = true
		err := w.Append(urlset.FeedEntry{Loc: loc, Title: cmp.Or(title, loc), Updated: ch.LastMod()})
		switch {
		case errors.Is(err, urlset.ErrRefused):
			refused++
		case err != nil:
			return nil, err
		}
	}
	w.End()
	if refused > 0 {
		c.Options.Log.Warn("feed is not complete", "home", c.Blog.Home(), "sitemap", self, "invalid_urls", refused)
	}
	return &Document{Body: w.Bytes(), LastMod: time.Unix(changes[0].LastMod(), 0).UTC(), Entries: w.Entries()}, nil
}
