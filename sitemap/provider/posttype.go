package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
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
	static := b.Rules.Blog.Settings().ShowOnFront == "page"
	for i := range rows {
		// The front page and the posts page are counted with the first links, where another rule may
		// leave them out.
		if rule := rows[i].Verdict; rule != seo.Listed && !(static && rule == seo.FrontPageItself) {
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

// NewestOf returns the date of a post type's archive.
func (b *Build) NewestOf(l *catalog.List) int64 { return b.Renderer.Policy.Newest(b, l) }

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
		return b.OpenHome(b.HomeOfPosts(l)[0], true), nil
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

// AsListed renders posts and leaves out posts that must no longer be listed. For each other post it calls add, which
// appends the URLs of the post to a slice. modified is the date of the post in the sitemap.
func (c *Renderer) AsListed(posts []*address.Post, places catalog.Places,
	add func(to []urlset.URL, p *address.Post, modified int64) []urlset.URL) catalog.Rendered {
	lastmod := places.Dates()
	r := catalog.Rendered{URLs: make([]urlset.URL, 0, len(posts))}
	for _, p := range posts {
		modified := rows.Pack(c.Rules.PostDate(p.Dates)).Unix()
		hidden, behind := c.Rules.MovedSinceListing(p, modified, lastmod[p.ID])
		r.Behind = r.Behind || behind
		if !hidden {
			r.URLs = add(r.URLs, p, modified)
		}
	}
	return r
}

// Posts returns the content of a list of posts.
func (c *Renderer) Posts() catalog.Own { return posts{c} }

// posts renders the URLs of a list of posts, and reads their titles.
type posts struct{ c *Renderer }

func (p posts) Render(ctx context.Context, posts catalog.Places) (catalog.Rendered, error) {
	return p.c.postURLs(ctx, posts)
}

func (p posts) Locate(ctx context.Context, posts catalog.Places) (catalog.Rendered, error) {
	return p.c.addresses().postURLs(ctx, posts)
}

func (p posts) Titles(ctx context.Context, ids []int64) (map[int64]string, error) {
	return p.c.Rules.Blog.PostTitles(ctx, ids)
}

// readPosts reads the posts of a page with their featured images. It reads both at the same time, unless all featured images are
// read already.
func (c *Renderer) readPosts(ctx context.Context, ids []int64, scan func(*address.Post, string)) (posts []*address.Post, err error) {
	known := c.Thumbnails
	if c.bare { // they are not needed
		known = objects.Thumbnails{}
	}
	if known != nil {
		return c.Rules.Book.TranslatedPosts(ctx, ids, scan, c.translations(""), known)
	}
	var images map[int64]int64
	err = beside(ctx, func(ctx context.Context) (err error) {
		images, err = objects.ThumbnailsOf(ctx, c.Rules.Blog, ids)
		return err
	}, func(ctx context.Context) (err error) {
		posts, err = c.Rules.Book.TranslatedPosts(ctx, ids, scan, c.translations(""), objects.Thumbnails{})
		return err
	})
	for _, p := range posts {
		p.Thumbnail = cmp.Or(p.Thumbnail, images[p.ID]) // that of a form is set
	}
	return posts, err
}

// postURLs renders posts of any type.
func (c *Renderer) postURLs(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
	found := NewImageFinder(c, len(places))
	found.cut = c.cut()
	scan := found.Scan
	if c.bare && found.cut == nil { // the contents are not needed
		scan = nil
	}
	posts, err := c.readPosts(ctx, places.IDs(), scan)
	if err != nil {
		return catalog.Rendered{}, err
	}
	if err := found.Resolve(ctx, posts); err != nil {
		return catalog.Rendered{}, err
	}
	var flags map[int64]seo.Flags // of posts with parts: they decide about the parts
	if len(found.parts) > 0 {
		if flags, err = c.Rules.Settings.Posts(ctx, slices.Sorted(maps.Keys(found.parts))); err != nil {
			return catalog.Rendered{}, err
		}
	}
	room := urlset.MaxEntries - c.Rules.Options.PageSize // room for later parts, because page_size counts posts alone
	return c.AsListed(posts, places, func(to []urlset.URL, p *address.Post, modified int64) []urlset.URL {
		to = append(to, urlset.URL{Object: p.ID, Loc: p.Link, LastMod: modified, Images: found.Images(p), Alternates: c.alternateLinks(p.Alternates)})
		for n := 2; n <= found.parts[p.ID] && room > 0; n++ {
			loc := c.Rules.Links.Part(p.Link, n, c.Rules.Links.IsFrontPage(p.ID), p.Status)
			if c.Rules.JudgePart(p, flags[p.ID], loc) == seo.Listed {
				room--
				to = append(to, urlset.URL{Object: p.ID, Loc: loc, LastMod: modified, Images: found.compose(part{p.ID, n}, 0, 0)})
			}
		}
		return to
	}), nil
}
