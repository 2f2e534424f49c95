package changes

import (
	"testing"
	"time"

	"wpsitemapd/wp/wptest/expect"
)

// However many accounts there are, a server is asked only so often.
func TestTurns(t *testing.T) {
	var turns Turns
	const perSecond = 15
	var last time.Duration
	for range 10 * perSecond {
		last = turns.Take("poll a", time.Second/perSecond)
	}
	if last < 9*time.Second || last > 10*time.Second {
		t.Errorf("%d polls within %v", 10*perSecond, last)
	}
	if got := turns.Take("poll b", time.Second); got > 0 {
		t.Errorf("another server waits %v", got)
	}
	taken := 0
	for range 100 {
		if turns.Try("read c", time.Second, 9500*time.Millisecond) {
			taken++
		}
	}
	expect.Equal(t, taken, 10, "turns of a second taken beforehand, with a credit of nine and a half")
}
