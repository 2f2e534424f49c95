package check

import (
	"wpsitemapd/server/live"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// Report is what check has found. Its JSON form is for programs.
type Report struct {
	Config   string        `json:"config"`
	OK       bool          `json:"ok"`               // no trouble
	Errors   []string      `json:"errors,omitempty"` // of the configuration as a whole
	Warnings []string      `json:"warnings,omitempty"`
	Sites    []*SiteReport `json:"sites"`

	Valid   bool `json:"-"` // only the text of the configuration was checked
	Verbose bool `json:"-"` // print everything of each site, even if there are several
}

// SiteReport is about one site.
type SiteReport struct {
	Name     string        `json:"name"`
	OK       bool          `json:"ok"`
	Errors   []string      `json:"errors,omitempty"` // of the site and its database; each blog has its own
	Warnings []string      `json:"warnings,omitempty"`
	Blogs    []*BlogReport `json:"blogs"`
}

// BlogReport is about one blog of a site.
type BlogReport struct {
	ID       int64          `json:"id"`
	Home     string         `json:"home"`
	Compat   string         `json:"compat"`
	Active   bool           `json:"active"`           // the daemon serves the sitemaps of a plugin here
	Plugin   string         `json:"plugin,omitempty"` // the plugin whose sitemaps these are; "" for none
	Versions []wp.Installed `json:"versions"`         // of WordPress and of SEO plugins
	Error    string         `json:"error,omitempty"`
	Sitemaps []sizeReport   `json:"sitemaps"`
	LeftOut  map[string]int `json:"left_out"` // number of objects, by the rule that leaves them out
	Types    []typeReport   `json:"types"`
	Unknown  []unknown      `json:"unknown,omitempty"`
	Troubles []string       `json:"troubles,omitempty"` // trouble that has no other field
	Warnings []string       `json:"warnings,omitempty"`
	Redirect string         `json:"redirected,omitempty"` // the host that is redirected to home; "" for none
	Robots   string         `json:"robots,omitempty"`     // where its robots.txt comes from; "": the daemon does not serve one
	Fetch    *FetchReport   `json:"fetch,omitempty"`      // with --fetch
	Public   *PublicReport  `json:"public,omitempty"`     // with --public

	hosts []string
}

// sizeReport is about one sitemap.
type sizeReport struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	URLs  int    `json:"urls"`
	Holds string `json:"holds,omitempty"` // which articles a news sitemap holds
}

// typeReport is about one post type or taxonomy.
type typeReport struct {
	Kind     string          `json:"kind"` // "post type" or "taxonomy"
	Name     string          `json:"name"`
	Public   bool            `json:"public"`
	Excluded bool            `json:"excluded,omitempty"` // by the configuration
	Facts    []registry.Fact `json:"facts"`

	// Addresses says where the URLs of the type come from; "" if there is nothing to compare them with.
	Addresses string `json:"addresses,omitempty"`
}

// unknown is a type about which something is open, see registry.Unknown.
type unknown struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Rows int    `json:"rows"`
	Why  string `json:"why"`
	Add  string `json:"add"` // lines for the configuration
}

// FetchReport says what the site answers for some of the listed addresses.
type FetchReport struct {
	Fetched int           `json:"fetched"`
	Bad     []FetchedPage `json:"bad"`
}

// FetchedPage is an address that should not be listed, or a page that should change.
type FetchedPage struct {
	URL      string         `json:"url"`
	Sitemap  string         `json:"sitemap"`
	Problems []live.Problem `json:"problems"`
}
