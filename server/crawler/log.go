package crawler

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/server/store"
)

// Bounds of what is kept of a site.
const (
	keptFetches = 200
	keptLast    = 4000 // sitemaps, by engine
	keptDays    = 60
)

const (
	saveEvery = time.Minute
	noteName  = "crawlers"
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

// Log verifies and keeps the fetches of all sites. It is safe for concurrent use.
type Log struct {
	verifier *verifier
	hidden   atomic.Int64 // fetches that could not be verified since they came from no public address
	verify   atomic.Bool
}

// New returns an empty log. resolver and now may be nil: that of the system, time.Now.
func New(resolver Resolver, now func() time.Time) *Log {
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true} // heeds the context, and costs no thread
	}
	if now == nil {
		now = time.Now
	}
	return &Log{verifier: newVerifier(resolver, now)}
}

// SetVerify says whether crawlers are verified; at first they are not.
func (l *Log) SetVerify(on bool) { l.verify.Store(on) }

// Site returns an empty log of a site.
func (l *Log) Site(name string) *SiteLog { return &SiteLog{log: l, name: name} }

// Keep keeps the logs of the sites that there are in a store, which may be nil, until ctx ends.
func (l *Log) Keep(ctx context.Context, sites func() []*SiteLog, kept *store.Store, log *slog.Logger) {
	beat := time.NewTicker(saveEvery)
	defer beat.Stop()
	for told := false; ctx.Err() == nil; save(sites(), kept) {
		select {
		case <-beat.C:
		case <-ctx.Done():
			l.verifier.end()
		}
		if n := l.hidden.Load(); n > 0 && !told {
			told = true
			log.Info("crawlers come from no public address and cannot be verified", "fetches", n,
				"hint", "let the front server send X-Forwarded-For, and list it in trusted_proxies; or set verify_crawlers = false")
		}
	}
}

func save(sites []*SiteLog, kept *store.Store) {
	for _, s := range sites {
		if kept != nil && s.changed.Swap(false) && !kept.SaveNote(s.note(), s.record()) {
			s.changed.Store(true)
		}
	}
}

// SiteLog is the log of one site. It is safe for concurrent use.
type SiteLog struct {
	log      *Log
	name     string
	visitors atomic.Int64
	changed  atomic.Bool // since it was saved

	mu   sync.Mutex
	kept LogSummary // its Fetches with the last one that came first, its Engines as they came
}

// Stats sums up fetches.
type Stats struct {
	Fetches     int64
	NotModified int64 // of these, answered with 304
	Failed      int64 // of these, answered with 4xx or 5xx
	Last        time.Time
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

// Day counts the fetches of a day, UTC, without spoofed ones.
type Day struct {
	Date time.Time
	N    int
}

// Visitor counts a fetch by somebody who is no crawler.
func (s *SiteLog) Visitor() { s.visitors.Add(1) }

// Record writes a fetch, later where the DNS has to be asked about its address. It does not wait.
func (s *SiteLog) Record(f Fetch) {
	v := s.log.verifier
	switch {
	case !s.log.verify.Load() || !f.Engine.Verifiable():
	case !public(f.Address):
		s.log.hidden.Add(1)
	default:
		who := claim{f.Address, f.Engine}
		verdict, known := v.get(who)
		if !known && v.waiting.TryAcquire(1) {
			held := f
			go func() {
				defer v.waiting.Release(1)
				held.Verdict = v.ask(who)
				s.add(held)
			}()
			return
		}
		f.Verdict = verdict
	}
	s.add(f)
}

// add writes a fetch.
func (s *SiteLog) add(f Fetch) {
	if f.Engine == Other {
		f.Address = netip.Addr{} // may be somebody's script at home
	}
	f.Sitemap = strings.Clone(f.Sitemap) // and not the whole header it was a part of
	s.changed.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &s.kept
	k.Fetches = slices.Insert(k.Fetches, 0, f)[:min(len(k.Fetches)+1, keptFetches)]
	i := slices.IndexFunc(k.Engines, func(r EngineReport) bool { return r.Engine == f.Engine })
	if i < 0 {
		i, k.Engines = len(k.Engines), append(k.Engines, EngineReport{Engine: f.Engine})
	}
	k.Engines[i].Of(f.Verdict).add(f)
	if f.Verdict == Spoofed {
		return
	}
	// One that the DNS kept waiting over midnight counts for the new day.
	if day := f.At.UTC().Truncate(24 * time.Hour); len(k.Days) == 0 || day.After(k.Days[len(k.Days)-1].Date) {
		k.Days = append(k.Days[max(0, len(k.Days)+1-keptDays):], Day{Date: day})
	}
	k.Days[len(k.Days)-1].N++
	if f.Status < 400 {
		s.keepLast(f)
	}
}

// keepLast notes the last good fetch of a sitemap. Where there are too many it forgets the oldest of all.
func (s *SiteLog) keepLast(f Fetch) {
	list := s.kept.Sitemaps
	i, seen := slices.BinarySearchFunc(list, f, bySitemap)
	switch {
	case seen && !f.At.Before(list[i].At):
		list[i] = f
	case !seen:
		list = slices.Insert(list, i, f)
	}
	if len(list) > keptLast {
		oldest := slices.MinFunc(list, func(a, b Fetch) int { return a.At.Compare(b.At) })
		list = slices.DeleteFunc(list, func(f Fetch) bool { return f == oldest })
	}
	s.kept.Sitemaps = list
}

func bySitemap(a, b Fetch) int {
	return cmp.Or(cmp.Compare(a.Blog, b.Blog), cmp.Compare(a.Sitemap, b.Sitemap), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Engine, b.Engine))
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

// Of returns the fetches with a verdict.
func (r *EngineReport) Of(v Verdict) *Stats {
	return [Verdicts]*Stats{&r.Unverified, &r.Verified, &r.Spoofed}[v]
}

// Own sums up the fetches that may be the engine's own: all but the spoofed ones.
func (r *EngineReport) Own() Stats {
	s, more := r.Verified, r.Unverified
	s.Fetches, s.NotModified, s.Failed = s.Fetches+more.Fetches, s.NotModified+more.NotModified, s.Failed+more.Failed
	if more.Last.After(s.Last) {
		s.Last = more.Last
	}
	return s
}

// Saved is the share of fetches that was answered with 304; 0 without one.
func (s Stats) Saved() float64 { return float64(s.NotModified) / float64(max(1, s.Fetches)) }

// Report returns what the log says now.
func (s *SiteLog) Report() LogSummary {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := LogSummary{
		Visitors: s.visitors.Load(), Engines: s.engines(),
		Sitemaps: slices.Clone(s.kept.Sitemaps), Fetches: slices.Clone(s.kept.Fetches), Days: slices.Clone(s.kept.Days),
	}
	slices.SortStableFunc(r.Fetches, func(a, b Fetch) int { return b.At.Compare(a.At) })
	return r
}

// Engines returns what every engine fetched, which costs less than a Report.
func (s *SiteLog) Engines() []EngineReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engines()
}

func (s *SiteLog) engines() []EngineReport {
	return slices.SortedFunc(slices.Values(s.kept.Engines), func(a, b EngineReport) int {
		return cmp.Or(cmp.Compare(b.Own().Fetches, a.Own().Fetches), cmp.Compare(a.Engine, b.Engine))
	})
}

// record is what is kept in the store: of addresses those that are an engine's for certain.
func (s *SiteLog) record() LogSummary {
	r := s.Report()
	for _, list := range [][]Fetch{r.Fetches, r.Sitemaps} {
		for i := range list {
			if list[i].Verdict != Verified {
				list[i].Address = netip.Addr{}
			}
		}
	}
	return r
}

// Load begins the log of a site with what was kept of it in a store, which may be nil. It comes before the first fetch.
func (s *SiteLog) Load(kept *store.Store) {
	var record LogSummary
	if kept != nil && kept.Note(s.note(), &record) {
		s.restore(record)
	}
}

// restore does nothing where the log has begun already.
func (s *SiteLog) restore(r LogSummary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept.Engines) == 0 {
		s.kept = r
	}
}

func (s *SiteLog) note() store.Note { return store.Note{Site: s.name, Name: noteName} }
