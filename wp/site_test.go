package wp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The blogs of a network that visitors can see, and whose sitemaps robots.txt names.
func TestNetwork(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic", "network")
		n := open(t, Source{DSN: dsn})
		sites, err := n.ReadBlogs(t.Context())
		wptest.Must(t, err)
		homes := map[int64]string{}
		for _, s := range sites {
			homes[s.BlogID()] = s.Home()
			if !s.Settings().ActivePlugins["wordpress-seo/wp-seo.php"] {
				t.Errorf("blog %d: a plugin of the whole network is not active", s.BlogID())
			}
			expect.List(t, s.RobotsBlogs(), []int64{1, 2, 3}, "blog", s.BlogID(), "robots.txt names")
		}
		want := map[int64]string{1: "https://example.test", 2: "https://example.test/fish", 3: "https://bread.test", 6: "https://example.test/hush"}
		expect.Same(t, want, homes, "live blogs")
		expect.List(t, sites[2].Hosts(), []string{"bread.test"}, "hosts of the mapped domain")
		expect.Equal(t, sites[1].Settings().Uploads.URL, "https://example.test/fish/wp-content/uploads/sites/2", "uploads of blog 2")
	})
}

// WordPress looks a blog up by its row in blogs, while its addresses are made of its option home.
func TestHostsOfABlog(t *testing.T) {
	const home = `UPDATE wp_3_options SET option_value = '%s' WHERE option_name = 'home'`
	for _, tt := range []struct {
		name      string
		home      string
		configure string
		core      bool // Yoast's sitemaps are off
		want      []string
	}{
		{name: "both of one host", home: "https://bread.test", want: []string{"bread.test"}},
		{name: "home on another one", home: "https://www.bread.test", want: []string{"www.bread.test", "bread.test"}},
		{name: "home in another folder", home: "https://www.bread.test/shop", want: []string{"www.bread.test"}},
		{name: "sitemaps of WordPress", home: "https://www.bread.test", core: true, want: []string{"www.bread.test"}},
		{name: "home of the configuration", home: "https://www.bread.test", configure: "https://cake.test", want: []string{"cake.test"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
			wptest.Exec(t, dsn, fmt.Sprintf(home, tt.home), "UPDATE wp_blogs SET domain = 'Bread.test' WHERE blog_id = 3")
			if tt.core {
				wptest.Exec(t, dsn, `REPLACE INTO wp_3_options (option_name, option_value) VALUES ('wpseo', 'a:1:{s:18:"enable_xml_sitemap";b:0;}')`)
			}
			sites, err := open(t, Source{DSN: dsn, Home: tt.configure}).ReadBlogs(t.Context())
			wptest.Must(t, err)
			expect.Equal(t, sites[2].BlogID(), 3)
			expect.List(t, sites[2].Hosts(), tt.want)
		})
	}
}

// Yoast looks at the first hundred public sites of each network, with its sitemaps on or off.
func TestRobotsOfManyBlogs(t *testing.T) {
	blogs := []BlogRow{{ID: 1, Network: 1, Public: 1}, {ID: 2, Network: 1}, {ID: 3, Network: 2, Public: 1}}
	for id := int64(4); id < 124; id++ {
		blogs = append(blogs, BlogRow{ID: id, Network: 1, Public: 1})
	}
	public := publicBlogs(blogs)
	if of := public[1]; len(of) != 100 || of[0] != 1 || of[1] != 4 || of[99] != 102 {
		t.Errorf("blogs %d, want 100 from 1 to 102", of)
	}
	expect.List(t, public[2], []int64{3}, "blogs", "of the other network, want its own one")
}

// Of a large network the list of the blogs is read again where one of its rows is another, whatever else is written to them.
func TestWalkOfALargeNetwork(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	var rows []string
	for id := range manyBlogs {
		rows = append(rows, fmt.Sprintf("(%d, 1, 'b%[1]d.test', '/')", 1000+id))
	}
	wptest.Exec(t, dsn, "INSERT INTO wp_blogs (blog_id, site_id, domain, path) VALUES "+strings.Join(rows, ","))
	n := open(t, Source{DSN: dsn})
	walk := func(before *Walk) *Walk {
		t.Helper()
		w, err := n.Walk(t.Context(), before)
		wptest.Must(t, err)
		return w
	}
	before := walk(walk(nil))
	for _, tt := range []struct {
		set  string
		same bool
	}{
		{"last_updated = UTC_TIMESTAMP()", true},
		{"domain = 'other.test'", false},
		{"path = '/other/'", false},
		{"archived = '1'", false},
		{"public = 1 - public", false},
		{"spam = 1", false},
	} {
		wptest.Exec(t, dsn, "UPDATE wp_blogs SET "+tt.set+" WHERE blog_id = 1500")
		now := walk(before)
		expect.Equal(t, now == before, tt.same, tt.set, "the same list", now == before)
		before = now
	}
	if other := open(t, Source{DSN: dsn}); walk(before) != before {
		t.Error("nothing was written, and the list is another")
	} else if w, err := other.Walk(t.Context(), before); err != nil || w == before {
		t.Errorf("the list of another connection is taken: %v", err)
	}
}

// One broken blog costs its own sitemaps, not those of the network.
func TestNetworkWithABrokenBlog(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic", "network")
		wptest.Exec(t, dsn, "DROP TABLE wp_2_options", "UPDATE wp_3_options SET option_value = 'ftp://bread.test' WHERE option_name IN ('home', 'siteurl')")
		sites, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
		checkError(t, err, "site shop, blog 2", "wp_2_options", "restore the table", "blog 3", `"ftp://bread.test"`, "set home in the configuration")
		var ids []int64
		for _, s := range sites {
			ids = append(ids, s.BlogID())
		}
		expect.Same(t, []int64{1, 6}, ids, "blogs")
	})
}

// The first row of a key, by meta_id, is its value.
func TestMetaByKeys(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn,
			`INSERT INTO wp_postmeta (meta_id, post_id, meta_key, meta_value) VALUES
			(900, 1, 'k', 'second'), (800, 1, 'k', 'first'), (950, 1, 'k', 'third'), (810, 2, 'k', NULL),
			(820, 2, 'k', 'x'), (830, 3, 'k', 's:1:"x";'), (840, 4, 'k', ' i:1; '), (850, 5, 'k', 's:x')`)
		got, err := openSite(t, Source{DSN: dsn}).MetaByKeys(t.Context(), nil, "k")
		if diff := cmp.Diff(map[string]map[int64]string{"k": {1: "first", 2: "", 3: `s:1:"x";`, 4: " i:1; ", 5: "s:x"}}, got); err != nil || diff != "" {
			t.Errorf("%v, expected (-) and got (+):\n%s", err, diff)
		}
	})
}

func TestExcludedByTheOperator(t *testing.T) {
	yes, no := true, false
	s := openSite(t, Source{DSN: wptest.Load(t, wptest.SQLite, "basic"), Overrides: registry.Overrides{
		PostTypes:  map[string]registry.PostTypeOverride{"page": {Exclude: &yes}, "post": {Exclude: &no}},
		Taxonomies: map[string]registry.TaxonomyOverride{"category": {Exclude: &yes}, "post_tag": {}},
	}})
	excludes := func(name string, taxonomy bool) bool {
		return s.Excludes(&registry.Type{Name: name, Taxonomy: taxonomy})
	}
	if !excludes("page", false) || excludes("post", false) || excludes("book", false) || !excludes("category", true) || excludes("post_tag", true) {
		t.Error("exclusions of types are not those of the configuration")
	}
}
