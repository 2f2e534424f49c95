package seo

import (
	"context"

	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// Decisions are the decisions of a plugin about objects at one level. SpecDecisions is the base. A plugin's type embeds
// SpecDecisions or PluginDecisions and overrides the methods in which the plugin differs.
type Decisions interface {
	// Checks returns the checks in order. The first one that applies gives the verdict.
	Checks() []Check

	// Internal reports whether a link stays below home, or below the home of a language.
	Internal(r *Rules, link, language string) bool
	// Protected reports whether post_password hides a post. set means that the password is not empty,
	// null that the column is NULL.
	Protected(set, null bool) bool
	// FirstLink reports whether a page is listed as the front page or as the posts page.
	FirstLink(set *wp.Settings, id int64) bool
	// JudgeHome judges home if home is the archive of the posts.
	JudgeHome(r *Rules, link string) Verdict
	// Filled reports whether WP Job Manager leaves out a post because its position is filled. value is
	// the post's meta _filled.
	Filled(set *wp.Settings, postType, value string) bool

	// AttachmentOpen reports whether an attachment with this status may be listed.
	AttachmentOpen(r *Rules, status string) bool
	// Unattached reports whether attachments that belong to no post are listed.
	Unattached() bool
	// LockedParents reports whether attachments of posts with a password are listed.
	LockedParents() bool

	// PostTypes and Taxonomies return the types that may have a list, in index order. A type may no
	// longer be registered.
	PostTypes(r *Rules) []*registry.PostType
	Taxonomies(r *Rules) []*registry.Taxonomy
	// TermInUse reports whether the plugin takes a term for one in use, so that it may list the term. listed says whether
	// WordPress' get_terms() returns the term. count is the term's stored number of posts.
	TermInUse(r *Rules, taxonomy string, listed bool, count int64) bool
	// FreeAuthors returns the users that count as authors if PluginSettings.AuthorTypes is nil, so that no post is needed.
	FreeAuthors(ctx context.Context, blog *wp.Blog) ([]int64, error)

	// Foreign reports whether the blog is the site of one language alone, which leaves out objects without a language.
	Foreign(r *Rules) bool
	// UntranslatedTerm returns the verdict on terms of a taxonomy without languages if Foreign reports true.
	UntranslatedTerm() Verdict
	// EveryLanguage reports whether lists also hold objects that have no language, a hidden language,
	// or the language of another blog.
	EveryLanguage() bool
	// Alternates reports whether entries name their translations if the operator enables this.
	Alternates() bool

	// Date returns the date of a post in sitemaps.
	Date(r *Rules, d wp.Dates) int64
	// ZeroChanges reports whether a zero post_modified_gmt counts as a date for terms and archives. In plugins it does, because
	// PHP parses it as a date.
	ZeroChanges() bool
	// PastDates reports whether a date in the future counts as no date, see Rules.Past.
	PastDates() bool
	// DatesTerms reports whether attachments are read because the dates of their terms need them. t is the type attachment.
	DatesTerms(r *Rules, t *registry.PostType) bool
	// UndatedTerms reports whether no list needs the dates of terms. The dates are not read then.
	UndatedTerms() bool

	// WithoutParts reports whether the plugin marks the later parts of posts noindex.
	WithoutParts(r *Rules) bool
	// InRobots reports whether robots.txt names the index.
	InRobots(r *Rules) bool
	// EmptyIndex reports whether an index without entries exists.
	EmptyIndex(r *Rules) bool
}

// SpecDecisions are the decisions of level spec. They judge the front page and the posts page like any
// other page. Values that plugins never write are taken literally.
type SpecDecisions struct{}

// Checks implements Decisions for a plugin that stores no settings of single objects.
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
	return objects.Editors(ctx, blog)
}

func (SpecDecisions) Foreign(r *Rules) bool {
	return r.HasDomains() && r.Blog.Languages().OfDomain() != r.Blog.Languages().Default()
}

func (SpecDecisions) UntranslatedTerm() Verdict { return ExternalLink }
func (SpecDecisions) EveryLanguage() bool       { return false }
func (SpecDecisions) Alternates() bool          { return true }

// Date implements Decisions: it returns the newer one of both UTC dates.
func (SpecDecisions) Date(r *Rules, d wp.Dates) int64 { return r.Latest(d) }

func (SpecDecisions) ZeroChanges() bool                          { return false }
func (SpecDecisions) PastDates() bool                            { return true }
func (SpecDecisions) DatesTerms(*Rules, *registry.PostType) bool { return false }
func (SpecDecisions) UndatedTerms() bool                         { return false }
func (SpecDecisions) WithoutParts(*Rules) bool                   { return false }
func (SpecDecisions) InRobots(*Rules) bool                       { return true }

// EmptyIndex implements Decisions. The index of a hidden site is empty, so that PHP's index does not answer.
func (SpecDecisions) EmptyIndex(r *Rules) bool { return r.Hidden() }

// PluginDecisions are the decisions that all plugins share at level plugin.
type PluginDecisions struct{ SpecDecisions }

// JudgeHome implements Decisions: home is listed unless the operator excludes it.
func (PluginDecisions) JudgeHome(r *Rules, link string) Verdict {
	if r.Excludes(Object{Kind: KindArchive, Link: link}) {
		return Excluded
	}
	return Listed
}

func (PluginDecisions) Foreign(*Rules) bool       { return false }
func (PluginDecisions) UntranslatedTerm() Verdict { return Listed }
func (PluginDecisions) Alternates() bool          { return false }
func (PluginDecisions) EmptyIndex(*Rules) bool    { return false }
func (PluginDecisions) PastDates() bool           { return false }
