package sitemap

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Where Yoast serves no sitemaps, WordPress' own answer: an index at wp-sitemap.xml, and
// files for post types, taxonomies and users. Yoast's settings mean nothing to them, and
// nothing in the database changes their rules, so that both levels follow them exactly; only
// the operator's [site.exclude] and exclude = true are heeded too.
//
// In one thing alone they are not followed: a date that is zero is left out, where
// WordPress writes one of the year -1.

const (
	// CoreIndexFile is the file name of their index.
	CoreIndexFile = "wp-sitemap.xml"
	// CoreUsers is the name of their list of users. Those of a post type or taxonomy are
	// CorePosts or CoreTaxonomies before its name.
	CoreUsers      = "users"
	CorePosts      = "posts-"
	CoreTaxonomies = "taxonomies-"

	corePageSize = 2000 // wp_sitemaps_get_max_urls()
)

// Core reports whether a site's sitemaps are WordPress' own.
func Core(site *wp.Site) bool {
	y := &site.Settings().Yoast
	return !(y.Active && y.Wanted) && site.Settings().Core.Sitemaps
}

// prepareCore sets what differs from Yoast's sitemaps in the whole catalog.
func (c *Catalog) prepareCore() {
	c.policy = &corePolicy
	c.opt.PageSize = corePageSize
	c.owned = map[string]bool{IndexName: true, CoreUsers: true, TextName: c.opt.Text, AtomName: c.opt.Atom}
	c.own(CorePosts, CoreTaxonomies)
}

// coreBuild holds what is needed only while a catalog of WordPress' own sitemaps is made.
type coreBuild struct {
	*build
	authors  map[int64]bool // of a published post of any type but page
	homeDate int64          // of the front page that shows the latest posts
}

// run makes the lists in the order of core's index: post types, taxonomies, users.
func (b *coreBuild) run(ctx context.Context) error {
	for _, t := range b.site.Registry().PostTypes {
		if !t.Public || t.Name == "attachment" {
			continue
		}
		l, err := b.postTypeList(ctx, t)
		if err != nil {
			return err
		}
		b.tally(l)
		if t.Viewable && !b.site.TypeExcluded(t.Name) {
			b.add(l)
		}
	}
	for _, t := range b.site.Registry().Taxonomies {
		if !t.Public || t.Unqueryable || b.site.TaxonomyExcluded(t.Name) {
			continue
		}
		l, err := b.taxonomyList(ctx, t)
		if err != nil {
			return err
		}
		b.tally(l)
		b.add(l)
	}
	l, err := b.userList(ctx)
	if err != nil {
		return err
	}
	b.tally(l)
	b.add(l)
	return nil
}

// add adds a list whose entries are complete. The index has no dates.
func (b *coreBuild) add(l *list) {
	l.extensions = urlset.Bare
	pages := b.pages(l)
	if len(l.first) > 0 {
		pages = max(pages, 1)
	}
	l.indexed = pages > 0
	l.dates = slices.Repeat([]int64{wp.NoTime}, pages)
	b.lists = append(b.lists, l)
}

// postTypeList lists the published posts of a type by id, with their change as date, and
// home before the pages where the front page shows the latest posts. It notes the authors
// of all types but page.
func (b *coreBuild) postTypeList(ctx context.Context, t *registry.PostType) (*list, error) {
	l := &list{
		name: CorePosts + t.Name, render: b.corePostURLs,
		locate: b.postLocations, titles: b.site.PostTitles, hints: b.opt.Hints.PostTypes[t.Name],
	}
	filled, err := b.filledJobs(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	var all []entry // by date
	err = b.site.EachPost(ctx, t.Name, "publish", func(p wp.PostRow) error {
		if t.Name != "page" {
			b.authors[p.Author] = true
		}
		all = append(all, newEntry(p.ID, p.ModifiedGMT, b.judge(Object{Kind: KindPost, ID: p.ID, Published: true, Filled: filled(p.ID)})))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.Name == "post" {
		b.homeDate = coreHomeDate(all, b.site.Settings().Core)
	}
	slices.SortFunc(all, func(x, y entry) int { return cmp.Compare(x.id, y.id) })
	if len(b.opt.Exclude.URLs) > 0 {
		for batch := range slices.Chunk(all, DefaultPageSize) {
			posts, err := b.site.Posts(ctx, entryIDs(batch), nil)
			if err != nil {
				return nil, err
			}
			for _, p := range posts {
				i, _ := slices.BinarySearchFunc(batch, p.ID, func(e entry, id int64) int { return cmp.Compare(e.id, id) })
				batch[i].rule = b.judge(Object{Kind: KindPost, ID: p.ID, Published: true, Filled: filled(p.ID), Link: p.Link})
			}
		}
	}
	l.entries = b.listedOf(all)
	if set := b.site.Settings(); t.Name == "page" && set.ShowOnFront == "posts" {
		home := b.site.Home() + "/"
		if rule := b.judge(Object{Kind: KindArchive, Link: home}); rule != Listed {
			b.skipped[rule]++
		} else {
			l.first = []firstLink{{loc: home, lastmod: b.homeDate}}
		}
	}
	return l, nil
}

// filledJobs tells of the posts of a type which are filled positions that WP Job Manager hides.
func (b *coreBuild) filledJobs(ctx context.Context, postType string) (func(id int64) bool, error) {
	if !b.site.Settings().Exclusions.HideFilled || !wp.FilledForCore(postType, "") {
		return func(int64) bool { return false }, nil
	}
	values, err := b.site.MetaByKeys(ctx, wp.MetaFilled)
	return func(id int64) bool { return wp.FilledForCore(postType, values[wp.MetaFilled][id]) }, err
}

// coreHomeDate is the newest change among the posts the front page shows: the latest by
// date, and the sticky ones beside them. posts come by date.
func coreHomeDate(posts []entry, core wp.Core) int64 {
	shown := core.PostsPerPage
	if shown == 0 {
		shown = math.MaxInt
	}
	sticky := make(map[int64]bool, len(core.Sticky))
	for _, id := range core.Sticky {
		sticky[id] = true
	}
	newest := wp.NoTime
	for i, p := range posts {
		if len(posts)-i <= shown || sticky[p.id] {
			newest = max(newest, p.lastmod())
		}
	}
	return newest
}

// taxonomyList lists the terms in use by id, as the order "term_order" that core asks
// for has no column of its own. A parent counts by its own posts only.
func (b *coreBuild) taxonomyList(ctx context.Context, t *registry.Taxonomy) (*list, error) {
	c := b.Catalog // what is kept must not hold on to the build
	l := &list{
		name: CoreTaxonomies + t.Name, locate: c.termLocations(t), titles: c.site.TermNames, hints: c.opt.Hints.Taxonomies[t.Name],
		render: undated(func(ctx context.Context, entries []entry) ([]urlset.URL, error) {
			return c.coreTermURLs(ctx, t, entries)
		}),
	}
	terms, err := b.site.Terms(ctx, t)
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, term := range terms.All {
		if term.Count > 0 {
			all = append(all, newEntry(term.ID, wp.NoTime, b.judge(Object{Kind: KindTerm, ID: term.ID})))
		}
	}
	slices.SortFunc(all, func(x, y entry) int { return cmp.Compare(x.id, y.id) })
	if len(b.opt.Exclude.URLs) > 0 {
		links := map[int64]string{}
		rows, err := b.site.TermsByID(ctx, t, entryIDs(all))
		if err != nil {
			return nil, err
		}
		for _, term := range rows {
			links[term.ID] = term.Link
		}
		for i, e := range all {
			all[i].rule = b.judge(Object{Kind: KindTerm, ID: e.id, Link: links[e.id]})
		}
	}
	l.entries = b.listedOf(all)
	return l, nil
}

// userList lists the members of the site among the authors by login.
func (b *coreBuild) userList(ctx context.Context) (*list, error) {
	users, err := b.site.Authors(ctx, slices.Collect(maps.Keys(b.authors)))
	if err != nil {
		return nil, err
	}
	if err := b.site.SortByLogin(ctx, users); err != nil {
		return nil, err
	}
	all := make([]entry, len(users))
	for i, u := range users {
		all[i] = newEntry(u.ID, wp.NoTime, b.judge(Object{Kind: KindUser, ID: u.ID, NotAMember: !u.Member, Link: u.Link}))
	}
	return &list{
		name: CoreUsers, entries: b.listedOf(all), render: undated(b.authorURLs),
		locate: b.authorLocations, titles: b.site.UserNames, hints: b.opt.Hints.Authors,
	}, nil
}

// listedOf keeps what is listed, and counts the rest.
func (b *coreBuild) listedOf(all []entry) []entry {
	for _, e := range all {
		if e.rule != Listed {
			b.skipped[e.rule]++
		}
	}
	return slices.Clip(slices.DeleteFunc(all, func(e entry) bool { return e.rule != Listed }))
}

func entryIDs(entries []entry) []int64 {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	return ids
}

// corePostURLs renders entries of a post type: address and date.
func (c *Catalog) corePostURLs(ctx context.Context, entries []entry) (renderedRows, error) {
	posts, err := c.site.Posts(ctx, entryIDs(entries), nil)
	if err != nil {
		return renderedRows{}, err
	}
	var r renderedRows
	lastmod, links := lastmods(entries), make(map[int64]string, len(posts))
	for _, p := range posts {
		hidden, behind := c.compare(p, p.ModifiedGMT, lastmod[p.ID])
		r.behind = r.behind || behind
		if !hidden {
			links[p.ID] = p.Link
		}
	}
	r.urls = coreURLs(entries, links)
	return r, nil
}

// coreTermURLs renders entries of a taxonomy.
func (c *Catalog) coreTermURLs(ctx context.Context, t *registry.Taxonomy, entries []entry) ([]urlset.URL, error) {
	terms, err := c.site.TermsByID(ctx, t, entryIDs(entries))
	if err != nil {
		return nil, err
	}
	links := make(map[int64]string, len(terms))
	for _, term := range terms {
		links[term.ID] = term.Link
	}
	return coreURLs(entries, links), nil
}

// coreURLs leaves out what has gone since the catalog was built.
func coreURLs(entries []entry, links map[int64]string) []urlset.URL {
	urls := make([]urlset.URL, 0, len(entries))
	for _, e := range entries {
		if link, ok := links[e.id]; ok {
			urls = append(urls, urlset.URL{Loc: link, LastMod: e.lastmod()})
		}
	}
	return urls
}

// coreFilename is the name of a file; IndexName has but one.
func coreFilename(name string, page int) string {
	if name == IndexName {
		return CoreIndexFile
	}
	return "wp-sitemap-" + name + "-" + strconv.Itoa(page) + ".xml"
}

// coreURL is the address of a file: always directly below home, and a query string on
// sites without a permalink structure.
func (c *Catalog) coreURL(file string) string {
	if c.links.Pretty() {
		return c.site.Home() + "/" + file
	}
	if file == CoreIndexFile {
		return c.site.Home() + "/?sitemap=index"
	}
	rest := strings.TrimSuffix(strings.TrimPrefix(file, "wp-sitemap-"), ".xml")
	name, page, _ := cutLast(rest, "-")
	provider, subtype, typed := strings.Cut(name, "-")
	query := "/?sitemap=" + provider
	if typed {
		query += "&sitemap-subtype=" + subtype
	}
	return c.site.Home() + query + "&paged=" + page
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// coreXSL is the address of the stylesheet of a kind of document, relative to the host.
func (c *Catalog) coreXSL(kind urlset.Kind) string {
	switch {
	case !c.links.Pretty() && kind == urlset.Index:
		return "/?sitemap-stylesheet=index"
	case !c.links.Pretty():
		return "/?sitemap-stylesheet=sitemap"
	case kind == urlset.Index:
		return "/wp-sitemap-index.xsl"
	}
	return "/wp-sitemap.xsl"
}
