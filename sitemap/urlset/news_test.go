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

func TestDeclarations(t *testing.T) {
	const (
		image = "http://www.google.com/schemas/sitemap-image/1.1"
		news  = "http://www.google.com/schemas/sitemap-news/0.9"
	)
	entry := URL{
		Loc: "https://example.test/", LastMod: NoDate,
		News:   &News{Publication: "The Quay", Language: "en", Date: 0, Title: "Tide"},
		Images: []Image{{Loc: "https://example.test/a.jpg"}},
	}
	for _, tt := range []struct {
		name       string
		extensions Extensions
		want       []string // namespaces declared and used
	}{
		{"none given: images", 0, []string{image}},
		{"images", Images, []string{image}},
		{"news without images", NewsArticles, []string{news}},
		{"images and news", Images | NewsArticles, []string{image, news}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := Writer{Extensions: tt.extensions}
			w.Begin(URLSet)
			wptest.Must(t, w.AppendURL(entry))
			w.End()
			schematest.Validate(t, w.Bytes())
			for _, uri := range []string{image, news} {
				want := 0
				for _, w := range tt.want {
					if w == uri {
						want = 3 // the prefix, the namespace and the place of its schema
					}
				}
				expect.Equal(t, strings.Count(string(w.Bytes()), uri), want, uri, "stands in the file", "times", w.Bytes())
			}
		})
	}
}

func TestNewsGolden(t *testing.T) {
	full := News{"Harbour & <Hearth>", "nl", 1714979289, "Fish & chips: \"the 'best'\" <b>", "NASDAQ:AMAT, AMS:A&B"}
	for _, tt := range []struct {
		name     string
		encoding Encoding
		url      URL
		want     string // between the tags of url
	}{
		{
			name: "plain texts",
			url:  URL{Loc: "https://example.test/%C3%A9?b=c&d=e", LastMod: 1714979290, News: &full},
			want: "\t\t<loc>https://example.test/%C3%A9?b=c&amp;d=e</loc>\n\t\t<lastmod>2024-05-06T07:08:10+00:00</lastmod>\n" +
				"\t\t<news:news>\n\t\t\t<news:publication>\n\t\t\t\t<news:name>Harbour &amp; " +
				"&lt;Hearth&gt;</news:name>\n\t\t\t\t<news:language>nl</news:language>\n\t\t\t</news:publication>\n" +
				"\t\t\t<news:publication_date>2024-05-06T07:08:09+00:00</news:publication_date>\n" +
				"\t\t\t<news:title><![CDATA[Fish & chips: \"the 'best'\" <b>]]></news:title>\n" +
				"\t\t\t<news:stock_tickers><![CDATA[NASDAQ:AMAT, AMS:A&B]]></news:stock_tickers>\n\t\t</news:news>\n",
		},
		{
			name: "no date, no title, no tickers",
			url:  URL{Loc: "https://example.test/", LastMod: NoDate, News: &News{Language: "en", Date: NoDate}},
			want: "\t\t<loc>https://example.test/</loc>\n\t\t<news:news>\n\t\t\t<news:publication>\n" +
				"\t\t\t\t<news:name></news:name>\n\t\t\t\t<news:language>en</news:language>\n\t\t\t</news:publication>\n" +
				"\t\t\t<news:title><![CDATA[]]></news:title>\n\t\t</news:news>\n",
		},
		{
			name:     "the plugin escapes a name that is not escaped, and prints the stored address as it is",
			encoding: Plugin,
			url: URL{
				Loc: "https://example.test/a b/%C3%A9?c&amp;d&e#f", LastMod: NoDate,
				News: &News{"A &amp; B & C &eacute; <", "e&", 0, "&#8220;x&#8221;", ""},
			},
			want: "\t\t<loc>https://example.test/a b/%C3%A9?c&amp;d&amp;e#f</loc>\n" +
				"\t\t<news:news>\n\t\t\t<news:publication>\n\t\t\t\t<news:name>A &amp; B &amp; C &amp;eacute; " +
				"&lt;</news:name>\n\t\t\t\t<news:language>e&amp;</news:language>\n\t\t\t</news:publication>\n" +
				"\t\t\t<news:publication_date>1970-01-01T00:00:00+00:00</news:publication_date>\n" +
				"\t\t\t<news:title><![CDATA[&#8220;x&#8221;]]></news:title>\n\t\t</news:news>\n",
		},
		{
			name:     "the plugin lists an address that was never stored",
			encoding: Plugin,
			url:      URL{LastMod: NoDate},
			want:     "\t\t<loc></loc>\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := Writer{Encoding: tt.encoding, Extensions: NewsArticles}
			w.Begin(URLSet)
			wptest.Must(t, w.AppendURL(tt.url))
			_, got, _ := strings.Cut(string(w.Bytes()), "\t<url>\n")
			if got = strings.TrimSuffix(got, "\t</url>\n"); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// hostileTexts are what titles must survive.
var hostileTexts = []string{
	"", "]]>", "]]]>", "]]>]]>", "a]]>b]]", "]", "]]", "<![CDATA[x]]>", "<!--", "<b>&amp;&eacute;&#0;</b>",
	"\x00\x01\x1f\x7f\u0085\ufffe\uffff", "]\x00]\x01>", "caf\xe9 \xc0\xaf \xed\xa0\x80",
	"🚢 🏳️‍🌈 \U0010ffff", "a\r\nb\rc\td", "Ночь в порту", "%%title%%",
}

func TestAppendCDATA(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "Tide & <b>", "<![CDATA[Tide & <b>]]>"},
		{"empty", "", "<![CDATA[]]>"},
		{"the end of a section is split", "a]]>b", "<![CDATA[a]]]]><![CDATA[>b]]>"},
		{"brackets alone stay", "a]]b] >", "<![CDATA[a]]b] >]]>"},
		{"what is left out must not make an end", "]\x01]\x00>", "<![CDATA[]]]]><![CDATA[>]]>"},
		{"characters XML has not", "a\x00\x0b\ufffe\uffffb", "<![CDATA[ab]]>"},
		{"bytes that are no text", "caf\xe9", "<![CDATA[caf\ufffd]]>"},
	} {
		expect.Equal(t, string(appendCDATA(nil, tt.text)), tt.want, tt.name, tt.text)
	}
	expect.Equal(t, string(appendCDATA([]byte("]]"), ">")), "]]<![CDATA[>]]>", "what stands before a section is not part of it")
}

func FuzzNews(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text, int64(0))
	}
	f.Fuzz(func(t *testing.T, text string, date int64) {
		for _, encoding := range []Encoding{Strict, Plugin} {
			w := Writer{Encoding: encoding, Extensions: NewsArticles}
			w.Begin(URLSet)
			wptest.Must(t, w.AppendURL(URL{Loc: "https://example.test/", LastMod: date, News: &News{text, text, date, text, text}}))
			w.End()
			var doc struct {
				URLs []struct {
					Name  string `xml:"http://www.google.com/schemas/sitemap-news/0.9 news>publication>name"`
					Title string `xml:"http://www.google.com/schemas/sitemap-news/0.9 news>title"`
				} `xml:"url"`
			}
			if err := xml.Unmarshal(w.Bytes(), &doc); err != nil || len(doc.URLs) != 1 {
				t.Fatalf("%q: %v\n%s", text, err, w.Bytes())
			}
			expect.Equal(t, doc.URLs[0].Title, readBack(text), "title", text, "comes back as")
		}
	})
}

// readBack is a text as a parser returns it: characters of XML, lines ended by line feeds.
func readBack(s string) string {
	var out []byte
	for _, r := range s { // bytes that are no text are U+FFFD each
		if isChar(uint64(r)) {
			out = utf8.AppendRune(out, r)
		}
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(out))
}
