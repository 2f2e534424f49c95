package crawler

import (
	"cmp"
	"context"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what is kept.
const (
	maxEvents   = 1024 // fetches on their way into the log, of all sites
	keptFetches = 200  // of a site
	keptLast    = 4000 // sitemaps of a site, by engine
	keptDays    = 60
)

// Fetch is one answer to a crawler.
type Fetch struct {
	At      time.Time
	Engine  Engine
	Verdict Verdict
	Blog    int64  // of a network; 1 on a single site, 0 where the site has not been read yet
	Sitemap string // as the catalog knows it; "" where the site has not been read yet
	Page    int
	Status  int
	Bytes   int64      // of the body
	Address netip.Addr `json:",omitzero"` // of those who claim to be of an engine; zero: not known
}

// Log is the log of all sites. It is safe for concurrent use.
type Log struct {
	verifier *verifier
	events   chan event
	lost     atomic.Int64 // fetches there was no room for
	hidden   atomic.Int64
	verify   atomic.Bool

	mu    sync.Mutex
	sites map[string]*SiteLog
}

type event struct {
	site *SiteLog
	Fetch
}

// New returns an empty log. resolver and now may be nil: that of the system, time.Now.
func New(resolver Resolver, now func() time.Time) *Log {
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true} // heeds the context, and costs no thread
	}
	if now == nil {
		now = time.Now
	}
	return &Log{verifier: newVerifier(resolver, now), events: make(chan event, maxEvents), sites: map[string]*SiteLog{}}
}

// SetVerify says whether crawlers are verified; at first they are not.
func (l *Log) SetVerify(on bool) { l.verify.Store(on) }

// Lost is how many fetches are not in the log, since too many came at a time.
func (l *Log) Lost() int64 { return l.lost.Load() }

// Hidden is how many fetches could not be verified since they came from no public address:
// most likely a front server does not say who its clients are.
func (l *Log) Hidden() int64 { return l.hidden.Load() }

// Site returns the log of a site, an empty one where there was none.
func (l *Log) Site(name string) *SiteLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sites[name]
	if s == nil {
		s = &SiteLog{log: l, name: name, stats: map[Engine]*[verdicts]Stats{}, last: map[lastKey]Fetch{}, days: map[int64]*[engines]int{}}
		l.sites[name] = s
	}
	return s
}

// Retain forgets all sites but these.
func (l *Log) Retain(names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.sites, func(name string, _ *SiteLog) bool { return !slices.Contains(names, name) })
}

// Run writes the log until ctx ends.
func (l *Log) Run(ctx context.Context) {
	var waiting sync.WaitGroup
	defer waiting.Wait()
	for {
		select {
		case e := <-l.events:
			l.take(ctx, e, &waiting)
		case <-ctx.Done():
			for len(l.events) > 0 {
				e := <-l.events
				e.site.add(e.Fetch)
			}
			return
		}
	}
}

// take writes a fetch, once the DNS has answered for its address.
func (l *Log) take(ctx context.Context, e event, waiting *sync.WaitGroup) {
	if !l.verify.Load() || !e.Engine.Verifiable() {
		e.site.add(e.Fetch)
		return
	}
	if !public(e.Address) {
		l.hidden.Add(1)
		e.site.add(e.Fetch)
		return
	}
	id := l.verifier.get(e.Address)
	if id == nil && l.verifier.waiting.TryAcquire(1) {
		held := e // e itself costs no memory
		waiting.Go(func() {
			defer l.verifier.waiting.Release(1)
			held.Verdict = l.verifier.ask(ctx, held.Address).judge(held.Engine)
			held.site.add(held.Fetch)
		})
		return
	}
	if id != nil {
		e.Verdict = id.judge(e.Engine)
	}
	e.site.add(e.Fetch)
}

// SiteLog is the log of one site.
type SiteLog struct {
	log      *Log
	name     string
	visitors atomic.Int64

	mu      sync.Mutex
	fetches []Fetch // a ring once it is full, in about the order of time
	next    int     // place of the next one in it
	stats   map[Engine]*[verdicts]Stats
	last    map[lastKey]Fetch
	days    map[int64]*[engines]int // by days since 1970, UTC
	changed bool                    // since it was saved
}

type lastKey struct {
	blog   int64
	name   string
	page   int
	engine Engine
}

// Stats sums up fetches.
type Stats struct {
	Fetches     int64
	NotModified int64 // of these, answered with 304
	Failed      int64 // of these, answered with 4xx or 5xx
	Last        time.Time
}

// Visitor counts a fetch by somebody who is no crawler.
func (s *SiteLog) Visitor() { s.visitors.Add(1) }

// Record has a fetch written. It never waits, and does not allocate: where the log does not
// keep up the fetch is counted as lost.
func (s *SiteLog) Record(f Fetch) {
	select {
	case s.log.events <- event{s, f}:
	default:
		s.log.lost.Add(1)
	}
}

// add writes a fetch.
func (s *SiteLog) add(f Fetch) {
	if f.Engine == None || f.Engine >= engines {
		return
	}
	if f.Engine == Other {
		f.Address = netip.Addr{} // may be somebody's script at home
	}
	key := lastKey{f.Blog, f.Sitemap, f.Page, f.Engine}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
	before, seen := s.last[key]
	if seen {
		f.Sitemap = before.Sitemap
	} else {
		f.Sitemap = strings.Clone(f.Sitemap) // and not the whole header it was a part of
	}
	key.name = f.Sitemap
	if len(s.fetches) < keptFetches {
		s.fetches = append(s.fetches, f)
	} else {
		s.fetches[s.next] = f
	}
	s.next = (s.next + 1) % keptFetches
	stats := s.stats[f.Engine]
	if stats == nil {
		stats = new([verdicts]Stats)
		s.stats[f.Engine] = stats
	}
	stats[f.Verdict].add(f)
	if f.Verdict == Spoofed {
		return
	}
	day := f.At.Unix() / (24 * 60 * 60)
	if s.days[day] == nil {
		s.days[day] = new([engines]int)
		maps.DeleteFunc(s.days, func(d int64, _ *[engines]int) bool { return d <= day-keptDays })
	}
	s.days[day][f.Engine]++
	if f.Status >= 400 || f.At.Before(before.At) {
		return
	}
	if !seen && len(s.last) >= keptLast {
		oldest := key
		for k, old := range s.last {
			if o, ok := s.last[oldest]; !ok || old.At.Before(o.At) {
				oldest = k
			}
		}
		delete(s.last, oldest)
	}
	s.last[key] = f
}

func (s *Stats) add(f Fetch) {
	s.Fetches++
	switch {
	case f.Status == 304:
		s.NotModified++
	case f.Status >= 400:
		s.Failed++
	}
	if f.At.After(s.Last) {
		s.Last = f.At
	}
}

// LogSummary is what the log of a site says, and what is kept of it on disk.
type LogSummary struct {
	Visitors int64          `json:"-"` // fetches by others than crawlers, since the start of the process
	Engines  []EngineReport // in the order of their fetches, the most first
	Sitemaps []Fetch        // the last good fetch of each sitemap by each engine, in the order of the sitemaps
	Fetches  []Fetch        // the last ones, the newest first
	Days     []Day          // in their order; days without a fetch are left out
}

// EngineReport sums up what an engine fetched of a site.
type EngineReport struct {
	Engine                        Engine
	Verified, Unverified, Spoofed Stats
}

// Fetches counts those that may be the engine's own.
func (r *EngineReport) Fetches() int64 { return r.Verified.Fetches + r.Unverified.Fetches }

// Failed counts those of Fetches that were answered with 4xx or 5xx.
func (r *EngineReport) Failed() int64 { return r.Verified.Failed + r.Unverified.Failed }

// NotModified is the share of Fetches that was answered with 304; 0 without one.
func (r *EngineReport) NotModified() float64 {
	if r.Fetches() == 0 {
		return 0
	}
	return float64(r.Verified.NotModified+r.Unverified.NotModified) / float64(r.Fetches())
}

// Last is the time of the last of Fetches, zero without one.
func (r *EngineReport) Last() time.Time {
	if r.Verified.Last.After(r.Unverified.Last) {
		return r.Verified.Last
	}
	return r.Unverified.Last
}

// Day counts the fetches of a day, UTC, without spoofed ones.
type Day struct {
	Date    time.Time
	Fetches map[Engine]int
}

// Report returns what the log says now.
func (s *SiteLog) Report() LogSummary {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := LogSummary{Visitors: s.visitors.Load(), Engines: s.engines(), Fetches: slices.Clone(s.fetches)}
	slices.SortStableFunc(r.Fetches, func(a, b Fetch) int { return b.At.Compare(a.At) })
	for _, f := range s.last {
		r.Sitemaps = append(r.Sitemaps, f)
	}
	slices.SortFunc(r.Sitemaps, func(a, b Fetch) int {
		return cmp.Or(cmp.Compare(a.Blog, b.Blog), cmp.Compare(a.Sitemap, b.Sitemap), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Engine, b.Engine))
	})
	for _, day := range slices.Sorted(maps.Keys(s.days)) {
		d := Day{Date: time.Unix(day*24*60*60, 0).UTC(), Fetches: map[Engine]int{}}
		for e, n := range s.days[day] {
			if n > 0 {
				d.Fetches[Engine(e)] = n
			}
		}
		r.Days = append(r.Days, d)
	}
	return r
}

// Engines returns what every engine fetched, which costs less than a Report.
func (s *SiteLog) Engines() []EngineReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engines()
}

func (s *SiteLog) engines() []EngineReport {
	all := make([]EngineReport, 0, len(s.stats))
	for e, stats := range s.stats {
		all = append(all, EngineReport{e, stats[Verified], stats[Unverified], stats[Spoofed]})
	}
	slices.SortFunc(all, func(a, b EngineReport) int {
		return cmp.Or(cmp.Compare(b.Fetches(), a.Fetches()), cmp.Compare(a.Engine, b.Engine))
	})
	return all
}

// Save returns what is to be kept, and false where nothing has changed since it was last
// asked. Of addresses it holds those that are an engine's for certain.
func (s *SiteLog) Save() (LogSummary, bool) {
	s.mu.Lock()
	changed := s.changed
	s.changed = false
	s.mu.Unlock()
	if !changed {
		return LogSummary{}, false
	}
	r := s.Report()
	for _, list := range [][]Fetch{r.Fetches, r.Sitemaps} {
		for i := range list {
			if list[i].Verdict != Verified {
				list[i].Address = netip.Addr{}
			}
		}
	}
	return r, true
}

// Unsaved takes back that a record was saved.
func (s *SiteLog) Unsaved() {
	s.mu.Lock()
	s.changed = true
	s.mu.Unlock()
}

// Restore begins the log of a site with what was kept of it, within the bounds of the log. It
// does nothing where the log has begun already.
func (s *SiteLog) Restore(r LogSummary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.stats) > 0 {
		return
	}
	for _, e := range r.Engines {
		if e.Engine != None && s.stats[e.Engine] == nil {
			s.stats[e.Engine] = &[verdicts]Stats{Verified: e.Verified, Unverified: e.Unverified, Spoofed: e.Spoofed}
		}
	}
	for _, f := range r.Sitemaps[:min(len(r.Sitemaps), keptLast)] {
		s.last[lastKey{f.Blog, f.Sitemap, f.Page, f.Engine}] = f
	}
	s.fetches = slices.Clone(r.Fetches[:min(len(r.Fetches), keptFetches)])
	slices.Reverse(s.fetches)
	s.next = len(s.fetches) % keptFetches
	for _, d := range r.Days[max(0, len(r.Days)-keptDays):] {
		counts := new([engines]int)
		for e, n := range d.Fetches {
			counts[e] += n
		}
		s.days[d.Date.Unix()/(24*60*60)] = counts
	}
}
