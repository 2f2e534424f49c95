package seo

import (
	"slices"
	"strings"

	"wpsitemapd/sitemap/redirects"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

// Rules decide about the objects of one blog. They join the settings and decisions of the served plugin with the operator's
// choices.
type Rules struct {
	Blog     *wp.Blog
	Book     *address.Book // the addresses of the blog
	Plugin   string        // the plugin's name in the configuration key sitemaps; "" if it has none there
	Options  Options
	Links    *permalink.Builder
	Settings PluginSettings
	// Redirects are the rules of the site's redirect managers. They are nil if no check needs them, or
	// if no rules exist.
	Redirects *redirects.Rules
	Decisions Decisions
	// Absent holds reasons by sitemap name: why a sitemap that an add-on would make does not exist.
	Absent map[string]*Reason

	checks        []Check
	excludedTerms map[objects.TermKey]bool // see LoadExcluded
}

// NewRules returns the rules of a plugin on a blog. The checks in more run after the checks of the plugin and the
// operator. opt must have its defaults filled in.
func NewRules(book *address.Book, opt Options, settings PluginSettings, decisions Decisions, more ...Check) *Rules {
	blog := book.Blog
	r := &Rules{
		Blog: blog, Book: book, Options: opt, Links: permalink.New(blog.Settings().Permalinks), Settings: settings, Decisions: decisions,
	}
	r.checks = slices.Concat(decisions.Checks(), operatorChecks, more)
	if r.Has(Redirected) {
		r.Redirects = redirects.Of(blog)
	}
	return r
}

// At returns a copy of the rules for another blog of the same site, see wp.Blog.AtHome.
func (c *Rules) At(blog *wp.Blog) *Rules {
	r := *c
	r.Blog, r.Book, r.Links = blog, c.Book.For(blog), permalink.New(blog.Settings().Permalinks)
	if r.Has(Redirected) {
		r.Redirects = redirects.Of(blog)
	}
	return &r
}

// PostTypes returns the post types that may have a list.
func (c *Rules) PostTypes() []*registry.PostType { return c.Decisions.PostTypes(c) }

// Taxonomies returns the taxonomies that may have a list.
func (c *Rules) Taxonomies() []*registry.Taxonomy { return c.Decisions.Taxonomies(c) }

// PostDate returns the date of a post in sitemaps.
func (c *Rules) PostDate(d wp.Dates) int64 { return c.Decisions.Date(c, d) }

// Changed returns the date of change of a post for the dates of terms and archives. gmt is the post_modified_gmt. The
// result differs from gmt for a zero date and for a date in the future.
func (c *Rules) Changed(gmt int64) int64 {
	if gmt == wp.NoTime && c.Decisions.ZeroChanges() {
		return wp.ZeroTime
	}
	return c.Past(gmt)
}

// clockDifference is the number of seconds by which the site's clock may be ahead of the daemon's
// clock.
const clockDifference = 60

// Past returns date unchanged. But if Decisions.PastDates holds and the date is in the future, Past
// returns wp.NoTime.
func (c *Rules) Past(date int64) int64 {
	if c.Decisions.PastDates() && date > c.Options.Now().Unix()+clockDifference {
		return wp.NoTime
	}
	return date
}

// Latest returns the later of the dates of publication and change.
func (c *Rules) Latest(d wp.Dates) int64 { return max(c.Past(d.PublishedGMT), c.Past(d.ChangedGMT)) }

// WhyNoindexed returns why the whole site is noindex although its objects are listed. This happens
// only at level plugin. It returns nil if the site is not noindex.
func (c *Rules) WhyNoindexed() *Reason {
	if c.Has(PrivateSite) || c.Blog.Settings().BlogPublic {
		return nil
	}
	return &Reason{
		Rule: PrivateSite.String(), Sentence: "The site asks search engines to stay away.", Do: privateSite.Do,
		Evidence: privateSite.Evidence(&Subject{Rules: c}),
	}
}

// WhyType returns why a type has no sitemap, or nil if it has one. For taxonomies the plugin decides
// whether they must be publicly queryable.
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

// notFact returns a reason which says that the property key of the type of is false, and which source says so.
func notFact(rule string, sources registry.Sources, key, of string) *Reason {
	return &Reason{Rule: rule, Evidence: []Evidence{{Source: string(sources[key]), Value: key + " = false", Of: of}}}
}

func (c *Rules) ListsType(t *registry.Type) bool { return c.WhyType(t) == nil }

// ListsTypeNamed reports whether a post type is registered and has a sitemap.
func (c *Rules) ListsTypeNamed(name string) bool {
	t := c.Blog.Registry().PostType(name)
	return t != nil && c.ListsType(t)
}

// KeepsType reports whether the operator does not exclude a post type.
func (c *Rules) KeepsType(name string) bool { return !c.Blog.Excludes(&registry.PostType{Name: name}) }

// Reads reports whether the rows of a post type are read. They are read if its posts are listed, or if
// other lists or the authors need their dates.
func (c *Rules) Reads(t *registry.PostType) bool {
	if t.Name == "attachment" && c.Blog.Languages().None() { // attachments with terms are read to date the terms
		return c.ListsType(t) || c.Decisions.DatesTerms(c, t)
	}
	return t.Public && (t.Viewable || slices.Contains(c.Settings.AuthorTypes(), t.Name)) || t.Name == "post"
}

func (c *Rules) HasTaxonomy(t *registry.PostType) bool {
	return slices.ContainsFunc(c.Blog.Registry().Taxonomies, func(o *registry.Taxonomy) bool { return slices.Contains(o.ObjectTypes, t.Name) })
}

// NamedInLinks reports whether only post_name distinguishes the links of a type's posts. A post without a post_name then has
// the address of another object.
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

// NamesPage reports whether a page is the front page or the posts page by the settings.
func NamesPage(set *wp.Settings, id int64) bool {
	return id > 0 && (id == set.PageOnFront || id == set.PageForPosts)
}

// External reports whether an address leads away from the site. An address without a scheme does not.
func (c *Rules) External(link string) bool {
	scheme, _, ok := strings.Cut(link, ":")
	return ok && !strings.ContainsAny(scheme, "/?#") && !c.IsInternal(link, "")
}

// IsInternal reports whether a link is below home, by the plugin's own comparison.
func (c *Rules) IsInternal(link, language string) bool {
	return c.Decisions.Internal(c, link, language)
}

// BelowHome reports whether a link is below home by Yoast's comparison: same scheme and host, and a path that begins with
// home's.
func (c *Rules) BelowHome(link, language string) bool {
	return below(link, c.HomeOf(language)) || language == "" && c.HasDomains() && !c.IsForeign() && below(link, c.Blog.AtHome().Home())
}

// Hidden reports whether everything is left out because the site is private or not in production.
func (c *Rules) Hidden() bool {
	return c.Has(NotProduction) && c.Blog.Settings().Environment != "" || c.Has(PrivateSite) && !c.Blog.Settings().BlogPublic
}

func below(link, home string) bool {
	rest, ok := strings.CutPrefix(link, home)
	if _, host, _ := strings.Cut(home, "://"); !strings.Contains(host, "/") && rest != "" && !strings.ContainsRune("/?#", rune(rest[0])) {
		return false // another host whose name begins with home's
	}
	return ok
}

// HasDomains reports whether each language has a site and a domain of its own.
func (c *Rules) HasDomains() bool { return c.Blog.Languages().OfDomain() != "" }

// IsForeign reports whether each language has a domain of its own and the blog is not the one of the default language. Such a blog
// leaves out objects without a language, because the blog of the default language lists them. Yoast SEO decides by the host of the
// site alone. So if the default language has a sub-domain, no blog lists them.
func (c *Rules) IsForeign() bool { return c.Decisions.Foreign(c) }

// HomeOf returns the home below which objects of a language are listed. code "" means the blog's own home.
func (c *Rules) HomeOf(code string) string {
	if code != "" && c.HasDomains() && code != c.Blog.Languages().OfDomain() {
		if l, ok := c.Blog.Languages().ByCode(code); ok {
			return l.Home[:len(l.Home)-1]
		}
	}
	return c.Blog.Home()
}

// MovedSinceListing compares the row of a post with the date in its list. behind reports whether the row has changed since.
// hidden reports whether the post must no longer be listed: it is unpublished, or its address is unknown.
func (c *Rules) MovedSinceListing(p *address.Post, modified, listed int64) (hidden, behind bool) {
	hidden = !strings.EqualFold(p.Status, "publish") && p.Type != "attachment" && !c.IsFirstLink(p.ID) || p.Link == ""
	return hidden, hidden || modified != listed
}
