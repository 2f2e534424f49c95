package wp

import (
	"math/rand/v2"
	"testing"
	"time"

	"wpsitemapd/wp/wptest/expect"
)

func TestParseDate(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     int64
	}{
		{"zero date", "0000-00-00 00:00:00", NoTime},
		{"empty", "", NoTime},
		{"year without a day", "2024-00-00 00:00:00", NoTime},
		{"month without a day", "2024-05-00 00:00:00", NoTime},
		{"year zero", "0000-01-01 00:00:00", NoTime},
		{"first second", "0001-01-01 00:00:00", MinTime},
		{"last second", "9999-12-31 23:59:59", MaxTime},
		{"the epoch", "1970-01-01 00:00:00", 0},
		{"before the epoch", "1969-12-31 23:59:59", -1},
		{"leap day", "2024-02-29 12:00:00", 1709208000},
		{"day without a time", "2024-05-01", NoTime},
		{"thirteenth month", "2024-13-01 00:00:00", NoTime},
		{"hour 24", "2024-05-01 24:00:00", NoTime},
		{"sixtieth minute", "2024-05-01 23:60:00", NoTime},
		{"leap second", "2024-05-01 23:59:60", NoTime},
		{"fractions are cut", "1970-01-01 00:00:01.999", 1},
		{"T", "2024-05-01T00:00:00", NoTime},
		{"sign", "2024-05-+1 00:00:00", NoTime},
		{"words", "yesterday, all my troubles", NoTime},
	} {
		expect.Equal(t, ParseDate(tt.in), tt.want, tt.name)
	}
}

// The first and the last second that a sitemap can name are dates.
func TestStamp(t *testing.T) {
	for stamp, want := range map[int64]int64{0: 0, MinTime: MinTime, MaxTime: MaxTime, MinTime - 1: NoTime, MaxTime + 1: NoTime} {
		expect.Equal(t, Stamp(stamp), want, stamp)
	}
}

func TestParseDateIsTimeParse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		at := MinTime + random.Int64N(MaxTime-MinTime+1)
		text := time.Unix(at, 0).UTC().Format(time.DateTime)
		if got := ParseDate(text); got != at {
			t.Fatalf("%s: %d, want %d", text, got, at)
		}
	}
}
