package seo

import (
	"context"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Decisions are how a plugin decides about objects at one level. SpecDecisions is the base: a plugin's type embeds it, or
// PluginDecisions, and has a method of its own only for what that plugin decides differently.
type Decisions interface {
	// Checks are tried in their order. The first that applies gives the verdict, so the order says which of several reasons
	// people are told.
	Checks() []Check

	// Internal reports whether a link stays below home, or below the home of a language.
	Internal(r *Rules, link, language string) bool
	// Protected reports whether a post is hidden by its post_password, which is set, or NULL.
	Protected(set, null bool) bool
	// FirstLink reports whether a page is listed as the front page or the posts page.
	FirstLink(set *wp.Settings, id int64) bool
	// JudgeHome judges home as the archive of the posts.
	JudgeHome(r *Rules, link string) Verdict
	// Filled reports whether WP Job Manager keeps a post out as a filled position; value is its meta _filled.
	Filled(set *wp.Settings, postType, value string) bool

	// AttachmentOpen reports whether an attachment of that status may be listed.
	AttachmentOpen(r *Rules, status string) bool
	// Unattached reports whether attachments that belong to no post are listed.
	Unattached() bool
	// LockedParents reports whether attachments of posts with a password are listed.
	LockedParents() bool

	// PostTypes and Taxonomies are the types that may have a list, in the order of the index. They may be gone.
	PostTypes(r *Rules) []*registry.PostType
	Taxonomies(r *Rules) []*registry.Taxonomy
	// TermInUse reports whether a term is in use: listed is what get_terms() says, count is the term's own count.
	TermInUse(r *Rules, taxonomy string, listed bool, count int64) bool
	// FreeAuthors returns the users that are authors if PluginSettings.AuthorTypes asks for no post.
	FreeAuthors(ctx context.Context, blog *wp.Blog) ([]int64, error)

	// Foreign reports whether an object without a language has no place on the blog.
	Foreign(r *Rules) bool
	// UntranslatedTerm is the verdict on terms of a taxonomy without languages if those are foreign.
	UntranslatedTerm() Verdict
	// EveryLanguage reports whether lists hold objects without a language, of a hidden language, and of another blog's language.
	EveryLanguage() bool
	// Alternates reports whether translations are named if the operator wants them.
	Alternates() bool

	// Date is the date of a post in sitemaps.
	Date(r *Rules, d PostDates) int64
	// ZeroChanges reports whether a zero post_modified_gmt counts as a date when the dates of other entries are made of it. PHP
	// makes one of it.
	ZeroChanges() bool
	// PastDates reports whether dates that are still to come count as none, see Rules.Past.
	PastDates() bool
	// DatesTerms reports whether the rows of attachments are read for the dates of their terms.
	DatesTerms(r *Rules, t *registry.PostType) bool
	// UndatedTerms reports whether no list has the dates of terms, so that they are not read.
	UndatedTerms() bool

	// WithoutParts reports whether search engines are kept from the later parts of posts.
	WithoutParts(r *Rules) bool
	// InRobots reports whether robots.txt names the index.
	InRobots(r *Rules) bool
	// EmptyIndex reports whether an index that names nothing is served.
	EmptyIndex() bool
}

// PostDates are the dates of a post in seconds since 1970: by the site's clock, and in UTC.
type PostDates struct{ Published, Changed, PublishedGMT, ChangedGMT int64 }

// SpecDecisions are those of level spec: front page and posts page are judged as every page, and values that plugins never
// write mean what they say.
type SpecDecisions struct{}

// Checks implements Decisions for a plugin that stores nothing of single objects.
func (SpecDecisions) Checks() []Check { return SpecChecks(Own{}) }

func (SpecDecisions) Internal(r *Rules, link, language string) bool {
	return r.BelowHome(link, language)
}

func (SpecDecisions) Protected(set, _ bool) bool { return set }

func (SpecDecisions) FirstLink(set *wp.Settings, id int64) bool {
	return set.ShowOnFront == "page" && NamesPage(set, id)
}

func (SpecDecisions) JudgeHome(r *Rules, link string) Verdict {
	return r.Judge(Object{Kind: KindArchive, Link: link})
}

func (SpecDecisions) Filled(_ *wp.Settings, postType, value string) bool {
	return wp.Filled(postType, value)
}

func (SpecDecisions) AttachmentOpen(_ *Rules, status string) bool {
	return status == "publish" || status == "inherit"
}

func (SpecDecisions) Unattached() bool    { return false }
func (SpecDecisions) LockedParents() bool { return false }

func (SpecDecisions) PostTypes(r *Rules) []*registry.PostType  { return r.Blog.Registry().PostTypes }
func (SpecDecisions) Taxonomies(r *Rules) []*registry.Taxonomy { return r.Blog.Registry().Taxonomies }

func (SpecDecisions) TermInUse(_ *Rules, _ string, listed bool, _ int64) bool { return listed }

func (SpecDecisions) FreeAuthors(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	return blog.Editors(ctx)
}

func (SpecDecisions) Foreign(r *Rules) bool {
	return r.HasDomains() && r.Blog.Language() != r.Blog.DefaultLanguage()
}

func (SpecDecisions) UntranslatedTerm() Verdict { return ExternalLink }
func (SpecDecisions) EveryLanguage() bool       { return false }
func (SpecDecisions) Alternates() bool          { return true }

// Date implements Decisions: the newer of both dates in UTC.
func (SpecDecisions) Date(r *Rules, d PostDates) int64 { return r.Latest(d.PublishedGMT, d.ChangedGMT) }

func (SpecDecisions) ZeroChanges() bool                          { return false }
func (SpecDecisions) PastDates() bool                            { return true }
func (SpecDecisions) DatesTerms(*Rules, *registry.PostType) bool { return false }
func (SpecDecisions) UndatedTerms() bool                         { return false }
func (SpecDecisions) WithoutParts(*Rules) bool                   { return false }
func (SpecDecisions) InRobots(*Rules) bool                       { return true }
func (SpecDecisions) EmptyIndex() bool                           { return true }

// PluginDecisions are what the plugins have in common at level plugin.
type PluginDecisions struct{ SpecDecisions }

// JudgeHome implements Decisions: home is listed whatever there is.
func (PluginDecisions) JudgeHome(*Rules, string) Verdict { return Listed }

func (PluginDecisions) Foreign(*Rules) bool       { return false }
func (PluginDecisions) UntranslatedTerm() Verdict { return Listed }
func (PluginDecisions) Alternates() bool          { return false }
func (PluginDecisions) EmptyIndex() bool          { return false }
func (PluginDecisions) PastDates() bool           { return false }
