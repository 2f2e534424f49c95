package pages

import (
	"errors"
	"log/slog"
	"testing"
	"time"
)

// One page is tried every now and then, and its success ends the outage.
func TestOutageIsTried(t *testing.T) {
	b := NewBreaker(slog.New(slog.DiscardHandler))
	trip := func() { b.Trip("a", errors.New("no answer")) }
	if !b.Allows("a") || b.Down("a") {
		t.Error("it begins with an outage")
	}
	trip()
	began := b.Tripped("a")
	trip()
	if b.Allows("a") || !b.Allows("b") || !b.Down("a") || b.Down("b") || b.Tripped("a") != began {
		t.Error("it does not block, or not only what it should")
	}
	b.servers["a"].tried = time.Now().Add(-tryEvery)
	if !b.Allows("a") || b.Allows("a") {
		t.Error("not one is tried")
	}
	for range 2 {
		if b.Reset("a"); b.Down("a") || !b.Allows("a") {
			t.Error("it does not end")
		}
	}
}
