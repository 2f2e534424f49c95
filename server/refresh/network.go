package refresh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"wpsitemapd/server/refresh/guard"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"

	"wpsitemapd/server/changes"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// A network is read blog by blog, the main one first, and what is read is served while the others are. A blog that was
// not read yet has its place all the same: its stored pages, or 503, are its own, and never what the main blog would say.
const (
	walkPublish = time.Second      // what was read meanwhile is served
	walkTell    = 10 * time.Second // and said
	// walkFailures blogs in a row whose database does not answer interrupt the reading, which goes on there later.
	walkFailures = 3
	fewBlogs     = 20 // of which each is logged in a line of its own
	namedBlogs   = 10 // of those that have something in common
	namedCauses  = 5
)

// readNetwork is readAll for a network: it reads blog by blog.
func (r *Refresher) readNetwork(ctx context.Context, walk *site.Walk, event *changes.Set) (read, ok bool) {
	resumed := r.reads.stopped != nil
	n := r.beginNetwork(walk, event)
	n.serve(0)
	read, complete, err := n.readStubs(ctx)
	if ctx.Err() != nil {
		return false, false
	}
	r.reads.stopped = nil
	if !complete {
		r.reads.stopped = walk
	}
	now := n.conclude(complete, err)
	n.log.end()
	r.publish(n.old, now)
	r.keep(now)
	if resumed && complete {
		r.ReadNow() // what was written to the blogs that were read before it was interrupted
	}
	return read, now.Err == nil
}

// networkRead is what is known of a network while it is read.
type networkRead struct {
	*Refresher
	event     *changes.Set
	log       *readLog
	old       *site.Snapshot
	before    map[string]*site.Blog // those of old, by key
	walk      *site.Walk
	blogs     map[int64][]*site.Blog
	vanished  []*site.Blog // neither in the network's table nor gone: it is the end of the reading that decides
	published time.Time
}

// beginNetwork gives every blog of a network its place: as it was, or as one that was not read yet.
func (r *Refresher) beginNetwork(walk *site.Walk, event *changes.Set) *networkRead {
	n := &networkRead{
		Refresher: r,
		event:     event,
		log:       &readLog{log: r.site.Log, of: len(walk.Stubs), told: time.Now()},
		old:       r.site.Snapshot(),
		before:    map[string]*site.Blog{},
		walk:      walk,
		blogs:     map[int64][]*site.Blog{},
	}
	byID := map[int64][]*site.Blog{}
	for _, b := range n.old.Blogs {
		n.before[b.Key()] = b
		byID[b.ID] = append(byID[b.ID], b)
	}
	for _, s := range walk.Stubs {
		if n.blogs[s.ID] = byID[s.ID]; n.blogs[s.ID] == nil {
			n.blogs[s.ID] = []*site.Blog{site.Unread(s.Settings, site.ErrUnreadBlog)}
		}
	}
	for _, b := range n.old.Blogs {
		if n.blogs[b.ID] == nil && !slices.ContainsFunc(walk.Gone, b.GoneTo) {
			n.vanished = append(n.vanished, b)
		}
	}
	return n
}

// readStubs reads the blogs one after the other, and serves what was read meanwhile. It reports whether any could be read, and
// whether the reading has come to its end.
func (n *networkRead) readStubs(ctx context.Context) (read, complete bool, err error) {
	var failed []error
	silent := 0
	for i, s := range n.walk.Stubs {
		if s.Done {
			continue
		}
		err := n.readStub(ctx, s)
		if ctx.Err() != nil {
			return false, false, ctx.Err()
		}
		if silent++; err == nil || !db.Unreachable(err) {
			read, silent = true, 0
		}
		if err != nil {
			failed = append(failed, err)
		}
		if silent == walkFailures {
			return read, false, summed(failed)
		}
		if i == 0 {
			n.serve(0)
			n.site.MarkTried()
		}
		n.serve(walkPublish)
		n.log.progress(i + 1)
	}
	return read, true, summed(failed)
}

// conclude returns the network as it is known at the end. err is what went wrong.
func (n *networkRead) conclude(complete bool, err error) *site.Snapshot {
	now := &site.Snapshot{Opened: true, Gone: n.walk.Gone, Failures: n.old.Failures, Err: err}
	if complete {
		n.walk.End()
	}
	for _, b := range n.all() {
		if b.RobotsNow != nil && complete {
			b = b.WithRobots(b.RobotsNow())
		}
		now.Blogs = append(now.Blogs, b)
	}
	if err == nil {
		now.Blogs = append(now.Blogs, n.guard.Network(n.old, now)...)
		n.guard.Expect(false)
	}
	return now
}

// all returns the blogs in the order of their ids.
func (n *networkRead) all() []*site.Blog {
	all := make([]*site.Blog, 0, len(n.blogs))
	for _, blogs := range n.blogs {
		all = append(all, blogs...)
	}
	slices.SortStableFunc(all, func(a, b *site.Blog) int {
		if a.ID != b.ID {
			return int(a.ID - b.ID)
		}
		return 0
	})
	return all
}

// serve publishes what is known so far, unless that was done a short while ago.
func (n *networkRead) serve(every time.Duration) {
	if time.Since(n.published) < every {
		return
	}
	now := *n.old
	now.Opened, now.Gone, now.Blogs = true, n.walk.Gone, append(n.all(), n.vanished...)
	n.site.Publish(&now)
	n.tell.Served()
	n.published = time.Now()
}

// readStub reads a blog and builds its catalog. What cannot be read stays as it was.
func (n *networkRead) readStub(ctx context.Context, s site.Stub) error {
	var blogs []site.Settings
	err := n.limited(ctx, func(ctx context.Context) (err error) {
		blogs, err = s.Read(ctx)
		return err
	})
	if err != nil {
		var kept []*site.Blog
		for _, b := range n.blogs[s.ID] {
			same := *b
			same.Err, same.Unreadable = err, same.Catalog == nil && !db.Unreachable(err)
			kept = append(kept, &same)
		}
		n.blogs[s.ID] = kept
		return err
	}
	var now []*site.Blog
	var failed []error
	for _, settings := range blogs {
		before := n.before[settings.Key()]
		if before != nil && before.Catalog == nil {
			before = nil
		}
		b := n.guard.Blog(before, n.readBlog(ctx, settings, before, n.event, n.log.note))
		if b.Err != nil {
			failed = append(failed, b.Err)
		}
		now = append(now, b)
	}
	n.blogs[s.ID] = now
	if len(failed) > 0 {
		n.walk.Forget(s.ID)
	}
	return errors.Join(failed...)
}

// settingsOfNetworkChanged is settingsChanged for those blogs of a network whose options were written.
func (r *Refresher) settingsOfNetworkChanged(ctx context.Context, walk *site.Walk, event *changes.Set) bool {
	now := r.site.Snapshot()
	if !slices.Equal(walk.Gone, now.Gone) {
		return true
	}
	byID := map[int64][]*site.Blog{}
	for _, b := range now.Blogs {
		byID[b.ID] = append(byID[b.ID], b)
	}
	if len(walk.Stubs) != len(byID) {
		return true
	}
	for _, s := range walk.Stubs {
		before := byID[s.ID]
		if len(before) == 0 || before[0].Catalog == nil {
			return true
		}
		if !concerns(event, before[0], blogSettings()) {
			continue
		}
		var blogs []site.Settings
		err := r.site.Guard(func() (err error) {
			blogs, err = s.Read(ctx)
			return err
		})
		if err != nil || len(blogs) != len(before) {
			return true
		}
		for i, b := range blogs {
			if b.Key() != before[i].Key() || b.Fingerprint != before[i].Fingerprint {
				return true
			}
		}
	}
	return false
}

// blogSettings are the tables that settings of a blog are in.
var blogSettings = sync.OnceValue(func() []string {
	return sitemap.Declared.TablesWith(func(t wp.Table) bool { return t.Settings && !t.Network })
})

// readLog says what was read of a site, how far the reading of a network is, and once what many of its blogs have in common.
type readLog struct {
	log      *slog.Logger
	of, urls int
	fresh    int // blogs that were not known before
	told     time.Time
	warnings map[string][]int64
	order    []string
}

// note takes what is to be said of a blog that was read.
func (l *readLog) note(s, before *site.Blog, took time.Duration) {
	entries := guard.Count(&s.Outline)
	l.urls += entries
	if before == nil || before.Generation == 0 {
		if l.fresh++; l.fresh <= fewBlogs {
			l.log.Info("site is read", "blog", s.ID, "home", s.Home, "active", s.Active(),
				"sitemaps", max(0, len(s.Outline.Files)-1), "urls", entries, "took", took.Round(time.Millisecond))
		}
		if !s.Active() {
			l.Warn("no sitemaps are made here: every address is left to the upstream", s.ID)
		}
	}
	if before == nil || !slices.Equal(before.Warnings, s.Warnings) {
		for _, text := range s.Warnings {
			l.Warn(text, s.ID)
		}
	}
}

func (l *readLog) Warn(text string, id int64) {
	if l.warnings == nil {
		l.warnings = map[string][]int64{}
	}
	if l.warnings[text] == nil {
		l.order = append(l.order, text)
	}
	l.warnings[text] = append(l.warnings[text], id)
}

func (l *readLog) progress(done int) {
	if time.Since(l.told) >= walkTell {
		l.told = time.Now()
		l.log.Info("the blogs of a network are being read", "done", done, "of", l.of)
	}
}

func (l *readLog) end() {
	for _, text := range l.order {
		ids := l.warnings[text]
		if len(ids) == 1 {
			l.log.Warn(text, "blog", ids[0])
			continue
		}
		l.log.Warn(text, "blogs", someIDs(ids), "number", len(ids))
	}
	if l.fresh > fewBlogs {
		l.log.Info("the blogs of a network are read", "blogs", l.of, "new", l.fresh, "urls", l.urls)
	}
}

func someIDs(ids []int64) string {
	text := strings.Trim(fmt.Sprint(ids[:min(len(ids), namedBlogs)]), "[]")
	if len(ids) > namedBlogs {
		text += " …"
	}
	return text
}

// manyErrors is what went wrong with many blogs, in a few words.
type manyErrors struct {
	text   string
	causes []error // the first of each kind
}

func (e *manyErrors) Error() string   { return e.text }
func (e *manyErrors) Unwrap() []error { return e.causes }

var numbers = regexp.MustCompile(`\d+`)

const longestCause = 500 // bytes

// summed joins errors of blogs. Those that differ in nothing but numbers are named once.
func summed(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	of, order := map[string][]error{}, []string(nil)
	for _, err := range errs {
		kind := numbers.ReplaceAllString(err.Error(), "0")
		if of[kind] == nil {
			order = append(order, kind)
		}
		of[kind] = append(of[kind], err)
	}
	if len(order) == len(errs) && len(errs) <= namedCauses {
		return errors.Join(errs...)
	}
	e := &manyErrors{}
	var lines []string
	for i, kind := range order {
		first := of[kind][0]
		e.causes = append(e.causes, first)
		if i == namedCauses {
			lines = append(lines, fmt.Sprintf("and %d other causes", len(order)-i))
			break
		}
		line := first.Error()
		if len(line) > longestCause {
			line = strings.ToValidUTF8(line[:longestCause], "") + " …"
		}
		if n := len(of[kind]); n > 1 {
			line += fmt.Sprintf(" (and so %d more blogs)", n-1)
		}
		lines = append(lines, line)
	}
	e.text = strings.Join(lines, "\n")
	return e
}
