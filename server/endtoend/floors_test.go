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

	"wpsitemapd/wp/wptest"
)

// floors are the packages of the program, from the top down. A package imports only what is on a floor below its
// own. Those that are not named are helpers of tests and measurements.
var floors = []string{
	".",
	"server/command",
	"server",
	"server/check server/diff server/offline server/provision",
	"server/front server/admin",
	"server/survey",
	"server/owner",
	"server/pages server/route server/refresh server/announce server/journal",
	"server/site server/report",
	"server/live",
	"server/config server/metrics",
	"server/crawler server/traffic server/store/sqlite server/store/redis",
	"server/store server/listen server/proxy",

	"sitemap",
	"sitemap/yoast/news sitemap/yoast/video sitemap/extra",
	"sitemap/others sitemap/yoast sitemap/wpcore sitemap/rankmath sitemap/aioseo sitemap/seopress",
	"sitemap/news sitemap/video",
	"sitemap/provider sitemap/explain",
	"sitemap/catalog",
	"sitemap/rows",
	"sitemap/seo sitemap/view",
	"sitemap/urlset sitemap/redirects",

	"wp/address",
	"wp/sample wp/objects",
	"wp",
	"wp/multilingual wp/content/videos wp/writes",
	"wp/content wp/permalink",
	"wp/registry wp/wpconfig wp/db",
	"wp/formatting wp/weburl wp/registry/routes",
	"wp/php wp/release",

	"docs/deploy",
}

// A package imports only what is on a floor below its own, and the architecture names it.
func TestNoUpwardImports(t *testing.T) {
	const module = "wpsitemapd"
	architecture := fileText(t, "docs/developer/architecture.md")
	floor := map[string]int{}
	for i, names := range floors {
		for name := range strings.FieldsSeq(names) {
			floor[strings.TrimSuffix(module+"/"+name, "/.")] = i
			if strings.Contains(name, "/") && !strings.HasPrefix(name, "docs/") && !strings.Contains(architecture, "`"+name+"`") {
				t.Errorf("docs/developer/architecture.md does not name %s", name)
			}
		}
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"/...")
	out, err := list.Output()
	wptest.Must(t, err)
	for line := range strings.Lines(string(out)) {
		imports := strings.Fields(line)
		own, named := floor[imports[0]]
		for _, path := range imports[1:] {
			below, known := floor[path]
			switch {
			case !named || path != module && !strings.HasPrefix(path, module+"/"):
			case !known:
				t.Errorf("%s imports %s, which is on no floor", imports[0], path)
			case below <= own:
				t.Errorf("%s imports %s, which is not below it", imports[0], path)
			}
		}
	}
}

// naming are the plugins with packages of their own: the words by which each is named, and the places outside of its package whose
// code may do so:
//
//	sitemap/plugins.go         the list of plugins, those that amend robots.txt, the marks by which sitemaps of others are known
//	sitemap/redirects          redirect managers, which some are, too
//	wp/registry and others     types are discovered by the traces that plugins leave
//	wp/address                 addresses are compared with those that Yoast stores
//	wp/wpconfig, wp/formatting a constant that is read, a function of WordPress named after it
var naming = []struct {
	plugin, own string
	words       []string
	places      string
}{
	{
		"Yoast SEO", "sitemap/yoast/", []string{"yoast", "wpseo"},
		"sitemap/plugins.go sitemap/redirects sitemap/wpcore/wpcore.go " +
			"wp/registry wp/inputs.go wp/evidence.go wp/indexables.go " +
			"wp/address sitemap/explain/evidence.go sitemap/seo/checks.go server/check wp/wpconfig/config.go wp/formatting/entities.go",
	},
	{
		"Rank Math", "sitemap/rankmath/", []string{"rankmath", "rank_math", "rank math"},
		"sitemap/plugins.go sitemap/redirects wp/registry/core.go",
	},
	{"All in One SEO", "sitemap/aioseo/", []string{"aioseo", "all in one seo"}, "sitemap/plugins.go"},
	{"SEOPress", "sitemap/seopress/", []string{"seopress"}, "sitemap/plugins.go sitemap/redirects"},
}

// A plugin is named in its own package, in the list of plugins and where its traces are read.
func TestPluginsAreNamedInTheirPackages(t *testing.T) {
	root := filepath.Join("..", "..")
	list := exec.CommandContext(t.Context(), "git", "ls-files", "*.go")
	list.Dir = root
	out, err := list.Output()
	wptest.Must(t, err)
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
		named, places := map[string]bool{}, strings.Fields(n.places)
		for file, text := range code {
			word := wordIn(text, n.words...)
			if word == "" || strings.HasPrefix(file, n.own) {
				continue
			}
			place := file
			for place != "." && !slices.Contains(places, place) {
				place = filepath.Dir(place)
			}
			if named[place] = true; place == "." {
				t.Errorf("%s names %s: %s", file, n.plugin, word)
			}
		}
		for _, place := range places {
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
