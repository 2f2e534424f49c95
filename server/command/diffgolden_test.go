package command

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/diff"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// TestDiffGolden compares our sitemaps with those that real sites served, which a server replays. No difference may be
// unexplained at either level. At level plugin, there may only be differences between versions. The recordings are not
// part of this repository; make golden-diff runs the test where they are.
func TestDiffGolden(t *testing.T) {
	eachRecording(t, "golden-diff", func(t *testing.T, g *recording) {
		code, r, stderr := reported[diff.Report](t, "diff", "--config", g.config, "--as-of", g.AsOf, "--rate", "1000", "--json")
		expect.Equal(t, code, done, "exit code", r.Text(), stderr)
		urls := 0
		for _, b := range r.Sites[0].Blogs {
			urls += b.URLs
			for _, l := range b.Levels {
				if l.Level == "plugin" && slices.ContainsFunc(l.Groups, func(g diff.Group) bool { return g.Known && g.Cause != "version" }) {
					t.Errorf("%s: differences at level plugin:\n%s", b.Home, r.Text())
				}
				for _, group := range l.Groups {
					t.Logf("%s level %s: %d %s: %s", b.Home, l.Level, group.Count, group.What, group.Cause)
				}
			}
		}
		expect.Equal(t, urls, g.urls(t), "URLs were read", "are recorded")
	})
}

// eachRecording runs a test for every recorded site, if there are recordings. target is the target of make.
func eachRecording(t *testing.T, target string, test func(t *testing.T, g *recording)) {
	list, set := os.LookupEnv("WPSITEMAPD_GOLDEN")
	if !set {
		t.Skip("needs the folders of recorded sites: run make " + target)
	}
	dirs := strings.Fields(list)
	if len(dirs) == 0 {
		t.Fatal("WPSITEMAPD_GOLDEN names no recorded site")
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			test(t, openRecording(t, dir))
		})
	}
}

// recording is a recorded site.
type recording struct {
	Name     string
	AsOf     string `json:"as_of"`
	Plugin   string // "" is Yoast SEO
	Requests []recordedRequest

	dir, config string
}

type recordedRequest struct {
	Method, Host, Path string
	Status             int
	Headers            map[string]string
	BodyFile           string `json:"body_file"`
}

func openRecording(t *testing.T, dir string) *recording {
	t.Helper()
	g := &recording{dir: dir}
	g.decode(t, "site.json", g)
	raw := json.RawMessage{}
	g.decode(t, "requests.json", &raw)
	if err := json.Unmarshal(raw, &g.Requests); err != nil {
		whole := struct{ Requests []recordedRequest }{}
		wptest.Must(t, json.Unmarshal(raw, &whole))
		g.Requests = whole.Requests
	}
	upstream := httptest.NewServer(http.HandlerFunc(g.answer))
	t.Cleanup(upstream.Close)
	text := fmt.Sprintf("[[site]]\nname = %s\nwp_config = %s\ndsn = %s\nupstream = %s\n", strconv.Quote(g.Name),
		strconv.Quote(filepath.Join(dir, "wp-config.php")), strconv.Quote(g.load(t)), strconv.Quote(upstream.URL))
	if more, err := os.ReadFile(filepath.Join(dir, "site.toml")); err == nil {
		text += string(more)
	}
	g.config = writeConfig(t, text)
	return g
}

func (g *recording) decode(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(g.dir, file))
	wptest.Must(t, err)
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// answer sends what the site answered, or 404 if the recording has no such request.
func (g *recording) answer(w http.ResponseWriter, r *http.Request) {
	for _, q := range g.Requests {
		if q.Method != r.Method || q.Host != r.Host || q.Path != r.URL.RequestURI() {
			continue
		}
		for _, name := range []string{"content-type", "x-robots-tag", "location"} {
			if v := q.Headers[name]; v != "" {
				w.Header().Set(name, v)
			}
		}
		w.WriteHeader(q.Status)
		if q.BodyFile != "" {
			body, err := os.ReadFile(filepath.Join(g.dir, q.BodyFile))
			if err == nil {
				_, err = w.Write(body)
			}
			if err != nil {
				panic(err) // the client gets a broken connection
			}
		}
		return
	}
	http.NotFound(w, r)
}

var recordedURL = regexp.MustCompile(`<url>`)

// urls returns the number of URLs that are recorded below expected/.
func (g *recording) urls(t *testing.T) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Join(g.dir, "expected"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		n += len(recordedURL.FindAll(text, -1))
		return err
	})
	wptest.Must(t, err)
	return n
}

// load loads the recorded database into a place where it can be read, and returns its DSN.
func (g *recording) load(t *testing.T) string {
	t.Helper()
	if f, err := os.Open(filepath.Join(g.dir, "database.sqlite.gz")); err == nil {
		defer f.Close()
		path := filepath.Join(t.TempDir(), ".ht.sqlite")
		wptest.Must(t, os.WriteFile(path, unzip(t, f), 0o600))
		return "sqlite:" + path
	}
	f, err := os.Open(filepath.Join(g.dir, "dump.sql.gz"))
	wptest.Must(t, err)
	defer f.Close()
	cfg, err := mysql.ParseDSN(wptest.MySQL(t))
	wptest.Must(t, err)
	cfg.MultiStatements = true
	admin, err := sql.Open("mysql", cfg.FormatDSN())
	wptest.Must(t, err)
	t.Cleanup(func() { admin.Close() })
	name := fmt.Sprintf("diff_%d_%s", os.Getpid(), strings.ReplaceAll(filepath.Base(g.dir), "-", "_"))
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP DATABASE IF EXISTS " + name); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name + " CHARACTER SET utf8mb4"} {
		if _, err := admin.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	cfg.DBName = name
	db, err := sql.Open("mysql", cfg.FormatDSN())
	wptest.Must(t, err)
	defer db.Close()
	if _, err := db.Exec(string(unzip(t, f))); err != nil {
		t.Fatal(err)
	}
	cfg.MultiStatements = false
	return cfg.FormatDSN()
}

func unzip(t *testing.T, r io.Reader) []byte {
	t.Helper()
	z, err := gzip.NewReader(r)
	wptest.Must(t, err)
	text, err := io.ReadAll(z)
	wptest.Must(t, err)
	return text
}

// TestAddOnsGolden makes sitemaps of news and videos for recorded sites, without any add-on. They must be valid, be
// named by the index if they have entries, and list only URLs that other sitemaps list too. The recordings are not part
// of this repository; make golden-addons runs the test where they are.
func TestAddOnsGolden(t *testing.T) {
	eachRecording(t, "golden-addons", func(t *testing.T, g *recording) {
		newest := ""
		for _, files := range readRecorded(t, g).places {
			for file, date := range files {
				if date < g.AsOf && strings.Contains(file, "post-sitemap") {
					newest = max(newest, date)
				}
			}
		}
		text, err := os.ReadFile(g.config)
		wptest.Must(t, err)
		for _, how := range []struct{ sitemaps, level string }{{"auto", "spec"}, {"auto", "plugin"}, {"core", "spec"}, {"yoast", "spec"}} {
			more := fmt.Sprintf("\n[defaults]\nsitemaps = %q\ncompat = %q\nnews.enabled = true\nvideo.enabled = true\n", how.sitemaps, how.level)
			wptest.Must(t, os.WriteFile(g.config, append(bytes.Clone(text), more...), 0o600))
			out := t.TempDir()
			code, stdout, stderr := runCommand(t, "export", "--config", g.config, "--as-of", max(newest, "2020-01-01T00:00:00+00:00"), "--out", out)
			if strings.Contains(stderr, "cannot be written as a file") { // the addresses of sitemaps are queries only
				continue
			}
			if code != done {
				t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
			}
			checkAddOns(t, how.sitemaps+" "+how.level, out)
		}
	})
}

// checkAddOns checks the exported sitemaps of a site.
func checkAddOns(t *testing.T, level, dir string) {
	t.Helper()
	type document struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
		Sitemap []struct {
			Loc string `xml:"loc"`
		} `xml:"sitemap"`
	}
	listed, named := map[string]bool{}, map[string]bool{}
	found := map[string]document{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".xml") {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var doc document
		if err := xml.Unmarshal(body, &doc); err != nil {
			t.Errorf("%s: %s: %v", level, path, err)
			return nil
		}
		for _, s := range doc.Sitemap {
			named[s.Loc[strings.LastIndexByte(s.Loc, '/')+1:]] = true
		}
		file := filepath.Base(path)
		if strings.Contains(file, "news-sitemap") || strings.Contains(file, "video-sitemap") {
			schematest.Validate(t, body)
			found[path] = doc
			return nil
		}
		for _, u := range doc.URL {
			listed[u.Loc] = true
		}
		return nil
	})
	wptest.Must(t, err)
	for path, doc := range found {
		if file := filepath.Base(path); len(doc.URL) > 0 && !named[file] {
			t.Errorf("%s: the index does not name %s", level, file)
		}
		for _, u := range doc.URL {
			if !listed[u.Loc] {
				t.Errorf("%s: only %s names %s", level, path, u.Loc)
			}
		}
		t.Logf("%s: %s: %d", level, filepath.Base(path), len(doc.URL))
	}
}
