package wpcore

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Where Yoast serves no sitemaps, WordPress' own answer: an index at wp-sitemap.xml, and
// files for post types, taxonomies and users. Yoast's settings mean nothing to them, and
// nothing in the database changes their rules, so that both levels follow them exactly; only
// the operator's [site.exclude] and exclude = true are heeded too.
//
// In one thing alone level spec does not follow them: a date that is zero is left out, where
// WordPress writes one of the year -1.

// PageSize is wp_sitemaps_get_max_urls(), whatever the operator wants.
func PageSize(*wp.Blog, int) int { return 2000 }

// Serves reports whether WordPress has sitemaps of its own on a blog, unless a plugin has taken their place.
func Serves(blog *wp.Blog) bool { return blog.Settings().Core.Sitemaps }

// settings are WordPress' own: no setting of a plugin means anything to it.
type settings struct{ blog *wp.Blog }

func (settings) PostType(t *registry.PostType) *seo.Reason {
	if t.Name == "attachment" {
		return seo.Never(Plugin.Name, "post type "+t.Name)
	}
	return nil
}

func (settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	if t.Unqueryable {
		return seo.Unqueryable(t)
	}
	return nil
}

func (s settings) AuthorTypes() []string {
	var types []string
	for _, t := range s.blog.Registry().PostTypes {
		if t.Public && t.Name != "attachment" && hasAuthors(s.blog, t.Name) {
			types = append(types, t.Name)
		}
	}
	return types
}

// hasAuthors reports whether the authors of a type are listed: of pages they were before 6.4.
func hasAuthors(blog *wp.Blog, postType string) bool {
	return postType != "page" || blog.WordPress().Before("6.4")
}

func (settings) Archive(postType string) *seo.Reason                         { return seo.NoArchive(Plugin.Name, postType) }
func (settings) Authors() *seo.Reason                                        { return nil }
func (settings) Load(context.Context) error                                  { return nil }
func (settings) Faults() seo.Faults                                          { return seo.Faults{} }
func (settings) Posts(context.Context, []int64) (map[int64]seo.Flags, error) { return nil, nil }
func (settings) Post(*wp.Post) seo.Flags                                     { return seo.Flags{} }
func (settings) PostEvidence(*wp.Post) []seo.Evidence                        { return nil }
func (settings) Term(string, int64) seo.Flags                                { return seo.Flags{} }
func (settings) TermEvidence(string, int64) []seo.Evidence                   { return nil }
func (settings) Author(*wp.Author) seo.Flags                                 { return seo.Flags{} }

// Decisions are WordPress' own.
var Decisions = &seo.Decisions{
	Checks:         []seo.Check{seo.NotPublishedCheck, seo.NotAMemberCheck, seo.ExcludedCheck, seo.JobFilledCheck},
	Internal:       (*seo.Rules).BelowHome,
	Protected:      func(bool, bool) bool { return false },
	AttachmentOpen: func(*seo.Rules, string) bool { return true },
	Filled: func(set *wp.Settings, postType, value string) bool {
		return set.Exclusions.HideFilled && wp.FilledForCore(postType, value)
	},
	FirstLink: seo.NamesPage,
	Changed: func(gmt int64) int64 {
		if gmt == wp.NoTime {
			return wp.ZeroTime
		}
		return gmt
	},
	TermInUse: func(_ *seo.Rules, _ string, _ bool, count int64) bool { return count > 0 },
	Home: func(r *seo.Rules, link string) seo.Verdict {
		return r.Judge(seo.Object{Kind: seo.KindArchive, Link: link})
	},
	EmptyIndex: true,
	Words: seo.DateWords{
		Post: func(*wp.Post) string { return "post_modified_gmt" },
		Archive: func(func(string) string, string) string {
			return "the newest change among the posts that the front page shows"
		},
	},
}

// Spec holds the decisions of level spec: WordPress' own, but for what a redirect manager sends elsewhere.
var Spec = func() *seo.Decisions {
	d := *Decisions
	d.Checks = slices.Concat([]seo.Check{seo.NotProductionCheck}, d.Checks, []seo.Check{seo.RedirectedCheck})
	d.Changed = func(gmt int64) int64 { return gmt }
	return &d
}()

// Policy is WordPress' own, at both levels: the dates are in the rows, and the index has none.
var Policy = provider.Policy{Local: true, Past: catalog.PastMissing, Encoding: urlset.Core}

// Lists makes the lists of WordPress' own sitemaps, in the order of their index: post types, taxonomies, users.
var Lists = provider.Provider{Lists: lists, Deltas: func(*seo.Rules) bool { return false }}

// lister holds what is needed only while a catalog of WordPress' own sitemaps is made.
type lister struct {
	*provider.Build
	authors  map[int64]bool // of a published post of any type but page
	homeDate int64          // of the front page that shows the latest posts
}

func lists(ctx context.Context, build *provider.Build) error {
	b := &lister{Build: build, authors: map[int64]bool{}, homeDate: wp.NoTime}
	if err := b.Rows.FindRedirected(ctx); err != nil {
		return err
	}
	for _, t := range b.Blog.Registry().PostTypes {
		if !t.Public || t.Name == "attachment" {
			continue
		}
		l, err := b.postTypeList(ctx, t)
		if err != nil {
			return err
		}
		if b.ListsPostType(t) {
			b.add(l)
		} else {
			b.Tally(l)
		}
	}
	for _, t := range b.Blog.Registry().Taxonomies {
		if !b.ListsTaxonomy(t) {
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
func (b *lister) add(l *catalog.List) {
	l.Extensions = urlset.Bare
	pages := l.Pages()
	if len(l.First) > 0 {
		pages = max(pages, 1)
	}
	l.Indexed = pages > 0
	l.Dates = slices.Repeat([]int64{wp.NoTime}, pages)
	b.Build.Add(l)
}

// postTypeList lists the published posts of a type by id, with their change as date, and
// home before the pages where the front page shows the latest posts. It notes the authors
// of all types but page.
func (b *lister) postTypeList(ctx context.Context, t *registry.PostType) (*catalog.List, error) {
	r := b.Renderer
	l := b.List(catalog.List{
		Name: b.Catalog.Scheme.Name(seo.KindPost, t.Name), Kind: seo.KindPost, Of: t.Name,
		Render: func(ctx context.Context, entries []catalog.Entry) (catalog.Rendered, error) {
			return postURLs(ctx, r, entries)
		},
		Locate: b.Renderer.PostLocations, Titles: b.Blog.PostTitles, Hints: b.Options.Hints.PostTypes[t.Name],
	})
	filled, err := b.filledJobs(ctx)
	if err != nil {
		return nil, err
	}
	unwanted, err := b.ExcludedPosts(ctx, nil)
	if err != nil {
		return nil, err
	}
	judge := func(id int64, link string) seo.Verdict {
		is := b.Filled(b.Blog.Settings(), t.Name, filled[id])
		return b.Judge(seo.Object{Kind: seo.KindPost, ID: id, Published: true, Filled: is, Unwanted: unwanted[id], Link: link})
	}
	var all []catalog.Entry // by date
	err = b.Blog.EachPost(ctx, t.Name, "publish", func(p wp.PostRow) error {
		if hasAuthors(b.Blog, t.Name) {
			b.authors[p.Author] = true
		}
		b.Rows.Note(t.Name, &p)
		if v := b.Unwanted(t.Name, p.Date); v != seo.Listed {
			unwanted[p.ID] = v
		}
		all = append(all, catalog.NewEntry(p.ID, b.Changed(p.ModifiedGMT), judge(p.ID, "")))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.Name == "post" {
		b.homeDate = homeDate(all, b.Blog.Settings().Core)
	}
	slices.SortFunc(all, func(x, y catalog.Entry) int { return cmp.Compare(x.ID, y.ID) })
	linked := idsWhere(all, func(id int64) bool { return len(b.Options.Exclude.URLs) > 0 || b.Rows.RedirectsPost(t, id) })
	for batch := range slices.Chunk(linked, seo.DefaultPageSize) {
		posts, err := b.Blog.Posts(ctx, batch, nil)
		if err != nil {
			return nil, err
		}
		for _, p := range posts {
			i, _ := slices.BinarySearchFunc(all, p.ID, func(e catalog.Entry, id int64) int { return cmp.Compare(e.ID, id) })
			all[i].Verdict = judge(p.ID, p.Link)
		}
	}
	l.Entries = b.listedOf(seo.KindPost, t.Name, all)
	if t.Name == "post" && b.Blog.WordPress().Before("6.1") {
		stickyFirst(l, b.Blog.Settings().Core.Sticky)
	}
	l.Dateless = undated(b.Blog)
	if set := b.Blog.Settings(); t.Name == "page" && set.ShowOnFront == "posts" {
		home := b.Blog.Home() + "/"
		if rule := b.Decisions.Home(b.Rules, home); rule != seo.Listed {
			b.Leave(rule, seo.Left{Kind: seo.KindArchive, Loc: home})
		} else {
			l.First = []catalog.FirstLink{{Loc: home, LastMod: b.homeDate}}
			if l.Dateless {
				l.First[0].LastMod = wp.NoTime
			}
		}
	}
	return l, nil
}

// undated reports whether entries have no date, as before 6.5.
func undated(blog *wp.Blog) bool { return blog.WordPress().Before("6.5") }

// stickyFirst puts sticky posts before the others, as queries did before 6.1.
func stickyFirst(l *catalog.List, sticky []int64) {
	l.Entries = slices.DeleteFunc(l.Entries, func(e catalog.Entry) bool {
		is := slices.Contains(sticky, e.ID)
		if is {
			l.First = append(l.First, catalog.FirstLink{PostID: e.ID, LastMod: e.LastMod()})
		}
		return is
	})
}

// filledJobs reads the meta by which WP Job Manager marks filled positions, by post.
func (b *lister) filledJobs(ctx context.Context) (map[int64]string, error) {
	if !b.Blog.Settings().Exclusions.HideFilled {
		return nil, nil
	}
	values, err := b.Blog.MetaByKeys(ctx, wp.MetaFilled)
	return values[wp.MetaFilled], err
}

// homeDate is the newest change among the posts the front page shows: the latest by
// date, and the sticky ones beside them. posts come by date.
func homeDate(posts []catalog.Entry, core wp.Core) int64 {
	shown := cmp.Or(core.PostsPerPage, math.MaxInt)
	sticky := make(map[int64]bool, len(core.Sticky))
	for _, id := range core.Sticky {
		sticky[id] = true
	}
	newest := wp.NoTime
	for i, p := range posts {
		if len(posts)-i <= shown || sticky[p.ID] {
			newest = max(newest, p.LastMod())
		}
	}
	return newest
}

// taxonomyList lists the terms in use by id, as the order "term_order" that core asks
// for has no column of its own. A parent counts by its own posts only.
func (b *lister) taxonomyList(ctx context.Context, t *registry.Taxonomy) (*catalog.List, error) {
	c := b.Renderer // what is kept must not hold on to the build
	l := b.List(catalog.List{
		Name: b.Catalog.Scheme.Name(seo.KindTerm, t.Name), Kind: seo.KindTerm, Of: t.Name,
		Locate: c.TermLocations(t), Titles: c.Blog.TermNames, Hints: c.Options.Hints.Taxonomies[t.Name],
		Render: catalog.LocatedURLs(c.TermLocations(t)),
	})
	terms, err := b.Blog.Terms(ctx, t)
	if err != nil {
		return nil, err
	}
	var all []catalog.Entry
	for _, term := range terms.All {
		if term.Count > 0 {
			all = append(all, catalog.NewEntry(term.ID, wp.NoTime, b.Judge(seo.Object{Kind: seo.KindTerm, ID: term.ID})))
		}
	}
	slices.SortFunc(all, func(x, y catalog.Entry) int { return cmp.Compare(x.ID, y.ID) })
	linked := idsWhere(all, func(id int64) bool { return len(b.Options.Exclude.URLs) > 0 || b.Rows.RedirectsTerm(id) })
	rows, err := b.Blog.TermsByID(ctx, t, linked)
	if err != nil {
		return nil, err
	}
	for _, term := range rows {
		if i, ok := slices.BinarySearchFunc(all, term.ID, func(e catalog.Entry, id int64) int { return cmp.Compare(e.ID, id) }); ok {
			all[i].Verdict = b.Judge(seo.Object{Kind: seo.KindTerm, ID: term.ID, Link: term.Link})
		}
	}
	l.Entries = b.listedOf(seo.KindTerm, t.Name, all)
	return l, nil
}

// userList lists the members of the site among the authors by login.
func (b *lister) userList(ctx context.Context) (*catalog.List, error) {
	users, err := b.Blog.Authors(ctx, slices.Collect(maps.Keys(b.authors)))
	if err != nil {
		return nil, err
	}
	if err := b.Blog.SortByLogin(ctx, users); err != nil {
		return nil, err
	}
	all := make([]catalog.Entry, len(users))
	for i, u := range users {
		all[i] = catalog.NewEntry(u.ID, wp.NoTime, b.JudgeAuthor(u))
	}
	return b.List(catalog.List{
		Name: b.Catalog.Scheme.Name(seo.KindUser, ""), Kind: seo.KindUser, Of: "author",
		Entries: b.listedOf(seo.KindUser, "", all), Render: catalog.LocatedURLs(b.Renderer.AuthorLocations),
		Locate: b.Renderer.AuthorLocations, Titles: b.Blog.UserNames, Hints: b.Options.Hints.Authors,
	}), nil
}

// idsWhere are the ids of those entries whose links have to be known.
func idsWhere(all []catalog.Entry, linked func(id int64) bool) []int64 {
	var ids []int64
	for _, e := range all {
		if linked(e.ID) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// listedOf keeps what is listed, and counts the rest.
func (b *lister) listedOf(kind seo.ObjectKind, of string, all []catalog.Entry) []catalog.Entry {
	for _, e := range all {
		if e.Verdict != seo.Listed {
			b.Leave(e.Verdict, seo.Left{Kind: kind, Of: of, ID: e.ID})
		}
	}
	return slices.Clip(slices.DeleteFunc(all, func(e catalog.Entry) bool { return e.Verdict != seo.Listed }))
}

// postURLs renders entries of a post type: address and date.
func postURLs(ctx context.Context, c *provider.Renderer, entries []catalog.Entry) (catalog.Rendered, error) {
	posts, err := c.Blog.Posts(ctx, catalog.EntryIDs(entries), nil)
	if err != nil {
		return catalog.Rendered{}, err
	}
	var r catalog.Rendered
	lastmod := catalog.Lastmods(entries)
	var found []catalog.Located
	for _, p := range posts {
		hidden, behind := c.MovedSinceListing(p, c.Changed(p.ModifiedGMT), lastmod[p.ID])
		r.Behind = r.Behind || behind
		if !hidden {
			found = append(found, catalog.Located{ID: p.ID, Loc: p.Link})
		}
	}
	r.URLs = catalog.EntryURLs(entries, found)
	for i := range r.URLs {
		if undated(c.Blog) {
			r.URLs[i].LastMod = wp.NoTime
		}
	}
	return r, nil
}

// NewSettings returns those of a blog.
func NewSettings(blog *wp.Blog, _ seo.Level) seo.PluginSettings { return settings{blog} }
