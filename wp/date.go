package wp

import (
	"math"
	"time"
)

// NoTime is the time of a zero or malformed date column. It is before every other time.
const NoTime int64 = math.MinInt64

// ZeroTime is the time that PHP reads from "0000-00-00 00:00:00": 30 November of the year -1. It is before every time
// except NoTime.
const ZeroTime int64 = -62169984000

// MinTime and MaxTime are the first and last second that a sitemap can name: the start of the year 1 and the end of
// the year 9999.
const (
	MinTime int64 = -62135596800
	MaxTime int64 = 253402300799
)

// Stamp returns seconds, a stored time in Unix seconds. It returns NoTime if no sitemap can name that time.
func Stamp(seconds int64) int64 {
	if seconds < MinTime || seconds > MaxTime {
		return NoTime
	}
	return seconds
}

// ParseDate parses a date column, such as "2006-01-02 15:04:05", and returns seconds since 1970. A _gmt column is in
// UTC, and any other column is in the site's time. For zero and malformed dates, ParseDate returns NoTime.
func ParseDate(s string) int64 {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return NoTime
	}
	year, month, day := digits(s[0:4]), digits(s[5:7]), digits(s[8:10])
	hour, minute, second := digits(s[11:13]), digits(s[14:16]), digits(s[17:19])
	if year < 1 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return NoTime
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC).Unix()
}

// Dates are the dates of a post. Published and Changed are seconds of the site's clock, the other two are in UTC.
type Dates struct{ Published, Changed, PublishedGMT, ChangedGMT int64 }

// ParseDates parses the columns post_date, post_modified, post_date_gmt and post_modified_gmt.
func ParseDates(date, modified, dateGMT, modifiedGMT []byte) Dates {
	return Dates{ParseDate(string(date)), ParseDate(string(modified)), ParseDate(string(dateGMT)), ParseDate(string(modifiedGMT))}
}

func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}
