package video

import (
	"encoding/xml"
	"fmt"
	"slices"
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

func TestVideoText(t *testing.T) {
	replace := func(s string) string { return strings.ReplaceAll(s, "%%sitename%%", "Reel & Room") }
	for _, tt := range []struct{ in, prose, other string }{ // as PHP prints them
		{"A &amp;amp; B", "A &amp; B", "A &amp; B"},
		{"caf&eacute;", "", "caf\xe9"},
		{"caf\u00e9 &hellip;", "café …", "café …"},
		{"a &bogus; b & c", "a &amp;bogus; b &amp; c", "a &amp;bogus; b &amp; c"},
		{"R&D and T;x", "R&amp;D and T;x", "R&amp;D and T;x"},
		{`She said "hi", it's <b>fine</b>`, `She said "hi", it's &lt;b&gt;fine&lt;/b&gt;`, `She said "hi", it's &lt;b&gt;fine&lt;/b&gt;`},
		{"one\ntwo \t three", "one two  three", "one two  three"},
		{"0", "", ""},
		{" \x00 ", "", ""},
		{"on %%sitename%%", "on Reel &amp; Room", "on Reel &amp; Room"},
		{strings.Repeat("a", maxVideoText+1), "", ""},
	} {
		expect.Equal(t, videoText(tt.in, true, replace), tt.prose, tt.in, "as prose")
		expect.Equal(t, videoText(tt.in, false, replace), tt.other, tt.in)
	}
}

func TestVariables(t *testing.T) {
	v := variables{"title": "Tide", "empty": "", "sep": "|"}
	for in, want := range map[string]string{
		"%%title%% %%sep%% %%empty%% %%sep%% %%unknown%%": "Tide |  | ",
		"%%title%":        "%%title%",   // one % is missing:
		"100%% %%title%%": "100title%%", // the first name is a space
		"no variable":     "no variable",
	} {
		expect.Equal(t, v.replace(in), want, in)
	}
}

func TestStoredRating(t *testing.T) {
	for in, want := range map[string]string{
		"4.25": "4.3", "4.35": "4.4", "0.0": "0.0", "5": "5.0", "4.96": "5.0", ".5": "0.5", " 3 ": "3.0", "4e0": "4.0",
		"0": "", "": "", "5.1": "", "-1": "", "four": "", "0x3": "", "inf": "", "nan": "", "3 stars": "",
	} {
		rating, ok := storedRating(in)
		if got := fmt.Sprintf("%.1f", rating); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s, %t; want %q", in, got, ok, want)
		}
	}
}

// Whatever a record holds, the sitemap is well-formed XML at both levels, and valid by the schema at level spec.
func FuzzVideoRecord(f *testing.F) {
	for _, s := range []string{
		`a:3:{s:5:"title";s:1:"x";s:10:"player_loc";s:9:"https://a";s:13:"thumbnail_loc";s:9:"https://b";}`,
		`a:2:{s:3:"tag";a:2:{i:0;a:1:{i:0;s:1:"x";}i:1;O:1:"X":0:{}}s:5:"title";s:9:"%%title%%";}`,
		`a:1:{s:11:"description";s:20:"&amp;amp;&eacute;]]>";}`, `a:1:{s:4:"<a> ";d:1E+300;}`, `b:1;`, `none`,
	} {
		f.Add(s)
	}
	blog := new(wp.Blog)
	set := blog.Settings()
	set.Home, set.Title, set.Core.Zone, set.Uploads.URL = "https://small.test", "Small", time.UTC, "https://small.test/wp-content/uploads"
	rules := seo.NewRules(&address.Book{Blog: blog}, seo.Options{Now: time.Now}, nil, seo.PluginDecisions{})
	videos := video.NewReader(rules, addOn{}, nil)
	allowed := "title publication_date description player_loc content_loc thumbnail_loc duration view_count category tag rating " +
		"family_friendly uploader expiration_date requires_subscription live"
	f.Fuzz(func(t *testing.T, text string) {
		v, err := php.MaybeUnserialize(text)
		if err != nil {
			t.Skip()
		}
		rec := &record{v}
		p := &address.FullPost{Post: address.Post{ID: 1, Date: "2024-01-01 00:00:00", Link: "https://small.test/a/"}, Title: "T"}
		texts := &video.Texts{Title: p.Title, Date: wp.NoTime, Stored: video.Stored{Replace: postVariables(rules, p).replace}}
		stored := urlset.Video{Stored: rec.elements(postVariables(rules, p), "Ann", "https://small.test/author/ann/")}
		strict := []urlset.Video{recordVideo(videos, rec, texts)}
		if video.Lacks(&strict[0]) != seo.Listed {
			strict = nil
		}
		for encoding, videos := range map[urlset.Encoding][]urlset.Video{urlset.Strict: strict, urlset.Plugin: {stored}} {
			w := urlset.Writer{Encoding: encoding, Extensions: urlset.Videos}
			w.Begin(urlset.URLSet)
			err := w.AppendURL(urlset.URL{Loc: p.Link, LastMod: wp.NoTime, Videos: videos})
			if err != nil && (encoding == urlset.Plugin || len(videos) > 0) {
				t.Errorf("%v: %+v", err, videos)
			}
			w.End()
			var doc struct {
				Videos []struct {
					Inner []struct{ XMLName xml.Name } `xml:",any"`
				} `xml:"url>video"`
			}
			expect.Equal(t, xml.Unmarshal(w.Bytes(), &doc), nil, w.Bytes())
			for _, video := range doc.Videos {
				for _, e := range video.Inner {
					if encoding == urlset.Strict && !slices.Contains(strings.Fields(allowed), e.XMLName.Local) {
						t.Errorf("element %s", e.XMLName.Local)
					}
				}
			}
		}
	})
}

// PHP compares a text that is not a number as a text.
func TestAboveZero(t *testing.T) {
	for text, want := range map[string]bool{"90": true, "0.5": true, "abc": true, "90s": true, "0": false, "": false, "-1": false, " 7": true} {
		if aboveZero(text) != want {
			t.Errorf("%q", text)
		}
	}
}
