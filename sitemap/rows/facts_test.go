package rows

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"wpsitemapd/wp"
)

// Whatever the distances of the ids are, a post is found where it is, or the place where it would be.
func TestFindPost(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, distance := range map[string]func() int64{
		"one after another":    func() int64 { return 1 },
		"with gaps":            func() int64 { return 1 + random.Int64N(9) },
		"in clusters far away": func() int64 { return 1 + max(0, random.Int64N(100)-98)*random.Int64N(1<<50) },
	} {
		for _, n := range []int{0, 1, 2, 3, 10, 1000, 5000} {
			rows := make([]PostRow, 0, n)
			asked := []int64{0, 1, math.MaxInt64}
			for id := random.Int64N(100); len(rows) < n && id > 0 && id < math.MaxInt64-1<<52; id += distance() {
				rows = append(rows, PostRow{ID: id})
				asked = append(asked, id-1, id, id+1)
			}
			for _, id := range asked {
				i, ok := FindPost(rows, id)
				want, is := slices.BinarySearchFunc(rows, id, func(r PostRow, id int64) int { return cmp.Compare(r.ID, id) })
				if i != want || ok != is {
					t.Fatalf("%s: %d of %d posts is at %d, %v; want %d, %v", name, id, n, i, ok, want, is)
				}
			}
		}
	}
	if i, ok := FindPost([]PostRow{{ID: 0}, {ID: math.MaxInt64}}, math.MaxInt64); i != 1 || !ok {
		t.Errorf("the highest id is at %d, %v", i, ok)
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
