package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
)

func selectOf(text string) string { return "[[site.extra]]\nname = \"q\"\nselect = \"" + text + "\"\n" }

// What is left out and added: mistakes, and what is read.
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
		"[site.post_type.attachment]\nstatuses = [\"archived\"]\n":       "is not for attachments",
		"[site.post_type.post]\nurl = \"https://a.test/blog/{year}/\"\n": "has {slug}, {id} or {path}",
		"[site.post_type.post]\nurl = \"/blog/{slug}/{month}\"\n":        "has {slug}, {id} or {path}",
		"[site.post_type.post]\nurl = \"blog/{slug}\"\n":                 "has {slug}, {id} or {path}",
		"[site.post_type.post]\nurl = \"/blog/?p={id}\"\n":               "has {slug}, {id} or {path}",
		"[site.taxonomy.genre]\nurl = \"/{year}/{slug}\"\n":              "has {slug}, {id} or {path}",
		"[site.exclude]\nterms = [\"internal\"]\n":                       "must be a taxonomy and the slug of a term",

		"[[site.extra]]\nname = \"a\"\n":                                                           "must have file, a list of URLs, url",
		"[[site.extra]]\nname = \"a\"\nfile = \"x\"\nurl = \"https://x/s.xml\"\n":                  "one of them",
		"[[site.extra]]\nname = \"a2\"\nfile = \"x\"\n":                                            "must be words of a-z",
		"[[site.extra]]\nname = \"a\"\nfile = \"x\"\n[[site.extra]]\nname = \"a\"\nfile = \"y\"\n": "is the name of another one",
		"[[site.extra]]\nname = \"a\"\nurl = \"x\"\n":                                              "must be the URL of a sitemap",
		"[[site.extra]]\nname = \"a\"\nfile = \"x\"\nquery = \"y\"\n":                              "query",
		"[site.extra]\nname = \"a\"\n":                                                             "two brackets",

		selectOf("SELECT id, loc FROM t WHERE id > :after ORDER BY id LIMIT :limit OFFSET 5"):   "must be one SELECT such as",
		selectOf("SELECT id, loc FROM t ORDER BY id LIMIT :limit"):                              "must be one SELECT such as",
		selectOf("SELECT id, loc FROM t WHERE id > :after LIMIT :limit"):                        "must be one SELECT such as",
		selectOf("SELECT 1; SELECT id, loc FROM t WHERE id > :after ORDER BY id LIMIT :limit"):  "must be one SELECT such as",
		selectOf("SELECT id, loc FROM t FOR UPDATE WHERE id > :after ORDER BY id LIMIT :limit"): "must be one SELECT such as",
		selectOf("DELETE FROM t WHERE id > :after ORDER BY id LIMIT :limit"):                    "must be one SELECT such as",
	} {
		if _, err := Parse(site+text, "c.toml", "/etc"); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
	cfg, err := Parse("[defaults.post_type.post]\nolder_than = \"3y\"\n"+site+"[site.post_type.post]\nolder_than = \"18m\"\n"+
		"statuses = [\"publish\", \"archived\", \"wc-done\"]\nurl = \"https://a.test/blog/{term:category}/{year}/{slug}.html\"\nsingles = false\n"+
		"[site.taxonomy.category]\nurl = \"/topics/{path}/\"\n[site.post_type.product]\nstock = \"hide\"\n[site.exclude]\nterms = [\"category:internal\"]\n"+
		"[[site.extra]]\nname = \"tour-dates\"\nfile = \"urls.csv\"\n[[site.extra]]\nname = \"docs\"\nurl = \"https://docs.example.com/sitemap.xml\"\n"+
		selectOf("SELECT id, loc\\nFROM t WHERE (id > :after) ORDER BY t.id LIMIT :limit"), "c.toml", "/etc")
	wptest.Must(t, err)
	s := cfg.Sites[0]
	post, term := s.Overrides.PostTypes["post"], s.Overrides.Taxonomies["category"]
	for _, diff := range []string{
		cmp.Diff(seo.Exclude{Terms: []seo.TermName{{Taxonomy: "category", Slug: "internal"}}, Types: map[string]seo.TypeExclude{
			"post": {OlderThan: seo.Age{Text: "18m", Months: 18}, Singles: true}, "product": {OutOfStock: true},
		}}, s.Exclude),
		cmp.Diff([]string{"archived", "wc-done"}, post.Statuses),
		cmp.Diff([]string{"https://a.test/blog/{term:category}/{year}/{slug}.html", "/topics/{path}/"}, []string{*post.URL, *term.URL}),
		cmp.Diff([]seo.Extra{{Name: "tour-dates", File: "/etc/urls.csv"}, {Name: "docs", URL: "https://docs.example.com/sitemap.xml"},
			{Name: "q", Select: "SELECT id, loc\nFROM t WHERE (id > :after) ORDER BY t.id LIMIT :limit"}}, s.Extra),
	} {
		if diff != "" {
			t.Error(diff)
		}
	}
}
