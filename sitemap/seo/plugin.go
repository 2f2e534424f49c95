package seo

import (
	"strings"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/release"
)

// A Plugin is whose sitemaps a blog has, as far as it takes no database to say: an SEO plugin, or WordPress itself.
type Plugin struct {
	Name string // for people, and in what is stored of a blog
	URLs URLs

	Compared [2]release.Version // the oldest and the newest version with which sitemaps were compared
	Past     []PastRule         // rules of older versions that are not followed

	// Named returns the addresses of a blog whose settings give the index another file name; nil: they are URLs everywhere.
	Named func(index string) URLs

	ContentType     string // of its sitemaps and stylesheets
	RobotsTag       string // X-Robots-Tag of its sitemaps and stylesheets; "" for none
	Missing         string // what is sent with 404 for a sitemap that does not exist, of the same type; "" for a plain sentence
	StylesheetCache string // Cache-Control of its stylesheets; "" for none

	IndexFile    string // file name of its index, which robots.txt names
	OtherIndex   string // file name of the index that does not answer beside it, and that robots.txt must not name
	RobotsAnchor string // line of robots.txt before which the plugin names its index
	RobotsGap    string // the text between that name and the anchor

	// PrivateUnnamed: robots.txt does not name its index while the site asks search engines to stay away.
	PrivateUnnamed bool

	// Copies says where the plugin keeps finished sitemaps, which changes past the admin do not empty, and what does, for a
	// comparison with what it serves; "" for nowhere.
	Copies string

	// Renumber returns where a request leads whose page number is not as the links have it, by how many objects the
	// sitemap has and how many go on a page, and whether it leads elsewhere; nil: nowhere.
	Renumber func(asked Resource, objects, size int) (location string, leads bool)
}

// PastRule is a rule of versions before one, by what a comparison finds to differ.
type PastRule struct {
	Differs string // as a comparison names it
	Of      string // sitemap; "" for all
	Until   release.Version
	Text    string
}

// Addresses returns the address scheme of a blog by the address of its index.
func (p *Plugin) Addresses(index string) URLs {
	if p.Named == nil {
		return p.URLs
	}
	return p.Named(index[strings.LastIndexByte(index, '/')+1:])
}

// Request is what an address of a plugin is recognised in.
type Request struct {
	URI    string // path and query as they came
	Rest   string // the path below home, without slashes at its ends
	Path   string // the path of home, without slashes at its ends
	Pretty bool   // the blog has a permalink structure
	Index  bool   // its permalinks go through index.php
	Plain  bool   // it has none, and a site behind us that answers other queries
	Alone  bool   // there is no site behind us
	Gzip   bool   // a sitemap with .gz behind its address is a compressed file, which is no plugin's

	Version release.Version // whose rules hold
}

// Vars returns the variables of the query, decoded; of a repeated one the last counts.
func (r *Request) Vars() map[string]string {
	_, query, _ := strings.Cut(r.URI, "?")
	vars := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		vars[php.URLDecode(name)] = php.URLDecode(value)
	}
	return vars
}

// Folder is the path of home with a slash before it; "" at the root.
func (r *Request) Folder() string { return strings.TrimSuffix("/"+r.Path, "/") }

// BelowIndex is the path that rewrite rules are matched with: Rest without index.php.
func (r *Request) BelowIndex() string {
	if below, ok := strings.CutPrefix(r.Rest, "index.php/"); ok {
		return strings.Trim(below, "/")
	}
	return r.Rest
}

// ReachesWordPress reports whether a path ends up in WordPress' index.php, where the query variables are looked at, and not
// in a script or file of its own.
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

// ResourceKind is what a request means to a plugin.
type ResourceKind uint8

// What may be meant.
const (
	NoResource ResourceKind = iota // nothing of the plugin's
	Sitemap                        // name and page
	Redirect                       // location; name too where it must be ours
	Stylesheet                     // of that name
)

// Resource is what an address below a home means.
type Resource struct {
	Kind     ResourceKind
	Name     string // sitemap as the catalog knows it, or stylesheet
	Page     int
	Location string // path below home
	ByQuery  bool   // by the query variable alone, not by an address of its own
	Unowned  string // location for when name is not ours; "" leaves it to the upstream
	Found    bool   // a redirect is 302, for the moment; else it is for good
	Number   string // of a sitemap: the page number as it came, for Plugin.Renumber; Location is the path below home then
	Packed   bool   // as a compressed file, which no plugin has
}
