package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// startWithState starts a server of small sites with a folder for its state.
func startWithState(t *testing.T, dir string, nets map[string]*sitetest.WordPress, sites ...config.Site) *daemon {
	t.Helper()
	ts := newTestServer(t, nets, sites...)
	ts.Now = nil
	ts.config.State = config.Secret(dir)
	return ts.start()
}

// startState starts a server with real databases and a folder for its state.
func startState(t *testing.T, dir string, sites ...config.Site) *daemon {
	t.Helper()
	return newReal(t, config.Config{State: config.Secret(dir), Sites: sites}).restless().start()
}

// read waits until the first site was read.
func (s *daemon) read() *daemon {
	<-s.installs[0].refresher.FirstRead()
	return s
}

// written waits until everything is in the store.
func (s *daemon) written() {
	s.t.Helper()
	wptest.Eventually(s.t, "all is written", func() bool { return s.store.Stats().Queued == 0 }, func() any { return s.store.Stats() })
}

// errRefused is the error of a database that does not answer.
var errRefused = errors.New("connection refused")

func TestStartWithoutDatabase(t *testing.T) {
	dir := t.TempDir()
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/spam")
	w.Exec("UPDATE wp_blogs SET spam = 1 WHERE blog_id = 2")
	nets := map[string]*sitetest.WordPress{"a": w}
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "User-agent: *\nDisallow: /private/\n")
	})
	site := config.Site{Name: "a", Upstream: up, News: seo.News{Enabled: seo.SwitchedOn}}
	s := startWithState(t, dir, nets, site)
	kept := map[string]answer{}
	for _, path := range []string{"/sitemap_index.xml", "/post-sitemap.xml", "/robots.txt"} {
		kept[path] = s.ask("a.test", path)
		if a := kept[path]; a.status != 200 || a.age != "" {
			t.Fatalf("%s: %+v", path, a)
		}
	}
	zipped := s.ask("a.test", "/post-sitemap.xml", "Accept-Encoding", "gzip")
	s.stop()

	site.Upstream = deadUpstream(t)
	w.Refuse(errRefused)
	s = startWithState(t, dir, nets, site)
	for path, want := range kept {
		got := s.ask("a.test", path)
		if path == "/robots.txt" {
			expect.Equal(t, got.status, 200, path, got)
			expect.Equal(t, got.body, want.body, path, got)
			continue
		}
		if got.age == "" {
			t.Errorf("%s: without Age", path)
		}
		if got.age = ""; got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
	if got := s.ask("a.test", "/post-sitemap.xml", "Accept-Encoding", "gzip"); got.etag != zipped.etag || got.body != zipped.body {
		t.Errorf("compressed: %+v", got)
	}
	expect.Equal(t, s.ask("a.test", "/post-sitemap.xml", "If-None-Match", kept["/post-sitemap.xml"].etag).status, 304, "with its tag")
	for path, want := range map[string]int{
		"/post-sitemap2.xml":  503, // listed, but nobody ever asked for it
		"/post-sitemap3.xml":  404, // the record says that there is no such page
		"/author-sitemap.xml": 404,
		"/news-sitemap.xml":   503, // only the database knows whether there is news
		"/other-sitemap.xml":  502, // not ours; the upstream is down
		"/spam/x":             502, // the blog is gone, and the upstream is down
		"/sitemap.xml":        301,
	} {
		expect.Equal(t, s.ask("a.test", path).status, want, path)
	}
	expect.Equal(t, status(t, s.admin+"/readyz"), 200, "readyz")
	if got := s.Status()[0]; !got.Restored || !got.Ready {
		t.Errorf("%+v", got)
	}

	// The database answers again.
	w.Edit("post-1", 59)
	w.Refuse(nil)
	var got answer
	wptest.Eventually(t, "the page is replaced", func() bool {
		got = s.ask("a.test", "/post-sitemap.xml")
		return got.status == 200 && got.age == "" && strings.Contains(got.body, "04:03:05")
	}, &got)
	if got := s.Status()[0]; got.Restored {
		t.Errorf("%+v", got)
	}
}

// A restart changes neither tag nor date of an unchanged page.
func TestRestartKeepsDates(t *testing.T) {
	dir := t.TempDir()
	nets := map[string]*sitetest.WordPress{"a": sitetest.ThreePosts(t, "https://a.test")}
	var before answer
	for i := range 3 {
		s := startWithState(t, dir, nets, config.Site{Name: "a"}).read()
		got := s.ask("a.test", "/post-sitemap.xml")
		if got.status != 200 || got.age != "" || i > 0 && got != before {
			t.Errorf("start %d: %+v, before %+v", i, got, before)
		}
		before = got
		s.stop()
	}
}

// Cached pages are used for the same database and site only, and no file contains a password.
func TestWhoseCopiesAreUsed(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*config.Site)
		want   int
	}{
		"another account on another server": {func(s *config.Site) { s.DSN = "other:secret@tcp(replica:3306)/shop?tls=true" }, 200},
		"another way of listing":            {func(s *config.Site) { s.Exclude.PostIDs = []int64{7} }, 200},
		"another database":                  {func(s *config.Site) { s.DSN = "user:pw@unix(/s.sock)/blog" }, 503},
		"another name":                      {func(s *config.Site) { s.Name = "b" }, 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			install := config.Site{Name: "a", DSN: "user:pw@unix(/s.sock)/shop", Hosts: []config.Host{"a.test"}}
			w := sitetest.ThreePosts(t, "https://a.test")
			nets := map[string]*sitetest.WordPress{"a": w, "b": w}
			s := startWithState(t, dir, nets, install)
			s.ask("a.test", "/post-sitemap.xml")
			s.stop()
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			wptest.Must(t, err)
			for _, file := range files {
				if text, _ := os.ReadFile(file); strings.Contains(string(text), "pw") {
					t.Errorf("%s holds a password", file)
				}
			}
			tt.change(&install)
			w.Refuse(errRefused)
			s = startWithState(t, dir, nets, install)
			if got := s.ask("a.test", "/post-sitemap.xml"); got.status != tt.want || len(files) == 0 {
				t.Errorf("%d, want %d; files %q", got.status, tt.want, files)
			}
		})
	}
}

// A blog of a network without a complete record is answered with 503. It is neither another blog nor 404.
func TestNetworkWithABrokenRecord(t *testing.T) {
	dir := t.TempDir()
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/two")
	nets := map[string]*sitetest.WordPress{"a": w}
	s := startWithState(t, dir, nets, config.Site{Name: "a"})
	for _, path := range []string{"/post-sitemap.xml", "/two/post-sitemap.xml"} {
		if got := s.ask("a.test", path); got.status != 200 {
			t.Fatal(got)
		}
	}
	s.stop()
	if n := servertest.ChangeBlobs(t, dir, "UPDATE blobs SET data = substr(data, 1, 100) WHERE kind = 'blog' AND blog LIKE '2 %'"); n != 1 {
		t.Fatal(n)
	}
	w.Refuse(errRefused)
	s = startWithState(t, dir, nets, config.Site{Name: "a"})
	for path, want := range map[string]int{
		"/post-sitemap.xml": 200, "/two/post-sitemap.xml": 503, "/two/post-sitemap9.xml": 503, "/three/post-sitemap.xml": 404,
	} {
		expect.Equal(t, s.ask("a.test", path).status, want, path)
	}
	expect.Equal(t, status(t, s.admin+"/readyz?all"), 503, "readyz")
	expect.Equal(t, s.store.Stats().Damaged, 1)
}

// A page that memory has no room for is read from the store if the database fails.
func TestCopyOutOfMemory(t *testing.T) {
	w := sitetest.ThreePosts(t, "https://a.test")
	s := startWithState(t, t.TempDir(), map[string]*sitetest.WordPress{"a": w}, config.Site{Name: "a"})
	want := s.ask("a.test", "/post-sitemap.xml")
	s.written()
	w.After(sitetest.Contents, func() { panic("no page can be made") })
	before := s.blog().Generation
	w.Edit("post-1", 1)
	wptest.Eventually(t, "the edit is read", func() bool { return s.blog().Generation > before }, s.log)
	s.pages.Forget(store.Key{Site: "a", Blog: "1 https://a.test", Name: "post", Page: 1})
	if got := s.ask("a.test", "/post-sitemap.xml"); got.status != 200 || got.etag != want.etag || got.age == "" {
		t.Errorf("%+v", got)
	}
}

func TestStateThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	wptest.Must(t, os.WriteFile(file, nil, 0o600))
	nets := map[string]*sitetest.WordPress{"a": sitetest.ThreePosts(t, "https://a.test")}
	s := startWithState(t, filepath.Join(file, "below"), nets, config.Site{Name: "a"})
	expect.Equal(t, s.ask("a.test", "/post-sitemap.xml").status, 200)
	wptest.Eventually(t, "the error is told", func() bool {
		return s.log.count("cached pages cannot be stored") == 1 && s.store.Stats().Error != ""
	}, s.log)
}
