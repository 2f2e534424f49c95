package rankmath

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// FirstLinks implements provider.Policy. The front page is not a first link: it is listed among the posts of
// type page, as the first entry of the sitemap that contains it. The archive of products is listed if the shop page is published, is
// not the front page, and is not set to noindex.
func (PluginLevel) FirstLinks(ctx context.Context, b *provider.Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	set := b.Rules.Blog.Settings()
	raise(b, l, set.PageOnFront, set.PageForPosts)
	switch {
	case set.PageOnFront <= 0 && (t.Name == "post" || t.Name == "page"):
		return b.HomeOfPosts(l), nil
	case t.Name == "post" && set.PageForPosts > 0:
		return postsPage(ctx, b, set.PageForPosts)
	case t.Name == "post" && set.ShowOnFront == "posts":
		return []catalog.FirstLink{{Loc: b.Rules.Blog.Home(), LastMod: b.NewestOf(l)}}, nil
	case t.Name == "post", !t.HasArchive:
		return nil, nil
	case t.Name == "product":
		if t.ArchivePage <= 0 || t.ArchivePage == set.PageOnFront {
			return nil, nil
		}
		if p, err := b.Page(ctx, t.ArchivePage); err != nil || p == nil || p.Status != "publish" || b.Rules.Settings.Post(p).Noindex {
			return nil, err
		}
	}
	return b.Archive(ctx, t, l)
}

// raise moves the front page and the posts page to the start of their page of the list. If both are on the
// same page, the one with the older change comes first, as in the plugin.
//
// Places that are already in this order are not written, because catalogs may share them.
func raise(b *provider.Build, l *catalog.List, ids ...int64) {
	changed := func(p catalog.Place) int64 {
		if i, ok := rows.FindPost(b.Rows.Posts[l.Of], p.ID); ok {
			return b.Rows.Posts[l.Of][i].Modified.Unix()
		}
		return wp.NoTime
	}
	for first := 0; first < len(l.Places); first += l.Size {
		page := l.Places[first:min(first+l.Size, len(l.Places))]
		var named catalog.Places
		for _, p := range page {
			if slices.Contains(ids, p.ID) {
				named = append(named, p)
			}
		}
		slices.SortFunc(named, func(x, y catalog.Place) int {
			return cmp.Or(cmp.Compare(changed(x), changed(y)), cmp.Compare(y.ID, x.ID))
		})
		if slices.Equal(named, page[:len(named)]) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(page), func(p catalog.Place) bool { return slices.Contains(named, p) })
		copy(page[copy(page, named):], rest)
	}
}

// postsPage returns the posts page as a first link, with the date of the page itself. It returns nil if a rule leaves out the page. In
// versions before 1.0.264, the link has no date, and a canonical or an external address does not leave out the page.
func postsPage(ctx context.Context, b *provider.Build, id int64) ([]catalog.FirstLink, error) {
	p, err := b.Page(ctx, id)
	if p == nil {
		return nil, err
	}
	rule, err := b.Rules.JudgePage(ctx, seo.KindPostsPage, p)
	if err != nil {
		return nil, err
	}
	bare := b.Rules.Settings.(*settings).before("1.0.264") // older versions list the bare link if its robots allow it
	if rule != seo.Listed && (!bare || rule != seo.CanonicalElsewhere && rule != seo.ExternalLink) {
		b.Leave(rule, seo.Left{Kind: seo.KindPost, Of: "page", ID: p.ID})
		return nil, nil
	}
	if bare {
		return []catalog.FirstLink{{Object: p.ID, Loc: p.Link, LastMod: wp.NoTime}}, nil
	}
	return []catalog.FirstLink{{PostID: p.ID, LastMod: max(p.Dates.ChangedGMT, p.Dates.PublishedGMT)}}, nil
}
