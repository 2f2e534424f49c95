package video

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/yoast/options"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// The sitemap of videos exists where Yoast Video SEO is active, at both levels. Its entries are
// posts, and terms, whose ids stand in the list as negative numbers.

// name returns the name of the video sitemap, "" where Yoast Video SEO is not active.
func name(c *seo.Rules) string {
	set := &c.Blog.Settings().Video
	switch {
	case !set.Active:
		return ""
	case set.Basename != "":
		return set.Basename
	case c.Blog.Registry().PostType("video") != nil:
		return "yoast-video"
	}
	return "video"
}

// types are the post types whose videos are listed.
func types(c *seo.Rules, lists func(postType string) bool) []string {
	set := &c.Blog.Settings().Video
	names := slices.Clone(set.PostTypes)
	if set.AllTypes {
		for _, t := range c.Blog.Registry().PostTypes {
			if t.Public {
				names = append(names, t.Name)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !lists(name) })
}

// Verdicts on videos.
var (
	Disabled = seo.NewVerdict("video disabled")                    // _yoast_wpseo_videositemap-disable
	NoVideo  = seo.NewVerdict("video without thumbnail or player") // a video without a thumbnail, or with neither player nor file
)

// Checks come behind those on the post.
var Checks = []seo.Check{
	{
		Verdict:  Disabled,
		Sentence: "Its video is switched off in Yoast Video SEO.",
		Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.Against == Disabled },
	},
	{
		Verdict:  NoVideo,
		Sentence: "Its video has no thumbnail, or neither a player nor a file.",
		Applies:  func(_ *seo.Rules, o *seo.Object) bool { return o.Against == NoVideo },
	},
}

// against is the verdict on a post's own video.
func against(disabled, none bool) seo.Verdict {
	switch {
	case disabled:
		return Disabled
	case none:
		return NoVideo
	}
	return seo.Listed
}

// provide is a provider of the sitemap of videos, whose entries fill makes.
func provide(types func(*seo.Rules) []string, fill func(context.Context, *provider.Build, *catalog.List) error, object objectOf) provider.Provider {
	return provider.Provider{
		Names: func(r *seo.Rules) map[string]bool {
			if name := name(r); name != "" {
				return map[string]bool{name: !r.Blog.Settings().Video.Cloaked} // who may see it, only the site can tell
			}
			return nil
		},
		Deltas: func(r *seo.Rules) bool { return name(r) == "" },
		Lists: func(ctx context.Context, b *provider.Build) error {
			name := name(b.Rules)
			if name == "" || b.Hidden() {
				return nil
			}
			r := &reader{b.Rules}
			l := b.List(catalog.List{
				Name: name, Kind: seo.KindOther, Past: b.Policy.Past, Extensions: urlset.Videos, TermsOf: b.Blog.Settings().Video.Taxonomies,
				Elsewhere: b.Blog.Settings().Video.Cloaked, ElsewhereBy: "wpseo_video[video_cloak_sitemap]",
				Absent: func(ctx context.Context, p *wp.Post, listed bool) (string, error) {
					if !slices.Contains(types(r.Rules), p.Type) {
						return "", nil
					}
					return notAVideo(ctx, r, object, p, listed)
				},
			})
			if err := fill(ctx, b, l); err != nil {
				return err
			}
			b.Add(l)
			return nil
		},
	}
}

// reader reads posts and terms with their videos.
type reader struct{ *seo.Rules }

// objectOf is a post as the rules on videos see it; false where it has none to speak of.
type objectOf func(ctx context.Context, c *reader, p *wp.Post, listed bool) (seo.Object, bool, error)

// notAVideo says why a published post is not among the videos.
func notAVideo(ctx context.Context, c *reader, object objectOf, p *wp.Post, listed bool) (string, error) {
	o, has, err := object(ctx, c, p, listed)
	if err != nil || !has {
		return "", err
	}
	switch v := c.Judge(o); v {
	case seo.Listed:
		return "", nil
	case Disabled:
		return fmt.Sprintf("%s._yoast_wpseo_videositemap-disable is \"on\"", c.Blog.Table("postmeta")), nil
	case NoVideo:
		return "its video has no thumbnail, or neither a player nor a file", nil
	default:
		return v.String(), nil
	}
}

// Stored lists the videos by the plugin's rules: one of each post that has a record.
var Stored = provide(StoredTypes, storedVideos, storedVideoOf)

func StoredTypes(r *seo.Rules) []string { return types(r, r.KeepsType) }

// storedVideoOf is a post as the rules on the plugin's record see it.
func storedVideoOf(ctx context.Context, c *reader, p *wp.Post, _ bool) (seo.Object, bool, error) {
	metas, err := c.Blog.VideoMeta(ctx, []int64{p.ID})
	m := metas[p.ID]
	if err != nil || m == nil {
		return seo.Object{}, false, err
	}
	rec := newRecord(m.Record)
	rec.override(m)
	if !m.Disabled && !rec.complete() && m.Record.Len() == 0 {
		return seo.Object{}, false, nil
	}
	return seo.Object{
		Kind: seo.KindVideo, ID: p.ID, Link: p.Link, Noindex: c.Settings.Post(p).Noindex, Against: against(m.Disabled, !rec.complete()),
	}, true, nil
}

// storedVideos fills the list by the plugin's rules: the posts with a record in the order of
// their changes, those that turn out to have nothing to print included; and the terms with a
// record on every page, behind the last one too. It stands beside other sitemaps only.
func storedVideos(ctx context.Context, b *provider.Build, l *catalog.List) error {
	c := &reader{b.Rules}
	l.Past, l.Dependent, l.Dateless = catalog.PastEvery, true, true
	l.Render = catalog.Undated(func(ctx context.Context, entries []catalog.Entry) ([]urlset.URL, error) {
		return storedVideoURLs(ctx, c, entries)
	})
	rows, err := b.Blog.VideoRows(ctx, StoredTypes(b.Rules))
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(x, y wp.VideoRow) int {
		return cmp.Or(cmp.Compare(x.Modified, y.Modified), cmp.Compare(x.ID, y.ID))
	})
	for batch := range slices.Chunk(rows, seo.DefaultPageSize) {
		ids := make([]int64, len(batch))
		for i, r := range batch {
			ids[i] = r.ID
		}
		metas, err := b.Blog.VideoMeta(ctx, ids)
		if err != nil {
			return err
		}
		links := map[int64]string{}
		if len(b.Options.Exclude.URLs) > 0 {
			posts, err := b.Blog.Posts(ctx, ids, nil)
			if err != nil {
				return err
			}
			for _, p := range posts {
				links[p.ID] = p.Link
			}
		}
		for _, r := range batch {
			o := seo.Object{Kind: seo.KindVideo, ID: r.ID, Noindex: b.Flags[r.ID].Noindex, Link: links[r.ID], Against: NoVideo}
			if m := metas[r.ID]; m != nil {
				rec := newRecord(m.Record)
				rec.override(m)
				o.Against = against(m.Disabled, !rec.complete() || !r.Dated && !validDateTime(rec.text("publication_date")))
			}
			rule := b.Judge(o)
			if rule != seo.Listed {
				b.LeftOut[rule]++
			}
			l.Entries = append(l.Entries, catalog.NewEntry(r.ID, r.ModifiedGMT, rule))
		}
	}
	l.Indexed = len(l.Entries) > 0
	l.Dates = make([]int64, l.Pages())
	for i := range l.Dates {
		if last := len(rows) - 1; i == len(l.Dates)-1 {
			l.Dates[i] = rows[last].ModifiedGMT
		} else {
			l.Dates[i] = rows[(i+1)*b.Options.PageSize-1].ModifiedGMT
		}
	}
	for _, name := range b.Blog.Settings().Video.Taxonomies {
		if b.Blog.Registry().Taxonomy(name) == nil { // the plugin asks for all taxonomies at once, and gets no terms then
			return nil
		}
	}
	terms, err := termsWithVideo(ctx, b)
	if err != nil {
		return err
	}
	ordered, err := b.Blog.VideoTerms(ctx, terms)
	for _, t := range ordered {
		l.Tail = append(l.Tail, catalog.NewEntry(-t.ID, wp.NoTime, seo.Listed))
	}
	return err
}

// termsWithVideo returns the terms that have a record and are not empty, by taxonomy.
func termsWithVideo(ctx context.Context, b *provider.Build) (map[*registry.Taxonomy][]int64, error) {
	found := map[*registry.Taxonomy][]int64{}
	for _, name := range b.Blog.Settings().Video.Taxonomies {
		t := b.Blog.Registry().Taxonomy(name)
		ids := options.Of(b.Blog).TermsWithVideo(name)
		if t == nil || len(ids) == 0 || found[t] != nil || b.Blog.TaxonomyExcluded(name) {
			continue
		}
		terms, err := b.Blog.Terms(ctx, t)
		if err != nil {
			return nil, err
		}
		for _, term := range terms.Listed {
			if slices.Contains(ids, term.ID) && !slices.Contains(b.Options.Exclude.TermIDs, term.ID) {
				found[t] = append(found[t], term.ID)
			}
		}
	}
	return found, nil
}

// videoTermURLs renders the entries that are terms, by name.
func videoTermURLs(
	ctx context.Context, c *reader, entries []catalog.Entry, render func(*wp.VideoTerm, catalog.Entry) (urlset.URL, bool),
) ([]urlset.URL, error) {
	wanted := map[int64]catalog.Entry{}
	for _, e := range entries {
		if e.ID < 0 {
			wanted[-e.ID] = e
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	y := options.Of(c.Blog)
	ids := map[*registry.Taxonomy][]int64{}
	for _, name := range c.Blog.Settings().Video.Taxonomies {
		t := c.Blog.Registry().Taxonomy(name)
		if t == nil || ids[t] != nil {
			continue
		}
		for _, id := range y.TermsWithVideo(name) {
			if _, ok := wanted[id]; ok {
				ids[t] = append(ids[t], id)
			}
		}
	}
	terms, err := c.Blog.VideoTerms(ctx, ids)
	var urls []urlset.URL
	for _, t := range terms {
		if u, ok := render(t, wanted[t.ID]); ok {
			urls = append(urls, u)
		}
	}
	return urls, err
}

// storedVideoURLs renders entries as the plugin does.
func storedVideoURLs(ctx context.Context, c *reader, entries []catalog.Entry) ([]urlset.URL, error) {
	posts, err := c.Blog.VideoPosts(ctx, postIDs(entries), nil)
	if err != nil {
		return nil, err
	}
	urls := make([]urlset.URL, 0, len(entries))
	for _, p := range posts {
		rec := newRecord(p.Record)
		rec.override(&p.VideoMeta)
		if rec.complete() {
			rec.setString("permalink", p.Link)
			if rating, ok := storedRating(p.Rating); ok {
				rec.setString("rating", rating)
			}
			family := "yes"
			if p.NotFamilyFriendly {
				family = "no"
			}
			rec.setString("family_friendly", family)
			rec.setString("author", strconv.FormatInt(p.Author, 10))
			if !validDateTime(rec.text("publication_date")) {
				rec.setString("publication_date", c.publication(p))
			}
			vars := c.postVariables(p)
			urls = append(urls, urlset.URL{Loc: p.Link, LastMod: wp.NoTime, Videos: []urlset.Video{{Stored: rec.elements(vars, p.AuthorName, p.AuthorLink)}}})
		}
	}
	terms, err := videoTermURLs(ctx, c, entries, func(t *wp.VideoTerm, _ catalog.Entry) (urlset.URL, bool) {
		rec := newRecord(options.Of(c.Blog).TermVideo(t.Taxonomy, t.ID))
		rec.setString("permalink", t.Link)
		rec.setString("tag", t.Name)
		if !validDateTime(rec.text("publication_date")) {
			rec.set("publication_date", php.Value{}) // a term has no date the plugin could take
		}
		vars := c.termVariables(t)
		return urlset.URL{Loc: t.Link, LastMod: wp.NoTime, Videos: []urlset.Video{{Stored: rec.elements(vars, "", "")}}}, true
	})
	return append(urls, terms...), err
}

func postIDs(entries []catalog.Entry) []int64 {
	ids := make([]int64, 0, len(entries))
	for _, e := range entries {
		if e.ID > 0 {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// publication is the date of a post whose record has none, as the plugin writes it; "" where
// no column has one.
func (c *reader) publication(p *wp.VideoPost) string {
	at := p.DateGMT
	if at == wp.NoTime {
		if at = wp.ParseDate(p.Date); at == wp.NoTime {
			return ""
		}
		at = c.Blog.UTC(at)
	}
	return string(urlset.AppendDate(nil, at))
}

// record is a stored video, whose elements keep their order while values are put in.
type record struct{ pairs []php.Pair }

func newRecord(v php.Value) *record {
	if v.Kind != php.Array {
		return &record{}
	}
	return &record{slices.Clone(v.Pairs())}
}

func (r *record) get(key string) php.Value {
	for i := range r.pairs {
		if k := &r.pairs[i].Key; k.IsString && k.Str == key {
			return r.pairs[i].Value
		}
	}
	return php.Value{}
}

// text is a value as text, "" for anything but a scalar.
func (r *record) text(key string) string { return scalarText(r.get(key)) }

func scalarText(v php.Value) string {
	switch v.Kind {
	case php.String, php.Int, php.Float, php.Bool:
		return v.Str()
	}
	return ""
}

// set replaces a value in its place, or puts a new one at the end.
func (r *record) set(key string, v php.Value) {
	for i := range r.pairs {
		if k := &r.pairs[i].Key; k.IsString && k.Str == key {
			r.pairs[i].Value = v
			return
		}
	}
	r.pairs = append(r.pairs, php.Pair{Key: php.KeyOf(key), Value: v})
}

func (r *record) setString(key, s string) { r.set(key, php.NewString(s)) }

// override puts in what the editor of the post has chosen.
func (r *record) override(m *wp.VideoMeta) {
	if len(r.pairs) == 0 {
		return
	}
	if m.ThumbnailLoc != "" {
		r.setString("thumbnail_loc", m.ThumbnailLoc)
	}
	if aboveZero(m.Duration) {
		r.setString("duration", m.Duration)
	}
}

// complete reports whether the plugin prints the record: a thumbnail, and a player or a file.
func (r *record) complete() bool {
	return !r.get("thumbnail_loc").IsNull() && (!r.get("player_loc").IsNull() || !r.get("content_loc").IsNull())
}

// aboveZero is PHP's $s > 0: what is no number is compared as text.
func aboveZero(s string) bool {
	s = strings.Trim(s, " \t\n\r\v\f")
	if n, err := strconv.ParseFloat(s, 64); err == nil && !strings.ContainsAny(s, "xXpPiInN_") {
		return n > 0
	}
	return s > "0"
}

// storedRating returns a rating with one decimal, rounded as number_format() does.
func storedRating(s string) (string, bool) {
	s = strings.Trim(s, " \t\n\r\v\f")
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.ContainsAny(s, "xXpPiInN_") || s == "0" || !(0 <= n && n <= 5) {
		return "", false
	}
	return oneDecimal(n), true
}

// oneDecimal rounds halves up, as they are in decimal.
func oneDecimal(n float64) string {
	shortest, _ := strconv.ParseFloat(strconv.FormatFloat(n*10, 'g', 15, 64), 64)
	tenths := int(shortest + 0.5)
	return strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10)
}

// neverPrinted are the keys of a record that the plugin keeps to itself.
var neverPrinted = []string{
	"id", "url", "type", "permalink", "post_id", "hd", "maybe_local", "attachment_id", "file_path", "file_url", "last_fetched",
}

// proseKeys are those whose values are texts for readers.
var proseKeys = []string{"description", "category", "tag", "title"}

// elements turns the record into what the plugin prints: every key that is left, in its order.
func (r *record) elements(vars *variables, author, authorLink string) []urlset.VideoElement {
	out := []urlset.VideoElement{}
	for _, p := range r.pairs {
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
			v = r.get("title")
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
