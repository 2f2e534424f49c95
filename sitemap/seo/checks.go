package seo

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// A Check is one reason to leave an object out. It holds the test, the words for people, and the
// evidence in the database. The checks of a plugin run in order; the first one that applies decides.
type Check struct {
	Verdict  Verdict
	Sentence string
	Applies  func(*Rules, *Object) bool
	Evidence func(*Subject) []Evidence
	Say      func(*Subject) string // the sentence about one subject; if nil or "", Sentence is used
	Do       string                // how an editor gets the object listed, in the words of the plugin; "" if an editor cannot
	DoOf     func(*Subject) string // Do for one subject; nil to use Do
}

// When returns a copy of the check with another test.
func (c Check) When(applies func(*Rules, *Object) bool) Check {
	c.Applies = applies
	return c
}

// sharedSentences are the sentences of verdicts without a check.
var sharedSentences = map[Verdict]string{
	Listed:        "It is public, and nothing keeps it out.",
	OtherLanguage: "It is listed at the domain of its language.",
	AddressUnknown: "Its URL is not known. Either a plugin filters the URLs of its type and Yoast SEO has not stored this URL, or " +
		"the configured url of its type names a term that it lacks.",
}

// Plugins share these checks. A plugin adds its own checks, and may replace the test of a shared check by
// When.
var (
	privateSite = Check{
		Verdict:  PrivateSite,
		Sentence: "The site asks search engines to stay away, so nothing is listed.",
		Do:       "In Settings, Reading, untick “Discourage search engines from indexing this site”.",
		Applies:  func(c *Rules, _ *Object) bool { return c.Hidden() },
		Evidence: func(s *Subject) []Evidence { return []Evidence{s.Rules.Option("blog_public", `"0"`)} },
	}
	NotProductionCheck = Check{
		Verdict:  NotProduction,
		Sentence: "The environment of the site is not production, so nothing is listed.",
		Do:       "Set WP_ENVIRONMENT_TYPE to production in wp-config.php, or environment = \"production\" in its [[site]].",
		Applies:  func(c *Rules, _ *Object) bool { return c.Blog.Settings().Environment != "" },
		Evidence: func(s *Subject) []Evidence {
			return []Evidence{{"WP_ENVIRONMENT_TYPE", strconv.Quote(s.Rules.Blog.Settings().Environment), "wp-config.php or the configuration"}}
		},
	}
	NotPublishedCheck = Check{
		Verdict:  NotPublished,
		Sentence: "It is not published.",
		Say: func(s *Subject) string {
			sentence, _ := s.status()
			return sentence
		},
		DoOf: func(s *Subject) string {
			_, do := s.status()
			return cmp.Or(do, "Publish it.")
		},
		Applies: func(_ *Rules, o *Object) bool { return o.Kind == KindPost && !o.Published },
	}
	ZeroDateCheck = Check{
		Verdict:  ZeroDate,
		Sentence: "It has no date, like drafts of some old imports.",
		Do:       "Give it a date: open it and save it.",
		Applies:  func(_ *Rules, o *Object) bool { return o.ZeroDate && o.Kind == KindPost },
		Evidence: func(s *Subject) []Evidence {
			return []Evidence{s.Column("posts", "post_date", strconv.Quote(s.Post.Date))}
		},
	}
	ProtectedCheck = Check{
		Verdict:  PasswordProtected,
		Sentence: "It is protected by a password.",
		Do:       "Set its visibility to public, without a password.",
		Applies:  func(_ *Rules, o *Object) bool { return o.Kind == KindPost && o.Protected },
		Evidence: func(s *Subject) []Evidence { return []Evidence{s.Column("posts", "post_password", "set")} },
	}
	ParentHiddenCheck = Check{
		Verdict:  ParentHidden,
		Sentence: "An attachment is listed only if the post it is attached to is published and has no password. This attachment has no such post.",
		DoOf: func(s *Subject) string {
			if s.Row != nil && s.Row.ParentStatus == "trash" {
				return "Attach it to a published post, or restore the one it is attached to."
			}
			return "Attach it to a published post, or publish the one it is attached to."
		},
		Applies:  func(_ *Rules, o *Object) bool { return o.ParentHidden },
		Evidence: parentOf,
	}
	NoAddressCheck = Check{
		Verdict:  NoAddress,
		Sentence: "It has no slug, so its address leads to something else.",
		Applies:  func(_ *Rules, o *Object) bool { return o.NoAddress },
		Say: func(s *Subject) string {
			if s.below() {
				return "An object above it has no slug (like a draft), has another type, or is gone. Therefore WordPress answers its URL with 404."
			}
			return ""
		},
		DoOf: func(s *Subject) string {
			if s.below() {
				return "Publish the object above it, or give it another parent."
			}
			return "Give it a slug: open it, fill in the last part of its address and save it."
		},
		Evidence: func(s *Subject) []Evidence {
			if s.below() {
				return []Evidence{s.Column("posts", "post_parent", strconv.FormatInt(s.Post.Parent, 10)), s.permalink()}
			}
			return []Evidence{s.Column("posts", "post_name", `""`)}
		},
	}
	ShadowedCheck = Check{
		Verdict:  Shadowed,
		Sentence: "A term, an archive or another post has the same URL, and answers there.",
		Applies:  func(_ *Rules, o *Object) bool { return o.Shadowed },
		Say: func(s *Subject) string {
			if base := s.belowBase(); base != "" {
				return fmt.Sprintf("WordPress looks for another kind of object at this URL, not for a page, because it begins with %q.", base+"/")
			}
			return ""
		},
		DoOf: func(s *Subject) string {
			if s.belowBase() != "" {
				return "Give it another parent, or change the slug of the page at the top."
			}
			return "Give it another slug: open it, change the last part of its address and save it."
		},
		Evidence: func(s *Subject) []Evidence {
			all := []Evidence{s.permalink()}
			if base := s.belowBase(); base != "" {
				all = append(all, s.Rules.Option("rewrite_rules", strconv.Quote(base+"/…")))
			}
			return all
		},
	}
	HiddenForumCheck = Check{
		Verdict:  HiddenForum,
		Sentence: "It is below a private or hidden forum, and bbPress answers visitors with 404.",
		Do:       "Make the forum public, or move it to a public forum.",
		Applies:  func(_ *Rules, o *Object) bool { return o.InHiddenForum },
		Evidence: func(s *Subject) []Evidence {
			return []Evidence{
				s.Column("posts", "post_parent", strconv.FormatInt(s.Post.Parent, 10)),
				s.Rules.Option(strings.Join(wp.OptionsHiddenForums, " or "), fmt.Sprint(s.Rules.Blog.Settings().Exclusions.HiddenForums)),
			}
		},
	}
	attachmentRedirectedCheck = Check{
		Verdict:  AttachmentRedirected,
		Sentence: "WordPress redirects the pages of attachments to their files.",
		Do:       "Set the option wp_attachment_pages_enabled to 1, if attachments should have pages.",
		Applies: func(c *Rules, o *Object) bool {
			return o.Kind == KindPost && o.Type == "attachment" && c.Blog.Settings().AttachmentsRedirected
		},
		Evidence: func(s *Subject) []Evidence { return []Evidence{s.Rules.Option("wp_attachment_pages_enabled", `"0"`)} },
	}
	NotAMemberCheck = Check{
		Verdict:  NotAMember,
		Sentence: "The user has no role on this site.",
		Do:       "Give the user a role on this site.",
		Applies:  func(_ *Rules, o *Object) bool { return o.NotAMember },
		Evidence: func(s *Subject) []Evidence { return []Evidence{s.Meta("capabilities of this site", "none")} },
	}
	JobFilledCheck = Check{
		Verdict:  JobFilled,
		Sentence: "WP Job Manager takes filled positions out of the sitemaps.",
		Do:       "Untick “Position Filled” of the listing, if it is open again.",
		Applies:  func(_ *Rules, o *Object) bool { return o.Filled },
		Evidence: func(s *Subject) []Evidence {
			return []Evidence{s.Meta(wp.MetaFilled, strconv.Quote(s.Post.Filled())), {"plugin", "WP Job Manager", ""}}
		},
	}
	FrontPageCheck = Check{
		Verdict:  FrontPageItself,
		Sentence: "It is the home page or the blog page, which is listed already.",
		Applies:  func(_ *Rules, o *Object) bool { return o.FirstLink },
	}
	ServicePageCheck = Check{
		Verdict:  ServicePage,
		Sentence: "It is the cart, checkout or account page of a shop, which is kept from search engines.",
		Applies: func(c *Rules, o *Object) bool {
			_, ok := c.Blog.Settings().Exclusions.ServicePage(o.ID)
			return ok && (o.Kind == KindPost || o.Kind == KindFrontPage)
		},
		Evidence: func(s *Subject) []Evidence {
			page, _ := s.Rules.Blog.Settings().Exclusions.ServicePage(s.Post.ID)
			return []Evidence{s.Rules.Option(page.Option, strconv.Quote(strconv.FormatInt(s.Post.ID, 10)))}
		},
	}
	LinksElsewhereCheck = Check{
		Verdict:  LinksElsewhere,
		Sentence: "The plugin Page Links To gives it the address of something else.",
		Do:       "Point it to its own address in the box of Page Links To.",
		Applies:  func(_ *Rules, o *Object) bool { return o.LinksTo != "" },
		Evidence: func(s *Subject) []Evidence {
			return []Evidence{s.Meta(wp.MetaLinksTo, strconv.Quote(s.Post.LinksTo())), {"plugin", "Page Links To", ""}}
		},
	}
	ExternalLinkCheck = Check{
		Verdict:  ExternalLink,
		Sentence: "Its address does not begin with that of the site.",
		Do:       "If this address is right, correct “Site Address” in Settings, General. If it is wrong, correct the permalink.",
		Applies:  func(c *Rules, o *Object) bool { return o.Link != "" && !c.IsInternal(o.Link, o.Language) },
		Evidence: func(s *Subject) []Evidence {
			return []Evidence{s.permalink(), s.Rules.Option("home", strconv.Quote(s.Rules.Blog.Home()))}
		},
	}
)

// below reports whether the subject itself has a slug. An object above the subject is then the reason for NoAddress.
func (s *Subject) below() bool { return s.Post != nil && s.Post.Name != "" }

// belowBase returns the first segment of a page's address if WordPress takes addresses that begin with this segment for
// another type or taxonomy. It returns "" if WordPress does not, or if the subject is no page.
func (s *Subject) belowBase() string {
	if s.Post == nil || s.Post.Type != "page" {
		return ""
	}
	return s.Rules.Book.Base(s.Link)
}

// parentOf returns the evidence that an attachment has no parent, or that its parent is not published or
// has a password.
func parentOf(s *Subject) []Evidence {
	all := []Evidence{s.Column("posts", "post_parent", strconv.FormatInt(s.Post.Parent, 10))}
	if s.Row == nil || s.Row.ParentStatus == "" {
		return all
	}
	parent := &Subject{Rules: s.Rules, Of: "post " + strconv.FormatInt(s.Post.Parent, 10)}
	all = append(all, parent.Column("posts", "post_status", strconv.Quote(s.Row.ParentStatus)))
	if s.Row.ParentStatus == "publish" {
		all = append(all, parent.Column("posts", "post_password", "set"))
	}
	return all
}

// Own holds a plugin's checks on the settings that it stores for single objects, with the tests of
// level spec.
type Own struct {
	Noindex        Check   // leaves out an object that is noindex
	ArchiveNoindex Check   // leaves out an archive that is noindex; the zero Check means ArchiveCheck
	Canonical      Check   // leaves out an object with another canonical URL; the zero Check if the plugin stores no such URL
	More           []Check // checks that run after Noindex
	Last           []Check // checks that run after all others
}

// NoindexCheck returns the check for objects that a plugin marks noindex. do has the meaning of
// Check.Do.
func NoindexCheck(plugin, do string, evidence func(*Subject) []Evidence) Check {
	return Check{
		Verdict: MetaNoindex, Sentence: "It is set to noindex in " + plugin + ".", Do: do, Evidence: evidence,
		Applies: func(_ *Rules, o *Object) bool { return o.Flags.Noindex },
	}
}

// AgainstCheck returns a check for objects that the plugin leaves out by a setting. The plugin's package stores the
// verdict v in Flags.Against of such an object. sentence and do become Check.Sentence and Check.Do.
func AgainstCheck(v Verdict, sentence, do string, evidence func(*Subject) []Evidence) Check {
	return Check{
		Verdict: v, Sentence: sentence, Do: do, Evidence: evidence,
		Applies: func(_ *Rules, o *Object) bool { return o.Flags.Against == v },
	}
}

// CanonicalCheck returns the check for objects with another canonical URL. plugin is the plugin's name
// in the possessive, such as "Rank Math's".
func CanonicalCheck(plugin string, evidence func(*Subject) []Evidence) Check {
	return Check{
		Verdict: CanonicalElsewhere, Sentence: "Its canonical URL is another URL.", Say: (*Subject).canonicalized,
		Do:       "In " + plugin + " Advanced tab, empty the canonical URL if search engines should list this page itself.",
		Applies:  func(_ *Rules, o *Object) bool { return o.elsewhere() },
		Evidence: func(s *Subject) []Evidence { return append(evidence(s), s.permalink()) },
	}
}

// canonicalized returns a sentence with the subject's canonical URL, or "" if that URL is not known.
func (s *Subject) canonicalized() string {
	to := s.Canonical
	switch {
	case s.Term != nil:
		to = s.Rules.Settings.Term(s.Taxonomy.Name, s.Term.ID).Canonical
	case s.Author != nil:
		to = s.Rules.Settings.Author(s.Author).Canonical
	}
	if to == "" {
		return ""
	}
	return "Its canonical URL is " + to + "."
}

// ArchiveCheck leaves out the archives for which PluginSettings.Archive returns a reason. The sentence of the verdict
// is the sentence of that reason.
var ArchiveCheck = Check{
	Verdict:  ArchiveNoindex,
	Applies:  func(_ *Rules, o *Object) bool { return o.ArchiveNoindex },
	Say:      func(s *Subject) string { return s.archive().Sentence },
	DoOf:     func(s *Subject) string { return s.archive().Do },
	Evidence: func(s *Subject) []Evidence { return s.archive().Evidence },
}

// PostsPageCheck leaves out the posts page if the plugin marks all pages noindex. Then no page has a sitemap; but without this
// check the posts page would still be listed among the posts.
var PostsPageCheck = Check{
	Verdict:  TypeNoindex,
	Applies:  func(c *Rules, o *Object) bool { return o.Kind == KindPostsPage && c.pagesNoindexed().Rule != "" },
	Say:      func(s *Subject) string { return s.Rules.pagesNoindexed().Sentence },
	DoOf:     func(s *Subject) string { return s.Rules.pagesNoindexed().Do },
	Evidence: func(s *Subject) []Evidence { return s.Rules.pagesNoindexed().Evidence },
}

// pagesNoindexed returns why the plugin marks all pages noindex. If it does not, the reason is empty.
func (c *Rules) pagesNoindexed() *Reason {
	if r := c.Settings.PostType(&registry.PostType{Name: "page"}); r != nil && r.Rule == RuleTypeNoindex {
		return r
	}
	return &Reason{}
}

// archive returns why the plugin leaves out the subject, which is an archive. If the plugin lists it, the reason is empty.
func (s *Subject) archive() *Reason {
	name := "post"
	if s.PostType != nil {
		name = s.PostType.Name
	}
	return cmp.Or(s.Rules.Settings.Archive(name), &Reason{})
}

// HiddenProductCheck leaves out products that WooCommerce hides from its catalog. A plugin that lists
// such products does not use this check.
var HiddenProductCheck = AgainstCheck(HiddenProduct, "WooCommerce hides the product from its catalog, and the SEO plugin leaves out hidden products.",
	"In the product's box Publish, set the catalog visibility to “Shop and search results”.", func(s *Subject) []Evidence {
		return []Evidence{s.Column("term_relationships", "product_visibility", strconv.Quote(CatalogHidden))}
	})

// CatalogHidden is the term by which WooCommerce hides a product from its catalog.
const CatalogHidden = "exclude-from-catalog"

// SpecChecks returns the checks at SpecLevel, with those of a plugin. Checks of the whole site come first, then those of
// WordPress' rules, of the operator's configuration and of the plugin's settings. Checks that need the URL come last, because the
// URL may have to be read first.
func SpecChecks(own Own) []Check {
	if own.ArchiveNoindex.Applies == nil {
		own.ArchiveNoindex = ArchiveCheck
	}
	return slices.DeleteFunc(slices.Concat([]Check{
		NotProductionCheck, privateSite,
		NotPublishedCheck.When(func(_ *Rules, o *Object) bool {
			return !o.Published && (o.Kind == KindPost || o.Kind == KindFrontPage || o.Kind == KindPostsPage)
		}),
		ZeroDateCheck,
		ProtectedCheck.When(func(_ *Rules, o *Object) bool { return o.Protected }),
		ParentHiddenCheck, HiddenForumCheck, attachmentRedirectedCheck, NoAddressCheck, ShadowedCheck, NotAMemberCheck, ExcludedCheck, JobFilledCheck,
		FrontPageCheck, ServicePageCheck, LinksElsewhereCheck, own.ArchiveNoindex, own.Noindex,
	}, own.More, []Check{ExternalLinkCheck, RedirectedCheck, own.Canonical}, own.Last), func(c Check) bool { return c.Applies == nil })
}

// status returns a sentence about the status of an unpublished post, and what an editor can do. Both are "" if the status is not known.
func (s *Subject) status() (sentence, do string) {
	if s.Post == nil {
		return "", ""
	}
	switch s.Post.Status {
	case "draft", "auto-draft":
		return "It is a draft.", "Publish it."
	case "pending":
		return "It is pending: it waits for a review.", "Review it and publish it."
	case "future":
		return "It is scheduled for " + s.Post.Date + ", by the site's clock.", "Wait for that date, or publish it now."
	case "trash":
		return "It is in the trash.", "Restore it, and publish it if it is a draft then."
	case "private":
		return "It is private.", "Set its visibility to public."
	}
	return "", ""
}
