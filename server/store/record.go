package store

import (
	"slices"
	"time"
)

// Site is what is remembered of a site as a whole.
type Site struct {
	Name     string
	Source   string   // identifies its database
	Settings string   // of the configuration it was read with
	Blogs    []string // keys of its blogs, in their order
	Gone     []Place  // of archived, deleted and spam blogs
}

// RobotsName is the name, and 0 the page, under which the robots.txt of a blog's upstream is
// kept as a Copy.
const RobotsName = "robots.txt"

// Place is the address of a blog: host, and path without slashes at its ends.
type Place struct{ Host, Path string }

// Blog is what is needed to route requests to a blog, and to serve its copies, without its
// database. There is one for every blog whose catalog was built.
type Blog struct {
	Site, Key string

	ID      int64
	Home    string
	Hosts   []string
	Network bool    // one of a multisite network
	Plain   bool    // no permalink structure
	Robots  []int64 // blogs whose sitemaps its robots.txt names too

	RobotsText string   // what WordPress would answer for robots.txt, without the sitemaps
	WebRoots   []string // folders in which robots.txt may be a file
	Routed     string   // what rewrite rules show of its types

	Sitemaps Sitemaps  `json:"Outline"`
	Built    time.Time // when the catalog was
}

// Sitemaps says which sitemaps a blog has, not what they contain.
type Sitemaps struct {
	Active bool
	Plugin string // whose sitemaps
	Chosen bool   // the operator has chosen that plugin
	Why    string // why these sitemaps are served, or none
	Base   Base
	Index  string // public address of the index
	Files  []File // the index and the pages that it names
	Others []File // pages that no index names

	Owned []string          // names that are the blog's, sorted
	Types []string          // the post types and taxonomies of those, and author
	Asked map[string]string // the name by which a sitemap is asked for in a query, where that is another
	Left  []string          // names of which it is not decided whose they are, sorted
	Open  []string          // sitemaps that may have pages beyond Files and Others
	Timed []string          // sitemaps whose entries come and go by the clock alone

	// What the settings leave out as a whole: everything, or the types of these names.
	Private bool
	Off     []string

	Plugins []string // active ones, sorted; nil: it is not known
}

// Base is what the addresses of a blog's sitemaps begin with.
type Base struct {
	Home   string // public address, without trailing slash
	Front  string // before the names of files
	Pretty bool   // the blog has a permalink structure
}

// File is one page of a sitemap.
type File struct {
	Name      string
	Of        string // the post type or taxonomy that it lists; "" for neither
	Page      int    // from 1
	Filename  string
	URL       string
	LastMod   time.Time // zero: unknown
	Entries   int
	Elsewhere bool // only the site itself can answer for it
}

// FileNames are those of the files that belong to the blog, but for notes.
func (b *Blog) FileNames() map[string]bool {
	keep := map[string]bool{blogName: true, CopyName(RobotsName, 0): true}
	for _, f := range slices.Concat(b.Sitemaps.Files, b.Sitemaps.Others) {
		keep[CopyName(f.Name, f.Page)] = true
	}
	for _, name := range b.Sitemaps.Open {
		keep[CopyName(name, 1)] = true
	}
	return keep
}
