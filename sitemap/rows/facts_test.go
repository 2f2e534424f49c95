package rows

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest/expect"
)

// A delta may change each map of its rows in place, except for those that it replaces as a whole.
func TestClone(t *testing.T) {
	rows := newRows()
	rows.decided, rows.unreachable.lost = map[int64]uint64{}, map[string][]int64{}
	rows.Recent["post"] = []Article{{ID: 1}}
	clone := rows.clone()
	old, now := reflect.ValueOf(rows), reflect.ValueOf(clone)
	maps := 0
	for i := range old.NumField() {
		name := old.Type().Field(i).Name
		if old.Field(i).Kind() != reflect.Map || name == "decided" {
			continue
		}
		maps++
		if old.Field(i).Pointer() == now.Field(i).Pointer() {
			t.Errorf("the clone shares %s", name)
		}
	}
	expect.Equal(t, maps, 7, "maps")
	clone.Recent["post"][0].ID = 2
	expect.Equal(t, rows.Recent["post"][0].ID, 1, "an article of the original")
}

func TestFindPost(t *testing.T) {
	rows := []Post{{ID: 0}, {ID: 3}, {ID: math.MaxInt64}}
	for id, want := range map[int64]string{-1: "0 false", 0: "0 true", 1: "1 false", 3: "1 true", 4: "2 false", math.MaxInt64: "2 true"} {
		i, ok := FindPost(rows, id)
		expect.Equal(t, fmt.Sprint(i, ok), want, id, "is at")
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
		expect.Equal(t, fmt.Sprint((&Post{month: monthOf(wp.ParseDate(date))}).Month()), want, date)
	}
}

// A date that a column can hold is restored unchanged. A date too far away is restored as the furthest one.
func TestWhen(t *testing.T) {
	for _, tt := range []struct{ seconds, want int64 }{
		{wp.NoTime, wp.NoTime}, {0, 0}, {-1, -1}, {-62_167_219_200, -62_167_219_200}, {253_402_300_799, 253_402_300_799},
		{math.MaxInt64, 1<<39 - 1}, {math.MinInt64 + 1, -(1<<39 - 1)},
	} {
		expect.Equal(t, Pack(tt.seconds).Unix(), tt.want, tt.seconds)
	}
}

// Everything that decides about a post changes its hash, and nothing else does.
func TestDecisions(t *testing.T) {
	seen := map[uint64]string{}
	for name, r := range map[string]*Reader{
		"noindex": {Flags: map[int64]seo.Flags{7: {Noindex: true}}}, "index": {Flags: map[int64]seo.Flags{7: {Index: true}}},
		"canonical": {Flags: map[int64]seo.Flags{7: {Canonical: "https://a.test/"}}}, "priority": {Flags: map[int64]seo.Flags{7: {Priority: 1}}},
		"against": {Flags: map[int64]seo.Flags{7: {Against: seo.ExcludedPost}}}, "excluded": {excluded: map[int64]seo.Verdict{7: seo.TooOld}},
		"filled": {filled: map[int64]string{7: "1"}}, "links": {linksTo: map[int64]string{7: "1"}},
	} {
		got := r.decisions()
		hash, has := got[7]
		if len(got) != 1 || !has || seen[hash] != "" {
			t.Fatalf("%s: %+v, as %s", name, got, seen[hash])
		}
		seen[hash] = name
	}
	nothing := &Reader{Flags: map[int64]seo.Flags{7: {Stamp: 1}}, filled: map[int64]string{7: ""}}
	if got := nothing.decisions(); got == nil || len(got) > 0 {
		t.Errorf("nothing decides: %+v", got)
	}
	many := &Reader{excluded: map[int64]seo.Verdict{}}
	for id := range int64(mostDecisions + 1) {
		many.excluded[id] = seo.TooOld
	}
	if got := many.decisions(); got != nil {
		t.Errorf("%d are compared", len(got))
	}
	expect.List(t, slices.Sorted(slices.Values(apart([]int64{1, 2, 4}, []int64{4, 3, 2}))), []int64{1, 3}, "apart are")
}

// A catalog that takes deltas hands its rows on once. One that takes none hands on only what the next catalog inherits, for
// posts that still exist.
func TestRetire(t *testing.T) {
	f := &Rows{due: noDue, Posts: map[string][]Post{"post": {{ID: 1}, {ID: 2}}}, Touched: map[int64]uint16{2: 3, 9: 1}, Changes: map[string]uint32{"post": 4}}
	for _, deltas := range []bool{true, false} {
		k := f.Keep(deltas)
		expect.Equal(t, k.Start() != nil, deltas, "deltas", "starts")
		for range 2 {
			k.Retire()
			next := newRows()
			next.Posts = f.Posts
			next.inherit(k)
			if len(next.Touched) != 1 || next.Touched[2] != 3 || next.Changes["post"] != 4 || k.sizes["post"] != 2 {
				t.Fatalf("deltas %t: %+v, %+v", deltas, k.sizes, next)
			}
		}
		if k.Start() != nil {
			t.Errorf("deltas %t: rows are there after they were given up", deltas)
		}
	}
	(*Kept)(nil).Retire()
	if (*Kept)(nil).Start() != nil {
		t.Error("nothing was kept")
	}
}

// The next scheduled post is known if there is one.
func TestNextScheduled(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	for _, tt := range []struct {
		rows *Rows
		at   int64
		ok   bool
	}{{nil, 0, false}, {&Rows{due: noDue}, 0, false}, {&Rows{due: at}, at, true}} {
		if got, ok := tt.rows.NextScheduled(); got != tt.at || ok != tt.ok {
			t.Errorf("%v: %d, %t", tt.rows, got, ok)
		}
	}
}

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
		expect.Equal(t, a.IsNews(tt.now), tt.is, tt.name, "is news")
		expect.Equal(t, a.Changes(tt.now), tt.next, tt.name, "changes at")
	}
}
