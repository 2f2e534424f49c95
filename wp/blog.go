package wp

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

// Blog is one blog of a network, or a single site. It holds the settings and registered types that the blog had when it
// was read.
type Blog struct {
	network  *Network
	row      BlogRow
	prefix   string // of this blog's tables
	tables   db.Tables
	set      Settings
	registry *registry.Registry
	warnings []string
	long     *longMeta // counts the values that are too long to be read

	languages multilingual.Languages

	home   string   // the start of links, before a language changes it
	stored struct { // settings before a language or the configuration changed them
		front, posts int64
		uploads      string
		home         string // home as the database has it, if the configuration replaces it; "" if not
	}

	decoded  map[string]Decoded   // of declared plugins, by Inputs.Name
	versions map[string]Installed // of WordPress and plugins, by Inputs.Name
	linked   LinkRules            // the rules of all active plugins together
	// termMeta holds the term meta of active plugins by key and term, see TermMeta.
	termMeta    map[string]map[int64]string
	imageFields map[string][]string // see ImageFields
	bucket      *Bucket             // see Bucket

	robotsBlogs []int64 // see RobotsBlogs
}

// BlogID returns the id of the blog. It is 1 for a single site.
func (b *Blog) BlogID() int64 { return b.row.ID }

// Home returns the public address without a trailing slash.
func (b *Blog) Home() string { return b.set.Home }

// Settings returns the decoded options of the blog.
func (b *Blog) Settings() *Settings { return &b.set }

// Registry returns the registered post types and taxonomies.
func (b *Blog) Registry() *registry.Registry { return b.registry }

// Declared returns the declarations of what is read from the database.
func (b *Blog) Declared() *Declared { return b.network.declared }

// Overrides returns what the operator has configured about types.
func (b *Blog) Overrides() *registry.Overrides { return &b.network.source.Overrides }

// Links returns a builder of the blog's links. A multilingual plugin may then change a finished link, see Languages.
func (b *Blog) Links() *permalink.Builder {
	set := b.set.Permalinks
	set.Home = b.home
	return permalink.New(set)
}

// LinksHome returns the address that all links begin with, before a language moves them to a domain of its own.
func (b *Blog) LinksHome() string { return b.home }

// LinkRules returns how active plugins change WordPress' permalinks.
func (b *Blog) LinkRules() *LinkRules { return &b.linked }

// Multisite reports whether the blog belongs to a network.
func (b *Blog) Multisite() bool { return b.network.multisite }

// Source says where the blog's database is, and how the site itself can be asked.
func (b *Blog) Source() *Source { return &b.network.source }

// TablePrefix returns the prefix of the blog's own tables.
func (b *Blog) TablePrefix() string { return b.prefix }

// ImageFields returns the ACF fields that hold images, by the post meta key under which they store their value.
func (b *Blog) ImageFields() map[string][]string { return b.imageFields }

// Bucket says where the files of attachments are. It returns nil if they are in the uploads folder.
func (b *Blog) Bucket() *Bucket { return b.bucket }

// Excludes reports whether the operator excludes a type.
func (b *Blog) Excludes(t *registry.Type) bool {
	exclude := b.network.source.Overrides.PostTypes[t.Name].Exclude
	if t.Taxonomy {
		exclude = b.network.source.Overrides.Taxonomies[t.Name].Exclude
	}
	return exclude != nil && *exclude
}

// Warnings returns sentences for the operator about what could not be read or is not known.
func (b *Blog) Warnings() []string { return append(slices.Clone(b.warnings), b.long.warnings()...) }

// Hosts returns the host names at which visitors reach the blog, as far as the database shows them.
func (b *Blog) Hosts() []string {
	hosts := b.languageHosts()
	for _, h := range b.blogHosts() {
		if !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// blogHosts returns the host by which WordPress finds a blog of a network. This host may differ from the one in
// option home.
//
// It returns nil if the host cannot be told: home is in another folder, or the configuration or a language's domain
// decides the address. It also returns nil if the sitemaps are WordPress' own, because their addresses are below
// home.
func (b *Blog) blogHosts() []string {
	u, err := url.Parse(b.set.Home)
	if err != nil || !b.network.multisite || b.network.source.Home != "" || b.languages.Domains {
		return nil
	}
	if !b.any(replacesCore) || !isHostName(b.row.Domain) ||
		!strings.EqualFold(strings.Trim(u.Path, "/"), strings.Trim(b.row.Path, "/")) {
		return nil
	}
	return []string{strings.ToLower(b.row.Domain)}
}

// RobotsBlogs returns the ids of blogs in a sub-directory network. The robots.txt of their host names the sitemaps of
// each blog among them for which InNetwork is true.
func (b *Blog) RobotsBlogs() []int64 { return b.robotsBlogs }

// InNetwork reports whether the robots.txt of a sub-directory network names the sitemaps of this blog.
func (b *Blog) InNetwork() bool { return b.any(func(d Decoded) bool { return d.InNetwork }) }

// Notice records a sentence for the operator about what could not be read or is not known.
func (b *Blog) Notice(text string) {
	if !slices.Contains(b.warnings, text) { // a plugin that also reads tables decodes its options twice
		b.warnings = append(b.warnings, text)
	}
}

// IsMain reports whether the blog is a single site or the main blog of its network.
func (b *Blog) IsMain() bool { return !b.network.multisite || b.row.ID == b.network.shared.mainBlog }

// isHostName reports whether a text can be the host in an address.
func isHostName(s string) bool {
	return s != "" && len(s) <= 253 && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`/\?#@%<>"'`, r)
	})
}

// RoutedBefore returns what the last reading found about the blog's types and addresses, see Network.RouteAs. It returns "" if that
// is not known.
func (b *Blog) RoutedBefore() string {
	if b.network.routedBefore == nil {
		return ""
	}
	return b.network.routedBefore(b.row.ID)
}

// Wrap adds to an error the site, what was done and, if that is known, what the operator can do. If err is nil, Wrap
// returns nil.
func (b *Blog) Wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("site %s, blog %d: %s: %w%s", b.network.source.Name, b.row.ID, what, err, hint(err))
	}
	return nil
}
