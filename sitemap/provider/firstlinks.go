package provider

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
)

// A first link is an address before the posts of a list: home, the posts page, or the archive of the type. Plugins differ in which
// of them they list (Policy.FirstLinks). ownFirstLinks has the rules of level spec; the other functions serve all policies. Each address
// has its own verdict, because no row of the list stands for it.

// ownFirstLinks does the work of SpecPolicy.FirstLinks.
func ownFirstLinks(ctx context.Context, b *Build, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	static := b.Rules.Blog.Settings().ShowOnFront == "page"
	switch {
	case t.Name == "page" && static:
		return b.ownFrontPage(ctx)
	case t.Name == "page":
		return b.OpenHome(b.Home(), false), nil // its verdict is counted together with that of home for posts
	case t.Name == "post" && static:
		return b.PostsPage(ctx, t, b.NewestOf(l))
	case t.Name == "post":
		home := b.HomeOfPosts(l)
		if b.Rules.Blog.Languages().PostTypes[t.Name] && b.Rules.Decisions.JudgeHome(b.Rules, home[0].Loc) == seo.Excluded {
			return home, nil // leaveExcluded leaves it out, but not the homes of other languages
		}
		return b.OpenHome(home[0], true), nil
	case !t.HasArchive, b.listsPage(t.ArchivePage), len(l.Places) == 0 && !slices.ContainsFunc(b.Rows.Posts[t.Name], alone):
		return nil, nil
	}
	if rule, err := b.judgeArchivePage(ctx, t); err != nil || rule != seo.Listed {
		return nil, err
	}
	return b.Archive(ctx, t, l)
}

// alone reports whether a post is left out by a setting that leaves out the posts of a type but not their archive.
func alone(r rows.Post) bool { return r.Verdict == seo.NoSingles || r.Verdict == seo.TypeNoindex }

// judgeArchivePage judges the page that has the same address as a post type's archive. It returns
// FrontPageItself for a front page, which is listed as home instead.
//
// An unpublished page has no effect, because the archive exists without the page. But if the page is
// in the trash, the address of the archive is unknown until the rewrite rules are built again.
func (b *Build) judgeArchivePage(ctx context.Context, t *registry.PostType) (seo.Verdict, error) {
	if t.ArchivePage <= 0 {
		return seo.Listed, nil
	}
	p, err := b.Page(ctx, t.ArchivePage)
	switch {
	case err == nil && p != nil && p.Status == "trash":
		b.Leave(seo.NotPublished, seo.Left{Kind: seo.KindArchive, Of: t.Name, Loc: p.Link})
		return seo.NotPublished, nil
	case err != nil || p == nil || p.Status != "publish":
		return seo.Listed, err
	case b.Rules.IsFirstLink(p.ID):
		return seo.FrontPageItself, nil
	}
	rule, err := b.Rules.JudgeArchivePage(ctx, t.Name, p)
	if err == nil && rule != seo.Listed {
		b.Leave(rule, seo.Left{Kind: seo.KindArchive, Of: t.Name, Loc: p.Link})
	}
	return rule, err
}

// ownFrontPage returns the static front page as a first link, or nil if a rule leaves it out.
func (b *Build) ownFrontPage(ctx context.Context) ([]catalog.FirstLink, error) {
	if b.Rules.Blog.Settings().PageOnFront <= 0 {
		return b.OpenHome(b.Home(), true), nil
	}
	p, err := b.Page(ctx, b.Rules.Blog.Settings().PageOnFront)
	if err != nil || p == nil || p.Type != "page" { // home answers 404, or only redirects to the object's own address
		return nil, err
	}
	switch rule, err := b.Rules.JudgePage(ctx, seo.KindFrontPage, p); {
	case err != nil:
		return nil, err
	case rule == seo.Listed:
		return []catalog.FirstLink{{PostID: p.ID, LastMod: b.Rules.PostDate(p.Dates)}}, nil
	case rule == seo.ExternalLink: // the page is of another language, so this language shows the latest posts on the front page
		return b.OpenHome(b.Home(), true), nil
	default:
		b.Leave(rule, seo.Left{Kind: seo.KindPost, Of: "page", ID: p.ID})
		return nil, nil
	}
}

// PostsPage returns the link of the posts page, or nil if that page must not be listed. If
// show_on_front is neither "posts" nor "page", WordPress links home as the posts page. Then the link
// is home, but the checks apply to the posts page.
func (b *Build) PostsPage(ctx context.Context, t *registry.PostType, newest int64) ([]catalog.FirstLink, error) {
	set := b.Rules.Blog.Settings()
	if set.PageForPosts <= 0 {
		return nil, nil
	}
	p, err := b.Page(ctx, set.PageForPosts)
	if err != nil {
		return nil, err
	}
	link, err := b.Rules.Book.ArchiveLink(ctx, t)
	if err != nil || link == "" && p == nil {
		return nil, err
	}
	p = cmp.Or(p, &address.Post{ID: set.PageForPosts})
	rule, err := b.Rules.JudgePage(ctx, seo.KindPostsPage, p)
	if err != nil {
		return nil, err
	}
	if rule != seo.Listed {
		b.Leave(rule, seo.Left{Kind: seo.KindPost, Of: "page", ID: p.ID})
		return nil, nil
	}
	return []catalog.FirstLink{{Object: p.ID, Loc: cmp.Or(link, p.Link), LastMod: newest}}, nil
}

// Home returns the address of the home page without a date.
func (b *Build) Home() catalog.FirstLink {
	return catalog.FirstLink{Loc: b.Renderer.Policy.HomeURL(b), LastMod: wp.NoTime}
}

// HomeOfPosts returns home with the date of the newest post.
func (b *Build) HomeOfPosts(l *catalog.List) []catalog.FirstLink {
	home := b.Home()
	home.LastMod = b.NewestOf(l)
	return []catalog.FirstLink{home}
}

// OpenHome returns home as a first link, or nil if a rule leaves out home. counted says whether home then
// counts as left out of the list.
func (b *Build) OpenHome(home catalog.FirstLink, counted bool) []catalog.FirstLink {
	if rule := b.Rules.Decisions.JudgeHome(b.Rules, home.Loc); rule != seo.Listed {
		if counted {
			b.Leave(rule, seo.Left{Kind: seo.KindArchive, Loc: home.Loc})
		}
		return nil
	}
	return []catalog.FirstLink{home}
}

// Archive returns the archive of a post type as a first link, or nil if a rule leaves it out.
func (b *Build) Archive(ctx context.Context, t *registry.PostType, l *catalog.List) ([]catalog.FirstLink, error) {
	link, err := b.Rules.Book.ArchiveLink(ctx, t)
	if err != nil || link == "" {
		return nil, err
	}
	if rule := b.Rules.JudgeArchive(t.Name, link); rule != seo.Listed {
		b.Leave(rule, seo.Left{Kind: seo.KindArchive, Of: t.Name, Loc: link})
		return nil, nil
	}
	return []catalog.FirstLink{{Loc: link, LastMod: b.NewestOf(l)}}, nil
}

// NewestOf returns the date of a post type's archive.
func (b *Build) NewestOf(l *catalog.List) int64 { return b.Renderer.Policy.Newest(b, l) }

// listsPage reports whether a page is listed among the pages.
func (b *Build) listsPage(id int64) bool {
	i, ok := rows.FindPost(b.Rows.Posts["page"], id)
	if !ok || b.Rows.Posts["page"][i].Verdict != seo.Listed {
		return false
	}
	t := b.Rules.Blog.Registry().PostType("page")
	return t != nil && b.Rules.ListsType(t)
}

// Page reads a page. It returns nil if the page was deleted.
func (b *Build) Page(ctx context.Context, id int64) (*address.Post, error) {
	posts, err := b.Rules.Book.Posts(ctx, []int64{id}, nil)
	if err != nil || len(posts) == 0 {
		return nil, err
	}
	return posts[0], nil
}
