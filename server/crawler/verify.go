package crawler

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// Verdict says who really sent a request.
type Verdict uint8

const (
	// Unverified is a crawler that could not be verified: its engine publishes no rule, the DNS did not answer, the
	// address is not a public one, or it was not looked up.
	Unverified Verdict = iota
	// Verified is a crawler whose address has a name of its engine that leads back to it.
	Verified
	// Spoofed is somebody else, by the answer of the DNS.
	Spoofed
	verdicts // how many there are
)

var verdictNames = [verdicts]string{"unverified", "verified", "spoofed"}

// String is "verified", "unverified" or "spoofed".
func (v Verdict) String() string {
	if v < verdicts {
		return verdictNames[v]
	}
	return verdictNames[Unverified]
}

// MarshalText and UnmarshalText write a verdict as its String.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

func (v *Verdict) UnmarshalText(text []byte) error {
	*v = Unverified
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
		}
	}
	return nil
}

// Resolver asks the DNS. *net.Resolver is one.
type Resolver interface {
	LookupAddr(ctx context.Context, addr string) (names []string, err error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Bounds of verification.
const (
	lookupTimeout = 5 * time.Second // of both questions together
	lookups       = 2               // at a time
	maxWaiting    = 1024            // fetches that wait for the answer
	maxKnown      = 4096            // addresses remembered
	goodFor       = 24 * time.Hour  // a name that was confirmed
	badFor        = time.Hour       // the lack of one
	failedFor     = 5 * time.Minute // no answer
	maxNames      = 8               // of an address, that are checked
)

// identity is what the DNS says of an address.
type identity struct {
	names   []string // of engines, that lead back to the address
	failed  bool     // it did not say
	expires time.Time
}

// judge returns the verdict on a claim.
func (id *identity) judge(e Engine) Verdict {
	for _, name := range id.names {
		if e.owns(name) {
			return Verified
		}
	}
	if id.failed {
		return Unverified
	}
	return Spoofed
}

// verifier knows whose crawlers addresses are. It is safe for concurrent use.
type verifier struct {
	resolver Resolver
	now      func() time.Time
	asking   singleflight.Group  // by address
	lookups  *semaphore.Weighted // at a time
	waiting  *semaphore.Weighted // fetches

	mu    sync.Mutex
	known map[netip.Addr]*identity
}

func newVerifier(r Resolver, now func() time.Time) *verifier {
	return &verifier{
		resolver: r, now: now, lookups: semaphore.NewWeighted(lookups), waiting: semaphore.NewWeighted(maxWaiting), known: map[netip.Addr]*identity{},
	}
}

// get returns what is known of an address, nil where that is nothing.
func (v *verifier) get(addr netip.Addr) *identity {
	v.mu.Lock()
	defer v.mu.Unlock()
	if id := v.known[addr]; id != nil && !v.now().After(id.expires) {
		return id
	}
	return nil
}

// ask looks an address up, once for all who ask.
func (v *verifier) ask(ctx context.Context, addr netip.Addr) *identity {
	id, _, _ := v.asking.Do(addr.String(), func() (any, error) {
		if id := v.get(addr); id != nil {
			return id, nil
		}
		if v.lookups.Acquire(ctx, 1) != nil {
			return &identity{failed: true}, nil
		}
		defer v.lookups.Release(1)
		id := v.identify(ctx, addr)
		v.put(addr, id)
		return id, nil
	})
	return id.(*identity)
}

// put remembers what is known of an address.
func (v *verifier) put(addr netip.Addr, id *identity) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= maxKnown {
		now := v.now()
		maps.DeleteFunc(v.known, func(_ netip.Addr, old *identity) bool { return now.After(old.expires) })
	}
	for a := range v.known { // any one: flooding the log with addresses gains nothing
		if len(v.known) < maxKnown {
			break
		}
		delete(v.known, a)
	}
	v.known[addr] = id
}

// identify asks for the names of an address, and for the addresses of those that are of an
// engine: everybody can give his address the name of somebody else's.
func (v *verifier) identify(ctx context.Context, addr netip.Addr) *identity {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	id := &identity{}
	names, err := v.resolver.LookupAddr(ctx, addr.String())
	id.failed = err != nil && !notFound(err)
	for _, name := range names[:min(len(names), maxNames)] {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if !anyOwns(name) {
			continue
		}
		addrs, err := v.resolver.LookupNetIP(ctx, "ip", name)
		id.failed = id.failed || err != nil && !notFound(err)
		for _, a := range addrs {
			if a.Unmap() == addr {
				id.names = append(id.names, name)
				break
			}
		}
	}
	switch lifetime := v.now(); {
	case len(id.names) > 0:
		id.expires = lifetime.Add(goodFor)
	case id.failed:
		id.expires = lifetime.Add(failedFor)
	default:
		id.expires = lifetime.Add(badFor)
	}
	return id
}

// notFound reports whether the DNS has answered that there is no such name.
func notFound(err error) bool {
	answer, ok := errors.AsType[*net.DNSError](err)
	return ok && answer.IsNotFound
}

// public reports whether an address can be looked up in the DNS of all.
func public(addr netip.Addr) bool {
	return addr.IsValid() && addr.IsGlobalUnicast() && !addr.IsPrivate()
}
