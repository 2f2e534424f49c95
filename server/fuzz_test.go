package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp/wptest/expect"
)

// For every path and Host, nothing panics or fails, and a sitemap is never empty. The answer equals that for the site's
// own host, so that nothing in it comes from the request.
func FuzzRequest(f *testing.F) {
	s := readBasic(f, func(s *config.Site) { s.Hosts, s.Formats = nil, config.Formats{Gzip: true, Text: true, Atom: true} })
	b := s.blog()
	home := b.Hosts[0]
	for _, file := range slices.Concat(b.Outline.Others, b.Outline.Files) {
		path := strings.TrimPrefix(file.URL, b.Home)
		f.Add(path, "", home)
		f.Add(path+".gz", "", "evil.test:8443")
		f.Add(strings.TrimSuffix(path, ".xml")+".html", "page=2", "[::1]")
	}
	f.Add("/", "sitemap=post&sitemap_n=2", "EVIL.test.")
	f.Add("/index.php/%70ost-sitemap1.xml/", "a[]=%00", "xn--bcher-kva.example")
	f.Add("//post-sitemap.xml", "xsl=main&yoast-sitemap-xsl=1", "evil.test:x")
	for _, path := range []string{"/robots.txt", "/main-sitemap.xsl", "/wpsitemapd.css", "/sitemap.xml", "/wp-sitemap-posts-post-1.xml"} {
		f.Add(path, "", "a'\"<b>")
	}

	judged := map[string]bool{} // sitemaps that were found valid
	f.Fuzz(func(t *testing.T, path, query, host string) {
		if query != "" {
			path += "?" + query
		}
		ask := func(host string) *httptest.ResponseRecorder {
			r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")))
			if err != nil || len(r.Header) > 0 { // the input contains more than path, query and Host
				t.Skip()
			}
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, r)
			return rec
		}
		got, want := ask(host), ask(home)
		for _, name := range []string{"Location", "Content-Type", "Etag", "Link", "Last-Modified"} {
			expect.Equal(t, got.Result().Header.Get(name), want.Result().Header.Get(name), name, "for the Host", host, "for the site's own")
		}
		if got.Code != want.Code || !bytes.Equal(got.Body.Bytes(), want.Body.Bytes()) {
			t.Errorf("%d for the Host %q, %d for the site's own, or other bytes", got.Code, host, want.Code)
		}
		switch got.Code {
		case http.StatusOK, http.StatusMovedPermanently, http.StatusNotFound:
		default:
			t.Errorf("%d %s", got.Code, got.Body)
		}
		if s.log.count("internal error") > 0 {
			t.Fatalf("a panic:\n%s", s.log)
		}
		if text := got.Body.String(); got.Code == http.StatusOK && got.Header().Get("Content-Type") == yoast.Plugin.ContentType &&
			!judged[text] && !strings.Contains(text, "xsl:stylesheet") {
			if _, err := servertest.Entries([]byte(text)); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			judged[text] = true
		}
	})
}

// Whatever the stored record of a blog says, requests for that blog cause no panic. Without a cached page, only
// robots.txt and the stylesheets are answered with 200.
func FuzzBlogRecord(f *testing.F) {
	f.Add(`{"Site":"a","Key":"1 https://a.test","ID":1,"Home":"https://a.test","Hosts":["a.test"],`+
		`"Outline":{"Active":true,"Index":"https://a.test/sitemap_index.xml",`+
		`"Files":[{"Name":"1","Page":1},{"Name":"post","Page":2}],"Owned":["1","post"]}}`,
		"/post-sitemap2.xml")
	f.Add(`{"Home":"https://a.test/blog/","Hosts":["a.test",""],"Plain":true,"Network":true,"Robots":[1,-1],`+
		`"Outline":{"Active":true,"Asked":{"post":"page"}}}`,
		"/blog/?sitemap=post&sitemap_n=9")
	f.Add(`{"Home":"://","Core":7,"RobotsText":"x","Outline":{"Active":true,"Private":true,"Off":["1"]}}`, "/robots.txt")
	f.Add(`{"Home":"https://a.test","Core":1,"Outline":{"Active":true,"Index":"%zz","Owned":["posts-post"]}}`, "/wp-sitemap-posts-post-1.html")
	f.Fuzz(func(t *testing.T, record, target string) {
		var r refresh.BlogRecord
		if json.Unmarshal([]byte(record), &r) != nil {
			t.Skip()
		}
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.0\r\n\r\n")))
		if err != nil {
			t.Skip()
		}
		s := New(&config.Config{
			Listening: testListening(),
			Sites:     []config.Site{{Name: "a", HTML: true, Formats: config.Formats{Gzip: true, Text: true, Atom: true}}},
		}, slog.New(slog.DiscardHandler))
		w := s.installs[0]
		w.MarkTried()
		w.Publish(&site.Snapshot{Restored: true, Blogs: []*site.Blog{refresh.RememberedBlog(&r)}})
		s.route()
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, req)
		if kind := rec.Header().Get("Content-Type"); rec.Code == http.StatusOK &&
			(kind == yoast.Plugin.ContentType || kind == wpcore.Plugin.ContentType) &&
			!strings.Contains(rec.Body.String(), "xsl:stylesheet") {
			t.Errorf("a sitemap though no copy exists:\n%s", rec.Body)
		}
	})
}
