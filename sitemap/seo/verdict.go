package seo

import (
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Verdict is the decision about an object: Listed, or the reason why it is left out.
type Verdict uint8

// These are the verdicts of all plugins. The numbers are the same in every build.
const (
	Listed                Verdict = iota
	PrivateSite                   // option blog_public is 0
	NotPublished                  // by post_status
	ZeroDate                      // post_date is 0000-00-00 00:00:00
	PasswordProtected             // by post_password
	ParentHidden                  // attachment whose parent is missing, not published, or has a password
	NoAddress                     // post_name is empty, so the permalink leads to another object
	NoLanguage                    // object of a translated type that has no language or a hidden one
	OtherLanguage                 // listed at the domain of another language
	NotAMember                    // user without a role on this site
	Excluded                      // by [site.exclude]
	FrontPageItself               // front page or posts page, which is listed as a first link instead
	JobFilled                     // filled position of WP Job Manager, by meta _filled
	ServicePage                   // cart, checkout or account page of a shop
	LinksElsewhere                // by _links_to of Page Links To
	ArchiveNoindex                // the plugin marks the archive noindex
	MetaNoindex                   // the plugin marks the object noindex
	ExternalLink                  // the link leads away from home
	CanonicalElsewhere            // the plugin names another canonical address
	Redirected                    // a redirect manager of the site redirects the address or answers that it is gone
	HiddenProduct                 // WooCommerce hides the product from its catalog
	TypeNoindex                   // the plugin marks the whole type noindex
	ExcludedPost                  // on the plugin's list of excluded posts
	ExcludedTerm                  // on the plugin's list of excluded terms
	ExcludedByTerm                // has an excluded term
	ExcludedInPlugin              // on another list of the plugin, of posts, terms or users
	ExcludedByRole                // user with a role that the plugin excludes
	NoProfileStamp                // user without _yoast_wpseo_profile_updated
	SiteNoindex                   // the plugin marks the whole site noindex
	AttachmentRedirected          // WordPress redirects the pages of attachments to their files
	NoUserLevel                   // user of level 0; an older version of the plugin leaves such users out
	VideoDisabled                 // the editor excludes the post's videos
	VideoUndated                  // neither the video's record nor the post has a date
	VideoWithoutThumbnail         // Google requires a thumbnail; the next three verdicts name other required elements
	VideoWithoutTitle
	VideoWithoutDescription
	VideoWithoutPlayer // neither a player nor a file
	VideoProtected     // the post has a password
	AddressUnknown     // plugins change the addresses of the type, and this one is not stored
	NotProduction      // WP_ENVIRONMENT_TYPE is not production
	OfExcludedTerm     // by [site.exclude] terms
	OutOfStock         // by [site.post_type.product] stock
	TooOld             // by [site.post_type.NAME] older_than
	NoSingles          // by [site.post_type.NAME] singles
	Shadowed           // another object answers at the address
	HiddenForum        // below a private or hidden forum of bbPress

	verdictCount // not a verdict
)

// verdicts are the names of the verdicts, which explain prints.
var verdicts = [verdictCount]string{
	Listed: "listed", PrivateSite: "private site", NotPublished: "not published", ZeroDate: "zero date",
	PasswordProtected: "password protected", ParentHidden: "parent hidden", NoAddress: "no URL of its own",
	NoLanguage: "no language", OtherLanguage: "other language", NotAMember: "not a member",
	Excluded: "excluded by configuration", FrontPageItself: "front page", JobFilled: "filled position",
	ServicePage: "service page", LinksElsewhere: "links elsewhere", ArchiveNoindex: "archive noindex", MetaNoindex: "noindex",
	ExternalLink: "external link", CanonicalElsewhere: "canonical elsewhere", Redirected: "redirected",
	HiddenProduct: "hidden product", TypeNoindex: RuleTypeNoindex, ExcludedPost: "excluded post", ExcludedTerm: "excluded term",
	ExcludedByTerm: "excluded by its term", ExcludedInPlugin: "excluded in the plugin", ExcludedByRole: "role excluded",
	SiteNoindex: "site noindex", AttachmentRedirected: "attachment redirected",
	NoProfileStamp: "no profile stamp", NoUserLevel: "user level 0", VideoDisabled: "video disabled",
	VideoUndated: "video without date", VideoWithoutThumbnail: "video without thumbnail", VideoWithoutTitle: "video without title",
	VideoWithoutDescription: "video without description", VideoWithoutPlayer: "video without player or file",
	VideoProtected: "video behind a password", AddressUnknown: "address unknown", NotProduction: "not production",
	OfExcludedTerm: "term excluded by configuration", OutOfStock: "out of stock", TooOld: "too old", NoSingles: "no singles",
	Shadowed: "address of something else", HiddenForum: "in a hidden forum",
}

func (v Verdict) String() string { return verdicts[v] }

// early marks the verdicts that a plugin applies in its SQL query rather than in PHP.
var early = [verdictCount]bool{
	NotProduction: true, PrivateSite: true, NotPublished: true, ZeroDate: true, PasswordProtected: true, ParentHidden: true, NoAddress: true,
	NoLanguage: true, OtherLanguage: true, NotAMember: true,
}

// Late reports whether a plugin applies the verdict after its query. Objects that its SQL leaves out take no place on a page,
// but objects that its PHP drops do.
func (v Verdict) Late() bool { return !early[v] }

// missing marks the verdicts that no setting causes: visitors cannot see the object, or a stored value is
// missing.
var missing = [verdictCount]bool{
	NotPublished: true, ZeroDate: true, PasswordProtected: true, ParentHidden: true, NoAddress: true, NoLanguage: true, NotAMember: true,
	NoProfileStamp: true, AddressUnknown: true, VideoUndated: true, VideoWithoutThumbnail: true, VideoWithoutTitle: true,
	VideoWithoutDescription: true, VideoWithoutPlayer: true, VideoProtected: true,
}

// ByRule reports whether visitors can see the object, but a setting or an editor leaves it out.
func (v Verdict) ByRule() bool { return v != Listed && !missing[v] }

// ByOperator reports whether the configuration leaves the object out. The plugin does not know about
// such exclusions.
func (v Verdict) ByOperator() bool {
	return v == Excluded || v == OfExcludedTerm || v == OutOfStock || v == TooOld || v == NoSingles
}

// ObjectKind is the kind of an object: post, term, user and so on.
type ObjectKind uint8

// The kinds of object that can be in a sitemap.
const (
	KindPost ObjectKind = iota
	KindTerm
	KindUser
	KindFrontPage // page_on_front, listed first in the sitemap of pages
	KindPostsPage // page_for_posts, listed first among the posts, or the page of another archive
	KindArchive   // archive of a post type, or home as the archive of posts
	KindVideo     // post in the sitemap of videos, for which the plugin checks only some rules
	KindPart      // later part of a post that <!--nextpage--> cuts
	KindOther     // belongs to a list whose objects have several kinds or are on other lists, too
)

func KindOf(t *registry.Type) ObjectKind {
	if t.Taxonomy {
		return KindTerm
	}
	return KindPost
}

// Object is the data on which the decision about one object depends. Link may be empty if no check
// needs it; checks on links then do not apply.
type Object struct {
	Kind           ObjectKind
	Type           string // post type or taxonomy
	ID             int64
	Flags          Flags
	Published      bool
	ZeroDate       bool
	Protected      bool
	ParentHidden   bool
	NoAddress      bool
	InHiddenForum  bool
	Shadowed       bool
	NotAMember     bool
	FirstLink      bool // page_on_front or page_for_posts, in the sitemap of pages
	ArchiveNoindex bool
	Filled         bool    // WP Job Manager marks the position as filled
	LinksTo        string  // _links_to, if Page Links To is active
	Excluded       Verdict // verdict by the operator's exclusions of terms and types; Listed if there is none
	Link           string
	Language       string // set if the object is listed at the domain of its language
}

// Left is an object that was left out while a catalog was built.
type Left struct {
	Verdict Verdict
	Kind    ObjectKind // KindPost, KindTerm, KindUser or KindArchive
	Of      string     // post type or taxonomy; "" if unknown
	ID      int64
	Loc     string // the address of an object without an id
}

// elsewhere reports whether the canonical URL leads to another page. A URL that differs only in letter case or in escapes leads
// to the same page.
func (o *Object) elsewhere() bool {
	return o.Differs() && !strings.EqualFold(php.URLDecode(o.Flags.Canonical), php.URLDecode(o.Link))
}

// Differs reports whether the canonical URL differs from the object's own in any character, as plugins compare.
func (o *Object) Differs() bool {
	return o.Flags.Canonical != "" && o.Link != "" && o.Flags.Canonical != o.Link
}

// Reason says why a whole type, an archive or a sitemap is left out.
type Reason struct {
	Rule     string // the name of the reason, in the style of a verdict's name
	Sentence string
	Evidence []Evidence
	Do       string // as Check.Do
}

// Because returns a reason with its evidence. do has the meaning of Check.Do.
func Because(rule, sentence, do string, evidence ...Evidence) *Reason {
	return &Reason{Rule: rule, Sentence: sentence, Do: do, Evidence: evidence}
}

// Never returns the reason for a type that never has a sitemap of a plugin.
func Never(plugin, of string) *Reason {
	return Because(RuleNever, "This type never has a sitemap.", "", Evidence{plugin, "no sitemap of this type", of})
}

// Unqueryable returns the reason for a taxonomy whose terms cannot be queried.
func Unqueryable(t *registry.Taxonomy) *Reason {
	return Because(RuleNotViewable, "Visitors cannot see the terms of this taxonomy.", "",
		Evidence{string(t.Sources["public"]), "public = true, but publicly_queryable is false", "taxonomy " + t.Name})
}

// Names of reasons that plugins share.
const (
	RuleNotViewable  = "type not viewable"
	RuleNotPublic    = "type not public"
	RuleTypeExcluded = "type excluded by configuration"
	RuleTypeHidden   = "type disabled"
	RuleTypeNoindex  = "type noindex"
	RuleNever        = "type never listed"
	RuleAuthorsOff   = "author archives off"
	RuleNoArchive    = "no archive"
	RuleNoPlugin     = "plugin not active"
	RuleSwitchedOff  = "switched off by configuration"
)
