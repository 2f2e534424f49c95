package config

import (
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
