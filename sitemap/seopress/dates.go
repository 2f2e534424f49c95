package seopress

import (
	"time"

	"wpsitemapd/wp"
)

// dated is the date of a post: the later of its dates of the site's clock, as PHP takes that for a time.
func dated(blog *wp.Blog, date, modified int64) int64 {
	return instant(max(date, modified), blog.Settings().Core.Zone)
}

// instant is the time that a clock in a zone shows as local, seconds since 1970 by that clock. Where it shows one twice,
// because summer time ends, PHP takes the second in zones whose standard time is that of Greenwich or ahead of it, and the
// first in others. One that it never shows is as much later as the clock was put forward.
func instant(local int64, zone *time.Location) int64 {
	const day = 24 * 60 * 60
	if local == wp.NoTime || zone == nil {
		return local
	}
	offset := func(unix int64) int64 {
		_, seconds := time.Unix(unix, 0).In(zone).Zone()
		return int64(seconds)
	}
	before, after := offset(local-day), offset(local+day)
	first, second := local-before, local-after
	switch isFirst, isSecond := offset(first) == before, offset(second) == after; {
	case isFirst && isSecond && after >= 0:
		return second
	case isFirst || !isSecond:
		return first
	}
	return second
}
