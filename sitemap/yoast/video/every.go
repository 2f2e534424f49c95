package video

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/yoast/options"
	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/weburl"
)

// Every lists the videos by the specification: every one of a post.
var Every = provide(everyType, everyVideo, everyVideoOf)

func everyType(r *seo.Rules) []string { return types(r, r.ListsTypeNamed) }

// everyVideoOf is a post as the rules on the videos in its content see it.
func everyVideoOf(ctx context.Context, c *reader, p *wp.Post, listed bool) (seo.Object, bool, error) {
	if !listed {
		return seo.Object{}, false, nil
	}
	found, err := c.postVideos(ctx, []int64{p.ID})
	if err != nil || len(found) == 0 || found[0].incomplete == 0 && !found[0].Disabled {
		return seo.Object{}, false, err // it has none
	}
	return seo.Object{Kind: seo.KindVideo, ID: p.ID, Link: p.Link, Against: against(found[0].Disabled, len(found[0].videos) == 0)}, true, nil
}

// everyVideo fills the list by the specification: every listed post with a video that can be
// listed, by id, and then the listed terms with one. Which posts that are only the same look
// at them can tell that renders them; it is taken at those that have a record or whose content
// the database finds a sign of a video in.
func everyVideo(ctx context.Context, b *provider.Build, l *catalog.List) error {
	c := &reader{b.Rules}
	l.Render = c.everyVideoURLs
	lastmod := map[int64]int64{}
	var ids []int64
	types := everyType(b.Rules)
	for _, t := range types {
		for _, r := range b.Posts[t] {
			if r.Verdict == seo.Listed || r.Verdict == seo.FrontPageItself && isListedFront(b, r.ID) {
				ids = append(ids, r.ID)
				lastmod[r.ID] = r.LastMod.Unix()
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rows, err := b.Blog.VideoRows(ctx, types)
	if err != nil {
		return err
	}
	candidates, err := b.Blog.VideoMentions(ctx, ids)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if _, ok := lastmod[r.ID]; ok {
			candidates = append(candidates, r.ID)
		}
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	for batch := range slices.Chunk(candidates, seo.DefaultPageSize) {
		found, err := c.postVideos(ctx, batch)
		if err != nil {
			return err
		}
		for _, p := range found {
			rule := b.Judge(seo.Object{Kind: seo.KindVideo, ID: p.ID, Against: against(p.Disabled, len(p.videos) == 0)})
			if rule == seo.Listed {
				l.Entries = append(l.Entries, catalog.NewEntry(p.ID, lastmod[p.ID], seo.Listed))
			} else if rule != NoVideo {
				b.LeftOut[rule]++
			}
			if rule == seo.Listed || rule == NoVideo {
				b.LeftOut[NoVideo] += p.incomplete
			}
		}
	}
	if err := everyTermVideo(ctx, b, l); err != nil {
		return err
	}
	if b.LeftOut[NoVideo] == 0 {
		delete(b.LeftOut, NoVideo)
	}
	l.Indexed = len(l.Entries) > 0
	l.Dates = l.PageDates()
	return nil
}

// isListedFront reports whether a page is the front page and stands in the sitemap of pages.
func isListedFront(b *provider.Build, id int64) bool {
	for _, l := range b.Lists {
		if l.Kind == seo.KindPost && l.Of == "page" {
			return slices.ContainsFunc(l.First, func(f catalog.FirstLink) bool { return f.PostID == id })
		}
	}
	return false
}

// everyTermVideo adds the terms that are listed and have a record.
func everyTermVideo(ctx context.Context, b *provider.Build, l *catalog.List) error {
	with, err := termsWithVideo(ctx, b)
	if err != nil {
		return err
	}
	var found []catalog.Entry
	for _, other := range b.Lists {
		if other.Kind != seo.KindTerm {
			continue
		}
		t := b.Blog.Registry().Taxonomy(other.Of)
		for _, e := range other.Entries {
			if e.Verdict == seo.Listed && t != nil && slices.Contains(with[t], e.ID) {
				// The texts are not read yet; a name stands for them, because none decides.
				v, ok := (&reader{b.Rules}).recordVideo(newRecord(options.Of(b.Blog).TermVideo(t.Name, e.ID)), videoTexts{title: t.Name})
				if ok && completeVideo(&v) {
					found = append(found, catalog.Entry{ID: -e.ID, Date: e.Date, Verdict: seo.Listed})
				} else {
					b.LeftOut[NoVideo]++
				}
			}
		}
	}
	slices.SortFunc(found, func(x, y catalog.Entry) int { return cmp.Compare(y.ID, x.ID) })
	l.Entries = append(l.Entries, found...)
	return nil
}

// everyVideoURLs renders entries by the specification.
func (c *reader) everyVideoURLs(ctx context.Context, entries []catalog.Entry) (catalog.Rendered, error) {
	lastmod := catalog.Lastmods(entries)
	r := catalog.Rendered{URLs: make([]urlset.URL, 0, len(entries))}
	if ids := postIDs(entries); len(ids) > 0 {
		posts, err := c.postVideos(ctx, ids)
		if err != nil {
			return catalog.Rendered{}, err
		}
		for _, p := range posts {
			hidden, behind := c.MovedSinceListing(&p.Post, max(p.ModifiedGMT, p.DateGMT), lastmod[p.ID])
			r.Behind = r.Behind || behind
			if !hidden && len(p.videos) > 0 { // its content may have changed since
				r.URLs = append(r.URLs, urlset.URL{Loc: p.Link, LastMod: lastmod[p.ID], Videos: p.videos})
			}
		}
	}
	terms, err := videoTermURLs(ctx, c, entries, func(t *wp.VideoTerm, e catalog.Entry) (urlset.URL, bool) {
		rec := newRecord(options.Of(c.Blog).TermVideo(t.Taxonomy, t.ID))
		texts := videoTexts{vars: c.termVariables(t), title: t.Name, description: t.Description, tags: []string{t.Name}, date: wp.NoTime}
		v, ok := c.recordVideo(rec, texts)
		return urlset.URL{Loc: t.Link, LastMod: e.LastMod(), Videos: []urlset.Video{v}}, ok && completeVideo(&v)
	})
	slices.SortFunc(terms, func(x, y urlset.URL) int { return strings.Compare(x.Loc, y.Loc) })
	r.URLs = append(r.URLs, terms...)
	return r, err
}

// post is a post with the videos that can be listed.
type post struct {
	*wp.VideoPost
	mentions   []content.Video
	videos     []urlset.Video
	incomplete int // videos without a thumbnail, or without player and file
}

// postVideos reads posts with their videos: the one of the record first, and those of the
// content that are not the same.
func (c *reader) postVideos(ctx context.Context, ids []int64) ([]*post, error) {
	mentions := map[int64][]content.Video{}
	read, err := c.Blog.VideoPosts(ctx, ids, func(p *wp.VideoPost, text string) {
		if found := content.Videos(text); len(found) > 0 {
			mentions[p.ID] = found
		}
	})
	if err != nil {
		return nil, err
	}
	posts := make([]*post, len(read))
	for i, p := range read {
		posts[i] = &post{VideoPost: p, mentions: mentions[p.ID]}
	}
	m, err := c.readMedia(ctx, posts)
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		if !p.Disabled {
			c.compose(p, m)
		}
	}
	return posts, nil
}

// media are the attachments that play in posts, or are their pictures.
type media struct {
	byID     map[int64]*wp.Media
	byFile   map[string]*wp.Media
	byParent map[int64][]*wp.Media
}

// readMedia reads the attachments that posts mention, all at once.
func (c *reader) readMedia(ctx context.Context, posts []*post) (*media, error) {
	var ids, parents []int64
	var files []string
	for _, p := range posts {
		if p.Thumbnail > 0 {
			ids = append(ids, p.Thumbnail)
		}
		if id := newRecord(p.Record).get("attachment_id").Int(); id > 0 {
			ids = append(ids, id)
		}
		for _, v := range p.mentions {
			switch {
			case v.AttachmentID > 0:
				ids = append(ids, v.AttachmentID)
			case v.Playlist != nil && len(v.Playlist.Include) > 0:
				ids = append(ids, v.Playlist.Include...)
			case v.Playlist != nil:
				if parent := cmp.Or(v.Playlist.Parent, p.ID); parent > 0 {
					parents = append(parents, parent)
				}
			default:
				if file := c.Blog.AttachedFile(v.File); file != "" {
					files = append(files, file)
				}
			}
		}
	}
	found, err := c.Blog.Media(ctx, ids, parents, files)
	if err != nil {
		return nil, err
	}
	m := &media{byID: found, byFile: map[string]*wp.Media{}, byParent: map[int64][]*wp.Media{}}
	for _, a := range found {
		m.byParent[a.Parent] = append(m.byParent[a.Parent], a)
		if a.File != "" {
			m.byFile[a.File] = a
		}
	}
	for _, of := range m.byParent {
		slices.SortFunc(of, func(x, y *wp.Media) int { return cmp.Compare(x.ID, y.ID) })
	}
	return m, nil
}

func (c *reader) absolute(address string) string {
	return content.NewHome(c.Blog.Home()).Absolute(strings.TrimSpace(address))
}

// fileURL is the address of an attached file, "" for none.
func (c *reader) fileURL(file string) string {
	return c.absolute(c.Blog.Settings().Uploads.FileURL(file))
}

// videoTexts is what a video takes from the post or the term it stands in, where it has
// nothing of its own. Texts are HTML.
type videoTexts struct {
	vars                     *variables
	title, description       string
	excerpt                  string
	date                     int64
	thumbnail                string
	category                 string
	tags                     []string
	notFamily                bool
	uploader, uploaderInfo   string
	duration, rating, poster string // the editor's choices
}

func (c *reader) videoTexts(p *post, m *media) videoTexts {
	t := videoTexts{
		vars: c.postVariables(p.VideoPost), title: p.Title, description: p.Description, excerpt: p.Excerpt, date: p.DateGMT,
		category: p.Category, tags: p.Tags, notFamily: p.NotFamilyFriendly, uploader: p.AuthorName, uploaderInfo: p.AuthorLink,
		duration: p.Duration, rating: p.Rating, poster: p.ThumbnailLoc,
	}
	if t.date == wp.NoTime {
		if local := wp.ParseDate(p.Date); local != wp.NoTime {
			t.date = c.Blog.UTC(local)
		}
	}
	if a := m.byID[p.Thumbnail]; a != nil && strings.HasPrefix(a.MIME, "image/") {
		t.thumbnail = c.fileURL(a.File)
	}
	return t
}

// compose puts the videos of a post together.
func (c *reader) compose(p *post, m *media) {
	texts := c.videoTexts(p, m)
	seen := map[string]bool{}
	rec := newRecord(p.Record)
	if v, ok := c.recordVideo(rec, texts); ok {
		if v.Duration == 0 {
			if a := m.byID[rec.get("attachment_id").Int()]; a != nil {
				v.Duration = a.Length
			}
		}
		for _, key := range recordKeys(rec, &v) {
			seen[key] = true
		}
		p.take(&v)
		texts.duration, texts.rating, texts.poster = "", "", "" // chosen for that one
	}
	for _, found := range p.mentions {
		for _, v := range c.expand(found, p, m) {
			a := v.attachment
			video := c.contentVideo(v.Video, a, texts).Video
			key := v.Provider + " " + v.ID
			if v.Provider == "" {
				key = video.ContentLoc
			}
			if !seen[key] {
				seen[key] = true
				p.take(&video)
				texts.duration, texts.rating, texts.poster = "", "", ""
			}
		}
	}
}

// take keeps a video that can be listed, and counts the others.
func (p *post) take(v *urlset.Video) {
	if v.ContentLoc == p.Link {
		v.ContentLoc = ""
	}
	if v.PlayerLoc == p.Link || v.PlayerLoc == v.ContentLoc {
		v.PlayerLoc = ""
	}
	if completeVideo(v) {
		p.videos = append(p.videos, *v)
	} else {
		p.incomplete++
	}
}

// completeVideo reports whether a video can be listed: with a thumbnail, and a player or a file.
func completeVideo(v *urlset.Video) bool {
	return v.ThumbnailLoc != "" && (v.PlayerLoc != "" || v.ContentLoc != "") && v.Title != "" && v.Description != ""
}

// playing is a video of the content with its attachment, if it has one.
type playing struct {
	content.Video
	attachment *wp.Media
}

// expand finds the attachments of a video, and the videos of a playlist.
func (c *reader) expand(v content.Video, p *post, m *media) []playing {
	if v.Playlist == nil {
		a := m.byID[v.AttachmentID]
		if file := c.Blog.AttachedFile(v.File); a == nil && file != "" {
			a = m.byFile[file]
		}
		if a != nil && v.File == "" {
			v.File = c.fileURL(a.File)
		}
		return []playing{{v, a}}
	}
	var of []*wp.Media
	if len(v.Playlist.Include) > 0 {
		for _, id := range v.Playlist.Include {
			if a := m.byID[id]; a != nil {
				of = append(of, a)
			}
		}
	} else if v.Playlist.Include == nil {
		of = m.byParent[cmp.Or(v.Playlist.Parent, p.ID)]
	}
	var found []playing
	for _, a := range of {
		if strings.HasPrefix(a.MIME, "video/") && !slices.Contains(v.Playlist.Exclude, a.ID) {
			found = append(found, playing{content.Video{File: c.fileURL(a.File), AttachmentID: a.ID}, a})
			if v.First {
				break
			}
		}
	}
	return found
}

// contentVideo turns a video of the content into one that can be listed.
func (c *reader) contentVideo(found content.Video, a *wp.Media, t videoTexts) draft {
	v := c.newVideo(t)
	v.PlayerLoc = found.Player
	if found.Provider == "twitch" {
		v.PlayerLoc += "&parent=" + weburl.HostOf(c.Blog.Home())
	}
	v.ContentLoc = c.listable(found.File)
	titles, descriptions := []string{t.title}, []string{found.Caption}
	thumbnails := []string{t.poster, found.Poster}
	if a != nil {
		titles = []string{a.Title, t.title}
		descriptions = append(descriptions, a.Caption, a.Description)
		thumbnails = append(thumbnails, c.fileURL(a.Poster))
		if v.Duration == 0 {
			v.Duration = a.Length
		}
	}
	v.Title = c.firstText(t.vars, titles...)
	v.Description = c.firstText(t.vars, append(descriptions, t.description, t.excerpt, cmp.Or(found.Address, v.ContentLoc))...)
	for _, address := range append(thumbnails, found.Thumbnail, t.thumbnail) {
		if v.ThumbnailLoc = c.listable(address); v.ThumbnailLoc != "" {
			break
		}
	}
	return v
}

// recordVideo turns a stored record into a video; false without one.
func (c *reader) recordVideo(rec *record, t videoTexts) (urlset.Video, bool) {
	if len(rec.pairs) == 0 {
		return urlset.Video{}, false
	}
	v := c.newVideo(t)
	found, atProvider := recordProvider(rec)
	v.Title = c.firstText(t.vars, rec.text("title"), t.title)
	v.PlayerLoc, v.ContentLoc = c.listable(rec.text("player_loc")), c.listable(rec.text("content_loc"))
	if v.PlayerLoc == "" && v.ContentLoc == "" && atProvider {
		v.PlayerLoc = found.Player
		if found.Provider == "twitch" {
			v.PlayerLoc += "&parent=" + weburl.HostOf(c.Blog.Home())
		}
	}
	v.Description = c.firstText(t.vars, rec.text("description"), t.description, t.excerpt, cmp.Or(found.Address, v.ContentLoc, v.PlayerLoc))
	for _, address := range []string{t.poster, rec.text("thumbnail_loc"), found.Thumbnail, t.thumbnail} {
		if v.ThumbnailLoc = c.listable(address); v.ThumbnailLoc != "" {
			break
		}
	}
	if at := w3cDate(rec.text("publication_date")); at != wp.NoTime {
		v.Published = at
	}
	v.Expires = w3cDate(rec.text("expiration_date"))
	if v.Duration == 0 {
		v.Duration = wholeNumber(rec.text("duration"))
	}
	v.ViewCount = wholeNumber(rec.text("view_count"))
	if !v.Rated {
		v.rate(rec.text("rating"))
	}
	if v.Category == "" {
		v.Category = c.firstText(t.vars, scalarTexts(rec.get("category"))...)
	}
	for _, tag := range scalarTexts(rec.get("tag")) {
		v.addTag(c.videoProse(tag, t.vars))
	}
	v.Live, v.Subscription = strings.ToLower(rec.text("live")), strings.ToLower(rec.text("requires_subscription"))
	return v.Video, true
}

// draft is a video that is being put together.
type draft struct{ urlset.Video }

// newVideo begins a video with what it has of its post or term.
func (c *reader) newVideo(t videoTexts) draft {
	v := draft{urlset.Video{
		Published: t.date, Expires: urlset.NoDate, NotFamily: t.notFamily, Duration: wholeNumber(t.duration),
		Category: formatting.PlainText(t.category), Uploader: formatting.PlainText(t.uploader), UploaderInfo: t.uploaderInfo,
	}}
	v.rate(t.rating)
	for _, tag := range t.tags {
		v.addTag(formatting.PlainText(tag))
	}
	return v
}

func (v *draft) addTag(tag string) {
	if tag != "" && !slices.Contains(v.Tags, tag) && len(v.Tags) < urlset.MaxVideoTags {
		v.Tags = append(v.Tags, tag)
	}
}

func (v *draft) rate(text string) {
	if rounded, ok := storedRating(text); ok && text != "" {
		v.Rated = true
		v.Rating, _ = strconv.ParseFloat(rounded, 64)
	}
}

// recordProvider reads a provider and the id of a video there from a record.
func recordProvider(rec *record) (content.Video, bool) {
	for _, key := range []string{"player_loc", "url", "content_loc"} {
		if v, ok := content.ParseVideoAddress(rec.text(key)); ok {
			return v, true
		}
	}
	return content.VideoOf(rec.text("type"), rec.text("id"))
}

// recordKeys are what a video of the content is known by when it is that of the record.
func recordKeys(rec *record, v *urlset.Video) []string {
	keys := []string{v.ContentLoc, v.PlayerLoc}
	if found, ok := recordProvider(rec); ok {
		keys = append(keys, found.Provider+" "+found.ID)
	}
	if id := rec.text("id"); id != "" {
		keys = append(keys, rec.text("type")+" "+id)
	}
	return slices.DeleteFunc(append(keys, rec.text("url")), func(k string) bool { return k == "" })
}

// listable returns an address made absolute, "" for one that may not stand in a sitemap.
func (c *reader) listable(address string) string {
	address = c.absolute(address)
	if address == "" || len(address) > 4*urlset.MaxLoc {
		return ""
	}
	if _, ok := urlset.Strict.AppendLoc(nil, address); !ok {
		return ""
	}
	return address
}

// firstText returns the first of some texts in HTML that says something, as plain text.
func (c *reader) firstText(vars *variables, texts ...string) string {
	for _, text := range texts {
		if plain := c.videoProse(text, vars); plain != "" {
			return plain
		}
	}
	return ""
}

// videoProse turns a text in HTML into plain text without shortcodes, with its variables
// replaced and without what XML has no place for.
func (c *reader) videoProse(s string, vars *variables) string {
	if len(s) > maxVideoText {
		s = strings.ToValidUTF8(s[:maxVideoText], "")
	}
	s = scripts.ReplaceAllLiteralString(formatting.StripShortcodes(s), " ")
	if strings.Contains(s, "%%") {
		if vars == nil {
			vars = &variables{value: c.siteVariable}
		}
		s = vars.replace(strings.ToValidUTF8(s, "\uFFFD"))
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, php.HTMLEntityDecode(formatting.PlainText(s), php.UTF8)) // records are escaped once more than posts
	return strings.Join(strings.Fields(s), " ")
}

// scripts are elements whose text is none for readers.
var scripts = regexp.MustCompile(`(?is)<(?:script\b.*?</script|style\b.*?</style)[^>]*>`)

// scalarTexts are the values of a list, or a single one, without what is no text.
func scalarTexts(v php.Value) []string {
	texts := []string{scalarText(v)}
	for _, p := range v.Pairs() {
		texts = append(texts, scalarText(p.Value))
	}
	return texts
}

// wholeNumber reads a positive number, 0 for anything else.
func wholeNumber(s string) int64 {
	if n := php.NewString(s).Int(); n > 0 {
		return n
	}
	return 0
}

// w3cDate reads a date of a record, wp.NoTime for none. Times without a zone are UTC, as the
// plugin stores them.
func w3cDate(s string) int64 {
	s = strings.TrimSpace(s)
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", time.DateTime, time.DateOnly,
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Unix() >= wp.MinTime && t.Unix() <= wp.MaxTime {
			return t.Unix()
		}
	}
	return wp.NoTime
}
