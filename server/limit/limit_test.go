package limit

import (
	"context"
	"testing"
	"time"
)

// A database server that does not answer leaves places to the work on others, and none of its
// work holds a place for long.
func TestSlots(t *testing.T) {
	s := NewSlots(4)
	var hanging []func()
	for range 3 {
		release, ok := s.Acquire(t.Context(), "hangs")
		if !ok {
			t.Fatal("no place")
		}
		hanging = append(hanging, release)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, ok := s.Acquire(short, "hangs"); ok {
		t.Error("one server takes every place")
	}
	good, ok := s.Acquire(t.Context(), "good")
	if !ok {
		t.Fatal("no place for another server")
	}
	start := time.Now()
	second, ok := s.Acquire(t.Context(), "good")
	if took := time.Since(start); !ok || took < patience/2 {
		t.Errorf("a place after %v, want one after %v at least", took, patience/2)
	}
	for _, release := range append(hanging, good, second) {
		release()
	}
	if !s.all.TryAcquire(4) || !s.servers["hangs"].TryAcquire(3) || !s.servers["good"].TryAcquire(3) {
		t.Error("places are still taken")
	}
}
