package pages

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/wp/wptest/expect"
)

// A database server that does not answer leaves slots to the work on others, and none of its
// work holds a slot for long.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(4, 3)
		var hanging []func()
		for range 3 {
			release, ok := s.Acquire(t.Context(), "hangs", nil)
			if !ok {
				t.Fatal("no slot")
			}
			hanging = append(hanging, release)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, ok := s.Acquire(short, "hangs", nil); ok {
			t.Error("one server takes every slot")
		}
		good, ok := s.Acquire(t.Context(), "good", nil)
		if !ok {
			t.Fatal("no slot for another server")
		}
		start := time.Now()
		second, ok := s.Acquire(t.Context(), "good", nil)
		if took := time.Since(start); !ok || took != slotTimeout-time.Second {
			t.Errorf("a slot after %v, want one when the first have had theirs for %v", took, slotTimeout)
		}
		hurry := make(chan struct{}, 1)
		time.AfterFunc(time.Second, func() { hurry <- struct{}{} })
		start = time.Now()
		hurried, ok := s.Acquire(t.Context(), "hangs", hurry)
		if took := time.Since(start); !ok || took != time.Second {
			t.Errorf("a slot for what a request waits for after %v, want it out of turn", took)
		}
		for _, release := range append(hanging, good, second, hurried) {
			release()
		}
		expect.Equal(t, len(s.all)+len(s.servers), 0, "slots are still taken", len(s.servers), "servers are kept")
	})
}
