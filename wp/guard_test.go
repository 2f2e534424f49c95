package wp_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db/guard"
	"wpsitemapd/wp/wptest"
)

// A server that answers as none does is an error of its site, and costs no memory.
func TestHostileServer(t *testing.T) {
	for name, attack := range wptest.Attacks {
		for _, secured := range []bool{false, true} {
			if secured && strings.Contains(name, "rows without end") { // half a gigabyte is enough once
				continue
			}
			h := &wptest.Hostile{TLS: secured, Answer: func(w *wptest.Wire, _ string) { attack(w) }}
			refused(t, name, h)
		}
	}
	for name, login := range wptest.Logins {
		for _, secured := range []bool{false, true} {
			refused(t, name, &wptest.Hostile{TLS: secured, Login: login})
		}
	}
}

// refusedByDriver are answers that the driver itself, or who reads the result, does not take.
var refusedByDriver = []string{"a result behind the result", "a login without an end", "a login that is cut"}

func refused(t *testing.T, name string, h *wptest.Hostile) {
	if h.TLS {
		name += " with TLS"
	}
	t.Run(name, func(t *testing.T) {
		h.Start(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, err := wp.Open(ctx, wp.Source{Name: "example", DSN: h.DSN()})
		if err == nil {
			n.Close()
			t.Fatal("it is opened")
		}
		if !slices.Contains(refusedByDriver, strings.TrimSuffix(name, " with TLS")) && !errors.Is(err, guard.ErrRefused) {
			t.Errorf("the error is %v, want one of the guard", err)
		}
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapSys - before.HeapSys); grown > 512<<20 {
			t.Errorf("the heap has grown by %d MB", grown>>20)
		}
	})
}
