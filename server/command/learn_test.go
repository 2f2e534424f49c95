package command

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// learn runs the command and returns its exit code and what it printed.
func (s *liveSite) learn(t *testing.T, args ...string) (int, string) {
	t.Helper()
	code, stdout, stderr := runCommand(t, append([]string{"learn", "--config", s.config, "--rate", "1000"}, args...)...)
	if stderr != "" {
		t.Log(stderr)
	}
	return code, stdout
}

// What a filter, a setting in PHP or a plugin has made otherwise is learnt as lines of the configuration, each tested; what nothing
// explains is said.
func TestLearn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(s *liveSite)
		want   []string
		code   int
		config string // more of it
	}{
		{"nothing differs", func(*liveSite) {}, []string{"site harbour: 0 differences, 0 remain\n"}, 0, ""},
		{"a slug that only a filter knows", func(s *liveSite) {
			s.sitemaps["/book-sitemap.xml"] = strings.ReplaceAll(s.sitemaps["/book-sitemap.xml"], "/library/the-", "/shelf/the-")
		}, []string{"[site.post_type.book]\nslug = \"shelf\" # ", ", 0 remain\n"}, 0, ""},
		{"a type that is left out", func(s *liveSite) {
			delete(s.sitemaps, "/book-sitemap.xml")
			s.replace(t, "/sitemap_index.xml", `<sitemap>\s*<loc>[^<]*/book-sitemap.xml</loc>.*?</sitemap>`, "")
		}, []string{"[site.post_type.book]\nexclude = true # the site lists none of its 3 URLs\n", ", 0 remain\n"}, 0, ""},
		{"an object that is left out", func(s *liveSite) {
			s.replace(t, "/book-sitemap.xml", `<url>\s*<loc>[^<]*/the-tide-table/</loc>.*?</url>`, "")
		}, []string{"[site.exclude]\npost_ids = [200] # the site does not list 1 of its posts\n"}, 0, ""},
		{"what nothing explains", func(s *liveSite) {
			s.replace(t, "/page-sitemap.xml", `</urlset>`, "<url><loc>https://example.test/made-up/</loc></url></urlset>")
		}, []string{"1 difference of URL not in ours, which no line explains: https://example.test/made-up/\n", "harbour: 1 difference, 1 remains\n"}, 1, ""},
		{"sitemaps of another plugin", func(s *liveSite) {
			s.answers["/wp-sitemap.xml"] = http.RedirectHandler("https://example.test/sitemap_index.xml", http.StatusMovedPermanently).ServeHTTP
		}, []string{"sitemaps = \"yoast\" # the site's sitemaps are those of Yoast SEO\n", ", 0 remain\n"}, 0,
			"sitemaps = \"core\"\n"},
		{"another home", func(s *liveSite) {
			for path, text := range s.sitemaps {
				if path != "/sitemap_index.xml" {
					s.sitemaps[path] = strings.ReplaceAll(text, "<loc>https://example.test/", "<loc>https://www.example.test/")
				}
			}
		}, []string{"home = \"https://www.example.test\" # its URLs begin with https://www.example.test\n", "69 differences, 6 remain\n"}, 1, ""},
		{"a type that counts as not public", func(*liveSite) {}, []string{"[site.post_type.book]\npublic = true # the site lists 3 URLs of it\n", ", 0 remain\n"}, 0,
			"[site.post_type.book]\npublic = false\n"},
		{"a type that counts as not viewable", func(*liveSite) {}, []string{"[site.post_type.book]\nviewable = true # ", ", 0 remain\n"}, 0,
			"[site.post_type.book]\nviewable = false\n"},
		{"no archive", func(s *liveSite) {
			s.replace(t, "/book-sitemap.xml", `<url>\s*<loc>https://example.test/library/</loc>.*?</url>`, "")
		}, []string{"[site.post_type.book]\narchive = false # the site does not list https://example.test/library/\n", ", 0 remain\n"}, 0, ""},
		{"an archive elsewhere", func(s *liveSite) {
			s.replace(t, "/book-sitemap.xml", `<loc>https://example.test/library/</loc>`, "<loc>https://example.test/reading/</loc>")
		}, []string{"[site.post_type.book]\narchive = \"reading\" # the site lists https://example.test/reading/\n", ", 0 remain\n"}, 0, ""},
		{"a term that is left out", func(s *liveSite) {
			s.replace(t, "/genre-sitemap.xml", `<url>\s*<loc>https://example.test/genre/fiction/</loc>.*?</url>`, "")
		}, []string{"[site.exclude]\nterm_ids = [40] # the site does not list 1 of its terms\n", ", 0 remain\n"}, 0, ""},
		{"a user who is left out", func(s *liveSite) {
			s.sitemaps["/author-sitemap.xml"] = regexp.MustCompile(`(?s)<url>.*?</url>`).ReplaceAllLiteralString(s.sitemaps["/author-sitemap.xml"], "")
		}, []string{"[site.exclude]\nuser_ids = ["}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startLiveSite(t, "basic", "types")
			text, err := os.ReadFile(s.config)
			wptest.Must(t, err)
			level := "compat = \"plugin\" # so\n"
			text = append([]byte("# kept\n"), append(text, level+tt.config...)...)
			wptest.Must(t, os.WriteFile(s.config, text, 0o600))
			tt.change(s)
			code, out := s.learn(t)
			expect.Parts(t, out, tt.want...)
			expect.Equal(t, code, tt.code, "exit code", out)
			if now, _ := os.ReadFile(s.config); !bytes.Equal(now, text) {
				t.Errorf("written without --write:\n%s", now)
			}
			if code, out = s.learn(t, "--write"); code != tt.code {
				t.Errorf("exit code %d\n%s", code, out)
			}
			now, _ := os.ReadFile(s.config)
			if !strings.HasPrefix(string(now), "# kept\n") || !strings.Contains(string(now), level) {
				t.Errorf("a comment is gone:\n%s", now)
			}
			if old, err := os.ReadFile(s.config + ".old"); !bytes.Equal(now, text) && (err != nil || !bytes.Equal(old, text)) {
				t.Errorf("%v: the old file is\n%s", err, old)
			}
			if code, out = s.learn(t); tt.code == 0 && !strings.Contains(out, "site harbour: 0 differences, 0 remain\n") {
				t.Errorf("once more: %d\n%s", code, out)
			}
		})
	}
}
