package front

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp/wptest/expect"
)

func TestAmendRobots(t *testing.T) {
	const ours = "https://a.test/sitemap_index.xml"
	two := []string{ours, "https://a.test/b/sitemap_index.xml"}
	for _, test := range []struct {
		rule, text string
		sitemaps   []string
		want       string
	}{
		{"a missing line is added", "User-agent: *\nDisallow:\n", []string{ours}, "User-agent: *\nDisallow:\n\nSitemap: " + ours + "\n"},
		{"also where the last line does not end", "User-agent: *\nDisallow:", []string{ours}, "User-agent: *\nDisallow:\n\nSitemap: " + ours + "\n"},
		{"a line that is there stays alone", "Sitemap: " + ours + "\n# END", []string{ours}, "Sitemap: " + ours + "\n# END"},
		{"however it is written", "  SiteMap :" + ours + " # ours\r\nx", []string{ours}, "  SiteMap :" + ours + " # ours\r\nx"},
		{"a byte order mark does not hide it", "\ufeffSitemap: " + ours, []string{ours}, "\ufeffSitemap: " + ours},
		{"one line too many goes", "Sitemap: " + ours + "\nA\nsitemap: " + ours + "\nB\n", []string{ours}, "Sitemap: " + ours + "\nA\nB\n"},
		{
			"other sitemaps stay", "Sitemap: https://a.test/wp-sitemap.xml\n", []string{ours},
			"Sitemap: https://a.test/wp-sitemap.xml\n\nSitemap: " + ours + "\n",
		},
		{"a longer address is another one", "Sitemap: " + ours + "?x\n", []string{ours}, "Sitemap: " + ours + "?x\n\nSitemap: " + ours + "\n"},
		{"a comment is none", "# Sitemap: " + ours + "\n", []string{ours}, "# Sitemap: " + ours + "\n\nSitemap: " + ours + "\n"},
		{"only what is missing of several", "Sitemap: " + two[1] + "\n", two, "Sitemap: " + two[1] + "\n\nSitemap: " + ours + "\n"},
		{"several are missing", "x\n", two, "x\n\nSitemap: " + ours + "\nSitemap: " + two[1] + "\n"},
		{"an empty text", "", []string{ours}, "Sitemap: " + ours + "\n"},
		{"nothing but a byte order mark", "\ufeff", []string{ours}, "\ufeffSitemap: " + ours + "\n"},
		{"lines of Windows", "User-agent: *\r\nDisallow:\r\n", []string{ours}, "User-agent: *\r\nDisallow:\r\n\r\nSitemap: " + ours + "\r\n"},
		{"a line of Windows is there", "Sitemap: " + ours + "\r\nx\r\n", []string{ours}, "Sitemap: " + ours + "\r\nx\r\n"},
		{"in Yoast's block",
			"x\n# START YOAST BLOCK\n# ---------------------------\nUser-agent: *\nDisallow:\n\n# ---------------------------\n# END YOAST BLOCK",
			two,
			"x\n# START YOAST BLOCK\n# ---------------------------\nUser-agent: *\nDisallow:\n\nSitemap: " +
				ours + "\nSitemap: " + two[1] + "\n# ---------------------------\n# END YOAST BLOCK"},
		{"behind another sitemap in Yoast's block",
			"# START YOAST BLOCK\nSitemap: http://old.test/sitemap_index.xml\n# ---------------------------\n# END YOAST BLOCK\nDisallow: /x\n",
			[]string{ours},
			"# START YOAST BLOCK\nSitemap: http://old.test/sitemap_index.xml\nSitemap: " +
				ours + "\n# ---------------------------\n# END YOAST BLOCK\nDisallow: /x\n"},
		{
			"what only quotes the block is no block", "x # ---------------------------\n# END YOAST BLOCK", []string{ours},
			"x # ---------------------------\n# END YOAST BLOCK\n\nSitemap: " + ours + "\n",
		},
	} {
		expect.Equal(t, string(amendRobots([]byte(test.text), test.sitemaps, &yoast.Plugin)), test.want, test.rule)
	}
}

func TestAmendRobotsOfCore(t *testing.T) {
	const ours, rest = "https://a.test/wp-sitemap.xml", "# START YOAST BLOCK\nUser-agent: *\nDisallow:\n\n# " +
		"---------------------------\n# END YOAST BLOCK"
	for text, want := range map[string]string{
		"User-agent: *\nDisallow: /wp-admin/\n": "User-agent: *\nDisallow: /wp-admin/\n\nSitemap: " + ours + "\n",
		rest:                                    "Sitemap: " + ours + "\n\n" + rest,
		"x\n\n" + rest:                          "x\n\nSitemap: " + ours + "\n\n" + rest,
		"Sitemap: " + ours + "\n\n" + rest:      "Sitemap: " + ours + "\n\n" + rest,
	} {
		expect.Equal(t, string(amendRobots([]byte(text), []string{ours}, &wpcore.Plugin)), want, text)
	}
}

func FuzzAmendRobots(f *testing.F) {
	const ours = "https://a.test/sitemap_index.xml"
	f.Add("User-agent: *\nDisallow: /\nSitemap: " + ours + "\nSitemap: " + ours)
	f.Add("sitemap :\t" + ours + "\r\n#")
	f.Fuzz(func(t *testing.T, text string) {
		once := amendRobots([]byte(text), []string{ours}, &yoast.Plugin)
		count := 0
		for line := range strings.Lines(string(once)) {
			if v, ok := sitemapLine([]byte(line)); ok && v == ours {
				count++
			}
		}
		expect.Equal(t, count, 1, "lines in", once)
		expect.Equal(t, string(amendRobots(once, []string{ours}, &yoast.Plugin)), string(once), once)
	})
}

// robotsUpstream starts an upstream that answers robots.txt with the result of answer.
