package catalog

import (
	"cmp"
	"context"
	"slices"
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

// A feed (Atom or RSS) has the latest changes of all sitemaps.

// feedEntries is the maximum number of changes in a feed.
const feedEntries = 500

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
		c.Rules.Options.Log.Warn("feed is not complete", "home", c.Rules.Blog.Home(), "sitemap", self, "invalid_urls", refused,
			"hint", "run wpsitemapd explain with a URL that is missing")
	}
	return &Document{Body: body, LastMod: toTime(changes[0].LastMod), Entries: len(entries) - refused}, nil
}

// changes returns the entries of a feed, the newest first; entries with equal dates stay in index
// order. If the plugin has an RSS feed of its own, the RSS feed contains posts only.
func (c *Catalog) changes(feed string) []Entry {
	lists, most := c.Everything(), feedEntries
	if feed == RSSName && c.Rules.Options.OwnRSS > 0 {
		lists = slices.DeleteFunc(lists, func(l *List) bool { return l.Kind != seo.KindPost })
		most = min(c.Rules.Options.OwnRSS, feedEntries)
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

// siteTitle returns the name of the blog in plain text. If the blog has no name, siteTitle returns the
// host.
func (c *Catalog) siteTitle() string {
	return cmp.Or(formatting.PlainText(c.Rules.Blog.Settings().Title), weburl.HostOf(c.Rules.Blog.Home()))
}
