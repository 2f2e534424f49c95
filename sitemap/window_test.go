package sitemap

import (
	"testing"

	"wpsitemapd/wp"
)

func TestNewsChanges(t *testing.T) {
	const never = 1<<63 - 1
	published, modified := windowAfter(0), windowAfter(1000)
	later := windowAfter(newsWindow + 1)
	for _, tt := range []struct {
		name       string
		spans      [2]span
		now        int64
		is         bool
		next       int64
		plainWords string
	}{
		{"no date at all", [2]span{windowAfter(wp.NoTime)}, 0, false, never, ""},
		{"before it is published", [2]span{published}, -1, false, 0, ""},
		{"with the second it is published", [2]span{published}, 0, true, newsWindow + 1, ""},
		{"the last second", [2]span{published}, newsWindow, true, newsWindow + 1, ""},
		{"the first one after it", [2]span{published}, newsWindow + 1, false, never, ""},
		{"a change in time keeps it", [2]span{published, modified}, newsWindow, true, newsWindow + 1001, ""},
		{"windows that touch are one", [2]span{published, later}, 0, true, 2*newsWindow + 2, ""},
		{"whichever comes first", [2]span{later, published}, 0, true, 2*newsWindow + 2, ""},
	} {
		a := article{spans: tt.spans}
		if got := a.isNews(tt.now); got != tt.is {
			t.Errorf("%s: is news: %t", tt.name, got)
		}
		if got := a.changes(tt.now); got != tt.next {
			t.Errorf("%s: changes at %d, want %d", tt.name, got, tt.next)
		}
	}
}
