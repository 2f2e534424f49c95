package explain

import (
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

// An Explanation says why a URL is or is not in the sitemaps. wpsitemapd explain --json prints it as
// JSON. The first nine names are a contract.
type Explanation struct {
	URL      string         `json:"url"`      // the URL as the user gave it
	In       bool           `json:"in"`       // the object at the URL is in a sitemap that the index names; JSON null if Unknown
	Unknown  bool           `json:"-"`        // it could not be determined whether the object is in a sitemap; Rule is RuleUnknown
	Object   string         `json:"object"`   // for example "post 17", "category 3", "author 2", "home"; "" if there is none
	Sitemap  string         `json:"sitemap"`  // name of the sitemap, such as post; "" if there is none
	Page     int            `json:"page"`     // the first page is 1; 0 if there is none
	LastMod  string         `json:"lastmod"`  // the date that the sitemap shows; "" if it shows none
	Rule     string         `json:"rule"`     // the rule that decided: "listed", the name of a verdict, or a rule in this package
	Evidence []seo.Evidence `json:"evidence"` // the data that the rule rests on

	Because string   `json:"because"`           // the rule as a sentence
	Do      string   `json:"do,omitempty"`      // how an editor gets the object listed; "" if an editor cannot
	Title   string   `json:"title,omitempty"`   // title of the object in plain text
	Edit    string   `json:"edit,omitempty"`    // URL in wp-admin where the object is edited
	Address string   `json:"address,omitempty"` // the object's own URL in the form of a sitemap, even if not listed
	File    string   `json:"file,omitempty"`    // URL of the sitemap page
	Places  []Place  `json:"places,omitempty"`  // all sitemap pages that list the object; Sitemap names the first
	Similar []string `json:"similar,omitempty"` // URLs that the user may have meant
	Notes   []string `json:"notes,omitempty"`   // further sentences for the user
}

// A Place is a sitemap page that lists an object.
type Place struct {
	Sitemap string `json:"sitemap"`
	Page    int    `json:"page"`
	File    string `json:"file"`
	LastMod string `json:"lastmod"`

	withheld error // as catalog.List.Withheld
	indexed  bool
}

// listedAt records that the object is listed in places. Sitemap, Page, File and LastMod describe the first place.
func (x *Explanation) listedAt(places ...Place) {
	first := places[0]
	x.In, x.Unknown, x.Places = true, false, places
	x.Sitemap, x.Page, x.File, x.LastMod = first.Sitemap, first.Page, first.File, first.LastMod
}

// unlisted removes every statement that the object is listed.
func (x *Explanation) unlisted() {
	x.In, x.Places = false, nil
	x.Sitemap, x.Page, x.File, x.LastMod = "", 0, "", ""
}

// IsIn records that the requested address is in the file f.
func (x *Explanation) IsIn(f catalog.File, found Found) {
	x.listedAt(Place{Sitemap: f.Name, Page: f.Page, File: f.URL, LastMod: found.LastMod})
}

// SayUnknown records that it is unknown whether the address is listed, and why.
func (x *Explanation) SayUnknown(because string, evidence ...seo.Evidence) {
	x.unlisted()
	x.Unknown = true
	x.Rule, x.Because, x.Evidence = RuleUnknown, because, append(x.Evidence, evidence...)
}

// These rules explain addresses without an object, and whole types. They add to the verdicts of seo.
const (
	ruleNothing     = "nothing at this URL"
	ruleOtherHost   = "another host"
	ruleOutside     = "outside home"
	ruleDates       = "date archive"
	ruleSearch      = "search"
	ruleFile        = "file"
	ruleAPI         = "REST API"
	ruleNotShown    = "not shown by a listed post"
	ruleNoMedia     = "no images in its sitemaps"
	ruleUnknownType = "type not known to be public"
	ruleLeftToSite  = "type left to the site"
	ruleEmptyTerm   = "empty term"
	ruleNoPosts     = "no published posts"
	ruleEmpty       = "empty sitemap"
	ruleBehind      = "behind the last page"
	ruleRefused     = "URL not allowed in a sitemap"

	// RuleChanged means that no rule leaves the object out, but the catalog does not contain the object. Only
	// the served pages can show whether it is listed.
	RuleChanged = "not settled"
	// RuleUnknown means that neither the database nor the pages could answer.
	RuleUnknown = "unknown"
)
