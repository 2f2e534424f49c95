package extra_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A file's list has each URL of the site once, in the order of the file, and at level spec no date in the future. Without a URL the index
// does not name it.
func TestListOfFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	opt := seo.Options{Extra: []seo.Extra{
		{Name: "tours", File: write("a.csv", "/b/,2026-03-01\n/a/,2999-01-01\n/b/,2026-04-01\nhttps://elsewhere.test/,\nhttps://elsewhere.test/,\n")},
		{Name: "none", File: write("a.txt", "# later\n")},
		{Name: "docs", URL: "https://docs.small.test/sitemap.xml"},
	}}
	for level, future := range map[seo.Level]string{seo.SpecLevel: "", seo.PluginLevel: "2999-01-01T00:00:00+00:00"} {
		opt.Compat = level
		c := sitemaptest.Of(t, "small", opt)
		expect.Equal(t, sitemaptest.Parse(t, sitemaptest.Render(t, c, "extra-tours", 1).Body).String(),
			"https://small.test/b/ 2026-03-01T00:00:00+00:00\nhttps://small.test/a/ "+future+"\n", level)
		expect.Equal(t, c.LeftOut[seo.ExternalLink], 1, level, "left out")
		index := sitemaptest.Render(t, c, seo.IndexName, 1).Body
		expect.Equal(t, sitemaptest.IndexDate(t, index, "https://small.test/extra-tours-sitemap.xml"), max("2026-03-01T00:00:00+00:00", future), level)
		expect.Equal(t, sitemaptest.IndexDate(t, index, "https://docs.small.test/sitemap.xml"), "", level)
		expect.Equal(t, bytes.Contains(index, []byte("extra-none")), false, level)
	}
}
