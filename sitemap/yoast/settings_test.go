package yoast

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func bookOf(t *testing.T, dsn string) *address.Book {
	t.Helper()
	n, err := wp.Open(t.Context(), wp.Source{Name: "test", DSN: dsn, Declared: wp.Declare(Inputs...)})
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	sites, err := address.ReadAll(t.Context(), n)
	wptest.Must(t, err)
	return sites[0]
}

func TestNetworkSwitchesSitemapsOff(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	wptest.Exec(t, dsn, `UPDATE wp_sitemeta SET meta_value = 'a:1:{s:24:"allow_enable_xml_sitemap";b:0;}' WHERE meta_key = 'wpseo_ms'`)
	if OptionsOf(bookOf(t, dsn).Blog).Sitemaps {
		t.Error("sitemaps are on, though the network forbids them")
	}
}

// How strictly Yoast compares each switch.
func TestYoastSwitches(t *testing.T) {
	stored := map[string]string{"true": "b:1", "false": "b:0", "on": `s:2:"on"`, "1": "i:1", "0": `s:1:"0"`, "empty": `s:0:""`, "null": "N"}
	postType := func(name string) func(*settings) bool {
		return func(s *settings) bool { return s.PostType(&registry.PostType{Name: name}) != nil }
	}
	taxonomy := func(name string, plainly bool) func(*settings) bool {
		return func(s *settings) bool {
			s.plainly = plainly
			return s.Taxonomy(&registry.Taxonomy{Name: name}) != nil
		}
	}
	authors := func(s *settings) bool { return s.Authors() != nil }
	for level, plainly := range map[seo.Level]bool{seo.SpecLevel: true, seo.PluginLevel: false} {
		expect.Equal(t, (newSettings(new(wp.Blog), level).(*settings)).plainly, plainly, level, "taken plainly")
	}
	for _, tt := range []struct {
		name string
		key  string
		get  func(*settings) bool
		on   string // the values that switch it on; "unsaved" may be among them
	}{
		{"disable-TYPE is any truth", "disable-book", postType("book"), "1 on true"},
		{"attachments are disabled unless saved otherwise", "disable-attachment", postType("attachment"), "1 on true unsaved"},
		{"noindex-TYPE is all but false", "noindex-book", postType("book"), "0 1 empty on true"},
		{"noindex-ptarchive-TYPE is any truth", "noindex-ptarchive-book", func(s *settings) bool { return s.Archive("book") != nil }, "1 on true"},
		{"noindex-tax-TAXONOMY is true only", "noindex-tax-mood", taxonomy("mood", false), "true"},
		{"noindex-tax-TAXONOMY is any truth where it is taken plainly", "noindex-tax-mood", taxonomy("mood", true), "1 on true"},
		{"post formats are noindexed unless saved otherwise", "noindex-tax-post_format", taxonomy("post_format", false), "true unsaved"},
		{"disable-post_format is any truth", "disable-post_format", func(s *settings) bool {
			return s.Taxonomy(&registry.Taxonomy{Name: "post_format"}).Rule == seo.RuleTypeHidden
		}, "1 on true"},
		{"disable-author is any truth", "disable-author", authors, "1 on true"},
		{"noindex-author-wpseo is any truth", "noindex-author-wpseo", authors, "1 on true"},
		{"authors need posts unless saved otherwise", "noindex-author-noposts-wpseo", func(s *settings) bool { return s.AuthorTypes() != nil },
			"1 null on true unsaved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var on []string
			with := func(titles php.Value) *settings {
				return &settings{Meta: seo.Meta{Blog: new(wp.Blog)}, Options: &Options{titles: titles}}
			}
			if tt.get(with(php.Value{})) {
				on = append(on, "unsaved")
			}
			for name, value := range stored {
				titles, err := php.MaybeUnserialize(fmt.Sprintf(`a:1:{s:%d:"%s";%s;}`, len(tt.key), tt.key, value))
				wptest.Must(t, err)
				if tt.get(with(titles)) {
					on = append(on, name)
				}
			}
			slices.Sort(on)
			expect.Equal(t, strings.Join(on, " "), tt.on, "it is switched on by")
		})
	}
}

func TestTermMeta(t *testing.T) {
	meta, err := php.MaybeUnserialize(`a:1:{s:8:"category";a:4:{i:8;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}i:9;` +
		`a:2:{s:13:"wpseo_noindex";s:5:"index";s:15:"wpseo_canonical";s:15:"https://y.test/";}i:10;s:4:"text";` +
		`s:6:"_video";a:4:{i:9;a:0:{}i:10;s:4:"text";i:0;a:0:{}s:1:"x";a:0:{}}}}`)
	wptest.Must(t, err)
	y := &Options{taxonomyMeta: meta}
	for id, want := range map[int64]bool{8: true, 9: false, 10: false, 11: false} {
		expect.Equal(t, y.termNoindex("category", id), want, "noindex of", id)
	}
	if y.termNoindex("post_tag", 8) {
		t.Error("noindex of a term of another taxonomy")
	}
	expect.List(t, y.TermsWithVideo("category"), []int64{9}, "with a video")
	expect.Equal(t, y.termCanonical("category", 9), "https://y.test/", "canonical of 9")
	expect.Equal(t, y.termCanonical("category", 8)+y.termCanonical("category", 10), "", "canonical of 8 and 10")
}

func TestJudge(t *testing.T) {
	const home = "https://x.test"
	open := func(o seo.Object) seo.Object { o.Published = true; return o }
	for _, tt := range []struct {
		name         string
		object       seo.Object
		spec, plugin seo.Verdict
	}{
		{"a published post is listed", open(seo.Object{}), seo.Listed, seo.Listed},
		{"any other status hides a post", seo.Object{}, seo.NotPublished, seo.NotPublished},
		{"a zero date hides a post", open(seo.Object{ZeroDate: true}), seo.ZeroDate, seo.ZeroDate},
		{"a password hides a post", open(seo.Object{Protected: true}), seo.PasswordProtected, seo.PasswordProtected},
		{"an attachment goes with its parent", open(seo.Object{ParentHidden: true}), seo.ParentHidden, seo.ParentHidden},
		{"without a slug the link is another one's", open(seo.Object{NoAddress: true}), seo.NoAddress, seo.Listed},
		{"a user without a role here", seo.Object{Kind: seo.KindUser, NotAMember: true}, seo.NotAMember, seo.NotAMember},
		{"a user without a stamp", seo.Object{Kind: seo.KindUser, Flags: seo.Flags{Against: seo.NoProfileStamp}}, seo.Listed, seo.NoProfileStamp},
		{"a user needs no status", seo.Object{Kind: seo.KindUser}, seo.Listed, seo.Listed},
		{"noindex of a user", seo.Object{Kind: seo.KindUser, Flags: seo.Flags{Noindex: true}}, seo.MetaNoindex, seo.MetaNoindex},
		{"a term needs no status", seo.Object{Kind: seo.KindTerm}, seo.Listed, seo.Listed},
		{"noindex of a term", seo.Object{Kind: seo.KindTerm, Flags: seo.Flags{Noindex: true}}, seo.MetaNoindex, seo.MetaNoindex},
		{"canonical of a term", seo.Object{Kind: seo.KindTerm, Link: home + "/a/", Flags: seo.Flags{Canonical: "https://y.test/"}},
			seo.CanonicalElsewhere, seo.CanonicalElsewhere},
		{"front page and posts page are no ordinary pages", open(seo.Object{FirstLink: true}), seo.FrontPageItself, seo.FrontPageItself},
		{"noindex", open(seo.Object{Flags: seo.Flags{Noindex: true}}), seo.MetaNoindex, seo.MetaNoindex},
		{"canonical elsewhere", open(seo.Object{Link: home + "/a/", Flags: seo.Flags{Canonical: "https://y.test/"}}),
			seo.CanonicalElsewhere, seo.CanonicalElsewhere},
		{"canonical is compared byte for byte", open(seo.Object{Link: home + "/a/", Flags: seo.Flags{Canonical: home + "/a"}}), seo.CanonicalElsewhere,
			seo.CanonicalElsewhere},
		{"canonical to itself", open(seo.Object{Link: home + "/a/", Flags: seo.Flags{Canonical: home + "/a/"}}), seo.Listed, seo.Listed},
		{"canonical waits for the link", open(seo.Object{Flags: seo.Flags{Canonical: "https://y.test/"}}), seo.Listed, seo.Listed},
		{"a link to another host", open(seo.Object{Link: "https://y.test/a/"}), seo.ExternalLink, seo.ExternalLink},
		{"a link of another scheme", open(seo.Object{Link: "http://x.test/a/"}), seo.ExternalLink, seo.ExternalLink},
		{"noindex of an archive", seo.Object{Kind: seo.KindArchive, ArchiveNoindex: true, Link: home + "/books/"}, seo.ArchiveNoindex, seo.ArchiveNoindex},
		{"an archive", seo.Object{Kind: seo.KindArchive, Link: home + "/books/"}, seo.Listed, seo.Listed},

		{"front page", open(seo.Object{Kind: seo.KindFrontPage, Link: home + "/"}), seo.Listed, seo.Listed},
		{"front page that is a draft", seo.Object{Kind: seo.KindFrontPage}, seo.NotPublished, seo.Listed},
		{"front page with a password", open(seo.Object{Kind: seo.KindFrontPage, Protected: true}), seo.PasswordProtected, seo.Listed},
		{"front page that is noindexed", open(seo.Object{Kind: seo.KindFrontPage, Flags: seo.Flags{Noindex: true}}), seo.MetaNoindex, seo.Listed},
		{"front page with its canonical elsewhere",
			open(seo.Object{Kind: seo.KindFrontPage, Link: home + "/", Flags: seo.Flags{Canonical: "https://y.test/"}}), seo.CanonicalElsewhere,
			seo.CanonicalElsewhere},
		{"posts page", open(seo.Object{Kind: seo.KindPostsPage}), seo.Listed, seo.Listed},
		{"posts page that is a draft", seo.Object{Kind: seo.KindPostsPage}, seo.NotPublished, seo.Listed},
		{"posts page with a password", open(seo.Object{Kind: seo.KindPostsPage, Protected: true}), seo.PasswordProtected, seo.Listed},
		{"posts page that is noindexed", open(seo.Object{Kind: seo.KindPostsPage, Flags: seo.Flags{Noindex: true}}), seo.MetaNoindex, seo.MetaNoindex},
		{"posts page noindexed as archive", open(seo.Object{Kind: seo.KindPostsPage, ArchiveNoindex: true}), seo.ArchiveNoindex, seo.ArchiveNoindex},
		{"posts page with its canonical elsewhere",
			open(seo.Object{Kind: seo.KindPostsPage, Link: home + "/b/", Flags: seo.Flags{Canonical: "https://y.test/"}}), seo.CanonicalElsewhere,
			seo.Listed},

		{"a filled position", open(seo.Object{Filled: true}), seo.JobFilled, seo.JobFilled},
		{"a post that leads to another site", open(seo.Object{LinksTo: "https://y.test/a/"}), seo.LinksElsewhere, seo.LinksElsewhere},
		{"a post that leads to a mailbox", open(seo.Object{LinksTo: "mailto:a@x.test"}), seo.LinksElsewhere, seo.LinksElsewhere},
		{"a post that leads to another place of the site", open(seo.Object{LinksTo: home + "/a/"}), seo.LinksElsewhere, seo.Listed},
		{"a post that leads to a path", open(seo.Object{LinksTo: "/a:b/"}), seo.LinksElsewhere, seo.Listed},
		{"a shop's cart, noindexed by the shop", open(seo.Object{ID: 21}), seo.ServicePage, seo.Listed},
		{"a shop's cart, taken out by Yoast's add-on", open(seo.Object{ID: 22}), seo.ServicePage, seo.ServicePage},
		{"a shop's cart as front page", open(seo.Object{Kind: seo.KindFrontPage, ID: 22}), seo.ServicePage, seo.Listed},
		{"a term with such a number", seo.Object{Kind: seo.KindTerm, ID: 22}, seo.Listed, seo.Listed},

		{"the operator's post", open(seo.Object{ID: 7}), seo.Excluded, seo.Excluded},
		{"the operator's term", seo.Object{Kind: seo.KindTerm, ID: 8}, seo.Excluded, seo.Excluded},
		{"the operator's user", seo.Object{Kind: seo.KindUser, ID: 9}, seo.Excluded, seo.Excluded},
		{"ids of another kind do not count", seo.Object{Kind: seo.KindTerm, ID: 7}, seo.Listed, seo.Listed},
		{"the operator's front page", open(seo.Object{Kind: seo.KindFrontPage, ID: 7}), seo.Excluded, seo.Excluded},
		{"the operator's pattern", open(seo.Object{Link: home + "/private/a/"}), seo.Excluded, seo.Excluded},
		{"the operator's pattern on an archive", seo.Object{Kind: seo.KindArchive, Link: home + "/private/"}, seo.Excluded, seo.Excluded},
		{"a pattern waits for the link", open(seo.Object{}), seo.Listed, seo.Listed},

		{"the status is the first to be told", seo.Object{ZeroDate: true, Protected: true, Flags: seo.Flags{Noindex: true}},
			seo.NotPublished, seo.NotPublished},
		{"noindex is told before canonical", open(seo.Object{Link: home + "/a/", Flags: seo.Flags{Noindex: true, Canonical: "https://y.test/"}}),
			seo.MetaNoindex, seo.MetaNoindex},
	} {
		t.Run(tt.name, func(t *testing.T) {
			blog := new(wp.Blog)
			blog.Settings().Home = home
			blog.Settings().Exclusions.ServicePages = []wp.ServicePage{{ID: 21}, {ID: 22, Option: "woocommerce_cart_page_id"}}
			blog.Settings().ActivePlugins = map[string]bool{pluginWooCommerce: true}
			for level, want := range map[seo.Level]seo.Verdict{seo.SpecLevel: tt.spec, seo.PluginLevel: tt.plugin} {
				c := seo.NewRules(&address.Book{Blog: blog}, seo.Options{Compat: level, Exclude: seo.Exclude{
					PostIDs: []int64{7}, TermIDs: []int64{8}, UserIDs: []int64{9}, URLs: []*regexp.Regexp{regexp.MustCompile("/private/")},
				}}, newSettings(blog, level), map[seo.Level]seo.Decisions{seo.SpecLevel: SpecLevel{}, seo.PluginLevel: PluginLevel{}}[level])
				blog.Settings().BlogPublic = true
				expect.Equal(t, c.Judge(tt.object), want, string(level))
				if blog.Settings().BlogPublic = false; level != seo.SpecLevel {
					continue
				}
				expect.Equal(t, c.Judge(tt.object), seo.PrivateSite, string(level), "private")
			}
		})
	}
}

// WP_User_Query leaves out a user who has the key, unless a row has another value. NULL is not another value.
func TestNoindexOfAuthors(t *testing.T) {
	cases := []struct {
		name, values string
		want         bool
	}{
		{"on", "('on')", true},
		{"in capitals, with a space behind", "('ON ')", true},
		{"empty", "('')", false},
		{"nothing at all", "(NULL)", true},
		{"two rows of which one is not on", "('on'), ('')", false},
		{"the same the other way round", "('off'), ('on')", false},
	}
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	s := bookOf(t, dsn)
	set := newSettings(s.Blog, seo.SpecLevel)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wptest.Exec(t, dsn, "DELETE FROM wp_usermeta WHERE meta_key = 'wpseo_noindex_author'",
				"WITH v (value) AS (VALUES "+c.values+") INSERT INTO wp_usermeta (user_id, meta_key, meta_value) SELECT 2, 'wpseo_noindex_author', value FROM v")
			authors, err := s.Authors(t.Context(), []int64{2})
			if err != nil || len(authors) != 1 || set.Author(authors[0]).Noindex != c.want {
				t.Errorf("%+v, %v, want noindex %v", authors, err, c.want)
			}
		})
	}
}

// A warning names the options that Yoast SEO before 7.0 follows, and that are not read here.
func TestFormerOptions(t *testing.T) {
	for version, want := range map[string]int{"6.3.1": 2, "28.4": 0} {
		dsn := wptest.Load(t, wptest.SQLite, "basic")
		wptest.Exec(t, dsn,
			fmt.Sprintf(`UPDATE wp_options SET option_value = 'a:1:{s:7:"version";s:%d:"%s";}' WHERE option_name = 'wpseo'`, len(version), version),
			`INSERT INTO wp_options (option_name, option_value, autoload) VALUES ('wpseo_xml', 'a:0:{}', 'yes'), ('wpseo_permalinks', 'a:0:{}', 'yes')`)
		named := 0
		for _, w := range bookOf(t, dsn).Blog.Warnings() {
			if strings.Contains(w, "sitemaps of Yoast SEO before 7.0") {
				named++
			}
		}
		expect.Equal(t, named, want, version)
	}
}
