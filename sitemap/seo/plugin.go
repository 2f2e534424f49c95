package seo

import (
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/release"
)

// A Plugin is an SEO plugin, or WordPress itself, that makes the sitemaps of a blog. It holds only facts that need no database.
type Plugin struct {
	Name string // for people, and for stored notes about a blog
	URLs URLs

	Compared [2]release.Version // the oldest and the newest version whose sitemaps were compared with those of wpsitemapd
	Past     []PastRule         // rules of older versions that wpsitemapd does not follow

	// Eras holds the last version of each older set of rules, the newest first. If the database does not
	// tell the version, a comparison tries these versions.
	Eras []release.Version

	ScanOrder bool // dates in the index depend on the order in which the server reads rows, which MariaDB chooses differently
	ByTermID  bool // the plugin takes a term_id for a term_taxonomy_id, so that another term may date a page in the index

	ContentType     string // of its sitemaps and stylesheets
	RobotsTag       string // X-Robots-Tag of its sitemaps and stylesheets; "" if it sends none
	Missing         string // body of a 404 for a missing sitemap, in ContentType; "" for a plain sentence
	StylesheetCache string // Cache-Control of its stylesheets; "" if it sends none

	IndexFile    string // file name of its index, which robots.txt names
	OtherIndex   string // file name of the other index, which is not served and must not be in robots.txt
	RobotsAnchor string // the line of robots.txt above which the plugin names its index
	RobotsGap    string // the text between the index line and the anchor line

	// PrivateUnnamed reports whether robots.txt omits the index while the site asks search engines to stay away.
	PrivateUnnamed bool

	// Copies says where the plugin caches sitemaps and how to empty that cache, for the report of a
	// comparison. Changes made outside the admin do not empty the cache. "" means that the plugin has
	// no cache.
	Copies string
}

// PastRule is a rule that plugin versions before Until follow. A comparison names it to explain a difference.
type PastRule struct {
	Differs string // the difference, as a comparison names it
	Of      string // the sitemap with the difference; "" for all
	Until   release.Version
	Text    string
}

// Addresses returns the address scheme of a blog. index is the address of its index.
func (p *Plugin) Addresses(index string) URLs {
	return p.URLs.Named(index[strings.LastIndexByte(index, '/')+1:])
}

// Request is the part of an HTTP request by which a plugin recognises its addresses.
type Request struct {
	URI    string // path and query as received
	Rest   string // path below home, without outer slashes
	Path   string // path of home, without outer slashes
	Pretty bool   // the blog has a permalink structure
	Index  bool   // permalinks contain index.php
	Plain  bool   // the blog has no permalink structure, and there is an upstream
	Alone  bool   // there is no upstream
	Gzip   bool   // a sitemap address that ends in .gz means a compressed file; no plugin has such files

	Version release.Version // the version of the plugin whose rules hold
}

// Vars returns the decoded variables of the query. If a variable is repeated, the last one counts.
func (r *Request) Vars() map[string]string {
	_, query, _ := strings.Cut(r.URI, "?")
	vars := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		vars[php.URLDecode(name)] = php.URLDecode(value)
	}
	return vars
}

// Folder returns the path of home with a slash before it; "" if home is at the root.
func (r *Request) Folder() string { return strings.TrimSuffix("/"+r.Path, "/") }

// BelowIndex returns the path that rewrite rules match: Rest without index.php.
func (r *Request) BelowIndex() string {
	if below, ok := strings.CutPrefix(r.Rest, "index.php/"); ok {
		return strings.Trim(below, "/")
	}
	return r.Rest
}

// ReachesWordPress reports whether WordPress' index.php answers a path and reads the query variables.
// If not, a script or a file answers.
func (r *Request) ReachesWordPress() bool {
	first, _, _ := strings.Cut(r.Rest, "/")
	switch strings.ToLower(first) {
	case "wp-admin", "wp-content", "wp-includes", "wp-json":
		return false
	case "index.php":
		return true
	}
	return !strings.HasSuffix(strings.ToLower(r.Rest), ".php")
}

// ResourceKind is the kind of resource that a request means.
type ResourceKind uint8

// The kinds of resource.
const (
	NoResource ResourceKind = iota // no resource of the plugin
	Sitemap                        // has name and page
	Redirect                       // has a location; if it has a name, the sitemap with that name must be owned
	Stylesheet                     // has the name of a stylesheet
)

// Resource is the meaning of an address below a home.
type Resource struct {
	Kind     ResourceKind
	Name     string // name of a sitemap in the catalog, or of a stylesheet
	Page     int
	Location string // path below home
	ByQuery  bool   // only the query variable names it
	Unowned  string // where to redirect if the daemon does not own the sitemap; "" passes the request to the upstream
	Found    bool   // the redirect is temporary (302); if false, it is permanent
	Number   string // page number as the request spells it, for URLs.Renumber; Location then holds the path below home
	Packed   bool   // the request is for the compressed file, which no plugin has
}

// Level says how closely sitemaps follow the plugin, whose output may have wrong dates and short pages.
type Level string

// The two levels. The empty Level means PluginLevel.
const (
	SpecLevel   Level = "spec"   // the plugin's decisions, with true dates and stable, full pages
	PluginLevel Level = "plugin" // exactly what the plugin emits
)
