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

	Compared [2]release.Version // the oldest and the newest version whose sitemaps were compared with ours
	Past     []PastRule         // rules of older versions that we do not follow

	// Eras are the newest versions that have other rules each, the newest first. A comparison tries them if the database does not tell
	// the version.
	Eras []release.Version

	ScanOrder bool // MariaDB reads the rows that date its index in an order of its own
	ByTermID  bool // its index dates a taxonomy by the terms whose term_taxonomy_id is a term_id of it

	ContentType     string // of its sitemaps and stylesheets
	RobotsTag       string // X-Robots-Tag of its sitemaps and stylesheets; "" for none
	Missing         string // the body of a 404 for a sitemap that does not exist, of ContentType; "" for a plain sentence
	StylesheetCache string // Cache-Control of its stylesheets; "" for none

	IndexFile    string // file name of its index, which robots.txt names
	OtherIndex   string // file name of the other index, which is not served and must not be in robots.txt
	RobotsAnchor string // the line of robots.txt above which the plugin names its index
	RobotsGap    string // the text between the index line and the anchor line

	// PrivateUnnamed reports whether robots.txt omits the index while the site asks search engines to stay away.
	PrivateUnnamed bool

	// Copies says, for the report of a comparison, where the plugin caches sitemaps and how to empty that cache. Changes made
	// outside the admin do not empty it. "" means that there is no cache.
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

// Request is the request in which a plugin recognises its addresses.
type Request struct {
	URI    string // path and query as they came
	Rest   string // the path below home, without slashes at its ends
	Path   string // the path of home, without slashes at its ends
	Pretty bool   // the blog has a permalink structure
	Index  bool   // its permalinks go through index.php
	Plain  bool   // it has no permalink structure, and the upstream answers other queries
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

// ReachesWordPress reports whether WordPress' index.php answers a path, and so reads the query variables. A script or a file
// may answer instead.
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
	NoResource ResourceKind = iota // nothing of the plugin's
	Sitemap                        // name and page
	Redirect                       // has a location, and a name if the sitemap of that name must be ours
	Stylesheet                     // of that name
)

// Resource is the meaning of an address below a home.
type Resource struct {
	Kind     ResourceKind
	Name     string // name of a sitemap in the catalog, or of a stylesheet
	Page     int
	Location string // path below home
	ByQuery  bool   // the query variable alone names it, the path does not
	Unowned  string // location if the sitemap is not ours; "" passes the request to the upstream
	Found    bool   // the redirect is temporary (302); if false, it is permanent
	Number   string // page number of a sitemap as the request spells it, for URLs.Renumber; Location is then the path below home
	Packed   bool   // the compressed file is meant; no plugin has such files
}
