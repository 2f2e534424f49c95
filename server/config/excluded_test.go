package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/seo"
)

func TestTypeExclude(t *testing.T) {
	const site = "[[site]]\nname = \"a\"\ndsn = \"sqlite:/x\"\n"
	for text, problem := range map[string]string{
		"[site.post_type.post]\nolder_than = \"y\"\n":       "must be an age",
		"[site.post_type.post]\nolder_than = \"0d\"\n":      "must be an age",
		"[site.post_type.post]\nolder_than = \"3 years\"\n": "must be an age",
		"[site.post_type.post]\nstock = \"hide\"\n":         "belongs below [site.post_type.product]",
		"[site.post_type.product]\nstock = \"out\"\n":       "must be \"hide\" or \"show\"",
		"[site.exclude]\nterms = [\"internal\"]\n":          "must be a taxonomy and the slug of a term",
	} {
		if _, err := Parse(site+text, "c.toml", "/etc"); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", text, err)
		}
	}
	cfg, err := Parse("[defaults.post_type.post]\nolder_than = \"3y\"\n"+site+"[site.post_type.post]\nolder_than = \"18m\"\n"+
		"[site.post_type.product]\nstock = \"hide\"\n[site.exclude]\nterms = [\"category:internal\"]\n", "c.toml", "/etc")
	if err != nil {
		t.Fatal(err)
	}
	want := Exclude{Terms: []string{"category:internal"}, Types: map[string]seo.TypeExclude{
		"post": {OlderThan: seo.Age{Text: "18m", Months: 18}}, "product": {OutOfStock: true},
	}}
	if diff := cmp.Diff(want, cfg.Sites[0].Exclude); diff != "" {
		t.Error(diff)
	}
}
