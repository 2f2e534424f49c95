package sitemap

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// Authors lists the users with an author archive.
var Authors = Provider{Lists: func(ctx context.Context, b *build) error {
	if b.settings.Authors() != nil {
		return nil
	}
	l, err := b.authorList(ctx)
	if err == nil {
		b.add(l)
	}
	return err
}}

// authorList makes their list. It starts from the authors of
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
	l := b.list(list{
		name: b.urls.Name(KindUser, ""), kind: KindUser, of: "author", past: b.policy.past, piecewise: true,
		render: undated(b.authorURLs), locate: b.authorLocations, titles: b.site.UserNames, hints: b.opt.Hints.Authors,
	})
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

// newestOfAuthor is the date of a user's newest post.
func newestOfAuthor(_ *build, id int64, newest map[int64]int64) int64 {
	if date, ok := newest[id]; ok {
		return date
	}
	return wp.NoTime
}

// authorURLs renders entries of the author list.
func (c *Renderer) authorURLs(ctx context.Context, entries []entry) ([]urlset.URL, error) {
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

// authorLocations returns the addresses of authors.
func (c *Renderer) authorLocations(ctx context.Context, entries []entry) ([]located, error) {
	authors, err := c.site.Authors(ctx, entryIDs(entries))
	found := make([]located, 0, len(authors))
	for _, a := range authors {
		found = append(found, located{a.ID, a.Link})
	}
	return found, err
}
