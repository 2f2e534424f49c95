package aioseo

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// leavesArchives reports whether the site itself answers for the sitemap of archives, because only the
// site knows which archives exist.
func leavesArchives(r *seo.Rules) bool {
	return slices.ContainsFunc(r.PostTypes(), func(t *registry.PostType) bool {
		return t.Undecided && t.HasArchive && r.Settings.PostType(t) == nil
	})
}

// Archives adds the list of the archives of post types. Posts and the products of WooCommerce have their archives elsewhere.
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
	setIndexDate(b, l)
	l.Indexed = l.Indexed && (own.spec || !own.globally("noindex", false))
	b.Add(l)
	return nil
}

// setIndexDate sets the date that the index shows for a list of one page. At level plugin this is the newest
// date of the site; at level spec the date stays.
func setIndexDate(b *provider.Build, l *catalog.List) {
	if !b.Rules.Settings.(*settings).spec && len(l.Dates) > 0 {
		l.Dates[0] = newestOfSite(b)
	}
}
