package crawler

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
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
	Verdicts // how many there are
)

var verdictNames = [Verdicts]string{"unverified", "verified", "spoofed"}

// String is "verified", "unverified" or "spoofed".
func (v Verdict) String() string { return verdictNames[v] }

// MarshalText and UnmarshalText write a verdict as its String.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

func (v *Verdict) UnmarshalText(text []byte) error {
	*v = Verdict(max(0, slices.Index(verdictNames[:], string(text))))
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
	maxWaiting    = 1024            // fetches that wait for the answer
	maxKnown      = 4096            // claims remembered
	maxNames      = 8               // of an address, that are checked
)

// lifetimes say how long a verdict is remembered: Unverified means that the DNS did not answer.
var lifetimes = [Verdicts]time.Duration{Verified: 24 * time.Hour, Spoofed: time.Hour, Unverified: 5 * time.Minute}

// claim is that an address is of an engine's crawler.
type claim struct {
	addr   netip.Addr
	engine Engine
}

// answer is what the DNS says of a claim.
type answer struct {
	verdict Verdict
	expires time.Time
}

// verifier knows whose crawlers addresses are. It is safe for concurrent use.
type verifier struct {
	resolver Resolver
	now      func() time.Time

	mu    sync.Mutex
	known map[claim]answer
}

// get returns what is known of a claim.
func (v *verifier) get(c claim) (verdict Verdict, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, ok := v.known[c]
	return a.verdict, ok && !v.now().After(a.expires)
}

// ask looks a claim up, unless it is known by now.
func (v *verifier) ask(ctx context.Context, c claim) Verdict {
	verdict, known := v.get(c)
	if !known {
		verdict = v.identify(ctx, c)
		v.put(c, answer{verdict, v.now().Add(lifetimes[verdict])})
	}
	return verdict
}

// put remembers what is known of a claim.
func (v *verifier) put(c claim, a answer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for old := range v.known { // any one: flooding the log with addresses gains nothing
		if len(v.known) < maxKnown {
			break
		}
		delete(v.known, old)
	}
	v.known[c] = a
}

// identify asks for the names of an address, and for the addresses of those that are of the
// engine: everybody can give his address the name of somebody else's.
func (v *verifier) identify(ctx context.Context, c claim) Verdict {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	names, err := v.resolver.LookupAddr(ctx, c.addr.String())
	failed := err != nil && !notFound(err)
	for _, name := range names[:min(len(names), maxNames)] {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if !c.engine.owns(name) {
			continue
		}
		addrs, err := v.resolver.LookupNetIP(ctx, "ip", name)
		if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return a.Unmap() == c.addr }) {
			return Verified
		}
		failed = failed || err != nil && !notFound(err)
	}
	if failed {
		return Unverified
	}
	return Spoofed
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
