package seo

import (
	"log/slog"
	"strings"
	"time"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// DefaultPageSize is the number of objects in a file, Yoast's own.
const DefaultPageSize = 1000

// Options are the operator's choices for one site.
type Options struct {
	Sitemaps        string // whose, as sitemap.Choices has them; "" is by what is active
	Compat          Level
	PageSize        int // objects in a file; 0: the plugin's own number, else DefaultPageSize
	Exclude         Exclude
	News            News
	Video           Video
	Images          Images
	Extra           []Extra
	Hreflang        bool             // name translations, where the level does
	Stylesheet      string           // "css", "xsl", "none" or "": the instruction in the prolog
	Text, Atom, RSS bool             // the site has its sitemaps in these formats, too
	OwnRSS          int              // entries of the plugin's own RSS sitemap, which holds posts alone; 0: the RSS is the operator's, or none
	Hints           Hints            // changefreq and priority
	AllPages        bool             // every page is going to be rendered: read at once what they share
	Keep            bool             // keep the rows: the catalog is to take deltas
	Leaves          func(Left)       // is called with everything that is left out; nil: it is counted only
	Now             func() time.Time // nil: time.Now
	Log             *slog.Logger     // nil: slog.Default
}

// Images is what an operator says of images at level spec.
type Images struct {
	Meta    []string      `toml:"meta"` // keys of post meta that hold ids of attachments
	Replace []Replacement // the longest Old first
}

// Replacement is where images are whose URLs begin with Old.
type Replacement struct{ Old, New string }

// Replaced is where the image of a URL is.
func (i *Images) Replaced(src string) string {
	for _, r := range i.Replace {
		if rest, ok := strings.CutPrefix(src, r.Old); ok {
			return r.New + rest
		}
	}
	return src
}

// Extra is one [[site.extra]]: URLs of a file, or a sitemap of another program.
type Extra struct {
	Name   string `toml:"name"`
	File   string `toml:"file"`
	URL    string `toml:"url"`
	Within string `toml:"-"` // the folder of an install that was found, whose people may write the file
}

// Dates pass from the rows to the XML as they are: both packages mean the same by "none" and by "zero".
var (
	_ = [1]struct{}{}[wp.NoTime-urlset.NoDate]
	_ = [1]struct{}{}[wp.ZeroTime-urlset.ZeroDate]
)

// Left is an object that is left out, while a catalog is built.
type Left struct {
	Verdict Verdict
	Kind    ObjectKind // KindPost, KindTerm, KindUser or KindArchive
	Of      string     // post type or taxonomy, where that is known
	ID      int64
	Loc     string // of what has no id
}

// Hints are the values of changefreq and priority by type. They go beside the date of every
// address in the sitemaps of that type; news and videos, which hold several types, have none.
type Hints struct {
	PostTypes, Taxonomies map[string]urlset.Hints
	Authors               urlset.Hints
}

// Switch is what the operator says about a sitemap that an add-on of a plugin may make.
type Switch uint8

// What the operator may say.
const (
	Auto        Switch = iota // "auto": there is one where an add-on is active
	SwitchedOn                // true: there is one by Google's rules, whatever add-ons there are
	SwitchedOff               // false: there is none
)

// News is the operator's [site.news]. What is empty is as the add-on says, or by default.
type News struct {
	Enabled      Switch   `toml:"enabled"`
	Publication  string   `toml:"publication" form:"publication"`
	Language     string   `toml:"language" form:"language"`
	PostTypes    []string `toml:"post_types" form:"post_type" empty:"leave the key out, or set enabled = false"`
	ExcludeTerms []int64  `toml:"exclude_terms"` // term ids
	Window       string   `toml:"window" oneof:"modified published"`
}

// ByPublication is the News.Window by which publication alone makes news, as Google counts. Else a change does, too.
const ByPublication = "published"

// Video is the operator's [site.video].
type Video struct {
	Enabled   Switch   `toml:"enabled"`
	PostTypes []string `toml:"post_types" form:"post_type" empty:"leave the key out, or set enabled = false"`
}
