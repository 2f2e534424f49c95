// Package release compares versions of WordPress and of plugins. Callers use it to apply the rules of the
// installed version.
package release

import (
	"slices"
	"strconv"
	"strings"
)

// Version is the stored version of WordPress or of a plugin: "16.9", "1.0.218", "28.4-RC1". "" means that the version
// is unknown. An unknown version counts as newer than all known versions, so that the newest rules apply.
type Version string

// Before reports whether v is known and older than other. If version 27.8 of a plugin ended a rule, the rule applies
// if v.Before("27.8"). Only the numbers are compared, so that a release candidate has the rules of its release.
func (v Version) Before(other Version) bool {
	return v != "" && slices.Compare(v.numbers(), other.numbers()) < 0
}

// numbers returns the numbers of a version up to the first part that is not a number. It drops zeros at the end.
func (v Version) numbers() []int {
	var all []int
	for part := range strings.SplitSeq(string(v), ".") {
		digits := len(part) - len(strings.TrimLeft(part, "0123456789"))
		n, err := strconv.Atoi(part[:digits])
		if err != nil {
			break
		}
		all = append(all, n)
		if digits < len(part) {
			break
		}
	}
	for len(all) > 0 && all[len(all)-1] == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// Valid returns text as a version, or "" if text does not begin with a number, is too long or has unprintable
// characters.
func Valid(text string) Version {
	v := Version(strings.TrimSpace(text))
	if len(v) > longest || len(v.numbers()) == 0 || strings.ContainsFunc(string(v), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return v
}

// longest is how many bytes a version may have.
const longest = 32
