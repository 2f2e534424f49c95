package server

import (
	"cmp"
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"wpsitemapd/server/config"
)

// The daemon is meant to use at most memoryBase, memoryPerEntry bytes for each address in memory, and the limit of cached pages.
// The bound of the garbage collector is this sum without memoryOutside, or more if the data in use needs more, see memoryBound.
// Near the bound, the collector works harder instead of letting the heap grow to twice what is in use.
const (
	memoryBase     = 64 << 20
	memoryPerEntry = 64
	memoryEvery    = 5 * time.Second // how often the bound is set again
	memoryMoving   = time.Second     // the same while the memory in use changes much, as it does at the start
	memoryOutside  = 24 << 20        // the part of the base that the garbage collector does not see: the program itself
)

// watchMemory sets the memory bound again and again until ctx ends, because the sites grow and shrink.
func (s *Server) watchMemory(ctx context.Context) {
	boundMemory(ctx, func(live int64) int64 { return memoryBound(s.entries(), s.pages.Limit(), live) })
}

// BoundMemory sets the soft limit of the garbage collector to this number of bytes until ctx ends. While the program needs more, the
// limit is higher, because the collector would run all the time below what is needed. BoundMemory blocks until ctx ends. If the
// operator has set GOMEMLIMIT, it returns at once.
func BoundMemory(ctx context.Context, bytes int64) {
	boundMemory(ctx, func(live int64) int64 { return max(bytes-memoryOutside, roomFor(live)) })
}

func boundMemory(ctx context.Context, of func(live int64) int64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	var set int64
	for {
		bound, wait := of(inUse()), memoryEvery
		if max(bound-set, set-bound) > set/32 {
			wait = memoryMoving
		}
		if bound != set {
			set = bound
			debug.SetMemoryLimit(bound)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// inUse returns how many bytes of the memory that the garbage collector counts are in use. These are live objects, and
// memory outside of the heap. That is mostly stacks, which can be as large as the heap if there are thousands of sites.
func inUse() int64 {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	bytes := samples[0].Value.Uint64() + samples[1].Value.Uint64()
	for _, heap := range samples[2:] {
		bytes -= heap.Value.Uint64()
	}
	return int64(bytes)
}

// memoryBound returns the bound for the garbage collector. entries is the number of addresses, cache the limit of cached pages,
// and live the bytes in use. live counts, because hundreds of sites need more memory than the number of their addresses
// suggests.
func memoryBound(entries int, cache, live int64) int64 {
	return max(memoryBase-memoryOutside+memoryPerEntry*int64(entries)+cache, roomFor(live))
}

// roomFor returns the least bound for a number of bytes in use. With less, the garbage collector would run all the time.
func roomFor(live int64) int64 { return live + live/8 + memoryOutside }

// cacheBytes returns how many bytes cached pages may take. If the configuration has no number, it returns the default.
func cacheBytes(c *config.Config) int64 {
	return int64(cmp.Or(c.CacheSize, config.Default().CacheSize))
}

// entries returns the number of addresses of all blogs in memory.
func (s *Server) entries() int {
	n := 0
	for _, w := range s.running() {
		for _, b := range w.Snapshot().Blogs {
			if !b.Resident() {
				continue
			}
			for _, f := range b.Outline.Files {
				n += f.Entries
			}
		}
	}
	return n
}
