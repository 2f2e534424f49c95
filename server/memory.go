package server

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// What the daemon may take: a base, so many bytes for every address of all sites, and what
// copies may hold. The collector is told, and works harder near that bound instead of letting
// the heap grow to twice what is in use.
const (
	memoryBase     = 64 << 20
	memoryPerEntry = 64
	memoryOutside  = 16 << 20 // of the base, for what the collector does not see: the program itself
)

// boundMemory sets the bound after the number of addresses has changed. An operator's GOMEMLIMIT
// stands.
func (s *Server) boundMemory(entries int) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	bound := int64(memoryBase-memoryOutside) + memoryPerEntry*int64(entries) + s.cache.size()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() == metrics.KindUint64 { // hundreds of sites need more: it must not do nothing but collect
		n := int64(live[0].Value.Uint64())
		bound = max(bound, n+n/2+32<<20)
	}
	if old := s.memory.Swap(bound); old != bound {
		debug.SetMemoryLimit(bound)
	}
}

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
