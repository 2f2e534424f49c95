package store

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/sitemap/catalog"
)

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

// pagesOf are the keys of the pages that belong to a blog.
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
