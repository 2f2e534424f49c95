package rankmath

import (
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

func (PluginLevel) Newest(b *provider.Build, l *catalog.List) int64 { return newestOf(b, l.Of) }

// newestOf returns the newest date of the posts of a type. Since 1.0.208, posts that are noindex do not count.
func newestOf(b *provider.Build, postType string) int64 {
	newest, all := wp.NoTime, b.Rules.Settings.(*settings).before("1.0.208")
	for _, r := range b.Rows.Posts[postType] {
		if (r.Status == rows.Published || r.Status == rows.Inherited) && (all || r.Verdict != seo.MetaNoindex) {
			newest = max(newest, r.LastMod.Unix())
		}
	}
	return newest
}

// PostDates implements provider.Policy. If there is one page, it has the newest date. If there are
// several, page k has the k-th newest change of any post.
func (PluginLevel) PostDates(b *provider.Build, l *catalog.List) []int64 {
	dates := slices.Repeat([]int64{newestOf(b, l.Of)}, (len(l.Places)+l.Size-1)/l.Size)
	if len(dates) < 2 {
		return dates
	}
	var changes []int64
	for _, r := range b.Rows.Posts[l.Of] {
		if r.Status == rows.Published || r.Status == rows.Inherited {
			changes = append(changes, r.ModifiedGMT.Unix())
		}
	}
	slices.Sort(changes)
	slices.Reverse(changes)
	copy(dates, changes)
	return dates
}

// TermDates implements provider.Policy. For the dates in the index the plugin divides another list of terms
// into pages: all terms in use that are not noindex, by name. If the taxonomy is noindex, only terms with
// robots of their own count. Before 1.0.203, noindex does not matter.
func (PluginLevel) TermDates(b *provider.Build, t *registry.Taxonomy, _ *catalog.List, terms *rows.Terms) []int64 {
	set := b.Rules.Settings.(*settings)
	key, hidden := set.typeNoindex("tax_", t.Name)
	hidden = hidden && key != globalRobots // its query ignores the global robots
	var ids []int64
	for i := range terms.All {
		term, id := &terms.All[i], terms.All[i].Row.ID
		shown := set.before("1.0.203") || !set.Meta.Term(t.Name, id).Noindex && (!hidden || set.TermValue(metaRobots, id) != "")
		if term.Row.InUse && term.Verdict != seo.OtherLanguage && shown {
			ids = append(ids, id)
		}
	}
	pages := slices.Collect(slices.Chunk(ids, b.Rules.Options.PageSize))
	return provider.DatesBelow(t, terms, pages, func(postType string) int64 { return newestOf(b, postType) })
}
