package urlset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const schemaDir = "../../testdata/schema"

// TestSchemas makes sure that the schemas accept and refuse what their names say. With a schema that accepts everything, all
// other tests of documents would be worthless.
func TestSchemas(t *testing.T) {
	var files []string
	var docs [][]byte
	for _, set := range []string{"sitemap", "siteindex", "image", "news", "video", "xhtml", "atom"} {
		for _, verdict := range []string{"pass", "fail"} {
			found, err := filepath.Glob(filepath.Join(schemaDir, set, verdict, "*.xml"))
			if err != nil || len(found) == 0 {
				t.Fatalf("no documents in %s/%s (%v)", set, verdict, err)
			}
			files = append(files, found...)
		}
	}
	for _, file := range files {
		doc, err := os.ReadFile(file)
		wptest.Must(t, err)
		docs = append(docs, doc)
	}
	for i, err := range schematest.Check(t, docs...) {
		name, _ := filepath.Rel(schemaDir, files[i])
		mustPass := strings.Contains(filepath.ToSlash(name), "/pass/")
		if mustPass && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !mustPass && err == nil {
			t.Errorf("%s: validates, but must not", name)
		}
	}
}

func TestSchemaLimitOfEntries(t *testing.T) {
	entry := "<url><loc>http://a.test/</loc></url>"
	set := func(n int) []byte {
		return []byte(`<urlset xmlns="` + sitemapNamespace + `">` + strings.Repeat(entry, n) + "</urlset>")
	}
	errs := schematest.Check(t, set(MaxEntries), set(MaxEntries+1))
	if errs[0] != nil {
		t.Errorf("%d entries: %v", MaxEntries, errs[0])
	}
	if errs[1] == nil {
		t.Errorf("%d entries validate, but must not", MaxEntries+1)
	}
}

// TestOutputValidates asks the schemas about everything the encoder does.
func TestOutputValidates(t *testing.T) {
	var docs [][]byte
	for _, encoding := range []Encoding{Strict, Plugin} {
		for _, stylesheet := range []Stylesheet{{}, {"text/css", "/sitemap.css"}, {"text/xsl", `//example.test/a?b&c"?><`}} {
			w := Writer{Encoding: encoding, Stylesheet: stylesheet}
			w.Begin(URLSet)
			w.End()
			docs = append(docs, append([]byte(nil), w.Bytes()...))

			w.Begin(URLSet)
			for _, loc := range awkwardLocs {
				for _, date := range []int64{NoDate, minDate - 1, minDate, 0, 1714979289, maxDate, maxDate + 1} {
					u := URL{Loc: loc, LastMod: date, Images: []Image{{Loc: loc}, {Loc: loc, Title: "a <b> & \"c\" 'd' ]]> \x00\xff\uFFFE\r\n"}}}
					expect.Equal(t, w.AppendURL(u), nil, loc)
				}
			}
			w.End()
			docs = append(docs, append([]byte(nil), w.Bytes()...))

			w.Begin(Index)
			for _, date := range []int64{NoDate, minDate, 1714979289, maxDate} {
				expect.Equal(t, w.AppendSitemap(Sitemap{Loc: "https://example.test/blog/post-sitemap2.xml?a&b", LastMod: date}), nil)
			}
			w.End()
			docs = append(docs, append([]byte(nil), w.Bytes()...))
		}
		w := Writer{Encoding: encoding, Extensions: Images | NewsArticles}
		w.Begin(URLSet)
		for _, text := range hostileTexts {
			wptest.Must(t, w.AppendURL(URL{Loc: "https://example.test/?a&b", Images: []Image{{Loc: "https://example.test/a.jpg", Title: text}},
				News: &News{Publication: text, Language: "zh-cn", Date: maxDate, Title: text, StockTickers: "NYSE:A]]>&"}}))
		}
		w.End()
		docs = append(docs, w.Bytes())
	}
	schematest.Validate(t, docs...)
}

// awkwardLocs are URLs that both encodings take and turn into something valid.
var awkwardLocs = []string{
	"https://example.test/",
	"http://example.test/?p=12",
	"https://example.test",
	"https://example.test/a?a=1&b=2&amp;c=3",
	"https://example.test/it's (a) [test] {b} \"c\" <d> \\ ^ ` | e",
	"https://example.test/%e6%97%a5/日本/%zz/100%",
	"https://bücher.test/ü?ä=ö",
	"https://a_b.example.test/x,y",
	"http://[2001:db8::1]:8080/a b",
	"//example.test/image one.jpg",
	"https://example.test/\xff\xfe/\x01\n/\uFFFE",
	"https://example.test/a#b\xff c",
}
