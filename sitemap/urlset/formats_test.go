package urlset

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp/wptest"
)

// Hints stand behind the date and before all extensions, as the schema wants it, whatever an
// entry has; a file without them is as ever.
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
				if strings.Contains(text, "<changefreq>"+freq+"<") != (freq != "") || strings.Contains(text, "<priority>"+priority+"<") != (priority != "") {
					t.Errorf("%q %q:\n%s", freq, priority, text)
				}
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

// A line is what a reader of the XML gets to see.
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
			if ok != plainOK || string(plain) != "x"+want {
				t.Errorf("encoding %d of %q: %q, %v, want %q, %v", e, loc, plain[1:], plainOK, want, ok)
			}
		}
	}
}

func TestTextLimits(t *testing.T) {
	var w Text
	for range MaxEntries {
		wptest.Must(t, w.Append("https://a.test/"))
	}
	if err := w.Append("https://a.test/"); !errors.Is(err, ErrFull) ||
		w.Entries() != MaxEntries || len(w.Bytes()) != MaxEntries*len("https://a.test/\n") {
		t.Errorf("%v with %d entries, %d bytes", err, w.Entries(), len(w.Bytes()))
	}
	if err := w.Append("mailto:x"); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	w = Text{}
	long := "https://a.test/" + strings.Repeat("a", MaxLoc-16)
	for {
		if err := w.Append(long); err != nil {
			if !errors.Is(err, ErrFull) {
				t.Fatal(err)
			}
			break
		}
	}
	if len(w.Bytes()) > MaxBytes || len(w.Bytes()) < MaxBytes-MaxLoc || w.Entries() < 25_000 { // as sitemap.textObjects counts on
		t.Errorf("%d bytes in %d lines", len(w.Bytes()), w.Entries())
	}
}

// Whatever the texts hold, the feed is well-formed and valid.
func TestAtom(t *testing.T) {
	awkward := []string{"T", "a <b> & \"c\" 'd' ]]>", "\x00\x01\xff\uFFFE\r\n.", strings.Repeat("x", 5000), "日本 🚢"}
	for _, e := range []Encoding{Strict, Plugin, Core} {
		a := NewAtom(e)
		a.Begin(Feed{Self: "https://a.test/?a&b", Home: "https://a.test/", Title: awkward[1], Updated: 1714979289})
		n := 0
		for i, title := range awkward {
			if err := a.Append(FeedEntry{Loc: "https://a.test/é?a&b=" + strings.Repeat("i", i), Title: title, Updated: 1714979289}); err != nil {
				t.Error(err)
			}
			n++
		}
		for _, bad := range []FeedEntry{{"javascript:x", "T", 0}, {"https://a.test/", "T", NoDate}, {"https://a.test/", "T", maxDate + 1}} {
			if err := a.Append(bad); !errors.Is(err, ErrRefused) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
		a.End()
		if a.Entries() != n || !utf8.Valid(a.Bytes()) {
			t.Errorf("%d entries, want %d", a.Entries(), n)
		}
		schematest.Validate(t, a.Bytes())
		var feed struct {
			Titles []string `xml:"entry>title"`
		}
		if err := xml.Unmarshal(a.Bytes(), &feed); err != nil || feed.Titles[1] != awkward[1] {
			t.Errorf("%v, titles %.100q", err, feed.Titles)
		}
	}
}
