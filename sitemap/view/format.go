package view

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// These are the functions that the template calls. They write values of the XML file for people.

// isLink reports whether an address may become a link. Any scheme but http and https could be a script.
func isLink(loc string) bool {
	scheme, _, ok := strings.Cut(loc, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// count writes a number with one of two nouns: "1 image" or "1,234 images". If one is "", it writes the number alone.
func count(n int, one, many string) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	switch {
	case one == "":
		return s
	case n == 1:
		return s + " " + one
	}
	return s + " " + many
}

// utc writes a date of a sitemap for people, in UTC. It returns any other text unchanged.
func utc(date string) string {
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return date
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// language returns code if it is valid in the attributes lang and hreflang of HTML, or "".
func language(code string) string {
	if !languageForm.MatchString(code) || strings.EqualFold(code, "x-default") {
		return ""
	}
	return code
}

var languageForm = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// duration writes a number of seconds as 1:02:03. It returns any other text unchanged.
func duration(seconds string) string {
	n, err := strconv.Atoi(seconds)
	if err != nil || n < 0 {
		return seconds
	}
	if n < 3600 {
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}
