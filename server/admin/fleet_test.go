package admin

import (
	"testing"
	"time"

	"wpsitemapd/wp/wptest/expect"
)

// Of sites in trouble, those that lost URLs or a host come first, then those that have worked before, then those that never have.
// The words say what visitors get meanwhile.
func TestUrgency(t *testing.T) {
	t.Parallel()
	const older, never = "cannot be read; older pages are served", "could not be read yet; its sitemaps are answered with 503"
	for _, tt := range []struct {
		rule     string
		s        Summary
		need     int
		headline string
		began    time.Time
	}{
		{"well", Summary{Ready: true, Active: true, Since: at, URLs: 3}, 0, "not ready", at},
		{"restored", Summary{Ready: true, Active: true, Restored: true, Since: at}, 0, "not ready", at},
		{"an alarm", Summary{Ready: true, Alarm: "9 of 10", Alarmed: at.Add(1), Since: at, Error: "x"}, 3, "most of its URLs are missing: 9 of 10", at.Add(1)},
		{"another site has the host", Summary{Ready: true, Displaced: true, Since: at}, 3, "not served at an address that it claims", at},
		{"an error, with cached pages", Summary{Ready: true, Error: "x", Since: at}, 2, older, at},
		{"an error, with a part of the pages", Summary{Error: "x", URLs: 1, Since: at}, 2, older, at},
		{"an error from the start", Summary{Error: "x", Since: at}, 1, never, at},
		{"not ready", Summary{Since: at}, 1, "not ready", at},
	} {
		expect.Equal(t, tt.s.need(), tt.need, tt.rule)
		expect.Equal(t, tt.s.Headline(), tt.headline, tt.rule)
		expect.Equal(t, tt.s.Troubled(), tt.began, tt.rule)
	}
}

// The change since a day ago is unknown at first, and shown as none.
func TestChangeOfURLs(t *testing.T) {
	t.Parallel()
	before := 10
	expect.Equal(t, (&Summary{URLs: 7, Before: &before}).Change(), -3)
	expect.Equal(t, (&Summary{URLs: 12, Before: &before}).Change(), 2)
	expect.Equal(t, (&Summary{URLs: 12}).Change(), 0)
}
