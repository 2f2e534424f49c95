package aioseo

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
)

// Extra makes the list of the pages that the administrator has added. The list also contains home if home
// is not a page.
type Extra struct{ provider.Lister }

// Names implements provider.Provider. It returns the names of all lists that belong to no type, see lists.go.
func (Extra) Names(r *seo.Rules) map[string]bool {
	return map[string]bool{extraName: true, archiveName: !leavesArchives(r), dateName: true, attributesName: true}
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

// extraDates sets the dates of the files of additional pages in the index. The files list home first, and home gets the newest date
// of the site. Since version 4.4.7, the plugin computes the dates as if home came last.
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
