package provider

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// Authors adds the list of users that have an author archive.
func Authors(ctx context.Context, b *Build) error {
	if b.Rules.Settings.Authors() != nil {
		return nil
	}
	l, err := b.authorList(ctx)
	if err == nil {
		b.Add(l)
	}
	return err
}

// authorList returns the list of authors. It reads the users who wrote published posts. If the site also lists authors without
// posts, it reads all users who may be authors.
func (b *Build) authorList(ctx context.Context) (*catalog.List, error) {
	policy := b.Renderer.Policy
	dates := b.Rows.AuthorDates(policy.DateForAuthor)
	ids, err := b.Rows.EligibleAuthors(ctx, dates)
	if err != nil {
		return nil, err
	}
	if err := b.Rows.ReadAuthors(ctx, ids); err != nil {
		return nil, err
	}
	l := b.List(catalog.List{
		Name: b.Catalog.Scheme.Name(seo.KindUser, ""), Kind: seo.KindUser, Of: "author",
		Size: policy.AuthorsAPage(), Past: policy.Past(),
		Hints: b.Rules.Options.Hints.Authors,
	})
	book := b.Rules.Book // the list outlives the build, so it holds the book only
	l.Content = catalog.Located(func(ctx context.Context, ids []int64) (map[int64]string, error) {
		authors, err := book.Authors(ctx, ids)
		locs := make(map[int64]string, len(authors))
		for _, a := range authors {
			locs[a.ID] = a.Link
		}
		return locs, err
	}, book.Blog.UserNames)
	ids = slices.DeleteFunc(ids, func(id int64) bool { _, ok := b.Rows.Authors[id]; return !ok })
	slices.Sort(ids)
	if dates, err = policy.DatesOfAuthors(ctx, b, ids, dates); err != nil {
		return nil, err
	}
	if err := policy.OrderAuthors(ctx, b, ids); err != nil {
		return nil, err
	}
	for _, id := range ids {
		date, dated := dates[id]
		if !dated {
			date = wp.NoTime
		}
		b.place(l, catalog.NewPlace(id, date, b.Rows.Authors[id].Verdict))
	}
	if policy.Bare(seo.KindUser) {
		l.Extensions = urlset.Bare
	}
	if l.Dates, err = policy.AuthorDates(ctx, b, l); err != nil {
		return nil, err
	}
	l.Indexed = policy.IndexesAuthors(b, l)
	return l, nil
}
