package aioseo

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// layout is what the lists of addresses that are no posts depend on, beside what is in them.
type layout struct {
	hints  bool                                     // entries have a priority and a changefreq
	newest func(b *provider.Build, of string) int64 // date of the archive of a post type
	home   func(context.Context, *provider.Build) (int64, error)
	term   func(t *rows.TermDates) int64            // date of an attribute of products
	site   func(b *provider.Build, own int64) int64 // date in the index of archives by date and of attributes
	past   catalog.PastEnd                          // of archives
}

// linkList returns a list of addresses without objects.
func linkList(b *provider.Build, name string, links []catalog.FirstLink) *catalog.List {
	l := b.List(catalog.List{
		Name: name, Kind: seo.KindOther, First: links, Extensions: urlset.Bare, Past: b.Renderer.Policy.Past,
	})
	l.Places, l.Indexed = true, len(links) > 0
	l.Dates = l.PageDates()
	return l
}

// one keeps all links of a list on one page.
func one(l *catalog.List) *catalog.List {
	l.Size = urlset.MaxEntries
	if len(l.First) > l.Size {
		l.First = l.First[:l.Size]
	}
	l.Dates = l.PageDates()
	return l
}

// names are the lists that only this plugin has.
func names(r *seo.Rules) map[string]bool {
	return map[string]bool{extraName: true, archiveName: !leavesArchives(r), dateName: true, attributesName: true}
}

// leavesArchives reports whether there may be an archive of which only the site can tell, so that it answers for all of them.
func leavesArchives(r *seo.Rules) bool {
	return slices.ContainsFunc(r.PostTypes(), func(t *registry.PostType) bool {
		return t.Undecided && t.HasArchive && r.Settings.PostType(t) == nil
	})
}

// extra lists the pages that the administrator has added, and home where no page is there.
func (y *layout) extra(ctx context.Context, b *provider.Build) error {
	if b.Hidden() {
		return nil
	}
	own := b.Settings.(*settings)
	var links []catalog.FirstLink
	if homeIsExtra(b) {
		home, err := b.Home(), error(nil)
		if home.LastMod, err = y.home(ctx, b); err != nil {
			return err
		}
		if y.hints {
			home.Hints = own.homeHints()
		}
		if rule := b.JudgeArchive("", home.Loc); rule == seo.Listed {
			links = append(links, home)
		} else {
			b.Leave(rule, seo.Left{Kind: seo.KindArchive, Loc: home.Loc})
		}
	}
	for _, p := range own.extraPages() {
		if rule := b.JudgeArchive("", p.loc); rule != seo.Listed {
			b.Leave(rule, seo.Left{Kind: seo.KindArchive, Loc: p.loc})
			continue
		}
		link := catalog.FirstLink{Loc: p.loc, LastMod: p.modified}
		if y.hints {
			link.Loc, link.Hints = escaped(decoded(p.loc)), p.hints
			if own.before("4.8.3.1") {
				link.LastMod = max(link.LastMod, 0) // no date is PHP's first one
			}
		}
		links = append(links, link)
	}
	l := linkList(b, extraName, links)
	if y.hints {
		extraDates(b, l)
	}
	b.Add(l)
	return nil
}

// extraDates dates the pages in the index as the plugin does, which counts home last and lists it first, and there has the
// newest date of the site for it.
func extraDates(b *provider.Build, l *catalog.List) {
	counted := slices.Clone(l.First)
	if len(counted) > 0 && homeIsExtra(b) {
		counted[0].LastMod = newestOfSite(b)
		if !b.Settings.(*settings).before("4.4.7") {
			counted = append(counted[1:], counted[0])
		}
	}
	for i := range l.Dates {
		l.Dates[i] = counted[i*l.Size].LastMod
	}
}

// homeIsExtra reports whether home is among the pages that were added, as it is no page itself.
func homeIsExtra(b *provider.Build) bool {
	page := b.Blog.Registry().PostType("page")
	switch {
	case b.Blog.Languages() != nil && !b.EveryLanguage:
		return false
	case b.Blog.Settings().ShowOnFront == "posts", page == nil, !b.ListsPostType(page):
		return true
	}
	return !b.Settings.(*settings).spec && !included(b, page)
}

// enabled reports whether the plugin lists anything: with a list of post types of which none is left it does not.
func enabled(b *provider.Build) bool {
	own := b.Settings.(*settings)
	return own.spec || own.list("postTypes") == nil || slices.ContainsFunc(b.PostTypes(), func(t *registry.PostType) bool {
		return t.Public && t.Viewable && own.includes("postTypes", t.Name) && included(b, t)
	})
}

// included reports whether the plugin counts a post type with a sitemap: one that is set to noindex where a post is not.
func included(b *provider.Build, t *registry.PostType) bool {
	own := b.Settings.(*settings)
	if _, off := own.typeNoindex(t.Name); !off || own.denied != nil { // of which it is not known
		return true
	}
	return slices.ContainsFunc(b.Rows.Posts[t.Name], func(r rows.PostRow) bool { return r.Status == rows.Published && b.Rows.Flags[r.ID].Index })
}

// archives lists the archives of post types.
func (y *layout) archives(ctx context.Context, b *provider.Build) error {
	if b.Hidden() || leavesArchives(b.Rules) {
		return nil
	}
	own := b.Settings.(*settings)
	var links []catalog.FirstLink
	for _, t := range b.PostTypes() {
		if !t.HasArchive || t.Name == "post" || !b.ListsPostType(t) || t.Name == "product" && b.Blog.Settings().Woo.Active {
			continue
		}
		newest := y.newest(b, t.Name)
		if newest == wp.NoTime || !included(b, t) {
			continue
		}
		loc, err := b.Blog.ArchiveLink(ctx, t)
		if err != nil {
			return err
		}
		if rule := b.JudgeArchive(t.Name, loc); rule != seo.Listed {
			b.Leave(rule, seo.Left{Kind: seo.KindArchive, Of: t.Name, Loc: loc})
			continue
		}
		link := catalog.FirstLink{Loc: loc, LastMod: newest}
		if y.hints {
			link.Loc, link.Hints = decoded(loc), own.kindHints(seo.KindArchive, "")
		}
		links = append(links, link)
	}
	l := one(linkList(b, archiveName, links))
	l.Past = y.past
	b.Add(l)
	return nil
}

// dates lists the archives of years and months, each year before its months.
func (y *layout) dates(_ context.Context, b *provider.Build) error {
	own := b.Settings.(*settings)
	if b.Hidden() || own.archivesOff("date") != "" {
		return nil
	}
	newest := map[int]int64{} // by year × 13 + month, 0 for the year
	for i := range b.Rows.Posts["post"] {
		r := &b.Rows.Posts["post"][i]
		year, month, dated := r.Month()
		if r.Status != rows.Published || !dated {
			continue
		}
		for _, key := range []int{year * 13, year*13 + month} {
			if at, ok := newest[key]; !ok || r.LastMod.Unix() > at {
				newest[key] = r.LastMod.Unix()
			}
		}
	}
	var links []catalog.FirstLink
	for _, key := range slices.Sorted(maps.Keys(newest)) {
		link := catalog.FirstLink{Loc: b.Links.Year(key / 13), LastMod: newest[key]}
		if month := key % 13; month > 0 {
			link.Loc = b.Links.Month(key/13, month)
		}
		if rule := b.JudgeArchive("", link.Loc); rule != seo.Listed {
			b.Leave(rule, seo.Left{Kind: seo.KindArchive, Loc: link.Loc})
			continue
		}
		if y.hints {
			link.Loc, link.Hints = decoded(link.Loc), own.dateHints()
		}
		links = append(links, link)
	}
	l := one(linkList(b, dateName, links))
	y.dateIndex(b, l)
	l.Indexed = l.Indexed && !(y.hints && own.globally("noindex", false))
	l.Past = y.past
	b.Add(l)
	return nil
}

// dateIndex dates a list of one page in the index.
func (y *layout) dateIndex(b *provider.Build, l *catalog.List) {
	for i := range l.Dates {
		l.Dates[i] = y.site(b, l.Dates[i])
	}
}

// attributes lists the terms of the attributes of WooCommerce's products, under negated ids, see catalog.List.TermsOf.
func (y *layout) attributes(ctx context.Context, b *provider.Build) error {
	own := b.Settings.(*settings)
	if y.hints && !own.indexes() { // the plugin's one sitemap has none of them
		return nil
	}
	l := b.List(catalog.List{Name: attributesName, Kind: seo.KindOther, Size: urlset.MaxEntries, Past: b.Renderer.Policy.Past, Piecewise: true})
	of := map[int64]*registry.Taxonomy{}
	for _, t := range b.Blog.Registry().Taxonomies {
		if !t.Public || !isAttribute(b.Blog, t.Name) || b.Blog.TaxonomyExcluded(t.Name) {
			continue
		}
		l.TermsOf = append(l.TermsOf, t.Name)
		terms, err := b.TermsOf(ctx, t)
		if err != nil {
			return err
		}
		for i := range terms.Rows {
			term := &terms.Rows[i]
			switch {
			case term.Count < 1 || of[term.ID] != nil:
			case term.Verdict != seo.Listed:
				b.Leave(term.Verdict, seo.Left{Kind: seo.KindTerm, Of: t.Name, ID: term.ID})
			default:
				of[term.ID] = t
				l.Entries = append(l.Entries, catalog.NewEntry(-term.ID, y.term(&term.TermDates), seo.Listed))
			}
		}
	}
	slices.SortFunc(l.Entries, func(x, y catalog.Entry) int { return int(min(max(y.ID-x.ID, -1), 1)) })
	l.Entries = l.Entries[:min(len(l.Entries), l.Size)]
	blog := b.Blog
	l.Locate = func(ctx context.Context, entries []catalog.Entry) ([]catalog.Located, error) {
		return locateAttributes(ctx, blog, of, entries)
	}
	l.Titles = func(ctx context.Context, ids []int64) (map[int64]string, error) {
		return negated(ids, func(ids []int64) (map[int64]string, error) { return blog.TermNames(ctx, ids) })
	}
	l.Render = catalog.LocatedURLs(l.Locate)
	if y.hints {
		l.Render = own.decodedLocs(l.Render)
		l.Hints = own.kindHints(seo.KindTerm, "")
	}
	l.Indexed = len(l.Entries) > 0
	l.Dates = l.PageDates()
	y.dateIndex(b, l)
	b.Add(l)
	return nil
}

// locateAttributes returns the addresses of terms of several taxonomies, in the order of the entries.
func locateAttributes(
	ctx context.Context, blog *wp.Blog, of map[int64]*registry.Taxonomy, entries []catalog.Entry,
) ([]catalog.Located, error) {
	ids := map[*registry.Taxonomy][]int64{}
	for _, e := range entries {
		if t := of[-e.ID]; t != nil {
			ids[t] = append(ids[t], -e.ID)
		}
	}
	links := map[int64]string{}
	for t, ids := range ids {
		terms, err := blog.TermsByID(ctx, t, ids)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			links[term.ID] = term.Link
		}
	}
	var found []catalog.Located
	for _, e := range entries {
		if link, ok := links[-e.ID]; ok {
			found = append(found, catalog.Located{ID: e.ID, Loc: link})
		}
	}
	return found, nil
}

// negated asks for negative ids.
func negated(ids []int64, ask func([]int64) (map[int64]string, error)) (map[int64]string, error) {
	positive := make([]int64, len(ids))
	for i, id := range ids {
		positive[i] = -id
	}
	found, err := ask(positive)
	texts := make(map[int64]string, len(found))
	for id, text := range found {
		texts[-id] = text
	}
	return texts, err
}

// listed is the newest date that the sitemap of a type has.
func listed(b *provider.Build, of string) int64 {
	if l := b.Catalog.List(of); l != nil {
		return l.NewestListed()
	}
	return wp.NoTime
}

// joined makes one sitemap of everything where the plugin has no index.
func joined(order func(*provider.Build) catalog.Order) provider.Provider {
	return provider.Provider{
		Lists: func(_ context.Context, b *provider.Build) error {
			if !b.Settings.(*settings).indexes() && enabled(b) {
				b.Catalog.Join(order(b))
			}
			return nil
		},
		Names: func(r *seo.Rules) map[string]bool {
			return map[string]bool{catalog.JoinedName: !r.Settings.(*settings).indexes()}
		},
	}
}

var specLayout = layout{
	newest: listed,
	home:   func(_ context.Context, b *provider.Build) (int64, error) { return listed(b, "post"), nil },
	term:   func(d *rows.TermDates) int64 { return d[rows.DateOpen].At },
	site:   func(_ *provider.Build, own int64) int64 { return own },
	past:   catalog.PastHidden,
}

// The lists of level spec that are of no type, in the order of the index; the first is before those of post types.
var (
	SpecExtra      = provider.Provider{Lists: specLayout.extra, Names: names}
	SpecArchives   = provider.Provider{Lists: specLayout.archives}
	SpecDates      = provider.Provider{Lists: specLayout.dates}
	SpecAttributes = provider.Provider{Lists: specLayout.attributes}
	SpecJoined     = joined(func(*provider.Build) catalog.Order { return nil })
)
