package server

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAmendRobots(t *testing.T) {
	const ours = "https://a.test/sitemap_index.xml"
	two := []string{ours, "https://a.test/b/sitemap_index.xml"}
	tests := []struct {
		rule, text string
		sitemaps   []string
		want       string
	}{
		{"a missing line is added", "User-agent: *\nDisallow:\n", []string{ours}, "User-agent: *\nDisallow:\n\nSitemap: " + ours + "\n"},
		{"also where the last line does not end", "User-agent: *\nDisallow:", []string{ours}, "User-agent: *\nDisallow:\n\nSitemap: " + ours + "\n"},
		{"a line that is there stays alone", "Sitemap: " + ours + "\n# END", []string{ours}, "Sitemap: " + ours + "\n# END"},
		{"however it is written", "  SiteMap :" + ours + " # ours\r\nx", []string{ours}, "  SiteMap :" + ours + " # ours\r\nx"},
		{"a byte order mark does not hide it", "\ufeffSitemap: " + ours, []string{ours}, "\ufeffSitemap: " + ours},
		{"one line too many goes", "Sitemap: " + ours + "\nA\nsitemap: " + ours + "\nB\n", []string{ours}, "Sitemap: " + ours + "\nA\nB\n"},
		{"other sitemaps stay", "Sitemap: https://a.test/wp-sitemap.xml\n", []string{ours}, "Sitemap: https://a.test/wp-sitemap.xml\n\nSitemap: " + ours + "\n"},
		{"a longer address is another one", "Sitemap: " + ours + "?x\n", []string{ours}, "Sitemap: " + ours + "?x\n\nSitemap: " + ours + "\n"},
		{"a comment is none", "# Sitemap: " + ours + "\n", []string{ours}, "# Sitemap: " + ours + "\n\nSitemap: " + ours + "\n"},
		{"only what is missing of several", "Sitemap: " + two[1] + "\n", two, "Sitemap: " + two[1] + "\n\nSitemap: " + ours + "\n"},
		{"several are missing", "x\n", two, "x\n\nSitemap: " + ours + "\nSitemap: " + two[1] + "\n"},
		{"an empty text", "", []string{ours}, "Sitemap: " + ours + "\n"},
	}
	for _, test := range tests {
		if got := string(amendRobots([]byte(test.text), test.sitemaps)); got != test.want {
			t.Errorf("%s: %q, want %q", test.rule, got, test.want)
		}
	}
}

func FuzzAmendRobots(f *testing.F) {
	const ours = "https://a.test/sitemap_index.xml"
	f.Add("User-agent: *\nDisallow: /\nSitemap: " + ours + "\nSitemap: " + ours)
	f.Add("sitemap :\t" + ours + "\r\n#")
	f.Fuzz(func(t *testing.T, text string) {
		once := amendRobots([]byte(text), []string{ours})
		count := 0
		for line := range strings.Lines(string(once)) {
			if v, ok := sitemapLine([]byte(line)); ok && v == ours {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%d lines in %q", count, once)
		}
		if again := amendRobots(once, []string{ours}); string(again) != string(once) {
			t.Errorf("%q becomes %q", once, again)
		}
	})
}

// robotsUpstream answers robots.txt with what answer says.
func robotsServer(t *testing.T, answer http.HandlerFunc) *testServer {
	t.Helper()
	site := Site{Name: "a"}
	if answer != nil {
		site.Upstream = startUpstream(t, answer)
	}
	ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []blog{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))}}}, site)
	ts.rebuild()
	return ts
}

func TestRobotsOfTheUpstream(t *testing.T) {
	status, media, text := 200, "text/plain; charset=utf-8", "User-agent: *\nDisallow: /private/\n"
	ts := robotsServer(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"If-None-Match", "If-Modified-Since", "Range", "Accept-Encoding"} {
			if v := r.Header.Get(name); v != "" {
				t.Errorf("%s: %s reached the upstream", name, v)
			}
		}
		if r.Host != "a.test" || r.Header.Get("X-Test") != "kept" || r.Method != "GET" {
			t.Errorf("upstream was asked %s %v %v", r.Method, r.Host, r.Header)
		}
		w.Header().Set("Content-Type", media)
		w.Header().Set("X-Robots-Tag", "noindex, follow")
		w.Header().Set("ETag", `"theirs"`)
		w.WriteHeader(status)
		io.WriteString(w, text)
	})
	ask := func(method string) *http.Response {
		return ts.get(method, "http://a.test/robots.txt", "X-Test", "kept", "If-None-Match", `"theirs"`, "If-Modified-Since", "Fri, 02 Jan 2026 03:04:05 GMT", "Range", "bytes=0-5", "Accept-Encoding", "gzip")
	}
	amended := text + "\nSitemap: https://a.test/sitemap_index.xml\n"
	resp := ask("GET")
	if got := body(t, resp); got != amended || resp.StatusCode != 200 || resp.Header.Get("X-Robots-Tag") != "noindex, follow" || resp.Header.Get("ETag") != "" {
		t.Errorf("%q, %v", got, resp.Header)
	}
	if resp := ask("HEAD"); resp.StatusCode != 200 || body(t, resp) != "" {
		t.Errorf("HEAD: %d", resp.StatusCode)
	}

	text = "Sitemap: https://a.test/sitemap_index.xml"
	if resp := ask("GET"); body(t, resp) != text || resp.Header.Get("ETag") != `"theirs"` {
		t.Errorf("a text that has the line must stay as it is: %v", resp.Header)
	}
	status, text = 404, "<h1>404"
	if resp := ask("GET"); resp.StatusCode != 404 || body(t, resp) != text {
		t.Errorf("what is no robots.txt is passed on: %d", resp.StatusCode)
	}
	status, media, text = 200, "text/html", "<h1>front page"
	if resp := ask("GET"); body(t, resp) != text {
		t.Error("HTML is passed on as it is")
	}
	media, text = "text/plain", strings.Repeat("# far too long\n", maxRobots/10)
	if resp := ask("GET"); body(t, resp) != text {
		t.Error("a text that is too long is passed on whole")
	}
	status, text = 500, "error"
	if resp := ask("GET"); resp.StatusCode != 200 || !strings.Contains(body(t, resp), "Sitemap: https://a.test/sitemap_index.xml") {
		t.Errorf("while the upstream fails its last text stands: %d", resp.StatusCode)
	}
}

func TestRobotsWithoutUpstream(t *testing.T) {
	const own = "User-agent: *\nDisallow:\n\nSitemap: https://a.test/sitemap_index.xml\n"
	t.Run("there is none", func(t *testing.T) {
		resp := robotsServer(t, nil).get("GET", "http://a.test/robots.txt")
		if got := body(t, resp); got != own || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" || resp.Header.Get("X-Robots-Tag") != "noindex, follow" {
			t.Errorf("%q, %v", got, resp.Header)
		}
	})
	t.Run("it is down and was never seen", func(t *testing.T) {
		ts := robotsServer(t, nil)
		w := ts.workers[0]
		if err := w.site.Upstream.UnmarshalText([]byte("http://127.0.0.1:1")); err != nil {
			t.Fatal(err)
		}
		w.proxy = newProxy(w.site.Upstream, ts.transport, ts.Server.log)
		if got := body(t, ts.get("GET", "http://a.test/robots.txt")); got != own {
			t.Errorf("%q", got)
		}
	})
	t.Run("it fails and was never seen: rules it may have are not lifted", func(t *testing.T) {
		ts := robotsServer(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) })
		if resp := ts.get("GET", "http://a.test/robots.txt"); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%d", resp.StatusCode)
		}
	})
	t.Run("WordPress has none without permalinks", func(t *testing.T) {
		b := fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))
		b.plain = true
		ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []blog{b}}}, Site{Name: "a"})
		ts.rebuild()
		if resp := ts.get("GET", "http://a.test/robots.txt"); resp.StatusCode != 404 {
			t.Errorf("%d", resp.StatusCode)
		}
	})
	t.Run("nor in a folder", func(t *testing.T) {
		ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []blog{fakeBlog(1, "https://a.test/blog", newFakeCatalog("https://a.test/blog"))}}}, Site{Name: "a"})
		ts.rebuild()
		for _, path := range []string{"/robots.txt", "/blog/robots.txt"} {
			if resp := ts.get("GET", "http://a.test"+path); resp.StatusCode != 404 {
				t.Errorf("%s: %d", path, resp.StatusCode)
			}
		}
	})
}

func TestRobotsOfANetworkInFolders(t *testing.T) {
	main := fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))
	main.robots = []int64{1, 2, 3, 9}
	off := newFakeCatalog("https://a.test/off")
	off.off = true
	n := &fakeNetwork{blogs: []blog{main, fakeBlog(2, "https://a.test/fish", newFakeCatalog("https://a.test/fish")), fakeBlog(3, "https://a.test/off", off),
		fakeBlog(4, "https://a.test/hush", newFakeCatalog("https://a.test/hush"))}}
	ts := newTestServer(t, map[string]*fakeNetwork{"net": n}, Site{Name: "net"})
	ts.rebuild()
	want := "User-agent: *\nDisallow:\n\nSitemap: https://a.test/sitemap_index.xml\nSitemap: https://a.test/fish/sitemap_index.xml\n"
	if got := body(t, ts.get("GET", "http://a.test/robots.txt")); got != want {
		t.Errorf("%q", got)
	}
}
