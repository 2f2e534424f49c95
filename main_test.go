package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/check"
	"wpsitemapd/server/command"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// program is a run of the program, started as main does.
type program struct {
	stdout, stderr wptest.Buffer
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
	case <-time.After(wptest.Patience):
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
func match(t *testing.T, out *wptest.Buffer, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	var m []string
	wptest.Eventually(t, pattern, func() bool {
		m = re.FindStringSubmatch(out.String())
		return m != nil
	}, out)
	return m[1]
}

// write writes a configuration at once, so that a daemon that watches it never reads half of it.
func write(t *testing.T, dir, text string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "wpsitemapd.toml")
	wptest.Must(t, os.WriteFile(path+".new", []byte(text), 0o600))
	wptest.Must(t, os.Rename(path+".new", path))
	return path
}

func siteTOML(name, dsn, more string) string {
	return fmt.Sprintf("[[site]]\nname = %s\ndsn = %s\n%s\n", strconv.Quote(name), strconv.Quote(dsn), more)
}

// gazette creates the sample site at https://gazette.example and returns its DSN.
func gazette(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".ht.sqlite")
	wptest.Must(t, sample.Create(t.Context(), path, "https://gazette.example"))
	return "sqlite:" + path
}

func get(t *testing.T, address, host string) (int, string) {
	t.Helper()
	resp, body, err := wptest.Get(t.Context(), http.DefaultClient, address, host)
	wptest.Must(t, err)
	return resp.StatusCode, body
}

func TestUsage(t *testing.T) {
	config := write(t, t.TempDir(), siteTOML("a", "sqlite:missing.sqlite", ""))
	broken := write(t, t.TempDir(), siteTOML("a", "sqlite:missing.sqlite", "page_size = 0\ncompat = \"x\""))
	for _, test := range []struct {
		rule           string
		env            map[string]string
		args           []string
		code           int
		stdout, stderr string // fragments
	}{
		{"no command is serve, which needs a configuration", nil, nil, 2, "", "name another file by --config FILE or WPSITEMAPD_CONFIG"},
		{"the configuration has a usual place", nil, []string{"diff"}, 2, "", "there is no configuration " + command.DefaultConfig + ". "},
		{"a configuration that is not there", nil, []string{"check", "--config", "/nowhere/a.toml"}, 2, "", "there is no configuration /nowhere/a.toml. "},
		{"--wp stands instead of a configuration", nil, []string{"check", "--config", config, "--wp", "."}, 2, "", "give it or --config, not both"},
		{"--wp without a folder", nil, []string{"serve", "--wp", "nowhere"}, 2, "", "--wp must be the folder of a WordPress install"},
		{"--upstream without --wp", nil, []string{"serve", "--upstream", "http://127.0.0.1:1"}, 2, "", "work only with --wp"},
		{"a bad --upstream", nil, []string{"serve", "--wp", ".", "--upstream", "ftp://x"}, 2, "", `upstream = "ftp://x": `},
		{"a valid configuration", nil, []string{"check", "--syntax", "--config", config}, 0, config + " is valid.", ""},
		{"flags without a command are those of serve", nil, []string{"--as-of", "yesterday"}, 2, "", "must be a time in RFC 3339"},
		{"an unknown command", nil, []string{"serv"}, 2, "", `there is no command "serv"`},
		{"an unknown flag", nil, []string{"check", "--colour"}, 2, "", "flag provided but not defined: -colour"},
		{"a flag without its value", nil, []string{"check", "--config"}, 2, "", "flag needs an argument: -config"},
		{"an argument too many", nil, []string{"check", "--config", config, "more"}, 2, "", `an argument too many: "more"`},
		{
			"a variable is checked like its flag", map[string]string{"WPSITEMAPD_AS_OF": "now"}, []string{"export"}, 2, "",
			`WPSITEMAPD_AS_OF="now": must be a time`,
		},
		{
			"a switch in the environment", map[string]string{"WPSITEMAPD_JSON": "perhaps"}, []string{"check"}, 2, "",
			`WPSITEMAPD_JSON="perhaps": must be true or false`,
		},
		{"export needs a folder", nil, []string{"export", "--config", config}, 2, "", "give --out DIR, the folder to write to"},
		{"a site that is not configured", nil, []string{"check", "--config", config, "--site", "b"}, 2, "", `has no site "b". Its sites are a`},
		{"the command line beats the environment", map[string]string{"WPSITEMAPD_SITE": "b", "WPSITEMAPD_CONFIG": "nowhere"},
			[]string{"check", "--config", config, "--site", "a"}, 1, "missing.sqlite", ""},
		{"a configuration that is not there", nil, []string{"check", "--config", "nowhere.toml"}, 2, "", "nowhere.toml"},
		{"all mistakes of a configuration, with their lines", nil, []string{"serve", "--config", broken}, 2, "", broken + ":4: site \"a\": page_size = 0"},
		{"help", nil, []string{"help"}, 0, "Exit codes:", ""},
		{"--help", nil, []string{"--help"}, 0, "Exit codes:", ""},
		{"help of a command", nil, []string{"help", "export"}, 0, "WPSITEMAPD_OUT", ""},
		{"help of a command that is none", nil, []string{"help", "exprot"}, 2, "", `there is no command "exprot"`},
		{"--help of a command needs nothing else", nil, []string{"check", "--help"}, 0, "wpsitemapd check - ", ""},
		{"version", nil, []string{"version"}, 0, "wpsitemapd ", ""},
		{"--version", nil, []string{"--version"}, 0, "commit ", ""},
		{"a demo that cannot listen", nil, []string{"demo", "--listen", "127.0.0.1"}, 1, "", "missing port"},
	} {
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

// checkJSON runs check of a configuration.
func checkJSON(t *testing.T, toml string) (int, check.Report) {
	t.Helper()
	return checkFile(t, write(t, t.TempDir(), toml))
}

// checkFile runs check, whose JSON has names that programs rely on.
func checkFile(t *testing.T, config string) (int, check.Report) {
	t.Helper()
	code, stdout, stderr := run(t, nil, "check", "--json", "--rate", "1000", "--config", config)
	var r check.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	expect.Equal(t, r.OK, code == 0, "ok is", "with exit code", code)
	expect.Parts(t, stdout, `"config": `, `"ok": `, `"sites": `, `"name": `, `"blogs": `)
	return code, r
}

// One install is served without a configuration; it is named after its folder.
func TestServeWithoutConfiguration(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "my site")
	wptest.Must(t, os.MkdirAll(folder, 0o700))
	database := strings.TrimPrefix(gazette(t), "sqlite:")
	text := fmt.Sprintf("<?php define('DB_DIR', '%s/'); define('DB_FILE', '%s'); define('DB_ENGINE', 'sqlite'); $table_prefix = 'wp_';",
		filepath.Dir(database), filepath.Base(database))
	wptest.Must(t, os.WriteFile(filepath.Join(folder, "wp-config.php"), []byte(text), 0o600))
	php := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "PHP for "+r.URL.Path) }))
	t.Cleanup(php.Close)
	p := start(t, nil, "serve", "--wp", folder, "--upstream", php.URL, "--listen", "127.0.0.1:0")
	address := match(t, &p.stderr, `listening.* address=(\S+)`)
	if code, text := get(t, "http://"+address+"/sitemap_index.xml", "gazette.example"); code != 200 || !strings.Contains(text, "post-sitemap.xml") {
		t.Errorf("the index: %d\n%s\n%s", code, text, &p.stderr)
	}
	if code, text := get(t, "http://"+address+"/about/", "gazette.example"); code != 200 || text != "PHP for /about/" {
		t.Errorf("a page: %d %q", code, text)
	}
	if code, stdout, stderr := run(t, nil, "check", "--wp", folder); code != 0 || !strings.Contains(stdout, "site my-site\n") {
		t.Errorf("check: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// Old sites hold UTF-8 bytes in latin1 columns, which wp-config.php tells by DB_CHARSET; the dsn beside it does not.
func TestCharsetOfWPConfig(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn,
		"ALTER TABLE wp_posts MODIFY post_name VARCHAR(200) CHARACTER SET latin1, MODIFY post_title TEXT CHARACTER SET latin1",
		"UPDATE wp_posts SET post_name = CONVERT(X'636166C3A9' USING latin1) WHERE post_name = 'featured-twice'",
		"UPDATE wp_posts SET post_title = CONVERT(X'436166C3A9' USING latin1)",
		"UPDATE wp_terms SET name = 'plain'")
	wpConfig := filepath.Join(t.TempDir(), "wp-config.php")
	if err := os.WriteFile(wpConfig, []byte("<?php define('DB_CHARSET', 'latin1'); $table_prefix = 'wp_';"), 0o600); err != nil {
		t.Fatal(err)
	}
	withCharset, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	wptest.Must(t, withCharset.Apply(mysql.Charset("utf8mb4", "")))
	const right, wrong = "https://example.test/caf%C3%A9/<", "https://example.test/caf%C3%83%C2%A9/<"
	for _, tt := range []struct{ name, site, want, without string }{
		{"the file's charset", siteTOML("old", dsn, "wp_config = "+strconv.Quote(wpConfig)), right, wrong},
		{"the dsn's own", siteTOML("old", withCharset.FormatDSN(), "wp_config = "+strconv.Quote(wpConfig)), wrong, right},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := write(t, t.TempDir(), tt.site)
			out := t.TempDir()
			_, _, stderr := run(t, nil, "export", "--out", out, "--config", config)
			text, err := os.ReadFile(filepath.Join(out, "post-sitemap.xml"))
			if err != nil || !strings.Contains(string(text), tt.want) || strings.Contains(string(text), tt.without) {
				t.Errorf("the sitemap holds no %s, or a %s: %v\n%s%s", tt.want, tt.without, err, text, stderr)
			}
			_, stdout, stderr := run(t, nil, "check", "--config", config)
			expect.Equal(t, strings.Contains(stdout, "read in the wrong character set"), tt.want == wrong, "check warns", stdout, stderr)
		})
	}
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

	t.Run("the report for people says the same", func(t *testing.T) {
		config := write(t, t.TempDir(), siteTOML("gazette", dsn, "[site.post_type.recipe]\nexclude = true\nslug = \"cook\""))
		code, stdout, stderr := run(t, map[string]string{"WPSITEMAPD_CONFIG": config}, "check")
		expect.Equal(t, code, 0)
		expect.Equal(t, stderr, "")
		expect.Parts(t, stdout,
			"site gazette", "https://gazette.example (blog 1, sitemaps of Yoast SEO, compat spec)", " noindex", "1 site checked, no trouble.",
			"public (option wpseo[last_known_public_post_types])", "excluded (configuration)", "slug cook (configuration)",
			"installed: WordPress 7.0 or 7.1, Yoast SEO",
		)
		if regexp.MustCompile(`recipe +\d+ file`).MatchString(stdout) {
			t.Errorf("an excluded type has a sitemap:\n%s", stdout)
		}
	})
	t.Run("a type nothing is known of is trouble, and the lines to add settle it", func(t *testing.T) {
		dsn := wptest.Load(t, wptest.SQLite, "basic", "noyoast")
		wptest.Exec(t, dsn,
			`INSERT INTO wp_posts (post_type, post_status, post_name, post_title, post_date, post_date_gmt, post_modified, post_modified_gmt)
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
		if code, r := checkJSON(t, siteTOML("a", dsn, `sitemaps = "seopress"`)); code != 0 || len(r.Sites[0].Blogs[0].Unknown) != 0 {
			t.Errorf("with a plugin that lists only what is ticked: exit code %d, %+v", code, r)
		}
	})
	t.Run("sitemaps that are off are a warning", func(t *testing.T) {
		code, r := checkJSON(t, siteTOML("a", wptest.Load(t, wptest.SQLite, "basic", "disabled"), ""))
		if b := r.Sites[0].Blogs[0]; code != 0 || b.Active ||
			!slices.ContainsFunc(b.Warnings, func(w string) bool { return strings.Contains(w, "switched off") }) {
			t.Errorf("exit code %d, %+v", code, b)
		}
	})
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
	wptest.Must(t, err)
	return files
}

var locs = regexp.MustCompile(`<loc>([^<]+)</loc>`)

func TestExport(t *testing.T) {
	config := write(t, t.TempDir(), siteTOML("gazette", gazette(t), "page_size = 100\nformats.txt = true\nformats.atom = true"))
	out := filepath.Join(t.TempDir(), "new", "folder")
	wptest.Must(t, os.MkdirAll(out, 0o755))
	wptest.Must(t, os.WriteFile(filepath.Join(out, "other.txt"), []byte("mine"), 0o600))
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
	if want := 2*(len(named)+3) + 1; len(files) != want || files["other.txt"] != "mine" {
		t.Errorf("%d files, want %d: a sitemap and its .gz for every name in the index, "+
			"the index, and two formats, beside what was there", len(files), want)
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
	if want := fmt.Sprintf("gazette: %d sitemaps with %d URLs", len(named)+3, urls); !strings.HasPrefix(stdout, want) {
		t.Errorf("summary %q, want %q", stdout, want)
	}
	if strings.Count(files["sitemap.txt"], "\n") != urls || !strings.HasSuffix(files["sitemap.atom"], "</feed>\n") {
		t.Errorf("%d lines, want %d", strings.Count(files["sitemap.txt"], "\n"), urls)
	}
	if info, err := os.Stat(filepath.Join(out, "sitemap_index.xml")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("a web server cannot read it: %v, %v", info.Mode(), err)
	}
}

func TestExportPaths(t *testing.T) {
	dsn := gazette(t)
	for _, test := range []struct {
		rule, toml string
		args       []string
		want       []string
		code       int
	}{
		{"below the path of home", siteTOML("a", dsn, `home = "https://gazette.example/news"`), nil, []string{"news/sitemap_index.xml"}, 0},
		{"several sites have folders of their names", siteTOML("a", dsn, "") +
			siteTOML("b", dsn, ""), nil, []string{"a/sitemap_index.xml", "b/sitemap_index.xml"}, 0},
		{"a site chosen of several has none", siteTOML("a", dsn, "") + siteTOML("b", dsn, ""), []string{"--site", "b"}, []string{"sitemap_index.xml"}, 0},
		{"a network on several hosts has their folders", siteTOML("net", wptest.Load(t, wptest.SQLite, "basic", "network"), ""), nil,
			[]string{
				"bread.test/sitemap_index.xml", "example.test/fish/sitemap_index.xml", "example.test/hush/sitemap_index.xml",
				"example.test/sitemap_index.xml",
			}, 0},
		{"sitemaps that are off give no file", siteTOML("a", wptest.Load(t, wptest.SQLite, "basic", "disabled"), ""), nil, nil, 0},
		{"a broken site does not keep the others", siteTOML("gone", "sqlite:nowhere", "") +
			siteTOML("b", dsn, ""), nil, []string{"b/sitemap_index.xml"}, 1},
	} {
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
			expect.Equal(t, code, test.code, stdout, stderr)
			expect.List(t, got, test.want, stdout, stderr)
		})
	}
}

func TestInterruptedCommand(t *testing.T) {
	config := write(t, t.TempDir(), siteTOML("gazette", gazette(t), ""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr wptest.Buffer
	code := command.Run(ctx, []string{"check", "--config", config}, func(string) string { return "" }, &stdout, &stderr)
	if code != 1 || stderr.String() != "wpsitemapd check: interrupted\n" || stdout.String() != "" {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	admin := filepath.Join(t.TempDir(), "admin.sock")
	broken := write(t, t.TempDir(), fmt.Sprintf("listen = \"127.0.0.1:0\"\nadmin = %q\n", "unix:"+admin)+
		siteTOML("gazette", "sqlite:"+filepath.Join(t.TempDir(), "no-such-database"), ""))
	if code, out, errs := run(t, nil, "health", "--config", broken); code != 1 || out != "" || !strings.Contains(errs, "does not answer at "+admin) {
		t.Errorf("no daemon: %d %q %q", code, out, errs)
	}
	p := start(t, nil, "serve", "--config", broken)
	match(t, &p.stderr, `listening.* address=(unix\S+)`)
	if code, out, errs := run(t, nil, "health", "--config", broken); code != 0 || out != "ok\n" || errs != "" {
		t.Errorf("the process turns: %d %q %q", code, out, errs)
	}
	if code, out, errs := run(t, map[string]string{"WPSITEMAPD_CONFIG": broken, "WPSITEMAPD_READY": "true"}, "health"); code != 1 ||
		out != "" || !strings.Contains(errs, "not well: site gazette is not ready") {
		t.Errorf("no database: %d %q %q", code, out, errs)
	}
	for _, admin := range []string{"", `admin = "systemd:admin"`} {
		config := write(t, t.TempDir(), admin+"\n"+siteTOML("gazette", gazette(t), ""))
		if code, _, errs := run(t, nil, "health", "--config", config); code != 2 || !strings.Contains(errs, "set admin in the configuration") {
			t.Errorf("admin %q: %d %q", admin, code, errs)
		}
	}
}

// TestMain makes the test binary the program itself if a test asks for its own process. A configuration of this machine
// is not used.
func TestMain(m *testing.M) {
	if os.Getenv("WPSITEMAPD_TEST_CHILD") != "" {
		os.Unsetenv("WPSITEMAPD_TEST_CHILD")
		main()
	}
	command.DefaultConfig = filepath.Join(os.TempDir(), "no-such-folder", "wpsitemapd.toml")
	os.Exit(m.Run())
}

// child is the daemon in a process of its own.
type child struct {
	*wptest.Process
	log wptest.Buffer
}

// spawn starts the daemon. sockets become its descriptors from 3 on.
func spawn(t *testing.T, config string, env []string, sockets ...*os.File) *child {
	t.Helper()
	// LISTEN_PID must be its own id, as systemd sets it
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, os.Args[0], "serve", "--config", config)
	cmd.Env = append(append(os.Environ(), "WPSITEMAPD_TEST_CHILD=1"), env...)
	cmd.ExtraFiles = sockets
	c := &child{}
	c.Process = wptest.Launch(t, &c.log, cmd)
	return c
}

// front is a configuration with the gazette before an upstream.
func front(t *testing.T, top string, upstream http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(upstream)
	t.Cleanup(srv.Close)
	return write(t, t.TempDir(), top+"\n"+siteTOML("gazette", gazette(t), fmt.Sprintf("upstream = %q", srv.URL)))
}

// kept is a connection that carries one request after the other.
type kept struct {
	net.Conn
	rd *bufio.Reader
}

func keep(t *testing.T, address string) *kept {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	wptest.Must(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(wptest.Patience))
	return &kept{conn, bufio.NewReader(conn)}
}

// ask sends a request and returns the answer's status and body, and whether the connection goes on.
func (k *kept) ask(path string) (status int, body string, goesOn bool, err error) {
	if _, err := fmt.Fprintf(k, "GET %s HTTP/1.1\r\nHost: gazette.example\r\n\r\n", path); err != nil {
		return 0, "", false, err
	}
	resp, err := http.ReadResponse(k.rd, nil)
	if err != nil {
		return 0, "", false, err
	}
	all, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(all), !resp.Close, err
}

func TestStopWithoutAFailedRequest(t *testing.T) {
	downloading := make(chan struct{})
	config := front(t, `listen = "127.0.0.1:0"`, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/download" {
			io.WriteString(w, "page")
			return
		}
		for i := range 40 { // longer than connections are waited for
			io.WriteString(w, "0123456789")
			w.(http.Flusher).Flush()
			if i == 0 {
				close(downloading)
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	d := spawn(t, config, nil)
	address := match(t, &d.log, `listening.* address=(\S+)`)

	var clients sync.WaitGroup
	var answers atomic.Int64
	ask := func(who string, k *kept, path string) (body string, goesOn bool) {
		status, body, goesOn, err := k.ask(path)
		if err != nil || status != 200 || body == "" {
			t.Errorf("%s: %d, %d bytes, %v", who, status, len(body), err)
		}
		answers.Add(1)
		return body, goesOn && err == nil
	}
	clients.Go(func() {
		if body, _ := ask("a long download", keep(t, address), "/download"); len(body) != 400 {
			t.Errorf("of a long download %d bytes arrived", len(body))
		}
	})
	for i := range 6 {
		k := keep(t, address)
		clients.Go(func() { // one request after the other, until it is told to stop
			for goesOn := true; goesOn; {
				_, goesOn = ask("a busy client", k, []string{"/sitemap_index.xml", "/about/"}[i%2])
			}
		})
	}
	idle := keep(t, address)
	if _, goesOn := ask("an idle client, first", idle, "/sitemap_index.xml"); !goesOn {
		t.Error("its connection is not kept")
	}
	<-downloading
	for answers.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	d.Signal(syscall.SIGTERM)
	match(t, &d.log, `(stopping)`)
	for goesOn := true; goesOn && !t.Failed(); { // until it is told that the connection ends
		_, goesOn = ask("an idle client that comes back", idle, "/about/")
	}
	wptest.Eventually(t, "it does not listen any more", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	clients.Wait()
	expect.Equal(t, d.Code(t), 0, "exit code", &d.log)
}

// Requests under way have the time of drain, and none after a second signal.
func TestStopHasAnEnd(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	for _, tt := range []struct {
		drain   string
		signals []syscall.Signal
	}{
		{"1s", []syscall.Signal{syscall.SIGINT}}, {"1h", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
		{"1h", []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}},
	} {
		config := front(t, fmt.Sprintf("listen = \"127.0.0.1:0\"\ndrain = %q", tt.drain), func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/forever" {
				return // what the daemon itself asks the site
			}
			select {
			case asked <- struct{}{}:
			case <-r.Context().Done():
			}
			<-r.Context().Done()
		})
		d := spawn(t, config, nil)
		k := keep(t, match(t, &d.log, `listening.* address=(\S+)`))
		go k.ask("/forever")
		<-asked
		for _, signal := range tt.signals {
			d.Signal(signal)
			match(t, &d.log, `(stopping)`)
		}
		if code := d.Code(t); (code == 0) != (len(tt.signals) == 1) || code == 0 && !strings.Contains(d.log.String(), "still under way") {
			t.Errorf("%v: exit code %d\n%s", tt.signals, code, &d.log)
		}
	}
}

// inherited opens a socket as systemd does for its units.
func inherited(t *testing.T) (address string, f *os.File) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer ln.Close()
	if f, err = ln.(*net.TCPListener).File(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return ln.Addr().String(), f
}

// With sockets of systemd a restart loses nobody, not even who connects in the middle of it.
func TestSocketActivation(t *testing.T) {
	t.Parallel()
	web, webSocket := inherited(t)
	admin, adminSocket := inherited(t)
	config := write(t, t.TempDir(), "listen = \"systemd:web\"\nadmin = \"systemd\"\n"+siteTOML("gazette", gazette(t), ""))
	env := []string{"LISTEN_FDS=2", "LISTEN_FDNAMES=web:wpsitemapd-admin.socket"}
	d := spawn(t, config, env, webSocket, adminSocket)
	match(t, &d.log, `listening.* address=(`+web+`)`)
	match(t, &d.log, `listening.* address=(`+admin+`)`)
	if status, body := get(t, "http://"+admin+"/healthz", ""); status != 200 || body != "ok\n" {
		t.Errorf("admin: %d %q", status, body)
	}

	var clients sync.WaitGroup
	var answers atomic.Int64
	var done atomic.Bool
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: wptest.Patience}
	for range 4 {
		clients.Go(func() {
			for !done.Load() && !t.Failed() {
				r, _ := http.NewRequest("GET", "http://"+web+"/sitemap_index.xml", nil)
				r.Host = "gazette.example"
				resp, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || len(body) == 0 {
					t.Errorf("%d, %d bytes, %v", resp.StatusCode, len(body), err)
				}
				resp.Body.Close()
				answers.Add(1)
			}
		})
	}
	more := func() {
		t.Helper()
		before := answers.Load()
		wptest.Eventually(t, "more answers", func() bool { return answers.Load() >= before+30 || t.Failed() }, &d.log)
	}
	for range 2 {
		more()
		d.Signal(syscall.SIGTERM)
		expect.Equal(t, d.Code(t), 0, "exit code", &d.log)
		d = spawn(t, config, env, webSocket, adminSocket)
	}
	more()
	done.Store(true)
	clients.Wait()

	other := write(t, t.TempDir(), "listen = \"systemd:http\"\n"+siteTOML("gazette", gazette(t), ""))
	d = spawn(t, other, env, webSocket, adminSocket)
	expect.Equal(t, d.Code(t), 1, &d.log)
	expect.Contains(t, d.log.String(), `no socket named "http", only web, wpsitemapd-admin.socket`, &d.log)
}

func TestSystemdIsTold(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "notify")
	wptest.Must(t, err)
	defer os.RemoveAll(dir)
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"})
	wptest.Must(t, err)
	defer conn.Close()
	top := fmt.Sprintf("listen = [\"127.0.0.1:0\", %q]\nadmin = \"127.0.0.1:0\"", "unix:"+dir+"/w.sock")
	config := front(t, top, func(w http.ResponseWriter, r *http.Request) {})
	d := spawn(t, config, []string{"NOTIFY_SOCKET=" + conn.LocalAddr().String(), "WATCHDOG_USEC=1000000"})

	beats := 0
	// next returns what comes next beside the watchdog's beats, which it counts; or nothing, once there were enough of them.
	next := func(enough int) string {
		t.Helper()
		b := make([]byte, 1000)
		for {
			conn.SetReadDeadline(time.Now().Add(wptest.Patience))
			n, err := conn.Read(b)
			if err != nil {
				t.Fatalf("%v\n%s", err, &d.log)
			}
			if string(b[:n]) != "WATCHDOG=1" {
				return string(b[:n])
			}
			if beats++; beats == enough {
				return ""
			}
		}
	}
	if got := next(0); got != "READY=1" {
		t.Fatalf("first %q", got)
	}
	address := match(t, &d.log, `listening.* address=(\S+)`)
	if status, _ := get(t, "http://"+address+"/sitemap_index.xml", "gazette.example"); status != 200 {
		t.Errorf("when it is ready it serves: %d", status)
	}
	expect.Equal(t, next(beats+2), "", "between the beats for the watchdog")
	if limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", d.Cmd.Process.Pid)); err == nil &&
		!regexp.MustCompile(`Max core file size +0 `).Match(limits) {
		t.Errorf("core dumps, which hold passwords, are possible:\n%s", limits)
	}
	d.Signal(syscall.SIGHUP)
	if got := next(0); !strings.HasPrefix(got, "RELOADING=1\nMONOTONIC_USEC=") {
		t.Errorf("on SIGHUP %q", got)
	}
	expect.Equal(t, next(0), "READY=1", "after it")
	d.Signal(syscall.SIGTERM)
	expect.Equal(t, next(0), "STOPPING=1", "at the end")
	expect.Equal(t, d.Code(t), 0, "exit code", &d.log)
	if _, err := os.Lstat(filepath.Join(dir, "w.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays behind: %v", err)
	}
	if strings.Contains(d.log.String(), "level=ERROR") {
		t.Errorf("log:\n%s", &d.log)
	}
}

// Every kind of listener at once, and what each says to the upstream.
func TestEveryWayIn(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "ways")
	wptest.Must(t, err)
	defer os.RemoveAll(dir)
	certFile, keyFile := wptest.WriteCertificate(t, t.TempDir(), "gazette.example")
	top := fmt.Sprintf("listen = [\"127.0.0.1:0\", \"plain:127.0.0.1:0\", %q]\nh2c = true\ntrusted_proxies = []\nsocket_mode = "+
		"\"0600\"\ntls_cert = %q\ntls_key = %q", "unix:"+dir+"/w.sock", certFile, keyFile)
	config := front(t, top, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("X-Forwarded-Proto"), " ", r.Header.Get("X-Forwarded-For"), " ", r.Proto)
	})
	d := spawn(t, config, nil)
	secure := match(t, &d.log, `listening.* address=(\S+) for="sitemaps and proxy" tls=true`)
	plain := match(t, &d.log, `listening.* address=(\S+) for="sitemaps and proxy" tls=false`)
	socket := match(t, &d.log, `listening.* address=(unix:\S+)`)
	if !strings.HasSuffix(socket, "/w.sock") {
		t.Error(socket)
	}
	protocols := func(set func(*http.Protocols, bool)) *http.Protocols {
		p := new(http.Protocols)
		set(p, true)
		return p
	}
	trusting := &tls.Config{InsecureSkipVerify: true}
	for _, test := range []struct {
		rule, url string
		transport *http.Transport
		proto     string
		page      string
	}{
		{
			"HTTP/2", "https://" + secure, &http.Transport{TLSClientConfig: trusting, Protocols: protocols((*http.Protocols).SetHTTP2)},
			"HTTP/2.0", "https 127.0.0.1 HTTP/1.1",
		},
		{"HTTP/2 without TLS", "http://" +
			plain, &http.Transport{Protocols: protocols((*http.Protocols).SetUnencryptedHTTP2)}, "HTTP/2.0", "http 127.0.0.1 HTTP/1.1"},
		{"a Unix socket", "http://x", &http.Transport{Dial: func(_,
			_ string) (net.Conn, error) {
			return net.Dial("unix", strings.TrimPrefix(socket, "unix:"))
		}}, "HTTP/1.1", "http  HTTP/1.1"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			defer test.transport.CloseIdleConnections()
			for path, want := range map[string]string{"/about/": test.page, "/sitemap_index.xml": "<sitemapindex"} {
				r, err := http.NewRequest("GET", test.url+path, nil)
				wptest.Must(t, err)
				r.Host = "gazette.example"
				resp, err := test.transport.RoundTrip(r)
				wptest.Must(t, err)
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), want) || resp.Proto != test.proto {
					t.Errorf("%s: %d %s %.200s, %v", path, resp.StatusCode, resp.Proto, body, err)
				}
			}
		})
	}
}

func TestPasswordStaysIn(t *testing.T) {
	t.Parallel()
	const password = "hunter2-secret"
	p := start(t, nil, "serve", "--config", write(t, t.TempDir(), "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\nlog_level = \"debug\"\n"+
		siteTOML("a", "u:"+password+"@tcp(127.0.0.1:1)/db", "hosts = [\"a.test\"]")))
	match(t, &p.stderr, `(site cannot be read)`)
	admin := "http://" + match(t, &p.stderr, `listening.* address=(\S+) for=admin`)
	for _, page := range []string{"/sites/a", "/metrics", "/explain.json?url=https://a.test/"} {
		if _, text := get(t, admin+page, "localhost"); text == "" || strings.Contains(text+p.stderr.String(), password) {
			t.Errorf("the password is in the log or on %s:\n%s%s", page, &p.stderr, text)
		}
	}
}

// If the DSN asks for TLS, the server of a database is verified. Only an explicit word switches that off.
func TestTLSToTheDatabase(t *testing.T) {
	t.Parallel()
	const password = "hunter2-secret"
	s := wptest.OwnServer(t)
	database, err := mysql.ParseDSN(s.Load(t, "basic"))
	wptest.Must(t, err)
	wptest.Exec(t, s.DSN+"mysql", "CREATE USER tls@'%' IDENTIFIED BY '"+password+"' REQUIRE SSL", "GRANT SELECT ON `"+database.DBName+"`.* TO tls@'%'")
	for _, tt := range []struct {
		rule, host, tls, authorities string
		code                         int
		says                         string
	}{
		{"of a known authority, for this name", "localhost", "?tls=true", s.Certificate(), 0, "sitemaps"},
		{"of an unknown authority", "localhost", "?tls=true", "", 1, "If its authority is not one of the system's"},
		{"for another name", "127.0.0.1", "?tls=true", s.Certificate(), 1, "check that the certificate is for this host name"},
		{"not looked at, where that is said", "127.0.0.1", "?tls=skip-verify", "", 0, "sitemaps"},
		{"no TLS, which this account needs", "localhost", "", s.Certificate(), 1, "check user and password"},
	} {
		dsn := fmt.Sprintf("tls:%s@tcp(%s:%d)/%s%s", password, tt.host, s.Port, database.DBName, tt.tls)
		c := exec.Command(os.Args[0], "check", "--config", write(t, t.TempDir(), siteTOML("a", dsn, "")))
		c.Env = append(os.Environ(), "WPSITEMAPD_TEST_CHILD=1")
		if tt.authorities != "" {
			c.Env = append(c.Env, "SSL_CERT_FILE="+tt.authorities)
		}
		out, _ := c.CombinedOutput() // its exit code is looked at
		expect.Equal(t, c.ProcessState.ExitCode(), tt.code, tt.rule, out)
		expect.Contains(t, string(out), tt.says, tt.rule, out)
		if strings.Contains(string(out), password) {
			t.Errorf("%s: the password is printed\n%s", tt.rule, out)
		}
	}
}

// hostile are lines of a wp-config.php of which each would let $stolen hold what is another's, or would stop whoever reads the file.
// Tests of wp/wpconfig have every way; here is one of a kind.
var hostile = map[string]string{
	"content": `$stolen = file_get_contents(dirname(__DIR__, 2) . '/victim/htdocs/wp-config.php') . file_get_contents('/proc/self/environ');`,
	"getenv": `$stolen = getenv('SECRET_TOKEN') . getenv('DB_SHARED_PASSWORD') . ` +
		`$_ENV['WPSITEMAPD_ADMIN_TOKEN'] . $_SERVER['CREDENTIALS_DIRECTORY'];`,
	"docker":     `$stolen = getenv_docker('WORDPRESS_DB_PASSWORD', 'none');`,
	"includes":   `include dirname(__DIR__, 2) . '/victim/htdocs/wp-config.php'; $stolen = DB_PASSWORD;`,
	"fifo":       `include __DIR__ . '/pipe'; $stolen = file_get_contents(__DIR__ . '/pipe');`,
	"dbofvictim": `define('FQDB', dirname(__DIR__, 2) . '/victim/htdocs/site.sqlite'); $stolen = 'none';`,
	"configfifo": "",
}

// unreadable are those that have no site of their own to serve.
var unreadable = map[string]bool{"dbofvictim": true, "configfifo": true}

// tenants makes installs of hostile people beside two of others, and returns the folder.
func tenants(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	wptest.Must(t, err)
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) {
		t.Helper()
		wptest.Must(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		wptest.Must(t, os.WriteFile(at(name), []byte(text), 0o600))
	}
	install := func(name, code string) {
		t.Helper()
		put(name+"/htdocs/wp-config.php", "<?php\n"+code+`
			define('WP_CONTENT_URL', 'https://cdn.example/' . $stolen);
			define('DB_ENGINE', 'sqlite'); define('DB_DIR', __DIR__); define('DB_FILE', 'site.sqlite'); $table_prefix = 'wp_';`)
		wptest.Must(t, sample.Create(t.Context(), at(name+"/htdocs/site.sqlite"), "https://"+name+".example"))
	}
	install("good", `require dirname(__DIR__) . '/own.php'; $stolen = env('OWN') . SHARED;`)
	put("good/own.php", "<?php define('SHARED', '-shared');")
	put("good/.env", "OWN=mark\n")
	install("victim", `define('DB_PASSWORD', 'victim-secret'); $stolen = 'mine';`)
	for name, code := range hostile {
		install(name, code)
	}
	wptest.Must(t, os.Remove(at("configfifo/htdocs/wp-config.php")))
	for _, name := range []string{"fifo/htdocs/pipe", "configfifo/htdocs/wp-config.php"} {
		wptest.Must(t, syscall.Mkfifo(at(name), 0o600))
	}
	return dir
}

// What a wp-config.php of strangers says gets nothing of other sites or of the daemon into a sitemap, and stops
// neither its start nor its end; found by a pattern or named in the configuration.
func TestHostileTenants(t *testing.T) {
	discovered := "[[discover]]\nwp_config = \"DIR/*/htdocs/wp-config.php\"\n"
	var named strings.Builder
	fmt.Fprintln(&named, "[[site]]\nname = \"good\"\nwp_config = \"DIR/good/htdocs/wp-config.php\"")
	for name := range hostile {
		fmt.Fprintf(&named, "[[site]]\nname = %q\nwp_config = \"DIR/%s/htdocs/wp-config.php\"\n", name, name)
	}
	secret := regexp.MustCompile(`victim-secret|daemon-secret`)
	for _, tt := range []struct{ name, sites string }{{"discovered", discovered}, {"configured", named.String()}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tenants(t)
			container := filepath.Join(t.TempDir(), "password")
			wptest.Must(t, os.WriteFile(container, []byte("daemon-secret"), 0o600))
			config := write(t, t.TempDir(), "listen = \"127.0.0.1:0\"\nadmin = \"\"\n"+strings.ReplaceAll(tt.sites, "DIR", dir)+
				siteTOML("other", gazette(t), "hosts = [\"${DB_SHARED_PASSWORD}.example\"]"))
			c := spawn(t, config, []string{
				"SECRET_TOKEN=daemon-secret", "WPSITEMAPD_ADMIN_TOKEN=daemon-secret", "CREDENTIALS_DIRECTORY=/daemon-secret",
				"DB_SHARED_PASSWORD=daemon-secret", "DB_PASSWORD=daemon-secret", "WORDPRESS_DB_PASSWORD_FILE=" + container,
			})
			address := "http://" + match(t, &c.log, `listening.* address=(\S+)`)
			fetch := func(site string) (all string) {
				var status int
				var index string
				wptest.Eventually(t, site+" is served", func() bool { // many sites are read at once
					status, index = get(t, address+"/sitemap_index.xml", site+".example")
					return status == http.StatusOK || unreadable[site]
				}, &c.log)
				for _, m := range regexp.MustCompile(`<loc>https://[^/]*(/[^<]*)</loc>`).FindAllStringSubmatch(index, -1) {
					_, page := get(t, address+m[1], site+".example")
					all += page
				}
				return all
			}
			if all := fetch("good"); !strings.Contains(all, "<image:loc>https://cdn.example/mark-shared/uploads/") {
				t.Errorf("the site that reads its own files has no image below its WP_CONTENT_URL\n%.2000s\n%s", all, &c.log)
			}
			for name := range hostile {
				expect.Equal(t, secret.FindString(fetch(name)), "", name, "shows a")
			}
			c.Signal(syscall.SIGTERM)
			expect.Equal(t, c.Code(t), 0, "exit code")
			expect.Equal(t, regexp.MustCompile(`victim-secret|=daemon-secret`).FindString(c.log.String()), "", "the log shows", &c.log)
		})
	}
}

// agency is a folder of installs, found by [[discover]].
type agency struct {
	t    *testing.T
	dir  string
	head string // of the configuration
	tail string
}

func newAgency(t *testing.T, head string) *agency {
	a := &agency{t: t, dir: t.TempDir(), head: head}
	a.write()
	return a
}

func (a *agency) config() string { return filepath.Join(a.dir, "wpsitemapd.toml") }

func (a *agency) write() {
	a.t.Helper()
	write(a.t, a.dir, "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n"+a.head+
		"\n[defaults]\nrefresh = \"1s\"\n[[discover]]\nwp_config = \"www/*/wp-config.php\"\n"+a.tail)
}

func (a *agency) folder(name string) string   { return filepath.Join(a.dir, "www", name) }
func (a *agency) database(name string) string { return filepath.Join(a.folder(name), ".ht.sqlite") }

// install makes one whose posts have their names with a prefix.
func (a *agency) install(name, home, prefix string) {
	a.t.Helper()
	wptest.Must(a.t, os.MkdirAll(a.folder(name), 0o755))
	if home != "" {
		wptest.Must(a.t, sample.Create(a.t.Context(), a.database(name), home))
		wptest.Exec(a.t, "sqlite:"+a.database(name), "UPDATE wp_posts SET post_name = '"+prefix+"' || post_name WHERE post_type = 'post'")
	}
	text := "<?php\ndefine('DB_ENGINE', 'sqlite');\ndefine('FQDB', '" + a.database(name) + "');\n$table_prefix = 'wp_';\n"
	path := filepath.Join(a.folder(name), "wp-config.php")
	wptest.Must(a.t, os.WriteFile(path+".new", []byte(text), 0o600))
	a.rename(path+".new", path)
}

func (a *agency) rename(from, to string) {
	a.t.Helper()
	wptest.Must(a.t, os.Rename(from, to))
}

// running is a daemon on an agency's installs.
type running struct {
	*program
	t             *testing.T
	public, admin string
}

func (a *agency) start() *running {
	a.t.Helper()
	p := start(a.t, nil, "serve", "--config", a.config())
	return &running{
		p, a.t,
		"http://" + match(a.t, &p.stderr, `msg=listening address=(\S+) for="sitemaps`),
		"http://" + match(a.t, &p.stderr, `msg=listening address=(\S+) for=admin`),
	}
}

func (r *running) end() {
	r.t.Helper()
	r.stop()
	if code := r.wait(r.t); code != 0 {
		r.t.Fatalf("exit code %d\n%s", code, &r.stderr)
	}
}

// until asks a host for its posts until an answer is as wanted, which none of the others forbid.
func (r *running) until(what, host string, want func(status int, body string) bool, never string) {
	r.t.Helper()
	status, body := 0, ""
	wptest.Eventually(r.t, what, func() bool {
		status, body = get(r.t, r.public+"/post-sitemap.xml", host)
		if never != "" && strings.Contains(body, never) {
			r.t.Fatalf("%s: %d with %s\n%s", what, status, never, &r.stderr)
		}
		return want(status, body)
	}, &status, &body, &r.stderr)
}

func has(text string) func(int, string) bool {
	return func(status int, body string) bool { return status == http.StatusOK && strings.Contains(body, text) }
}

func is(want int) func(int, string) bool {
	return func(status int, _ string) bool { return status == want }
}

const (
	liveHost = "client3.example.net"
	liveHome = "https://" + liveHost
)

// metric returns the value of a series.
func (r *running) metric(series string) string {
	r.t.Helper()
	_, body := get(r.t, r.admin+"/metrics", "localhost")
	for line := range strings.Lines(body) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// A copy of an install that still has the address of the original, in a folder that sorts before
// it, never gets the host: not when it comes, and not at a restart, whatever can be read by then.
func TestCopiedInstallNeverTakesOver(t *testing.T) {
	t.Parallel()
	a := newAgency(t, `state = "state"`)
	a.install("client3", liveHome, "real-") // and so nothing but memory tells
	d := a.start()
	d.until("alone", liveHost, has("/real-"), "")
	a.install("aaa-copy", liveHome, "staging-")
	match(t, &d.stderr, `several sites claim one host" host=(\S+) path=/ conflict="is claimed by site aaa-copy, too, but belongs to site client3`)
	d.until("with the copy", liveHost, has("/real-"), "/staging-")
	for _, site := range []string{"client3", "aaa-copy"} {
		expect.Equal(t, d.metric(`wpsitemapd_host_conflict{site="`+site+`"}`), "1", "wpsitemapd_host_conflict of", site)
	}
	if status, page := get(t, d.admin+"/", "localhost"); status != 200 ||
		!strings.Contains(page, "but belongs to site client3") || !strings.Contains(page, "is claimed by site aaa-copy, too") {
		t.Errorf("status page: %d %s", status, page)
	}
	d.end()

	d = a.start()
	d.until("after a restart", liveHost, has("/real-"), "/staging-")
	match(t, &d.stderr, `is claimed by site aaa-copy, too, but belongs to site (client3)`)
	d.until("with both read", liveHost, has("/real-"), "/staging-")
	d.end()

}

// With several sites in front and no database, websites are up: what cannot be a sitemap goes
// to the upstream.
func TestWebsitesWithoutDatabases(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "PHP for %s%s", r.Host, r.URL.Path) }))
	defer upstream.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the other upstream") }))
	defer other.Close()
	dead := "define('DB_ENGINE', 'mysql'); define('DB_HOST', '127.0.0.1:1'); define('DB_USER', 'x'); define('DB_PASSWORD', 'x'); define('DB_NAME', 'x');"
	mysql := func(a *agency, name, more string) {
		t.Helper()
		wptest.Must(t, os.MkdirAll(a.folder(name), 0o755))
		if err := os.WriteFile(filepath.Join(a.folder(name), "wp-config.php"),
			[]byte("<?php\n"+dead+"\n$table_prefix = 'wp_';\n"+more), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	a := newAgency(t, "")
	mysql(a, "home", "define('WP_HOME', 'https://home.example');")
	mysql(a, "site", "define('WP_SITEURL', 'https://site.example/wp');")
	mysql(a, "network", "define('MULTISITE', true); define('DOMAIN_CURRENT_SITE', 'network.example'); define('PATH_CURRENT_SITE', '/');")
	mysql(a, "folder.example", "")
	a.tail = fmt.Sprintf("db_hosts = \"127.0.0.1:1\"\nupstream = %q\n[[site]]\nname = \"elsewhere\"\ndsn = "+
		"\"x:x@tcp(127.0.0.1:1)/x\"\nhome = \"https://elsewhere.example\"\nupstream = %q\n", upstream.URL, other.URL)
	a.write()
	d := a.start()
	match(t, &d.stderr, `(some sites were not read yet, so their hosts are not known)`)
	for host, want := range map[string]string{
		"home.example": "PHP for home.example/", "site.example": "PHP for site.example/", "network.example": "PHP for network.example/",
		"folder.example": "PHP for folder.example/", "elsewhere.example": "the other upstream",
	} {
		if status, body := get(t, d.public+"/", host); status != 200 || body != want {
			t.Errorf("%s: %d %q, want %q", host, status, body, want)
		}
		if status, _ := get(t, d.public+"/sitemap_index.xml", host); status != 503 {
			t.Errorf("the sitemap of %s: %d", host, status)
		}
	}
	d.end()
}

// checked runs check and returns its exit code with what it calls trouble.
func (a *agency) checked() (code int, r check.Report, text string) {
	a.t.Helper()
	code, r = checkFile(a.t, a.config())
	second, text, _ := run(a.t, nil, "check", "--rate", "1000", "--config", a.config())
	expect.Equal(a.t, second, code, "exit code", "with --json")
	return code, r, text
}

// Everything about which an operator has to do something is trouble.
func TestCheckTrouble(t *testing.T) {
	t.Parallel()
	alive := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(alive.Close)
	for _, test := range []struct {
		rule string
		set  func(a *agency)
		want string // of one line; "": no trouble
	}{
		{"an upstream that answers", func(a *agency) { a.tail = fmt.Sprintf("upstream = %q\n", alive.URL) }, ""},
		{"a dead upstream", func(a *agency) { a.tail = "upstream = \"http://127.0.0.1:1\"\n" }, "TROUBLE: upstream http://127.0.0.1:1 does not answer"},
		{"a folder state that can be made", func(a *agency) { a.head = `state = "some/where"` }, ""},
		{"a state that is a file", func(a *agency) { a.head = `state = "wpsitemapd.toml"` }, "TROUBLE: state "},
		{"a state below a file", func(a *agency) { a.head = `state = "wpsitemapd.toml/state"` }, "TROUBLE: state "},
		{"a Redis that does not answer", func(a *agency) { a.head = `state = "redis://127.0.0.1:1/0"` }, "TROUBLE: state "},
		{
			"a pattern without a match", func(a *agency) { a.tail = "[[discover]]\nwp_config = \"nowhere/*/wp-config.php\"\n" },
			"TROUBLE: [[discover]] in line",
		},
		{"two sites with one address", func(a *agency) { a.install("copy", liveHome, "staging-") }, "TROUBLE: " + liveHost + "/ is claimed by site"},
		{"two sites with one address, of which one is named", func(a *agency) {
			a.install("copy", liveHome, "staging-")
			a.tail = "[[site]]\nname = \"live\"\nwp_config = \"www/client3/wp-config.php\"\nhosts = [\"" + liveHost + "\"]\n"
		}, ""},
		{
			"two sites in folders of one host", func(a *agency) { a.install("second", liveHome+"/second", "") },
			`to share it, write hosts = ["` + liveHost + `"] in [discover.site.client3] and home = "` + liveHome + `/second" in [discover.site.second]`,
		},
		{"two sites in folders of one host, as the configuration says", func(a *agency) {
			a.install("second", liveHome+"/second", "")
			a.tail = "[discover.site.client3]\nhosts = [\"" + liveHost + "\"]\n[discover.site.second]\nhome = \"" + liveHome + "/second\"\n"
		}, ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			a := newAgency(t, "")
			a.install("client3", liveHome, "real-")
			test.set(a)
			a.write()
			code, r, text := a.checked()
			if want := test.want == ""; (code == 0) != want || r.OK != want {
				t.Errorf("exit code %d, ok %v\n%s", code, r.OK, text)
			}
			if got := strings.Contains(text, "TROUBLE"); got != (test.want != "") ||
				!strings.Contains(text, test.want) || got && !strings.Contains(text, "; ") {
				t.Errorf("want %q with what to do:\n%s", test.want, text)
			}
		})
	}
}

// Several sites are a table, those in trouble first.
func TestCheckOfSeveral(t *testing.T) {
	t.Parallel()
	a := newAgency(t, "")
	a.install("alpha", "https://alpha.example", "")
	a.install("beta", "https://beta.example", "")
	a.install("broken", "", "")
	a.write()
	code, r, text := a.checked()
	if code != 1 || len(r.Sites) != 3 || r.Sites[0].Name != "alpha" {
		t.Errorf("exit code %d, %+v", code, r)
	}
	lines := strings.Split(text, "\n")
	for i, want := range []string{
		`^site +state +URLs +files +excluded +sitemaps +home$`, `^broken +TROUBLE +0 +0 +0 +none +-$`,
		`^alpha +good +[1-9]\d+ +\d+ +\d+ +\S.* +https://alpha\.example$`, `^beta +good `, `^$`, `^site broken$`, `^  TROUBLE: `, `^$`,
		`^3 sites checked, trouble with 1\.$`, `^--site NAME prints`,
	} {
		if !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Errorf("line %d is %q, want %s", i+1, lines[i], want)
		}
	}
	_, text, _ = run(t, nil, "check", "--config", a.config(), "--verbose")
	if !strings.HasPrefix(text, lines[0]) || !strings.Contains(text, "\nsite beta\n") {
		t.Errorf("--verbose:\n%s", text)
	}
}

// What make builds depends on no library of the system, even if there is a C compiler.
func TestBuildsWithoutC(t *testing.T) {
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("there is no make")
	}
	cmd := exec.Command(program, "--silent", "build", "RACE=", "GO=echo C is $$CGO_ENABLED: go")
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "CGO_ENABLED=1") // make may run this test, with the race detector
	out, err := cmd.CombinedOutput()
	wptest.Must(t, err)
	expect.Equal(t, string(out), "C is 0: go build -o wpsitemapd .\n", "make build runs")
}

// A change that needs a restart is told with the keys it is about, once, and not when it is taken back.
func TestChangeThatNeedsARestart(t *testing.T) {
	t.Parallel()
	a := newAgency(t, "drain = \"1s\"")
	a.install("client3", liveHome, "real-")
	d := a.start()
	d.until("up", liveHost, is(200), "")
	const told = "some changed keys take effect only after a restart"
	reloads := func(n string) {
		t.Helper()
		wptest.Eventually(t, n+" reloads", func() bool { return d.metric(`wpsitemapd_config_reloads_total{result="ok"}`) == n }, &d.stderr)
	}
	set := func(head string) {
		t.Helper()
		a.head = head
		a.write()
	}
	set("drain = \"1s\"\nh2c = true")
	expect.Equal(t, match(t, &d.stderr, told+`" keys=("[^"]*"|\S+)`), "h2c", "keys")
	reloads("1")
	set("drain = \"2s\"")
	reloads("2")
	expect.Equal(t, strings.Count(d.stderr.String(), told), 1, "told", "times", &d.stderr)
	d.end()
}
