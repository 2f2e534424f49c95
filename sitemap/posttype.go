package sitemap

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// build holds what is needed only while a catalog is made.
type build struct {
	*Catalog
	facts
	noindex   map[int64]string      // _yoast_wpseo_meta-robots-noindex
	canonical map[int64]string      // _yoast_wpseo_canonical
	filled    map[int64]string      // _filled, where that decides
	linksTo   map[int64]string      // _links_to, where that decides
	languages map[string][]language // of translated post types, as wp.Site.Languages
	news      newsBuild
	room      map[string]int  // about how many rows post types have
	before    *Catalog        // of a delta: the catalog it changes …
	dirty     map[string]bool // … in the rows of these post types
	tallied   map[Rule]int    // what was left out of the lists that are made
}

// run reads the rows of everything, and makes the lists.
func (b *build) run(ctx context.Context) error {
	b.prepareNews()
	if err := b.readAll(ctx); err != nil {
		return err
	}
	if err := b.speak(ctx); err != nil {
		return err
	}
	if err := b.readTaxonomies(ctx); err != nil {
		return err
	}
	return b.compose(ctx)
}

// readRows reads the rows of the post types, and what decides about them.
func (b *build) readRows(ctx context.Context) error {
	var err error
	var legacy *legacy
	if b.opt.Keep {
		if b.marks, err = b.site.Marks(ctx); err != nil {
			return err
		}
		if b.opt.Before != nil { // two catalogs' facts at a time would be too much
			if legacy = b.opt.Before.retire(); legacy != nil {
				b.room = legacy.sizes
			}
		}
	}
	values, err := b.site.MetaByKeys(ctx, b.site.DecisiveMeta()...)
	if err != nil {
		return err
	}
	b.decideBy(values)
	for _, t := range b.site.Registry().PostTypes {
		switch {
		case b.reads(t):
			err = b.readPosts(ctx, t)
		case b.opt.Keep && t.Name == "attachment":
			err = b.watchAttachments(ctx, t)
		}
		if err != nil {
			return err
		}
	}
	if b.opt.Keep {
		b.decided = b.decisions()
		b.inherit(legacy)
		if b.due, err = b.nextDue(ctx); err != nil {
			return err
		}
	}
	return nil
}

// finish makes the fingerprints, and keeps the facts where deltas are to follow.
func (b *build) finish() {
	b.fingerprint()
	if !b.opt.Keep {
		return
	}
	b.Catalog.opt.Before = nil
	b.kept = &keptFacts{}
	if b.takesDeltas() {
		kept := b.facts // by itself, as it must not hold on to the build
		b.kept.facts.Store(&kept)
	} else {
		b.kept.left.Store(b.legacy())
	}
}

// reads reports whether the rows of a post type are read: of all that are listed, and of those
// other lists' dates depend on.
func (c *Catalog) reads(t *registry.PostType) bool {
	if t.Name == "attachment" && c.site.Languages() == nil { // those with terms are read for their terms
		return c.listsPostType(t) || c.policy.posts.datesTerms(c, t)
	}
	return t.Public && t.Viewable || t.Name == "post"
}

// compose makes the lists of the rows, in the order of the plugin's index: post types, taxonomies,
// authors, videos, news. What a delta has not touched costs it little.
func (b *build) compose(ctx context.Context) error {
	var pages *list
	for _, t := range b.site.Registry().PostTypes {
		if !b.listsPostType(t) {
			continue
		}
		l, err := b.postTypeList(ctx, t)
		if err != nil {
			return err
		}
		b.tally(l)
		b.lists = append(b.lists, l)
		if t.Name == "page" {
			pages = l
		}
	}
	b.policy.first.once(b, pages)
	for _, l := range b.lists {
		l.dates = b.policy.posts.dates(b, l)
	}
	for _, t := range b.site.Registry().Taxonomies {
		if !b.listsTaxonomy(t) {
			continue
		}
		l, err := b.taxonomyList(ctx, t)
		if err != nil {
			return err
		}
		b.tally(l)
		b.lists = append(b.lists, l)
	}
	if _, off := b.site.Settings().Yoast.AuthorsDisabled(); !off {
		l, err := b.authorList(ctx)
		if err != nil {
			return err
		}
		b.tally(l)
		b.lists = append(b.lists, l)
	}
	if err := b.translateFirstLinks(ctx); err != nil {
		return err
	}
	for _, extension := range []func(context.Context) (*list, error){b.videoList, b.newsList} {
		l, err := extension(ctx)
		if err != nil {
			return err
		}
		if l != nil {
			b.tally(l)
			b.lists = append(b.lists, l)
		}
	}
	return nil
}

// listsPostType reports whether a post type has a sitemap: public, viewable, and neither
// disabled nor noindexed in Yoast's settings.
func (c *Catalog) listsPostType(t *registry.PostType) bool {
	y := &c.site.Settings().Yoast
	return t.Public && t.Viewable && !c.site.TypeExcluded(t.Name) && !y.PostTypeDisabled(t.Name) && !y.PostTypeNoindex(t.Name)
}

// statuses are those of the rows of a post type that are read.
func (b *build) statuses(ctx context.Context, t *registry.PostType) ([]string, error) {
	if t.Name == "attachment" { // their own status does not matter, that of the parent does
		return b.site.PostStatuses(ctx, t.Name)
	}
	return []string{"publish", "inherit"}, nil
}

// readPosts reads the narrow rows of a post type and decides about each.
func (b *build) readPosts(ctx context.Context, t *registry.PostType) error {
	statuses, err := b.statuses(ctx, t)
	if err != nil {
		return err
	}
	rows := make([]postRow, 0, b.room[t.Name]+b.room[t.Name]/32) // to grow takes both, the old and the new
	var undecided []int64
	for _, status := range statuses {
		err := b.site.EachPost(ctx, t.Name, status, func(p wp.PostRow) error {
			r, decided := b.row(t, status, &p)
			rows = append(rows, r)
			if !decided {
				undecided = append(undecided, p.ID)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(rows, func(x, y postRow) int { return cmp.Compare(x.id, y.id) })
	if b.opt.Keep && cap(rows)-len(rows) > len(rows)/16 {
		rows = slices.Clone(rows) // without the room to grow
	}
	b.posts[t.Name] = rows
	return b.decide(ctx, t, undecided)
}

// row decides about a post as far as its narrow row tells; where its link has to be known it
// is not decided.
func (b *build) row(t *registry.PostType, status string, p *wp.PostRow) (r postRow, decided bool) {
	protected := b.protected(p.Protected, p.NullPassword)
	r = postRow{
		id: p.ID, author: b.number(p.Author), stamp: p.Stamp, modified: at(p.Modified), modifiedGMT: b.changed(p.ModifiedGMT),
		lastmod: at(max(p.ModifiedGMT, p.DateGMT)), status: statusOf(status), protected: protected,
	}
	o := Object{Kind: KindPost, ID: p.ID, Published: status == "publish", ZeroDate: p.ZeroDate, Protected: protected, Noindex: b.noindex[p.ID] == "1"}
	if t.Name == "attachment" {
		o.Published = b.policy.posts.open(r.status)
		o.ParentHidden = p.ParentStatus != "publish" || b.protected(!p.ParentOpen, p.NullParentPassword)
	}
	o.Filled = wp.Filled(t.Name, b.filled[p.ID])
	o.LinksTo = b.linksTo[p.ID]
	o.NoAddress = p.NoName && b.namedInLinks(t)
	o.FirstLink = t.Name == "page" && b.isFirstLink(p.ID)
	r.rule = b.judge(o)
	if status == "publish" {
		b.news.see(t.Name, p)
	}
	return r, r.rule != Listed || b.canonical[p.ID] == "" && len(b.opt.Exclude.URLs) == 0 && (t.Name != "attachment" || !b.hasDomains())
}

// protected reports whether a post is not open to all, by what its row says of post_password.
func (c *Catalog) protected(set, null bool) bool {
	return c.policy.protected(set, null)
}

// decide judges rows by their links.
func (b *build) decide(ctx context.Context, t *registry.PostType, ids []int64) error {
	rows := b.posts[t.Name]
	for batch := range slices.Chunk(ids, DefaultPageSize) {
		posts, err := b.site.Posts(ctx, batch, nil)
		if err != nil {
			return err
		}
		for _, p := range posts {
			i, ok := findPost(rows, p.ID)
			if ok {
				o := Object{Kind: KindPost, ID: p.ID, Published: true, Canonical: p.Canonical(), Link: p.Link}
				if b.site.TranslatesPostType(t.Name) {
					o.Language = p.Language
				}
				rows[i].rule = b.judge(o)
			}
		}
	}
	return nil
}

// namedInLinks reports whether the links of a post type are made of post_name alone, so that
// without one a post has the address of something else.
func (c *Catalog) namedInLinks(t *registry.PostType) bool {
	pretty := c.links.Pretty()
	switch {
	case t.Name == "post":
		return pretty && !c.links.Needs("post_id") && (c.links.Needs("postname") || c.links.Needs("pagename"))
	case t.BuiltIn:
		return pretty
	}
	return pretty && t.Rewrite || t.QueryVar != ""
}

// isFirstLink reports whether a page is the front page or the posts page.
func (c *Catalog) isFirstLink(id int64) bool { return c.policy.first.is(c.site.Settings(), id) }

// postTypeList orders the rows of a post type and puts its first links before them.
func (b *build) postTypeList(ctx context.Context, t *registry.PostType) (*list, error) {
	rows := b.posts[t.Name]
	l := &list{
		name: t.Name, changes: b.changes[t.Name], past: b.policy.posts.past, ofPosts: true, render: b.postURLs, piecewise: true,
		locate: b.postLocations, titles: b.site.PostTitles, hints: b.opt.Hints.PostTypes[t.Name],
	}
	for i := range rows {
		if rule := rows[i].rule; rule != Listed {
			b.skipped[rule]++
		}
	}
	if before := b.unchanged(t.Name); before != nil {
		l.entries, l.prints = before.entries, before.prints
	} else {
		b.order(l, rows)
	}
	var err error
	if !b.hidden() {
		if l.first, err = b.policy.first.links(b, ctx, t, l); err != nil {
			return nil, err
		}
		if b.site.TranslatesPostType(t.Name) {
			if err := b.policy.first.languages(b, ctx, t, l); err != nil {
				return nil, err
			}
		}
	}
	if b.translated.alternates && b.site.TranslatesPostType(t.Name) {
		l.extensions = urlset.Images | urlset.Alternates
	}
	l.indexed = b.policy.posts.indexed(t, l)
	return l, nil
}

// order makes the entries of a list of the rows of its post type.
func (b *build) order(l *list, rows []postRow) {
	takes := func(r *postRow) bool { return b.policy.posts.takesPlace(r.rule) }
	n := 0
	for i := range rows {
		if takes(&rows[i]) {
			n++
		}
	}
	l.entries = make([]entry, 0, n)
	if b.policy.posts.order == nil {
		for i := range rows {
			if r := &rows[i]; takes(r) {
				l.entries = append(l.entries, entry{r.id, r.lastmod, r.rule})
			}
		}
		return
	}
	ordered := make([]int32, 0, n)
	for i := range rows {
		if takes(&rows[i]) {
			ordered = append(ordered, int32(i))
		}
	}
	b.policy.posts.order(rows, ordered)
	for _, i := range ordered {
		l.entries = append(l.entries, entry{rows[i].id, rows[i].lastmod, rows[i].rule})
	}
}

// unchanged returns the list that a delta has nothing to change in, nil without one.
func (b *build) unchanged(name string) *list {
	if b.before == nil || b.dirty[name] {
		return nil
	}
	for _, l := range b.before.lists {
		if l.name == name {
			return l
		}
	}
	return nil
}

// changed is the date of a post's change (post_modified_gmt) as those of others are made of it.
func (b *build) changed(gmt int64) when { return at(b.policy.posts.changed(gmt)) }

// newestListed is the newest lastmod that a list has.
func (b *build) newestListed(l *list) int64 {
	newest := wp.NoTime
	for _, e := range l.entries {
		if e.rule == Listed {
			newest = max(newest, e.lastmod())
		}
	}
	return newest
}

// newestRow is the newest change of any published row of a post type, hidden ones included.
func (b *build) newestRow(l *list) int64 {
	newest := wp.NoTime
	for _, r := range b.posts[l.name] {
		if r.status != otherwise {
			newest = max(newest, r.modifiedGMT.unix())
		}
	}
	return newest
}

// newestOf is the date of a post type's archive.
func (b *build) newestOf(l *list) int64 { return b.policy.posts.newest(b, l) }

// ownFirstLinks are the addresses before the posts by level spec: the front page before the pages, the posts page or
// home before the posts, before any other type its archive where that has posts and is no page itself.
func (b *build) ownFirstLinks(ctx context.Context, t *registry.PostType, l *list) ([]firstLink, error) {
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

// yoastFirstLinks are those by the plugin's rules.
func (b *build) yoastFirstLinks(ctx context.Context, t *registry.PostType, l *list) ([]firstLink, error) {
	switch {
	case t.Name == "page":
		return b.yoastFrontPage(ctx)
	case t.Name == "post" && b.site.Settings().ShowOnFront == "posts":
		return b.homeOfPosts(l), nil
	case t.Name == "post":
		return b.postsPage(ctx, t, b.newestOf(l))
	case !t.HasArchive:
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
	if rule := b.judge(Object{Kind: KindArchive, ArchiveNoindex: b.site.Settings().Yoast.ArchiveNoindex(t.Name), Link: link}); rule != Listed {
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
	switch rule := b.judgeFrontPage(p); rule {
	case Listed:
		return []firstLink{{postID: p.ID, lastmod: max(p.ModifiedGMT, p.DateGMT)}}, nil
	case ExternalLink: // of another language: here the latest posts are on the front page
		return []firstLink{b.home()}, nil
	default:
		b.skipped[rule]++
		return nil, nil
	}
}

// yoastFrontPage is the front page by the plugin's rules, which falls back to the bare home address where the page that
// stands there is refused.
func (b *build) yoastFrontPage(ctx context.Context) ([]firstLink, error) {
	if b.site.Settings().PageOnFront <= 0 {
		return []firstLink{b.home()}, nil
	}
	p, err := b.frontPageRow(ctx)
	if err != nil || p == nil { // deleted: the plugin's entry has an empty address
		return nil, err
	}
	switch rule := b.judgeFrontPage(p); rule {
	case Listed:
		return []firstLink{{postID: p.ID, lastmod: max(p.ModifiedGMT, p.DateGMT)}}, nil
	case OperatorExcluded:
		b.skipped[rule]++
		return nil, nil
	}
	return []firstLink{b.home()}, nil
}

func (c *Catalog) judgeFrontPage(p *wp.Post) Rule {
	return c.judge(Object{Kind: KindFrontPage, ID: p.ID, Published: p.Status == "publish", Protected: p.Protected, Noindex: p.Noindex() == "1", Canonical: p.Canonical(), Link: p.Link})
}

func (c *Catalog) judgePostsPage(p *wp.Post) Rule {
	return c.judge(Object{
		Kind: KindPostsPage, ID: p.ID, Published: p.Status == "publish", Protected: p.Protected,
		ArchiveNoindex: c.site.Settings().Yoast.ArchiveNoindex("post"), Noindex: p.Noindex() == "1", Canonical: p.Canonical(), Link: p.Link,
	})
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
	if rule := b.judgePostsPage(p); rule != Listed {
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
		if l.name == "post" && l.indexed && len(l.first) > 0 && l.first[0].loc == pages.first[0].loc {
			pages.first = nil
			pages.indexed = len(pages.entries) > 0
			return
		}
	}
}

// yoastPostDates are the dates of a post type's pages in the index by the plugin's rule: the first and the last page
// carry the newest change of any published row; page k between carries that of row k*size in the order of changes,
// hidden rows counted in.
func (b *build) yoastPostDates(l *list) []int64 {
	dates := make([]int64, b.pages(l))
	newest := b.newestRow(l)
	var changes []int64
	if len(dates) > 2 {
		for _, r := range b.posts[l.name] {
			if r.status == published || r.status == inherited && l.name == "attachment" {
				changes = append(changes, r.modifiedGMT.unix())
			}
		}
		slices.Sort(changes)
	}
	for i := range dates {
		dates[i] = newest
		if row := (i+1)*b.opt.PageSize - 1; i > 0 && i < len(dates)-1 {
			dates[i] = wp.NoTime
			if row < len(changes) {
				dates[i] = changes[row]
			}
		}
	}
	return dates
}

// lastmods returns the dates of entries by id.
func lastmods(entries []entry) map[int64]int64 {
	dates := make(map[int64]int64, len(entries))
	for _, e := range entries {
		dates[e.id] = e.lastmod()
	}
	return dates
}

// compare looks at the row of a post that the catalog lists with a date. The row may have changed
// since: an address must not come with the date of another one, and that of a post in the trash
// not at all.
func (c *Catalog) compare(p *wp.Post, modified, listed int64) (hidden, behind bool) {
	hidden = !strings.EqualFold(p.Status, "publish") && p.Type != "attachment" && !c.isFirstLink(p.ID)
	return hidden, hidden || modified != listed
}

// postURLs renders entries of any post type.
func (c *Catalog) postURLs(ctx context.Context, entries []entry) (renderedRows, error) {
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
		hidden, behind := c.compare(p, modified, lastmod[p.ID])
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
