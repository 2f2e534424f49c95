package front

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/seopress"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// ownRobots is what WordPress would send as robots.txt.
const ownRobots = "User-agent: *\nDisallow:\n"

func robotsServer(t *testing.T, answer http.HandlerFunc) *testServer {
	t.Helper()
	var install config.Site
	if answer != nil {
		install.Upstream = startUpstream(t, answer)
	}
	ts := serveSite(t, install, sitetest.ThreePosts(t, "https://a.test"))
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) { b.RobotsText = ownRobots })
	return ts
}

// The whole text of the upstream is requested, and gets a line for the sitemaps. An answer that is no robots.txt is
// passed on unchanged.
func TestRobotsOfTheUpstream(t *testing.T) {
	const rules, windows, line = "User-agent: *\nDisallow: /private/\n",
		"\ufeffUser-agent: *\r\nDisallow:\r\n", "Sitemap: https://a.test/sitemap_index.xml"
	type says struct {
		status      int
		media, text string
	}
	var is says
	ts := robotsServer(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"If-None-Match", "If-Modified-Since", "Range", "Accept-Encoding"} {
			if v := r.Header.Get(name); v != "" && v != "identity" {
				t.Errorf("%s: %s reached the upstream", name, v)
			}
		}
		if r.Host != "a.test" || r.Header.Get("X-Test") != "kept" || r.Method != "GET" {
			t.Errorf("upstream was asked %s %v %v", r.Method, r.Host, r.Header)
		}
		w.Header().Set("Content-Type", is.media)
		w.Header().Set("X-Robots-Tag", "noindex, follow")
		w.Header().Set("ETag", `"theirs"`)
		w.Header().Set("Connection", "X-Inner")
		w.Header().Set("X-Inner", "of the way, not of the site")
		w.WriteHeader(is.status)
		io.WriteString(w, is.text)
	})
	for _, tt := range []struct {
		rule string
		says
		want string // "": the unchanged text
	}{
		{"the line is added", says{200, "text/plain; charset=utf-8", rules}, rules + "\n" + line + "\n"},
		{"a text that has the line", says{200, "text/plain", line}, ""},
		{"there is none", says{404, "text/plain", "<h1>404"}, ""},
		{"HTML", says{200, "text/html", "<h1>front page"}, ""},
		{"a text that is too long", says{200, "text/plain", strings.Repeat("# far too long\n", 50_000)}, ""},
		{"a redirect", says{301, "text/plain", ""}, ""},
		{"a text of Windows", says{200, "text/plain", windows}, windows + "\r\n" + line + "\r\n"},
		{"while it fails its last text stands", says{500, "text/plain", "error"}, windows + "\r\n" + line + "\r\n"},
	} {
		is = tt.says
		for _, method := range []string{"GET", "HEAD"} {
			resp := ts.get(method, "http://a.test/robots.txt", "X-Test", "kept", "If-None-Match", `"theirs"`,
				"If-Modified-Since", "Fri, 02 Jan 2026 03:04:05 GMT", "Range", "bytes=0-5", "Accept-Encoding", "gzip")
			status, want := tt.status, tt.text
			if tt.want != "" {
				status, want = 200, tt.want
			}
			if method == "HEAD" {
				want = ""
			}
			if got := body(t, resp); got != want || resp.StatusCode != status ||
				(resp.Header.Get("ETag") == `"theirs"`) != (tt.want == "") || resp.Header.Get("X-Inner") != "" ||
				resp.Header.Get("X-Robots-Tag") != "noindex, follow" {
				t.Errorf("%s: %s: %d %.100q, %v", tt.rule, method, resp.StatusCode, got, resp.Header)
			}
		}
	}
}

func TestRobotsWithoutUpstream(t *testing.T) {
	const own = ownRobots + "\nSitemap: https://a.test/sitemap_index.xml\n"
	resp := robotsServer(t, nil).get("GET", "http://a.test/robots.txt")
	if got := body(t, resp); got != own || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" ||
		resp.Header.Get("X-Robots-Tag") != "noindex, follow" {
		t.Errorf("%q, %v", got, resp.Header)
	}
	plain := sitetest.ThreePosts(t, "https://a.test")
	plain.Exec("UPDATE wp_options SET option_value = '' WHERE option_name = 'permalink_structure'")
	for rule, w := range map[string]*sitetest.WordPress{
		"WordPress has none without permalinks": plain, "nor in a folder": sitetest.ThreePosts(t, "https://a.test/blog"),
	} {
		ts := serveSite(t, config.Site{}, w)
		for _, path := range []string{"/robots.txt", "/blog/robots.txt"} {
			expect.Equal(t, ts.get("GET", "http://a.test"+path).StatusCode, 404, rule, path)
		}
	}
}

// The people of a found install may put a link to a neighbour's folder in the place of their web root.
func TestRobotsOfNoNeighbour(t *testing.T) {
	dir := t.TempDir()
	within, private := filepath.Join(dir, "mallory"), filepath.Join(dir, "victim")
	for _, folder := range []string{filepath.Join(within, "www"), private} {
		wptest.Must(t, os.MkdirAll(folder, 0o755))
		wptest.Must(t, os.WriteFile(filepath.Join(folder, "robots.txt"), []byte("# of "+filepath.Base(folder)), 0o644))
	}
	ts := serveSite(t, config.Site{Within: within}, sitetest.ThreePosts(t, "https://a.test"))
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) { b.WebRoots = []string{filepath.Join(within, "www")} })
	if got := body(t, ts.get("GET", "http://a.test/robots.txt")); !strings.Contains(got, "# of www") {
		t.Error(got)
	}
	wptest.Must(t, os.Rename(filepath.Join(within, "www"), filepath.Join(within, "before")))
	wptest.Must(t, os.Symlink(private, filepath.Join(within, "www")))
	if got := body(t, ts.get("GET", "http://a.test/robots.txt")); strings.Contains(got, "victim") {
		t.Error(got)
	}
}

// Without an upstream, visitors get the file in the web root, as they would without the daemon.
func TestRobotsOfTheWebRoot(t *testing.T) {
	const line = "\nSitemap: https://a.test/sitemap_index.xml\n"
	dir := t.TempDir()
	ts := robotsServer(t, nil)
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) { b.WebRoots = []string{filepath.Join(dir, "none"), dir} })
	path, other := filepath.Join(dir, "robots.txt"), filepath.Join(dir, "other")
	write := func(path, text string) func() error {
		return func() error { return os.WriteFile(path, []byte(text), 0o644) }
	}
	long := strings.Repeat("Disallow: /private/\n", site.MaxRobots/20)
	for _, test := range []struct {
		rule   string
		make   func() error
		status int
		want   string
	}{
		{"there is none", func() error { return nil }, 200, "User-agent: *\nDisallow:\n" + line},
		{"its rules count", write(path, "User-agent: *\nDisallow: /private/\n"), 200, "User-agent: *\nDisallow: /private/\n" + line},
		{"what does not count is cut at a line", write(path, long+"Disallow: /a\nDisallow: /b\n"), 200, long + line},
		{"a link", func() error { return errors.Join(write(other, "secret")(), os.Symlink(other, path)) }, 503, ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			wptest.Must(t, os.RemoveAll(path))
			wptest.Must(t, test.make())
			resp := ts.get("GET", "http://a.test/robots.txt")
			got := body(t, resp)
			if resp.StatusCode != test.status || test.status == 200 && got != test.want || strings.Contains(got, "secret") {
				t.Errorf("%d\n%.300s", resp.StatusCode, got)
			}
			if test.status == 503 && resp.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
}

// If a site asks search engines to stay away, its plugin decides whether robots.txt names its index.
func TestRobotsOfAPrivateSite(t *testing.T) {
	for _, plugin := range []*seo.Plugin{&yoast.Plugin, &seopress.Plugin} {
		for _, private := range []bool{false, true} {
			w := sitetest.ThreePosts(t, "https://a.test")
			if private {
				w.Exec("UPDATE wp_options SET option_value = '0' WHERE option_name = 'blog_public'")
			}
			ts := serveSite(t, config.Site{Sitemaps: sitemap.ChoiceOf(plugin.Name)}, w)
			got := body(t, ts.get("GET", "http://a.test/robots.txt"))
			if named := strings.Contains(got, "Sitemap: https://a.test/"+plugin.IndexFile); named == (private && plugin == &seopress.Plugin) {
				t.Errorf("%s, private %t: %q", plugin.Name, private, got)
			}
		}
	}
}

func TestRobotsOfANetworkInFolders(t *testing.T) {
	ts := serveSite(t, config.Site{}, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/fish", "https://a.test/off", "https://a.test/hush"))
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) { b.Robots, b.RobotsText = []int64{1, 2, 3, 9}, ownRobots })
	sitetest.Alter(ts.installs[0].Site, 3, func(b *site.Blog) { b.Outline.Active = false })
	want := "User-agent: *\nDisallow:\n\nSitemap: https://a.test/sitemap_index.xml\nSitemap: https://a.test/fish/sitemap_index.xml\n"
	expect.Equal(t, body(t, ts.get("GET", "http://a.test/robots.txt")), want)

	// The main blog may have WordPress' own sitemaps.
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) {
		b.Address.Plugin, b.Outline.Index, b.Robots = &wpcore.Plugin, "https://a.test/wp-sitemap.xml", []int64{2}
		b.RobotsText = "# START YOAST BLOCK\n# ---------------------------\n# END YOAST BLOCK"
	})
	want = "Sitemap: https://a.test/wp-sitemap.xml\n\n# START YOAST BLOCK\nSitemap: https://a.test/fish/sitemap_index.xml\n# " +
		"---------------------------\n# END YOAST BLOCK"
	expect.Equal(t, body(t, ts.get("GET", "http://a.test/robots.txt")), want)
}

// However an upstream fails to send robots.txt, the answer takes a bounded time. The last text is sent. Rules that were
// never seen are not lifted.
func TestRobotsOfAFailingUpstream(t *testing.T) {
	const good = "User-agent: *\nDisallow: /secret/\n"
	half := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "User-agent: *\nDisallow: /sec")
		w.(http.Flusher).Flush()
	}
	for rule, answer := range map[string]http.HandlerFunc{
		"it hangs":                  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"it hangs in the text":      func(w http.ResponseWriter, r *http.Request) { half(w); <-r.Context().Done() },
		"it breaks off in the text": func(w http.ResponseWriter, _ *http.Request) { half(w); panic(http.ErrAbortHandler) },
		"it breaks off at once":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"it is overloaded":          func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"it answers with what is no status": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(conn, "HTTP/1.1 099 Nearly\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\ntext")
			conn.Close()
		},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			var well atomic.Bool
			ts := robotsServer(t, func(w http.ResponseWriter, r *http.Request) {
				if !well.Load() {
					answer(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/plain")
				io.WriteString(w, good)
			})
			check := func(when string, status int, limit time.Duration) {
				t.Helper()
				ts.RobotsTimeout = limit
				resp := ts.get("GET", "http://a.test/robots.txt")
				got := body(t, resp)
				if resp.StatusCode != status || status == 200 && got != good+"\nSitemap: https://a.test/sitemap_index.xml\n" ||
					status == 503 && resp.Header.Get("Retry-After") == "" {
					t.Errorf("%s: %d %q", when, resp.StatusCode, got)
				}
			}
			check("first", 503, 300*time.Millisecond)
			well.Store(true)
			check("well", 200, wptest.Patience)
			well.Store(false)
			check("later", 200, 300*time.Millisecond)
		})
	}
}

// While the upstream is down, its last answer to a plain request is sent, and never an answer that a client could influence.
func TestRobotsKeptOfPlainRequests(t *testing.T) {
	var down atomic.Bool
	ts := robotsServer(t, func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(500)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		text := "# " + r.Method + " " + r.Host + r.URL.String()
		for _, name := range []string{"Cookie", "Authorization", "X-Original-Url", "X-Rewrite-Url"} {
			text += r.Header.Get(name)
		}
		if host := r.Header.Get("X-Forwarded-Host"); host != r.Host { // many wp-config.php files use this header
			text += host
		}
		text, status := text+"\n", 200
		if r.Header.Get("Range") != "" {
			text, status = text[:9], 206
		}
		if r.Header.Get("If-None-Match") != "" {
			text, status = "", 304
		}
		w.WriteHeader(status)
		io.WriteString(w, text)
	})
	var c config.Config
	wptest.Must(t, c.Trusted.Add("192.0.2.1")) // the address of httptest; it stands for a web server that passes on what clients say
	ts.Configure(&c)
	const plain = "http://a.test/robots.txt"
	for _, other := range []struct {
		rule, address string
		header        []string
	}{
		{"a query", plain + "?a=1", nil},
		{"an empty query", plain + "?", nil},
		{"a cookie", plain, []string{"Cookie", "a=1"}},
		{"a password", plain, []string{"Authorization", "Basic YTpi"}},
		{"another port", "http://a.test:8099/robots.txt", nil},
		{"another host", "http://evil.test/robots.txt", nil},
		{"a host with a dot", "http://a.test./robots.txt", nil},
		{"a host in another case", "http://A.test/robots.txt", nil},
		{"a host for WordPress", plain, []string{"X-Forwarded-Host", "evil.test"}},
		{"two of them", plain, []string{"X-Forwarded-Host", "a.test", "X-Forwarded-Host", "evil.test"}},
		{"a list of them", plain, []string{"X-Forwarded-Host", "evil.test, a.test"}},
		{"another port for WordPress", plain, []string{"X-Forwarded-Host", "a.test:8099"}},
		{"an address for WordPress", plain, []string{"X-Original-Url", "/evil"}},
		{"another one", plain, []string{"X-Rewrite-Url", "/evil"}},
	} {
		for _, before := range []string{"", plain} {
			down.Store(false)
			if before != "" {
				ts.get("GET", before)
			}
			expect.Equal(t, ts.get("GET", other.address, other.header...).StatusCode, 200, other.rule)
			down.Store(true)
			resp := ts.get("GET", plain)
			if got := body(t, resp); before == "" && resp.StatusCode != 503 || before != "" && !strings.HasPrefix(got, "# GET a.test/robots.txt\n") {
				t.Errorf("%s, after %q: %d %q", other.rule, before, resp.StatusCode, got)
			}
			ts.Forget(ts.installs[0].Site)
		}
	}
	// A request with headers that change nothing is kept like a plain request.
	for _, other := range [][]string{
		{"GET"}, {"HEAD"}, {"GET", "Range", "bytes=0-3"}, {"GET", "If-None-Match", "*"}, {"HEAD", "Range", "bytes=0-3", "If-None-Match", "*"},
		{"GET", "X-Forwarded-Host", "a.test"}, {"GET", "X-Forwarded-Proto", "https", "User-Agent", "Googlebot"},
	} {
		down.Store(false)
		ts.get(other[0], plain, other[1:]...)
		down.Store(true)
		if got := body(t, ts.get("GET", plain)); !strings.HasPrefix(got, "# GET a.test/robots.txt\n") {
			t.Errorf("%s: %q", other, got)
		}
		ts.Forget(ts.installs[0].Site)
	}
}

// While a blog whose sitemaps robots.txt must name was not tried yet, robots.txt is not served, because it would lack them.
func TestRobotsAwaitsBlogs(t *testing.T) {
	ts := robotsServer(t, nil)
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) { b.Robots = []int64{1, 2} })
	read := ts.installs[0].Snapshot()
	for _, test := range []struct {
		rule   string
		other  *site.Blog
		status int
	}{
		{"not read yet", site.Unread(site.Blog{ID: 2, Home: "https://a.test/b"}, nil), 503},
		{"idle since the start", site.Unread(site.Blog{ID: 2, Home: "https://a.test/b"}, site.ErrUnreadBlog), 503},
		{"cannot be read", site.Unread(site.Blog{ID: 2, Home: "https://a.test/b"}, errors.New("no such table")), 200},
		{"not one that it names", site.Unread(site.Blog{ID: 3, Home: "https://a.test/c"}, nil), 200},
	} {
		ts.installs[0].Publish(read.With(test.other.ID, []*site.Blog{test.other}))
		resp := ts.get("GET", "https://a.test/robots.txt")
		if resp.StatusCode != test.status || (resp.Header.Get("Retry-After") == "") != (test.status == 200) {
			t.Errorf("%s: %d, want %d", test.rule, resp.StatusCode, test.status)
		}
	}
}
