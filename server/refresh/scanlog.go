package refresh

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/site"
)

const (
	progressEvery = 10 * time.Second
	fewBlogs      = 20 // of which each is logged in a line of its own
	namedBlogs    = 10 // of those that have something in common
	namedCauses   = 5
)

// scanLog says what was read of a site, how far the scan of a network is, and once what many of its blogs have in common.
type scanLog struct {
	log      *slog.Logger
	began    time.Time
	urls     int
	fresh    int       // blogs that were not known before
	said     time.Time // when progress was logged last
	warnings map[string][]int64
	order    []string
}

// note takes what is to be said of a blog that was read.
func (l *scanLog) note(b, before *site.Blog, took time.Duration) {
	entries := countEntries(&b.Outline)
	l.urls += entries
	if before == nil || before.Generation == 0 {
		if l.fresh++; l.fresh <= fewBlogs {
			l.log.Info("site is read", "blog", b.ID, "home", b.Home, "active", b.Active(),
				"sitemaps", max(0, len(b.Outline.Files)-1), "objects", entries, "took", took.Round(time.Millisecond))
		}
		if !b.Active() {
			l.Warn("no sitemaps are made here: every address is left to the upstream", b.ID)
		}
	}
	if before == nil || !slices.Equal(before.Warnings, b.Warnings) {
		for _, text := range b.Warnings {
			l.Warn(text, b.ID)
		}
	}
}

func (l *scanLog) Warn(text string, id int64) {
	if l.warnings == nil {
		l.warnings = map[string][]int64{}
	}
	if l.warnings[text] == nil {
		l.order = append(l.order, text)
	}
	l.warnings[text] = append(l.warnings[text], id)
}

// progress says how many of the blogs are read, and how long the others may take.
func (l *scanLog) progress(done, of int) {
	if time.Since(l.said) < progressEvery || done == of {
		return
	}
	l.said = time.Now()
	left := time.Since(l.began) * time.Duration(of-done) / time.Duration(max(1, done))
	l.log.Info("the blogs of a network are being read", "done", done, "of", of, "left", left.Round(time.Second))
}

func (l *scanLog) end() {
	for _, text := range l.order {
		ids := l.warnings[text]
		if len(ids) == 1 {
			l.log.Warn(text, "blog", ids[0])
			continue
		}
		some := strings.Trim(fmt.Sprint(ids[:min(len(ids), namedBlogs)]), "[]")
		if len(ids) > namedBlogs {
			some += " …"
		}
		l.log.Warn(text, "blogs", some, "number", len(ids))
	}
	if l.fresh > fewBlogs {
		l.log.Info("the blogs of a network are read", "new", l.fresh, "objects", l.urls)
	}
}

var numbers = regexp.MustCompile(`\d+`)

// summed joins the errors of blogs. Of those that differ in nothing but numbers the first is named with their number, and
// of more than a few kinds the first ones.
func summed(errs []error) error {
	count, first := map[string]int{}, []error(nil)
	kind := func(err error) string { return numbers.ReplaceAllString(err.Error(), "0") }
	for _, err := range errs {
		if count[kind(err)]++; count[kind(err)] == 1 {
			first = append(first, err)
		}
	}
	var all []error
	for i, err := range first {
		if i == namedCauses {
			all = append(all, fmt.Errorf("and %d other causes", len(first)-i))
			break
		}
		if n := count[kind(err)]; n > 1 {
			err = fmt.Errorf("%w (the same with %d more blogs)", err, n-1)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}
