package server

import (
	"cmp"
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// What the daemon may take: a base, so many bytes for every address of all sites, and what
// copies may hold. The collector is told, and works harder near that bound instead of letting
// the heap grow to twice what is in use.
const (
	memoryBase     = 64 << 20
	memoryPerEntry = 64
	memoryEvery    = 5 * time.Second
	memoryOutside  = 16 << 20 // of the base, for what the collector does not see: the program itself
)

// watchMemory keeps the bound to what there is until ctx ends. An operator's GOMEMLIMIT stands.
func (s *Server) watchMemory(ctx context.Context) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	var set int64
	for {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		bound := memoryBound(s.entries(), s.cache.size(), int64(live[0].Value.Uint64()))
		if bound != set {
			set = bound
			debug.SetMemoryLimit(bound)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(memoryEvery):
		}
	}
}

// memoryBound is what the collector is told. Hundreds of sites need more than their entries
// say: with too little room it would do nothing but collect.
func memoryBound(entries int, cache, live int64) int64 {
	return max(memoryBase-memoryOutside+memoryPerEntry*int64(entries)+cache, live+live/8+memoryOutside)
}

// cacheBytes is what copies may hold; a configuration made by hand may leave it open.
func (c *Config) cacheBytes() int64 { return int64(cmp.Or(c.CacheSize, defaultConfig().CacheSize)) }

// entries counts the addresses of all sites.
func (s *Server) entries() int {
	n := 0
	for _, w := range s.running() {
		for _, b := range w.state.Load().blogs {
			for _, f := range b.outline.Files {
				n += f.Entries
			}
		}
	}
	return n
}
