package sitemap

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// authorList decides about the users with an author archive. It starts from the authors of
// published posts, never from all users, unless the site lists authors without posts too.
func (b *build) authorList(ctx context.Context) (*list, error) {
	ids, err := b.eligibleAuthors(ctx)
	if err != nil {
		return nil, err
	}
	authors, err := b.site.Authors(ctx, ids)
	if err != nil {
		return nil, err
	}
	if !b.opt.Compat.ByID { // latest profile first
		slices.SortStableFunc(authors, func(x, y *wp.Author) int { return cmp.Compare(y.Stamp, x.Stamp) })
	}
	l := &list{name: "author", render: b.authorURLs}
	for _, a := range authors {
		rule := b.judge(Object{Kind: KindUser, ID: a.ID, NotAMember: !a.Member, NoStamp: !a.Stamped, Noindex: a.Noindex, Link: a.Link})
		if rule != Listed {
			b.skipped[rule]++
			if b.opt.Compat.FullPages || rule != OperatorExcluded {
				continue
			}
		}
		l.entries = append(l.entries, entry{a.ID, b.authorLastMod(a), rule})
	}
	l.indexed = len(l.entries) > 0
	if b.opt.Compat.PageDates {
		l.dates = b.pageDates(l)
		return l, nil
	}
	l.dates = make([]int64, b.pages(l))
	for i := range l.dates {
		_, entries, _ := b.slice(l, i+1)
		if l.dates[i] = entries[0].lastmod; l.dates[i] == 0 {
			l.dates[i] = wp.NoTime
		}
	}
	return l, nil
}

// eligibleAuthors returns the users that have an archive worth listing: authors of a
// published post, or all who may edit posts where the site shows archives without posts.
func (b *build) eligibleAuthors(ctx context.Context) ([]int64, error) {
	if !b.site.Settings().Yoast.AuthorsNeedPosts() {
		return b.site.Editors(ctx)
	}
	ids := make([]int64, 0, len(b.authorDate))
	for id := range b.authorDate {
		ids = append(ids, id)
	}
	return ids, nil
}

func (b *build) authorLastMod(a *wp.Author) int64 {
	if !b.opt.Compat.AuthorDates {
		if a.Stamp < wp.MinTime || a.Stamp > wp.MaxTime {
			return wp.NoTime
		}
		return a.Stamp
	}
	if date, ok := b.authorDate[a.ID]; ok {
		return date
	}
	return wp.NoTime
}

// authorURLs renders entries of the author list.
func (c *Catalog) authorURLs(ctx context.Context, entries []entry) ([]urlset.URL, error) {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	authors, err := c.site.Authors(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*wp.Author, len(authors))
	for _, a := range authors {
		byID[a.ID] = a
	}
	urls := make([]urlset.URL, 0, len(entries))
	for _, e := range entries {
		if a := byID[e.id]; a != nil {
			urls = append(urls, urlset.URL{Loc: a.Link, LastMod: e.lastmod})
		}
	}
	return urls, nil
}
