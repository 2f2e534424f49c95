package rows

import (
	"testing"

	"wpsitemapd/wp"
)

func TestNewsChanges(t *testing.T) {
	const never = 1<<63 - 1
	published, modified := WindowAfter(0), WindowAfter(1000)
	later := WindowAfter(NewsWindow + 1)
	for _, tt := range []struct {
		name  string
		spans [2]Span
		now   int64
		is    bool
		next  int64
	}{
		{"no date at all", [2]Span{WindowAfter(wp.NoTime)}, 0, false, never},
		{"before it is published", [2]Span{published}, -1, false, 0},
		{"with the second it is published", [2]Span{published}, 0, true, NewsWindow + 1},
		{"the last second", [2]Span{published}, NewsWindow, true, NewsWindow + 1},
		{"the first one after it", [2]Span{published}, NewsWindow + 1, false, never},
		{"a change in time keeps it", [2]Span{published, modified}, NewsWindow, true, NewsWindow + 1001},
		{"windows that touch are one", [2]Span{published, later}, 0, true, 2*NewsWindow + 2},
		{"whichever comes first", [2]Span{later, published}, 0, true, 2*NewsWindow + 2},
	} {
		a := Article{Spans: tt.spans}
		if got := a.IsNews(tt.now); got != tt.is {
			t.Errorf("%s: is news: %t", tt.name, got)
		}
		if got := a.Changes(tt.now); got != tt.next {
			t.Errorf("%s: changes at %d, want %d", tt.name, got, tt.next)
		}
	}
}
