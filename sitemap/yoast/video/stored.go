// Package video makes the sitemap of Yoast Video SEO. settings.go reads its option and meta, stored.go prints its records as
// the plugin does, and spec.go lists them by Google's rules.
package video

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/video"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// StoredTypes returns the post types whose records are listed.
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
		ids := make([]int64, len(batch))
		for i, r := range batch {
			ids[i] = r.id
		}
		values, err := b.Rules.Blog.MetaOf(ctx, ids, metaKeys...)
		if err != nil {
			return nil, err
		}
		links := map[int64]string{}
		if len(b.Rules.Options.Exclude.URLs) > 0 {
			posts, err := b.Rules.Book.Posts(ctx, ids, nil)
			if err != nil {
				return nil, err
			}
			for _, p := range posts {
				links[p.ID] = p.Link
			}
		}
		for _, r := range batch {
			o := newMeta(func(key string) string { return values[key][r.id] }).object(r.id, b.Rows.Flags[r.id].Noindex, r.dated)
			o.Link = links[r.id]
			rule := b.Rules.Judge(o)
			if rule != seo.Listed {
				b.Leave(rule, seo.Left{Kind: seo.KindPost, ID: r.id})
			}
			l.Places = append(l.Places, catalog.NewPlace(r.id, r.modifiedGMT, rule))
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

// inLanguage returns the posts that the plugin's query returns. If a type is translated, Polylang restricts the query to posts
// of the current language. WPML does not.
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
		rec.setString("permalink", t.Link)
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
			rec.setString("permalink", p.Link)
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

// A record is a stored video: an array whose order stays the same when a value is replaced.
type record struct{ php.Value }

// text returns a value as text, or "" if the value is not a scalar.
func (r *record) text(key string) string { return scalarText(r.Get(key)) }

func scalarText(v php.Value) string {
	switch v.Kind {
	case php.String, php.Int, php.Float, php.Bool:
		return v.Str()
	}
	return ""
}

// set replaces the value of a key without changing the order, or appends a new key.
func (r *record) set(key string, v php.Value) {
	r.Value = php.NewArray(append(slices.Clip(r.Pairs()), php.Element(key, v))...)
}

func (r *record) setString(key, s string) { r.set(key, php.NewString(s)) }

// chosen returns the record with the thumbnail and the duration that the editor of the post has chosen.
func (m *meta) chosen() *record {
	r := &record{m.record}
	if r.Len() > 0 && m.thumbnail != "" {
		r.setString("thumbnail_loc", m.thumbnail)
	}
	if r.Len() > 0 && aboveZero(m.duration) {
		r.setString("duration", m.duration)
	}
	return r
}

// aboveZero returns the result of s > 0 in PHP 8. A text that is not a number is compared as text.
func aboveZero(s string) bool {
	if !php.IsNumeric(s) {
		return s > "0"
	}
	n, _ := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return n > 0
}

// complete reports whether the plugin prints the record: it has a thumbnail, and a player or a file.
func (r *record) complete() bool {
	return !r.Get("thumbnail_loc").IsNull() && (!r.Get("player_loc").IsNull() || !r.Get("content_loc").IsNull())
}

// storedRating parses a rating from 0 to 5 and rounds it to one decimal.
func storedRating(s string) (rating float64, ok bool) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || s == "0" || !(0 <= n && n <= 5) {
		return 0, false
	}
	return math.Round(n*10) / 10, true
}

// neverPrinted are the keys of a record that the plugin does not print.
var neverPrinted = []string{
	"id", "url", "type", "permalink", "post_id", "hd", "maybe_local", "attachment_id", "file_path", "file_url", "last_fetched",
}

// proseKeys are the keys whose values are texts for readers.
var proseKeys = []string{"description", "category", "tag", "title"}

// elements returns the elements that the plugin prints for the record, in the order of the keys.
func (r *record) elements(vars variables, author, authorLink string) []urlset.VideoElement {
	out := []urlset.VideoElement{}
	for _, p := range r.Pairs() {
		key := p.Key.String()
		if slices.Contains(neverPrinted, key) {
			continue
		}
		if key == "author" {
			if authorLink != "" {
				out = append(out, urlset.VideoElement{Name: "uploader", Text: formatting.NumericEntities(formatting.EscHTML(author)), Info: authorLink})
			}
			continue
		}
		v := p.Value
		if key == "description" && !v.Truthy() {
			v = r.Get("title")
		}
		values := []php.Value{v}
		if v.Kind == php.Array {
			values = values[:0]
			for _, inner := range v.Pairs() {
				values = append(values, inner.Value)
			}
			if key == "tag" {
				values = values[:min(len(values), urlset.MaxVideoTags)]
			}
		} else if !v.Truthy() {
			continue
		}
		prose := slices.Contains(proseKeys, key)
		for _, v := range values {
			if text := videoText(scalarText(v), prose, vars.replace); text != "" {
				out = append(out, urlset.VideoElement{Name: key, Text: text, CDATA: prose})
			}
		}
	}
	return out
}

// maxVideoText is the maximum length in bytes of a printed value. A longer value cannot be a title or
// an address. The time for cleaning grows with the square of the length.
const maxVideoText = 16 << 10

// phpSpace are the characters that PHP's trim() removes.
const phpSpace = " \t\n\r\x00\v"

// videoText returns a value of a record as the plugin prints it, escaped for HTML. It returns "" if
// nothing is printed.
//
// It removes shortcodes and decodes references, first into ISO 8859-15, then into UTF-8. prose is set
// for titles, descriptions, categories and tags. replace fills in variables such as %%sitename%%.
func videoText(s string, prose bool, replace func(string) string) string {
	if len(s) > maxVideoText {
		return ""
	}
	s = formatting.StripShortcodes(strings.Trim(s, phpSpace))
	s = formatting.SpecialChars(php.HTMLEntityDecode(php.HTMLEntityDecode(s, php.Latin9), php.UTF8), false)
	if prose {
		s = formatting.EscHTML(s)
	}
	if s == "" || s == "0" {
		return ""
	}
	s = strings.Trim(s, phpSpace)
	if strings.Contains(s, "%%") && utf8.ValidString(s) {
		s = replace(s)
	}
	s = standardSpace.Replace(s)
	s = strings.Trim(strings.ReplaceAll(s, "  ", " "), phpSpace)
	return formatting.SpecialChars(php.HTMLEntityDecode(s, php.UTF8), false)
}

var standardSpace = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ", "\f", " ")

// variables maps the names of Yoast's replacement variables (%%name%%) to their values for one post or
// term. The values are HTML.
type variables map[string]string

// variable matches %%name%%. Like Yoast, it also matches %%name%, which is not replaced.
var variable = regexp.MustCompile(`%%([^%]+(?:%%single)?)%%?`)

// replace fills in the variables of a text. It removes variables without a value.
func (v variables) replace(s string) string {
	names := variable.FindAllStringSubmatch(s, -1)
	for _, n := range names {
		if value := v[n[1]]; value != "" {
			s = strings.ReplaceAll(s, "%%"+n[1]+"%%", value)
		}
	}
	for _, n := range names {
		s = strings.ReplaceAll(s, "%%"+n[1]+"%%", "")
	}
	return s
}

func postVariables(r *seo.Rules, p *address.FullPost) variables {
	v := variables{
		"sitename": siteName(r), "title": p.Title, "name": p.AuthorName, "category": strings.Join(p.Categories, ", "),
		"primary_category": p.Primary, "tag": strings.Join(p.Tags, ", "),
	}
	if !p.Protected {
		v["excerpt"] = formatting.PlainText(p.Excerpt)
		v["excerpt_only"] = v["excerpt"]
	}
	return v
}

func termVariables(r *seo.Rules, t *address.NamedTerm) variables {
	return variables{"sitename": siteName(r), "term_title": t.Name, "term_description": formatting.PlainText(t.Description)}
}

func siteName(r *seo.Rules) string { return formatting.PlainText(r.Blog.Settings().Title) }
