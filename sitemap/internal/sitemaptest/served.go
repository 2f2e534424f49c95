package sitemaptest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// autoRows are posts, pages and terms over small. Their names say which rule each is there for.
var autoRows = []string{
	Posts(1, "1001 post plain", "1002 post noindex", "1003 post odd", "1004 post sent", "1005 post locked x", "1011 page page", "1012 page open"),
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (1021, 'Plain', 'plain-term'), (1022, 'Noindex', 'noindex-term')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
		(1021, 1021, 'category', '', 0, 1), (1022, 1022, 'category', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 1021), (1001, 1022)`,
}

// ServedCase is what a plugin that is served at level spec only has stored, and what follows for its sitemaps.
type ServedCase struct {
	Statements []string
	Files      map[string][]string // paths by the name of a sitemap
	Index      []string            // files that the index names
	Out        map[string]string   // paths that are left out, and the evidence of that
}

// ServedWhereActive tests a plugin that is served at level spec only, and only where it is active: what it stores decides, and
// explain names it. The statements come over posts, pages and terms of seed small: 1001 to 1004 are plain, noindex, odd, sent.
func ServedWhereActive(t *testing.T, plugin *seo.Plugin, cases ...ServedCase) {
	t.Helper()
	for _, tt := range cases {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, autoRows...)
		wptest.Exec(t, dsn, tt.Statements...)
		blog := OpenSite(t, wp.Source{DSN: dsn})
		c := Build(t, blog, seo.Options{Compat: seo.SpecLevel})
		if c.Plugin() != plugin.Name || !c.Active() {
			t.Fatalf("%s, active %t: %s", c.Plugin(), c.Active(), c.Whose.Why())
		}
		got := map[string][]string{}
		for name := range tt.Files {
			got[name] = PathsIn(t, c, name)
		}
		if diff := cmp.Diff(tt.Files, got); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
		var index []string
		for _, f := range c.Files()[1:] {
			index = append(index, f.Filename)
		}
		if diff := cmp.Diff(tt.Index, index); diff != "" {
			t.Errorf("index: want (-), got (+):\n%s", diff)
		}
		for path, evidence := range tt.Out {
			x, err := c.Explain(t.Context(), blog.Home()+path)
			is := func(e seo.Evidence) bool { return e.Source == evidence }
			if err != nil || x.In || !slices.ContainsFunc(x.Evidence, is) {
				t.Errorf("%s: %+v, %v", path, x, err)
			}
		}
		// At level plugin the site itself answers.
		if c := Build(t, blog, seo.Options{Compat: seo.PluginLevel}); c.Active() || !strings.Contains(c.Whose.Why(), `compat = "spec"`) {
			t.Errorf("level plugin: %t, %s", c.Active(), c.Whose.Why())
		}
	}
}

// Asked is an address below home, with one kind of permalinks: pretty, index or plain; and what it means.
type Asked struct {
	Base, Address string
	Want          seo.Resource
}

// AddressesOf tests that what the index names is recognised as what it is, with all kinds of permalinks, and so are others.
func AddressesOf(t *testing.T, p *seo.Plugin, others ...Asked) {
	t.Helper()
	request := func(base seo.Base, address string) seo.Request {
		uri := strings.TrimPrefix(address, "https://small.test")
		path, _, _ := strings.Cut(uri, "?")
		return seo.Request{
			URI: uri, Rest: strings.Trim(path, "/"), Pretty: base.Pretty, Plain: !base.Pretty, Index: strings.HasSuffix(base.Front, "/index.php/"),
		}
	}
	bases := map[string]seo.Base{
		"pretty": {Home: "https://small.test", Front: "https://small.test/", Pretty: true},
		"index":  {Home: "https://small.test", Front: "https://small.test/index.php/", Pretty: true},
		"plain":  {Home: "https://small.test", Front: "https://small.test/"},
	}
	for kind, base := range bases {
		names := []string{seo.IndexName, "news", "video", p.URLs.Name(seo.KindPost, "post"), p.URLs.Name(seo.KindPost, "model-3"),
			p.URLs.Name(seo.KindTerm, "category"), p.URLs.Name(seo.KindUser, "")}
		for _, name := range names {
			for page := 1; page <= 2 && (name != seo.IndexName || page == 1); page++ {
				address := p.URLs.URL(base, p.URLs.File(name, page, 2))
				to := p.URLs.Parse(request(base, address))
				if to.Kind != seo.Sitemap || to.Name != name || to.Page != page {
					t.Errorf("%s, %s: %s is %+v, want page %d of %s", p.Name, kind, address, to, page, name)
				}
			}
		}
	}
	for _, none := range []string{"/a/sitemap.xml", "/sitemap.txt-sitemap.xml", "/1-sitemap.xml", "/wp-content/sitemap.xml", "/", "/?sitemap=1"} {
		if to := p.URLs.Parse(request(bases["pretty"], none)); to.Kind != seo.NoResource {
			t.Errorf("%s: %s is %+v", p.Name, none, to)
		}
	}
	for _, tt := range others {
		if to := p.URLs.Parse(request(bases[tt.Base], tt.Address)); to != tt.Want {
			t.Errorf("%s, %s: %s is %+v, want %+v", p.Name, tt.Base, tt.Address, to, tt.Want)
		}
	}
}
