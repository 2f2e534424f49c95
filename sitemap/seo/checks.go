package seo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
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

// Evidence is a fact from the database or the configuration.
type Evidence struct {
	Source string `json:"source"`       // table.column, table.meta_key, table.option[key] or configuration key
	Value  string `json:"value"`        // as stored; texts in quotes
	Of     string `json:"of,omitempty"` // the object that holds the value, such as "post 17"
}

// Subject is an object that explain describes. At most one of Post, Term, Author and PostType is set.
// None is set for home. PostType is set if the subject is the archive of that type.
type Subject struct {
	Rules    *Rules
	Of       string // such as "post 17"
	Link     string
	Post     *address.Post
	Row      *objects.PostRow // the row of Post; nil if the post no longer exists
	Term     *address.Term
	Taxonomy *registry.Taxonomy // of Term
	Author   *address.Author
	PostType *registry.PostType

	Canonical string // the canonical URL of Post if its verdict is CanonicalElsewhere
}

// Kind returns the kind of the subject and its post type or taxonomy. A front page counts as a post.
func (s *Subject) Kind() (k ObjectKind, of string) {
	switch {
	case s.Term != nil && s.Taxonomy != nil:
		return KindTerm, s.Taxonomy.Name
	case s.Post != nil:
		return KindPost, s.Post.Type
	case s.Author != nil:
		return KindUser, ""
	}
	return KindArchive, ""
}

// Column returns evidence from a row of the subject.
func (s *Subject) Column(table, column, value string) Evidence {
	return Evidence{s.Rules.Blog.Table(table) + "." + column, value, s.Of}
}

// Meta returns evidence from the meta of a post, a term or an author.
func (s *Subject) Meta(key, value string) Evidence {
	switch {
	case s.Author != nil:
		return s.Column("usermeta", key, value)
	case s.Term != nil:
		return s.Column("termmeta", key, value)
	}
	return s.Column("postmeta", key, value)
}

// OptionOf returns evidence from an option of a blog.
func OptionOf(blog *wp.Blog, name, value string) Evidence {
	return Evidence{Source: blog.Table("options") + "." + name, Value: value}
}

// Option returns evidence from an option of the rules' blog.
func (c *Rules) Option(name, value string) Evidence { return OptionOf(c.Blog, name, value) }

// permalink returns the subject's own address as evidence.
func (s *Subject) permalink() Evidence { return Evidence{"permalink", strconv.Quote(s.Link), s.Of} }

// Judge is the only function that decides whether an object is listed. The first check that applies
// gives the verdict.
func (c *Rules) Judge(o Object) Verdict {
	for i := range c.checks {
		if check := &c.checks[i]; check.Applies(c, &o) {
			return check.Verdict
		}
	}
	return Listed
}

// checkOf returns the check that gives a verdict, or nil if no check does.
func (c *Rules) checkOf(v Verdict) *Check {
	for i := range c.checks {
		if c.checks[i].Verdict == v {
			return &c.checks[i]
		}
	}
	return nil
}

// Has reports whether a check gives the verdict.
func (c *Rules) Has(v Verdict) bool { return c.checkOf(v) != nil }

// Words returns a verdict on the subject as a sentence. do says how an editor gets the subject listed; it
// is "" if an editor cannot.
func (s *Subject) Words(v Verdict) (sentence, do string) {
	c := s.Rules.checkOf(v)
	if c == nil {
		return sharedSentences[v], ""
	}
	sentence, do = c.Sentence, c.Do
	if c.Say != nil {
		sentence = cmp.Or(c.Say(s), sentence)
	}
	if c.DoOf != nil {
		do = c.DoOf(s)
	}
	return sentence, do
}

// sharedSentences are the sentences of verdicts without a check.
var sharedSentences = map[Verdict]string{
	Listed:        "It is public, and nothing keeps it out.",
	NoLanguage:    "It has no language, or one that visitors may not see.",
	OtherLanguage: "It is listed at the domain of its language.",
	AddressUnknown: "Its URL is not known: a plugin of the site filters those of its type, and Yoast SEO has not stored this one, " +
		"or the configured form of URLs names a term that it does not have.",
}

// EvidenceOf returns the facts behind a verdict on a subject.
func (s *Subject) EvidenceOf(v Verdict) []Evidence {
	if v == NoLanguage || v == OtherLanguage {
		return s.language(v)
	}
	if c := s.Rules.checkOf(v); c != nil && c.Evidence != nil {
		return c.Evidence(s)
	}
	return nil
}

// language returns the evidence for a post or a term that is left out because of its language.
func (s *Subject) language(v Verdict) []Evidence {
	code := ""
	if s.Post != nil {
		code = s.Post.Language
	} else if s.Term != nil {
		code = s.Term.Language
	}
	value := "none"
	if code != "" {
		value = strconv.Quote(code)
	}
	all := []Evidence{{"language", value, s.Of}}
	if l, ok := s.Rules.Blog.Languages().ByCode(code); ok && v == OtherLanguage && s.Post != nil {
		all = append(all, Evidence{"language " + code, strconv.Quote(l.Home), ""})
	}
	return all
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
		Sentence: "The site is a copy for tests, by its environment, so nothing is listed.",
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
		Sentence: "It has no date, as drafts of old imports.",
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
		Verdict: ParentHidden,
		Sentence: "An attachment is listed where the post it is attached to is published and without password, " +
			"and this one is not attached to such a post.",
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
				return "What is above it has no slug, as drafts have none, is of another type or is gone, so WordPress answers its URL with 404."
			}
			return ""
		},
		DoOf: func(s *Subject) string {
			if s.below() {
				return "Publish what is above it, or give it another parent."
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
		Do:       "Make the forum public, or move it to one that is.",
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
		Sentence: "Listed as the home page or blog page, not a second time.",
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
		Sentence: "It has the address of something else, by the plugin Page Links To.",
		Do:       "Point it to its own address in the box of Page Links To.",
		Applies:  func(_ *Rules, o *Object) bool { return o.LinksTo != "" },
		Evidence: func(s *Subject) []Evidence {
			return []Evidence{s.Meta(wp.MetaLinksTo, strconv.Quote(s.Post.LinksTo())), {"plugin", "Page Links To", ""}}
		},
	}
	ExternalLinkCheck = Check{
		Verdict:  ExternalLink,
		Sentence: "Its address does not begin with that of the site.",
		Do:       "If the address is right, correct Settings, General, “Site Address”; else the permalink.",
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

// AgainstCheck returns a check that gives verdict v to the objects whose Against is v, so that
// settings of the plugin can leave an object out.
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
		Verdict: CanonicalElsewhere, Sentence: "It is canonicalized to another URL.", Say: (*Subject).canonicalized,
		Do:       "In " + plugin + " Advanced tab, empty the canonical URL, if this page is the one to be found.",
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
	return "It is canonicalized to " + to + "."
}

// ArchiveCheck leaves out the archives for which PluginSettings.Archive returns a reason. The sentence is
// that of the reason.
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
	Verdict: TypeNoindex,
	Applies: func(c *Rules, o *Object) bool {
		return o.Kind == KindPostsPage && !o.Flags.Index && c.pagesNoindexed().Rule != ""
	},
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
var HiddenProductCheck = AgainstCheck(HiddenProduct, "WooCommerce hides the product from its catalog, and the SEO plugin leaves such out.",
	"In the product's box Publish, set the catalog visibility to “Shop and search results”.", func(s *Subject) []Evidence {
		return []Evidence{s.Column("term_relationships", "product_visibility", strconv.Quote(CatalogHidden))}
	})

// CatalogHidden is the term by which WooCommerce hides a product from its catalog.
const CatalogHidden = "exclude-from-catalog"

// SpecChecks returns the checks of level spec, together with a plugin's own. The order is: the whole site, WordPress, the
// operator, the plugin. Checks that need the URL come last, because the URL may have to be read first.
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

// object returns the subject as an Object with only kind, id and address.
func (s *Subject) object() Object {
	switch {
	case s.Post != nil:
		return Object{Kind: KindPost, ID: s.Post.ID, Link: s.Link}
	case s.Term != nil:
		return Object{Kind: KindTerm, ID: s.Term.ID, Link: s.Link}
	case s.Author != nil:
		return Object{Kind: KindUser, ID: s.Author.ID, Link: s.Link}
	}
	return Object{Kind: KindArchive, Link: s.Link}
}

// JudgePage judges a page that is the front page or the posts page.
func (c *Rules) JudgePage(ctx context.Context, k ObjectKind, p *address.Post) (Verdict, error) {
	if k == KindPostsPage {
		return c.JudgeArchivePage(ctx, "post", p)
	}
	return c.judgePage(ctx, k, p, false)
}

// JudgeArchivePage judges a page whose address is also that of a post type's archive.
func (c *Rules) JudgeArchivePage(ctx context.Context, postType string, p *address.Post) (Verdict, error) {
	return c.judgePage(ctx, KindPostsPage, p, c.Settings.Archive(postType) != nil)
}

func (c *Rules) judgePage(ctx context.Context, k ObjectKind, p *address.Post, archiveNoindex bool) (Verdict, error) {
	excluded, err := c.ExcludedPosts(ctx, []int64{p.ID})
	if err != nil {
		return 0, err
	}
	linksTo := ""
	if k == KindFrontPage && c.Blog.Settings().Exclusions.LinksTo { // Page Links To does not change the posts page
		linksTo = p.LinksTo()
	}
	return c.Judge(Object{
		Kind: k, Type: p.Type, ID: p.ID, Flags: c.Settings.Post(p), Published: p.Status == "publish", Protected: p.Protected,
		ArchiveNoindex: archiveNoindex, LinksTo: linksTo, Excluded: excluded[p.ID], Link: p.Link,
	}), nil
}

// JudgeTerm judges a term by its stored settings.
func (c *Rules) JudgeTerm(taxonomy string, id int64, link, language string) Verdict {
	return c.Judge(Object{
		Kind: KindTerm, Type: taxonomy, ID: id, Flags: c.Settings.Term(taxonomy, id), Link: link, Language: language,
		Excluded: c.excludedByTerm(taxonomy, id),
	})
}

// JudgeAuthor judges a user.
func (c *Rules) JudgeAuthor(a *address.Author) Verdict {
	return c.Judge(Object{Kind: KindUser, ID: a.ID, Flags: c.Settings.Author(a), NotAMember: !a.Member, Link: a.Link})
}

// JudgePart judges a later part of a listed post. link is the URL of the part. A canonical URL in flags,
// the settings of the post, also applies to the part.
func (c *Rules) JudgePart(p *address.Post, flags Flags, link string) Verdict {
	if t := c.Blog.Registry().PostType(p.Type); t != nil && t.URL != "" { // nobody knows the URLs that a separate front end gives to parts
		return AddressUnknown
	}
	return c.Judge(Object{Kind: KindPart, Type: p.Type, ID: p.ID, Flags: Flags{Canonical: flags.Canonical}, Published: true, Link: link})
}

// JudgeArchive judges the archive of a post type. If postType is "", the address belongs to no type, so no noindex of an
// archive applies.
func (c *Rules) JudgeArchive(postType, link string) Verdict {
	return c.Judge(Object{Kind: KindArchive, ArchiveNoindex: postType != "" && c.Settings.Archive(postType) != nil, Link: link})
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
