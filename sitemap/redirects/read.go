package redirects

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/weburl"
)

// Bounds of what is used of one manager; its statements read about as many rows. What is beyond them is counted in a warning.
const (
	maxRules    = 50_000
	maxPatterns = 1_000
	maxSource   = 2_048 // bytes of a source, and of a target
)

// reading is a manager whose rules are being read.
type reading struct {
	manager
	ctx      context.Context
	blog     *wp.Blog
	stored   *wp.Stored
	problems map[string][]string // which rules are not used, by what is wrong with them
}

// Inputs returns those of all managers, in the order in which they meet a request.
func Inputs() []wp.Inputs {
	return []wp.Inputs{
		aioseoManager, epsManager, rankmathManager, redirectionManager, safeManager,
		seopressManager, simpleManager, yoastManager,
	}
}

// declare returns the inputs of a manager: what it has in the database, and how its rules are read where it is active.
func declare(t traits, in wp.Inputs, read func(*reading) error) wp.Inputs {
	in.Name = "redirects of " + t.name
	in.Read = func(ctx context.Context, blog *wp.Blog, stored *wp.Stored) (wp.Decoded, error) {
		if !stored.Active() {
			return wp.Decoded{}, nil
		}
		home := ""
		if _, folder := weburl.Split(blog.Home()); folder != "" {
			home = "/" + folder
		}
		r := &reading{
			manager: manager{traits: t, home: home, byKey: map[string][]int32{}}, ctx: ctx, blog: blog, stored: stored, problems: map[string][]string{},
		}
		err := read(r)
		if db.Unreadable(err) {
			stored.Warn(fmt.Sprintf("the redirects of %s cannot be read, and are not followed: %v", t.name, err))
			return wp.Decoded{}, nil
		}
		if err != nil {
			return wp.Decoded{}, fmt.Errorf("reading the redirects of %s: %w", t.name, err)
		}
		r.warn()
		return wp.Decoded{Value: &r.manager, OfObjects: r.hash()}, nil
	}
	return in
}

// wrong notes a rule that is not used.
func (r *reading) wrong(it *rule, what string) {
	which := strconv.FormatInt(it.id, 10)
	if it.id == 0 {
		which = strconv.Quote(it.from[:min(len(it.from), 40)])
	}
	r.problems[what] = append(r.problems[what], which)
}

// warn says what is not used, and names some.
func (r *reading) warn() {
	for _, what := range slices.Sorted(maps.Keys(r.problems)) {
		which, more := r.problems[what], ""
		if len(which) > 5 {
			which, more = which[:5], " …"
		}
		r.stored.Warn(fmt.Sprintf("%s: %d redirects %s, and are not followed: %s%s", r.name, len(r.problems[what]), what, strings.Join(which, ", "), more))
	}
}

// fits reports whether a rule is within the bounds, where there are used of its kind.
func (r *reading) fits(it *rule, used, most int) bool {
	switch {
	case len(it.from) > maxSource || len(it.to) > maxSource || len(it.text) > maxSource:
		r.wrong(it, fmt.Sprintf("are longer than %d bytes", maxSource))
	case used >= most:
		r.wrong(it, fmt.Sprintf("are beyond the first %d", most))
	default:
		return true
	}
	return false
}

// fitsOne is fits for a rule on one address, or on one object.
func (r *reading) fitsOne(it *rule) bool {
	return r.fits(it, len(r.rules)-len(r.each)+len(r.posts)+len(r.terms), maxRules)
}

// add adds a rule on one address, below home.
func (r *reading) add(it rule, address string) {
	path, query, _ := strings.Cut(address, "?")
	if it.query = query; r.fitsOne(&it) {
		key := keyOf(path)
		r.byKey[key] = append(r.byKey[key], int32(len(r.rules)))
		r.rules = append(r.rules, it)
	}
}

// addEach adds a rule that is tried with every address: one with a pattern, or on a part of an address.
func (r *reading) addEach(it rule) {
	if r.fits(&it, len(r.each), maxPatterns) {
		r.each = append(r.each, int32(len(r.rules)))
		r.rules = append(r.rules, it)
	}
}

// addPattern adds a rule with a regular expression, in PHP's syntax without delimiters and modifiers.
func (r *reading) addPattern(it rule, pattern, modifiers string) {
	it.text = pattern
	if modifiers != "" {
		it.text = "(?" + modifiers + ")" + pattern
	}
	var err error
	if len(pattern) <= maxSource {
		it.pattern, err = regexp.Compile(it.text)
	}
	if err != nil {
		r.wrong(&it, "have a regular expression that Go's linear engine does not take")
		return
	}
	r.addEach(it)
}
