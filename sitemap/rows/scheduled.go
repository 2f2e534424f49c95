package rows

import (
	"context"
	"math"
	"strings"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
)

// noDue is the value of Rows.due if no post is scheduled.
const noDue = int64(math.MaxInt64)

// NextScheduled returns when the next scheduled post becomes due, in Unix seconds. ok is false if none
// is scheduled.
func (f *Rows) NextScheduled() (unix int64, ok bool) {
	if f == nil || f.due == noDue {
		return 0, false
	}
	return f.due, true
}

// nextDue returns when the next scheduled post becomes due, in Unix seconds, of the types that are
// read. It returns noDue if there is none.
func (b *Reader) nextDue(ctx context.Context) (int64, error) {
	due := noDue
	now := b.Rules.Options.Now().In(b.Rules.Blog.Settings().Core.Zone)
	wall := time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), now.Second(), 0, time.UTC).Unix()
	for _, t := range b.Rules.PostTypes() {
		if t.Name == "attachment" || !b.Rules.Reads(t) {
			continue
		}
		next, err := objects.NextScheduled(ctx, b.Rules.Blog, t.Name, wall)
		if err != nil {
			return due, err
		}
		if next != wp.NoTime {
			due = min(due, b.Rules.Blog.UTC(next))
		}
	}
	return due, nil
}

// reschedule looks up the next scheduled post again if another post may now be due first.
func (d *delta) reschedule(ctx context.Context) error {
	soon := d.due <= d.Rules.Options.Now().Unix()
	for _, p := range d.now {
		soon = soon || strings.EqualFold(p.Status, "future")
	}
	if !soon {
		return nil
	}
	var err error
	d.due, err = d.nextDue(ctx)
	return err
}
