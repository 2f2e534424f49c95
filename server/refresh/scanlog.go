package refresh

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/site"
)

const (
	fewBlogs    = 20 // how many blogs get a log line of their own
	namedBlogs  = 10 // how many blogs a warning names
	namedCauses = 5  // how many errors summed names
)

// scanLog logs what was read of a site. If several blogs share a warning, it logs the warning only once.
type scanLog struct {
	log      *slog.Logger
	urls     int
	fresh    int // blogs that were read for the first time
	warnings map[string][]int64
	order    []string
}

// note logs a blog that was read, or keeps its warnings for the end.
func (l *scanLog) note(b, before *site.Blog, took time.Duration) {
	entries := b.Outline.Objects()
	l.urls += entries
	if before == nil || before.Generation == 0 {
		if l.fresh++; l.fresh <= fewBlogs {
			l.log.Info("site is read", "blog", b.ID, "home", b.Home, "active", b.Active(),
				"sitemaps", max(0, len(b.Outline.Files)-1), "objects", entries, "took", took.Round(time.Millisecond))
		}
		if !b.Active() {
			l.Warn("the daemon makes no sitemaps for this blog: wpsitemapd check says why", b.ID)
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
		l.log.Info("blogs of a network were read for the first time", "blogs", l.fresh, "objects", l.urls)
	}
}

// summed joins the first namedCauses errors of blogs into one, and adds how many more blogs have failed.
func summed(errs []error) error {
	if more := len(errs) - namedCauses; more > 0 {
		errs = append(slices.Clone(errs[:namedCauses]), fmt.Errorf("and %d other blogs", more))
	}
	return errors.Join(errs...)
}
