package endtoend

import (
	"os/exec"
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
	"server/owner",
	"server/pages server/route server/refresh server/announce",
	"server/site server/report",
	"server/live",
	"server/config server/metrics",
	"server/crawler server/store/sqlite server/store/redis",
	"server/store server/changes server/listen server/proxy",

	"sitemap",
	"sitemap/yoast/news sitemap/yoast/video sitemap/extra",
	"sitemap/others sitemap/yoast sitemap/wpcore sitemap/rankmath sitemap/aioseo sitemap/seopress sitemap/framework sitemap/slimseo sitemap/jetpack",
	"sitemap/news sitemap/video",
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
