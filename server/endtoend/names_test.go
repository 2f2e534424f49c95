package endtoend

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// naming are the plugins with packages of their own: the words by which each is named, and the places outside of its package
// whose code may do so, with the reason.
var naming = []struct {
	plugin, own string
	words       []string
	places      map[string]string
}{
	{"Yoast SEO", "sitemap/yoast/", []string{"yoast", "wpseo"}, map[string]string{
		"sitemap/sitemap.go":       inList,
		"sitemap/robots.go":        "the list of plugins that amend robots.txt",
		"sitemap/generators.go":    signs,
		"sitemap/redirects":        "Yoast SEO Premium is a redirect manager, too",
		"sitemap/wpcore/wpcore.go": "WordPress' lines of robots.txt stand before Yoast's block",

		"wp/inputs.go":      discovery,
		"wp/evidence.go":    discovery,
		"wp/woocommerce.go": discovery,

		"wp/witness.go":               witness,
		"sitemap/explain/evidence.go": witness,
		"sitemap/seo/checks.go":       witness,
		"server/check":                witness,

		"wp/registry": discovery,

		"wp/wpconfig/config.go":     "constants of wp-config.php that are read",
		"wp/formatting/entities.go": "a function of WordPress is named after it",
	}},
	{"Rank Math", "sitemap/rankmath/", []string{"rankmath", "rank_math", "rank math"}, map[string]string{
		"sitemap/sitemap.go": inList, "sitemap/generators.go": signs, "sitemap/redirects": manager,
		"wp/registry/core.go": "a post type that is never public",
	}},
	{"All in One SEO", "sitemap/aioseo/", []string{"aioseo", "all in one seo"}, map[string]string{
		"sitemap/sitemap.go": inList, "sitemap/generators.go": signs, "sitemap/redirects": manager,
	}},
	{"SEOPress", "sitemap/seopress/", []string{"seopress"}, map[string]string{
		"sitemap/sitemap.go": inList, "sitemap/generators.go": signs, "sitemap/redirects": manager,
	}},
	{"The SEO Framework", "sitemap/framework/", []string{"seo framework", "autodescription"}, map[string]string{
		"sitemap/generators.go": signs,
	}},
	{"Slim SEO", "sitemap/slimseo/", []string{"slimseo", "slim-seo", "slim_seo", "slim seo"}, map[string]string{
		"sitemap/sitemap.go": inList, "sitemap/generators.go": signs,
	}},
	{"Jetpack", "sitemap/jetpack/", []string{"jetpack"}, map[string]string{
		"sitemap/sitemap.go": inList, "sitemap/generators.go": signs,
		"wp/content/videos": "its block of videos",
	}},
}

const (
	inList    = "the list of plugins"
	signs     = "the marks by which sitemaps of others are known"
	manager   = "it is a redirect manager, too"
	discovery = "types are discovered by the traces that plugins leave"
	witness   = "addresses are compared with those it stores"
)

// A plugin is named in its own package, in the list of plugins and where its traces are read.
func TestPluginsAreNamedInTheirPackages(t *testing.T) {
	root := filepath.Join("..", "..")
	list := exec.CommandContext(t.Context(), "git", "ls-files", "*.go")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	code := map[string][]byte{} // of the product, by file
	for file := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/internal/") || strings.HasPrefix(file, "wp/wptest/") {
			continue
		}
		if code[file], err = os.ReadFile(filepath.Join(root, file)); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range naming {
		named := map[string]bool{}
		for file, text := range code {
			word := wordIn(text, n.words...)
			if word == "" || strings.HasPrefix(file, n.own) {
				continue
			}
			place := file
			for place != "." && n.places[place] == "" {
				place = filepath.Dir(place)
			}
			if named[place] = true; place == "." {
				t.Errorf("%s names %s: %s", file, n.plugin, word)
			}
		}
		for place := range n.places {
			if !named[place] {
				t.Errorf("%s does not name %s any more: take it from the list", place, n.plugin)
			}
		}
	}
}

// wordIn returns a word of a file's code, comments left out, that holds one of some names; "" for none.
func wordIn(text []byte, names ...string) string {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(text)), text, nil, 0)
	for {
		_, kind, word := s.Scan()
		lower := strings.ToLower(word)
		switch {
		case kind == token.EOF:
			return ""
		case slices.ContainsFunc(names, func(name string) bool { return strings.Contains(lower, name) }):
			return word
		}
	}
}
