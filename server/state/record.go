package state

import (
	"time"

	"wpsitemapd/sitemap"
)

// Site is what is remembered of a site as a whole.
type Site struct {
	Name     string
	Source   string   // what tells its database from another one
	Settings string   // of the configuration it was read with
	Blogs    []string // keys of its blogs, in their order
	Gone     []Place  // of archived, deleted and spam blogs
}

// RobotsName is the name, and 0 the page, under which the robots.txt of a blog's upstream is
// kept as a Copy.
const RobotsName = "robots.txt"

// Place is where a blog stands: host, and path without slashes at its ends.
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
	Core    uint8   // form of the addresses of WordPress' own sitemaps
	Robots  []int64 // blogs whose sitemaps its robots.txt names too

	RobotsText string // what WordPress would answer for robots.txt, without the sitemaps

	Outline sitemap.Outline
	Built   time.Time // when the catalog was
}
