package crawler

import (
	"bytes"
	gocmp "cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// fakeDNS answers as its maps say; a name of "timeout" does not answer.
type fakeDNS struct {
	names map[string][]string // by address
	addrs map[string][]string // by name

	mu    sync.Mutex
	asked map[string]int // addresses
	block chan struct{}  // not nil: nothing is answered until it is closed
}

func (d *fakeDNS) LookupAddr(ctx context.Context, addr string) ([]string, error) {
	d.mu.Lock()
	if d.asked == nil {
		d.asked = map[string]int{}
	}
	d.asked[addr]++
	block := d.block
	d.mu.Unlock()
	if block != nil {
		select {
		case <-block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	names, ok := d.names[addr]
	switch {
	case !ok:
		return nil, &net.DNSError{Err: "no such host", Name: addr, IsNotFound: true}
	case names[0] == "timeout":
		return nil, &net.DNSError{Err: "i/o timeout", Name: addr, IsTimeout: true}
	}
	return names, nil
}

func (d *fakeDNS) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	addrs, ok := d.addrs[host]
	switch {
	case !ok:
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case addrs[0] == "timeout":
		return nil, errors.New("i/o timeout")
	}
	var all []netip.Addr
	for _, a := range addrs {
		all = append(all, netip.MustParseAddr(a))
	}
	return all, nil
}

func (d *fakeDNS) times(addr string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[addr]
}

var start = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// clocked returns a log that verifies crawlers, and a function that advances the log's clock.
func clocked(t *testing.T, dns Resolver) (l *Log, pass func(time.Duration)) {
	var passed atomic.Int64
	l = New(dns, func() time.Time { return start.Add(time.Duration(passed.Load())) })
	l.SetVerify(true)
	go l.Keep(t.Context(), func() []*SiteLog { return nil }, nil, slog.New(slog.DiscardHandler))
	return l, func(d time.Duration) { passed.Add(int64(d)) }
}

// until waits until the log has n fetches of an engine, and returns its report on the engine.
func until(t *testing.T, s *SiteLog, e Engine, n int64) (found EngineReport) {
	t.Helper()
	wptest.Eventually(t, fmt.Sprintf("%d fetches by %v", n, e), func() bool {
		for _, r := range s.Engines() {
			if r.Engine == e && r.Own().Fetches+r.Spoofed.Fetches >= n {
				found = r
				return true
			}
		}
		return false
	}, func() any { return s.Engines() })
	return found
}

func fetch(e Engine, addr string) Fetch {
	f := Fetch{At: start, Engine: e, Blog: 1, Sitemap: "post", Page: 1, Status: 200, Bytes: 1000}
	if addr != "" {
		f.Address = netip.MustParseAddr(addr)
	}
	return f
}

func TestVerdicts(t *testing.T) {
	dns := &fakeDNS{
		names: map[string][]string{
			"66.249.66.1":       {"crawl-66-249-66-1.googlebot.com."},
			"66.249.90.77":      {"Rate-Limited-Proxy-66-249-90-77.Google.COM."},
			"2001:4860:4801::1": {"crawl-2001.googlebot.com."},
			"203.0.114.1":       {"host-1.provider.test."},
			"203.0.114.2":       {"crawl-66-249-66-1.googlebot.com."},
			"203.0.114.3":       {"crawl-lost.googlebot.com."},
			"203.0.114.4":       {"timeout"},
			"203.0.114.5":       {"crawl-slow.googlebot.com."},
			"203.0.114.6":       {"www.customer.test.", "msnbot-6.search.msn.com."},
			"203.0.114.7":       {"crawl.googlebot.com.evil.test."},
		},
		addrs: map[string][]string{
			"crawl-66-249-66-1.googlebot.com":            {"66.249.66.1"},
			"rate-limited-proxy-66-249-90-77.google.com": {"::ffff:66.249.90.77"},
			"crawl-2001.googlebot.com":                   {"2001:4860:4801::1"},
			"crawl-slow.googlebot.com":                   {"timeout"},
			"msnbot-6.search.msn.com":                    {"192.0.2.1", "203.0.114.6"},
			"crawl.googlebot.com.evil.test":              {"203.0.114.7"},
		},
	}
	for _, tt := range []struct {
		name   string
		engine Engine
		addr   string
		want   Verdict
		asked  int
	}{
		{"a name that leads back", google, "66.249.66.1", Verified, 1},
		{"letter case and mapped addresses do not matter", google, "66.249.90.77", Verified, 1},
		{"IPv6", google, "2001:4860:4801::1", Verified, 1},
		{"a name of somebody else", google, "203.0.114.1", Spoofed, 1},
		{"a borrowed name, which leads elsewhere", google, "203.0.114.2", Spoofed, 1},
		{"a name that leads nowhere", google, "203.0.114.3", Spoofed, 1},
		{"no name", google, "203.0.114.9", Spoofed, 1},
		{"the name only begins like the engine's", google, "203.0.114.7", Spoofed, 1},
		{"no answer for the address", google, "203.0.114.4", Unverified, 1},
		{"no answer for the name", google, "203.0.114.5", Unverified, 1},
		{"one of several names and addresses", bing, "203.0.114.6", Verified, 1},
		{"another engine's name", yandex, "203.0.114.6", Spoofed, 1},
		{"an engine without a rule", duckDuckGo, "203.0.114.1", Unverified, 0},
		{"a robot nobody knows", Other, "203.0.114.1", Unverified, 0},
		{"an address at home", google, "192.168.1.7", Unverified, 0},
		{"this machine", google, "127.0.0.1", Unverified, 0},
		{"no address", google, "", Unverified, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := dns.times(tt.addr)
			l, _ := clocked(t, dns)
			s := l.Site("a")
			s.Record(fetch(tt.engine, tt.addr))
			until(t, s, tt.engine, 1)
			s.Record(fetch(tt.engine, tt.addr))
			r := until(t, s, tt.engine, 2)
			got := map[Verdict]int64{Verified: r.Verified.Fetches, Unverified: r.Unverified.Fetches, Spoofed: r.Spoofed.Fetches}
			expect.Equal(t, got[tt.want], 2, "verdicts are", got)
			if hidden := tt.engine.Verifiable() && !public(netip.MustParseAddr(gocmp.Or(tt.addr, "127.0.0.1"))); (l.hidden.Load() == 2) != hidden {
				t.Errorf("%d fetches are hidden", l.hidden.Load())
			}
			expect.Equal(t, dns.times(tt.addr)-before, tt.asked, "the DNS was asked", "times for two fetches")
			for _, f := range s.Report().Fetches {
				expect.Equal(t, f.Verdict, tt.want, "written", f)
				expect.Equal(t, f.Address.IsValid(), tt.addr != "" && tt.engine != Other, "written", f)
			}
		})
	}
}

// Only the last token counts, and only for a while.
func TestToken(t *testing.T) {
	l, pass := clocked(t, &fakeDNS{})
	s, other := l.Site("a"), l.Site("b")
	expect.Equal(t, s.Own(""), false, "nobody has asked for a token")
	first := s.Token()
	token := s.Token()
	for given, want := range map[string]bool{token: true, first: false, "": false, token[1:]: false, other.Token(): false} {
		expect.Equal(t, s.Own(given), want, given)
	}
	pass(tokenLife)
	expect.Equal(t, s.Own(token), false, "after a while")
}

func TestNotVerifiedWhereSwitchedOff(t *testing.T) {
	dns := &fakeDNS{}
	l, _ := clocked(t, dns)
	l.SetVerify(false)
	s := l.Site("a")
	s.Record(fetch(google, "66.249.66.1"))
	expect.Equal(t, until(t, s, google, 1).Unverified.Fetches, 1)
	expect.Equal(t, dns.times("66.249.66.1"), 0)
}

// The DNS is asked again after a while, and soonest if it did not answer.
func TestLifetimes(t *testing.T) {
	dns := &fakeDNS{
		names: map[string][]string{"66.249.66.1": {"crawl-66-249-66-1.googlebot.com."}, "203.0.114.4": {"timeout"}},
		addrs: map[string][]string{"crawl-66-249-66-1.googlebot.com": {"66.249.66.1"}},
	}
	for addr, verdict := range map[string]Verdict{"66.249.66.1": Verified, "203.0.114.9": Spoofed, "203.0.114.4": Unverified} {
		l, pass := clocked(t, dns)
		s := l.Site("a")
		for n, step := range []struct {
			pass time.Duration
			want int
		}{{0, 1}, {lifetimes[verdict], 1}, {time.Second, 2}} {
			pass(step.pass)
			s.Record(fetch(google, addr))
			until(t, s, google, int64(n+1))
			expect.Equal(t, dns.times(addr), step.want, verdict, "after another", step.pass, "it was asked", "times")
		}
	}
}

// While the DNS hangs, only the fetches that need it wait, and not too many of them. The end of the log does not wait for the
// DNS, either.
func TestDNSThatHangs(t *testing.T) {
	for _, answers := range []bool{true, false} {
		dns := &fakeDNS{block: make(chan struct{})}
		l := New(dns, nil)
		l.SetVerify(true)
		s := l.Site("a")
		const n = maxWaiting + 50
		for i := range n {
			s.Record(fetch(google, fmt.Sprintf("203.0.%d.%d", 113+i/250, i%250)))
		}
		if r := s.Engines()[0]; r.Unverified.Fetches != n-maxWaiting || r.Spoofed.Fetches > 0 {
			t.Errorf("%+v", r)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go l.Keep(ctx, func() []*SiteLog { return nil }, nil, slog.New(slog.DiscardHandler))
		want := EngineReport{Engine: google, Unverified: Stats{Fetches: n, Last: start}}
		if answers {
			close(dns.block)
			want.Unverified.Fetches, want.Spoofed = n-maxWaiting, Stats{Fetches: maxWaiting, Last: start}
		} else {
			cancel()
		}
		expect.Equal(t, until(t, s, google, n), want)
		cancel()
	}
}

func TestBounds(t *testing.T) {
	s := New(&fakeDNS{}, nil).Site("a")
	for i := range keptFetches + 100 {
		f := fetch(google, "")
		f.Page = i + 1
		s.add(f)
	}
	r := s.Report()
	if len(r.Fetches) != keptFetches || r.Fetches[0].Page != keptFetches+100 || r.Fetches[keptFetches-1].Page != 101 {
		t.Errorf("%d fetches are kept: %d to %d", len(r.Fetches), r.Fetches[0].Page, r.Fetches[len(r.Fetches)-1].Page)
	}
	v := New(&fakeDNS{}, nil).verifier
	for i := range maxKnown + 100 {
		v.put(claim{addr: netip.AddrFrom4([4]byte{1, 2, byte(i >> 8), byte(i)})}, answer{expires: time.Now().Add(time.Hour)})
	}
	expect.Equal(t, len(v.known), maxKnown, "claims are remembered")
}

func TestReport(t *testing.T) {
	s := New(&fakeDNS{}, nil).Site("a")
	add := func(e Engine, v Verdict, minutes int, page, status int) {
		s.add(Fetch{
			At: start.Add(time.Duration(minutes) * time.Minute), Engine: e, Verdict: v, Blog: 1, Sitemap: "post", Page: page, Status: status, Bytes: 10,
		})
	}
	add(google, Verified, 0, 1, 200)
	add(google, Verified, 1, 1, 304)
	add(google, Unverified, 2, 2, 200)
	add(google, Spoofed, 3, 1, 200)
	add(google, Verified, 4, 1, 503)
	add(bing, Verified, 24*60, 1, 200)
	at := func(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }
	want := LogSummary{
		Engines: []EngineReport{
			{google, Stats{3, 1, 1, at(4)}, Stats{1, 0, 0, at(2)}, Stats{1, 0, 0, at(3)}},
			{Engine: bing, Verified: Stats{1, 0, 0, at(24 * 60)}},
		},
	}
	got := s.Report()
	if len(got.Fetches) != 6 || got.Fetches[0].Engine != bing || !got.Fetches[5].At.Equal(start) {
		t.Errorf("fetches: %+v", got.Fetches)
	}
	got.Fetches = nil
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Error(diff)
	}
	if own := got.Engines[0].Own(); own != (Stats{4, 1, 1, at(4)}) || own.Saved() != 0.25 {
		t.Errorf("%+v, share %v", own, own.Saved())
	}
	expect.Equal(t, (Stats{}).Saved(), 0, "a share of nothing")
}

// The stored log is loaded again, except addresses of crawlers that were not verified.
func TestSaveAndRestore(t *testing.T) {
	s, other := New(&fakeDNS{}, nil).Site("a"), New(&fakeDNS{}, nil).Site("a")
	for i := range keptFetches + 10 {
		f := fetch(google, "66.249.66.1")
		f.At, f.Verdict = start.Add(time.Duration(i)*time.Minute), Verdict(i%3)
		s.add(f)
	}
	text, err := json.Marshal(s.record())
	wptest.Must(t, err)
	var back LogSummary
	wptest.Must(t, json.Unmarshal(text, &back))
	other.restore(back)
	want, got := s.Report(), other.Report()
	for _, f := range got.Fetches {
		if f.Address.IsValid() != (f.Verdict == Verified) {
			t.Fatalf("restored: %+v", f)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Fetch{}, "Address")); diff != "" {
		t.Error(diff)
	}
	f := fetch(google, "")
	f.At = start.Add(1000 * time.Hour)
	other.add(f)
	other.restore(back)
	if r := other.Report(); len(r.Fetches) != keptFetches || r.Fetches[0].At != f.At || !r.Fetches[1].At.Equal(want.Fetches[0].At) {
		t.Errorf("the log does not go on where it ended")
	}
}

// The log of a site is saved every minute if it has changed, and when the daemon stops. A log that has no room in the store is tried again.
func TestLogOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept, stop := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a", "b")
		defer stop()
		l := New(nil, time.Now)
		s, quiet := l.Site("a"), l.Site("b")
		saved := func() string {
			next := New(nil, time.Now).Site("a")
			next.Load(kept)
			var all []string
			for _, r := range next.Engines() {
				all = append(all, fmt.Sprint(r.Engine, " ", r.Own().Fetches))
			}
			return strings.Join(all, ", ")
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.Keep(ctx, func() []*SiteLog { return []*SiteLog{s, quiet} }, kept, slog.New(slog.DiscardHandler))
		}()
		s.Record(Fetch{At: time.Now(), Engine: Recognize("Googlebot"), Status: 200})
		time.Sleep(saveEvery - time.Second)
		expect.Equal(t, saved(), "", "before a minute has passed")
		time.Sleep(2 * time.Second)
		servertest.Written(t, kept)
		expect.Equal(t, saved(), "google 1")
		s.Record(Fetch{At: time.Now(), Engine: Recognize("bingbot"), Status: 200})
		cancel()
		<-ended
		servertest.Written(t, kept)
		expect.Equal(t, saved(), "google 1, bing 1")
		var none LogSummary
		expect.Equal(t, kept.Note(quiet.note(), &none), false, "a log without a fetch is saved:")
		s.Load(kept)
		expect.Equal(t, s.Engines()[0].Own().Fetches, 1, "a log that has entries stays")
		quiet.Load(nil)
	})
}

// If crawlers come from no public address, the operator is told once what to do.
func TestHiddenCrawlersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := New(&fakeDNS{}, time.Now)
		l.SetVerify(true)
		s := l.Site("a")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.Keep(ctx, func() []*SiteLog { return nil }, nil, slog.New(slog.NewTextHandler(&log, nil)))
		}()
		time.Sleep(saveEvery + time.Second)
		synctest.Wait()
		expect.Equal(t, strings.Count(log.String(), "no public address"), 0)
		s.Record(Fetch{At: time.Now(), Engine: Recognize("Googlebot"), Status: 200, Address: netip.MustParseAddr("127.0.0.1")})
		time.Sleep(3 * saveEvery)
		cancel()
		<-ended
		expect.Equal(t, strings.Count(log.String(), "no public address"), 1, log.String())
	})
}

// The sums of an engine: an error counts as failed, 304 as not modified, and the latest fetch counts even if it is recorded first.
func TestSums(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	var s Stats
	for i, status := range []int{200, 304, 399, 400, 404, 503} {
		s.add(Fetch{Status: status, At: noon.Add(-time.Duration(i) * time.Minute)})
	}
	expect.Equal(t, s, Stats{Fetches: 6, NotModified: 1, Failed: 3, Last: noon})
	expect.Equal(t, s.Saved(), 1.0/6)
	expect.Equal(t, Stats{}.Saved(), 0)
	r := EngineReport{
		Verified: Stats{10, 5, 2, noon}, Unverified: Stats{20, 6, 3, noon.Add(time.Hour)}, Spoofed: Stats{100, 100, 100, noon.Add(2 * time.Hour)},
	}
	expect.Equal(t, r.Own(), Stats{30, 11, 5, noon.Add(time.Hour)})
	r.Unverified.Last = noon.Add(-time.Hour)
	expect.Equal(t, r.Own().Last, noon)
}

// The newest fetch is the first of the report, also if it was verified first.
func TestOrderOfReport(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	s := New(nil, nil).Site("a")
	for _, minute := range []int{1, 3, 2} {
		s.add(Fetch{At: noon.Add(time.Duration(minute) * time.Minute), Engine: Recognize("Googlebot"), Status: 200})
	}
	var minutes []int
	for _, f := range s.Report().Fetches {
		minutes = append(minutes, f.At.Minute())
	}
	expect.List(t, minutes, []int{3, 2, 1})
}

// The name of a crawler begins a word of its User-Agent.
func TestHasWord(t *testing.T) {
	for text, want := range map[string]bool{
		"bot": true, "x bot": true, "(bot/2.0": true, "mybot": false, "zbot": false, "abot bot": true, "9bot": false, "0bot": false, "@bot": true, "[bot": true, "/bot": true,
		":bot": true, "`bot": true, "{bot": true, "robots": false, "bots": true, "": false, "5bot 1bot": false,
	} {
		expect.Equal(t, hasWord(text, "bot"), want, text)
	}
	expect.Equal(t, Recognize("Googlebot").owns("crawl-1.googlebot.com"), true)
	expect.Equal(t, Recognize("Googlebot").owns(".googlebot.com"), false, "a name with nothing before the domain")
}
