package endtoend

import (
	"io/fs"
	"maps"
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
	"server/check server/diff server/provision",
	"server/front server/admin",
	"server/respond",
	"server/explainer",
	"server/owner",
	"server/pages server/route server/refresh server/announce",
	"server/site server/report",
	"server/live",
	"server/config server/metrics",
	"server/crawler server/store/sqlite server/store/redis",
	"server/store server/changes " +
		"server/listen server/proxy server/indexnow",

	"sitemap",
	"sitemap/others sitemap/yoast sitemap/wpcore sitemap/rankmath sitemap/aioseo sitemap/seopress sitemap/framework sitemap/slimseo sitemap/jetpack",
	"sitemap/yoast/news sitemap/yoast/video sitemap/extra",
	"sitemap/yoast/options sitemap/news sitemap/video",
	"sitemap/provider sitemap/explain sitemap/ledger",
	"sitemap/catalog",
	"sitemap/rows",
	"sitemap/seo sitemap/view",
	"sitemap/urlset sitemap/redirects",

	"wp/sample",
	"wp",
	"wp/multilingual wp/content/videos wp/writes",
	"wp/content wp/permalink",
	"wp/registry wp/wpconfig wp/db",
	"wp/formatting wp/weburl wp/registry/routes",
	"wp/php wp/release",

	"docs/deploy",
}

func TestNoUpwardImports(t *testing.T) {
	const module = "wpsitemapd"
	floor := map[string]int{}
	for i, names := range floors {
		for name := range strings.FieldsSeq(names) {
			floor[strings.TrimSuffix(module+"/"+name, "/.")] = i
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

// The tables of the architecture name every package of the program.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	text := fileText(t, "docs/developer/architecture.md")
	packages := map[string]bool{}
	for _, room := range []string{"server", "sitemap", "wp"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal" || strings.HasSuffix(d.Name(), "test")):
				return filepath.SkipDir
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				relative, err := filepath.Rel(root, filepath.Dir(path))
				packages[filepath.ToSlash(relative)] = true
				return err
			}
			return nil
		})
		wptest.Must(t, err)
	}
	if len(packages) < 40 {
		t.Fatalf("only %d packages are found", len(packages))
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/developer/architecture.md does not name %s", name)
		}
	}
}
