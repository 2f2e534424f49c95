package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A blog is good if nothing needs to be done. Warnings may wait.
func TestGood(t *testing.T) {
	t.Parallel()
	for rule, tt := range map[string]struct {
		b    BlogReport
		want bool
	}{
		"nothing": {BlogReport{}, true}, "a warning": {BlogReport{Warnings: []string{"x"}}, true}, "an error": {BlogReport{Error: "x"}, false},
		"an undecided type": {BlogReport{Unknown: []unknown{{}}}, false}, "trouble": {BlogReport{Troubles: []string{"x"}}, false},
		"fetched, and well": {BlogReport{Fetch: &FetchReport{Fetched: 3}}, true}, "a bad page": {BlogReport{Fetch: &FetchReport{Bad: []FetchedPage{{}}}}, false},
		"asked, and well": {BlogReport{Public: &PublicReport{Requests: 3}}, true}, "a problem": {BlogReport{Public: &PublicReport{Problems: []PublicProblem{{}}}}, false},
	} {
		expect.Equal(t, tt.b.good(), tt.want, rule)
	}
}

// Trouble makes a site bad, and no text is no trouble. Warnings of blogs are warnings of the site.
func TestRank(t *testing.T) {
	t.Parallel()
	r := &SiteReport{OK: true, Blogs: []*BlogReport{{}, {}}}
	expect.Equal(t, r.rank(), 0)
	r.trouble("")
	expect.Equal(t, r.rank(), 0)
	r.Blogs[1].Warnings = []string{"a", "b"}
	expect.Equal(t, r.rank(), 1)
	r.Warnings = []string{"c"}
	expect.Equal(t, r.warnings(), 3)
	r.trouble("x")
	expect.Equal(t, r.rank(), 2)
	expect.List(t, r.Errors, []string{"x"})
}

// The lines settle an undecided type: whether it is public, the post types of a taxonomy, and a slug if that is not known either.
func TestLinesToAdd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		u    registry.Unknown
		want string
	}{
		{registry.Unknown{Kind: "post type", Name: "book"}, "[site.post_type.book]\npublic = true # or false, if visitors cannot see this post type"},
		{registry.Unknown{Kind: "post type", Name: "a b", Slug: "books"}, "[site.post_type.\"a b\"]\npublic = true # or false, if visitors cannot see this post type\n" +
			"slug = \"books\" # or what else its URLs begin with"},
		{registry.Unknown{Kind: "taxonomy", Name: "genre"}, "[site.taxonomy.genre]\npublic = true # or false, if visitors cannot see this taxonomy\n" +
			"object_types = [\"post\"] # the post types it belongs to"},
		{registry.Unknown{Kind: "taxonomy", Name: "genre", ObjectTypes: []string{"book", "film"}}, "[site.taxonomy.genre]\n" +
			"public = true # or false, if visitors cannot see this taxonomy\nobject_types = [\"book\", \"film\"] # the post types it belongs to"},
	} {
		expect.Equal(t, linesToAdd(tt.u), tt.want)
	}
}

// A report says where the addresses of a type come from only if there is something to say.
func TestAddressingInWords(t *testing.T) {
	t.Parallel()
	const same = "; yoast_indexable has the same for "
	for _, tt := range []struct {
		public bool
		a      address.Addressing
		want   string
	}{
		{true, address.Addressing{}, ""},
		{true, address.Addressing{Why: "a rule says so"}, "computed: a rule says so"},
		{true, address.Addressing{Compared: 1200}, "computed" + same + "1,200 of the 1,200 compared"},
		{true, address.Addressing{Compared: 10, Differ: 3}, "computed" + same + "7 of the 10 compared, and others may differ, too"},
		{true, address.Addressing{Asked: 2}, "computed; asked the site for 2 pages"},
		{true, address.Addressing{Why: "x", Compared: 1, Asked: 1}, "computed: x" + same + "1 of the 1 compared; asked the site for 1 page"},
		{true, address.Addressing{From: address.AsStored, Why: "x", Compared: 3}, "from yoast_indexable: x"},
		{true, address.Addressing{From: address.ByPHP, Asked: 1}, "they differ from those computed, so the site itself serves this sitemap; asked the site for 1 page"},
		{false, address.Addressing{From: address.ByPHP}, "they differ from those computed, so the site itself serves this sitemap"},
		{false, address.Addressing{Why: "x", Compared: 3, Asked: 3}, ""},
		{false, address.Addressing{From: address.AsStored, Why: "x"}, ""},
	} {
		report := typeReport{Public: tt.public}
		report.noteAddressing(tt.a)
		expect.Equal(t, report.Addresses, tt.want)
	}
}

// A type that only the configuration names should list something, unless the configuration says that it is not public.
func TestTypeThatOnlyTheConfigurationNames(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	known := func(source registry.FactSource, public bool) []typeReport {
		return []typeReport{{Kind: "post type", Name: "other"}, {Kind: "post type", Name: "book", Public: public, Facts: []registry.Fact{{Key: "public", Source: source}}}}
	}
	for _, tt := range []struct {
		rule     string
		types    []typeReport
		sitemaps []sizeReport
		public   *bool
		warns    bool
	}{
		{"nobody else knows it", nil, nil, &yes, true},
		{"nothing is said about it", nil, nil, nil, true},
		{"it is meant to list nothing", nil, nil, &no, false},
		{"another source says it", known("core", true), nil, &yes, false},
		{"another source denies it", known("core", false), nil, &yes, true},
		{"only the configuration says it", known("configuration", true), nil, &yes, true},
		{"only the configuration says it, and it lists something", known("configuration", true), []sizeReport{{"book", 1, 1, ""}}, &yes, false},
		{"only the configuration says it, and it lists nothing", known("configuration", true), []sizeReport{{"book", 1, 0, ""}}, &yes, true},
		{"only the configuration says it, and another lists something", known("configuration", true), []sizeReport{{"other", 1, 1, ""}}, &yes, true},
	} {
		b := &BlogReport{Types: tt.types, Sitemaps: tt.sitemaps}
		b.noteType("post type", "book", tt.public)
		b.noteType("post type", "book", tt.public)
		expect.Equal(t, len(b.Warnings), map[bool]int{true: 1}[tt.warns], tt.rule)
	}
}

// Articles that are news only because they were changed are a warning if they are most of a news sitemap.
func TestArticlesThatWereChanged(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	now := time.Now().UTC().Add(-time.Hour).Format(time.DateTime)
	posts := fmt.Sprintf("UPDATE wp_posts SET post_modified = '%s', post_modified_gmt = '%[1]s'", now)
	const some = " WHERE ID IN (SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' AND post_password = '' ORDER BY ID DESC LIMIT %d)"
	wptest.Exec(t, dsn, posts+fmt.Sprintf(some, 6))
	news := func() (warnings []string) {
		t.Helper()
		r, err := run(t, t.Context(), "[[site]]\nname = \"a\"\ndsn = %q\n[site.news]\nenabled = true\n", dsn)
		wptest.Must(t, err)
		b := r.Sites[0].Blogs[0]
		for _, s := range b.Sitemaps {
			expect.Equal(t, s.Holds != "", s.Name == "news", s.Name)
		}
		return b.Warnings
	}
	got := news()
	if len(got) != 1 || !strings.HasPrefix(got[0], "most articles of the sitemap news (") {
		t.Fatal(got)
	}
	var older, all int
	_, err := fmt.Sscanf(got[0], "most articles of the sitemap news (%d of %d) ", &older, &all)
	wptest.Must(t, err)
	if older != all || older < 2 {
		t.Fatal(got)
	}
	published := fmt.Sprintf(", post_date = '%s', post_date_gmt = '%[1]s'", now)
	wptest.Exec(t, dsn, posts+published+fmt.Sprintf(some, 6))
	expect.Equal(t, len(news()), 0, "all were published now")
}
