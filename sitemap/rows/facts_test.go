package rows

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

func TestFindPost(t *testing.T) {
	rows := []PostRow{{ID: 0}, {ID: 3}, {ID: math.MaxInt64}}
	for id, want := range map[int64]string{-1: "0 false", 0: "0 true", 1: "1 false", 3: "1 true", 4: "2 false", math.MaxInt64: "2 true"} {
		i, ok := FindPost(rows, id)
		if got := fmt.Sprint(i, ok); got != want {
			t.Errorf("%d is at %s, want %s", id, got, want)
		}
	}
	if i, ok := FindPost(rows[:2], 5); i != 2 || ok {
		t.Errorf("one behind all is at %d, %t", i, ok)
	}
}

func TestMonth(t *testing.T) {
	for date, want := range map[string]string{
		"2024-12-31 23:59:59": "2024 12 true", "0001-01-01 00:00:00": "1 1 true", "5000-06-01 00:00:00": "5000 6 true",
		"5001-01-01 00:00:00": "0 1 false", "0000-00-00 00:00:00": "0 1 false",
	} {
		if got := fmt.Sprint((&PostRow{month: monthOf(wp.ParseDate(date))}).Month()); got != want {
			t.Errorf("%s: %s, want %s", date, got, want)
		}
	}
}

// A date that a column can hold comes back as it was; what is further away stays the furthest.
func TestWhen(t *testing.T) {
	for _, tt := range []struct{ seconds, want int64 }{
		{wp.NoTime, wp.NoTime}, {0, 0}, {-1, -1}, {-62_167_219_200, -62_167_219_200}, {253_402_300_799, 253_402_300_799},
		{math.MaxInt64, 1<<39 - 1}, {math.MinInt64 + 1, -(1<<39 - 1)},
	} {
		if got := Pack(tt.seconds).Unix(); got != tt.want {
			t.Errorf("%d: %d, want %d", tt.seconds, got, tt.want)
		}
	}
}

// Whatever decides about a post makes another decision of it, and what does not decide makes none.
func TestDecisions(t *testing.T) {
	seen := map[uint64]string{}
	for name, r := range map[string]*Reader{
		"noindex": {Flags: map[int64]seo.Flags{7: {Noindex: true}}}, "index": {Flags: map[int64]seo.Flags{7: {Index: true}}},
		"canonical": {Flags: map[int64]seo.Flags{7: {Canonical: "https://a.test/"}}}, "priority": {Flags: map[int64]seo.Flags{7: {Priority: 1}}},
		"against": {Flags: map[int64]seo.Flags{7: {Against: seo.ExcludedPost}}}, "unwanted": {unwanted: map[int64]seo.Verdict{7: seo.TooOld}},
		"filled": {filled: map[int64]string{7: "1"}}, "links": {linksTo: map[int64]string{7: "1"}},
	} {
		got := r.decisions()
		if len(got) != 1 || got[0].id != 7 || seen[got[0].hash] != "" {
			t.Fatalf("%s: %+v, as %s", name, got, seen[got[0].hash])
		}
		seen[got[0].hash] = name
	}
	nothing := &Reader{Flags: map[int64]seo.Flags{7: {Stamp: 1}}, filled: map[int64]string{7: ""}}
	if got := nothing.decisions(); got == nil || len(got) > 0 {
		t.Errorf("nothing decides: %+v", got)
	}
	many := &Reader{unwanted: map[int64]seo.Verdict{}}
	for id := range int64(mostDecisions + 1) {
		many.unwanted[id] = seo.TooOld
	}
	if got := many.decisions(); got != nil {
		t.Errorf("%d are compared", len(got))
	}
	if got := slices.Sorted(slices.Values(apart([]int{1, 2, 4}, []int{4, 3, 2}))); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("apart are %d", got)
	}
}
