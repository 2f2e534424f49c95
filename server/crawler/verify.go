package crawler

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
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
	maxWaiting    = 256             // addresses that wait to be looked up
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

// verifier looks addresses up, each once, in the background.
type verifier struct {
	resolver Resolver
	now      func() time.Time
	queue    chan netip.Addr
	done     chan lookup

	known map[netip.Addr]*identity // for Log.Run alone
}

// lookup is one that ended.
type lookup struct {
	addr netip.Addr
	id   *identity
}

func newVerifier(r Resolver, now func() time.Time) *verifier {
	return &verifier{resolver: r, now: now, queue: make(chan netip.Addr, maxWaiting), done: make(chan lookup), known: map[netip.Addr]*identity{}}
}

// get returns what is known of an address, nil for nothing.
func (v *verifier) get(addr netip.Addr) *identity {
	id := v.known[addr]
	if id != nil && v.now().After(id.expires) {
		delete(v.known, addr)
		return nil
	}
	return id
}

// put remembers it.
func (v *verifier) put(addr netip.Addr, id *identity) {
	if len(v.known) >= maxKnown {
		now := v.now()
		for a, old := range v.known {
			if now.After(old.expires) {
				delete(v.known, a)
			}
		}
		for a := range v.known { // any one: flooding the log with addresses gains nothing
			if len(v.known) < maxKnown {
				break
			}
			delete(v.known, a)
		}
	}
	v.known[addr] = id
}

// ask has an address looked up; false where too many wait.
func (v *verifier) ask(addr netip.Addr) bool {
	select {
	case v.queue <- addr:
		return true
	default:
		return false
	}
}

// run looks addresses up until ctx ends.
func (v *verifier) run(ctx context.Context) {
	var working sync.WaitGroup
	for range lookups {
		working.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case addr := <-v.queue:
					id := v.identify(ctx, addr)
					select {
					case v.done <- lookup{addr, id}:
					case <-ctx.Done():
						return
					}
				}
			}
		})
	}
	working.Wait()
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
