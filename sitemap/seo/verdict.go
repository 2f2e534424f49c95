package seo

import (
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Verdict is the decision about an object: Listed, or the reason why it is left out.
type Verdict uint8

// The verdicts of all plugins. Their numbers do not depend on the packages that are linked.
const (
	Listed                Verdict = iota
	PrivateSite                   // option blog_public is 0
	NotPublished                  // post_status
	ZeroDate                      // post_date is 0000-00-00 00:00:00
	PasswordProtected             // post_password
	ParentHidden                  // attachment without a published parent that is free of a password
	NoAddress                     // post_name is empty, so the permalink is that of another object
	NoLanguage                    // of a translated type, without a language or in a hidden one
	OtherLanguage                 // listed at another language's domain
	NotAMember                    // user without a role on this site
	Excluded                      // [site.exclude]
	FrontPageItself               // page_on_front and page_for_posts are listed as first links
	JobFilled                     // _filled of a listing of WP Job Manager
	ServicePage                   // cart, checkout or account of a shop, which its plugin keeps from search engines
	LinksElsewhere                // _links_to of Page Links To
	ArchiveNoindex                // the plugin marks the archive noindex
	MetaNoindex                   // the plugin marks the object noindex
	ExternalLink                  // the link leads away from home
	CanonicalElsewhere            // the plugin names another canonical address
	Redirected                    // a redirect manager of the site sends the address elsewhere
	HiddenProduct                 // WooCommerce hides the product from its catalog
	TypeNoindex                   // the plugin marks the whole type noindex
	ExcludedPost                  // on the plugin's list of excluded posts
	ExcludedTerm                  // on its list of excluded terms
	ExcludedByTerm                // has an excluded term
	ExcludedInPlugin              // on a list of the plugin, of posts, terms or users
	ExcludedByRole                // user with a role that the plugin excludes
	NoProfileStamp                // user without _yoast_wpseo_profile_updated
	SiteNoindex                   // the plugin keeps search engines from the whole site
	AttachmentRedirected          // WordPress redirects the pages of attachments to their files
	NoUserLevel                   // user of level 0; an older version of the plugin leaves such users out
	VideoDisabled                 // the editor wants no video of the post listed
	VideoUndated                  // record and post have no date
	VideoWithoutThumbnail         // Google requires a thumbnail, and what the next four name
	VideoWithoutTitle
	VideoWithoutDescription
	VideoWithoutPlayer // neither player nor file
	VideoProtected     // the post has a password
	AddressUnknown     // plugins of the site change the addresses of its type, and this one is not stored
	NotProduction      // WP_ENVIRONMENT_TYPE is not production
	OfExcludedTerm     // [site.exclude] terms
	OutOfStock         // [site.post_type.product] stock
	TooOld             // [site.post_type.NAME] older_than
	NoSingles          // [site.post_type.NAME] singles
	Shadowed           // another object answers at the address
	HiddenForum        // below a private or hidden forum of bbPress

	verdictCount // not a verdict
)

// verdicts are the names that explain prints.
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

// early marks the verdicts that a plugin applies in its SQL, if it queries first and then checks in PHP.
var early = [verdictCount]bool{
	NotProduction: true, PrivateSite: true, NotPublished: true, ZeroDate: true, PasswordProtected: true, ParentHidden: true, NoAddress: true,
	NoLanguage: true, OtherLanguage: true, NotAMember: true,
}

// Late reports whether a plugin applies the verdict after its query. Objects that its SQL leaves out take no place on a page,
// but objects that its PHP drops do.
func (v Verdict) Late() bool { return !early[v] }

// missing marks the verdicts on an object that visitors cannot see, or that lacks a stored value.
var missing = [verdictCount]bool{
	NotPublished: true, ZeroDate: true, PasswordProtected: true, ParentHidden: true, NoAddress: true, NoLanguage: true, NotAMember: true,
	NoProfileStamp: true, AddressUnknown: true, VideoUndated: true, VideoWithoutThumbnail: true, VideoWithoutTitle: true,
	VideoWithoutDescription: true, VideoWithoutPlayer: true, VideoProtected: true,
}

// ByRule reports whether visitors can see the object, but a setting or an editor leaves it out.
func (v Verdict) ByRule() bool { return v != Listed && !missing[v] }

// ByOperator reports whether the configuration leaves the object out. The plugin does not know of such exclusions.
func (v Verdict) ByOperator() bool {
	return v == Excluded || v == OfExcludedTerm || v == OutOfStock || v == TooOld || v == NoSingles
}

// Exclude is the operator's [site.exclude].
type Exclude struct {
	PostIDs []int64                `toml:"post_ids"`
	TermIDs []int64                `toml:"term_ids"`
	UserIDs []int64                `toml:"user_ids"`
	URLs    []*regexp.Regexp       `toml:"urls"`  // matched against the whole address
	Terms   []TermName             `toml:"terms"` // and posts with one of these terms
	Types   map[string]TypeExclude // [site.post_type.NAME]
}

// ObjectKind is what an object is.
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
	KindOther     // of a list whose objects are of several kinds, or are on other lists, too
)

// KindOf is the kind of the objects of a type.
func KindOf(t *registry.Type) ObjectKind {
	if t.Taxonomy {
		return KindTerm
	}
	return KindPost
}

// Object is all that the decision about one object depends on. Link may be empty while no check needs it; checks on links do
// not apply then.
type Object struct {
	Kind           ObjectKind
	Type           string // post type or taxonomy
	ID             int64
	Published      bool
	ZeroDate       bool
	Protected      bool
	ParentHidden   bool
	NoAddress      bool
	InHiddenForum  bool
	Shadowed       bool
	NotAMember     bool
	FirstLink      bool // page_on_front or page_for_posts, among the pages
	ArchiveNoindex bool
	Noindex        bool
	Index          bool    // the plugin lists it even if its type is noindex
	Broken         bool    // a stored value cannot be read, see Flags; set for the front page and the posts page alone
	Filled         bool    // WP Job Manager marks the position as filled
	LinksTo        string  // _links_to, if Page Links To is active
	Against        Verdict // any other verdict by the plugin's stored settings; Listed for none
	Excluded       Verdict // the verdict by the operator's exclusions; Listed for none
	Canonical      string
	Link           string
	Language       string // set if the object is listed at the domain of its language
}

// With returns the object with its stored settings.
func (o Object) With(f Flags) Object {
	o.Noindex, o.Index, o.Against, o.Canonical = f.Noindex, f.Index, f.Against, f.Canonical
	return o
}

// Elsewhere reports whether the canonical URL leads to another page. A URL that differs only in letter case or in escapes leads
// to the same page.
func (o *Object) Elsewhere() bool {
	return o.Differs() && !strings.EqualFold(php.URLDecode(o.Canonical), php.URLDecode(o.Link))
}

// Differs reports whether the canonical URL differs from the object's own in any character, as plugins compare.
func (o *Object) Differs() bool { return o.Canonical != "" && o.Link != "" && o.Canonical != o.Link }
