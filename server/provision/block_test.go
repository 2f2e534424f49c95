package provision

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Only a block with a folder of its own is one. Comments, quoted signs and inner blocks do not mislead.
func TestBlocks(t *testing.T) {
	for _, tt := range []struct {
		kind serverKind
		text string
		want []string // line, root, hosts, ours, robots
	}{
		{(&Machine{}).nginx(), fmt.Sprintf(twoBlocks, "/www"), []string{
			"2 /www [www.example.com \"x{y}\"] false true", "9 /www [example.com] false false", "11 /srv/another [] false false",
		}},
		{(&Machine{}).nginx(), "server { root \"/a b\"; include snippets/wpsitemapd-locations.conf; }", []string{"1 /a b [] true false"}},
		{(&Machine{}).apache(), "<VirtualHost *:80>\n  ServerName A.test\n  ServerAlias b.test www.b.test\n  DocumentRoot \"/a b\"\n</VirtualHost>\n" +
			"DocumentRoot /outside\n<VirtualHost *:80>\n  Redirect / https://x/\n</VirtualHost>\n", []string{"1 /a b [a.test b.test www.b.test] false false"}},
	} {
		var got []string
		for _, b := range tt.kind.blocks("f", tt.text) {
			got = append(got, fmt.Sprint(b.line, " ", b.root, " ", b.hosts, " ", b.ours, " ", b.robots))
			expect.Equal(t, tt.text[:len(b.before)], b.before)
		}
		expect.List(t, got, tt.want, tt.kind.name)
	}
}

// Only include counts, and not in a comment or as part of another directive.
func TestIncludedByNginx(t *testing.T) {
	got := includedByNginx("include a/*; # include b;\nhttp { include 'c d'; proxy_set_header include e; include; }")
	expect.List(t, got, []string{"a/*", "c d"})
}

// The nearest root above wp-config.php wins. Only if there is none, a root directly below counts.
func TestServing(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	wptest.Must(t, err)
	wptest.Must(t, os.MkdirAll(filepath.Join(dir, "www/blog"), 0o755))
	wptest.Must(t, os.Symlink(filepath.Join(dir, "www"), filepath.Join(dir, "link")))
	for _, tt := range []struct {
		wpConfig string
		roots    []string
		want     []string
	}{
		{"www/blog", []string{"www", "www/blog", "", "www/blog/"}, []string{"www/blog", "www/blog/"}},
		{"www/blog", []string{"www", "www/blogs"}, []string{"www"}},
		{"www", []string{"link"}, []string{"link"}},
		{"www", []string{"www/blog", "www/blog/deep"}, []string{"www/blog"}},
		{"www/blog", []string{"www/other"}, nil},
	} {
		w := &webServer{}
		for _, root := range tt.roots {
			w.blocks = append(w.blocks, &block{root: dir + "/" + root, before: root})
		}
		var got []string
		for _, b := range w.serving(filepath.Join(dir, tt.wpConfig, "wp-config.php")) {
			got = append(got, b.before)
		}
		expect.List(t, got, tt.want, tt.wpConfig, tt.roots)
	}
}

func TestNamesOfABlock(t *testing.T) {
	b := &block{hosts: []string{"www.a.test", "b.test"}}
	for host, want := range map[string]bool{"a.test": true, "www.a.test": true, "www.b.test": true, "c.test": false, "test": false} {
		expect.Equal(t, b.names(host), want, host)
	}
}
