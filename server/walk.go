package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/weburl"
)

// A network is read blog by blog, the main one first, and what is read is served while the others are. A blog that was
// not read yet has its place all the same: its stored pages, or 503, are its own, and never what the main blog would say.
const (
	walkPublish = time.Second      // what was read meanwhile is served
	walkTell    = 10 * time.Second // and said
	// walkFailures blogs in a row whose database does not answer interrupt the reading, which goes on there later.
	walkFailures = 3
	fewBlogs     = 20 // of which each is told in a line of its own
	namedBlogs   = 10 // of those that have something in common
	namedCauses  = 5
)

var errUnreadBlog = errors.New("it has not been read yet")

// rebuildNetwork is rebuild, blog by blog.
func (w *worker) rebuildNetwork(ctx context.Context, net *network, word *changes.Event) (read, ok bool) {
	resumed := w.stopped != nil
	var pass *walk
	err := w.guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		pass, err = net.walk(ctx, w.stopped)
		return err
	})
	if err != nil {
		w.fail(err)
		return false, false
	}
	old := w.state.Load()
	byKey, byID := map[string]*blogState{}, map[int64][]*blogState{}
	for _, b := range old.blogs {
		byKey[b.key()] = b
		byID[b.id] = append(byID[b.id], b)
	}
	now := &networkState{worker: w, old: old, pass: pass, blogs: map[int64][]*blogState{}}
	for _, s := range pass.stubs {
		if now.blogs[s.id] = byID[s.id]; now.blogs[s.id] == nil {
			b := &blogState{blog: s.blog, err: errUnreadBlog, listed: map[listedPage]bool{}}
			b.address = w.addressOf(&b.blog)
			now.blogs[s.id] = []*blogState{b}
		}
	}
	for _, b := range old.blogs {
		if now.blogs[b.id] == nil && !slices.ContainsFunc(pass.gone, b.goneTo) {
			now.vanished = append(now.vanished, b)
		}
	}
	now.publish(0)
	w.walking = &walkLog{of: len(pass.stubs), told: time.Now()}
	defer func() { w.walking = nil }()
	var failed []error
	silent := 0
	for i, s := range pass.stubs {
		if s.done {
			continue
		}
		err := now.read(ctx, s, byKey, byID[s.id], word)
		if ctx.Err() != nil {
			return false, false
		}
		if silent++; err == nil || !db.Unreachable(err) {
			read, silent = true, 0
		}
		if err != nil {
			failed = append(failed, err)
		}
		if silent == walkFailures {
			break
		}
		if i == 0 {
			now.publish(0)
			w.attempted.Do(func() { close(w.first) })
		}
		now.publish(walkPublish)
		w.walking.progress(w.log, i+1)
	}
	if w.stopped = nil; silent == walkFailures {
		w.stopped = pass
	}
	state := &siteState{opened: true, gone: pass.gone, failures: old.failures}
	if w.stopped == nil {
		pass.end()
	}
	for _, s := range now.all() {
		if s.robotsNow != nil && w.stopped == nil {
			s = s.withRobots(s.robotsNow())
		}
		state.blogs = append(state.blogs, s)
	}
	if len(failed) == 0 {
		state.blogs = append(state.blogs, w.guardNetwork(old, state)...)
		w.deliberate.Store(false)
	}
	state.err = summed(failed)
	w.walking.end(w.log)
	w.change(old, state)
	w.remember(state)
	w.kick()
	if resumed && w.stopped == nil {
		w.readAgain() // what was written to the blogs that were read before it was interrupted
	}
	return read, state.err == nil
}

// networkState is what is known of a network while it is read.
type networkState struct {
	worker    *worker
	old       *siteState
	pass      *walk
	blogs     map[int64][]*blogState
	vanished  []*blogState // neither in the network's table nor gone: it is the end of the reading that decides
	published time.Time
}

// all returns the blogs in the order of their ids.
func (n *networkState) all() []*blogState {
	all := make([]*blogState, 0, len(n.blogs))
	for _, s := range n.blogs {
		all = append(all, s...)
	}
	slices.SortStableFunc(all, func(a, b *blogState) int {
		if a.id != b.id {
			return int(a.id - b.id)
		}
		return 0
	})
	return all
}

// publish serves what is known so far, unless that was done a short while ago.
func (n *networkState) publish(every time.Duration) {
	if time.Since(n.published) < every {
		return
	}
	state := *n.old
	state.opened, state.gone, state.blogs = true, n.pass.gone, append(n.all(), n.vanished...)
	n.worker.state.Store(&state)
	n.worker.server.publish()
	n.published = time.Now()
}

// read reads a blog and builds its catalog. What cannot be read stays as it was.
func (n *networkState) read(ctx context.Context, s stub, byKey map[string]*blogState, before []*blogState, word *changes.Event) error {
	w := n.worker
	var blogs []blog
	err := w.guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		blogs, err = s.read(ctx)
		return err
	})
	if err != nil {
		var kept []*blogState
		for _, b := range n.blogs[s.id] {
			same := *b
			same.err, same.unreadable = err, same.catalog == nil && !db.Unreachable(err)
			kept = append(kept, &same)
		}
		n.blogs[s.id] = kept
		return err
	}
	var states []*blogState
	var failed []error
	for _, b := range blogs {
		earlier := byKey[b.key()]
		if earlier != nil && earlier.catalog == nil {
			earlier = nil
		}
		state := w.guardBlog(earlier, w.buildBlog(ctx, b, earlier, word))
		if state.err != nil {
			failed = append(failed, state.err)
		}
		states = append(states, state)
	}
	n.blogs[s.id] = states
	if len(failed) > 0 && n.pass.of != nil {
		n.pass.of.Forget(s.id)
	}
	return errors.Join(failed...)
}

// goneTo reports whether a blog that is gone stood where this one does.
func (b *blogState) goneTo(g goneBlog) bool {
	host, path := weburl.Split(b.home)
	return g.host == host && strings.EqualFold(g.path, path)
}

// withRobots returns the blog with other sites that its robots.txt names.
func (b *blogState) withRobots(ids []int64) *blogState {
	if slices.Equal(b.robots, ids) {
		return b
	}
	same := *b
	same.robots = ids
	return &same
}

// lookAtNetwork is look for those blogs whose options were written.
func (w *worker) lookAtNetwork(ctx context.Context, net *network, word *changes.Event) (changed bool) {
	if w.optionsChanged(ctx, net) {
		return true
	}
	var pass *walk
	err := w.guard(func() (err error) {
		pass, err = net.walk(ctx, nil)
		return err
	})
	state := w.state.Load()
	if err != nil || !slices.Equal(pass.gone, state.gone) {
		return true
	}
	byID := map[int64][]*blogState{}
	for _, b := range state.blogs {
		byID[b.id] = append(byID[b.id], b)
	}
	if len(pass.stubs) != len(byID) {
		return true
	}
	for _, s := range pass.stubs {
		before := byID[s.id]
		if len(before) == 0 || before[0].catalog == nil {
			return true
		}
		if !before[0].concerned(word, blogSettings) {
			continue
		}
		var blogs []blog
		err := w.guard(func() (err error) {
			blogs, err = s.read(ctx)
			return err
		})
		if err != nil || len(blogs) != len(before) {
			return true
		}
		for i, b := range blogs {
			if b.key() != before[i].key() || b.settings != before[i].settings {
				return true
			}
		}
	}
	return false
}

// optionsChanged reports whether options of the whole network are others than when its database was opened.
func (w *worker) optionsChanged(ctx context.Context, net *network) (changed bool) {
	if net.db == nil {
		return false
	}
	err := w.guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		changed, err = net.db.OptionsChanged(ctx)
		return err
	})
	return err == nil && changed
}

// blogSettings are the tables that settings of a blog are in.
var blogSettings = []string{"options", "woocommerce_attribute_taxonomies"}

// walkLog says how far the reading of a network is, and once what many of its blogs have in common.
type walkLog struct {
	of, done, urls int
	fresh          int // blogs that were not known before
	told           time.Time
	warnings       map[string][]int64
	order          []string
}

// note takes what is to be said of a blog that was read.
func (l *walkLog) note(s, before *blogState, w *worker) {
	l.done++
	entries := total(census(&s.outline))
	l.urls += entries
	if before == nil || before.generation == 0 {
		if l.fresh++; l.fresh <= fewBlogs {
			w.log.Info("site is read", "blog", s.id, "home", s.home, "active", s.catalog.Active(), "sitemaps", max(0, len(s.outline.Files)-1), "urls", entries)
		}
		if !s.catalog.Active() {
			l.warn("neither Yoast SEO nor WordPress itself has sitemaps here: every address is left to the upstream", s.id)
		}
	}
	if before == nil || !slices.Equal(before.warnings, s.warnings) {
		for _, text := range s.warnings {
			l.warn(text, s.id)
		}
	}
}

func (l *walkLog) warn(text string, id int64) {
	if l.warnings == nil {
		l.warnings = map[string][]int64{}
	}
	if l.warnings[text] == nil {
		l.order = append(l.order, text)
	}
	l.warnings[text] = append(l.warnings[text], id)
}

func (l *walkLog) progress(log *slog.Logger, done int) {
	if time.Since(l.told) >= walkTell {
		l.told = time.Now()
		log.Info("the blogs of a network are being read", "done", done, "of", l.of)
	}
}

func (l *walkLog) end(log *slog.Logger) {
	for _, text := range l.order {
		ids := l.warnings[text]
		if len(ids) == 1 {
			log.Warn(text, "blog", ids[0])
			continue
		}
		log.Warn(text, "blogs", someIDs(ids), "number", len(ids))
	}
	if l.fresh > fewBlogs {
		log.Info("the blogs of a network are read", "blogs", l.of, "new", l.fresh, "urls", l.urls)
	}
}

func someIDs(ids []int64) string {
	text := strings.Trim(fmt.Sprint(ids[:min(len(ids), namedBlogs)]), "[]")
	if len(ids) > namedBlogs {
		text += " …"
	}
	return text
}

// manyErrors is what went wrong with many blogs, told in a few words.
type manyErrors struct {
	text   string
	causes []error // the first of each kind
}

func (e *manyErrors) Error() string   { return e.text }
func (e *manyErrors) Unwrap() []error { return e.causes }

var numbers = regexp.MustCompile(`\d+`)

const longestCause = 500 // bytes

// summed joins errors of blogs. Those that differ in nothing but numbers are told once.
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
