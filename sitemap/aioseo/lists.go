package aioseo

import (
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Some lists of the plugin belong to no type: additional pages (extra.go), archives of types and of dates (archives.go), and
// product attributes (attributes.go). Both levels have them. Level plugin adds hints and other dates. This file has what these lists share.

// links returns a list of addresses, without the addresses that a check leaves out. If onePage is set, all addresses are on
// one page.
func (s *settings) links(b *provider.Build, name string, onePage bool, all []catalog.FirstLink) *catalog.List {
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
	if onePage {
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
