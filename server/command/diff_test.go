package command

import (
	"strings"
	"testing"

	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestDiffText(t *testing.T) {
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	s.Sitemaps["/post-sitemap.xml"] = strings.Replace(s.Sitemaps["/post-sitemap.xml"],
		"</urlset>", "<url><loc>https://example.test/no-such-thing/</loc></url></urlset>", 1)
	code, stdout, stderr := runCommand(t, "diff", "--config", s.Config, "--rate", "1000")
	expect.Equal(t, code, trouble)
	expect.Equal(t, stderr, "")
	expect.Parts(t, stdout,
		"compared with https://example.test/sitemap_index.xml, written by Yoast SEO: ",
		"1 UNEXPLAINED: URL not in ours (explain says: nothing at this URL. If a filter in PHP gives an object this URL, the "+
			"database does not show that: exclude the object by its ID, and list the URL in [[site.extra]])\n        1 in the sitemap post\n        "+
			"https://example.test/no-such-thing/\n          theirs: post, page 1\n          ours:   not listed\n",
		"level plugin: not yet safe to switch: 1 unexplained difference, 0 known ones\n",
		" known: image titles (",
	)
}

func TestDiffUsage(t *testing.T) {
	text := "[[site]]\nname = \"a\"\ndsn = \"sqlite:a.sqlite\"\n[[site]]\nname = \"b\"\ndsn = \"sqlite:b.sqlite\"\nhosts = [\"b.test\"]\n"
	config := writeConfig(t, text)
	for _, test := range []struct {
		rule string
		args []string
		want string
	}{
		{"a level nobody knows", []string{"--compat", "yoast"}, `must be "both", "spec" or "plugin"`},
		{"an address without a host", []string{"--live", "sitemap_index.xml"}, "must be a URL"},
		{"a password in an address", []string{"--live", "https://a:b@c.test/"}, "must be a URL"},
		{"one address for two sites", []string{"--live", "https://a.test/"}, "--site NAME"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			code, stdout, stderr := runCommand(t, append([]string{"diff", "--config", config}, test.args...)...)
			if code != misuse || !strings.Contains(stderr, test.want) || stdout != "" {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
}
