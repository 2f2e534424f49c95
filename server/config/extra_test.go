package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/seo"
)

func TestExtra(t *testing.T) {
	const site = "[[site]]\nname = \"a\"\ndsn = \"sqlite:/x\"\n"
	for _, tt := range []struct{ rule, text, problem string }{
		{"neither file nor url", "[[site.extra]]\nname = \"a\"\n", "must have file, a list of URLs, url"},
		{"both", "[[site.extra]]\nname = \"a\"\nfile = \"x\"\nurl = \"https://x/s.xml\"\n", "one of them"},
		{"a name with a number", "[[site.extra]]\nname = \"a2\"\nfile = \"x\"\n", "must be words of a-z"},
		{"a name twice", "[[site.extra]]\nname = \"a\"\nfile = \"x\"\n[[site.extra]]\nname = \"a\"\nfile = \"y\"\n", "is the name of another one"},
		{"no URL", "[[site.extra]]\nname = \"a\"\nurl = \"x\"\n", "must be the URL of a sitemap"},
		{"an unknown key", "[[site.extra]]\nname = \"a\"\nfile = \"x\"\nquery = \"y\"\n", "query"},
		{"a SELECT with OFFSET", selectOf("SELECT id, loc FROM t WHERE id > :after ORDER BY id LIMIT :limit OFFSET 5"), "must be one SELECT such as"},
		{"a SELECT without key", selectOf("SELECT id, loc FROM t ORDER BY id LIMIT :limit"), "must be one SELECT such as"},
		{"a SELECT without order", selectOf("SELECT id, loc FROM t WHERE id > :after LIMIT :limit"), "must be one SELECT such as"},
		{"two statements", selectOf("SELECT 1; SELECT id, loc FROM t WHERE id > :after ORDER BY id LIMIT :limit"), "must be one SELECT such as"},
		{"a SELECT that locks", selectOf("SELECT id, loc FROM t FOR UPDATE WHERE id > :after ORDER BY id LIMIT :limit"), "must be one SELECT such as"},
		{"a statement that writes", selectOf("DELETE FROM t WHERE id > :after ORDER BY id LIMIT :limit"), "must be one SELECT such as"},
		{"one bracket", "[site.extra]\nname = \"a\"\n", "two brackets"},
	} {
		if _, err := Parse(site+tt.text, "c.toml", "/etc"); err == nil || !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: %v", tt.rule, err)
		}
	}
	cfg, err := Parse(site+"[[site.extra]]\nname = \"tour-dates\"\nfile = \"urls.csv\"\n[[site.extra]]\nname = \"docs\"\nurl = \"https://docs.example.com/sitemap.xml\"\n"+
		selectOf("SELECT id, loc\\nFROM t WHERE (id > :after) ORDER BY t.id LIMIT :limit"), "c.toml", "/etc")
	if err != nil {
		t.Fatal(err)
	}
	want := []seo.Extra{{Name: "tour-dates", File: "/etc/urls.csv"}, {Name: "docs", URL: "https://docs.example.com/sitemap.xml"},
		{Name: "q", Select: "SELECT id, loc\nFROM t WHERE (id > :after) ORDER BY t.id LIMIT :limit"}}
	if diff := cmp.Diff(want, cfg.Sites[0].Extra); diff != "" {
		t.Error(diff)
	}
}

func selectOf(text string) string { return "[[site.extra]]\nname = \"q\"\nselect = \"" + text + "\"\n" }
