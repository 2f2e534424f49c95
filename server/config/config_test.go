package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wpsitemapd/server/listen"
	"wpsitemapd/server/proxy"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Each file of testdata/bad contains one mistake. Its first line says what is reported: the line, if there is one, and the message.
func TestBadConfigs(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.toml")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".toml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			wptest.Must(t, err)
			first, _, _ := strings.Cut(string(text), "\n")
			want := strings.TrimPrefix(first, "# ")
			_, err = Load(file)
			bad, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("error is %v, want a *Error", err)
			}
			got := make([]string, len(bad.Problems))
			for i, p := range bad.Problems {
				got[i] = p.String()
				if p.Line > 0 {
					got[i] = fmt.Sprintf("%d: %s", p.Line, p)
				}
			}
			expect.Same(t, []string{want}, got)
			if strings.Contains(err.Error(), "topsecret") {
				t.Errorf("the password is in %q", err)
			}
		})
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := Parse(`
log = "xml"
colour = "red"
[[site]]
name = "a"
page_size = 0
compat = "x"
[[site]]
name = "a"
dsn = "u@/db"
`, "c.toml", "/etc")
	want := `c.toml:2: log = "xml": must be "text" or "json"
c.toml:3: colour: unknown key; the keys of a site belong below [[site]] or [defaults]
c.toml:4: site "a": wp_config: a site needs wp_config or dsn, to find its database
c.toml:6: site "a": page_size = 0: must be a whole number from 1 to 50000
c.toml:7: site "a": compat = "x": must be "spec" or "plugin"
c.toml:8: site "a": name: the site in line 4 has the same name`
	if err == nil {
		t.Fatal("no error")
	}
	expect.Same(t, want, err.Error())
}

func TestMinimalConfigHasDefaults(t *testing.T) {
	c, err := Load("testdata/good/minimal.toml")
	wptest.Must(t, err)
	want := Config{
		Listening: Default().Listening, StateSize: 1 << 30, CacheSize: 64 << 20, Log: "text", LogLevel: slog.LevelInfo, VerifyCrawlers: true, CountTraffic: true,
		Sites: []Site{{Name: "example", WPConfig: "/nonexistent/wp-config.php", UpstreamTimeout: 10 * time.Minute,
			Sitemaps: "auto", Compat: "spec", Stylesheet: "css", Hreflang: true, HTML: true, Prerender: true, Formats: Formats{Gzip: true},
			CacheControl: "max-age=0, must-revalidate", Refresh: 30 * time.Second, Collapse: 0.5,
			Confirm: 10 * time.Minute, IndexNow: IndexNow{Endpoint: "https://api.indexnow.org/indexnow"},
			Hints:     seo.Hints{PostTypes: map[string]urlset.Hints{}, Taxonomies: map[string]urlset.Hints{}},
			Overrides: registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{}, Taxonomies: map[string]registry.TaxonomyOverride{}},
			Exclude:   seo.Exclude{Types: map[string]seo.TypeExclude{}}, line: 1}},
	}
	unexported := cmp.AllowUnexported(Config{}, Site{}, Formats{}, proxy.Upstream{}, proxy.Trust{})
	if diff := cmp.Diff(want, *c, unexported, cmpopts.IgnoreFields(Site{}, "written")); diff != "" {
		t.Error(diff)
	}
}

func TestFullConfig(t *testing.T) {
	c, err := Load("testdata/good/full.toml")
	wptest.Must(t, err)
	dir, err := filepath.Abs("testdata/good")
	wptest.Must(t, err)
	first, second := c.Sites[0], c.Sites[1]
	yes, no, text := new(bool), new(bool), func(s string) *string { return &s }
	*yes = true
	var cdn proxy.Trust
	for _, entry := range []string{"loopback", "173.245.48.0/20"} {
		wptest.Must(t, cdn.Add(entry))
	}
	for _, check := range []struct {
		rule      string
		got, want any
	}{
		{"state is relative to the file", c.State.Reveal(), dir + "/state"},
		{"a list of addresses", c.Listen, []listen.Address{"127.0.0.1:8080", "unix:/run/wpsitemapd/w.sock", "systemd:web"}},
		{"a port alone, for this machine only", c.Admin, []listen.Address{"127.0.0.1:9090"}},
		{"a token", c.AdminToken.Reveal(), "a-token-of-some-length"},
		{"an access log", c.AccessLog, true},
		{"mode of sockets", c.SocketMode, fs.FileMode(0o666)},
		{"HTTP/2 without TLS", c.H2C, true},
		{"time to drain", c.Drain, 90 * time.Second},
		{"front servers replace the default", c.Trusted, cdn},
		{"an upstream by socket", first.Upstream.String(), "unix:/run/php-site.sock"},
		{"no time limit for it", first.UpstreamTimeout, time.Duration(0)},
		{"a size", c.StateSize, Size(2 << 30)},
		{"another", c.CacheSize, Size(100 << 20)},
		{"a share, written as a whole number", first.Collapse, 0.0},
		{"log level", c.LogLevel, slog.LevelDebug},
		{"wp_config is relative to the file", first.WPConfig, dir + "/first/wp-config.php"},
		{"a path inside a dsn is relative to the file", second.DSN.Reveal(), "sqlite:" + dir + "/db/.ht.sqlite"},
		{"a MySQL dsn stays", first.DSN.Reveal(), "user:topsecret@unix(/run/mysqld/mysqld.sock)/first"},
		{"hosts are in lower case and without brackets", first.Hosts, []Host{"first.example.test", "10.0.0.1", "2001:db8::1"}},
		{"home has no slash at its end", first.Home, Home("https://first.example.test/blog")},
		{"a site's word beats the defaults", first.PageSize, 50000},
		{"defaults hold where a site is silent", second.PageSize, 500},
		{"a default text", first.Compat, "plugin"},
		{"beaten by the second site", second.Compat, "spec"},
		{"a default duration", second.Refresh, time.Minute},
		{"a default upstream", second.Upstream.String(), "http://127.0.0.1:8081"},
		{"post type overrides merge with the defaults, key by key", first.Overrides.PostTypes["song"], registry.PostTypeOverride{
			Public:       yes,
			Slug:         text("songs"),
			ArchiveSlug:  text("all-songs"),
			QueryVar:     text(""),
			Viewable:     yes,
			Hierarchical: no,
			Exclude:      no,
			WithFront:    no}},
		{
			"a site does not change the defaults of the next", second.Overrides.PostTypes["song"],
			registry.PostTypeOverride{Public: yes, Slug: text("songs")},
		},
		{"taxonomy overrides", first.Overrides.Taxonomies["mood"], registry.TaxonomyOverride{
			Public: yes, Hierarchical: yes, Exclude: yes, Slug: text("moods"), WithFront: yes, ObjectTypes: []string{"song", "post"}, QueryVar: text("m")}},
		{"a compressed file can be had at level plugin", first.Formats, Formats{Gzip: true}},
		{"and is by default at level spec; formats merge, too", second.Formats, Formats{Gzip: true, Text: true, Atom: true}},
		{"images elsewhere, the longest beginning first", first.Images, seo.Images{
			Meta:    []string{"gallery_ids"},
			Replace: []seo.Replacement{{Old: "https://a.test/u/long", New: "https://cdn.test/u"}, {Old: "https://a.test/u", New: "https://b.test"}}}},
		{"hints merge with the defaults, key by key", first.Hints.PostTypes["song"], urlset.Hints{ChangeFreq: "weekly", Priority: "0.0"}},
		{"a site does not change the default hints", second.Hints.PostTypes["song"], urlset.Hints{ChangeFreq: "weekly", Priority: "0.25"}},
		{"news merge with the defaults, key by key", first.News, seo.News{
			Enabled: seo.SwitchedOn, Publication: "The Quay", Language: "zh-tw", PostTypes: []string{"post", "report"}, ExcludeTerms: []int64{5},
		}},
		{"a site does not change the default news", second.News, seo.News{Publication: "The Quay", PostTypes: []string{"post", "report"}}},
		{"videos", []seo.Video{first.Video, second.Video}, []seo.Video{{Enabled: seo.SwitchedOff}, {PostTypes: []string{"post"}}}},
		{"hints of a taxonomy", first.Hints.Taxonomies["mood"], urlset.Hints{ChangeFreq: "never"}},
		{"hints of authors", first.Hints.Authors, urlset.Hints{Priority: "1.0"}},
		{"the default Cache-Control", first.CacheControl, "max-age=0, must-revalidate"},
		{"no Cache-Control", second.CacheControl, ""},
		{
			"announcements merge with the defaults, key by key", first.IndexNow,
			IndexNow{Key: "first-Key-0", Endpoint: "https://www.bing.com/indexnow"},
		},
		{
			"announcements by the defaults", second.IndexNow,
			IndexNow{Key: "9f86d081884c7d65", Endpoint: "https://www.bing.com/indexnow", DryRun: true},
		},
		{"crawlers are not verified", c.VerifyCrawlers, false},
		{"traffic is not counted", c.CountTraffic, false},
		{"excluded posts", first.Exclude.PostIDs, []int64{12, 99}},
		{"excluded patterns of the defaults", first.Exclude.URLs[0].String(), "/private/"},
	} {
		if diff := cmp.Diff(check.want, check.got, cmp.AllowUnexported(Formats{}, proxy.Trust{}), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
			t.Errorf("%s: %s", check.rule, diff)
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if s := fmt.Sprintf(verb, first); strings.Contains(s, "topsecret") {
			t.Errorf("%s prints the password: %s", verb, s)
		}
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "dsn", first.DSN, "site", first)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "dsn", first.DSN, "site", first)
	if strings.Contains(log.String(), "topsecret") || !strings.Contains(log.String(), "***") {
		t.Errorf("log holds %s", log.String())
	}
}

// Secrets come from files and from the environment, and are printed nowhere.
func TestSecrets(t *testing.T) {
	t.Setenv("WPSITEMAPD_TEST_PASSWORD", "topsecret")
	t.Setenv("WPSITEMAPD_TEST_HOST", "www.a.test")
	t.Setenv("WPSITEMAPD_TEST_EMPTY", "")
	c, err := Parse(`[[site]]
name = "a"
dsn = "u:${WPSITEMAPD_TEST_PASSWORD}$${x}${WPSITEMAPD_TEST_UNSET:-$y$}@tcp(127.0.0.1:3306)/a"
hosts = ["${WPSITEMAPD_TEST_HOST:-no.test}", "b.test", "${WPSITEMAPD_TEST_UNSET:-c}.test", "${WPSITEMAPD_TEST_EMPTY:-d.test}"]
home = "https://${WPSITEMAPD_TEST_HOST}"
exclude.urls = ["^/$"]
[site.post_type.song]
slug = "${WPSITEMAPD_TEST_HOST}"
[[site]]
name = "b"
dsn_file = "secret"
`, "c.toml", "testdata")
	wptest.Must(t, err)
	a, b := c.Sites[0], c.Sites[1]
	if a.DSN.Reveal() != "u:topsecret${x}$y$@tcp(127.0.0.1:3306)/a" ||
		a.Home != "https://www.a.test" || *a.Overrides.PostTypes["song"].Slug != "www.a.test" {
		t.Errorf("%q %q", a.DSN.Reveal(), a.Home)
	}
	expect.Same(t, []Host{"www.a.test", "b.test", "c.test", "d.test"}, a.Hosts)
	expect.Equal(t, b.DSN.Reveal(), "u:topsecret@tcp(127.0.0.1:3306)/a")
	expect.Equal(t, b.DSNFile, filepath.Join("testdata", "secret"))
	if s := fmt.Sprintf("%+v %#v", c.Sites, c.Sites); strings.Contains(s, "topsecret") {
		t.Errorf("printed: %s", s)
	}

	// In every message, a value is shown as it was written, so that no secret appears.
	_, err = Parse(`listen = "${WPSITEMAPD_TEST_PASSWORD}"
state = "${WPSITEMAPD_TEST_PASSWORD}"
log = "${WPSITEMAPD_TEST_PASSWORD}"
[defaults]
table_prefix = "a-${WPSITEMAPD_TEST_PASSWORD}"
[[site]]
name = "x ${WPSITEMAPD_TEST_PASSWORD}"
dsn = "${WPSITEMAPD_TEST_PASSWORD}"
compat = "${WPSITEMAPD_TEST_PASSWORD}"
hosts = ["${WPSITEMAPD_TEST_PASSWORD}/", "a/b"]
home = "${WPSITEMAPD_TEST_PASSWORD}"
upstream = "${WPSITEMAPD_TEST_PASSWORD}"
refresh = "${WPSITEMAPD_TEST_PASSWORD}"
exclude.urls = ["(${WPSITEMAPD_TEST_PASSWORD}"]
taxonomy.t.object_types = ["+${WPSITEMAPD_TEST_PASSWORD}"]
[[site]]
name = "b"
dsn_file = "${WPSITEMAPD_TEST_PASSWORD}"
[[discover]]
wp_config = "[${WPSITEMAPD_TEST_PASSWORD}"
`, "c.toml", "/etc")
	if err == nil || strings.Contains(err.Error(), "topsecret") || strings.Count(err.Error(), "\n") < 13 {
		t.Error(err)
	}
	want := `c.toml:10: site "x ${WPSITEMAPD_TEST_PASSWORD}": hosts = "a/b": must be a host name alone, without scheme, port or path`
	expect.Contains(t, err.Error(), want, "is not in", err)
}

// A file with a secret that is larger than the bound is an error, and no part of it counts as the secret.
func TestSecretsBeyondTheBound(t *testing.T) {
	for _, tt := range []struct {
		rule, text, want string
	}{
		{"at the bound", strings.Repeat("x", maxSecret), ""},
		{"one byte more", strings.Repeat("x", maxSecret+1), "larger than 64KB"},
		{"a secret, and spaces beyond the bound", "0123456789abcdef" + strings.Repeat(" ", maxSecret), "larger than 64KB"},
	} {
		dir := t.TempDir()
		wptest.Must(t, os.WriteFile(filepath.Join(dir, "secret"), []byte(tt.text), 0o600))
		_, err := Parse("admin_token_file = \"secret\"\n[[site]]\nname = \"a\"\ndsn = \"u@unix(/s)/d\"", "c.toml", dir)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.rule, err, tt.want)
		}
	}
}

// There is a warning about a file that everybody may write, and about a file with a password that everybody may read.
func TestFilesForEverybody(t *testing.T) {
	t.Setenv("WPSITEMAPD_TEST_PASSWORD", "topsecret")
	const site = "\n[[site]]\nname = \"a\"\n"
	for _, test := range []struct {
		rule, text   string
		mode, secret fs.FileMode // of the configuration, and of the file that it names
		want         string      // what the warning says
	}{
		{"a DSN with a password", site + `dsn = "u:topsecret@tcp(h:1)/d"`, 0o644, 0, "the password in c.toml:"},
		{"of the defaults", "[defaults]\ndsn = \"u:topsecret@tcp(h:1)/d\"" + site, 0o644, 0, "the password in c.toml:"},
		{"a token", `admin_token = "0123456789abcdef"` + site + `wp_config = "/x"`, 0o644, 0, "the password in c.toml:"},
		{"the address of a Redis", `state = "redis://:topsecret@127.0.0.1"` + site + `wp_config = "/x"`, 0o644, 0, "the password in c.toml:"},
		{"everybody may change it", site + `wp_config = "/x"`, 0o646, 0, "write c.toml,"},
		{"everybody may change it and read its password", site + `dsn = "u:topsecret@tcp(h:1)/d"`, 0o646, 0, "write c.toml,"},
		{"everybody may change the file that it names", site + `dsn_file = "secret"`, 0o644, 0o602, "write secret,"},
		{"for its group it may be readable", site + `dsn = "u:topsecret@tcp(h:1)/d"`, 0o640, 0, ""},
		{"no password", site + `dsn = "u@unix(/s)/d"`, 0o644, 0, ""},
		{"a file of SQLite", site + `dsn = "sqlite:/a:b@c"`, 0o644, 0, ""},
		{"a password from the environment", site + `dsn = "u:${WPSITEMAPD_TEST_PASSWORD}@tcp(h:1)/d"`, 0o644, 0, ""},
		{"a comment", site + "# dsn = \"u:topsecret@tcp(h:1)/d\"\nwp_config = \"/x\"", 0o644, 0, ""},
		{"a file for everybody", site + `dsn_file = "secret"`, 0o644, 0o644, "the password in secret:"},
		{"a file for the owner", site + `dsn_file = "secret"`, 0o644, 0o600, ""},
		{"the token's file for everybody", `admin_token_file = "secret"` + site + `wp_config = "/x"`, 0o644, 0o644, "the password in secret:"},
	} {
		dir := t.TempDir()
		for name, file := range map[string]struct {
			text string
			mode fs.FileMode
		}{"c.toml": {test.text, test.mode}, "secret": {"0123456789abcdef:x@tcp(h:1)/d", test.secret}} {
			path := filepath.Join(dir, name)
			wptest.Must(t, errors.Join(os.WriteFile(path, []byte(file.text), 0o600), os.Chmod(path, file.mode)))
		}
		c, err := Load(filepath.Join(dir, "c.toml"))
		switch {
		case err != nil:
			t.Errorf("%s: %v", test.rule, err)
		case test.want == "" && len(c.Warnings) > 0,
			test.want != "" && (len(c.Warnings) != 1 || !strings.Contains(strings.ReplaceAll(c.Warnings[0], dir+"/", ""), test.want)):
			t.Errorf("%s: %q, want one with %q", test.rule, c.Warnings, test.want)
		case strings.Contains(fmt.Sprint(c.Warnings), "topsecret"):
			t.Errorf("%s: %q holds the password", test.rule, c.Warnings)
		}
	}
}

func TestDiscover(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"www/alpha/htdocs", "www/beta/htdocs", "www/gamma/public", "single"} {
		wptest.Must(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		wptest.Must(t, os.WriteFile(filepath.Join(dir, name, "wp-config.php"), nil, 0o600))
	}
	tests := []struct {
		rule, text string
		want       []string
		warnings   int
	}{
		{"every match is a site named after what the wildcard stands for", `[[discover]]
wp_config = "www/*/htdocs/wp-config.php"`, []string{"alpha", "beta"}, 0},
		{"a file of a [[site]] stays that site's", `[[site]]
name = "own"
wp_config = "www/beta/htdocs/wp-config.php"
[[discover]]
wp_config = "www/*/htdocs/wp-config.php"`, []string{"own", "alpha"}, 0},
		{"a list of patterns, of which none adds the same install twice", `[[discover]]
wp_config = ["www/b*/htdocs/wp-config.php", "www/*/*/wp-config.php", "single/wp-config.php"]`,
			[]string{"beta", "alpha-htdocs", "gamma-public", "single"}, 0},
		{"any number of folders", `[[discover]]
wp_config = "**/wp-config.php"
skip = ["www/gamma", "*/beta/*"]`, []string{"single", "www-alpha-htdocs"}, 0},
		{"what another one has the name of is called otherwise", `[[site]]
name = "single"
wp_config = "x"
[[discover]]
wp_config = "*/wp-config.php"`, []string{"single", "single-NUMBER"}, 1},
		{"own settings of an install that is not there", `[[discover]]
wp_config = "single/wp-config.php"
[discover.site.gone]
page_size = 7`, []string{"single"}, 1},
		{"a name made of that of the folder", `[[discover]]
wp_config = "www/*/htdocs/wp-config.php"
name = "client-{name}"`, []string{"client-alpha", "client-beta"}, 0},
		{"no match is a warning", `[[discover]]
wp_config = "nowhere/*/wp-config.php"`, nil, 1},
		{"a pattern may have matched nothing beside sites", `[[site]]
name = "own"
wp_config = "x"
[[discover]]
wp_config = "nowhere/*/wp-config.php"`, []string{"own"}, 1},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			c, err := Parse(test.text, "c.toml", dir)
			wptest.Must(t, err)
			var got []string
			for _, s := range c.Sites {
				got = append(got, regexp.MustCompile(`-[0-9a-f]{8}$`).ReplaceAllString(s.Name, "-NUMBER"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" || len(c.Warnings) != test.warnings {
				t.Errorf("warnings %q\n%s", c.Warnings, diff)
			}
		})
	}
}

// Operators start from the example, so it must load, also with the lines that are commented out.
func TestExampleConfig(t *testing.T) {
	text, err := os.ReadFile("../../config.example.toml")
	wptest.Must(t, err)
	c, err := Parse(string(text), "config.example.toml", "/etc")
	wptest.Must(t, err)
	want := DefaultSite()
	if got := c.Sites[0]; got.Compat != want.Compat || got.PageSize != want.PageSize ||
		got.Stylesheet != want.Stylesheet || got.Refresh != want.Refresh {
		t.Errorf("the example does not show the defaults: %+v", got)
	}
	if def := Default(); len(c.NeedsRestart(&def)) > 0 || c.Drain != def.Drain || !reflect.DeepEqual(c.Trusted, def.Trusted) ||
		c.State != def.State || c.Log != def.Log || c.LogLevel != def.LogLevel || c.VerifyCrawlers != def.VerifyCrawlers || c.CountTraffic != def.CountTraffic {
		t.Errorf("the example does not show the defaults: %+v", c)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if bare, ok := strings.CutPrefix(line, "# "); ok &&
			(strings.HasPrefix(bare, "[") && strings.HasSuffix(strings.TrimSpace(bare), "]") || strings.Contains(bare, " = ")) {
			line = bare
		}
		all = append(all, line)
	}
	whole := strings.Join(all, "")
	if c, err = Parse(whole, "config.example.toml", "/etc"); err != nil {
		t.Fatalf("%v\n%s", err, whole)
	}
	s := c.Sites[0]
	if s.Home == "" || s.Hosts == nil || s.DSN == "" || len(s.Overrides.PostTypes) != 2 ||
		len(s.Overrides.Taxonomies) != 1 || len(s.Exclude.URLs) != 1 || s.IndexNow.Key == "" || len(c.Warnings) != 2 {
		t.Errorf("a key is missing in the example: %+v", s)
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, pattern := range []string{"testdata/bad/*.toml", "testdata/good/*.toml"} {
		files, err := filepath.Glob(pattern)
		wptest.Must(f, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			wptest.Must(f, err)
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "discover") {
			return // the pattern would read the file system
		}
		c, err := Parse(text, "f.toml", "/nowhere")
		if (c == nil) == (err == nil) {
			t.Errorf("config %v, error %v", c, err)
		}
	})
}

// Under systemd, the folder that systemd makes for the service is the store, unless the configuration says otherwise.
func TestStateDirectory(t *testing.T) {
	site := "[[site]]\nname = \"a\"\ndsn = \"u:p@unix(/s)/a\"\n"
	for _, test := range []struct{ name, variable, text, want string }{
		{"the folder of systemd", "/var/lib/wpsitemapd", site, "/var/lib/wpsitemapd"},
		{"the first of several", "/var/lib/one:/var/lib/two", site, "/var/lib/one"},
		{"none", "", site, ""},
		{"a relative one, which systemd does not make", "lib", site, ""},
		{"the word of the configuration", "/var/lib/wpsitemapd", "state = \"/srv/copies\"\n" + site, "/srv/copies"},
		{"memory only", "/var/lib/wpsitemapd", "state = \"\"\n" + site, ""},
		{"a Redis", "/var/lib/wpsitemapd", "state = \"redis://127.0.0.1\"\n" + site, "redis://127.0.0.1"},
	} {
		t.Setenv("STATE_DIRECTORY", test.variable)
		c, err := Parse(test.text, "c.toml", "/etc")
		expect.Equal(t, err, nil, test.name)
		expect.Equal(t, c.State.Reveal(), test.want, test.name)
	}
}

// LoadAlone validates a file without any other file, and accepts variables that are set later.
func TestLoadAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "wpsitemapd.toml")
	for _, tt := range []struct{ rule, text, want string }{
		{"variables of systemd, and files that are not there", `
			listen = "${WPSITEMAPD_TEST_UNSET}"
			admin = "0.0.0.0:9090"
			admin_token_file = "nowhere"
			state = "${STATE_DIRECTORY}"
			tls_cert = "nowhere.pem"
			tls_key = "nowhere.key"
			[[site]]
			name = "a"
			dsn_file = "${CREDENTIALS_DIRECTORY}/dsn"
			upstream = "https://127.0.0.1"
			[[site]]
			name = "b"
			dsn_file = "nowhere"
			[[site]]
			name = "${WPSITEMAPD_TEST_UNSET}"
			wp_config = "nowhere/wp-config.php"
			[[discover]]
			wp_config = "nowhere/*/wp-config.php"`, ""},
		{"a mistake", "[[site]]\nname = \"a\"\ndsn_file = \"nowhere\"\ncompat = \"x\"", `:4: site "a": compat = "x": must be "spec" or "plugin"`},
		{"a site without a database", "[[site]]\nname = \"a\"", `:1: site "a": wp_config: a site needs wp_config or dsn, to find its database`},
		{"no site", "", `: there is no site: add a [[site]] or a [[discover]]`},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			wptest.Must(t, os.WriteFile(file, []byte(tt.text), 0o600))
			c, err := LoadAlone(file)
			if tt.want != "" {
				if err == nil || err.Error() != file+tt.want {
					t.Errorf("%v, want %s", err, tt.want)
				}
				return
			}
			if err != nil || len(c.Warnings) > 0 {
				t.Errorf("%v %q", err, c.Warnings)
			}
			if _, err := Load(file); err == nil {
				t.Error("it can be loaded, too")
			}
		})
	}
}

// What the configuration sets for a site is shown with its line and without secrets.
func TestEffective(t *testing.T) {
	const text = "[defaults]\nrefresh = \"1m\"\n[[site]]\nname = \"a\"\ndsn = \"u:sesame@tcp(localhost)/x\"\npage_size = 7\n"
	c, err := Parse(text+"[site.news]\nenabled = true\n", "c.toml", t.TempDir())
	wptest.Must(t, err)
	got := map[string]Setting{}
	for _, s := range c.Sites[0].Effective() {
		got[s.Key] = s
		if strings.Contains(s.Value, "sesame") {
			t.Errorf("a secret: %v", s)
		}
	}
	for _, want := range []Setting{
		{"refresh", `"1m"`, "line 2"}, {"dsn", `"***"`, "line 5"}, {"page_size", "7", "line 6"}, {"news.enabled", "true", "line 8"},
	} {
		expect.Equal(t, got[want.Key], want)
	}
}

// TestExcludedAndExtra checks mistakes in what is excluded and added, and what is read.
func TestExcludedAndExtra(t *testing.T) {
	const site = "[[site]]\nname = \"a\"\ndsn = \"sqlite:/x\"\n"
	for text, problem := range map[string]string{
		"[site.post_type.post]\nolder_than = \"y\"\n":                    "must be an age",
		"[site.post_type.post]\nolder_than = \"0d\"\n":                   "must be an age",
		"[site.post_type.post]\nolder_than = \"3 years\"\n":              "must be an age",
		"[site.post_type.post]\nstock = \"hide\"\n":                      "belongs below [site.post_type.product]",
		"[site.post_type.product]\nstock = \"out\"\n":                    "must be \"hide\" or \"show\"",
		"[site.post_type.post]\nsingles = \"no\"\n":                      "must be true or false",
		"[site.post_type.post]\nstatuses = [\"publish\", \"draft\"]\n":   "never auto-draft, draft, future, inherit, pending, private, trash",
		"[site.post_type.post]\nstatuses = [\"Draft\"]\n":                "never auto-draft, draft",
		"[site.post_type.post]\nstatuses = [\"private \"]\n":             "never auto-draft, draft",
		"[site.post_type.attachment]\nstatuses = [\"archived\"]\n":       "cannot be set for attachments",
		"[site.post_type.post]\nurl = \"https://a.test/blog/{year}/\"\n": "has {slug}, {id} or {path}",
		"[site.post_type.post]\nurl = \"/blog/{slug}/{month}\"\n":        "has {slug}, {id} or {path}",
		"[site.post_type.post]\nurl = \"blog/{slug}\"\n":                 "has {slug}, {id} or {path}",
		"[site.post_type.post]\nurl = \"/blog/?p={id}\"\n":               "has {slug}, {id} or {path}",
		"[site.taxonomy.genre]\nurl = \"/{year}/{slug}\"\n":              "has {slug}, {id} or {path}",
		"[site.exclude]\nterms = [\"internal\"]\n":                       "must be a taxonomy and the slug of a term",

		"[[site.extra]]\nname = \"a\"\n":                                                           "must have either file, a list of URLs, or url",
		"[[site.extra]]\nname = \"a\"\nfile = \"x\"\nurl = \"https://x/s.xml\"\n":                  "must have either file",
		"[[site.extra]]\nname = \"a2\"\nfile = \"x\"\n":                                            "must be words of a-z",
		"[[site.extra]]\nname = \"a\"\nfile = \"x\"\n[[site.extra]]\nname = \"a\"\nfile = \"y\"\n": "is the name of another [[site.extra]]",
		"[[site.extra]]\nname = \"a\"\nurl = \"x\"\n":                                              "must be the URL of a sitemap",
		"[[site.extra]]\nname = \"a\"\nfile = \"x\"\nquery = \"y\"\n":                              "query",
		"[site.extra]\nname = \"a\"\n":                                                             "two brackets",
		"[[site.extra]]\nname = \"q\"\nselect = \"SELECT 1\"\n":                                    "write the rows into a CSV file by a cron job",
	} {
		if _, err := Parse(site+text, "c.toml", "/etc"); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
	cfg, err := Parse("[defaults.post_type.post]\nolder_than = \"3y\"\n"+site+"[site.post_type.post]\nolder_than = \"18m\"\n"+
		"statuses = [\"publish\", \"archived\", \"wc-done\"]\nurl = \"https://a.test/blog/{term:category}/{year}/{slug}.html\"\nsingles = false\n"+
		"[site.taxonomy.category]\nurl = \"/topics/{path}/\"\n"+
		"[site.post_type.product]\nstock = \"hide\"\n[site.exclude]\nterms = [\"category:internal\"]\n"+
		"[[site.extra]]\nname = \"tour-dates\"\nfile = \"urls.csv\"\n"+
		"[[site.extra]]\nname = \"docs\"\nurl = \"https://docs.example.com/sitemap.xml\"\n", "c.toml", "/etc")
	wptest.Must(t, err)
	s := cfg.Sites[0]
	post, term := s.Overrides.PostTypes["post"], s.Overrides.Taxonomies["category"]
	for _, diff := range []string{
		cmp.Diff(seo.Exclude{Terms: []seo.TermName{{Taxonomy: "category", Slug: "internal"}}, Types: map[string]seo.TypeExclude{
			"post": {OlderThan: seo.Age{Text: "18m", Months: 18}, Singles: true}, "product": {OutOfStock: true},
		}}, s.Exclude),
		cmp.Diff([]string{"archived", "wc-done"}, post.Statuses),
		cmp.Diff([]string{"https://a.test/blog/{term:category}/{year}/{slug}.html", "/topics/{path}/"}, []string{*post.URL, *term.URL}),
		cmp.Diff([]seo.Extra{{Name: "tour-dates", File: "/etc/urls.csv"}, {Name: "docs", URL: "https://docs.example.com/sitemap.xml"}}, s.Extra),
	} {
		expect.Equal(t, diff, "")
	}
}

// The pattern of a form for long texts stays small after it is compiled. Otherwise it would take megabytes as long as the daemon runs.
func TestFormsTakeLittleMemory(t *testing.T) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for name, f := range forms {
		before := live()
		again := regexp.MustCompile(f.is.String())
		if after := live(); after > before+1<<20 {
			t.Errorf("%s takes %d KB", name, (after-before)>>10)
		}
		runtime.KeepAlive(again)
	}
}
