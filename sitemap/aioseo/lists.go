package aioseo

import (
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// This file makes the lists of both levels that belong to no type. Level plugin adds hints and other
// dates.
//
// Extra makes the list of the pages that the administrator has added. The list also contains home if home
// is not a page.
type Extra struct{ provider.Lister }

// Names implements provider.Provider for all lists of this file.
func (Extra) Names(r *seo.Rules) map[string]bool {
	return map[string]bool{extraName: true, archiveName: !leavesArchives(r), dateName: true, attributesName: true}
}

// links returns a list of addresses, without the addresses that a check leaves out. If one is set, all addresses are on
// one page.
func (s *settings) links(b *provider.Build, name string, one bool, all []catalog.FirstLink) *catalog.List {
	l := b.List(catalog.List{Name: name, Kind: seo.KindOther, Extensions: urlset.Bare, Past: b.Renderer.Policy.Past()})
	for _, f := range all {
		if rule := b.Rules.JudgeArchive(f.Archive, f.Loc); rule != seo.Listed {
			b.Leave(rule, seo.Left{Kind: seo.KindArchive, Of: f.Archive, Loc: f.Loc})
			continue
		}
		if s.spec {
			f.Hints = urlset.Hints{}
		} else {
			f.Loc = decoded(f.Loc)
		}
		f.LastMod = b.Rules.Past(f.LastMod)
		l.First = append(l.First, f)
	}
	if one {
		l.Size, l.First = urlset.MaxEntries, l.First[:min(len(l.First), urlset.MaxEntries)]
		if !s.spec {
			l.Past = catalog.PastFirst
		}
	}
	l.FirstPlaced, l.Indexed = true, len(l.First) > 0
	l.Dates = l.PageDates()
	return l
}

// newestOf returns the date of the archive of a post type.
func (s *settings) newestOf(b *provider.Build, of string) int64 {
	if !s.spec {
		return newestChange(b, of)
	}
	if l := b.Catalog.List(of); l != nil {
		return l.NewestListed()
	}
	return wp.NoTime
}

// leavesArchives reports whether the site itself answers for the sitemap of archives, because only the
// site knows which archives exist.
func leavesArchives(r *seo.Rules) bool {
	return slices.ContainsFunc(r.PostTypes(), func(t *registry.PostType) bool {
		return t.Undecided && t.HasArchive && r.Settings.PostType(t) == nil
	})
}

func (Extra) Lists(ctx context.Context, b *provider.Build) error {
	if b.Rules.Hidden() {
		return nil
	}
	own := b.Rules.Settings.(*settings)
	var all []catalog.FirstLink
	if homeIsExtra(b) {
		home, err := b.Home(), error(nil)
		if home.LastMod, err = homeDate(ctx, b, own); err != nil {
			return err
		}
		home.Hints = own.hints("homePage", "")
		all = append(all, home)
	}
	for _, p := range own.extraPages() {
		if own.before("4.8.3.1") && !own.spec {
			p.LastMod = max(p.LastMod, 0) // without a date, PHP prints 1970-01-01
		}
		all = append(all, p)
	}
	l := own.links(b, extraName, false, all)
	if !own.spec {
		for i := range l.First { // the addresses are printed in CDATA
			l.First[i].Loc = strings.ReplaceAll(l.First[i].Loc, "&", "&amp;")
		}
		extraDates(b, l)
	}
	b.Add(l)
	return nil
}

// homeDate returns the date of home if home is not a page. The plugin uses the date of the page in the
// option page_on_front, even if home does not show this page.
func homeDate(ctx context.Context, b *provider.Build, own *settings) (int64, error) {
	if own.spec {
		return own.newestOf(b, "post"), nil
	}
	p, err := b.Page(ctx, b.Rules.Blog.Settings().PageOnFront)
	if p == nil {
		return newestOfSite(b), err
	}
	return b.Rules.PostDate(p.Dates), nil
}

// extraDates sets the dates that the index shows for the files of additional pages. The files list
// home first, but the plugin computes the index dates as if home were last. Home has the newest date
// of the site there.
func extraDates(b *provider.Build, l *catalog.List) {
	counted := slices.Clone(l.First)
	if len(counted) > 0 && homeIsExtra(b) {
		counted[0].LastMod = newestOfSite(b)
		if !b.Rules.Settings.(*settings).before("4.4.7") {
			counted = append(counted[1:], counted[0])
		}
	}
	for i := range l.Dates {
		l.Dates[i] = counted[i*l.Size].LastMod
	}
}

// homeIsExtra reports whether home is among the additional pages, because it is not a page itself.
func homeIsExtra(b *provider.Build) bool {
	page := b.Rules.Blog.Registry().PostType("page")
	switch {
	case !b.Rules.Blog.Languages().None() && !b.Rules.Decisions.EveryLanguage():
		return false
	case b.Rules.Blog.Settings().ShowOnFront == "posts", page == nil, !b.Rules.ListsType(page):
		return true
	}
	return !b.Rules.Settings.(*settings).spec && !included(b, page)
}

// enabled reports whether the plugin lists anything. At level plugin it lists nothing if the administrator
// has chosen post types and included is false for all of them.
func enabled(b *provider.Build) bool {
	own := b.Rules.Settings.(*settings)
	return own.spec || own.list("postTypes") == nil || slices.ContainsFunc(b.Rules.PostTypes(), func(t *registry.PostType) bool {
		return t.Public && t.Viewable && own.includes("postTypes", t.Name) && included(b, t)
	})
}

// included reports whether the plugin makes a sitemap for a chosen post type. For a noindexed type, it makes a sitemap only
// if one of the posts is set to index.
func included(b *provider.Build, t *registry.PostType) bool {
	own := b.Rules.Settings.(*settings)
	if _, off := own.typeNoindex(t.Name); !off || own.denied != nil { // the rows of posts could not be read
		return true
	}
	return slices.ContainsFunc(b.Rows.Posts[t.Name], func(r rows.Post) bool { return r.Status == rows.Published && b.Rows.Flags[r.ID].Index })
}

// Archives adds the list of the archives of post types.
func Archives(ctx context.Context, b *provider.Build) error {
	if b.Rules.Hidden() || leavesArchives(b.Rules) {
		return nil
	}
	own := b.Rules.Settings.(*settings)
	var all []catalog.FirstLink
	for _, t := range b.Rules.PostTypes() {
		if !t.HasArchive || t.Name == "post" || !b.Rules.ListsType(t) || t.Name == "product" && b.Rules.Blog.Settings().Woo.Active {
			continue
		}
		newest := own.newestOf(b, t.Name)
		if newest == wp.NoTime || !included(b, t) {
			continue
		}
		loc, err := b.Rules.Book.ArchiveLink(ctx, t)
		if err != nil {
			return err
		}
		all = append(all, catalog.FirstLink{Loc: loc, LastMod: newest, Hints: own.hints("archive", ""), Archive: t.Name})
	}
	b.Add(own.links(b, archiveName, true, all))
	return nil
}

// Dates adds the list of date archives: each year, followed by its months.
func Dates(_ context.Context, b *provider.Build) error {
	own := b.Rules.Settings.(*settings)
	if b.Rules.Hidden() || own.archivesOff("date") != "" {
		return nil
	}
	newest := map[int]int64{} // the key is year × 13 + month; month 0 means the year
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
	var all []catalog.FirstLink
	for _, key := range slices.Sorted(maps.Keys(newest)) {
		all = append(all, catalog.FirstLink{Loc: b.Rules.Links.Date(key/13, key%13), LastMod: newest[key], Hints: own.hints("date", "")})
	}
	l := own.links(b, dateName, true, all)
	dateIndex(b, l)
	l.Indexed = l.Indexed && (own.spec || !own.globally("noindex", false))
	b.Add(l)
	return nil
}

// dateIndex sets the date that the index shows for a list of one page. At level plugin this is the newest
// date of the site; at level spec the date stays.
func dateIndex(b *provider.Build, l *catalog.List) {
	if !b.Rules.Settings.(*settings).spec && len(l.Dates) > 0 {
		l.Dates[0] = newestOfSite(b)
	}
}

// Attributes adds the list of terms of WooCommerce's product attributes.
func Attributes(ctx context.Context, b *provider.Build) error {
	own := b.Rules.Settings.(*settings)
	if own.attributesOff("") != nil {
		return nil
	}
	l := b.List(catalog.List{
		Name: attributesName, Kind: seo.KindTerm, Size: urlset.MaxEntries, Past: b.Renderer.Policy.Past(),
	})
	of := map[int64]*registry.Taxonomy{}
	for _, t := range b.Rules.Blog.Registry().Taxonomies {
		if !t.Public || !isAttribute(b.Rules.Blog, t.Name) || b.Rules.Blog.Excludes(t) {
			continue
		}
		l.TermsOf = append(l.TermsOf, t.Name)
		terms, err := b.TermsOf(ctx, t)
		if err != nil {
			return err
		}
		dated := rows.DateOpen
		if !own.spec {
			dated = rows.DatePublished
		}
		for i := range terms.All {
			term, id := &terms.All[i], terms.All[i].Row.ID
			switch {
			case term.Row.Count < 1 || of[id] != nil:
			case term.Verdict != seo.Listed:
				b.Leave(term.Verdict, seo.Left{Kind: seo.KindTerm, Of: t.Name, ID: id})
			default:
				of[id] = t
				l.Places = append(l.Places, catalog.NewPlace(id, term.Dates[dated].At, seo.Listed))
			}
		}
	}
	l.Places.ByID()
	l.Places = l.Places[:min(len(l.Places), l.Size)]
	book := b.Rules.Book // the list outlives the build, so it holds the book only
	content := catalog.Located(func(ctx context.Context, ids []int64) (map[int64]string, error) {
		byTaxonomy, locs := map[*registry.Taxonomy][]int64{}, map[int64]string{}
		for _, id := range ids {
			if t := of[id]; t != nil {
				byTaxonomy[t] = append(byTaxonomy[t], id)
			}
		}
		terms, err := book.NamedTerms(ctx, byTaxonomy)
		for _, term := range terms {
			locs[term.ID] = term.Link
		}
		return locs, err
	}, book.Blog.TermNames)
	if l.Content = content; !own.spec {
		l.Content = own.decodedLocs(content)
		l.Hints = own.hints("taxonomies", "")
	}
	l.Indexed = len(l.Places) > 0
	l.Dates = l.PageDates()
	dateIndex(b, l)
	b.Add(l)
	return nil
}
