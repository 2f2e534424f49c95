package sitemap

import (
	"regexp"
	"testing"

	"wpsitemapd/wp"
)

func TestJudge(t *testing.T) {
	const home = "https://x.test"
	open := func(o Object) Object { o.Published = true; return o }
	for _, tt := range []struct {
		name         string
		object       Object
		spec, plugin Verdict
	}{
		{"a published post is listed", open(Object{}), Listed, Listed},
		{"any other status hides a post", Object{}, NotPublished, NotPublished},
		{"a zero date hides a post", open(Object{ZeroDate: true}), ZeroDate, ZeroDate},
		{"a password hides a post", open(Object{Protected: true}), PasswordProtected, PasswordProtected},
		{"an attachment goes with its parent", open(Object{ParentHidden: true}), ParentHidden, ParentHidden},
		{"without a slug the link is another one's", open(Object{NoAddress: true}), NoAddress, Listed},
		{"a user without a role here", Object{Kind: KindUser, NotAMember: true}, NotAMember, NotAMember},
		{"a user without a stamp", Object{Kind: KindUser, Against: NoStamp}, Listed, NoStamp},
		{"a user needs no status", Object{Kind: KindUser}, Listed, Listed},
		{"noindex of a user", Object{Kind: KindUser, Noindex: true}, MetaNoindex, MetaNoindex},
		{"a term needs no status", Object{Kind: KindTerm}, Listed, Listed},
		{"noindex of a term", Object{Kind: KindTerm, Noindex: true}, MetaNoindex, MetaNoindex},
		{"canonical of a term", Object{Kind: KindTerm, Canonical: "https://y.test/", Link: home + "/a/"}, CanonicalElsewhere, CanonicalElsewhere},
		{"front page and posts page are no ordinary pages", open(Object{FirstLink: true}), FrontPageItself, FrontPageItself},
		{"noindex", open(Object{Noindex: true}), MetaNoindex, MetaNoindex},
		{"canonical elsewhere", open(Object{Canonical: "https://y.test/", Link: home + "/a/"}), CanonicalElsewhere, CanonicalElsewhere},
		{"canonical is compared byte for byte", open(Object{Canonical: home + "/a", Link: home + "/a/"}), CanonicalElsewhere, CanonicalElsewhere},
		{"canonical to itself", open(Object{Canonical: home + "/a/", Link: home + "/a/"}), Listed, Listed},
		{"canonical waits for the link", open(Object{Canonical: "https://y.test/"}), Listed, Listed},
		{"a link to another host", open(Object{Link: "https://y.test/a/"}), ExternalLink, ExternalLink},
		{"a link of another scheme", open(Object{Link: "http://x.test/a/"}), ExternalLink, ExternalLink},
		{"noindex of an archive", Object{Kind: KindArchive, ArchiveNoindex: true, Link: home + "/books/"}, ArchiveNoindex, ArchiveNoindex},
		{"an archive", Object{Kind: KindArchive, Link: home + "/books/"}, Listed, Listed},

		{"front page", open(Object{Kind: KindFrontPage, Link: home + "/"}), Listed, Listed},
		{"front page that is a draft", Object{Kind: KindFrontPage}, NotPublished, Listed},
		{"front page with a password", open(Object{Kind: KindFrontPage, Protected: true}), PasswordProtected, Listed},
		{"front page that is noindexed", open(Object{Kind: KindFrontPage, Noindex: true}), MetaNoindex, Listed},
		{"front page with its canonical elsewhere", open(Object{Kind: KindFrontPage, Canonical: "https://y.test/", Link: home + "/"}), CanonicalElsewhere, CanonicalElsewhere},
		{"posts page", open(Object{Kind: KindPostsPage}), Listed, Listed},
		{"posts page that is a draft", Object{Kind: KindPostsPage}, NotPublished, Listed},
		{"posts page with a password", open(Object{Kind: KindPostsPage, Protected: true}), PasswordProtected, Listed},
		{"posts page that is noindexed", open(Object{Kind: KindPostsPage, Noindex: true}), MetaNoindex, MetaNoindex},
		{"posts page noindexed as archive", open(Object{Kind: KindPostsPage, ArchiveNoindex: true}), ArchiveNoindex, ArchiveNoindex},
		{"posts page with its canonical elsewhere", open(Object{Kind: KindPostsPage, Canonical: "https://y.test/", Link: home + "/b/"}), CanonicalElsewhere, Listed},

		{"a filled position", open(Object{Filled: true}), JobFilled, JobFilled},
		{"a post that leads to another site", open(Object{LinksTo: "https://y.test/a/"}), LinksElsewhere, LinksElsewhere},
		{"a post that leads to a mailbox", open(Object{LinksTo: "mailto:a@x.test"}), LinksElsewhere, LinksElsewhere},
		{"a post that leads to another place of the site", open(Object{LinksTo: home + "/a/"}), LinksElsewhere, Listed},
		{"a post that leads to a path", open(Object{LinksTo: "/a:b/"}), LinksElsewhere, Listed},
		{"a shop's cart, noindexed by the shop", open(Object{ID: 21}), ServicePage, Listed},
		{"a shop's cart, taken out by Yoast's add-on", open(Object{ID: 22}), ServicePage, ServicePage},
		{"a shop's cart as front page", open(Object{Kind: KindFrontPage, ID: 22}), ServicePage, Listed},
		{"a term with such a number", Object{Kind: KindTerm, ID: 22}, Listed, Listed},

		{"the operator's post", open(Object{ID: 7}), OperatorExcluded, OperatorExcluded},
		{"the operator's term", Object{Kind: KindTerm, ID: 8}, OperatorExcluded, OperatorExcluded},
		{"the operator's user", Object{Kind: KindUser, ID: 9}, OperatorExcluded, OperatorExcluded},
		{"ids of another kind do not count", Object{Kind: KindTerm, ID: 7}, Listed, Listed},
		{"the operator's front page", open(Object{Kind: KindFrontPage, ID: 7}), OperatorExcluded, OperatorExcluded},
		{"the operator's pattern", open(Object{Link: home + "/private/a/"}), OperatorExcluded, OperatorExcluded},
		{"the operator's pattern on an archive", Object{Kind: KindArchive, Link: home + "/private/"}, OperatorExcluded, OperatorExcluded},
		{"a pattern waits for the link", open(Object{}), Listed, Listed},

		{"the status is the first to be told", Object{ZeroDate: true, Protected: true, Noindex: true}, NotPublished, NotPublished},
		{"noindex is told before canonical", open(Object{Noindex: true, Canonical: "https://y.test/", Link: home + "/a/"}), MetaNoindex, MetaNoindex},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := new(wp.Site)
			site.Settings().Home = home
			site.Settings().Exclusions.ServicePages = []wp.ServicePage{{ID: 21}, {ID: 22, Unlisted: true}}
			for level, want := range map[Compat]Verdict{Spec: tt.spec, Plugin: tt.plugin} {
				c := NewRules(site, Options{Compat: level, Exclude: Exclude{
					PostIDs: []int64{7}, TermIDs: []int64{8}, UserIDs: []int64{9}, URLs: []*regexp.Regexp{regexp.MustCompile("/private/")},
				}}, newYoastSettings(site, level), map[Compat]*Decisions{Spec: yoastSpec, Plugin: yoastDecisions}[level])
				site.Settings().BlogPublic = true
				if got := c.judge(tt.object); got != want {
					t.Errorf("%s: %s, want %s", string(level), got, want)
				}
				if site.Settings().BlogPublic = false; level != Spec {
					continue
				}
				if got := c.judge(tt.object); got != PrivateSite {
					t.Errorf("%s, private: %s, want %s", string(level), got, PrivateSite)
				}
			}
		})
	}
}
