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
	PageSize        int // objects in a file; 0 for the plugin's number, or else DefaultPageSize
	Exclude         Exclude
	News            News
	Video           Video
	Images          Images
	Extra           []Extra
	Hreflang        bool             // entries name their translations, if Decisions.Alternates allows it
	Stylesheet      string           // the stylesheet instruction in the prolog: "css", "xsl", "none" or ""
	Text, Atom, RSS bool             // the site also serves its sitemaps in these formats
	OwnRSS          int              // number of entries of the plugin's own RSS sitemap, which lists posts only; 0 if there is none
	Hints           Hints            // changefreq and priority
	AllPages        bool             // every page will be rendered, so data that pages share is read at once
	Keep            bool             // keep the rows, so that deltas can change the catalog
	Now             func() time.Time // nil means time.Now
	Log             *slog.Logger     // nil means slog.Default()
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

// Extra is one [[site.extra]] table: a file with URLs, or the sitemap of another program.
type Extra struct {
	Name   string `toml:"name"`
	File   string `toml:"file"`
	URL    string `toml:"url"`
	Within string `toml:"-"` // folder of a discovered install, whose users may write File; "" if the install was not discovered
}

// The packages wp and urlset use the same numbers for no date and for the zero date, because dates pass
// between them unchanged. These variables do not compile if the numbers differ.
var (
	_ = [1]struct{}{}[wp.NoTime-urlset.NoDate]
	_ = [1]struct{}{}[wp.ZeroTime-urlset.ZeroDate]
)

// Hints are the values of changefreq and priority by type. They apply to every URL in the sitemaps of
// the type. News and video sitemaps have no hints.
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
	SwitchedOff               // false: there is no such sitemap
)

// News is the operator's [site.news]. An empty field means the add-on's setting, or else the default.
type News struct {
	Enabled      Switch   `toml:"enabled"`
	Publication  string   `toml:"publication" form:"publication"`
	Language     string   `toml:"language" form:"language"`
	PostTypes    []string `toml:"post_types" form:"post_type" empty:"leave the key out, or set enabled = false"`
	ExcludeTerms []int64  `toml:"exclude_terms"` // term ids
	Window       string   `toml:"window" oneof:"modified published"`
}

// ByPublication is a value of News.Window: only a recent publication makes a post news, as for Google.
// With the value "modified", a recent change also does.
const ByPublication = "published"

// Video is the operator's [site.video].
type Video struct {
	Enabled   Switch   `toml:"enabled"`
	PostTypes []string `toml:"post_types" form:"post_type" empty:"leave the key out, or set enabled = false"`
}
