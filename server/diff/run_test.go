package diff

import (
	"crypto/md5"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// siteReport compares the only site of a configuration at some levels, at both if none is given. at is the URL of the index to
// compare with; "" means the site's own.
func siteReport(t *testing.T, path, at string, levels ...seo.Level) *SiteReport {
	t.Helper()
	cfg, err := config.Load(path)
	wptest.Must(t, err)
	d := Run{Levels: levels, Rate: 1000, Agent: "wpsitemapd/1", Err: io.Discard}
	if len(levels) == 0 {
		d.Levels = []seo.Level{seo.SpecLevel, seo.PluginLevel}
	}
	if at != "" {
		d.Live, err = url.Parse(at)
		wptest.Must(t, err)
	}
	r, err := d.Site(t.Context(), &cfg.Sites[0])
	wptest.Must(t, err)
	expect.Equal(t, r.OK, !slices.ContainsFunc(r.Blogs, func(b *BlogReport) bool { return !b.OK }), "OK", r.Errors)
	return r
}

// blogReport is siteReport for the only blog of a site.
func blogReport(t *testing.T, path, at string, levels ...seo.Level) *BlogReport {
	t.Helper()
	r := siteReport(t, path, at, levels...)
	if len(r.Blogs) != 1 {
		t.Fatalf("%d blogs: %v", len(r.Blogs), r.Errors)
	}
	return r.Blogs[0]
}

// groups returns the differences at a level as "count facet cause". Known ones are left out unless known is set.
func groups(b *BlogReport, level string, known bool) []string {
	all := []string{}
	for _, l := range b.Levels {
		for _, g := range l.Groups {
			if l.Level == level && (known || !g.Known) {
				all = append(all, fmt.Sprintf("%d %s: %s", g.Count, g.What, g.Cause))
			}
		}
	}
	return all
}

// If one thing in what the site serves is changed, that is the difference.
func TestPlantedDifferences(t *testing.T) {
	const post, page, noindexed = "/post-sitemap.xml", "/page-sitemap.xml", "noindex-1"
	entry := func(t *testing.T, s *sitetest.LiveSite, path string, n int) (text, loc string) {
		all := regexp.MustCompile(`(?s)\t<url>.*?</url>\n`).FindAllString(s.Sitemaps[path], -1)
		if n >= len(all) {
			t.Fatalf("%s has %d entries", path, len(all))
		}
		return all[n], regexp.MustCompile(`<loc>(.*?)</loc>`).FindStringSubmatch(all[n])[1]
	}
	tests := []struct {
		rule  string
		plant func(t *testing.T, s *sitetest.LiveSite)
		want  []string // at both levels, beside the known differences of spec
		fails int
	}{
		{"nothing", func(*testing.T, *sitetest.LiveSite) {}, nil, 0},
		{"an entry that they lack", func(t *testing.T, s *sitetest.LiveSite) {
			text, _ := entry(t, s, post, 3)
			s.Sitemaps[post] = strings.Replace(s.Sitemaps[post], text, "", 1)
		}, []string{"1 URL only in ours: listed"}, 0},
		{"an entry that Yoast leaves out by its rules", func(t *testing.T, s *sitetest.LiveSite) {
			s.Sitemaps[post] = strings.Replace(s.Sitemaps[post], "</urlset>", "<url><loc>https://example.test/"+noindexed+"/</loc></url></urlset>", 1)
		}, []string{"1 URL not in ours: noindex"}, 0},
		{"a file that is cut off", func(t *testing.T, s *sitetest.LiveSite) {
			s.Sitemaps[post] = s.Sitemaps[post][:len(s.Sitemaps[post])/2]
		}, nil, 1},
	}
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	original := maps.Clone(s.Sitemaps)
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			s.Sitemaps, s.Answers, s.Requests = maps.Clone(original), map[string]http.HandlerFunc{}, nil
			test.plant(t, s)
			b := blogReport(t, s.Config, "")
			want := append([]string{}, test.want...)
			for _, level := range []string{"spec", "plugin"} {
				expect.Same(t, want, groups(b, level, level == "plugin"), "level", level, b.Error)
			}
			expect.Equal(t, b.OK, len(want) == 0 && test.fails == 0, "OK", b.Error)
			expect.Equal(t, len(b.Failed), test.fails, "failed", b.Failed)
			expect.Equal(t, b.Generator, "Yoast SEO", "failed", b.Failed)
			for _, l := range b.Levels {
				count := map[bool]int{}
				for _, g := range l.Groups {
					count[g.Known] += g.Count
				}
				expect.Equal(t, l.Known, count[true], l.Level, "known")
				expect.Equal(t, l.Unexplained, count[false], l.Level, "unexplained")
				if (l.NotCompared > 0) != (test.fails > 0) || l.Safe != b.OK || strings.HasPrefix(l.Verdict, "safe") != l.Safe {
					t.Errorf("%+v", l)
				}
			}
			for _, r := range s.Requests {
				if !strings.HasPrefix(r, "example.test/") || !strings.Contains(r, " wpsitemapd/") {
					t.Errorf("request %s", r)
				}
			}
		})
	}
}

func TestOtherSites(t *testing.T) {
	for _, test := range []struct{ rule, seeds string }{
		{"without permalinks", "basic plain"},
		{"WordPress' own sitemaps", "small small-core"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, strings.Fields(test.seeds)...))
			if test.rule == "without permalinks" { // the index names addresses that only redirect to themselves
				for path, body := range maps.Clone(s.Sitemaps) {
					name := strings.TrimSuffix(strings.TrimPrefix(path, "/"), "-sitemap.xml")
					if path == "/sitemap_index.xml" {
						name = "1"
					}
					delete(s.Sitemaps, path)
					s.Sitemaps["/?sitemap="+name] = body
				}
			}
			b := blogReport(t, s.Config, "")
			if got := groups(b, "plugin", true); !b.OK || len(got) > 0 || b.URLs == 0 {
				t.Errorf("%q, %d URLs, error %q, failed %v", got, b.URLs, b.Error, b.Failed)
			}
			if got := groups(b, "spec", false); len(got) > 0 {
				t.Errorf("level spec: %q", got)
			}
		})
	}
}

// What the operator excludes is a known difference.
func TestExclusionsAreKnown(t *testing.T) {
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	s.Configure(t, "[site.exclude]\npost_ids = [101]\nurls = [\"/tag/\"]\n[site.taxonomy.category]\nexclude = true\n")
	b := blogReport(t, s.Config, "", seo.PluginLevel)
	excluded := map[string]bool{}
	for _, g := range b.Levels[0].Groups {
		for name := range g.Sitemaps {
			excluded[name] = excluded[name] || g.Cause == "configuration"
		}
	}
	if want := map[string]bool{"post": true, "post_tag": true, "category": true}; !b.OK || !maps.Equal(excluded, want) {
		t.Errorf("excluded in %v, unexplained %q", excluded, groups(b, "plugin", false))
	}
}

// Every key of the configuration that adds or removes something is a known cause at both levels.
func TestEveryKeyIsKnown(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "urls.txt")
	wptest.Must(t, os.WriteFile(list, []byte("https://example.test/tours/1/\n"), 0o600))
	for _, keys := range []string{
		"[site.exclude]\npost_ids = [101]", "[site.exclude]\nterm_ids = [10]", "[site.exclude]\nuser_ids = [2]", "[site.exclude]\nurls = [\"/tag/\"]",
		"[site.exclude]\nterms = [\"category:ferries\"]", "[site.post_type.post]\nexclude = true", "[site.taxonomy.category]\nexclude = true",
		"[site.post_type.post]\nolder_than = \"1d\"", "[site.post_type.book]\nsingles = false", "[site.post_type.product]\nstock = \"hide\"",
		"[site.news]\nenabled = true", "[site.video]\nenabled = true",
		"[site.images]\nmeta = [\"_thumbnail_id\"]", "[[site.extra]]\nname = \"tours\"\nfile = " + strconv.Quote(list),
	} {
		seed := "types"
		if strings.Contains(keys, "product") {
			seed = "woo"
		}
		dsn := wptest.Load(t, wptest.SQLite, "basic", seed)
		wptest.Exec(t, dsn, `UPDATE wp_posts SET post_date = datetime('now', '-1 hours'), post_date_gmt = datetime('now', '-1 hours'),
			post_content = '<iframe src="https://www.youtube.com/embed/aaaaaaaaaaa"></iframe>' WHERE ID IN (2, 100)`,
			"INSERT INTO wp_terms (term_id, name, slug) VALUES (95, 'outofstock', 'outofstock')",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (95, 95, 'product_visibility', '', 0, 1)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (301, 95)")
		s := sitetest.StartLiveSite(t, dsn)
		s.Configure(t, keys+"\n")
		b := blogReport(t, s.Config, "")
		for _, level := range []string{"plugin", "spec"} {
			if got := groups(b, level, false); len(got) > 0 || !b.OK {
				t.Errorf("%s\nlevel %s: unexplained %q %s", keys, level, got, b.Error)
			}
		}
		if all := append(groups(b, "plugin", true), groups(b, "spec", true)...); !strings.Contains(strings.Join(all, "\n"), "configuration") &&
			!strings.Contains(keys, "images") { // differences in images are known as differences between the levels
			t.Errorf("%s\nnothing is of the configuration: %q", keys, all)
		}
	}
}

// If the configuration adds and removes nothing, it is not the cause of a change that happens during the comparison.
func TestConfigurationIsNotBlamed(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	s := sitetest.StartLiveSite(t, dsn)
	s.Configure(t, "[site.post_type.book]\nslug = \"book\"\n")
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 101")
	s.Answers["/sitemap_index.xml"] = func(w http.ResponseWriter, r *http.Request) {
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'publish' WHERE ID = 101")
		fmt.Fprint(w, s.Sitemaps[r.URL.Path])
	}
	b := blogReport(t, s.Config, "")
	all := append(groups(b, "plugin", true), groups(b, "plugin", false)...)
	if got := strings.Join(all, "\n"); !strings.Contains(got, "URL not in ours") || strings.Contains(got, "configuration") {
		t.Errorf("%s\n%s", got, b.Error)
	}
}

// As the daemon does, diff asks the site at which URLs its types and single objects answer.
func TestSiteIsAsked(t *testing.T) {
	stored := func(id int, address string) string {
		return fmt.Sprintf(`UPDATE wp_yoast_indexable SET permalink = '%s', permalink_hash = '%d:%x', blog_id = 1, updated_at = '2026-01-01 00:00:00',
object_last_modified = '2024-08-06 10:00:00' WHERE object_type = 'post' AND object_id = %d`, address, len(address), md5.Sum([]byte(address)), id)
	}
	for _, tt := range []struct {
		rule, path, now string // pages below path answer below now
		rows            []string
		known           []string
	}{
		{"a type", "/library/", "/by/ann/", nil, []string{"3 URL not in ours: left-to-site", "1 sitemap not in ours: left-to-site"}},
		{"an object", "/library/the-tide-table/", "/by-hand/", []string{
			stored(200, "https://example.test/by-hand/"), stored(201, "https://example.test/library/the-knot-book/"),
		}, []string{}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "basic", "types")
			wptest.Exec(t, dsn, tt.rows...)
			s := sitetest.StartLiveSite(t, dsn)
			const books = "/book-sitemap.xml"
			for _, path := range regexp.MustCompile("(?m)"+tt.path+"[^<]*").FindAllString(s.Sitemaps[books], -1) {
				s.Answers[path] = http.RedirectHandler(strings.Replace(path, tt.path, tt.now, 1), http.StatusMovedPermanently).ServeHTTP
				s.Answers[strings.Replace(path, tt.path, tt.now, 1)] = func(w http.ResponseWriter, r *http.Request) {
					fmt.Fprintf(w, `<!DOCTYPE html><link rel="canonical" href="https://%s%s">`, r.Host, r.URL.Path)
				}
			}
			s.Sitemaps[books] = strings.ReplaceAll(s.Sitemaps[books], "https://example.test"+tt.path, "https://example.test"+tt.now)
			b := blogReport(t, s.Config, "")
			expect.Same(t, []string{}, append(groups(b, "plugin", false), groups(b, "spec", false)...), "unexplained", b.Error)
			expect.Equal(t, b.OK, true)
			expect.Same(t, tt.known, groups(b, "plugin", true), "known")
		})
	}
}

// The sitemaps at --live are read there, with the hosts that they name. The site itself is not asked. A copy of the
// site at another host is compared as if it were at home.
func TestAnotherPlace(t *testing.T) {
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	for _, tt := range []struct {
		rule, path string
		home       string // replaces https://example.test/ in what the site serves; HOST is its host
		notes      int
	}{
		{"a copy", "/sitemap_index.xml", "http://HOST/", 1},
		{"the site, whatever the host", "/sitemap_index.xml", "https://example.test/", 0},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			place := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ok := s.Sitemaps[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				fmt.Fprint(w, strings.ReplaceAll(body, "https://example.test/", strings.ReplaceAll(tt.home, "HOST", r.Host)))
			}))
			defer place.Close()
			b := blogReport(t, s.Config, place.URL+tt.path, seo.PluginLevel)
			expect.Equal(t, b.Live, place.URL+tt.path)
			if got := groups(b, "plugin", true); !b.OK || len(got) > 0 || len(b.Failed) > 0 || b.URLs == 0 || len(b.Notes) != tt.notes ||
				len(s.Requests) > 0 {
				t.Errorf("%q, %d URLs in %d sitemaps, failed %v, notes %q, error %q", got, b.URLs, b.Sitemaps, b.Failed, b.Notes, b.Error)
			}
		})
	}
}

// A host without an address is asked once, not once for every sitemap.
func TestHostIsGivenUpOnce(t *testing.T) {
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	text, err := os.ReadFile(s.Config)
	wptest.Must(t, err)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, upstream := range []string{closed.URL, "http://nowhere.invalid"} {
		for where, at := range map[string]string{
			"upstream " + upstream + " of site harbour": "", "--live " + upstream + "/sitemap_index.xml": upstream + "/sitemap_index.xml",
		} {
			t.Run(where, func(t *testing.T) {
				t.Parallel() // each waits before it tries again
				own := filepath.Join(t.TempDir(), "wpsitemapd.toml")
				changed := regexp.MustCompile(`upstream = .*`).ReplaceAllString(string(text), "upstream = "+strconv.Quote(upstream))
				wptest.Must(t, os.WriteFile(own, []byte(changed), 0o600))
				b := blogReport(t, own, at, seo.PluginLevel)
				if b.OK || !strings.Contains(b.Error, where+" does not answer") || b.Requests > 3 {
					t.Errorf("%d requests: %s", b.Requests, b.Error)
				}
			})
		}
	}
}

func TestCannotBegin(t *testing.T) {
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	index := s.Sitemaps["/sitemap_index.xml"]
	for _, test := range []struct{ rule, body, want string }{
		{"a page instead of the index", "<!DOCTYPE html><html></html>", "give --live URL"},
		{"an index that is cut off", index[:len(index)-30], "check that the site answers there"},
		{"our own sitemaps", strings.Replace(index, "Yoast SEO", "wpsitemapd", 1), "wpsitemapd itself serves the sitemaps"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			s.Sitemaps["/sitemap_index.xml"] = test.body
			b := blogReport(t, s.Config, "")
			if b.OK || !strings.Contains(b.Error, test.want) || len(b.Levels) > 0 {
				t.Errorf("error %q, want %q", b.Error, test.want)
			}
		})
	}
}

// If the database does not contain the version of a plugin, the served sitemaps show it. Differences from the newest
// rules are then known, and so are old rules that we do not follow.
func TestVersionIsFound(t *testing.T) {
	t.Parallel()
	const lists = `a:3:{s:35:"seopress_xml_sitemap_general_enable";s:1:"1";s:31:"seopress_xml_sitemap_img_enable";s:1:"1";` +
		`s:36:"seopress_xml_sitemap_post_types_list";a:2:{s:4:"page";a:1:{s:7:"include";s:1:"1";}s:4:"post";a:1:{s:7:"include";s:1:"1";}}}`
	const files, image = "date in the index", "<image:image><image:loc>https://example.test/planted.jpg</image:loc></image:image></url>"
	for version, want := range map[string][]string{
		"9.7.4": {"1 images: unexplained"},
		"8.4":   {"2 date in the index: version", "1 images: version"},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "basic")
		wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wp-seopress/seopress.php";}'),
				('seopress_toggle', 'a:1:{s:18:"toggle-xml-sitemap";s:1:"1";}'), ('seopress_xml_sitemap_option_name', '`+lists+`'),
				('_site_transient_update_plugins', 'O:8:"stdClass":2:{s:12:"last_checked";i:4000000000;s:7:"checked";a:1:{s:24:"wp-seopress/seopress.php";s:`+
			strconv.Itoa(len(version))+`:"`+version+`";}}')`)
		s := sitetest.StartLiveSite(t, dsn)
		wptest.Exec(t, dsn, "DELETE FROM wp_options WHERE option_name = '_site_transient_update_plugins'")
		if b := blogReport(t, s.Config, "", seo.PluginLevel); !b.OK {
			t.Errorf("SEOPress %s: %+v", version, b)
		}
		s.Sitemaps["/post-sitemap1.xml"] = strings.Replace(s.Sitemaps["/post-sitemap1.xml"], "</url>", image, 1)
		b := blogReport(t, s.Config, "", seo.PluginLevel)
		expect.Same(t, want, groups(b, "plugin", true), "SEOPress", version)
		expect.Equal(t, b.OK, version == "8.4", "SEOPress", version)
		for _, g := range b.Levels[0].Groups {
			if g.What == files && !strings.HasPrefix(g.Why, "SEOPress "+version+" does so") {
				t.Errorf("%s: %s", g.What, g.Why)
			}
		}
	}
}

// Every blog of a network is compared with its own index.
func TestNetwork(t *testing.T) {
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic", "network"))
	r := siteReport(t, s.Config, "", seo.PluginLevel)
	if r.OK || len(r.Blogs) != 4 { // the stand-in has one index for two hosts
		t.Errorf("OK is %t, %d blogs", r.OK, len(r.Blogs))
	}
	for _, b := range r.Blogs {
		if strings.HasPrefix(b.Home, "https://example.test/") && (!b.OK || b.URLs == 0 || len(groups(b, "plugin", true)) > 0) {
			t.Errorf("%s: %q, error %q", b.Home, groups(b, "plugin", true), b.Error)
		}
	}
}

// A copy of a network on another host is compared blog by blog.
func TestCopyOfANetwork(t *testing.T) {
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic", "network"))
	copied := httptest.NewServer(s)
	t.Cleanup(copied.Close)
	for path, body := range s.Sitemaps {
		s.Sitemaps[path] = strings.ReplaceAll(body, "https://example.test/", copied.URL+"/")
	}
	_, blogs := sitetest.OpenBlogs(t, s.Config)
	compared := 0
	for _, blog := range blogs {
		if below, ok := strings.CutPrefix(blog.Blog.Home(), "https://example.test"); ok && below != "" {
			b := blogReport(t, s.Config, copied.URL+below+"/sitemap_index.xml", seo.PluginLevel)
			if compared++; !b.OK || b.Home != blog.Blog.Home() {
				t.Errorf("%s: compared %s: %s", below, b.Home, b.Error)
			}
		}
	}
	if compared == 0 {
		t.Error("no blog is below the main one")
	}
}

// An unexplained difference comes with the lines of configuration that may explain it.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(s *sitetest.LiveSite)
		want   string
		config string // further lines of the configuration
	}{
		{"a slug that only a filter knows", func(s *sitetest.LiveSite) {
			s.Sitemaps["/book-sitemap.xml"] = strings.ReplaceAll(s.Sitemaps["/book-sitemap.xml"], "/library/the-", "/shelf/the-")
		}, "[site.post_type.book]\nslug = \"shelf\"\narchive = \"library\"", ""},
		{"a slug of the archive too", func(s *sitetest.LiveSite) {
			s.Sitemaps["/book-sitemap.xml"] = strings.ReplaceAll(s.Sitemaps["/book-sitemap.xml"], "/library/", "/shelf/")
		}, "[site.post_type.book]\nslug = \"shelf\"\n      3 UNEXPLAINED", ""},
		{"one post that a filter moves", func(s *sitetest.LiveSite) {
			s.Sitemaps["/book-sitemap.xml"] = strings.ReplaceAll(s.Sitemaps["/book-sitemap.xml"], "/library/the-tide-table/", "/special/the-tide-table/")
		}, "If a filter in PHP gives an object this URL, the database does not show that", ""},
		{"authors in the URL", func(s *sitetest.LiveSite) {
			s.Replace(t, "/book-sitemap.xml", "/library/the-tide-table/", "/by/ann/the-tide-table/")
			s.Replace(t, "/book-sitemap.xml", "/library/the-knot-book/", "/by/bob/the-knot-book/")
		}, "", ""},
		{"a type that is left out", func(s *sitetest.LiveSite) {
			delete(s.Sitemaps, "/book-sitemap.xml")
			s.Replace(t, "/sitemap_index.xml", `<sitemap>\s*<loc>[^<]*/book-sitemap.xml</loc>.*?</sitemap>`, "")
		}, "[site.post_type.book]\nexclude = true", ""},
		{"posts that are left out", func(s *sitetest.LiveSite) {
			s.Replace(t, "/book-sitemap.xml", `<url>\s*<loc>[^<]*/the-tide-table/</loc>.*?</url>`, "")
		}, "[site.exclude]\npost_ids = [200]", ""},
		{"a term that is left out", func(s *sitetest.LiveSite) {
			s.Replace(t, "/genre-sitemap.xml", `<url>\s*<loc>https://example.test/genre/fiction/</loc>.*?</url>`, "")
		}, "[site.exclude]\nterm_ids = [40]", ""},
		{"another home", func(s *sitetest.LiveSite) {
			s.Sitemaps["/page-sitemap.xml"] = strings.ReplaceAll(
				s.Sitemaps["/page-sitemap.xml"], "<loc>https://example.test/", "<loc>https://www.example.test/")
		}, "home = \"https://www.example.test\"", ""},
		{"a type that counts as not public", func(*sitetest.LiveSite) {},
			"[site.post_type.book]\npublic = true", "[site.post_type.book]\npublic = false\n"},
		{"a type that counts as not viewable", func(*sitetest.LiveSite) {},
			"[site.post_type.book]\nviewable = true", "[site.post_type.book]\nviewable = false\n"},
		{"sitemaps of another plugin", func(s *sitetest.LiveSite) {
			s.Answers["/wp-sitemap.xml"] = http.RedirectHandler("https://example.test/sitemap_index.xml", http.StatusMovedPermanently).ServeHTTP
		}, "sitemaps = \"yoast\"", "sitemaps = \"core\"\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic", "types"))
			s.Configure(t, tt.config)
			tt.change(s)
			r := siteReport(t, s.Config, "", seo.PluginLevel)
			expect.Equal(t, r.OK, false, r.Errors)
			advice := strings.ReplaceAll((&Report{Sites: []*SiteReport{r}}).Text(), "\n          ", "\n")
			expect.Parts(t, advice, tt.want)
			if strings.Contains(advice, "\nslug = ") != strings.Contains(tt.want, "slug = ") {
				t.Errorf("a slug, or none: %s", advice)
			}
		})
	}
}

// What is wrong with the site's files is said once for all of them. Files that cannot be read are counted, too.
func TestFilesAreCounted(t *testing.T) {
	t.Parallel()
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	before := blogReport(t, s.Config, "", seo.PluginLevel)
	expect.Equal(t, before.Sitemaps, strings.Count(s.Sitemaps["/sitemap_index.xml"], "<sitemap>"))
	expect.Equal(t, len(before.Notes), 0, before.Notes)
	for _, path := range []string{"/post-sitemap.xml", "/page-sitemap.xml"} {
		s.Sitemaps[path] = "\n" + s.Sitemaps[path]
	}
	s.Sitemaps["/category-sitemap.xml"] = "none"
	b := blogReport(t, s.Config, "", seo.PluginLevel)
	expect.Equal(t, b.Sitemaps, before.Sitemaps)
	expect.Equal(t, b.URLs < before.URLs, true)
	expect.Equal(t, len(b.Notes), 1, b.Notes)
	if len(b.Failed) != 1 || !strings.HasSuffix(b.Failed[0].URL, "/category-sitemap.xml") || b.OK {
		t.Errorf("OK %v, failed %v", b.OK, b.Failed)
	}
}

// A blog that is to have no sitemaps is as it should be. The report says that nothing was compared, and why.
func TestNothingToCompare(t *testing.T) {
	t.Parallel()
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	text, err := os.ReadFile(s.Config)
	wptest.Must(t, err)
	own := filepath.Join(t.TempDir(), "wpsitemapd.toml")
	wptest.Must(t, os.WriteFile(own, regexp.MustCompile(`upstream = .*`).ReplaceAll(text, []byte("$0\nsitemaps = \"off\"")), 0o600))
	b := blogReport(t, own, "")
	expect.Equal(t, b.OK && b.Error == "" && b.Requests == 0 && len(b.Levels) == 0, true, b.Error)
	expect.Contains(t, strings.Join(b.Notes, "\n"), "there is nothing to compare: ")
}
