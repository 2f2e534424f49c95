package crawler

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
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

// keptFetches is how many fetches of each site are kept.
const keptFetches = 200

const (
	saveEvery = time.Minute
	noteName  = "crawlers"

	// OwnHeader is the request header with a token, see SiteLog.Token.
	OwnHeader = "Wpsitemapd-Check"
	tokenLife = 10 * time.Minute
)

// Fetch is one answer to a crawler.
type Fetch struct {
	At      time.Time
	Engine  Engine
	Verdict Verdict
	Blog    int64  // of a network; 1 on a single site, 0 if the site was not read yet
	Sitemap string // its name in the catalog; "" if the site was not read yet
	Page    int
	Status  int
	Bytes   int64      // the size of the body
	Address netip.Addr `json:",omitzero"` // only of crawlers that claim to be of a known engine; zero: unknown
}

// Log verifies and keeps the fetches of all sites. It is safe for concurrent use.
type Log struct {
	verifier *verifier
	waiting  chan waiting
	hidden   atomic.Int64 // fetches that could not be verified, because they came from no public address
	verify   atomic.Bool
}

// waiting is a fetch whose address must first be looked up in the DNS.
type waiting struct {
	fetch Fetch
	site  *SiteLog
}

// New returns an empty log. If resolver is nil, it uses the DNS of the system. If now is nil, it uses time.Now.
func New(resolver Resolver, now func() time.Time) *Log {
	if resolver == nil {
		resolver = &net.Resolver{PreferGo: true} // stops with the context, and blocks no thread
	}
	if now == nil {
		now = time.Now
	}
	return &Log{verifier: &verifier{resolver: resolver, now: now, known: map[claim]answer{}}, waiting: make(chan waiting, maxWaiting)}
}

// SetVerify switches the verification of crawlers on or off. A new log verifies none.
func (l *Log) SetVerify(on bool) { l.verify.Store(on) }

// Site returns an empty log for a site.
func (l *Log) Site(name string) *SiteLog { return &SiteLog{log: l, name: name} }

// Keep verifies the fetches that wait, one after the other, and saves the logs of the sites in kept every minute. kept may be
// nil. It returns when ctx ends; fetches that wait then stay unverified.
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
				"hint", "let the front server send X-Forwarded-For, and list its address in trusted_proxies. Or set verify_crawlers = false")
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
	changed atomic.Bool // the log has changed since it was last saved

	mu      sync.Mutex
	kept    LogSummary // Fetches begins with the fetch recorded last; Engines are in the order of their first fetches
	token   string     // "": none was asked for
	expires time.Time
}

// Token returns a token for the requests of check --public, which sends the user agents of crawlers. It is valid for ten
// minutes, or until the next one.
func (s *SiteLog) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token, s.expires = rand.Text(), s.log.verifier.now().Add(tokenLife)
	return s.token
}

// Own reports whether a request with this token comes from check --public, so that the request is no fetch by a crawler.
func (s *SiteLog) Own(token string) bool {
	if token == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1 && s.log.verifier.now().Before(s.expires)
}

// Stats are sums over fetches.
type Stats struct {
	Fetches     int64
	NotModified int64 // fetches answered with 304
	Failed      int64 // fetches answered with 4xx or 5xx
	Last        time.Time
}

// LogSummary is the content of the log of a site. It is also what the store keeps.
type LogSummary struct {
	Engines []EngineReport // sorted by the number of fetches, the most first
	Fetches []Fetch        // the last fetches, the newest first
}

// EngineReport says what an engine fetched from a site.
type EngineReport struct {
	Engine                        Engine
	Verified, Unverified, Spoofed Stats
}

// Record adds a fetch. If the DNS must be asked about its address first, the fetch is added later. Record does not wait.
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

func (s *SiteLog) add(f Fetch) {
	if f.Engine == Other {
		f.Address = netip.Addr{} // may be the address of a private person
	}
	f.Sitemap = strings.Clone(f.Sitemap) // else the whole header that it is part of would stay in memory
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

// Of returns the sums of the fetches with a verdict.
func (r *EngineReport) Of(v Verdict) *Stats {
	return [Verdicts]*Stats{&r.Unverified, &r.Verified, &r.Spoofed}[v]
}

// Own returns the sums of all fetches but the spoofed ones. They may be the engine's own.
func (r *EngineReport) Own() Stats {
	s, more := r.Verified, r.Unverified
	s.Fetches, s.NotModified, s.Failed = s.Fetches+more.Fetches, s.NotModified+more.NotModified, s.Failed+more.Failed
	if more.Last.After(s.Last) {
		s.Last = more.Last
	}
	return s
}

// Saved is the share of fetches that were answered with 304, from 0 to 1. It is 0 if there were no fetches.
func (s Stats) Saved() float64 { return float64(s.NotModified) / float64(max(1, s.Fetches)) }

func (s *SiteLog) Report() LogSummary {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := LogSummary{Engines: s.engines(), Fetches: slices.Clone(s.kept.Fetches)}
	slices.SortStableFunc(r.Fetches, func(a, b Fetch) int { return b.At.Compare(a.At) })
	return r
}

// Engines returns what each engine fetched. It costs less than Report.
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

// record returns what the store keeps: the log without the addresses of unverified crawlers.
func (s *SiteLog) record() LogSummary {
	r := s.Report()
	for i := range r.Fetches {
		if r.Fetches[i].Verdict != Verified {
			r.Fetches[i].Address = netip.Addr{}
		}
	}
	return r
}

// Load takes over what the store kept of the site's log. Call it before the first fetch. kept may be nil.
func (s *SiteLog) Load(kept *store.Store) {
	var record LogSummary
	if kept != nil && kept.Note(s.note(), &record) {
		s.restore(record)
	}
}

// restore sets the content of the log. If the log has entries already, it does nothing.
func (s *SiteLog) restore(r LogSummary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept.Engines) == 0 {
		s.kept = r
	}
}

func (s *SiteLog) note() store.Note { return store.Note{Site: s.name, Name: noteName} }
