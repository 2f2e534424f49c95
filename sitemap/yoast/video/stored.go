// Package video makes the sitemap of Yoast Video SEO. settings.go reads its option and meta. stored.go lists the stored records as
// the plugin does, and record.go prints them. spec.go lists them by Google's rules.
package video

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/video"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// StoredTypes returns the post types whose videos the video sitemap lists from the records that Yoast's video add-on has stored.
func StoredTypes(r *seo.Rules) []string {
	s := Provider.Of(r)
	return s.Types(r, r.KeepsType)
}

// object returns the seo.Object by which the checks judge the video record of a post. dated says whether
// the post has a date.
func (m *meta) object(id int64, noindex, dated bool) seo.Object {
	o := seo.Object{Kind: seo.KindVideo, ID: id, Flags: seo.Flags{Noindex: noindex}}
	switch rec := m.chosen(); {
	case m.disabled:
		o.Flags.Against = seo.VideoDisabled
	case rec.Get("thumbnail_loc").IsNull():
		o.Flags.Against = seo.VideoWithoutThumbnail
	case !rec.complete():
		o.Flags.Against = seo.VideoWithoutPlayer
	case !dated && !isDate(rec.text("publication_date")):
		o.Flags.Against = seo.VideoUndated
	}
	return o
}

// List returns the list by the plugin's own rules. It contains all posts with a record in the order of
// their changes, even those that the plugin does not print. Every page, even past the last, also
// contains the terms with a record.
//
// The index names the list only if it also names another list.
func (addOn) List(ctx context.Context, b *provider.Build, s *video.Settings) (*catalog.List, error) {
	l := b.List(catalog.List{
		Name: s.Name, Kind: seo.KindOther, Extensions: urlset.Videos, TermsOf: of(b.Rules.Blog).taxonomies,
		Elsewhere: s.Elsewhere, Past: catalog.PastEvery, Dependent: true,
		Explained: catalog.Explained{Why: addOn{}.Is().Says(b.Rules), Dateless: true},
		Content:   records{b.Rules},
	})
	types := StoredTypes(b.Rules)
	rows, err := recorded(ctx, b.Rules.Blog, types)
	if err == nil {
		rows, err = inLanguage(ctx, b.Rules.Blog, types, rows)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(x.modified, y.modified), cmp.Compare(x.id, y.id))
	})
	for batch := range slices.Chunk(rows, seo.DefaultPageSize) {
		if err := addRecords(ctx, b, l, batch); err != nil {
			return nil, err
		}
	}
	l.Indexed = len(l.Places) > 0
	l.Dates = make([]int64, l.Pages())
	for i := range l.Dates { // the date of the page's last row
		l.Dates[i] = rows[min((i+1)*l.Size, len(rows))-1].modifiedGMT
	}
	for _, name := range of(b.Rules.Blog).taxonomies {
		if b.Rules.Blog.Registry().Taxonomy(name) == nil { // the plugin queries all taxonomies at once; with an unknown one among them it gets no terms
			return l, nil
		}
	}
	terms, err := termsWithVideo(ctx, b)
	if err != nil {
		return nil, err
	}
	ordered, err := b.Rules.Book.NamedTerms(ctx, terms)
	for _, t := range ordered {
		l.Tail = append(l.Tail, catalog.NewPlace(-t.ID, wp.NoTime, seo.Listed))
	}
	return l, err
}

// addRecords judges the records of posts and adds their places to the list.
func addRecords(ctx context.Context, b *provider.Build, l *catalog.List, rows []row) error {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.id
	}
	values, err := b.Rules.Blog.MetaOf(ctx, ids, metaKeys...)
	if err != nil {
		return err
	}
	links := map[int64]string{}
	if len(b.Rules.Options.Exclude.URLs) > 0 { // no other check needs the address
		posts, err := b.Rules.Book.Posts(ctx, ids, nil)
		if err != nil {
			return err
		}
		for _, p := range posts {
			links[p.ID] = p.Link
		}
	}
	for _, r := range rows {
		o := newMeta(func(key string) string { return values[key][r.id] }).object(r.id, b.Rows.Flags[r.id].Noindex, r.dated)
		o.Link = links[r.id]
		verdict := b.Rules.Judge(o)
		if verdict != seo.Listed {
			b.Leave(verdict, seo.Left{Kind: seo.KindPost, ID: r.id})
		}
		l.Places = append(l.Places, catalog.NewPlace(r.id, r.modifiedGMT, verdict))
	}
	return nil
}

// records is the content of the list by the plugin's own rules.
type records struct{ r *seo.Rules }

func (o records) Render(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
	urls, err := storedURLs(ctx, o.r, places)
	return catalog.Rendered{URLs: urls}, err
}

// Absent implements catalog.Repeated. It returns "", because the reason is never known.
func (records) Absent(context.Context, *address.Post, catalog.Standing) (string, error) {
	return "", nil
}

// inLanguage leaves out the rows that the plugin's query does not return because of their language. If a type is translated, Polylang
// restricts the query to posts of the current language. WPML does not. Languages.AllTypes is true for Polylang alone.
func inLanguage(ctx context.Context, blog *wp.Blog, types []string, rows []row) ([]row, error) {
	languages := blog.Languages()
	current, known := languages.Asked()
	if !known || !languages.AllTypes || !languages.TranslatesAny(types) {
		return rows, nil
	}
	found := make(map[int64]bool, len(rows))
	for _, r := range rows {
		found[r.id] = false
	}
	err := languages.Plugin.EachPost(ctx, "", func(id int64, language int) {
		if _, ok := found[id]; ok && languages.All[language].Code == current.Code {
			found[id] = true
		}
	})
	return slices.DeleteFunc(rows, func(r row) bool { return !found[r.id] }), err
}

// recordedTerms returns the ids of terms that have a video record, by taxonomy.
func recordedTerms(blog *wp.Blog) map[*registry.Taxonomy][]int64 {
	found := map[*registry.Taxonomy][]int64{}
	for _, name := range of(blog).taxonomies {
		if t := blog.Registry().Taxonomy(name); t != nil {
			found[t] = yoast.OptionsOf(blog).TermsWithVideo(name)
		}
	}
	return found
}

// termsWithVideo returns the ids of terms with a video record, by taxonomy. It leaves out empty terms and terms that
// the operator excludes.
func termsWithVideo(ctx context.Context, b *provider.Build) (map[*registry.Taxonomy][]int64, error) {
	found := map[*registry.Taxonomy][]int64{}
	for t, ids := range recordedTerms(b.Rules.Blog) {
		if len(ids) == 0 || b.Rules.Blog.Excludes(t) {
			continue
		}
		terms, _, err := objects.ReadTerms(ctx, b.Rules.Blog, t)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			if term.InUse && slices.Contains(ids, term.ID) && !slices.Contains(b.Rules.Options.Exclude.TermIDs, term.ID) {
				found[t] = append(found[t], term.ID)
			}
		}
	}
	return found, nil
}

// storedTermURLs returns the URLs of the places that are terms (with negative ids), in the order of names.
func storedTermURLs(ctx context.Context, r *seo.Rules, places catalog.Places) ([]urlset.URL, error) {
	wanted := map[int64]bool{}
	for _, p := range places {
		if p.ID < 0 {
			wanted[-p.ID] = true
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	ids := recordedTerms(r.Blog)
	for t := range ids {
		ids[t] = slices.DeleteFunc(ids[t], func(id int64) bool { return !wanted[id] })
	}
	terms, err := r.Book.NamedTerms(ctx, ids)
	var urls []urlset.URL
	for _, t := range terms {
		rec := &record{yoast.OptionsOf(r.Blog).TermVideo(t.Taxonomy, t.ID)}
		rec.setString("tag", t.Name)
		if !isDate(rec.text("publication_date")) {
			rec.set("publication_date", php.Value{}) // a term has no date that the plugin could use instead
		}
		urls = append(urls, urlset.URL{Loc: t.Link, LastMod: wp.NoTime, Videos: []urlset.Video{{Stored: rec.elements(termVariables(r, t), "", "")}}})
	}
	return urls, err
}

// storedURLs returns the URLs of places as the plugin prints them.
func storedURLs(ctx context.Context, r *seo.Rules, places catalog.Places) ([]urlset.URL, error) {
	posts, err := r.Book.FullPosts(ctx, places.IDs(), metaKeys, nil) // terms have negative ids, which no post has
	if err != nil {
		return nil, err
	}
	urls := make([]urlset.URL, 0, len(places))
	for _, p := range posts {
		m := newMeta(p.Meta)
		if rec := m.chosen(); rec.complete() {
			if rating, ok := storedRating(m.rating); ok {
				rec.setString("rating", strconv.FormatFloat(rating, 'f', 1, 64))
			}
			family := "yes"
			if m.notFamilyFriendly {
				family = "no"
			}
			rec.setString("family_friendly", family)
			rec.setString("author", strconv.FormatInt(p.Author, 10))
			if !isDate(rec.text("publication_date")) {
				rec.setString("publication_date", publication(r, p))
			}
			stored := rec.elements(postVariables(r, p), p.AuthorName, p.AuthorLink)
			urls = append(urls, urlset.URL{Loc: p.Link, LastMod: wp.NoTime, Videos: []urlset.Video{{Stored: stored}}})
		}
	}
	terms, err := storedTermURLs(ctx, r, places)
	return append(urls, terms...), err
}

// publication returns the publication date of a post as the plugin prints it. A record without a date
// gets this date. The result is "" if the post has no date.
func publication(r *seo.Rules, p *address.FullPost) string {
	if at := video.PublishedAt(r.Blog, p); at != wp.NoTime {
		return string(urlset.AppendDate(nil, at))
	}
	return ""
}
