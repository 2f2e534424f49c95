package sitemap

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// authorRow is a user that may have an author archive.
type authorRow struct {
	stamp int64 // as an entry has it
	rule  Rule
}

// authorList decides about the users with an author archive. It starts from the authors of
// published posts, never from all users, unless the site lists authors without posts too.
func (b *build) authorList(ctx context.Context) (*list, error) {
	dates := b.authorDates()
	ids, err := b.eligibleAuthors(ctx, dates)
	if err != nil {
		return nil, err
	}
	if err := b.readAuthors(ctx, ids); err != nil {
		return nil, err
	}
	l := &list{name: "author", past: b.policy.past, piecewise: true, render: undated(b.authorURLs), locate: b.authorLocations, titles: b.site.UserNames, hints: b.opt.Hints.Authors}
	ids = slices.DeleteFunc(ids, func(id int64) bool { _, ok := b.authors[id]; return !ok })
	slices.Sort(ids)
	if b.policy.authors.order != nil {
		b.policy.authors.order(b, ids)
	}
	for _, id := range ids {
		a := b.authors[id]
		if a.rule != Listed {
			b.skipped[a.rule]++
			if !b.policy.authors.takesPlace(a.rule) {
				continue
			}
		}
		l.entries = append(l.entries, newEntry(id, b.policy.authors.lastmod(b, id, dates), a.rule))
	}
	l.indexed = len(l.entries) > 0
	l.dates = b.policy.authors.dates(b, l)
	return l, nil
}

// firstOfPage dates a page by its first entry.
func (b *build) firstOfPage(l *list) []int64 {
	dates := make([]int64, b.pages(l))
	for i := range dates {
		_, entries, _ := b.slice(l, i+1)
		if dates[i] = entries[0].lastmod(); dates[i] == 0 {
			dates[i] = wp.NoTime
		}
	}
	return dates
}

// authorDates returns the newest lastmod of a published post of type post, by author.
func (b *build) authorDates() map[int64]int64 {
	newest := make([]int64, len(b.users))
	wrote := make([]bool, len(b.users))
	for i, rows := 0, b.posts["post"]; i < len(rows); i++ {
		if r := &rows[i]; r.status == published {
			if at := r.lastmod.unix(); !wrote[r.author] || at > newest[r.author] {
				wrote[r.author], newest[r.author] = true, at
			}
		}
	}
	dates := map[int64]int64{}
	for n, user := range b.users {
		if wrote[n] {
			dates[user] = newest[n]
		}
	}
	return dates
}

// eligibleAuthors returns the users that have an archive worth listing: authors of a
// published post, or all who may edit posts where the site shows archives without posts.
func (b *build) eligibleAuthors(ctx context.Context, dates map[int64]int64) ([]int64, error) {
	if !b.site.Settings().Yoast.AuthorsNeedPosts() {
		if b.editors == nil {
			editors, err := b.site.Editors(ctx)
			if err != nil {
				return nil, err
			}
			b.editors = editors
		}
		return slices.Clone(b.editors), nil
	}
	ids := make([]int64, 0, len(dates))
	for id := range dates {
		ids = append(ids, id)
	}
	return ids, nil
}

// readAuthors reads those users that were not looked at, and decides about them. Those who are not eligible any more are
// forgotten, so that they are looked at when they return.
func (b *build) readAuthors(ctx context.Context, ids []int64) error {
	before := b.authors
	b.authors = make(map[int64]authorRow, len(ids))
	var unknown []int64
	for _, id := range ids {
		if row, ok := before[id]; ok {
			b.authors[id] = row
		} else {
			unknown = append(unknown, id)
		}
	}
	authors, err := b.site.Authors(ctx, unknown)
	for _, a := range authors {
		rule := b.judge(Object{Kind: KindUser, ID: a.ID, NotAMember: !a.Member, NoStamp: !a.Stamped, Noindex: a.Noindex, Link: a.Link})
		b.authors[a.ID] = authorRow{a.Stamp, rule}
	}
	return err
}

// profileStamp is when a user's profile was saved last (_yoast_wpseo_profile_updated).
func profileStamp(b *build, id int64, _ map[int64]int64) int64 {
	stamp := b.authors[id].stamp
	if stamp < wp.MinTime || stamp > wp.MaxTime {
		return wp.NoTime
	}
	return stamp
}

// newestOfAuthor is the date of a user's newest post.
func newestOfAuthor(_ *build, id int64, newest map[int64]int64) int64 {
	if date, ok := newest[id]; ok {
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
			urls = append(urls, urlset.URL{Object: e.id, Loc: a.Link, LastMod: e.lastmod()})
		}
	}
	return urls, nil
}
