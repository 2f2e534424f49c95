package sitemap

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

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

const corePageSize = 2000 // wp_sitemaps_get_max_urls()

// Core reports whether a site's sitemaps are WordPress' own.
func Core(site *wp.Site) bool {
	y := &site.Settings().Yoast
	return !(y.Active && y.Wanted) && site.Settings().Core.Sitemaps
}

// coreSettings are WordPress' own: no setting of a plugin means anything to it.
type coreSettings struct{ site *wp.Site }

// On implements Settings.
func (s coreSettings) On() bool { return s.site.Settings().Core.Sitemaps }

// PostType implements Settings.
func (coreSettings) PostType(t *registry.PostType) *Reason {
	if t.Name == "attachment" {
		return &Reason{RuleNever, "This type never has a sitemap.", []Evidence{{"WordPress", "no sitemap of attachments", "post type " + t.Name}}}
	}
	return nil
}

// Taxonomy implements Settings.
func (coreSettings) Taxonomy(t *registry.Taxonomy) *Reason {
	if t.Unqueryable {
		return &Reason{RuleNotViewable, "Visitors cannot see posts of this type.", []Evidence{
			{string(t.Sources["public"]), "public = true, but publicly_queryable is false", "taxonomy " + t.Name},
		}}
	}
	return nil
}

// Authors implements Settings.
func (coreSettings) Authors() *Reason { return nil }

// AuthorTypes implements Settings.
func (s coreSettings) AuthorTypes() []string {
	var types []string
	for _, t := range s.site.Registry().PostTypes {
		if t.Public && t.Name != "page" && t.Name != "attachment" {
			types = append(types, t.Name)
		}
	}
	return types
}

// Archive implements Settings.
func (coreSettings) Archive(postType string) *Reason {
	return &Reason{
		Rule: RuleNoArchive, Sentence: "WordPress' own sitemaps hold no archives.",
		Evidence: []Evidence{{"WordPress", "no archives in its sitemaps", "archive of " + postType}},
	}
}

// Posts implements Settings.
func (coreSettings) Posts(context.Context, []int64) (map[int64]Flags, error) { return nil, nil }

// Post implements Settings.
func (coreSettings) Post(*wp.Post) Flags { return Flags{} }

// PostEvidence implements Settings.
func (coreSettings) PostEvidence(*wp.Post) []Evidence { return nil }

// Term implements Settings.
func (coreSettings) Term(string, int64) Flags { return Flags{} }

// TermEvidence implements Settings.
func (coreSettings) TermEvidence(string, int64) []Evidence { return nil }

// Author implements Settings.
func (coreSettings) Author(*wp.Author) Flags { return Flags{} }

// coreDecisions are WordPress' own, at both levels.
var coreDecisions = &Decisions{
	Checks:         []Check{notPublished, notAMember, operatorExcluded, jobFilled},
	Hides:          func(*wp.Settings) bool { return false },
	Internal:       (*Rules).belowHome,
	Protected:      func(bool, bool) bool { return false },
	AttachmentOpen: func(string) bool { return true },
	Filled: func(set *wp.Settings, postType, value string) bool {
		return set.Exclusions.HideFilled && wp.FilledForCore(postType, value)
	},
	FirstLink:  namesPage,
	Foreign:    func(*Rules) bool { return false },
	Changed:    func(gmt int64) int64 { return gmt },
	DatesTerms: func(*Rules, *registry.PostType) bool { return false },
	TermInUse:  func(_ bool, count int64) bool { return count > 0 },
	Home:       func(r *Rules, link string) Verdict { return r.judge(Object{Kind: KindArchive, Link: link}) },
	EmptyIndex: true,
	Words: DateWords{
		Post: func(*wp.Post) string { return "post_modified_gmt" },
		Archive: func(func(string) string, string) string {
			return "the newest change among the posts that the front page shows"
		},
	},
}

// corePolicy is WordPress' own, at both levels: the dates stand in the rows, and the index has none.
var corePolicy = Policy{past: pastMissing}

// CoreLists makes the lists of WordPress' own sitemaps, in the order of their index: post types, taxonomies, users.
var CoreLists = Provider{Lists: coreLists, Deltas: func(*Rules) bool { return false }}

// coreBuild holds what is needed only while a catalog of WordPress' own sitemaps is made.
type coreBuild struct {
	*build
	authors  map[int64]bool // of a published post of any type but page
	homeDate int64          // of the front page that shows the latest posts
}

func coreLists(ctx context.Context, build *build) error {
	b := &coreBuild{build: build, authors: map[int64]bool{}, homeDate: wp.NoTime}
	for _, t := range b.site.Registry().PostTypes {
		if !t.Public || t.Name == "attachment" {
			continue
		}
		l, err := b.postTypeList(ctx, t)
		if err != nil {
			return err
		}
		if b.listsPostType(t) {
			b.add(l)
		} else {
			b.tally(l)
		}
	}
	for _, t := range b.site.Registry().Taxonomies {
		if !b.listsTaxonomy(t) {
			continue
		}
		l, err := b.taxonomyList(ctx, t)
		if err != nil {
			return err
		}
		b.add(l)
	}
	l, err := b.userList(ctx)
	if err == nil {
		b.add(l)
	}
	return err
}

// add adds a list whose entries are complete. The index has no dates.
func (b *coreBuild) add(l *list) {
	l.extensions = urlset.Bare
	pages := l.pages()
	if len(l.first) > 0 {
		pages = max(pages, 1)
	}
	l.indexed = pages > 0
	l.dates = slices.Repeat([]int64{wp.NoTime}, pages)
	b.build.add(l)
}

// postTypeList lists the published posts of a type by id, with their change as date, and
// home before the pages where the front page shows the latest posts. It notes the authors
// of all types but page.
func (b *coreBuild) postTypeList(ctx context.Context, t *registry.PostType) (*list, error) {
	r := b.Renderer
	l := b.list(list{
		name: b.urls.Name(KindPost, t.Name), kind: KindPost, of: t.Name,
		render: func(ctx context.Context, entries []entry) (renderedRows, error) { return corePostURLs(ctx, r, entries) },
		locate: b.postLocations, titles: b.site.PostTitles, hints: b.opt.Hints.PostTypes[t.Name],
	})
	filled, err := b.filledJobs(ctx)
	if err != nil {
		return nil, err
	}
	var all []entry // by date
	err = b.site.EachPost(ctx, t.Name, "publish", func(p wp.PostRow) error {
		if t.Name != "page" {
			b.authors[p.Author] = true
		}
		all = append(all, newEntry(p.ID, p.ModifiedGMT, b.judge(Object{Kind: KindPost, ID: p.ID, Published: true, Filled: b.Filled(b.site.Settings(), t.Name, filled[p.ID])})))
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
				batch[i].rule = b.judge(Object{Kind: KindPost, ID: p.ID, Published: true, Filled: b.Filled(b.site.Settings(), t.Name, filled[p.ID]), Link: p.Link})
			}
		}
	}
	l.entries = b.listedOf(all)
	if set := b.site.Settings(); t.Name == "page" && set.ShowOnFront == "posts" {
		home := b.site.Home() + "/"
		if rule := b.Home(b.Rules, home); rule != Listed {
			b.skipped[rule]++
		} else {
			l.first = []firstLink{{loc: home, lastmod: b.homeDate}}
		}
	}
	return l, nil
}

// filledJobs reads the meta by which WP Job Manager marks filled positions, by post.
func (b *coreBuild) filledJobs(ctx context.Context) (map[int64]string, error) {
	if !b.site.Settings().Exclusions.HideFilled {
		return nil, nil
	}
	values, err := b.site.MetaByKeys(ctx, wp.MetaFilled)
	return values[wp.MetaFilled], err
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
	c := b.Renderer // what is kept must not hold on to the build
	l := b.list(list{
		name: b.urls.Name(KindTerm, t.Name), kind: KindTerm, of: t.Name,
		locate: c.termLocations(t), titles: c.site.TermNames, hints: c.opt.Hints.Taxonomies[t.Name],
		render: undated(func(ctx context.Context, entries []entry) ([]urlset.URL, error) {
			return coreTermURLs(ctx, c, t, entries)
		}),
	})
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
		all[i] = newEntry(u.ID, wp.NoTime, b.judgeAuthor(u))
	}
	return b.list(list{
		name: b.urls.Name(KindUser, ""), kind: KindUser, of: "author", entries: b.listedOf(all), render: undated(b.authorURLs),
		locate: b.authorLocations, titles: b.site.UserNames, hints: b.opt.Hints.Authors,
	}), nil
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

// corePostURLs renders entries of a post type: address and date.
func corePostURLs(ctx context.Context, c *Renderer, entries []entry) (renderedRows, error) {
	posts, err := c.site.Posts(ctx, entryIDs(entries), nil)
	if err != nil {
		return renderedRows{}, err
	}
	var r renderedRows
	lastmod, links := lastmods(entries), make(map[int64]string, len(posts))
	for _, p := range posts {
		hidden, behind := c.movedSinceListing(p, p.ModifiedGMT, lastmod[p.ID])
		r.behind = r.behind || behind
		if !hidden {
			links[p.ID] = p.Link
		}
	}
	r.urls = coreEntries(entries, links)
	return r, nil
}

// coreTermURLs renders entries of a taxonomy.
func coreTermURLs(ctx context.Context, c *Renderer, t *registry.Taxonomy, entries []entry) ([]urlset.URL, error) {
	terms, err := c.site.TermsByID(ctx, t, entryIDs(entries))
	if err != nil {
		return nil, err
	}
	links := make(map[int64]string, len(terms))
	for _, term := range terms {
		links[term.ID] = term.Link
	}
	return coreEntries(entries, links), nil
}

// coreEntries leaves out what has gone since the catalog was built.
func coreEntries(entries []entry, links map[int64]string) []urlset.URL {
	urls := make([]urlset.URL, 0, len(entries))
	for _, e := range entries {
		if link, ok := links[e.id]; ok {
			urls = append(urls, urlset.URL{Loc: link, LastMod: e.lastmod()})
		}
	}
	return urls
}
