package urlset

import (
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Hints follow the date and precede all extensions, as the schema demands. They change nothing in a file without hints.
func TestHints(t *testing.T) {
	entry := URL{Loc: "https://a.test/", LastMod: 0, Images: []Image{{Loc: "https://a.test/b.png"}},
		Alternates: []Alternate{{"en", "https://a.test/"}, {"x-default", "https://a.test/"}},
		News:       &News{Publication: "P", Language: "en", Date: 0, Title: "T"}}
	var docs [][]byte
	for _, freq := range append([]string{""}, ChangeFreqs...) {
		for _, priority := range []string{"", "0.0", "0.5", "1.0", "0.125"} {
			for _, undated := range []bool{false, true} {
				w := Writer{Hints: Hints{freq, priority}, Extensions: Images | NewsArticles | Alternates}
				e := entry
				if undated {
					e.LastMod = NoDate
				}
				w.Begin(URLSet)
				wptest.Must(t, w.AppendURL(e))
				w.End()
				docs = append(docs, append([]byte(nil), w.Bytes()...))
				text := string(w.Bytes())
				expect.Equal(t, strings.Contains(text, "<changefreq>"+freq+"<"), freq != "", freq, priority, text)
				expect.Equal(t, strings.Contains(text, "<priority>"+priority+"<"), priority != "", freq, priority, text)
			}
		}
	}
	schematest.Validate(t, docs...)
	w := Writer{Hints: Hints{"daily", "0.5"}}
	w.Begin(Index)
	if err := w.AppendSitemap(Sitemap{Loc: "https://a.test/post-sitemap.xml"}); err != nil || strings.Contains(string(w.Bytes()), "daily") {
		t.Errorf("an index has no hints: %v\n%s", err, w.Bytes())
	}
}

// AppendPlain appends what a reader of the XML gets to see.
func TestAppendPlainIsTheXMLWithoutItsEscapes(t *testing.T) {
	for _, e := range []Encoding{Strict, Plugin, Core} {
		for _, loc := range append(awkwardLocs, "https://a.test/?a=1&copy=2&amp;b", "https://a.test/a'b",
			"mailto:x", "", "https://a.test/\r\n", "https://a.test/"+strings.Repeat("a", MaxLoc)) {
			escaped, ok := e.AppendLoc(nil, loc)
			plain, plainOK := e.AppendPlain([]byte("x"), loc)
			var want string
			if ok {
				if err := xml.Unmarshal([]byte("<a>"+string(escaped)+"</a>"), &want); err != nil {
					t.Fatalf("%q: %v", escaped, err)
				}
			}
			expect.Equal(t, ok, plainOK, "encoding", e, loc, plain[1:], want)
			expect.Equal(t, string(plain), "x"+want, "encoding", e, loc, plain[1:], want)
		}
	}
}

// Whatever the texts hold, a feed is well-formed, and Atom valid.
func TestFeeds(t *testing.T) {
	awkward := []string{"T", "a <b> & \"c\" 'd' ]]>", "\x00\x01\xff\uFFFE\r\n.", strings.Repeat("x", 5000), "日本 🚢"}
	for _, e := range []Encoding{Strict, Plugin, Core} {
		head := Feed{Self: "https://a.test/?a&b", Home: "https://a.test/", Title: awkward[1], Updated: 1714979289}
		entries := []FeedEntry{{"javascript:x", "T", 0}, {"https://a.test/", "T", NoDate}, {"https://a.test/", "T", maxDate + 1}}
		for i, title := range awkward {
			entries = append(entries, FeedEntry{Loc: "https://a.test/é?a&b=" + strings.Repeat("i", i), Title: title, Updated: 1714979289})
		}
		for _, format := range []*FeedFormat{&Atom, &RSS} {
			body, refused := format.Write(e, head, entries)
			if refused != 3 || !utf8.Valid(body) {
				t.Errorf("%d refused", refused)
			}
			if format == &Atom {
				schematest.Validate(t, body)
			}
			var feed struct {
				Atom []string `xml:"entry>title"`
				RSS  []string `xml:"channel>item>title"`
			}
			err := xml.Unmarshal(body, &feed)
			if titles := append(feed.Atom, feed.RSS...); err != nil || len(titles) != len(awkward) || titles[1] != awkward[1] {
				t.Errorf("%v, titles %.100q", err, titles)
			}
		}
	}
}
