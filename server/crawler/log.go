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

// keptFetches is how many fetches of a site are kept.
const keptFetches = 200

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
	waiting  chan waiting
	hidden   atomic.Int64 // fetches that could not be verified since they came from no public address
	verify   atomic.Bool
}

// waiting is a fetch that waits for the answer of the DNS.
type waiting struct {
	fetch Fetch
	site  *SiteLog
}

// New returns an empty log. resolver and now may be nil: that of the system, time.Now.
func New(resolver Resolver, now func() time.Time) *Log {
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true} // heeds the context, and costs no thread
	}
	if now == nil {
		now = time.Now
	}
	return &Log{verifier: &verifier{resolver: resolver, now: now, known: map[claim]answer{}}, waiting: make(chan waiting, maxWaiting)}
}

// SetVerify says whether crawlers are verified; at first they are not.
func (l *Log) SetVerify(on bool) { l.verify.Store(on) }

// Site returns an empty log of a site.
func (l *Log) Site(name string) *SiteLog { return &SiteLog{log: l, name: name} }

// Keep verifies the fetches that wait for it, one after the other, and keeps the logs of the sites that there are in a store, which may
// be nil, until ctx ends. What waits then is unverified.
func (l *Log) Keep(ctx context.Context, sites func() []*SiteLog, kept *store.Store, log *slog.Logger) {
	beat := time.NewTicker(saveEvery)
	defer beat.Stop()
	for told := false; ; {
		select {
		case w := <-l.waiting:
			w.fetch.Verdict = l.verifier.ask(ctx, claim{w.fetch.Address, w.fetch.Engine})
			w.site.add(w.fetch)
			continue
		case <-ctx.Done():
			for len(l.waiting) > 0 {
				w := <-l.waiting
				w.site.add(w.fetch)
			}
			save(sites(), kept)
			return
		case <-beat.C:
		}
		if n := l.hidden.Load(); n > 0 && !told {
			told = true
			log.Info("crawlers come from no public address and cannot be verified", "fetches", n,
				"hint", "let the front server send X-Forwarded-For, and list it in trusted_proxies; or set verify_crawlers = false")
		}
		save(sites(), kept)
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
	log     *Log
	name    string
	changed atomic.Bool // since it was saved

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
	Engines []EngineReport // in the order of their fetches, the most first
	Fetches []Fetch        // the last ones, the newest first
}

// EngineReport sums up what an engine fetched of a site.
type EngineReport struct {
	Engine                        Engine
	Verified, Unverified, Spoofed Stats
}

// Record writes a fetch, later where the DNS has to be asked about its address. It does not wait.
func (s *SiteLog) Record(f Fetch) {
	switch {
	case !s.log.verify.Load() || !f.Engine.Verifiable():
	case !public(f.Address):
		s.log.hidden.Add(1)
	default:
		verdict, known := s.log.verifier.get(claim{f.Address, f.Engine})
		if !known {
			select {
			case s.log.waiting <- waiting{f, s}:
				return
			default: // too many wait
			}
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
	r := LogSummary{Engines: s.engines(), Fetches: slices.Clone(s.kept.Fetches)}
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
	for i := range r.Fetches {
		if r.Fetches[i].Verdict != Verified {
			r.Fetches[i].Address = netip.Addr{}
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
