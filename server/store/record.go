package store

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/sitemap/catalog"
)

// Key identifies a page among the pages of all sites.
type Key struct {
	Site string // the name of the site in the configuration
	Blog string // the key of a blog of the site
	Name string
	Page int
}

func (k Key) name() Name { return Name{kindPage, k.Site, k.Blog, pageKey(k.Name, k.Page)} }

// PageRecord is one rendered page.
type PageRecord struct {
	Key
	Hash     string    // of the body; its entity tag contains it
	Version  string    // of what the page was made of; "": unknown
	Modified time.Time // the Last-Modified date; zero: none
	Built    time.Time
	Expires  time.Time // when the page changes without an edit; zero: never
	Body     []byte    `json:"-"` // may be nil when the page is saved, if Gzipped is set
	Gzipped  []byte    `json:"-"` // nil if compressing saves nothing
	// Ahead means that nobody has asked for the page yet. No other page is removed to make room for it.
	Ahead bool `json:"-"`
}

// mark returns a text that changes if the page would be stored with another content. It is the version of the blob.
func (p *PageRecord) mark() string {
	return fmt.Sprint(p.Hash, " ", p.Version, " ", p.Modified.UnixNano(), " ", p.Expires.UnixNano(), " ", p.Gzipped != nil)
}

// RobotsName is the name of the cached robots.txt of a blog's upstream. Its page number is 0.
const RobotsName = "robots.txt"

// pagesOf returns the keys of the pages that belong to a blog.
func pagesOf(o *catalog.Outline) map[string]bool {
	keep := map[string]bool{pageKey(RobotsName, 0): true}
	for _, f := range slices.Concat(o.Files, o.Others) {
		keep[pageKey(f.Name, f.Page)] = true
	}
	for _, name := range o.Open {
		keep[pageKey(name, 1)] = true
	}
	return keep
}

// Note names something that is kept of a site or blog beside its pages, such as who fetched them, or what was announced. It is
// kept as long as the site or the blog.
type Note struct {
	Site string
	Blog string // "": it belongs to the whole site
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
