package yoast

import (
	"regexp"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

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
		{"a user without a stamp", seo.Object{Kind: seo.KindUser, Against: seo.NoProfileStamp}, seo.Listed, seo.NoProfileStamp},
		{"a user needs no status", seo.Object{Kind: seo.KindUser}, seo.Listed, seo.Listed},
		{"noindex of a user", seo.Object{Kind: seo.KindUser, Noindex: true}, seo.MetaNoindex, seo.MetaNoindex},
		{"a term needs no status", seo.Object{Kind: seo.KindTerm}, seo.Listed, seo.Listed},
		{"noindex of a term", seo.Object{Kind: seo.KindTerm, Noindex: true}, seo.MetaNoindex, seo.MetaNoindex},
		{"canonical of a term", seo.Object{Kind: seo.KindTerm, Canonical: "https://y.test/", Link: home + "/a/"},
			seo.CanonicalElsewhere, seo.CanonicalElsewhere},
		{"front page and posts page are no ordinary pages", open(seo.Object{FirstLink: true}), seo.FrontPageItself, seo.FrontPageItself},
		{"noindex", open(seo.Object{Noindex: true}), seo.MetaNoindex, seo.MetaNoindex},
		{"canonical elsewhere", open(seo.Object{Canonical: "https://y.test/", Link: home + "/a/"}), seo.CanonicalElsewhere, seo.CanonicalElsewhere},
		{"canonical is compared byte for byte", open(seo.Object{Canonical: home + "/a", Link: home + "/a/"}), seo.CanonicalElsewhere,
			seo.CanonicalElsewhere},
		{"canonical to itself", open(seo.Object{Canonical: home + "/a/", Link: home + "/a/"}), seo.Listed, seo.Listed},
		{"canonical waits for the link", open(seo.Object{Canonical: "https://y.test/"}), seo.Listed, seo.Listed},
		{"a link to another host", open(seo.Object{Link: "https://y.test/a/"}), seo.ExternalLink, seo.ExternalLink},
		{"a link of another scheme", open(seo.Object{Link: "http://x.test/a/"}), seo.ExternalLink, seo.ExternalLink},
		{"noindex of an archive", seo.Object{Kind: seo.KindArchive, ArchiveNoindex: true, Link: home + "/books/"}, seo.ArchiveNoindex, seo.ArchiveNoindex},
		{"an archive", seo.Object{Kind: seo.KindArchive, Link: home + "/books/"}, seo.Listed, seo.Listed},

		{"front page", open(seo.Object{Kind: seo.KindFrontPage, Link: home + "/"}), seo.Listed, seo.Listed},
		{"front page that is a draft", seo.Object{Kind: seo.KindFrontPage}, seo.NotPublished, seo.Listed},
		{"front page with a password", open(seo.Object{Kind: seo.KindFrontPage, Protected: true}), seo.PasswordProtected, seo.Listed},
		{"front page that is noindexed", open(seo.Object{Kind: seo.KindFrontPage, Noindex: true}), seo.MetaNoindex, seo.Listed},
		{"front page with its canonical elsewhere",
			open(seo.Object{Kind: seo.KindFrontPage, Canonical: "https://y.test/", Link: home + "/"}), seo.CanonicalElsewhere,
			seo.CanonicalElsewhere},
		{"posts page", open(seo.Object{Kind: seo.KindPostsPage}), seo.Listed, seo.Listed},
		{"posts page that is a draft", seo.Object{Kind: seo.KindPostsPage}, seo.NotPublished, seo.Listed},
		{"posts page with a password", open(seo.Object{Kind: seo.KindPostsPage, Protected: true}), seo.PasswordProtected, seo.Listed},
		{"posts page that is noindexed", open(seo.Object{Kind: seo.KindPostsPage, Noindex: true}), seo.MetaNoindex, seo.MetaNoindex},
		{"posts page noindexed as archive", open(seo.Object{Kind: seo.KindPostsPage, ArchiveNoindex: true}), seo.ArchiveNoindex, seo.ArchiveNoindex},
		{"posts page with its canonical elsewhere",
			open(seo.Object{Kind: seo.KindPostsPage, Canonical: "https://y.test/", Link: home + "/b/"}), seo.CanonicalElsewhere,
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

		{"the operator's post", open(seo.Object{ID: 7}), seo.OperatorExcluded, seo.OperatorExcluded},
		{"the operator's term", seo.Object{Kind: seo.KindTerm, ID: 8}, seo.OperatorExcluded, seo.OperatorExcluded},
		{"the operator's user", seo.Object{Kind: seo.KindUser, ID: 9}, seo.OperatorExcluded, seo.OperatorExcluded},
		{"ids of another kind do not count", seo.Object{Kind: seo.KindTerm, ID: 7}, seo.Listed, seo.Listed},
		{"the operator's front page", open(seo.Object{Kind: seo.KindFrontPage, ID: 7}), seo.OperatorExcluded, seo.OperatorExcluded},
		{"the operator's pattern", open(seo.Object{Link: home + "/private/a/"}), seo.OperatorExcluded, seo.OperatorExcluded},
		{"the operator's pattern on an archive", seo.Object{Kind: seo.KindArchive, Link: home + "/private/"}, seo.OperatorExcluded, seo.OperatorExcluded},
		{"a pattern waits for the link", open(seo.Object{}), seo.Listed, seo.Listed},

		{"the status is the first to be told", seo.Object{ZeroDate: true, Protected: true, Noindex: true}, seo.NotPublished, seo.NotPublished},
		{"noindex is told before canonical", open(seo.Object{Noindex: true, Canonical: "https://y.test/", Link: home + "/a/"}),
			seo.MetaNoindex, seo.MetaNoindex},
	} {
		t.Run(tt.name, func(t *testing.T) {
			blog := new(wp.Blog)
			blog.Settings().Home = home
			blog.Settings().Exclusions.ServicePages = []wp.ServicePage{{ID: 21}, {ID: 22, Option: "woocommerce_cart_page_id"}}
			blog.Settings().ActivePlugins = map[string]bool{pluginWooCommerce: true}
			for level, want := range map[seo.Level]seo.Verdict{seo.SpecLevel: tt.spec, seo.PluginLevel: tt.plugin} {
				c := seo.NewRules(blog, seo.Options{Compat: level, Exclude: seo.Exclude{
					PostIDs: []int64{7}, TermIDs: []int64{8}, UserIDs: []int64{9}, URLs: []*regexp.Regexp{regexp.MustCompile("/private/")},
				}}, NewSettings(blog, level), map[seo.Level]*seo.Decisions{seo.SpecLevel: Spec, seo.PluginLevel: Decisions}[level])
				blog.Settings().BlogPublic = true
				if got := c.Judge(tt.object); got != want {
					t.Errorf("%s: %s, want %s", string(level), got, want)
				}
				if blog.Settings().BlogPublic = false; level != seo.SpecLevel {
					continue
				}
				if got := c.Judge(tt.object); got != seo.PrivateSite {
					t.Errorf("%s, private: %s, want %s", string(level), got, seo.PrivateSite)
				}
			}
		})
	}
}
