package server

import (
	"context"
	"math"
	"runtime/debug"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest/expect"
)

func TestMemoryBound(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, tt := range []struct {
		rule        string
		entries     int
		cache, live int64
		want        int64
	}{
		{"what the README promises, without the program itself", 1_000_000, 64 * mib, 100 * mib, 104*mib + 64_000_000},
		{"the base", 0, 0, 0, 40 * mib},
		{"64 bytes an address", 1 << 20, 0, 0, 104 * mib},
		{"the cached pages", 0, 32 * mib, 0, 72 * mib},
		{"less in use than the bound", 1 << 20, 32 * mib, 90 * mib, 136 * mib},
		{"more in use, and an eighth of it", 1 << 20, 32 * mib, 160 * mib, 204 * mib},
	} {
		expect.Equal(t, memoryBound(tt.entries, tt.cache, tt.live), tt.want, tt.rule)
	}
}

func TestCacheBytes(t *testing.T) {
	t.Parallel()
	expect.Equal(t, cacheBytes(&config.Config{CacheSize: 5}), 5)
	expect.Equal(t, cacheBytes(&config.Config{}), int64(config.Default().CacheSize))
}

func TestGarbageCollectorIsBound(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	ended, end := context.WithCancel(t.Context())
	end()

	t.Setenv("GOMEMLIMIT", "1GiB")
	debug.SetMemoryLimit(math.MaxInt64)
	BoundMemory(ended, 4<<30)
	expect.Equal(t, debug.SetMemoryLimit(-1), math.MaxInt64, "the operator's limit stays")

	t.Setenv("GOMEMLIMIT", "")
	BoundMemory(ended, 4<<30)
	expect.Equal(t, debug.SetMemoryLimit(-1), int64(4<<30-memoryOutside))
	BoundMemory(ended, 1)
	if bound, live := debug.SetMemoryLimit(-1), inUse(); bound <= memoryOutside || bound > roomFor(64*live) {
		t.Errorf("%d bytes for %d in use", bound, live)
	}
}
