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

// What the daemon may take: a base, so many bytes for every address of all sites, and what
// copies may hold. The collector is told, and works harder near that bound instead of letting
// the heap grow to twice what is in use.
const (
	memoryBase     = 64 << 20
	memoryPerEntry = 64
	memoryEvery    = 5 * time.Second
	memoryMoving   = time.Second // while what is in use changes much, as at the start
	memoryOutside  = 24 << 20    // of the base, for what the collector does not see: the program itself
)

// watchMemory keeps the bound to what there is until ctx ends.
func (s *Server) watchMemory(ctx context.Context) {
	boundMemory(ctx, func(live int64) int64 { return memoryBound(s.entries(), s.pages.Limit(), live) })
}

// BoundMemory has the collector keep the program within so many bytes until ctx ends, or as near
// to that as what is in use allows. An operator's GOMEMLIMIT stands.
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

// inUse is how many bytes are in use of what the collector counts: objects, and beside the heap mostly stacks, of which thousands of
// sites have as much.
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

// memoryBound is what the collector is told. Hundreds of sites need more than their entries
// say.
func memoryBound(entries int, cache, live int64) int64 {
	return max(memoryBase-memoryOutside+memoryPerEntry*int64(entries)+cache, roomFor(live))
}

// roomFor is what the collector needs for the bytes in use: with too little it would do nothing
// but collect.
func roomFor(live int64) int64 { return live + live/8 + memoryOutside }

// cacheBytes is what copies may hold; a configuration made by hand may leave it open.
func cacheBytes(c *config.Config) int64 {
	return int64(cmp.Or(c.CacheSize, config.Default().CacheSize))
}

// entries counts the addresses of all sites.
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
