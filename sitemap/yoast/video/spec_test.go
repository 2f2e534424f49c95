package video

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/video"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest/expect"
)

// stored returns a record of keys and values, in turn.
func stored(pairs ...any) *record {
	var all []php.Pair
	for i := 0; i < len(pairs); i += 2 {
		v, ok := pairs[i+1].(php.Value)
		if !ok {
			v = php.NewString(fmt.Sprint(pairs[i+1]))
		}
		all = append(all, php.Element(pairs[i].(string), v))
	}
	return &record{php.NewArray(all...)}
}

// list returns a stored list of texts.
func list(texts ...string) php.Value {
	var all []any
	for i, text := range texts {
		all = append(all, fmt.Sprint(i), text)
	}
	return stored(all...).Value
}

// rulesOf returns the rules of a site without rows.
func rulesOf() *seo.Rules {
	blog := new(wp.Blog)
	set := blog.Settings()
	set.Home, set.Title, set.Core.Zone, set.Uploads.URL = "https://small.test", "Small &amp; wet", time.UTC, "https://small.test/wp-content/uploads"
	return seo.NewRules(&address.Book{Blog: blog}, seo.Options{Now: time.Now}, nil, seo.PluginDecisions{})
}

// Which record the plugin does not print, and why. What the editor has chosen replaces what is stored.
func TestRecordsThatAreNotPrinted(t *testing.T) {
	whole := stored("thumbnail_loc", "a.jpg", "player_loc", "p")
	for _, tt := range []struct {
		rule  string
		meta  meta
		dated bool
		want  seo.Verdict
	}{
		{"complete", meta{record: whole.Value}, true, seo.Listed},
		{"with a file", meta{record: stored("thumbnail_loc", "a.jpg", "content_loc", "c").Value}, true, seo.Listed},
		{"switched off", meta{record: whole.Value, disabled: true}, true, seo.VideoDisabled},
		{"without a picture", meta{record: stored("player_loc", "p").Value}, true, seo.VideoWithoutThumbnail},
		{"with a chosen picture", meta{record: stored("player_loc", "p").Value, thumbnail: "b.jpg"}, true, seo.Listed},
		{"with a chosen picture, but without a record", meta{thumbnail: "b.jpg", duration: "5"}, true, seo.VideoWithoutThumbnail},
		{"without a player", meta{record: stored("thumbnail_loc", "a.jpg").Value}, true, seo.VideoWithoutPlayer},
		{"of a post without a date", meta{record: whole.Value}, false, seo.VideoUndated},
		{"with a date of its own", meta{record: stored("thumbnail_loc", "a.jpg", "player_loc", "p", "publication_date", "2024-01-02").Value}, false,
			seo.Listed},
		{"with a date that is none", meta{record: stored("thumbnail_loc", "a.jpg", "player_loc", "p", "publication_date", "soon").Value}, false,
			seo.VideoUndated},
	} {
		o := tt.meta.object(7, true, tt.dated)
		expect.Equal(t, o.Flags.Against, tt.want, tt.rule)
		expect.Equal(t, fmt.Sprint(o.ID, o.Flags.Noindex), "7 true", tt.rule)
	}
	chosen := (&meta{record: stored("title", "T", "duration", "1", "thumbnail_loc", "a.jpg").Value, thumbnail: "b.jpg", duration: "90"}).chosen()
	expect.Equal(t, keysOf(chosen), "title=T duration=90 thumbnail_loc=b.jpg", "the order stays")
	chosen = (&meta{record: stored("title", "T", "duration", "1").Value, duration: "0"}).chosen()
	expect.Equal(t, keysOf(chosen), "title=T duration=1")
}

// keysOf returns the keys and texts of a record.
func keysOf(r *record) string {
	var all []string
	for _, p := range r.Pairs() {
		all = append(all, p.Key.String()+"="+r.text(p.Key.String()))
	}
	return strings.Join(all, " ")
}

// The plugin prints the keys in their order: texts for readers in CDATA, each value of a list by itself, and no empty value.
func TestElementsOfARecord(t *testing.T) {
	var tags []string
	for i := range urlset.MaxVideoTags + 5 {
		tags = append(tags, fmt.Sprint("t", i))
	}
	rec := stored("id", "5", "url", "u", "type", "youtube", "permalink", "p", "title", "On %%sitename%%", "description", "", "duration", "0",
		"view_count", "12",
		"author", "3", "category", list("a", "b"), "tag", list(tags...), "live", php.NewArray(), "player_loc", "https://p.test/?a=1&amp;b=2", "hd",
		"1")
	print := func(name, link string) string {
		var all []string
		tags := 0
		for _, e := range rec.elements(variables{"sitename": "Small"}, name, link) {
			if e.Name == "tag" {
				tags++
				continue
			}
			all = append(all, strings.TrimSpace(fmt.Sprint(e.Name, "=", e.Text, map[bool]string{true: "!"}[e.CDATA], " ", e.Info)))
		}
		return fmt.Sprint(strings.Join(all, ", "), " and ", tags, " tags")
	}
	const rest = "category=a!, category=b!, player_loc=https://p.test/?a=1&amp;b=2 and 32 tags"
	expect.Equal(t, print("Ann & Bo", "https://small.test/author/ann/"),
		"title=On Small!, description=On Small!, view_count=12, uploader=Ann &amp; Bo https://small.test/author/ann/, "+rest)
	expect.Equal(t, print("Ann", ""), "title=On Small!, description=On Small!, view_count=12, "+rest, "without an address there is no uploader")
}

// The variables of a post: its texts, without those behind a password.
func TestVariablesOfAPost(t *testing.T) {
	p := &address.FullPost{Title: "Tide", AuthorName: "Ann", Excerpt: "High <b>tide</b> &amp; low", Categories: []string{"A", "B"}, Primary: "B",
		Tags: []string{"x", "y"}}
	const text = "%%sitename%%|%%title%%|%%name%%|%%category%%|%%primary_category%%|%%tag%%|%%excerpt%%|%%excerpt_only%%"
	expect.Equal(t, postVariables(rulesOf(), p).replace(text), "Small & wet|Tide|Ann|A, B|B|x, y|High tide & low|High tide & low")
	p.Protected = true
	expect.Equal(t, postVariables(rulesOf(), p).replace(text), "Small & wet|Tide|Ann|A, B|B|x, y||")
	term := &address.NamedTerm{}
	term.Name, term.Description = "Sea", "<i>Salt</i> &amp; water"
	expect.Equal(t, termVariables(rulesOf(), term).replace("%%term_title%%: %%term_description%% on %%sitename%%"),
		"Sea: Salt & water on Small & wet")
}

// A record is a video by Google's rules: valid addresses, what the editor chose first, then what is stored, then what the post has.
func TestVideoOfARecord(t *testing.T) {
	rules := rulesOf()
	reader := video.NewReader(rules, addOn{}, nil)
	const tube = "https://www.youtube.com/embed/abcdefghij1"
	read := func(texts video.Texts, rec *record) urlset.Video {
		if texts.Stored.Replace == nil {
			texts.Stored.Replace = func(s string) string { return s }
		}
		return recordVideo(reader, rec, &texts)
	}
	post := video.Texts{Title: "Post", Excerpt: "An excerpt", Date: 1000, Thumbnail: "https://small.test/post.jpg", Category: "Sea"}
	v := read(post, stored("title", "Record", "description", "Text", "player_loc", "https://p.test/", "content_loc", "javascript:x", "thumbnail_loc",
		"https://small.test/a.jpg",
		"publication_date", "2024-01-02T03:04:05+00:00", "expiration_date", "2025-01-01", "duration", "61", "view_count", "7", "rating", "4.44",
		"category", list("", "Tide"),
		"tag", list("a", "b", "a"), "live", "Yes", "requires_subscription", "NO"))
	expect.Same(t, urlset.Video{
		Title: "Record", Description: "Text", PlayerLoc: "https://p.test/", ThumbnailLoc: "https://small.test/a.jpg", Published: 1704164645,
		Expires:  1735689600,
		Duration: 61, ViewCount: 7, Rated: true, Rating: 4.4, Category: "Sea", Tags: []string{"a", "b"}, Live: "yes", Subscription: "no",
	}, v)

	v = read(video.Texts{Title: "Post", Date: 1000, Stored: video.Stored{Thumbnail: "https://small.test/chosen.jpg", Duration: 5, Rated: true,
		Rating: 1}}, stored(
		"url", "https://youtu.be/abcdefghij1", "thumbnail_loc", "https://small.test/a.jpg", "duration", "61", "rating", "4", "publication_date",
		"soon", "category", "Tide"))
	expect.Same(t, urlset.Video{
		Title: "Post", Description: "https://www.youtube.com/watch?v=abcdefghij1", PlayerLoc: tube, ThumbnailLoc: "https://small.test/chosen.jpg",
		Published: 1000,
		Expires:   wp.NoTime, Duration: 5, Rated: true, Rating: 1, Category: "Tide",
	}, v)

	v = read(post, stored("type", "youtube", "id", "abcdefghij1"))
	expect.Equal(t, v.PlayerLoc+" "+v.Description, tube+" An excerpt")
	if !strings.Contains(v.ThumbnailLoc, "abcdefghij1") {
		t.Errorf("the picture is %s, want that of the provider", v.ThumbnailLoc)
	}
	v = read(post, stored("type", "vimeo", "id", "77"))
	expect.Equal(t, v.ThumbnailLoc, "https://small.test/post.jpg", "the provider has no picture")
	v = read(post, stored("content_loc", "https://small.test/a.mp4"))
	expect.Equal(t, v.ContentLoc+v.PlayerLoc, "https://small.test/a.mp4", "a file needs no player")
	v = read(video.Texts{Title: "Post", Date: wp.NoTime}, stored("content_loc", "https://small.test/a.mp4"))
	expect.Equal(t, fmt.Sprint(v.Description, v.Published == wp.NoTime), "https://small.test/a.mp4true")
}

// A video in the content is the same as the stored one if it has one of these keys.
func TestKeysOfARecord(t *testing.T) {
	for _, tt := range []struct {
		rec  *record
		v    urlset.Video
		want string
	}{
		{stored("title", "T"), urlset.Video{}, ""},
		{stored("title", "T"), urlset.Video{ContentLoc: "c", PlayerLoc: "p"}, "c, p"},
		{stored("url", "https://youtu.be/abcdefghij1"), urlset.Video{}, "youtube abcdefghij1, https://youtu.be/abcdefghij1"},
		{stored("type", "other", "id", "5"), urlset.Video{}, "other 5"},
		{stored("type", "vimeo", "id", "77"), urlset.Video{}, "vimeo 77, vimeo 77"},
		{stored("content_loc", "https://vimeo.com/77"), urlset.Video{}, "vimeo 77"},
	} {
		expect.Equal(t, strings.Join(recordKeys(tt.rec, &tt.v), ", "), tt.want, keysOf(tt.rec))
	}
}

// The forms of dates in records. A time without a zone is UTC.
func TestDatesOfRecords(t *testing.T) {
	for text, want := range map[string]int64{
		"2024-01-02T03:04:05+02:00": 1704157445, " 2024-01-02T03:04:05Z ": 1704164645, "2024-01-02T03:04Z": 1704164640,
		"2024-01-02T03:04:05+0200": 1704157445,
		"2024-01-02T03:04:05":      1704164645, "2024-01-02 03:04:05": 1704164645, "2024-01-02": 1704153600, "2024-01": wp.NoTime, "": wp.NoTime,
		"0000-00-00": wp.NoTime,
	} {
		expect.Equal(t, w3cDate(text), want, text)
		expect.Equal(t, isDate(text), want != wp.NoTime, text)
	}
	for text, want := range map[string]int64{"5": 5, "0": 0, "-5": 0, "x": 0, "7 seconds": 7} {
		expect.Equal(t, wholeNumber(text), want, text)
	}
}
