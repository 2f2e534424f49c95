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

// namingYoast are the places outside of sitemap/yoast whose code may name Yoast SEO, with the reason.
var namingYoast = map[string]string{
	"sitemap/sitemap.go":       "the list of plugins",
	"sitemap/robots.go":        "the list of plugins that amend robots.txt",
	"sitemap/generators.go":    "the marks by which sitemaps of others are known",
	"sitemap/redirects":        "Yoast SEO Premium is a redirect manager, too",
	"sitemap/wpcore/plugin.go": "WordPress' lines of robots.txt stand before Yoast's block",

	"wp/evidence.go":    discovery,
	"wp/woocommerce.go": discovery,
	"wp/registry":       discovery,

	"wp/sample":                 "posts as a site with Yoast SEO has them",
	"wp/wpconfig/config.go":     "constants of wp-config.php that are read",
	"wp/formatting/entities.go": "a function of WordPress is named after it",

	"wp/inputs.go": discovery,
	"wp/binlog.go": stored,
}

const (
	discovery = "types are discovered by the traces that plugins leave"
	stored    = "what Yoast SEO stores is still decoded beside what WordPress stores"
)

// A plugin is named in its own package, in the list of plugins and where types are discovered by the traces it leaves.
func TestPluginsAreNamedInTheirPackages(t *testing.T) {
	root := filepath.Join("..", "..")
	list := exec.CommandContext(t.Context(), "git", "ls-files", "*.go")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for file := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "sitemap/yoast/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if word := namesYoast(text); word != "" {
			place := file
			for place != "." && namingYoast[place] == "" {
				place = filepath.Dir(place)
			}
			if named[place] = true; place == "." {
				t.Errorf("%s names Yoast SEO: %s", file, word)
			}
		}
	}
	for place := range namingYoast {
		if !named[place] {
			t.Errorf("%s does not name Yoast SEO any more: take it from the list", place)
		}
	}
}

// namingSEOPress are the places outside of sitemap/seopress whose code may name SEOPress.
var namingSEOPress = []string{
	"sitemap/sitemap.go",      // the list of plugins
	"sitemap/generators.go",   // the marks by which sitemaps of others are known
	"sitemap/explain/file.go", // the query variables that ask for a sitemap of any plugin
	"sitemap/redirects/",      // it is a redirect manager, too
}

func TestSEOPressIsNamedInItsPackage(t *testing.T) {
	root := filepath.Join("..", "..")
	list := exec.CommandContext(t.Context(), "git", "ls-files", "*.go")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for file := range strings.FieldsSeq(string(out)) {
		may := func(place string) bool { return strings.HasPrefix(file, place) }
		if strings.HasSuffix(file, "_test.go") || may("sitemap/seopress/") || slices.ContainsFunc(namingSEOPress, may) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if word := wordIn(text, "seopress"); word != "" {
			t.Errorf("%s names SEOPress: %s", file, word)
		}
	}
}

// namesYoast returns a word of a file's code that names Yoast SEO; "" for none.
func namesYoast(text []byte) string { return wordIn(text, "yoast", "wpseo") }

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
