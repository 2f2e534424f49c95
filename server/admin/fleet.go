package admin

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/survey"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/writes"
)

// level is how well something works.
type level uint8

// The levels, from best to worst.
const (
	good    level = iota
	waiting       // nobody has tried to read the site yet
	warn          // no error, but a person should look
	bad           // an error, an alarm, not ready, or not served at its address
)

// String returns the word that pages show beside the colour.
func (l level) String() string { return [...]string{"good", "waiting", "warning", "trouble"}[l] }

// Fleet is the state of all sites at one moment.
type Fleet struct {
	Now     time.Time
	Started time.Time
	Version string
	Reload  Reload
	State   *store.Stats // nil: pages are cached in memory only
	Copies  metrics.Copies
	Sites   []Summary
}

// Summary is a row about a site. /sites.json prints it as JSON.
type Summary struct {
	Name      string    `json:"name"`
	Home      string    `json:"home"` // public address of the first blog; "": not known yet
	Blogs     int       `json:"blogs"`
	Badges    []string  `json:"badges"` // what a person should know beside the level: private, core, conflict, the name of another plugin …
	Ready     bool      `json:"ready"`
	Restored  bool      `json:"restored"` // only what an earlier process stored is served
	Error     string    `json:"error,omitempty"`
	Since     time.Time `json:"since,omitzero"` // when Error began; without an error, since when the site is well
	Failures  int       `json:"failures"`
	Alarm     string    `json:"alarm,omitempty"`
	Alarmed   time.Time `json:"alarmed,omitzero"`
	Alarms    int       `json:"alarms"`
	Conflict  string    `json:"conflict,omitempty"` // an address that another site claims too, and what to do; "": none
	Displaced bool      `json:"displaced"`          // the site claims an address at which it is not served
	conflicts int       // the number of addresses that another site claims too

	URLs     int           `json:"urls"`
	Files    int           `json:"sitemaps"`
	Before   *int          `json:"urls_before,omitempty"` // the number of URLs at From; nil: not known
	From     time.Time     `json:"before,omitzero"`       // a day ago, or the start of the history
	Read     time.Time     `json:"known_good,omitzero"`   // when the site was last known to agree with the database; zero: never
	FullScan *site.Reading `json:"-"`                     // the last full scan; nil: none
	Crawled  time.Time     `json:"crawled,omitzero"`      // the last fetch by a verified search engine, else by any search engine; zero: none
	Crawler  string        `json:"crawler,omitempty"`     // the search engine of that fetch, "unverified …" if its name may be a lie
	Fetches  int64         `json:"fetches"`               // the number of fetches by search engines and other robots
	Warnings int64         `json:"warnings"`              // warnings in the log since the start
	Upstream int64         `json:"upstream_errors"`       // requests that the upstream did not answer
	Public   *PublicCheck  `json:"public,omitempty"`      // nil: no check since the start
	Active   bool          `json:"active"`                // false: no blog has sitemaps

	parts int // how many of the URLs are later parts of posts
}

// need returns how urgent the trouble of a site is. It is 3 if the site has lost most URLs or a host, 2 if the site has
// worked before, 1 if the site has never worked, and 0 if there is no trouble.
func (s *Summary) need() int {
	switch {
	case s.Level() != bad:
		return 0
	case s.Alarm != "" || s.Displaced:
		return 3
	case s.Ready || s.URLs > 0:
		return 2
	}
	return 1
}

// byNeed orders sites by urgency, the most urgent first. Among equals, the site whose state changed last comes first.
func byNeed(a, b *Summary) int {
	return cmp.Or(cmp.Compare(b.Level(), a.Level()), cmp.Compare(b.need(), a.need()), b.Troubled().Compare(a.Troubled()))
}

// Troubled returns when the current state of the site began.
func (s *Summary) Troubled() time.Time {
	if s.Alarm != "" {
		return s.Alarmed
	}
	return s.Since
}

// Headline says in a few words what is wrong with the site.
func (s *Summary) Headline() string {
	switch {
	case s.Alarm != "":
		return "most of its URLs are missing: " + s.Alarm
	case s.Displaced:
		return "not served at an address that it claims"
	case s.Error != "" && s.need() == 2:
		return "cannot be read; older pages are served"
	case s.Error != "":
		return "could not be read yet; its sitemaps are answered with 503"
	}
	return "not ready"
}

// Change returns how many URLs the site has gained since From. The number is negative if the site has lost URLs, and 0 if
// Before is nil.
func (s *Summary) Change() int {
	if s.Before == nil {
		return 0
	}
	return s.URLs - *s.Before
}

// Level returns how well the site works. The status page shows the level as a colour.
func (s *Summary) Level() level {
	switch {
	case s.Error != "" || s.Alarm != "" || s.Displaced:
		return bad
	case !s.Ready && s.Since.IsZero():
		return waiting
	case !s.Ready:
		return bad
	case s.Restored || !s.Active || s.Conflict != "":
		return warn
	}
	return good
}

// sitePage is the content of the page about one site.
type sitePage struct {
	Summary
	Now      time.Time
	Settings []config.Setting     // in force, each with its source
	Blog     *blog                // the blog that is shown; nil: nothing was read yet
	Report   *survey.Report       // the last survey of the blog's sitemaps; nil: none since the start
	Others   []*site.Blog         // the blogs of the network
	Listed   func(*site.Blog) int `json:"-"` // the number of URLs of a blog
	Poll     writes.Poll          // zero: the database is not polled
	Points   []metrics.Point
	Crawls   crawler.LogSummary
	Verified bool                   // crawlers are verified by the DNS
	IndexNow *metrics.Announcements // nil: the site announces nothing
}

// blog is one blog of a site, with its sitemaps.
type blog struct {
	*site.Blog
	What     string // a sentence that says whose sitemaps the blog has, or why it has none
	Types    []Type
	Unknown  []registry.Unknown
	LeftOut  map[string]int // number of objects that are left out, by rule
	Files    []file
	Readings []site.Reading
}

// Type is a post type or taxonomy.
type Type struct {
	Kind, Name string
	URLs       int // how many are listed
	Public     bool
	Facts      []registry.Fact
}

// file is one sitemap.
type file struct {
	catalog.File
	Bytes, Packed int           // of the page in memory, uncompressed and compressed
	Made          time.Time     // when the page in memory was rendered; zero: there is none
	Fetch         crawler.Fetch // the last good fetch by a search engine
}

// choose returns the sites whose name or home contains text, in any letter case, the most urgent first. If troubled is set, it
// leaves out sites that are good.
func choose(sites []Summary, text string, troubled bool) []*Summary {
	chosen := []*Summary{}
	text = strings.ToLower(strings.TrimSpace(text))
	for i := range sites {
		s := &sites[i]
		if troubled && s.Level() == good {
			continue
		}
		if text == "" || strings.Contains(strings.ToLower(s.Name), text) || strings.Contains(strings.ToLower(s.Home), text) {
			chosen = append(chosen, s)
		}
	}
	slices.SortStableFunc(chosen, byNeed)
	return chosen
}
