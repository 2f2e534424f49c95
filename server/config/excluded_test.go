package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
)

func TestTypeExclude(t *testing.T) {
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
	} {
		if _, err := Parse(site+text, "c.toml", "/etc"); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
	cfg, err := Parse("[defaults.post_type.post]\nolder_than = \"3y\"\n"+site+"[site.post_type.post]\nolder_than = \"18m\"\n"+
		"[site.post_type.product]\nstock = \"hide\"\n[site.exclude]\nterms = [\"category:internal\"]\n", "c.toml", "/etc")
	wptest.Must(t, err)
	want := Exclude{Terms: []string{"category:internal"}, Types: map[string]seo.TypeExclude{
		"post": {OlderThan: seo.Age{Text: "18m", Months: 18}}, "product": {OutOfStock: true},
	}}
	if diff := cmp.Diff(want, cfg.Sites[0].Exclude); diff != "" {
		t.Error(diff)
	}
}

func TestStatusesAndURLs(t *testing.T) {
	cfg, err := Parse("[[site]]\nname = \"a\"\ndsn = \"sqlite:/x\"\n[site.post_type.post]\nstatuses = [\"publish\", \"archived\", \"wc-done\"]\n"+
		"url = \"https://a.test/blog/{term:category}/{year}/{slug}.html\"\nsingles = false\n[site.taxonomy.category]\nurl = \"/topics/{path}/\"\n", "c.toml", "/etc")
	wptest.Must(t, err)
	o := cfg.Sites[0].Overrides
	post, term := o.PostTypes["post"], o.Taxonomies["category"]
	if diff := cmp.Diff([]string{"archived", "wc-done"}, post.Statuses); diff != "" || !cfg.Sites[0].Exclude.Types["post"].Singles {
		t.Errorf("%s %+v", diff, cfg.Sites[0].Exclude)
	}
	if *post.URL != "https://a.test/blog/{term:category}/{year}/{slug}.html" || *term.URL != "/topics/{path}/" {
		t.Errorf("%s %s", *post.URL, *term.URL)
	}
}
