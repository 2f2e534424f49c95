package admin

import (
	"cmp"
	"slices"
	"strings"
	"time"
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
	State   *State // nil: copies are in memory only
	Copies  Copies
	Sites   []Summary
}

// Reload is about the last time the configuration was read.
type Reload struct {
	At    time.Time // zero: not since the start
	Error string    // why it was refused; "": it is in force
	Good  time.Time // when the one in force was read
}

// State is about the last good copies that outlive the process.
type State struct {
	Files, Queued int
	Bytes, Limit  int64
	Damaged       int
	Shared        bool // another process writes, too
	Redis         bool // they are in one, and not in a folder
	Leads         int  // of Sites: with Redis, those that this process audits for all
	Error         string
}

// Copies is about those in memory.
type Copies struct {
	Count        int
	Bytes, Limit int64
}

// Summary is a site in a row.
type Summary struct {
	Name     string
	Home     string // public address of its first blog; "": not known yet
	Blogs    int
	Ready    bool
	Restored bool // serves what was kept from before the start
	Error    string
	Since    time.Time // of Error, or of being well
	Failures int
	Alarm    string
	Alarmed  time.Time
	Alarms   int

	Clash     string // an address that another site claims, too, and what to do; ""
	Displaced bool   // it is not served at such an address

	URLs, Files int
	Before      *int      // addresses at From; nil: not known
	From        time.Time // a day ago, or since it is known
	Read        time.Time // it was last known to agree with the database; zero: never
	Audit       *Reading  // the last one
	Crawled     time.Time // by a search engine; zero: never
	Crawler     string    // which
	Fetches     int64     // by search engines and other robots
	Warnings    int64     // lines of the log since the start
	Upstream    int64     // requests it did not answer
	Active      bool      // false: none of its blogs has sitemaps
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
	case s.Restored || !s.Active || s.Clash != "":
		return Warn
	}
	return Good
}

// Reading is one time a site was read.
type Reading struct {
	At            time.Time
	Kind          string // delta or audit
	Reason        string
	Took          time.Duration
	Queries       int64
	Touched       int
	Before, After int
	Error         string
}

// Change is how many addresses it brought.
func (r *Reading) Change() int { return r.After - r.Before }

// Site is a page on one site.
type Site struct {
	Summary
	Now      time.Time
	Accept   string // form of the button that accepts a loss; "" where there is none
	Blog     *Blog  // that is shown; nil: nothing was read yet
	Others   []BlogLink
	Points   []Point
	Engines  []Engine
	Days     []Day
	Recent   []Fetch
	Verified bool // crawlers are verified by DNS
	Visitors int64
	IndexNow *IndexNow // nil: it announces nothing
}

// BlogLink leads to another blog of the network.
type BlogLink struct {
	ID      int64
	Home    string
	URLs    int
	Error   string
	Current bool
}

// Blog is one of a site, with its sitemaps.
type Blog struct {
	ID       int64
	Home     string
	What     string // whose sitemaps: Yoast's form, WordPress' own, none
	Read     time.Time
	Error    string
	Held     string // why it is served from copies alone
	Types    []Type
	Unknown  []Unknown
	LeftOut  []Count // objects by rule
	Files    []File
	Warnings []string
	Readings []Reading
}

// Type is a post type or taxonomy.
type Type struct {
	Kind, Name string
	URLs       int
	Listed     bool // has a sitemap in the index
	Public     bool
	Facts      []Fact
}

// Fact is one decision about a type, with its source.
type Fact struct{ Key, Value, Source string }

// Unknown is a type of which no source says whether it is public.
type Unknown struct {
	Kind, Name string
	Rows       int
	Why        string
}

// Count is a number of something.
type Count struct {
	What string
	N    int
}

// File is one sitemap.
type File struct {
	Name    string
	URL     string
	Entries int
	LastMod time.Time
	Bytes   int       // zero: no copy in memory
	Packed  int       // compressed
	Made    time.Time // the copy
	Crawled time.Time // last good fetch by a search engine
	Crawler string
}

// Engine sums up what a search engine fetched.
type Engine struct {
	Title                       string
	Verified, Unverified, Spoof int64
	NotModified                 float64 // share of the fetches that may be its own
	Failed                      int64
	Last                        time.Time
	Verifiable                  bool
}

// Fetches counts those that may be the engine's own.
func (e Engine) Fetches() int64 { return e.Verified + e.Unverified }

// Day counts the fetches of robots on one day.
type Day struct {
	Date    time.Time
	Fetches int
}

// Fetch is one answer to a crawler.
type Fetch struct {
	At      time.Time
	Engine  string
	Verdict string
	Sitemap string
	Status  int
	Bytes   int64
}

// IndexNow is about what is announced.
type IndexNow struct {
	Waiting int
	Last    time.Time
	Word    string // what came of the last attempt
	Results []Count
}

// Query is what the table of the fleet is asked for.
type Query struct {
	Text string // part of a name or address, in any case of letters
	Show string // "trouble": only what is not good
	Sort string // one of Sorts; "": the worst first
}

// Sorts are the columns the table can be sorted by.
var Sorts = []string{"name", "urls", "change", "age", "audit", "crawled"}

// choose returns the sites that a query asks for, in its order.
func choose(sites []Summary, q Query) []*Summary {
	chosen := []*Summary{}
	text := strings.ToLower(strings.TrimSpace(q.Text))
	for i := range sites {
		s := &sites[i]
		if q.Show == "trouble" && s.Level() == Good {
			continue
		}
		if text == "" || strings.Contains(strings.ToLower(s.Name), text) || strings.Contains(strings.ToLower(s.Home), text) {
			chosen = append(chosen, s)
		}
	}
	slices.SortStableFunc(chosen, func(a, b *Summary) int {
		switch q.Sort {
		case "name":
			return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		case "urls":
			return cmp.Compare(b.URLs, a.URLs)
		case "change":
			return cmp.Compare(abs(b.Change()), abs(a.Change()))
		case "age":
			return a.Read.Compare(b.Read)
		case "audit":
			return cmp.Compare(took(b), took(a))
		case "crawled":
			return b.Crawled.Compare(a.Crawled)
		}
		return cmp.Compare(b.Level(), a.Level())
	})
	return chosen
}

func took(s *Summary) time.Duration {
	if s.Audit == nil {
		return 0
	}
	return s.Audit.Took
}

func abs(n int) int { return max(n, -n) }
