package redirects

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/weburl"
)

// Bounds of what is read of one manager. What is beyond them is not used, and counted in a warning.
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
	plain    int                 // rules on one address
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

// errEnough ends a statement whose other rows are beyond the bounds.
var errEnough = errors.New("enough rows")

// query runs a statement that returns one row more than there are rules at most, if there are so many.
func (r *reading) query(query string, scan func(*sql.Rows) error) error {
	n := 0
	err := r.blog.Query(r.ctx, query, nil, func(rows *sql.Rows) error {
		if n++; n > maxRules+maxPatterns {
			r.wrong(0, "…", fmt.Sprintf("are beyond the first %d", maxRules+maxPatterns))
			return errEnough
		}
		return scan(rows)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// array returns an option that holds redirects as a PHP array.
func (r *reading) array(option string) php.Value {
	v := r.stored.Array(option)
	if text, _ := r.stored.Text(option); v.Kind != php.Array && text != "" {
		r.stored.Warn(fmt.Sprintf("option %s holds no list that can be read, so that redirects of %s are not followed", option, r.name))
	}
	return v
}

// meta reads the first values of meta keys of objects, by object and key. The statement takes ids and keys.
func (r *reading) meta(query string, ids []int64, keys []string) (map[int64]map[string]string, error) {
	values, first := map[int64]map[string]string{}, map[int64]map[string]int64{}
	err := r.blog.ByID(r.ctx, query, ids, db.Rows4(func(id, row int64, key, value string) {
		if values[id] == nil {
			values[id], first[id] = map[string]string{}, map[string]int64{}
		}
		if at, ok := first[id][key]; !ok || row < at {
			values[id][key], first[id][key] = value, row
		}
	}), keys)
	return values, err
}

// wrong notes a rule that is not used.
func (r *reading) wrong(id int64, from, what string) {
	which := strconv.FormatInt(id, 10)
	if id == 0 {
		which = strconv.Quote(from[:min(len(from), 40)])
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
func (r *reading) fits(it *rule, used, most int, what string) bool {
	switch {
	case len(it.from) > maxSource || len(it.to) > maxSource || len(it.text) > maxSource:
		r.wrong(it.id, it.from, fmt.Sprintf("are longer than %d bytes", maxSource))
	case used >= most:
		r.wrong(it.id, it.from, fmt.Sprintf("are beyond the first %d %s", most, what))
	default:
		return true
	}
	return false
}

// fitsOne is fits for a rule on one address, or on one object.
func (r *reading) fitsOne(it *rule) bool {
	fits := r.fits(it, r.plain, maxRules, "rules")
	if fits {
		r.plain++
	}
	return fits
}

// add adds a rule on one path, below home.
func (r *reading) add(it rule, path string) {
	if r.fitsOne(&it) {
		key := keyOf(path)
		r.byKey[key] = append(r.byKey[key], int32(len(r.rules)))
		r.rules = append(r.rules, it)
	}
}

// addEach adds a rule that is tried with every address: one with a pattern, or with flags of the same kind.
func (r *reading) addEach(it rule) {
	if r.fits(&it, len(r.each), maxPatterns, "regular expressions") {
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
		r.wrong(it.id, it.from, "have a regular expression that Go's linear engine does not take")
		return
	}
	r.addEach(it)
}
