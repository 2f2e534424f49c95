package sitemap

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// The sitemap of videos exists where Yoast Video SEO is active, at both levels. Its entries are
// posts, and terms, whose ids stand in the list as negative numbers.

// videoName returns the name of the video sitemap, "" where Yoast Video SEO is not active.
func (c *Catalog) videoName() string {
	set := &c.site.Settings().Video
	switch {
	case !set.Active:
		return ""
	case set.Basename != "":
		return set.Basename
	case c.site.Registry().PostType("video") != nil:
		return "yoast-video"
	}
	return "video"
}

// videoTypes are the post types whose videos are listed.
func (c *Catalog) videoTypes() []string {
	set := &c.site.Settings().Video
	names := slices.Clone(set.PostTypes)
	if set.AllTypes {
		for _, t := range c.site.Registry().PostTypes {
			if t.Public {
				names = append(names, t.Name)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !c.policy.videos.lists(c, name) })
}

// videoList makes the list of the videos; nil on a site without.
func (b *build) videoList(ctx context.Context) (*list, error) {
	name := b.videoName()
	if name == "" || b.hidden() {
		return nil, nil
	}
	l := &list{name: name, past: b.policy.past, extensions: urlset.Videos, elsewhere: b.site.Settings().Video.Cloaked}
	return l, b.policy.videos.fill(b, ctx, l)
}

// storedVideos fills the list by the plugin's rules: the posts with a record in the order of
// their changes, those that turn out to have nothing to print included; and the terms with a
// record on every page, behind the last one too. It stands beside other sitemaps only.
func (b *build) storedVideos(ctx context.Context, l *list) error {
	l.past, l.dependent, l.render = pastEvery, true, undated(b.storedVideoURLs)
	rows, err := b.site.VideoRows(ctx, b.videoTypes())
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(x, y wp.VideoRow) int {
		return cmp.Or(cmp.Compare(x.Modified, y.Modified), cmp.Compare(x.ID, y.ID))
	})
	for batch := range slices.Chunk(rows, DefaultPageSize) {
		ids := make([]int64, len(batch))
		for i, r := range batch {
			ids[i] = r.ID
		}
		metas, err := b.site.VideoMeta(ctx, ids)
		if err != nil {
			return err
		}
		links := map[int64]string{}
		if len(b.opt.Exclude.URLs) > 0 {
			posts, err := b.site.Posts(ctx, ids, nil)
			if err != nil {
				return err
			}
			for _, p := range posts {
				links[p.ID] = p.Link
			}
		}
		for _, r := range batch {
			o := Object{Kind: KindVideo, ID: r.ID, Noindex: b.noindex[r.ID] == "1", Link: links[r.ID], NoVideo: true}
			if m := metas[r.ID]; m != nil {
				o.VideoDisabled = m.Disabled
				rec := newRecord(m.Record)
				rec.override(m)
				o.NoVideo = !rec.complete() || !r.Dated && !validDateTime(rec.text("publication_date"))
			}
			rule := b.judge(o)
			if rule != Listed {
				b.skipped[rule]++
			}
			l.entries = append(l.entries, newEntry(r.ID, r.ModifiedGMT, rule))
		}
	}
	l.indexed = len(l.entries) > 0
	l.dates = make([]int64, b.pages(l))
	for i := range l.dates {
		if last := len(rows) - 1; i == len(l.dates)-1 {
			l.dates[i] = rows[last].ModifiedGMT
		} else {
			l.dates[i] = rows[(i+1)*b.opt.PageSize-1].ModifiedGMT
		}
	}
	for _, name := range b.site.Settings().Video.Taxonomies {
		if b.site.Registry().Taxonomy(name) == nil { // the plugin asks for all taxonomies at once, and gets no terms then
			return nil
		}
	}
	terms, err := b.termsWithVideo(ctx)
	if err != nil {
		return err
	}
	ordered, err := b.site.VideoTerms(ctx, terms)
	for _, t := range ordered {
		l.tail = append(l.tail, newEntry(-t.ID, wp.NoTime, Listed))
	}
	return err
}

// termsWithVideo returns the terms that have a record and are not empty, by taxonomy.
func (b *build) termsWithVideo(ctx context.Context) (map[*registry.Taxonomy][]int64, error) {
	found := map[*registry.Taxonomy][]int64{}
	for _, name := range b.site.Settings().Video.Taxonomies {
		t := b.site.Registry().Taxonomy(name)
		ids := b.site.Settings().Yoast.TermsWithVideo(name)
		if t == nil || len(ids) == 0 || found[t] != nil || b.site.TaxonomyExcluded(name) {
			continue
		}
		terms, err := b.site.Terms(ctx, t)
		if err != nil {
			return nil, err
		}
		for _, term := range terms.Listed {
			if slices.Contains(ids, term.ID) && !slices.Contains(b.opt.Exclude.TermIDs, term.ID) {
				found[t] = append(found[t], term.ID)
			}
		}
	}
	return found, nil
}

// videoTermURLs renders the entries that are terms, by name.
func (c *Catalog) videoTermURLs(ctx context.Context, entries []entry, render func(*wp.VideoTerm, entry) (urlset.URL, bool)) ([]urlset.URL, error) {
	wanted := map[int64]entry{}
	for _, e := range entries {
		if e.id < 0 {
			wanted[-e.id] = e
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	y := &c.site.Settings().Yoast
	ids := map[*registry.Taxonomy][]int64{}
	for _, name := range c.site.Settings().Video.Taxonomies {
		t := c.site.Registry().Taxonomy(name)
		if t == nil || ids[t] != nil {
			continue
		}
		for _, id := range y.TermsWithVideo(name) {
			if _, ok := wanted[id]; ok {
				ids[t] = append(ids[t], id)
			}
		}
	}
	terms, err := c.site.VideoTerms(ctx, ids)
	var urls []urlset.URL
	for _, t := range terms {
		if u, ok := render(t, wanted[t.ID]); ok {
			urls = append(urls, u)
		}
	}
	return urls, err
}

// storedVideoURLs renders entries as the plugin does.
func (c *Catalog) storedVideoURLs(ctx context.Context, entries []entry) ([]urlset.URL, error) {
	posts, err := c.site.VideoPosts(ctx, postIDs(entries), nil)
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
	terms, err := c.videoTermURLs(ctx, entries, func(t *wp.VideoTerm, _ entry) (urlset.URL, bool) {
		rec := newRecord(c.site.Settings().Yoast.TermVideo(t.Taxonomy, t.ID))
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

func postIDs(entries []entry) []int64 {
	ids := make([]int64, 0, len(entries))
	for _, e := range entries {
		if e.id > 0 {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// publication is the date of a post whose record has none, as the plugin writes it; "" where
// no column has one.
func (c *Catalog) publication(p *wp.VideoPost) string {
	at := p.DateGMT
	if at == wp.NoTime {
		if at = wp.ParseDate(p.Date); at == wp.NoTime {
			return ""
		}
		at = c.toUTC(at)
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
				out = append(out, urlset.VideoElement{Name: "uploader", Text: numericEntities(formatting.EscHTML(author)), Info: authorLink})
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
