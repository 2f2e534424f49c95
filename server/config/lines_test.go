package config

import (
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"wpsitemapd/wp/wptest/expect"
)

func TestLines(t *testing.T) {
	const text = `a = 1
"b.c" = """
x = 3
"""
[d]
e.f = [ # [nothing]
 "]", '\',
]
g = { h = 1, i = [
] }
[[s]]
k = 'its' # a comment
[s.t]
k = """a\"""" # a quote at the end
[[s]]
[s.t."u v"]
k = ''''x''''
[[s.w]]
[[s.w]]
z = 1
hosts = ["y"] # y = 2
y = 3
`
	doc, err := toml.Decode(text, &map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	x := linesOf(text, doc)
	tests := map[string]int{
		"a": 1, "b.c": 2, "d": 5, "d.e.f": 6, "d.g": 9, "d.g.h": 9, "s[0]": 11, "s[0].k": 12, "s[0].t.k": 14,
		"s[1]": 15, "s[1].t.u v": 16, "s[1].t.u v.k": 17, "s[1].w[1].z": 20, "s[1].w[1].unknown": 19, "s[1].w[1].y": 22, "nothing": 0,
	}
	for path, want := range tests {
		expect.Equal(t, x.line(path), want, path, "is in line")
	}
}

// A key is set in the site of a name, whatever stands around it; comments stay.
func TestWith(t *testing.T) {
	const text = "listen = \":8080\" # here\n\n[[site]]\nname = \"a\"\n# of a\n[site.post_type.book] # books\nslug = \"old\" # was\n\n" +
		"[[site]]\nname = \"b\" # second\n\n[[discover]]\nwp_config = \"/srv/*\"\n"
	for _, tt := range []struct{ name, site, table, key, value, want string }{
		{"a key of its own", "a", "", "page_size", "500", "[[site]]\npage_size = 500 # why\nname = \"a\"\n"},
		{"one that stands there", "a", "post_type.book", "slug", `"new"`, "[site.post_type.book] # books\nslug = \"new\" # why\n\n[[site]]\nname = \"b\""},
		{"another key of a table", "a", "post_type.book", "archive", "true", "# books\narchive = true # why\nslug = \"old\" # was\n"},
		{"a table that does not stand there", "b", "exclude", "post_ids", "[1, 2]",
			"name = \"b\" # second\n\n[site.exclude]\npost_ids = [1, 2] # why\n\n[[discover]]\n"},
		{"a site that was found", "c", "", "page_size", "500", ""},
	} {
		got, err := With(text, tt.site, tt.table, tt.key, tt.value, "why")
		if tt.want == "" {
			if err == nil {
				t.Errorf("%s: %s", tt.name, got)
			}
			continue
		}
		if err != nil || !strings.Contains(got, tt.want) || !strings.HasPrefix(got, "listen = \":8080\" # here\n\n[[site]]\n") {
			t.Errorf("%s: %v\n%s", tt.name, err, got)
		}
	}
}
