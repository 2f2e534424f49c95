package provider

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/registry"
)

// PostTypes adds one list for each listed post type.
func PostTypes(ctx context.Context, b *Build) error {
	policy := b.Renderer.Policy
	var pages *catalog.List
	first := len(b.Catalog.Lists)
	for _, t := range b.Rules.PostTypes() {
		if !b.Rules.ListsType(t) {
			continue
		}
		l, err := b.postTypeList(ctx, t)
		if err != nil {
			return err
		}
		b.Add(l)
		if t.Name == "page" {
			pages = l
		}
	}
	if policy.FirstOnce() {
		b.homeOnce(pages)
	}
	for _, l := range b.Catalog.Lists[first:] {
		l.Dates = policy.PostDates(b, l)
	}
	return b.translateFirstLinks(ctx)
}

// postTypeList returns the list of a post type: first links, then the rows in order.
func (b *Build) postTypeList(ctx context.Context, t *registry.PostType) (*catalog.List, error) {
	policy, rows := b.Renderer.Policy, b.Rows.Posts[t.Name]
	l := b.List(catalog.List{
		Name: b.Catalog.Scheme.Name(seo.KindPost, t.Name), Kind: seo.KindPost, Of: t.Name,
		Changes: b.Rows.Changes[t.Name], Past: policy.PostsPast(),
		Parts: b.Renderer.cut() != nil, Hints: b.Rules.Options.Hints.PostTypes[t.Name],
		Content: policy.Posts(b.Renderer, t),
	})
	// The front page and the posts page are counted with the first links, where another rule may leave them out.
	first := t.Name == "page" && b.Rules.Blog.Settings().ShowOnFront == "page" && !b.Rules.Hidden() && b.Rules.Has(seo.FrontPageItself)
	for i := range rows {
		if rule := rows[i].Verdict; rule != seo.Listed && !(first && b.Rules.IsFirstLink(rows[i].ID)) {
			b.Leave(rule, seo.Left{Kind: seo.KindPost, Of: t.Name, ID: rows[i].ID})
		}
	}
	var before *catalog.List
	if b.Before != nil && !b.Rows.Dirty[t.Name] {
		before = b.Before.List(l.Name)
	}
	if before != nil { // the delta does not change this list
		l.Places = before.Places
	} else {
		b.order(l, rows)
	}
	var err error
	if !b.Rules.Hidden() {
		if l.First, err = policy.FirstLinks(ctx, b, t, l); err != nil {
			return nil, err
		}
		if b.Rules.Blog.Languages().PostTypes[t.Name] {
			if err := policy.LanguageLinks(ctx, b, t, l); err != nil {
				return nil, err
			}
		}
		if err := b.leaveExcluded(ctx, t, l); err != nil {
			return nil, err
		}
	}
	if b.Rows.Translated.Alternates && b.Rules.Blog.Languages().PostTypes[t.Name] {
		l.Extensions = urlset.Images | urlset.Alternates
	}
	l.Indexed = policy.IndexesPosts(b, t, l)
	return l, nil
}

// leaveExcluded removes links from l.First and l.After that the operator excludes. Some plugins list these
// links without any check.
func (b *Build) leaveExcluded(ctx context.Context, t *registry.PostType, l *catalog.List) error {
	pageOf := func(f catalog.FirstLink) int64 { return cmp.Or(f.PostID, f.Object, max(t.ArchivePage, 0)) }
	pages := []int64{} // nil would mean all posts
	for _, f := range slices.Concat(l.First, l.After) {
		if id := pageOf(f); id != 0 {
			pages = append(pages, id)
		}
	}
	excluded, err := b.Rules.ExcludedPosts(ctx, pages)
	if err != nil {
		return err
	}
	leave := func(f catalog.FirstLink) bool {
		o := seo.Object{Kind: seo.KindPostsPage, ID: pageOf(f), Link: f.Loc}
		left, rule := seo.Left{Kind: seo.KindArchive, Of: l.Of, Loc: f.Loc}, excluded[o.ID]
		if cmp.Or(f.PostID, f.Object) != 0 {
			left = seo.Left{Kind: seo.KindPost, Of: "page", ID: o.ID}
		}
		if b.Rules.Excludes(o) {
			rule = seo.Excluded
		}
		if rule != seo.Listed {
			b.Leave(rule, left)
		}
		return rule != seo.Listed
	}
	l.First, l.After = slices.DeleteFunc(l.First, leave), slices.DeleteFunc(l.After, leave)
	return nil
}

// order fills l.Places with the rows that take a place in the list, in the order of the policy.
func (b *Build) order(l *catalog.List, all []rows.Post) {
	policy := b.Renderer.Policy
	var places []int32
	for i := range all {
		if policy.TakesPlace(b.Rules, seo.KindPost, all[i].Verdict) {
			places = append(places, int32(i))
		}
	}
	policy.OrderPosts(all, places)
	l.Places = make(catalog.Places, len(places))
	for n, i := range places {
		l.Places[n] = catalog.Place{ID: all[i].ID, Date: all[i].LastMod, Verdict: all[i].Verdict}
	}
}

// homeOnce removes home from the list of pages if the list of posts contains it.
func (b *Build) homeOnce(pages *catalog.List) {
	if pages == nil || len(pages.First) == 0 || pages.First[0].PostID != 0 {
		return
	}
	isHome := func(f catalog.FirstLink) bool { return f.Loc == pages.First[0].Loc }
	for _, l := range b.Catalog.Lists {
		if l.Kind == seo.KindPost && l.Of == "post" && l.Indexed && slices.ContainsFunc(l.First, isHome) {
			pages.First = nil
			pages.Indexed = len(pages.Places) > 0
			return
		}
	}
}
