package config

import (
	"regexp"
	"runtime"
	"testing"
)

// A form of long texts of any signs is not compiled into what one pass needs, which takes megabytes for as long as the daemon runs.
func TestFormsTakeLittleMemory(t *testing.T) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for name, f := range forms {
		before := live()
		again := regexp.MustCompile(f.is.String())
		if after := live(); after > before+1<<20 {
			t.Errorf("%s takes %d KB", name, (after-before)>>10)
		}
		runtime.KeepAlive(again)
	}
}
