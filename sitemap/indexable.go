package sitemap

import (
	"regexp"
	"slices"
	"strings"
)

// Rule names what decided that an object is in or out of the sitemaps.
type Rule uint8

// The rules, in the order in which they are tried.
const (
	Listed             Rule = iota
	PrivateSite             // option blog_public is 0
	NotPublished            // post_status
	ZeroDate                // post_date is 0000-00-00 00:00:00
	PasswordProtected       // post_password
	ParentHidden            // attachment without a published, open parent
	NoAddress               // post_name is empty, so that the permalink is another one's
	NoLanguage              // of a translated type, in no language or in one visitors may not see
	OtherLanguage           // listed at another language's domain
	NotAMember              // user without a role on this site
	NoStamp                 // user without _yoast_wpseo_profile_updated
	OperatorExcluded        // [site.exclude]
	FrontPageItself         // page_on_front and page_for_posts are listed as first links
	JobFilled               // _filled of a listing of WP Job Manager
	ServicePage             // cart, checkout or account of a shop, which its plugin keeps from search engines
	LinksElsewhere          // _links_to of Page Links To
	ArchiveNoindex          // wpseo_titles[noindex-ptarchive-TYPE]
	MetaNoindex             // _yoast_wpseo_meta-robots-noindex, wpseo_taxonomy_meta, wpseo_noindex_author
	ExternalLink            // the link leads away from home
	CanonicalElsewhere      // _yoast_wpseo_canonical or wpseo_taxonomy_meta names another address
	VideoDisabled           // _yoast_wpseo_videositemap-disable
	NoVideo                 // a video without a thumbnail, or with neither player nor file
)

var ruleNames = [...]string{
	"listed", "private site", "not published", "zero date", "password protected", "parent hidden", "no address of its own",
	"no language", "other language", "not a member", "no profile stamp", "excluded by configuration", "front page",
	"filled position", "service page", "links elsewhere", "archive noindex",
	"noindex", "external link", "canonical elsewhere", "video disabled", "video without thumbnail or player",
}

func (r Rule) String() string { return ruleNames[r] }

// counted reports whether an object left out by r still takes a place in the plugin's pages:
// what its SQL leaves out does not, what its PHP drops afterwards does.
func (r Rule) counted() bool { return r == Listed || r >= OperatorExcluded }

// Exclude is the operator's [site.exclude].
type Exclude struct {
	PostIDs, TermIDs, UserIDs []int64
	URLs                      []*regexp.Regexp // matched against the whole address
}

// Kind is what an object is.
type Kind uint8

// The kinds of object that can stand in a sitemap.
const (
	KindPost Kind = iota
	KindTerm
	KindUser
	KindFrontPage // page_on_front, listed first in the sitemap of pages
	KindPostsPage // page_for_posts, listed first in the sitemap of posts
	KindArchive   // archive of a post type, or home as the archive of posts
	KindVideo     // post in the sitemap of videos, where the plugin asks only some of the rules
)

// Object is all that the decision on one object rests on. Link may be empty while no rule
// needs it; the rules on links are then taken as passed.
type Object struct {
	Kind           Kind
	ID             int64
	Published      bool
	ZeroDate       bool
	Protected      bool
	ParentHidden   bool
	NoAddress      bool
	NotAMember     bool
	NoStamp        bool
	FirstLink      bool // page_on_front or page_for_posts, met among the pages
	ArchiveNoindex bool
	Noindex        bool
	Filled         bool   // as WP Job Manager has it
	LinksTo        string // _links_to, where Page Links To is active
	VideoDisabled  bool
	NoVideo        bool
	Canonical      string
	Link           string
	Language       string // of an object that is listed at its language's domain
}

func (c *Catalog) excluded(o Object) bool {
	e := &c.opt.Exclude
	var ids []int64
	switch o.Kind {
	case KindTerm:
		ids = e.TermIDs
	case KindUser:
		ids = e.UserIDs
	case KindPost, KindFrontPage, KindPostsPage, KindVideo:
		ids = e.PostIDs
	}
	if slices.Contains(ids, o.ID) && o.ID != 0 {
		return true
	}
	return o.Link != "" && slices.ContainsFunc(e.URLs, func(p *regexp.Regexp) bool { return p.MatchString(o.Link) })
}

// external reports whether an address of any form leads away from the site; one without a scheme does not.
func (c *Catalog) external(link string) bool {
	scheme, _, ok := strings.Cut(link, ":")
	return ok && !strings.ContainsAny(scheme, "/?#") && !c.internal(link, "")
}

// internal reports whether a link stays below home, as the policy compares.
func (c *Catalog) internal(link, language string) bool { return c.policy.internal(c, link, language) }

// belowHome reports whether a link stays below home, as Yoast compares: scheme and host exactly, the path by
// plain prefix.
func (c *Catalog) belowHome(link, language string) bool {
	return below(link, c.homeOf(language)) || language == "" && c.hasDomains() && !c.foreign() && below(link, c.site.AtHome().Home())
}

// hidden reports whether the site's own wish keeps everything out.
func (c *Catalog) hidden() bool { return c.policy.hides(c.site.Settings()) }

// below reports whether a link stands below home.
func below(link, home string) bool {
	rest, ok := strings.CutPrefix(link, home)
	if _, host, _ := strings.Cut(home, "://"); !strings.Contains(host, "/") && rest != "" && !strings.ContainsRune("/?#", rune(rest[0])) {
		return false // a host that only begins like home's
	}
	return ok
}
