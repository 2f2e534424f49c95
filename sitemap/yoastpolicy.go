package sitemap

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// yoastPolicy is level plugin: exactly what Yoast SEO 28 emits.
var yoastPolicy = Policy{
	posts: postPolicy{
		past: pastPostTypes, takesPlace: Verdict.late, dates: yoastPostDates,
		newest: func(b *build, l *list) int64 { return b.newestRow(l.of) },
		order: func(rows []postRow, indexes []int32) {
			slices.SortStableFunc(indexes, func(x, y int32) int { return cmp.Compare(rows[x].modified.unix(), rows[y].modified.unix()) })
		},
		indexed: func(_ *registry.PostType, l *list) bool { return len(l.entries) > 0 },
	},
	terms: termPolicy{takesPlace: Verdict.late, dates: taxonomyDates},
	authors: authorPolicy{
		takesPlace: func(v Verdict) bool { return v == Listed || v == OperatorExcluded },
		order: func(b *build, ids []int64) { // latest profile first
			slices.SortStableFunc(ids, func(x, y int64) int { return cmp.Compare(b.authors[y].stamp, b.authors[x].stamp) })
		},
		dates: firstOfPage, lastmod: profileStamp,
	},
	first: firstLinkPolicy{
		links:     yoastFirstLinks,
		languages: yoastLanguageLinks,
		home:      func(b *build) string { return b.links.HomeURL() },
		once:      func(*build, *list) {},
	},
	images: imagePolicy{
		title: func(*wp.Attachment) string { return "" },
		room:  func(*imageList, string) bool { return true },
		own:   func(*wp.Post) bool { return false },
	},
	past: pastMissing, encoding: urlset.Plugin,
	asked: askedAtHome,
}

// yoastFirstLinks are those by the plugin's rules.
func yoastFirstLinks(ctx context.Context, b *build, t *registry.PostType, l *list) ([]firstLink, error) {
	switch {
	case t.Name == "page":
		return yoastFrontPage(ctx, b)
	case t.Name == "post" && b.site.Settings().ShowOnFront == "posts":
		return b.homeOfPosts(l), nil
	case t.Name == "post":
		return b.postsPage(ctx, t, b.newestOf(l))
	case !t.HasArchive:
		return nil, nil
	}
	return b.archive(ctx, t, l)
}

// yoastFrontPage is the front page by the plugin's rules, which falls back to the bare home address where the page that
// stands there is refused.
func yoastFrontPage(ctx context.Context, b *build) ([]firstLink, error) {
	if b.site.Settings().PageOnFront <= 0 {
		return []firstLink{b.home()}, nil
	}
	p, err := b.frontPageRow(ctx)
	if err != nil || p == nil { // deleted: the plugin's entry has an empty address
		return nil, err
	}
	switch rule := b.judgePage(KindFrontPage, p); rule {
	case Listed:
		return []firstLink{{postID: p.ID, lastmod: max(p.ModifiedGMT, p.DateGMT)}}, nil
	case OperatorExcluded:
		b.skipped[rule]++
		return nil, nil
	}
	return []firstLink{b.home()}, nil
}

// yoastPostDates are the dates of a post type's pages in the index by the plugin's rule: the first and the last page
// carry the newest change of any published row; page k between carries that of row k*size in the order of changes,
// hidden rows counted in.
func yoastPostDates(b *build, l *list) []int64 {
	dates := make([]int64, l.pages())
	newest := b.newestRow(l.of)
	var changes []int64
	if len(dates) > 2 {
		for _, r := range b.posts[l.of] {
			if r.status == published || r.status == inherited && l.of == "attachment" {
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

// taxonomyDates are the plugin's index dates: the post changed last, by local time, among
// those of the page's terms and of all terms below them; without one, the newest change of
// any post of the taxonomy's types.
func taxonomyDates(b *build, t *registry.Taxonomy, l *list, terms *termRows) []int64 {
	pages := make([]int64, l.pages())
	dates := make(map[int64]termDates, len(terms.rows))
	for i := range terms.rows {
		dates[terms.rows[i].ID] = terms.rows[i].termDates
	}
	tree := wp.Terms{Children: terms.children}
	for i := range pages {
		_, entries, _ := l.slice(i + 1)
		newest := noDates
		seen := map[int64]bool{}
		later := func(d termDates) {
			if d.local > newest.local {
				newest = d
			}
		}
		for _, e := range entries {
			later(dates[e.id])
			for _, below := range tree.Below(e.id, seen) {
				later(dates[below])
			}
		}
		pages[i] = newest.localGMT
		if newest.local == wp.NoTime {
			for _, name := range t.ObjectTypes {
				pages[i] = max(pages[i], b.newestRow(name))
			}
		}
	}
	return pages
}

// firstOfPage dates a page by its first entry.
func firstOfPage(b *build, l *list) []int64 {
	dates := make([]int64, l.pages())
	for i := range dates {
		_, entries, _ := l.slice(i + 1)
		if dates[i] = entries[0].lastmod(); dates[i] == 0 {
			dates[i] = wp.NoTime
		}
	}
	return dates
}

// profileStamp is when a user's profile was saved last (_yoast_wpseo_profile_updated).
func profileStamp(b *build, id int64, _ map[int64]int64) int64 {
	stamp := b.authors[id].stamp
	if stamp < wp.MinTime || stamp > wp.MaxTime {
		return wp.NoTime
	}
	return stamp
}

// yoastLanguageLinks adds the homes and archives of the other languages to a translated post type, by the
// plugin's rule behind the posts of the first page and whether or not they have any.
func yoastLanguageLinks(ctx context.Context, b *build, t *registry.PostType, l *list) error {
	if b.hasDomains() {
		return nil
	}
	newest := b.newestOf(l)
	current, known := b.site.CurrentLanguage()
	if t.Name == "post" {
		if b.site.Settings().PageOnFront > 0 {
			return nil
		}
		for _, lang := range b.site.Languages() {
			if lang.Active && (lang.Code != b.site.DefaultLanguage() || !b.site.HidesDefaultLanguage()) {
				l.after = append(l.after, firstLink{loc: lang.Home, lastmod: newest})
			}
		}
		return nil
	}
	if own, err := b.archiveIsPage(ctx, t); err != nil || own || !t.HasArchive {
		return err
	}
	for _, lang := range b.site.Languages() {
		if !lang.Active || known && lang.Code == current.Code {
			continue
		}
		link, err := b.site.ArchiveLinkIn(ctx, t, lang.Code)
		if err != nil {
			return err
		}
		if link != "" {
			l.after = append(l.after, firstLink{loc: link, lastmod: newest})
		}
	}
	return nil
}

// askedAtHome makes a list of posts answer to the query variable on the domains of Polylang's other languages, where the
// plugin then takes home for the default domain's: what stands below that is listed, and what belongs to the domain
// itself is not.
func askedAtHome(b *build, l *list) func(*list) *list {
	if b.site.AtHome() == b.site {
		return nil
	}
	home := *b.Renderer
	home.Rules = b.at(b.site.AtHome())
	translated, own := b.site.TranslatesPostType(l.of), b.links.HomeURL()
	return func(l *list) *list {
		seen := *l
		seen.render = home.postURLs
		seen.entries = slices.Clone(l.entries)
		for i := range seen.entries {
			switch e := &seen.entries[i]; {
			case translated && e.rule == Listed:
				e.rule = ExternalLink
			case !translated && e.rule == ExternalLink:
				e.rule = Listed
			}
		}
		seen.first = slices.Clone(l.first)
		for i := range seen.first {
			switch f := &seen.first[i]; {
			case f.postID != 0:
				*f = firstLink{loc: home.links.HomeURL(), lastmod: wp.NoTime}
			case f.loc == own:
				f.loc = home.links.HomeURL()
			}
		}
		return &seen
	}
}
