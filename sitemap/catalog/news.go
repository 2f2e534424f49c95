package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// News holds addresses that search engines do not know yet.
type News struct {
	URLs []string // valid URLs by RFC 3986
	Left int      // number of objects beyond the limit
}

// Tells reports whether search engines may be told about changes in the catalog.
func (c *Catalog) Tells() bool { return c.active && !c.Hidden() && c.Blog.Settings().Environment == "" }

// Newest returns the newest date of all entries, in Unix seconds. It returns wp.NoTime if none has a
// date.
func (c *Catalog) Newest() int64 {
	newest := wp.NoTime
	for e := range entriesOf(c.Everything()) {
		newest = max(newest, e.LastMod)
	}
	return newest
}

// News compares the catalog with known, an earlier catalog that search engines were told about. It
// returns addresses that are added, have another date, or are gone. If known is nil, it returns
// entries dated after since, in Unix seconds. At most limit objects are located, the newest first.
//
// Only posts that are no longer published count as gone. An object that a rule excludes does not
// count, and neither does a deleted term or author.
func (c *Catalog) News(ctx context.Context, known *Catalog, since int64, limit int) (News, error) {
	lists, moved := c.Everything(), false
	before := map[string]map[uint64]int64{}
	if known != nil {
		moved = c.Blog.Home() != known.Blog.Home() || c.Blog.Settings().Permalinks != known.Blog.Settings().Permalinks
		for _, l := range known.Everything() {
			if now := c.List(l.Name); now == nil || now.whole != l.whole || moved {
				before[l.Name] = l.dates()
			} else {
				lists = slices.DeleteFunc(lists, func(o *List) bool { return o.Name == l.Name })
			}
		}
	}
	var found []Entry
	for e := range entriesOf(lists) {
		old := before[e.List.Name]
		date, was := old[e.key()]
		if delete(old, e.key()); known == nil && e.LastMod > since || known != nil && (!was || moved || date != e.LastMod) {
			found = append(found, e)
		}
	}
	var gone []int64
	if known != nil {
		for _, l := range known.Everything() {
			for e := range l.Entries() {
				id, ok := e.Object()
				if _, left := before[l.Name][e.key()]; ok && left && l.Kind == seo.KindPost {
					gone = append(gone, id)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Entry) int { return cmp.Compare(b.LastMod, a.LastMod) })
	news := News{Left: max(0, len(found)-limit) + max(0, len(gone)-limit)}
	locs, err := c.locate(ctx, lists, found[:min(len(found), limit)], gone[:min(len(gone), limit)])
	for _, loc := range locs {
		if plain, ok := urlset.Strict.AppendPlain(nil, loc); ok {
			news.URLs = append(news.URLs, string(plain))
		}
	}
	return news, err
}

// key identifies an entry within its list.
func (e *Entry) key() uint64 {
	if id, ok := e.Object(); ok {
		return uint64(id)
	}
	return rows.MixText(1<<63, e.Link.Loc) | 1<<63
}

// dates returns the dates of the listed entries by key.
func (l *List) dates() map[uint64]int64 {
	dates := make(map[uint64]int64, len(l.Places))
	for e := range l.Entries() {
		dates[e.key()] = e.LastMod
	}
	return dates
}

// locate returns the addresses of found, and the former addresses of the posts in gone, which are no
// longer published.
func (c *Catalog) locate(ctx context.Context, lists []*List, found []Entry, gone []int64) (locs []string, err error) {
	of := objects(found)
	for _, l := range lists {
		for _, e := range found {
			if _, object := e.Object(); e.List == l && !object {
				locs = append(locs, e.Link.Loc)
			}
		}
		for batch := range slices.Chunk(of[l], LocateBatch) {
			located, err := l.Locate(ctx, batch)
			if err != nil {
				return nil, fmt.Errorf("locating what has changed: %w", err)
			}
			for _, u := range located.URLs {
				locs = append(locs, u.Loc)
			}
		}
	}
	for batch := range slices.Chunk(gone, LocateBatch) {
		former, err := c.Blog.FormerLinks(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("locating what is gone: %w", err)
		}
		for _, f := range former {
			if !c.Excludes(seo.Object{Kind: seo.KindPost, ID: f.ID, Link: f.Link}) {
				locs = append(locs, f.Link)
			}
		}
	}
	return locs, nil
}
