package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/command"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
)

// buffer is an output that can be read while the program writes to it.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// program is a run of the program, started as main does.
type program struct {
	stdout, stderr buffer
	stop           context.CancelFunc
	code           chan int
}

func start(t *testing.T, env map[string]string, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{stop: cancel, code: make(chan int, 1)}
	go func() {
		p.code <- command.Run(ctx, args, func(name string) string { return env[name] }, &p.stdout, &p.stderr)
	}()
	t.Cleanup(cancel)
	return p
}

func (p *program) wait(t *testing.T) int {
	t.Helper()
	select {
	case code := <-p.code:
		return code
	case <-time.After(20 * time.Second):
		t.Fatalf("the program does not end; it printed\n%s%s", &p.stdout, &p.stderr)
		return -1
	}
}

// run runs the program to its end.
func run(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := start(t, env, args...)
	code = p.wait(t)
	return code, p.stdout.String(), p.stderr.String()
}

// match waits until the output holds the pattern and returns its group.
func match(t *testing.T, out *buffer, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for range 1000 {
		if m := re.FindStringSubmatch(out.String()); m != nil {
			return m[1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no %s in\n%s", pattern, out)
	return ""
}

func write(t *testing.T, dir, text string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "wpsitemapd.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func siteTOML(name, dsn, more string) string {
	return fmt.Sprintf("[[site]]\nname = %s\ndsn = %s\n%s\n", strconv.Quote(name), strconv.Quote(dsn), more)
}

// gazette creates the sample site at https://gazette.example and returns its DSN.
func gazette(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".ht.sqlite")
	if err := sample.Create(t.Context(), path, "https://gazette.example"); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + path
}

func get(t *testing.T, address, host string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestUsage(t *testing.T) {
	config := write(t, t.TempDir(), siteTOML("a", "sqlite:missing.sqlite", ""))
	broken := write(t, t.TempDir(), siteTOML("a", "sqlite:missing.sqlite", "page_size = 0\ncompat = \"x\""))
	tests := []struct {
		rule           string
		env            map[string]string
		args           []string
		code           int
		stdout, stderr string // fragments
	}{
		{"no command is serve, which needs a configuration", nil, nil, 2, "", "give --config FILE or set WPSITEMAPD_CONFIG"},
		{"flags without a command are those of serve", nil, []string{"--as-of", "yesterday"}, 2, "", "must be a time in RFC 3339"},
		{"an unknown command", nil, []string{"serv"}, 2, "", `there is no command "serv"`},
		{"an unknown flag", nil, []string{"check", "--colour"}, 2, "", "flag provided but not defined: -colour"},
		{"a flag without its value", nil, []string{"check", "--config"}, 2, "", "flag needs an argument: -config"},
		{"an argument too many", nil, []string{"check", "--config", config, "more"}, 2, "", `an argument too many: "more"`},
		{"a variable is checked like its flag", map[string]string{"WPSITEMAPD_AS_OF": "now"}, []string{"export"}, 2, "", `WPSITEMAPD_AS_OF="now": must be a time`},
		{"a switch in the environment", map[string]string{"WPSITEMAPD_JSON": "perhaps"}, []string{"check"}, 2, "", `WPSITEMAPD_JSON="perhaps": must be true or false`},
		{"export needs a folder", nil, []string{"export", "--config", config}, 2, "", "give --out DIR or set WPSITEMAPD_OUT"},
		{"a site that is not configured", nil, []string{"check", "--config", config, "--site", "b"}, 2, "", `has no site "b"; it has a`},
		{"the command line beats the environment", map[string]string{"WPSITEMAPD_SITE": "b", "WPSITEMAPD_CONFIG": "nowhere"},
			[]string{"check", "--config", config, "--site", "a"}, 1, "missing.sqlite", ""},
		{"a configuration that is not there", nil, []string{"check", "--config", "nowhere.toml"}, 2, "", "nowhere.toml"},
		{"all mistakes of a configuration, with their lines", nil, []string{"serve", "--config", broken}, 2, "", broken + ":4: site \"a\": page_size = 0"},
		{"… the second one, too", nil, []string{"export", "--out", "x", "--config", broken}, 2, "", broken + ":5: site \"a\": compat = \"x\""},
		{"help", nil, []string{"help"}, 0, "Exit codes:", ""},
		{"--help", nil, []string{"--help"}, 0, "Exit codes:", ""},
		{"help of a command", nil, []string{"help", "export"}, 0, "WPSITEMAPD_OUT", ""},
		{"help of a command that is none", nil, []string{"help", "exprot"}, 2, "", `there is no command "exprot"`},
		{"--help of a command needs nothing else", nil, []string{"check", "--help"}, 0, "wpsitemapd check - ", ""},
		{"version", nil, []string{"version"}, 0, "wpsitemapd ", ""},
		{"--version", nil, []string{"--version"}, 0, "commit ", ""},
		{"a demo that cannot listen", nil, []string{"demo", "--listen", "127.0.0.1"}, 1, "", "missing port"},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			code, stdout, stderr := run(t, test.env, test.args...)
			if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit code %d, want %d\nstdout %q, want %q\nstderr %q, want %q", code, test.code, stdout, test.stdout, stderr, test.stderr)
			}
			if test.stderr == "" && stderr != "" || test.stdout == "" && stdout != "" {
				t.Errorf("stdout %q, stderr %q", stdout, stderr)
			}
		})
	}
}

func TestServe(t *testing.T) {
	config := write(t, t.TempDir(), "listen = \"127.0.0.1:0\"\nadmin = \"\"\n"+siteTOML("gazette", gazette(t), ""))
	p := start(t, nil, "serve", "--config", config, "--as-of", "2026-01-02T15:04:05Z")
	address := "http://" + match(t, &p.stderr, `listening.* address=(\S+)`)
	status, index := get(t, address+"/sitemap_index.xml", "gazette.example")
	if status != http.StatusOK || !strings.Contains(index, "<loc>https://gazette.example/post-sitemap.xml</loc>") {
		t.Errorf("%d\n%s", status, index)
	}
	if status, _ := get(t, address+"/about/", "gazette.example"); status != http.StatusNotFound {
		t.Errorf("another address is answered by %d, want 404 without an upstream", status)
	}
	p.stop()
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, &p.stderr)
	}
}

func TestServeCannotListen(t *testing.T) {
	config := write(t, t.TempDir(), "listen = \"127.0.0.1:0\"\nadmin = \"\"\n"+siteTOML("gazette", gazette(t), ""))
	p := start(t, nil, "serve", "--config", config)
	address := match(t, &p.stderr, `listening.* address=(\S+)`)
	second := write(t, t.TempDir(), fmt.Sprintf("listen = %q\nadmin = \"\"\n", address)+siteTOML("gazette", gazette(t), ""))
	if code, _, stderr := run(t, nil, "serve", "--config", second); code != 1 || !strings.Contains(stderr, "address already in use") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

func TestDemo(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	p := start(t, nil, "demo")
	index := match(t, &p.stdout, `(http://\S+/sitemap_index\.xml)`)
	addresses := regexp.MustCompile(`http://\S+`).FindAllString(p.stdout.String(), -1)
	if len(addresses) != 3 {
		t.Errorf("addresses %q, want three", addresses)
	}
	home := strings.TrimSuffix(index, "/sitemap_index.xml")
	for _, a := range addresses {
		status, body := get(t, a, "")
		if status != http.StatusOK || !strings.Contains(body, home) {
			t.Errorf("%s: %d, without the site's own address:\n%.300s", a, status, body)
		}
	}
	p.stop()
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, &p.stderr)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if p.stderr.String() != "" {
		t.Errorf("stderr: %s", &p.stderr)
	}
}

// report is what programs may rely on in check's JSON.
type report struct {
	OK    bool
	Sites []struct {
		Name   string
		OK     bool
		Errors []string
		Blogs  []struct {
			ID       int64
			Home     string
			Active   bool
			Sitemaps []struct {
				Name        string
				Files, URLs int
			}
			LeftOut map[string]int `json:"left_out"`
			Types   []struct {
				Kind, Name string
				Public     bool
				Facts      []struct {
					Key, Source string
					Value       any
				}
			}
			Unknown []struct {
				Kind, Name, Add string
				Rows            int
			}
			Warnings []string
		}
	}
}

func checkJSON(t *testing.T, toml string) (int, report) {
	t.Helper()
	code, stdout, stderr := run(t, nil, "check", "--json", "--config", write(t, t.TempDir(), toml))
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if r.OK != (code == 0) {
		t.Errorf("ok is %v with exit code %d", r.OK, code)
	}
	return code, r
}

func TestCheck(t *testing.T) {
	dsn := gazette(t)
	code, r := checkJSON(t, siteTOML("gazette", dsn, ""))
	if code != 0 || len(r.Sites) != 1 || len(r.Sites[0].Blogs) != 1 {
		t.Fatalf("exit code %d, %+v", code, r)
	}
	blog := r.Sites[0].Blogs[0]
	if blog.Home != "https://gazette.example" || !blog.Active || len(blog.Sitemaps) < 5 || blog.LeftOut["noindex"] == 0 {
		t.Errorf("%+v", blog)
	}
	sources := map[string]string{}
	for _, typ := range blog.Types {
		for _, f := range typ.Facts {
			sources[typ.Name+" "+f.Key] = f.Source
		}
	}
	for fact, want := range map[string]string{
		"post public": "core", "recipe public": "option wpseo[last_known_public_post_types]", "recipe slug": "option rewrite_rules",
		"course object_types": "table term_relationships",
	} {
		if sources[fact] != want {
			t.Errorf("source of %s is %q, want %q", fact, sources[fact], want)
		}
	}

	t.Run("the report for people says the same", func(t *testing.T) {
		config := write(t, t.TempDir(), siteTOML("gazette", dsn, "[site.post_type.recipe]\nexclude = true\nslug = \"cook\""))
		code, stdout, stderr := run(t, map[string]string{"WPSITEMAPD_CONFIG": config}, "check")
		if code != 0 || stderr != "" {
			t.Errorf("exit code %d, stderr %q", code, stderr)
		}
		for _, want := range []string{
			"site gazette", "https://gazette.example (blog 1, compat spec)", " noindex", "1 site checked, no trouble.",
			"public (option wpseo[last_known_public_post_types])", "excluded (configuration)", "slug cook (configuration)",
		} {
			if !strings.Contains(stdout, want) {
				t.Errorf("no %q in\n%s", want, stdout)
			}
		}
		if regexp.MustCompile(`recipe +\d+ file`).MatchString(stdout) {
			t.Errorf("an excluded type has a sitemap:\n%s", stdout)
		}
	})
	t.Run("a type nothing is known of is trouble, and the lines to add settle it", func(t *testing.T) {
		dsn := wptest.Load(t, wptest.SQLite, "basic", "noyoast")
		wptest.Exec(t, dsn, `INSERT INTO wp_posts (post_type, post_status, post_name, post_title, post_date, post_date_gmt, post_modified, post_modified_gmt)
			VALUES ('mystery', 'publish', 'who', 'Who', '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00')`)
		code, r := checkJSON(t, siteTOML("a", dsn, ""))
		if code != 1 || len(r.Sites[0].Blogs[0].Unknown) != 1 {
			t.Fatalf("exit code %d, %+v", code, r)
		}
		u := r.Sites[0].Blogs[0].Unknown[0]
		if u.Kind != "post type" || u.Name != "mystery" || u.Rows != 1 {
			t.Errorf("%+v", u)
		}
		if code, r := checkJSON(t, siteTOML("a", dsn, u.Add)); code != 0 || len(r.Sites[0].Blogs[0].Unknown) != 0 {
			t.Errorf("with\n%s\nexit code %d, %+v", u.Add, code, r)
		}
	})
	t.Run("sitemaps that are off are a warning", func(t *testing.T) {
		code, r := checkJSON(t, siteTOML("a", wptest.Load(t, wptest.SQLite, "basic", "disabled"), ""))
		if b := r.Sites[0].Blogs[0]; code != 0 || b.Active || !slices.ContainsFunc(b.Warnings, func(w string) bool { return strings.Contains(w, "switched off") }) {
			t.Errorf("exit code %d, %+v", code, b)
		}
	})
	t.Run("a binlog that cannot be followed is a warning", func(t *testing.T) {
		config := write(t, t.TempDir(), siteTOML("a", dsn, `changes = "binlog"`))
		code, stdout, _ := run(t, nil, "check", "--config", config)
		if want := "warning: the binlog cannot be followed, tables are looked at instead: SQLite has no binlog; set changes"; code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, no %q in\n%s", code, want, stdout)
		}
	})
	t.Run("every live blog of a network", func(t *testing.T) {
		_, r := checkJSON(t, siteTOML("net", wptest.Load(t, wptest.SQLite, "basic", "network"), ""))
		var homes []string
		for _, b := range r.Sites[0].Blogs {
			homes = append(homes, b.Home)
		}
		if want := []string{"https://example.test", "https://example.test/fish", "https://bread.test", "https://example.test/hush"}; !slices.Equal(homes, want) {
			t.Errorf("homes %q, want %q", homes, want)
		}
	})
	t.Run("one site in trouble does not hide the others", func(t *testing.T) {
		code, r := checkJSON(t, siteTOML("gone", "sqlite:nowhere.sqlite", "")+siteTOML("gazette", dsn, ""))
		if code != 1 || r.Sites[0].OK || len(r.Sites[0].Errors) != 1 || !r.Sites[1].OK {
			t.Errorf("exit code %d, %+v", code, r)
		}
	})
}

func TestCheckOfTroubledServers(t *testing.T) {
	base, err := mysql.ParseDSN(wptest.MySQL(t))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		rule   string
		change func(*mysql.Config)
		more   string
		want   string
	}{
		{"a wrong password", func(c *mysql.Config) { c.User, c.Passwd = "nobody", "topsecret" }, "", "check user and password"},
		{"no such database", func(c *mysql.Config) { c.DBName = "wpsitemapd_no_such_database" }, "", "check the name of the database"},
		{"a database without WordPress", func(c *mysql.Config) { c.DBName = "mysql" }, "", "check table_prefix and the database name"},
		{"no server there", func(c *mysql.Config) { c.Net, c.Addr, c.Passwd = "tcp", "127.0.0.1:1", "topsecret" }, "", "is the server running, and is the address right?"},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			dsn := base.Clone()
			test.change(dsn)
			config := write(t, t.TempDir(), siteTOML("a", dsn.FormatDSN(), test.more))
			for _, args := range [][]string{{"check"}, {"check", "--json"}, {"export", "--out", t.TempDir()}} {
				code, stdout, stderr := run(t, map[string]string{"WPSITEMAPD_CONFIG": config}, args...)
				if code != 1 || !strings.Contains(stdout+stderr, test.want) {
					t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
				}
				if strings.Contains(stdout+stderr, "topsecret") {
					t.Errorf("%q prints the password:\n%s%s", args, stdout, stderr)
				}
			}
		})
	}
}

// tree returns the content of every file below dir, by its path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var locs = regexp.MustCompile(`<loc>([^<]+)</loc>`)

func TestExport(t *testing.T) {
	config := write(t, t.TempDir(), siteTOML("gazette", gazette(t), "page_size = 100"))
	out := filepath.Join(t.TempDir(), "new", "folder")
	code, stdout, stderr := run(t, nil, "export", "--config", config, "--out", out)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	files := tree(t, out)
	index := files["sitemap_index.xml"]
	named := locs.FindAllStringSubmatch(index, -1)
	if len(named) < 8 {
		t.Fatalf("the index names %d sitemaps\n%s", len(named), index)
	}
	if want := 2 * (len(named) + 1); len(files) != want {
		t.Errorf("%d files, want %d: a sitemap and its .gz for every name in the index, and the index", len(files), want)
	}
	urls := 0
	for _, m := range named {
		name := strings.TrimPrefix(m[1], "https://gazette.example/")
		urls += len(locs.FindAllString(strings.ReplaceAll(files[name], "image:loc", ""), -1))
		zipped, err := gzip.NewReader(strings.NewReader(files[name+".gz"]))
		if err != nil {
			t.Fatalf("%s.gz: %v", name, err)
		}
		if plain, err := io.ReadAll(zipped); err != nil || string(plain) != files[name] || len(plain) == 0 {
			t.Errorf("%s.gz holds something else (%v)", name, err)
		}
	}
	if want := fmt.Sprintf("gazette: %d sitemaps with %d URLs", len(named)+1, urls); !strings.HasPrefix(stdout, want) {
		t.Errorf("summary %q, want %q", stdout, want)
	}

	t.Run("the same site gives the same bytes, and nothing else is touched", func(t *testing.T) {
		other := filepath.Join(out, "other.txt")
		if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		files["other.txt"] = "mine"
		if code, _, stderr := run(t, nil, "export", "--config", config, "--out", out); code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		again := tree(t, out)
		if len(again) != len(files) {
			t.Errorf("%d files, want %d", len(again), len(files))
		}
		for path, text := range files {
			if again[path] != text {
				t.Errorf("%s has changed", path)
			}
		}
	})
	t.Run("other formats, where they are configured", func(t *testing.T) {
		out := t.TempDir()
		config := write(t, t.TempDir(), siteTOML("gazette", gazette(t), "page_size = 100\nformats.txt = true\nformats.atom = true"))
		if code, summary, stderr := run(t, nil, "export", "--config", config, "--out", out); code != 0 || !strings.HasPrefix(summary, fmt.Sprintf("gazette: %d sitemaps with %d URLs", len(named)+3, urls)) {
			t.Fatalf("exit code %d\n%s%s", code, summary, stderr)
		}
		more := tree(t, out)
		if want := 2 * (len(named) + 3); len(more) != want || strings.Count(more["sitemap.txt"], "\n") != urls || !strings.HasSuffix(more["sitemap.atom"], "</feed>\n") || more["sitemap_index.xml"] != index {
			t.Errorf("%d files, want %d; %d lines, want %d", len(more), want, strings.Count(more["sitemap.txt"], "\n"), urls)
		}
	})
	t.Run("files can be read by a web server", func(t *testing.T) {
		info, err := os.Stat(filepath.Join(out, "sitemap_index.xml"))
		if err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	})
}

func TestExportPaths(t *testing.T) {
	dsn := gazette(t)
	tests := []struct {
		rule, toml string
		args       []string
		want       []string
		code       int
	}{
		{"below the path of home", siteTOML("a", dsn, `home = "https://gazette.example/news"`), nil, []string{"news/sitemap_index.xml"}, 0},
		{"several sites have folders of their names", siteTOML("a", dsn, "") + siteTOML("b", dsn, ""), nil, []string{"a/sitemap_index.xml", "b/sitemap_index.xml"}, 0},
		{"a site chosen of several has none", siteTOML("a", dsn, "") + siteTOML("b", dsn, ""), []string{"--site", "b"}, []string{"sitemap_index.xml"}, 0},
		{"a network on several hosts has their folders", siteTOML("net", wptest.Load(t, wptest.SQLite, "basic", "network"), ""), nil,
			[]string{"bread.test/sitemap_index.xml", "example.test/fish/sitemap_index.xml", "example.test/hush/sitemap_index.xml", "example.test/sitemap_index.xml"}, 0},
		{"sitemaps that are off give no file", siteTOML("a", wptest.Load(t, wptest.SQLite, "basic", "disabled"), ""), nil, nil, 0},
		{"a broken site does not keep the others", siteTOML("gone", "sqlite:nowhere", "") + siteTOML("b", dsn, ""), nil, []string{"b/sitemap_index.xml"}, 1},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			out := t.TempDir()
			env := map[string]string{"WPSITEMAPD_CONFIG": write(t, t.TempDir(), test.toml), "WPSITEMAPD_OUT": out}
			code, stdout, stderr := run(t, env, append([]string{"export"}, test.args...)...)
			var got []string
			for path := range tree(t, out) {
				if strings.HasSuffix(path, "sitemap_index.xml") {
					got = append(got, path)
				}
			}
			slices.Sort(got)
			if code != test.code || !slices.Equal(got, test.want) {
				t.Errorf("exit code %d, indexes %q, want %d, %q\n%s%s", code, got, test.code, test.want, stdout, stderr)
			}
		})
	}
}

func TestExportCannotWrite(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	config := write(t, dir, siteTOML("gazette", gazette(t), ""))
	if code, _, stderr := run(t, nil, "export", "--config", config, "--out", blocked); code != 1 || !strings.Contains(stderr, "not a directory") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

func TestInterruptedCommand(t *testing.T) {
	config := write(t, t.TempDir(), siteTOML("gazette", gazette(t), ""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr buffer
	code := command.Run(ctx, []string{"check", "--config", config}, func(string) string { return "" }, &stdout, &stderr)
	if code != 1 || stderr.String() != "wpsitemapd check: interrupted\n" || stdout.String() != "" {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}

func TestHealth(t *testing.T) {
	admin := filepath.Join(t.TempDir(), "admin.sock")
	broken := write(t, t.TempDir(), fmt.Sprintf("listen = \"127.0.0.1:0\"\nadmin = %q\n", "unix:"+admin)+siteTOML("gazette", "sqlite:"+filepath.Join(t.TempDir(), "no-such-database"), ""))
	if code, out, errs := run(t, nil, "health", "--config", broken); code != 1 || out != "" || !strings.Contains(errs, "does not answer at "+admin) {
		t.Errorf("no daemon: %d %q %q", code, out, errs)
	}
	p := start(t, nil, "serve", "--config", broken)
	match(t, &p.stderr, `listening.* address=(unix\S+)`)
	if code, out, errs := run(t, nil, "health", "--config", broken); code != 0 || out != "ok\n" || errs != "" {
		t.Errorf("the process turns: %d %q %q", code, out, errs)
	}
	if code, out, errs := run(t, map[string]string{"WPSITEMAPD_CONFIG": broken, "WPSITEMAPD_READY": "true"}, "health"); code != 1 || out != "" || !strings.Contains(errs, "not well: site gazette is not ready") {
		t.Errorf("no database: %d %q %q", code, out, errs)
	}
	for _, admin := range []string{"", `admin = "systemd:admin"`} {
		config := write(t, t.TempDir(), admin+"\n"+siteTOML("gazette", gazette(t), ""))
		if code, _, errs := run(t, nil, "health", "--config", config); code != 2 || !strings.Contains(errs, "no address that can be asked") {
			t.Errorf("admin %q: %d %q", admin, code, errs)
		}
	}
}
