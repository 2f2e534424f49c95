package sitemap

import (
	"encoding/xml"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// quiet takes the warnings a page logs; what they count is tested by what the page holds.
var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// openSites opens a loaded site, or the blogs of a network. The connection is closed when
// the test ends.
func openSites(t testing.TB, src wp.Source) []*wp.Site {
	t.Helper()
	if src.Name == "" {
		src.Name = "test"
	}
	src.Declared = Declared
	n, err := wp.Open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	sites, err := n.Sites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sites
}

// openSite is openSites for a single site.
func openSite(t testing.TB, src wp.Source) *wp.Site {
	t.Helper()
	sites := openSites(t, src)
	if len(sites) != 1 {
		t.Fatalf("%d sites, want 1", len(sites))
	}
	return sites[0]
}

func mustBuild(t testing.TB, site *wp.Site, opt seo.Options) *Catalog {
	t.Helper()
	if opt.Log == nil {
		opt.Log = quiet
	}
	c, err := Build(t.Context(), site, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustRender(t testing.TB, c *Catalog, name string, page int) *catalog.Document {
	t.Helper()
	doc, err := c.Render(t.Context(), name, page)
	if err != nil {
		t.Fatalf("rendering %s page %d: %v", name, page, err)
	}
	return doc
}

// parsed is a sitemap or an index as a crawler reads it.
type parsed struct {
	Entries []parsedEntry
}

type parsedEntry struct {
	Loc, LastMod string
	Images       []parsedImage
}

type parsedImage struct{ Loc, Title string }

// parse reads a document with the standard library, which knows nothing of how it was made.
func parse(t testing.TB, body []byte) parsed {
	t.Helper()
	type image struct {
		Loc   string `xml:"http://www.google.com/schemas/sitemap-image/1.1 loc"`
		Title string `xml:"http://www.google.com/schemas/sitemap-image/1.1 title"`
	}
	type entry struct {
		Loc     string  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
		LastMod string  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 lastmod"`
		Images  []image `xml:"http://www.google.com/schemas/sitemap-image/1.1 image"`
	}
	var doc struct {
		XMLName  xml.Name
		URLs     []entry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
		Sitemaps []entry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemap"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		t.Fatalf("not well-formed: %v\n%.2000s", err, body)
	}
	var p parsed
	for _, e := range append(doc.URLs, doc.Sitemaps...) {
		out := parsedEntry{Loc: e.Loc, LastMod: e.LastMod}
		for _, i := range e.Images {
			out.Images = append(out.Images, parsedImage(i))
		}
		p.Entries = append(p.Entries, out)
	}
	return p
}

// newest is the newest lastmod of a document, "" without one. All are written in UTC, so
// that text sorts as time does.
func (p parsed) newest() string {
	newest := ""
	for _, e := range p.Entries {
		newest = max(newest, e.LastMod)
	}
	return newest
}

// String is the document a line an entry and an image, for comparison.
func (p parsed) String() string {
	var b strings.Builder
	for _, e := range p.Entries {
		b.WriteString(e.Loc + " " + e.LastMod + "\n")
		for _, i := range e.Images {
			b.WriteString("\t" + i.Loc)
			if i.Title != "" {
				b.WriteString(" | " + i.Title)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// written is a date as sitemaps have it, "" for none.
func written(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return strings.TrimSuffix(at.UTC().Format(time.RFC3339), "Z") + "+00:00"
}

// testdata is the directory of that name beside go.mod.
const testdata = "../testdata"

// seeds lists every seed of testdata/seed, each with those it is on.
func seeds(t testing.TB) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testdata, "seed", "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no seeds (%v)", err)
	}
	all := map[string][]string{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		all[name] = slices.Compact([]string{"basic", name})
		if strings.HasPrefix(name, "small-") {
			all[name] = []string{"small", name}
		}
	}
	return all
}

func readFile(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{testdata}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
