package changes

import (
	"slices"
	"testing"
	"time"
)

// One poll that had to wait does not keep the next ones from being seen; a slow server is asked rarely.
func TestUsualPoll(t *testing.T) {
	p := &poller{}
	var usual []time.Duration
	for _, took := range []time.Duration{3, 3, 3, 900, 3, 900, 900, 700} {
		usual = append(usual, p.usual(took))
	}
	if want := []time.Duration{0, 0, 3, 3, 3, 3, 3, 700}; !slices.Equal(usual, want) {
		t.Errorf("%d, want %d", usual, want)
	}
}

// A server that was silent is asked at once when it answers; one that answers, but not in time, is asked rarely.
func TestPauseAfterFailures(t *testing.T) {
	p := &poller{}
	var pauses []time.Duration
	for _, answers := range []bool{false, false, true, true, true, false, true, true} {
		p.pause = 100
		pauses = append(pauses, p.afterFailure(answers))
	}
	if want := []time.Duration{0, 0, 0, 100, 100, 0, 0, 100}; !slices.Equal(pauses, want) {
		t.Errorf("%d, want %d", pauses, want)
	}
}

// Polls come just after a second of the server's clock has begun, once in each, whatever they take.
func TestPollsAreAligned(t *testing.T) {
	whole := time.Unix(1e9, 0)
	for _, tt := range []struct {
		name     string
		unknown  bool
		from, at time.Duration
	}{
		{"a poll that was in time", false, pollPast, pollEvery + pollPast},
		{"one that took a while", false, pollPast + 200*time.Millisecond, pollEvery + pollPast},
		{"one at any time", false, 590 * time.Millisecond, 2*pollEvery + pollPast},
		{"a clock that was read long ago", false, time.Hour + pollPast, time.Hour + pollEvery + pollPast},
		{"a clock that is not known", true, 590 * time.Millisecond, 590*time.Millisecond + pollEvery},
	} {
		p := &poller{whole: whole}
		if tt.unknown {
			p.whole = time.Time{}
		}
		if got := p.align(whole.Add(tt.from + pollEvery)); !got.Equal(whole.Add(tt.at)) {
			t.Errorf("%s: %v after that second, want %v", tt.name, got.Sub(whole), tt.at)
		}
	}
}
