package sitemap

import (
	"cmp"
	"context"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// PostTypes lists the post types.
var PostTypes = Provider{Lists: func(ctx context.Context, b *build) error {
	var pages *list
	first := len(b.lists)
	for _, t := range b.site.Registry().PostTypes {
		if !b.listsPostType(t) {
			continue
		}
		l, err := b.postTypeList(ctx, t)
		if err != nil {
			return err
		}
		b.add(l)
		if t.Name == "page" {
			pages = l
		}
	}
	b.policy.first.once(b, pages)
	for _, l := range b.lists[first:] {
		l.dates = b.policy.posts.dates(b, l)
	}
	return b.translateFirstLinks(ctx)
}}

// postTypeList orders the rows of a post type and puts its first links before them.
func (b *build) postTypeList(ctx context.Context, t *registry.PostType) (*list, error) {
	rows := b.posts[t.Name]
	l := b.list(list{
		name: b.urls.Name(KindPost, t.Name), kind: KindPost, of: t.Name, changes: b.changes[t.Name], past: b.policy.posts.past,
		parts: b.policy.parts != nil, piecewise: true, render: b.postURLs, locate: b.postLocations, titles: b.site.PostTitles, hints: b.opt.Hints.PostTypes[t.Name],
	})
	for i := range rows {
		if rule := rows[i].rule; rule != Listed {
			b.skipped[rule]++
		}
	}
	if before := b.unchanged(l.name); before != nil {
		l.entries, l.prints = before.entries, before.prints
	} else {
		b.order(l, rows)
	}
	var err error
	if !b.hidden() {
		if l.first, err = b.policy.first.links(ctx, b, t, l); err != nil {
			return nil, err
		}
		if b.site.TranslatesPostType(t.Name) {
			if err := b.policy.first.languages(ctx, b, t, l); err != nil {
				return nil, err
			}
		}
	}
	if b.translated.alternates && b.site.TranslatesPostType(t.Name) {
		l.extensions = urlset.Images | urlset.Alternates
	}
	if b.policy.asked != nil {
		l.asked = b.policy.asked(b, l)
	}
	l.indexed = b.policy.posts.indexed(t, l)
	return l, nil
}

// order makes the entries of a list of the rows of its post type.
func (b *build) order(l *list, all []postRow) {
	takes := func(r *postRow) bool { return b.policy.posts.takesPlace(r.rule) }
	n := 0
	for i := range all {
		if takes(&all[i]) {
			n++
		}
	}
	l.entries = make([]entry, 0, n)
	if b.policy.posts.order == nil {
		for i := range all {
			if r := &all[i]; takes(r) {
				l.entries = append(l.entries, entry{r.id, r.lastmod, r.rule})
			}
		}
		return
	}
	ordered := make([]int32, 0, n)
	for i := range all {
		if takes(&all[i]) {
			ordered = append(ordered, int32(i))
		}
	}
	b.policy.posts.order(all, ordered)
	for _, i := range ordered {
		l.entries = append(l.entries, entry{all[i].id, all[i].lastmod, all[i].rule})
	}
}

// unchanged returns the list that a delta has nothing to change in, nil without one.
func (b *build) unchanged(name string) *list {
	if b.before == nil || b.dirty[name] {
		return nil
	}
	return b.before.list(name)
}

// newestOf is the date of a post type's archive.
func (b *build) newestOf(l *list) int64 { return b.policy.posts.newest(b, l) }

// ownFirstLinks are the addresses before the posts by level spec: the front page before the pages, the posts page or
// home before the posts, before any other type its archive where that has posts and is no page itself.
func ownFirstLinks(ctx context.Context, b *build, t *registry.PostType, l *list) ([]firstLink, error) {
	static := b.site.Settings().ShowOnFront == "page"
	switch {
	case t.Name == "page" && static:
		return b.ownFrontPage(ctx)
	case t.Name == "page":
		return []firstLink{b.home()}, nil
	case t.Name == "post" && static:
		return b.postsPage(ctx, t, b.newestOf(l))
	case t.Name == "post":
		return b.homeOfPosts(l), nil
	case !t.HasArchive, len(l.entries) == 0, b.listsPage(t.ArchivePage):
		return nil, nil
	}
	return b.archive(ctx, t, l)
}

// home is the bare address of the home page.
func (b *build) home() firstLink {
	return firstLink{loc: b.policy.first.home(b), lastmod: wp.NoTime}
}

// homeOfPosts is home as the archive of the posts.
func (b *build) homeOfPosts(l *list) []firstLink {
	home := b.home()
	home.lastmod = b.newestOf(l)
	return []firstLink{home}
}

// archive is the archive of a post type, unless a rule leaves it out.
func (b *build) archive(ctx context.Context, t *registry.PostType, l *list) ([]firstLink, error) {
	link, err := b.site.ArchiveLink(ctx, t)
	if err != nil || link == "" {
		return nil, err
	}
	if rule := b.judgeArchive(t.Name, link); rule != Listed {
		b.skipped[rule]++
		return nil, nil
	}
	return []firstLink{{loc: link, lastmod: b.newestOf(l)}}, nil
}

// listsPage reports whether a page is listed among the pages.
func (b *build) listsPage(id int64) bool {
	i, ok := findPost(b.posts["page"], id)
	if !ok || b.posts["page"][i].rule != Listed {
		return false
	}
	t := b.site.Registry().PostType("page")
	return t != nil && b.listsPostType(t)
}

// frontPageRow reads the page that the settings name as front page; nil where it was deleted.
func (b *build) frontPageRow(ctx context.Context) (*wp.Post, error) {
	posts, err := b.site.Posts(ctx, []int64{b.site.Settings().PageOnFront}, nil)
	if err != nil || len(posts) == 0 {
		return nil, err
	}
	return posts[0], nil
}

// ownFrontPage is the static front page; one that a rule leaves out is left out.
func (b *build) ownFrontPage(ctx context.Context) ([]firstLink, error) {
	if b.site.Settings().PageOnFront <= 0 {
		return []firstLink{b.home()}, nil
	}
	p, err := b.frontPageRow(ctx)
	if err != nil || p == nil || p.Type != "page" { // home answers 404, or only leads on to the object's own address
		return nil, err
	}
	switch rule := b.judgePage(KindFrontPage, p); rule {
	case Listed:
		return []firstLink{{postID: p.ID, lastmod: max(p.ModifiedGMT, p.DateGMT)}}, nil
	case ExternalLink: // of another language: here the latest posts are on the front page
		return []firstLink{b.home()}, nil
	default:
		b.skipped[rule]++
		return nil, nil
	}
}

// postsPage is the first link before the posts of a site with a static front page. Where show_on_front
// says neither posts nor page, the plugin judges the posts page and lists home, as core links it.
func (b *build) postsPage(ctx context.Context, t *registry.PostType, newest int64) ([]firstLink, error) {
	set := b.site.Settings()
	if set.PageForPosts <= 0 {
		return nil, nil
	}
	posts, err := b.site.Posts(ctx, []int64{set.PageForPosts}, nil)
	if err != nil {
		return nil, err
	}
	link, err := b.site.ArchiveLink(ctx, t)
	if err != nil || link == "" && len(posts) == 0 {
		return nil, err
	}
	p := &wp.Post{ID: set.PageForPosts}
	if len(posts) > 0 {
		p = posts[0]
	}
	if rule := b.judgePage(KindPostsPage, p); rule != Listed {
		b.skipped[rule]++
		return nil, nil
	}
	return []firstLink{{object: p.ID, loc: cmp.Or(link, p.Link), lastmod: newest}}, nil
}

// homeOnce takes home out of the pages where the posts list it already.
func (b *build) homeOnce(pages *list) {
	if pages == nil || len(pages.first) == 0 || pages.first[0].postID != 0 {
		return
	}
	for _, l := range b.lists {
		if l.kind == KindPost && l.of == "post" && l.indexed && len(l.first) > 0 && l.first[0].loc == pages.first[0].loc {
			pages.first = nil
			pages.indexed = len(pages.entries) > 0
			return
		}
	}
}

// postURLs renders entries of any post type.
func (c *Renderer) postURLs(ctx context.Context, entries []entry) (renderedRows, error) {
	ids, lastmod := entryIDs(entries), lastmods(entries)
	found := newImageFinder(c, len(entries))
	found.cut = c.policy.parts
	posts, err := c.site.TranslatedPosts(ctx, ids, found.scan, c.translations(""), c.thumbnails)
	if err != nil {
		return renderedRows{}, err
	}
	if err := found.resolve(ctx, posts); err != nil {
		return renderedRows{}, err
	}
	r := renderedRows{urls: make([]urlset.URL, 0, len(posts))}
	room := urlset.MaxEntries - c.opt.PageSize // for parts, which page_size does not count
	for _, p := range posts {
		modified := at(max(p.ModifiedGMT, p.DateGMT)).unix()
		hidden, behind := c.movedSinceListing(p, modified, lastmod[p.ID])
		r.behind = r.behind || behind
		if hidden {
			continue
		}
		r.urls = append(r.urls, urlset.URL{Object: p.ID, Loc: p.Link, LastMod: modified, Images: found.images(p), Alternates: c.alternateLinks(p.Alternates)})
		for n := 2; n <= found.parts[p.ID] && room > 0; n++ {
			loc := c.links.Part(p.Link, n, c.links.IsFrontPage(p.ID), p.Status)
			r.urls = append(r.urls, urlset.URL{Object: p.ID, Loc: loc, LastMod: modified, Images: found.compose(part{p.ID, n}, 0, 0)})
			room--
		}
	}
	return r, nil
}

// postLocations returns the addresses of posts of any type, with those of their later parts.
func (c *Renderer) postLocations(ctx context.Context, entries []entry) ([]located, error) {
	parts := map[int64]int{}
	var scan func(p *wp.Post, text string)
	if c.policy.parts != nil {
		scan = func(p *wp.Post, text string) {
			if n := len(c.policy.parts(text)); n > 1 {
				parts[p.ID] = n
			}
		}
	}
	posts, err := c.site.Posts(ctx, entryIDs(entries), scan)
	if err != nil {
		return nil, err
	}
	found := make([]located, 0, len(posts))
	for _, p := range posts {
		found = append(found, located{p.ID, p.Link})
		for n := 2; n <= parts[p.ID]; n++ {
			found = append(found, located{p.ID, c.links.Part(p.Link, n, c.links.IsFrontPage(p.ID), p.Status)})
		}
	}
	return found, nil
}
