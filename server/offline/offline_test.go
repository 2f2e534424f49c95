package offline

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/config"
	"wpsitemapd/server/proxy"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Only the databases that may have the host of a URL are opened, each once. A database that cannot be opened is an error only
// for URLs that no other site has.
func TestExplain(t *testing.T) {
	t.Parallel()
	dsn := func(seeds ...string) config.Secret { return config.Secret(wptest.Load(t, wptest.SQLite, seeds...)) }
	single, network := dsn("basic", "small", "small-front"), dsn("basic", "network")
	c := &config.Config{Sites: []config.Site{
		{Name: "single", DSN: single, Hosts: []config.Host{"small.test"}, Compat: "spec"},
		{Name: "net", DSN: network, Hosts: []config.Host{"bread.test", "example.test"}, Compat: "spec"},
		{Name: "broken", DSN: "sqlite:/nowhere/.ht.sqlite", Hosts: []config.Host{"broken.test"}, Compat: "spec"},
	}}
	e := New(c, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), slog.New(slog.DiscardHandler))
	t.Cleanup(e.Close)
	expect.Equal(t, len(e.Sites()), 3)
	for _, tt := range []struct {
		rule, url, site, says string
		opened, read          int // sites that were tried and catalogs, after this question
		databases             int // that are open
	}{
		{"the site with the host", "https://small.test/", "single", "", 1, 1, 1},
		{"a catalog is read once", "https://small.test/nothing/", "single", "", 1, 1, 1},
		{"a blog of a network", "https://bread.test/", "net", "", 2, 2, 2},
		{"another blog of the open network", "https://example.test/", "net", "", 2, 3, 2},
		{"a database out of reach", "https://broken.test/", "", "cannot open the database", 3, 3, 2},
		{"a site is still explained", "https://small.test/", "single", "", 3, 3, 2},
	} {
		x, err := e.Explain(t.Context(), tt.url, "")
		if err != nil {
			expect.Contains(t, err.Error(), tt.says, tt.rule)
			expect.Equal(t, tt.says != "", true, tt.rule, err)
		} else {
			expect.Equal(t, x.Site, tt.site, tt.rule)
		}
		expect.Equal(t, len(e.opened), tt.opened, tt.rule, "opened")
		expect.Equal(t, len(e.read), tt.read, tt.rule, "catalogs")
		expect.Equal(t, len(e.databases), tt.databases, tt.rule, "databases")
	}
}

// Without hosts in the configuration, each database may have the URL.
func TestExplainWithoutHosts(t *testing.T) {
	t.Parallel()
	c := &config.Config{}
	for name, seeds := range map[string][]string{"a": {"basic", "small", "small-front"}, "b": {"basic"}} {
		c.Sites = append(c.Sites, config.Site{Name: name, DSN: config.Secret(wptest.Load(t, wptest.SQLite, seeds...)), Compat: "spec"})
	}
	e := New(c, time.Time{}, slog.New(slog.DiscardHandler))
	t.Cleanup(e.Close)
	_, err := e.Explain(t.Context(), "https://nowhere.test/", "")
	if !errors.Is(err, admin.ErrNoSite) || !strings.Contains(err.Error(), "small.test") {
		t.Errorf("a host of no site: %v", err)
	}
	expect.Equal(t, len(e.opened), 2, "opened")
	x, err := e.Explain(t.Context(), "https://example.test/", "")
	wptest.Must(t, err)
	expect.Equal(t, x.Site, "b")
	expect.Equal(t, x.In, true, "home is listed")
}

// If one blog of a network cannot be read, the others are explained.
func TestExplainWithABrokenBlog(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	wptest.Exec(t, dsn, "DROP TABLE wp_2_options")
	c := &config.Config{Sites: []config.Site{{Name: "net", DSN: config.Secret(dsn), Compat: "spec"}}}
	e := New(c, time.Time{}, slog.New(slog.DiscardHandler))
	t.Cleanup(e.Close)
	x, err := e.Explain(t.Context(), "https://example.test/", "")
	wptest.Must(t, err)
	expect.Equal(t, x.In, true)
	expect.Equal(t, e.sites[0].Snapshot().Err != nil, true, "the blog can be read")
}

// What is explained is true at the given moment. The only site may have any host.
func TestExplainAsOf(t *testing.T) {
	t.Parallel()
	for year, listed := range map[int]bool{2010: false, 2030: true} {
		dsn := wptest.Load(t, wptest.SQLite, "basic")
		site := config.Site{Name: "a", DSN: config.Secret(dsn), Compat: "spec", Hosts: []config.Host{"example.test"}}
		e := New(&config.Config{Sites: []config.Site{site}}, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), slog.New(slog.DiscardHandler))
		t.Cleanup(e.Close)
		x, err := e.Explain(t.Context(), "/", "")
		wptest.Must(t, err)
		expect.Equal(t, x.LastMod != "", listed, year, "has a date")
	}
}

// With an upstream, the site itself answers the addresses that are not ours. Without one, nobody does.
func TestExplainWithUpstream(t *testing.T) {
	t.Parallel()
	c := &config.Config{}
	var up proxy.Upstream
	wptest.Must(t, up.UnmarshalText([]byte("http://127.0.0.1:9")))
	for _, name := range []string{"a", "b"} {
		c.Sites = append(c.Sites, config.Site{Name: name, DSN: config.Secret(wptest.Load(t, wptest.SQLite, "basic")), Compat: "spec"})
	}
	c.Sites[0].Upstream, c.Sites[1].Hosts = up, []config.Host{"b.test"}
	e := New(c, time.Time{}, slog.New(slog.DiscardHandler))
	for i, s := range e.Sites() {
		expect.Equal(t, s.Upstream != nil, i == 0, s.Config.Name, "has an upstream")
		expect.Equal(t, s.Rank, uint64(i), s.Config.Name, "the first of two sites with one host gets it")
		expect.Equal(t, s.Counted != nil && s.Process != nil, true, s.Config.Name)
	}
	_, err := e.Explain(t.Context(), "https://example.test/", "")
	wptest.Must(t, err)
	in, idle := e.databases[0].Connections()
	expect.Equal(t, in+idle > 0, true, "the database is open:")
	e.Close()
	in, idle = e.databases[0].Connections()
	expect.Equal(t, in+idle, 0, "connections after Close")
}

// A page is rendered only to explain what the catalog does not say. An error of rendering is no answer.
func TestPagesOfExplainer(t *testing.T) {
	t.Parallel()
	c := &config.Config{Sites: []config.Site{{Name: "a", DSN: config.Secret(wptest.Load(t, wptest.SQLite, "basic")), Compat: "spec"}}}
	e := New(c, time.Time{}, slog.New(slog.DiscardHandler))
	t.Cleanup(e.Close)
	_, err := e.Explain(t.Context(), "/", "")
	wptest.Must(t, err)
	read, pages, err := e.readBlog(t.Context(), e.sites[0], e.sites[0].Snapshot().Blogs[0])
	wptest.Must(t, err)
	body, err := pages(t.Context(), catalog.File{Name: "post", Page: 1})
	wptest.Must(t, err)
	expect.Contains(t, string(body), "<urlset")
	_, err = pages(t.Context(), catalog.File{Name: "post", Page: 9})
	expect.Equal(t, errors.Is(err, catalog.ErrNotFound), true, err)
	again, _, err := e.readBlog(t.Context(), e.sites[0], e.sites[0].Snapshot().Blogs[0])
	wptest.Must(t, err)
	expect.Equal(t, again, read, "the catalog is read once")
}

// If no blog of a network can be read, the explanation says why.
func TestExplainWithoutABlog(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, "DROP TABLE wp_options")
	e := New(&config.Config{Sites: []config.Site{{Name: "a", DSN: config.Secret(dsn), Compat: "spec"}}}, time.Time{}, slog.New(slog.DiscardHandler))
	t.Cleanup(e.Close)
	_, err := e.Explain(t.Context(), "https://example.test/", "")
	expect.Equal(t, err != nil && strings.Contains(err.Error(), "wp_options"), true, err)
}
