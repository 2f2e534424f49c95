package seo

import "regexp"

// Verdict is what was decided about an object: that it is listed, or the reason why it is left out.
type Verdict uint8

// The verdicts that plugins share. A plugin makes its own with NewVerdict.
const (
	Listed             Verdict = iota
	PrivateSite                // option blog_public is 0
	NotPublished               // post_status
	ZeroDate                   // post_date is 0000-00-00 00:00:00
	PasswordProtected          // post_password
	ParentHidden               // attachment without a published, open parent
	NoAddress                  // post_name is empty, so that the permalink is another one's
	NoLanguage                 // of a translated type, in no language or in one visitors may not see
	OtherLanguage              // listed at another language's domain
	NotAMember                 // user without a role on this site
	OperatorExcluded           // [site.exclude]
	FrontPageItself            // page_on_front and page_for_posts are listed as first links
	JobFilled                  // _filled of a listing of WP Job Manager
	ServicePage                // cart, checkout or account of a shop, which its plugin keeps from search engines
	LinksElsewhere             // _links_to of Page Links To
	ArchiveNoindex             // the plugin marks the archive noindex
	MetaNoindex                // the plugin marks the object noindex
	ExternalLink               // the link leads away from home
	CanonicalElsewhere         // the plugin names another canonical address
	Redirected                 // a redirect manager of the site sends the address elsewhere
)

// verdicts are the names of all, by number.
var verdicts = []string{
	"listed", "private site", "not published", "zero date", "password protected", "parent hidden", "no address of its own",
	"no language", "other language", "not a member", "excluded by configuration", "front page", "filled position",
	"service page", "links elsewhere", "archive noindex", "noindex", "external link", "canonical elsewhere", "redirected",
}

// NewVerdict makes a verdict that one plugin alone has. It is for package variables.
func NewVerdict(name string) Verdict {
	verdicts = append(verdicts, name)
	return Verdict(len(verdicts) - 1)
}

func (v Verdict) String() string { return verdicts[v] }

// Late reports whether a plugin that queries and then checks finds it out in the second step: what its SQL leaves out
// takes no place on its pages, what its PHP drops afterwards does.
func (v Verdict) Late() bool { return v == Listed || v >= OperatorExcluded }

// Exclude is the operator's [site.exclude].
type Exclude struct {
	PostIDs, TermIDs, UserIDs []int64
	URLs                      []*regexp.Regexp // matched against the whole address
}

// Kind is what an object is.
type Kind uint8

// The kinds of object that can be in a sitemap.
const (
	KindPost Kind = iota
	KindTerm
	KindUser
	KindFrontPage // page_on_front, listed first in the sitemap of pages
	KindPostsPage // page_for_posts, listed first in the sitemap of posts
	KindArchive   // archive of a post type, or home as the archive of posts
	KindVideo     // post in the sitemap of videos, where the plugin asks only some of the rules
	KindOther     // of a list: it has what other lists have, too
)

// Object is all that the decision on one object rests on. Link may be empty while no rule
// needs it; the rules on links are then taken as passed.
type Object struct {
	Kind           Kind
	Type           string // post type or taxonomy
	ID             int64
	Published      bool
	ZeroDate       bool
	Protected      bool
	ParentHidden   bool
	NoAddress      bool
	NotAMember     bool
	FirstLink      bool // page_on_front or page_for_posts, met among the pages
	ArchiveNoindex bool
	Noindex        bool
	Index          bool    // the plugin has it listed whatever it says of the type
	Filled         bool    // as WP Job Manager has it
	LinksTo        string  // _links_to, where Page Links To is active
	Against        Verdict // what else the plugin's rows say against it; Listed for nothing
	Canonical      string
	Link           string
	Language       string // of an object that is listed at its language's domain
}

// Elsewhere reports whether the canonical address is another one.
func (o *Object) Elsewhere() bool { return o.Canonical != "" && o.Link != "" && o.Canonical != o.Link }
