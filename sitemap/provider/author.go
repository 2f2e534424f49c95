package provider

import (
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// Authors lists the users with an author archive.
var Authors = Provider{Lists: func(ctx context.Context, b *Build) error {
	if b.Settings.Authors() != nil {
		return nil
	}
	l, err := b.authorList(ctx)
	if err == nil {
		b.Add(l)
	}
	return err
}}

// authorList makes their list. It starts from the authors of
// published posts, never from all users, unless the site lists authors without posts too.
func (b *Build) authorList(ctx context.Context) (*catalog.List, error) {
	policy := &b.Renderer.Policy.Authors
	dates := b.Rows.AuthorDates(policy.Of)
	ids, err := b.Rows.EligibleAuthors(ctx, dates)
	if err != nil {
		return nil, err
	}
	if err := b.Rows.ReadAuthors(ctx, ids); err != nil {
		return nil, err
	}
	l := b.List(catalog.List{
		Name: b.Catalog.Scheme.Name(seo.KindUser, ""), Kind: seo.KindUser, Of: "author",
		Size: policy.Size, Past: b.Renderer.Policy.Past, Piecewise: true,
		Titles: b.Blog.UserNames, Hints: b.Options.Hints.Authors,
	})
	blog := b.Blog // what is kept must not hold on to the build
	l.Render = catalog.Located(func(ctx context.Context, ids []int64) (map[int64]string, error) {
		authors, err := blog.Authors(ctx, ids)
		locs := make(map[int64]string, len(authors))
		for _, a := range authors {
			locs[a.ID] = a.Link
		}
		return locs, err
	})
	l.Locate = l.Render
	ids = slices.DeleteFunc(ids, func(id int64) bool { _, ok := b.Rows.Authors[id]; return !ok })
	slices.Sort(ids)
	if policy.Read != nil {
		if dates, err = policy.Read(ctx, b, ids); err != nil {
			return nil, err
		}
	}
	if policy.Order != nil {
		if err := policy.Order(ctx, b, ids); err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		b.place(l, policy.TakesPlace, catalog.NewEntry(id, policy.Lastmod(b, id, dates), b.Rows.Authors[id].Verdict))
	}
	if policy.Bare {
		l.Extensions = urlset.Bare
	}
	if policy.IndexDates == nil {
		l.Dates = policy.Dates(b, l)
	} else if l.Dates, err = policy.IndexDates(ctx, b, l); err != nil {
		return nil, err
	}
	l.Indexed = len(l.Dates) > 0
	if policy.Indexed != nil {
		l.Indexed = policy.Indexed(b, l)
	}
	return l, nil
}

// newestOfAuthor is the date of a user's newest post.
func newestOfAuthor(_ *Build, id int64, newest map[int64]int64) int64 {
	if date, ok := newest[id]; ok {
		return date
	}
	return wp.NoTime
}
