package seo

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/sitemap/redirects"
	"wpsitemapd/wp"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

// Rules decide on one blog: they are the settings of the plugin whose sitemaps are served, how that plugin decides, and
// the operator's choices.
type Rules struct {
	Blog     *wp.Blog
	Plugin   string // as key sitemaps names it; "" for one that it does not name
	Options  Options
	Links    *permalink.Builder
	Settings PluginSettings
	// Redirects are the rules of the site's redirect managers, where they decide; nil where they do not, or there are none.
	Redirects *redirects.Rules
	Decisions Decisions
	// Absent says of names of sitemaps that an add-on would make why there is none.
	Absent map[string]*Reason

	checks        []Check
	excludedTerms map[wp.TermKey]bool // see LoadExcluded
}

// NewRules returns the rules of a plugin on a blog. The checks of lists, more, come behind those of the plugin and of the operator.
// opt has no zero value of a field that has a default.
func NewRules(blog *wp.Blog, opt Options, settings PluginSettings, decisions Decisions, more ...Check) *Rules {
	r := &Rules{Blog: blog, Options: opt, Links: permalink.New(blog.Settings().Permalinks), Settings: settings, Decisions: decisions}
	r.checks = slices.Concat(decisions.Checks(), OperatorChecks, more)
	if r.Has(Redirected) {
		r.Redirects = redirects.Of(blog)
	}
	return r
}

// At returns the same rules for another of the plugin's blogs, see wp.Blog.AtHome.
func (c *Rules) At(blog *wp.Blog) *Rules {
	r := *c
	r.Blog, r.Links = blog, permalink.New(blog.Settings().Permalinks)
	if r.Has(Redirected) {
		r.Redirects = redirects.Of(blog)
	}
	return &r
}

// PluginSettings are what a plugin's settings on a blog say, beside those of single posts.
type PluginSettings interface {
	// Load reads what is stored of terms, if it is not among the options. It is called before a catalog is built.
	Load(ctx context.Context) error
	// PostType says why there is no sitemap of a public, viewable post type; nil where there is one.
	PostType(*registry.PostType) *Reason
	// Taxonomy says the same of a public taxonomy.
	Taxonomy(*registry.Taxonomy) *Reason
	// Authors says why there is no sitemap of authors; nil where there is one.
	Authors() *Reason
	// AuthorTypes are the post types of which an author needs a published post; nil: none is needed.
	AuthorTypes() []string
	// Archive says why the archive of a post type is left out; nil where it is not.
	Archive(postType string) *Reason
	// Posts returns what is stored of posts; nil: of all of which anything is.
	Posts(ctx context.Context, ids []int64) (map[int64]Flags, error)
	// Post returns what is stored of a post that was read with its meta, and PostEvidence where that is.
	Post(*wp.Post) Flags
	PostEvidence(*wp.Post) []Evidence
	// Term returns what is stored of a term, and TermEvidence where that is.
	Term(taxonomy string, id int64) Flags
	TermEvidence(taxonomy string, id int64) []Evidence
	// Author returns what is stored of a user.
	Author(*wp.Author) Flags
	// Faults returns what could not be read of what the plugin has stored, at the last reading of all.
	Faults() Faults
}

// Faults are the unreadable parts of what a plugin has stored.
type Faults struct {
	Broken int   // posts and terms with values that cannot be read, and say nothing
	Posts  error // why what is stored of posts is not known: it may say noindex of any; nil: it is known
}

// MostCompared is how many posts of which anything is stored a delta compares with what they were. Where there are more,
// Posts need not return those that have nothing to say.
const MostCompared = 20_000

// Flags are what a plugin knows of one object.
type Flags struct {
	Noindex   bool
	Index     bool    // it is to be listed whatever is said of its type
	Broken    bool    // a stored value cannot be read, and says nothing
	Canonical string  // "" for its own address
	Against   Verdict // what else speaks against it; Listed for nothing
	Stamp     int64   // of a user: a number by which the plugin orders and dates users; of a post: the plugin's own
	Priority  uint8   // of a post: a number by which the plugin orders posts; 0 for none
}

// Reason is why a whole type is left out.
type Reason struct {
	Rule     string // a name, as that of a verdict
	Sentence string
	Evidence []Evidence
	Do       string // see Check
}

// Because is a reason with its evidence; do is as in Check.
func Because(rule, sentence, do string, evidence ...Evidence) *Reason {
	return &Reason{Rule: rule, Sentence: sentence, Do: do, Evidence: evidence}
}

// Never is why a type never has a sitemap of a plugin.
func Never(plugin, of string) *Reason {
	return Because(RuleNever, "This type never has a sitemap.", "", Evidence{plugin, "no sitemap of this type", of})
}

// Unqueryable is why a taxonomy has no sitemap where its terms cannot be queried.
func Unqueryable(t *registry.Taxonomy) *Reason {
	return Because(RuleNotViewable, "Visitors cannot see posts of this type.", "",
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

// PostTypes are the post types that may have a list.
func (c *Rules) PostTypes() []*registry.PostType { return c.Decisions.PostTypes(c) }

// Taxonomies are the taxonomies that may have a list.
func (c *Rules) Taxonomies() []*registry.Taxonomy { return c.Decisions.Taxonomies(c) }

// RowDate is the date that a post has in sitemaps, by its narrow row.
func (c *Rules) RowDate(p *wp.PostRow) int64 {
	return c.Decisions.Date(c, PostDates{p.Date, p.Modified, p.DateGMT, p.ModifiedGMT})
}

// PostDate is RowDate of a whole post.
func (c *Rules) PostDate(p *wp.Post) int64 {
	return c.Decisions.Date(c, PostDates{wp.ParseDate(p.Date), p.LocalModified, p.DateGMT, p.ModifiedGMT})
}

// Changed is post_modified_gmt as it counts for the dates of other entries.
func (c *Rules) Changed(gmt int64) int64 {
	if gmt == wp.NoTime && c.Decisions.ZeroChanges() {
		return wp.ZeroTime
	}
	return c.Past(gmt)
}

// clockDifference is by how many seconds the clock of the site may be ahead of ours.
const clockDifference = 60

// Past returns a date. At level spec one that is still to come is none: nothing was published or changed then.
func (c *Rules) Past(date int64) int64 {
	if c.Decisions.PastDates() && date > c.Options.Now().Unix()+clockDifference {
		return wp.NoTime
	}
	return date
}

// Latest is the date of publication of a post or of its change, whichever is newer.
func (c *Rules) Latest(publishedGMT, changedGMT int64) int64 {
	return max(c.Past(publishedGMT), c.Past(changedGMT))
}

// WhyNoindexed says why search engines are told not to index anything, though it is listed: level plugin lists what the plugin does.
// nil: they are not told so.
func (c *Rules) WhyNoindexed() *Reason {
	if c.Has(PrivateSite) || c.Blog.Settings().BlogPublic {
		return nil
	}
	return &Reason{
		Rule: PrivateSite.String(), Sentence: "The site asks search engines to stay away.", Do: privateSite.Do,
		Evidence: privateSite.Evidence(&Subject{Rules: c}),
	}
}

// WhyType says why a type has no sitemap; nil where it has one. Whether a taxonomy can be queried is the plugin's to ask.
func (c *Rules) WhyType(t *registry.Type) *Reason {
	of := t.String()
	switch {
	case !t.Public:
		return notFact(RuleNotPublic, t.Sources, "public", of)
	case !t.Viewable && !t.Taxonomy:
		return notFact(RuleNotViewable, t.Sources, "viewable", of)
	case c.Blog.Excludes(t):
		table := "[site." + strings.ReplaceAll(t.Kind(), " ", "_") + "." + t.Name + "]"
		return &Reason{Rule: RuleTypeExcluded, Evidence: []Evidence{{Source: table + " exclude", Value: "true", Of: of}}}
	case t.Taxonomy:
		return c.Settings.Taxonomy(t)
	case slices.Contains(t.LeftOutOf, c.Plugin):
		return &Reason{
			Rule: RuleNever, Sentence: "The plugin that registers this type takes it out of these sitemaps.",
			Evidence: []Evidence{{Source: string(t.Sources["exclude"]), Value: "no sitemap of this type", Of: of}},
		}
	}
	return c.Settings.PostType(t)
}

// notFact is a reason from the discovery of types: a key that is false.
func notFact(rule string, sources registry.Sources, key, of string) *Reason {
	return &Reason{Rule: rule, Evidence: []Evidence{{Source: string(sources[key]), Value: key + " = false", Of: of}}}
}

// ListsType reports whether a type has a sitemap.
func (c *Rules) ListsType(t *registry.Type) bool { return c.WhyType(t) == nil }

// ListsTypeNamed reports whether a post type is registered and has a sitemap.
func (c *Rules) ListsTypeNamed(name string) bool {
	t := c.Blog.Registry().PostType(name)
	return t != nil && c.ListsType(t)
}

// KeepsType reports whether the operator leaves a post type in.
func (c *Rules) KeepsType(name string) bool { return !c.Blog.Excludes(&registry.PostType{Name: name}) }

// Reads reports whether the rows of a post type are read: of all that are listed, and of those on which the dates of other lists or
// the list of authors depend.
func (c *Rules) Reads(t *registry.PostType) bool {
	if t.Name == "attachment" && c.Blog.Languages() == nil { // those with terms are read for their terms
		return c.ListsType(t) || c.Decisions.DatesTerms(c, t)
	}
	return t.Public && (t.Viewable || slices.Contains(c.Settings.AuthorTypes(), t.Name)) || t.Name == "post"
}

// HasTaxonomy reports whether a post type has a taxonomy.
func (c *Rules) HasTaxonomy(t *registry.PostType) bool {
	return slices.ContainsFunc(c.Blog.Registry().Taxonomies, func(o *registry.Taxonomy) bool { return slices.Contains(o.ObjectTypes, t.Name) })
}

// NamedInLinks reports whether the links of a post type are made of post_name alone, so that
// without one a post has the address of something else.
func (c *Rules) NamedInLinks(t *registry.PostType) bool {
	pretty := c.Links.Pretty()
	switch {
	case t.URL != "":
		return strings.Contains(t.URL, "{slug}") || strings.Contains(t.URL, "{path}")
	case t.Name == "post":
		return pretty && !c.Links.Needs("post_id") && (c.Links.Needs("postname") || c.Links.Needs("pagename"))
	case t.BuiltIn:
		return pretty
	}
	return pretty && t.Rewrite || t.QueryVar != ""
}

// IsFirstLink reports whether a page is the front page or the posts page.
func (c *Rules) IsFirstLink(id int64) bool { return c.Decisions.FirstLink(c.Blog.Settings(), id) }

// NamesPage reports whether the settings name a page as front page or posts page.
func NamesPage(set *wp.Settings, id int64) bool {
	return id > 0 && (id == set.PageOnFront || id == set.PageForPosts)
}

// External reports whether an address of any form leads away from the site; one without a scheme does not.
func (c *Rules) External(link string) bool {
	scheme, _, ok := strings.Cut(link, ":")
	return ok && !strings.ContainsAny(scheme, "/?#") && !c.IsInternal(link, "")
}

// IsInternal reports whether a link stays below home, as the plugin compares.
func (c *Rules) IsInternal(link, language string) bool {
	return c.Decisions.Internal(c, link, language)
}

// BelowHome reports whether a link stays below home, as Yoast compares: scheme and host exactly, the path by
// plain prefix.
func (c *Rules) BelowHome(link, language string) bool {
	return below(link, c.HomeOf(language)) || language == "" && c.HasDomains() && !c.IsForeign() && below(link, c.Blog.AtHome().Home())
}

// Hidden reports whether the site's own wish keeps everything out.
func (c *Rules) Hidden() bool {
	return c.Has(NotProduction) && c.Blog.Settings().Environment != "" || c.Has(PrivateSite) && !c.Blog.Settings().BlogPublic
}

// below reports whether a link is below home.
func below(link, home string) bool {
	rest, ok := strings.CutPrefix(link, home)
	if _, host, _ := strings.Cut(home, "://"); !strings.Contains(host, "/") && rest != "" && !strings.ContainsRune("/?#", rune(rest[0])) {
		return false // a host that only begins like home's
	}
	return ok
}

// HasDomains reports whether the site is one of several, each with the content of its own language.
func (c *Rules) HasDomains() bool { return c.Blog.Language() != "" }

// IsForeign reports whether what has no language has no place here: it is below home itself, which the default
// language's site takes care of. The plugin looks at the host alone, and so lists it nowhere where the default
// language, too, has a sub-domain.
func (c *Rules) IsForeign() bool { return c.Decisions.Foreign(c) }

// HomeOf is the address under which an object of a language is listed; "" is this site's own.
func (c *Rules) HomeOf(code string) string {
	if code != "" && c.HasDomains() && code != c.Blog.Language() {
		if l, ok := c.Blog.LanguageByCode(code); ok {
			return l.Home[:len(l.Home)-1]
		}
	}
	return c.Blog.Home()
}

// MovedSinceListing compares the row of a post with the date with which it is listed: behind reports whether the row has changed
// since, hidden whether the post must not be listed any more, as it is in the trash or its address is not known.
func (c *Rules) MovedSinceListing(p *wp.Post, modified, listed int64) (hidden, behind bool) {
	hidden = !strings.EqualFold(p.Status, "publish") && p.Type != "attachment" && !c.IsFirstLink(p.ID) || p.Link == ""
	return hidden, hidden || modified != listed
}
