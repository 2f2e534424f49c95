package seo

import (
	"log/slog"
	"strings"
	"time"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// DefaultPageSize is the number of objects in a file. Yoast SEO has the same number.
const DefaultPageSize = 1000

// Options are the operator's choices for one site.
type Options struct {
	Sitemaps        string // the plugin whose sitemaps are served, a value of sitemap.Choices; "" for the active one
	Compat          Level
	PageSize        int // objects in a file; 0: the plugin's own number, else DefaultPageSize
	Exclude         Exclude
	News            News
	Video           Video
	Images          Images
	Extra           []Extra
	Hreflang        bool             // entries name their translations, if the level has them
	Stylesheet      string           // "css", "xsl", "none" or "": the instruction in the prolog
	Text, Atom, RSS bool             // the site also serves its sitemaps in these formats
	OwnRSS          int              // entries of the plugin's own RSS sitemap, which lists posts alone; 0 if RSS is the operator's or off
	Hints           Hints            // changefreq and priority
	AllPages        bool             // every page will be rendered, so what they share is read at once
	Keep            bool             // keep the rows, because deltas will change the catalog
	Leaves          func(Left)       // called with each object that is left out; nil: objects are only counted
	Now             func() time.Time // nil: time.Now
	Log             *slog.Logger     // nil: slog.Default
}

// Images are the operator's settings of images at level spec.
type Images struct {
	Meta    []string      `toml:"meta"` // keys of post meta that hold ids of attachments
	Replace []Replacement // the longest Old first
}

// Replacement maps image URLs that begin with Old to URLs that begin with New.
type Replacement struct{ Old, New string }

// Replaced returns the URL of an image after the first matching replacement.
func (i *Images) Replaced(src string) string {
	for _, r := range i.Replace {
		if rest, ok := strings.CutPrefix(src, r.Old); ok {
			return r.New + rest
		}
	}
	return src
}

// Extra is one [[site.extra]]: a file with URLs, or the sitemap of another program.
type Extra struct {
	Name   string `toml:"name"`
	File   string `toml:"file"`
	URL    string `toml:"url"`
	Within string `toml:"-"` // set if the install was found: its folder, whose users may write the file
}

// Dates are passed from rows to XML unchanged, so both packages must have the same constants for “none” and “zero”.
var (
	_ = [1]struct{}{}[wp.NoTime-urlset.NoDate]
	_ = [1]struct{}{}[wp.ZeroTime-urlset.ZeroDate]
)

// Left is an object that was left out while a catalog was built.
type Left struct {
	Verdict Verdict
	Kind    ObjectKind // KindPost, KindTerm, KindUser or KindArchive
	Of      string     // post type or taxonomy; "" if that is not known
	ID      int64
	Loc     string // the address of an object without an id
}

// Hints are the values of changefreq and priority by type. Every URL in the sitemaps of the type has them. News and video
// sitemaps hold several types and have none.
type Hints struct {
	PostTypes, Taxonomies map[string]urlset.Hints
	Authors               urlset.Hints
}

// Switch is the operator's choice about a sitemap that an add-on of a plugin may make.
type Switch uint8

// The choices.
const (
	Auto        Switch = iota // "auto": there is one if an add-on is active
	SwitchedOn                // true: there is one by Google's rules, whichever add-ons are active
	SwitchedOff               // false: there is none
)

// News is the operator's [site.news]. An empty field takes the add-on's setting, or else the default.
type News struct {
	Enabled      Switch   `toml:"enabled"`
	Publication  string   `toml:"publication" form:"publication"`
	Language     string   `toml:"language" form:"language"`
	PostTypes    []string `toml:"post_types" form:"post_type" empty:"leave the key out, or set enabled = false"`
	ExcludeTerms []int64  `toml:"exclude_terms"` // term ids
	Window       string   `toml:"window" oneof:"modified published"`
}

// ByPublication is the News.Window by which only a recent publication makes a post news, as Google counts. In the other window
// a recent change does, too.
const ByPublication = "published"

// Video is the operator's [site.video].
type Video struct {
	Enabled   Switch   `toml:"enabled"`
	PostTypes []string `toml:"post_types" form:"post_type" empty:"leave the key out, or set enabled = false"`
}
