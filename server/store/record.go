package store

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// SiteRecord is what is remembered of a site as a whole.
type SiteRecord struct {
	Name     string
	Source   string   // identifies its database
	Settings string   // of the configuration it was read with
	Blogs    []string // keys of its blogs, in their order
	Gone     []Place  // of archived, deleted and spam blogs
}

// Key names a page among those of all sites.
type Key struct {
	Site string // its name in the configuration
	Blog string // identifies a blog of the site
	Name string
	Page int
}

func (k Key) name() Name { return Name{kindPage, k.Site, k.Blog, pageKey(k.Name, k.Page)} }

// PageRecord is one rendered page.
type PageRecord struct {
	Key
	Hash     string    // of the body, as its entity tag has it
	Version  string    // of what it was made of; "" is not known
	Modified time.Time // Last-Modified; zero: none
	Built    time.Time
	Expires  time.Time // when it changes by the clock alone; zero: never
	Body     []byte    `json:"-"` // may be left out where Gzipped is there, to be saved
	Gzipped  []byte    `json:"-"` // nil where that saves nothing
	// Ahead means that nobody has asked for the page yet, so that no other one is removed to make room for it.
	Ahead bool `json:"-"`
}

// mark identifies the content of a page among all it ever had.
func (p *PageRecord) mark() string {
	return fmt.Sprint(p.Hash, " ", p.Version, " ", p.Modified.UnixNano(), " ", p.Expires.UnixNano(), " ", p.Gzipped != nil)
}

// RobotsName is the name, and 0 the number, of the page that is the robots.txt of a blog's upstream.
const RobotsName = "robots.txt"

// Place is the address of a blog: host, and path without slashes at its ends.
type Place struct{ Host, Path string }

// BlogRecord is what is needed to route requests to a blog, and to serve its cached pages, without its
// database. There is one for every blog whose catalog was built.
type BlogRecord struct {
	Site, Key string

	ID      int64
	Home    string
	Hosts   []string
	Network bool    // one of a multisite network
	Plain   bool    // no permalink structure
	Robots  []int64 // blogs whose sitemaps its robots.txt names too, but those that are Apart
	Apart   bool    // the robots.txt of its network does not name its sitemaps

	RobotsText string   // what WordPress would answer for robots.txt, without the sitemaps
	WebRoots   []string // folders in which robots.txt may be a file
	Routed     string   // what rewrite rules show of its types

	Sitemaps catalog.Outline `json:"Outline"`
	Built    time.Time       // when the catalog was
	Asked    time.Time       `json:",omitzero"` // when somebody asked for its sitemaps last; zero: not known
}

// pages are the keys of the pages that belong to the blog.
func (b *BlogRecord) pages() map[string]bool {
	keep := map[string]bool{pageKey(RobotsName, 0): true}
	for _, f := range slices.Concat(b.Sitemaps.Files, b.Sitemaps.Others) {
		keep[pageKey(f.Name, f.Page)] = true
	}
	for _, name := range b.Sitemaps.Open {
		keep[pageKey(name, 1)] = true
	}
	return keep
}

// Note names what is kept of a site, or of one of its blogs, beside its pages: who fetched them, what was announced. It stays
// as long as the site or the blog does.
type Note struct {
	Site string
	Blog string // "": of the site as a whole
	Name string
}

// The kinds of blobs.
const (
	kindPage = "page"
	kindBlog = "blog"
	kindSite = "site"
	kindNote = "note"
)

func (n Note) name() Name               { return Name{kindNote, n.Site, n.Blog, n.Name} }
func siteName(site string) Name         { return Name{Kind: kindSite, Site: site} }
func blogName(site, key string) Name    { return Name{Kind: kindBlog, Site: site, Blog: key} }
func pageKey(name string, n int) string { return name + " " + strconv.Itoa(n) }

// indexKey is the key of a blog's index.
var indexKey = pageKey(seo.IndexName, 1)
