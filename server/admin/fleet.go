package admin

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/registry"
)

// Level is how well something is.
type Level uint8

// The levels, the worst last.
const (
	Good    Level = iota
	Waiting       // not read yet
	Warn          // serves, but needs attention
	Bad           // serves older copies, or nothing
)

// String is the word beside the colour.
func (l Level) String() string { return [...]string{"good", "waiting", "warning", "trouble"}[l] }

// Fleet is everything at one moment.
type Fleet struct {
	Now     time.Time
	Started time.Time
	Version string
	Reload  Reload
	State   *store.Stats // nil: copies are in memory only
	Copies  metrics.Copies
	Sites   []Summary
}

// Summary is a row about a site. Its JSON is what /sites.json prints.
type Summary struct {
	Name      string    `json:"name"`
	Home      string    `json:"home"` // public address of its first blog; "": not known yet
	Blogs     int       `json:"blogs"`
	Badges    []string  `json:"badges"` // what a person should know beside its level: private, core, conflict, the name of another plugin …
	Ready     bool      `json:"ready"`
	Restored  bool      `json:"restored"` // serves what was kept from before the start
	Error     string    `json:"error,omitempty"`
	Since     time.Time `json:"since,omitzero"` // of Error, or of being well
	Failures  int       `json:"failures"`
	Alarm     string    `json:"alarm,omitempty"`
	Alarmed   time.Time `json:"alarmed,omitzero"`
	Alarms    int       `json:"alarms"`
	Conflict  string    `json:"conflict,omitempty"` // an address that another site claims, too, and what to do; ""
	Displaced bool      `json:"displaced"`          // it is not served at such an address
	conflicts int       // such addresses

	URLs     int           `json:"urls"`
	Files    int           `json:"sitemaps"`
	Before   *int          `json:"urls_before,omitempty"` // addresses at From; nil: not known
	From     time.Time     `json:"before,omitzero"`       // a day ago, or since it is known
	Read     time.Time     `json:"known_good,omitzero"`   // it was last known to agree with the database; zero: never
	FullScan *site.Reading `json:"-"`                     // the last one
	Crawled  time.Time     `json:"crawled,omitzero"`      // by a search engine; zero: never
	Crawler  string        `json:"crawler,omitempty"`     // which
	Fetches  int64         `json:"fetches"`               // by search engines and other robots
	Warnings int64         `json:"warnings"`              // lines of the log since the start
	Upstream int64         `json:"upstream_errors"`       // requests it did not answer
	Public   *PublicCheck  `json:"public,omitempty"`      // nil: not since the start
	Active   bool          `json:"active"`                // false: none of its blogs has sitemaps
}

// need ranks what is wrong with a site, the most urgent highest: a loss, then what was well before, then what never was.
func (s *Summary) need() int {
	switch {
	case s.Level() != Bad:
		return 0
	case s.Alarm != "" || s.Displaced:
		return 3
	case s.Ready || s.URLs > 0:
		return 2
	}
	return 1
}

// byNeed orders sites by what needs a person first; of two the one that went bad last.
func byNeed(a, b *Summary) int {
	return cmp.Or(cmp.Compare(b.Level(), a.Level()), cmp.Compare(b.need(), a.need()), b.Since.Compare(a.Since))
}

// Troubled is since when a site is as it is.
func (s *Summary) Troubled() time.Time {
	if s.Alarm != "" {
		return s.Alarmed
	}
	return s.Since
}

// Headline says in a few words what is wrong with a site.
func (s *Summary) Headline() string {
	switch {
	case s.Alarm != "":
		return "most of it is gone: " + s.Alarm
	case s.Displaced:
		return "another site has its host"
	case s.Error != "" && s.need() == 2:
		return "cannot be read; older pages are served"
	case s.Error != "":
		return "could not be read yet; its sitemaps are answered with 503"
	}
	return "not ready"
}

// Change is how the number of addresses has changed since From.
func (s *Summary) Change() int {
	if s.Before == nil {
		return 0
	}
	return s.URLs - *s.Before
}

// Level sums a site up.
func (s *Summary) Level() Level {
	switch {
	case s.Error != "" || s.Alarm != "" || s.Displaced:
		return Bad
	case !s.Ready && s.Since.IsZero():
		return Waiting
	case !s.Ready:
		return Bad
	case s.Restored || !s.Active || s.Conflict != "":
		return Warn
	}
	return Good
}

// SitePage is a page on one site.
type SitePage struct {
	Summary
	Now      time.Time
	Settings []config.Setting     // in force, with where each value is from
	Blog     *Blog                // that is shown; nil: nothing was read yet
	Others   []*site.Blog         // of the network
	Listed   func(*site.Blog) int `json:"-"` // URLs of one of them
	Poll     changes.Poll         // zero: its database is not polled
	Points   []metrics.Point
	Crawls   crawler.LogSummary
	Verified bool                   // crawlers are verified by DNS
	IndexNow *metrics.Announcements // nil: it announces nothing
}

// Blog is one of a site, with its sitemaps.
type Blog struct {
	*site.Blog
	What     string // whose sitemaps: Yoast's form, WordPress' own, none
	Types    []Type
	Unknown  []registry.Unknown
	LeftOut  []Count // objects by rule
	Files    []File
	Readings []site.Reading
}

// Type is a post type or taxonomy.
type Type struct {
	Kind, Name string
	URLs       int // listed
	Public     bool
	Facts      []registry.Fact
}

// File is one sitemap.
type File struct {
	catalog.File
	Bytes, Packed int           // of the copy in memory, and of its compressed form
	Made          time.Time     // the copy; zero: there is none
	Fetch         crawler.Fetch // last good one by a search engine
}

// Count is a number of something.
type Count struct {
	What string
	N    int
}

// Query is what the table of the fleet is asked for.
type Query struct {
	Text     string // part of a name or address, in any case of letters
	Troubled bool   // only what is not good
}

// choose returns the sites that a query asks for, those first that need a person.
func choose(sites []Summary, q Query) []*Summary {
	chosen := []*Summary{}
	text := strings.ToLower(strings.TrimSpace(q.Text))
	for i := range sites {
		s := &sites[i]
		if q.Troubled && s.Level() == Good {
			continue
		}
		if text == "" || strings.Contains(strings.ToLower(s.Name), text) || strings.Contains(strings.ToLower(s.Home), text) {
			chosen = append(chosen, s)
		}
	}
	slices.SortStableFunc(chosen, byNeed)
	return chosen
}
