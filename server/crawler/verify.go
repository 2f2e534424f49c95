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

// Verdict says whether a request really comes from the engine that it names.
type Verdict uint8

const (
	// Unverified means that the crawler could not be verified. Either its engine publishes no rule, or the DNS did not answer,
	// or the address is not public, or nobody looked it up.
	Unverified Verdict = iota
	// Verified means that the address has a name of the engine, and that the name leads back to the address.
	Verified
	// Spoofed means that the DNS shows that the crawler does not belong to the engine.
	Spoofed
	Verdicts // the number of verdicts
)

var verdictNames = [Verdicts]string{"unverified", "verified", "spoofed"}

// String is "verified", "unverified" or "spoofed".
func (v Verdict) String() string { return verdictNames[v] }

// MarshalText writes a verdict as its String. UnmarshalText reads it; an unknown text is Unverified.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

func (v *Verdict) UnmarshalText(text []byte) error {
	*v = Verdict(max(0, slices.Index(verdictNames[:], string(text))))
	return nil
}

// Resolver looks up names and addresses in the DNS. *net.Resolver is one.
type Resolver interface {
	LookupAddr(ctx context.Context, addr string) (names []string, err error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Bounds of verification.
const (
	lookupTimeout = 5 * time.Second // for both lookups together
	maxWaiting    = 1024            // fetches that wait for an answer
	maxKnown      = 4096            // claims that are remembered
	maxNames      = 8               // names of an address that are checked
)

// lifetimes says how long each verdict is remembered. Unverified means here that the DNS did not answer.
var lifetimes = [Verdicts]time.Duration{Verified: 24 * time.Hour, Spoofed: time.Hour, Unverified: 5 * time.Minute}

// claim says that an address belongs to a crawler of an engine.
type claim struct {
	addr   netip.Addr
	engine Engine
}

// answer is the verdict on a claim, and when it expires.
type answer struct {
	verdict Verdict
	expires time.Time
}

// verifier verifies claims and remembers the answers. It is safe for concurrent use.
type verifier struct {
	resolver Resolver
	now      func() time.Time

	mu    sync.Mutex
	known map[claim]answer
}

// get returns the remembered verdict on a claim.
func (v *verifier) get(c claim) (verdict Verdict, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, ok := v.known[c]
	return a.verdict, ok && !v.now().After(a.expires)
}

// ask returns the verdict on a claim. It asks the DNS if no verdict is remembered.
func (v *verifier) ask(ctx context.Context, c claim) Verdict {
	verdict, known := v.get(c)
	if !known {
		verdict = v.identify(ctx, c)
		v.put(c, answer{verdict, v.now().Add(lifetimes[verdict])})
	}
	return verdict
}

// put remembers the answer to a claim.
func (v *verifier) put(c claim, a answer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for old := range v.known { // forgets any claim, because nobody gains anything by filling this memory
		if len(v.known) < maxKnown {
			break
		}
		delete(v.known, old)
	}
	v.known[c] = a
}

// identify looks up the names of an address. For each name that belongs to the engine, it looks up the addresses of that name. The
// second step is necessary, because anybody can give an address a name that belongs to somebody else.
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

// notFound reports whether the DNS answered that the name does not exist.
func notFound(err error) bool {
	answer, ok := errors.AsType[*net.DNSError](err)
	return ok && answer.IsNotFound
}

// public reports whether the public DNS can know an address.
func public(addr netip.Addr) bool {
	return addr.IsValid() && addr.IsGlobalUnicast() && !addr.IsPrivate()
}
