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
	"wpsitemapd/wp/address"
)

// News holds addresses that search engines do not know yet.
type News struct {
	URLs []string // valid URLs by RFC 3986
	Left int      // number of objects beyond the limit
}

// Tells reports whether the daemon may tell search engines about changes in the catalog. It may not if the
// site is hidden or is not in production.
func (c *Catalog) Tells() bool {
	return c.active && !c.Rules.Hidden() && c.Rules.Blog.Settings().Environment == ""
}

// Newest returns the newest date of all entries, in Unix seconds. It returns wp.NoTime if none has a
// date.
func (c *Catalog) Newest() int64 {
	newest := wp.NoTime
	for e := range entriesOf(c.Everything()) {
		newest = max(newest, e.LastMod)
	}
	return newest
}

// News compares the catalog with known, an earlier catalog that search engines were told about. It returns addresses
// that are added, have another date, or are gone. If known is nil, it returns entries dated after since, in Unix
// seconds. Of the added and changed addresses, it returns only the newest, at most limit. Of the addresses that are
// gone, it returns at most limit, too.
//
// Only posts that are no longer published count as gone. An object that a rule leaves out does not
// count, and neither does a deleted term or author.
func (c *Catalog) News(ctx context.Context, known *Catalog, since int64, limit int) (News, error) {
	var found, gone []Entry
	if known == nil {
		for e := range entriesOf(c.Everything()) {
			if e.LastMod > since {
				found = append(found, e)
			}
		}
		newestFirst(found)
	} else {
		came, changed, went := c.differences(known)
		found, gone = append(came, changed...), slices.DeleteFunc(went, func(e Entry) bool { return e.List.Kind != seo.KindPost })
		newestFirst(found)
	}
	news := News{Left: max(0, len(found)-limit) + max(0, len(gone)-limit)}
	locs, err := addresses(ctx, found[:min(len(found), limit)])
	if err != nil {
		return news, fmt.Errorf("locating what has changed: %w", err)
	}
	former, err := c.formerLinks(ctx, gone[:min(len(gone), limit)])
	if err != nil {
		return news, err
	}
	for _, f := range former {
		if !c.Rules.Excludes(seo.Object{Kind: seo.KindPost, ID: f.ID, Link: f.Link}) {
			locs = append(locs, []string{f.Link})
		}
	}
	for _, loc := range slices.Concat(locs...) {
		if plain, ok := urlset.Strict.AppendPlain(nil, loc); ok {
			news.URLs = append(news.URLs, string(plain))
		}
	}
	return news, nil
}

// differences compares the catalog with known, an earlier one. came are the entries that only c has. went are the entries
// that only known has. changed are the entries whose date or address differs.
func (c *Catalog) differences(known *Catalog) (came, changed, went []Entry) {
	lists, moved := c.Everything(), c.moved(known)
	before := map[string]map[uint64]int64{}
	for _, l := range known.Everything() {
		if now := c.List(l.Name); now == nil || now.whole != l.whole || moved {
			before[l.Name] = l.dates()
		} else {
			lists = slices.DeleteFunc(lists, func(o *List) bool { return o.Name == l.Name })
		}
	}
	for e := range entriesOf(lists) {
		old := before[e.List.Name]
		date, was := old[e.key()]
		delete(old, e.key())
		if !was {
			came = append(came, e)
		} else if moved || date != e.LastMod {
			changed = append(changed, e)
		}
	}
	for e := range entriesOf(known.Everything()) {
		if _, left := before[e.List.Name][e.key()]; left {
			went = append(went, e)
		}
	}
	return came, changed, went
}

// moved reports whether the permalink settings have changed since known, an earlier catalog of the same home. Then every
// address may have changed.
func (c *Catalog) moved(known *Catalog) bool {
	return c.Rules.Blog.Settings().Permalinks != known.Rules.Blog.Settings().Permalinks
}

// newestFirst sorts entries by date.
func newestFirst(entries []Entry) {
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(b.LastMod, a.LastMod) })
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

// formerLinks returns the former addresses of the posts that still exist but are no longer published.
func (c *Catalog) formerLinks(ctx context.Context, posts []Entry) (former []address.FormerLink, err error) {
	var ids []int64
	for i := range posts {
		if id, ok := posts[i].Object(); ok {
			ids = append(ids, id)
		}
	}
	for batch := range slices.Chunk(ids, LocateBatch) {
		links, err := c.Rules.Book.FormerLinks(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("locating what is gone: %w", err)
		}
		former = append(former, links...)
	}
	return former, nil
}
