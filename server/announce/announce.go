// Package announce tells search engines what has changed at a site, by IndexNow. Whenever a blog gets another catalog, it is
// compared with the ledger of what was announced, and what differs is sent. The ledger takes in only what was accepted or refused:
// what could not be sent differs again at the next comparison. It is kept in the store, so that a restart announces what has changed
// meanwhile. Without a ledger, and after our own configuration of the site was changed, the first catalog is taken for known.
// Start reading at Announcer.announce.
package announce

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/ledger"
	"wpsitemapd/sitemap/urlset"
)

// How often is announced.
const (
	settle     = 15 * time.Second // after a change was noticed, for what belongs to the same edit
	rest       = 30 * time.Second // at least, between comparisons of a blog: a ledger may have megabytes, and each is kept
	restShare  = 20               // a comparison that took a second is followed by a rest of so many
	again      = 10 * time.Minute // between two announcements of one address
	firstRetry = time.Minute      // after a failure, doubled after each that follows
	lastRetry  = time.Hour        // the longest pause after failures
	refusal    = 10 * time.Minute // after a refusal: the next request would be refused, too
	jitter     = 0.2              // of a retry, so that many sites do not retry at the same time
	// rate is how many addresses are announced in a minute at most: a large import is told of within minutes, and no engine has
	// more to fetch than it would by itself.
	rate = 1000
)

const (
	// mostAtOnce is how many objects a comparison brings at most. The ledger knows the rest.
	mostAtOnce     = rate
	maxBatch       = 10_000 // addresses of a request, by the protocol
	maxRemembered  = 20_000 // addresses that were announced, or are to be once more
	compareTimeout = 2 * time.Minute
	claimLasts     = again // for so long a batch is one daemon's
	noteName       = "indexnow"
	shownURLs      = 10 // of a batch, in the log of a dry run
)

// Session is what an announcer needs of a site for as long as its configuration stays as it is.
type Session struct {
	Site     *site.Site
	Store    *store.Store                                    // nil: none
	Now      func() time.Time                                // the clock by which is waited
	Replaced func() bool                                     // another session has the site
	Place    func(context.Context) (release func(), ok bool) // waits for a place at the site's database
}

// Announcer announces the changes of a site. It outlives the session in which it does so.
type Announcer struct {
	changed chan struct{} // holds one signal: there may be another catalog
	turn    chan struct{} // of the session that announces; one at a time

	mu    sync.Mutex
	blogs map[string]*announced // by key
}

// announced is what an announcer knows of a blog. The announcer's mu guards stats; the rest belongs to the session whose turn it is.
type announced struct {
	note    note
	home    string
	seen    uint64               // generation of the catalog of which everything was announced
	settles bool                 // another catalog was noticed, and due was set for it
	due     time.Time            // no comparison and no request before
	failed  int                  // requests in a row
	failing string               // why the last comparison failed; ""
	sent    map[string]time.Time // addresses, for as long as they are not announced again
	stats   metrics.Announcements
}

// note is what is kept of a blog in the store.
type note struct {
	View   string // of the configuration it was read with
	Ledger *ledger.Ledger
	Held   []string // addresses that the ledger knows, and that were not sent: they have changed once more, or are too many for one request
}

// New returns an announcer that knows of nothing yet.
func New() *Announcer {
	return &Announcer{changed: make(chan struct{}, 1), turn: make(chan struct{}, 1), blogs: map[string]*announced{}}
}

// Changed has it look for another catalog.
func (a *Announcer) Changed() {
	select {
	case a.changed <- struct{}{}:
	default: // it has a signal already
	}
}

// Run announces until ctx ends or another session has the site.
func (a *Announcer) Run(ctx context.Context, s Session) {
	if s.Site.Config.IndexNow.Key == "" {
		return
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return
	}
	defer a.Changed() // for the next session, which may have missed a signal
	for !s.Replaced() {
		wait := a.once(ctx, &s)
		timer := time.NewTimer(max(wait, 10*time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-a.changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// once does what is due now, and returns the time until something may be.
func (a *Announcer) once(ctx context.Context, s *Session) (wait time.Duration) {
	wait = time.Hour
	blogs := s.Site.Snapshot().Blogs
	for _, b := range blogs { // what a blog has lost is not announced before it is confirmed
		if b.Catalog != nil && b.Generation != 0 && b.HeldBy == "" && ctx.Err() == nil {
			wait = min(wait, a.announce(ctx, s, b))
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.blogs, func(key string, _ *announced) bool {
		return !slices.ContainsFunc(blogs, func(b *site.Blog) bool { return b.Key() == key })
	})
	return wait
}

// announce compares a blog where it has another catalog, sends what differs, and keeps the ledger that knows it. It returns the time
// until there may be something to do.
func (a *Announcer) announce(ctx context.Context, s *Session, b *site.Blog) time.Duration {
	k := a.announcedOf(s, b)
	now, changed := s.Now(), k.seen != b.Generation
	if changed && !k.settles && k.note.Ledger != nil {
		k.settles = true
		k.wait(now, settle)
	}
	if wait := max(k.due.Sub(now), k.idle(now, changed)); wait > 0 {
		return wait
	}
	next, news, ok := k.note, ledger.News{}, true
	if changed {
		if next, news, ok = s.compare(ctx, b, k); !ok {
			return k.due.Sub(now)
		}
	}
	batch, held, dropped := k.batch(slices.Concat(k.note.Held, news.URLs))
	var o outcome
	if len(batch) > 0 {
		o = s.send(ctx, b, k, batch)
		if ctx.Err() != nil {
			return 0 // the ledger does not know it: it is sent after the start
		}
		s.logOutcome(b, len(batch), o)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	k.count(s.Now(), len(batch), o)
	if o.Verdict == retry {
		k.stats.Waiting = len(batch) + len(held) + news.Left
		return k.due.Sub(now)
	}
	for _, u := range batch {
		if o.Verdict == accepted && len(k.sent) < maxRemembered {
			k.sent[u] = now
		}
	}
	k.stats.Waiting, k.stats.Dropped = len(held)+news.Left, k.stats.Dropped+int64(dropped)
	if changed && news.Left == 0 {
		k.seen, k.settles = b.Generation, false
	}
	k.note = next
	k.note.Held = held
	if s.Store != nil {
		s.Store.SaveNote(s.noteOf(b.Key()), k.note)
	}
	return min(k.due.Sub(now), time.Hour)
}

// wait has nothing sent before some time has passed.
func (k *announced) wait(now time.Time, d time.Duration) {
	if due := now.Add(d); due.After(k.due) {
		k.due = due
	}
}

// idle is the time until an address that waits may be sent, none where the catalog has changed. It forgets what was sent long ago.
func (k *announced) idle(now time.Time, changed bool) time.Duration {
	maps.DeleteFunc(k.sent, func(_ string, at time.Time) bool { return now.Sub(at) >= again })
	if changed {
		return 0
	}
	wait := time.Hour
	for _, u := range k.note.Held {
		wait = min(wait, k.sent[u].Add(again).Sub(now))
	}
	return wait
}

// batch divides addresses into those to be sent now, those that wait, and those that cannot be announced, of which it returns the
// number: they are not below home, or too many wait.
func (k *announced) batch(urls []string) (batch, held []string, dropped int) {
	known := map[string]bool{}
	for _, u := range urls {
		if known[u] {
			continue
		}
		known[u] = true
		path, below := strings.CutPrefix(u, k.home)
		_, sent := k.sent[u]
		switch {
		case !below || path != "" && path[0] != '/' && path[0] != '?':
			dropped++
		case !sent && len(batch) < maxBatch:
			batch = append(batch, u)
		case len(held) < maxRemembered:
			held = append(held, u)
		default:
			dropped++
		}
	}
	return batch, held, dropped
}

// count counts what came of a number of addresses, and sets when the next may be sent.
func (k *announced) count(now time.Time, urls int, o outcome) {
	if urls > 0 && !o.Elsewhere {
		k.stats.Status, k.stats.Last, k.stats.Reason = o.Status, now, o.Reason
	}
	switch o.Verdict {
	case retry:
		pause := min(firstRetry<<min(k.failed, 10), lastRetry)
		pause += time.Duration(jitter * rand.Float64() * float64(pause))
		k.failed++
		k.wait(now, max(pause, o.RetryAfter))
		return
	case refused:
		k.stats.Refused += int64(urls)
		k.wait(now, refusal)
	case accepted:
		if !o.Elsewhere {
			k.stats.Sent += int64(urls)
		}
		k.wait(now, max(rest, time.Duration(urls)*time.Minute/rate))
	}
	k.failed = 0
}

// claim is a text for a batch, the same in all daemons that have seen the same edits of a blog. The dates have it be another
// one after the next edit of the same posts.
func claim(b *site.Blog, batch []string) string {
	var text strings.Builder
	fmt.Fprintln(&text, "indexnow", b.Key())
	for _, f := range b.Outline.Files {
		fmt.Fprintln(&text, f.URL, f.LastMod.Unix())
	}
	for _, u := range slices.Sorted(slices.Values(batch)) {
		fmt.Fprintln(&text, u)
	}
	return text.String()
}

// announcedOf returns what is known of a blog, with what an earlier process knew.
func (a *Announcer) announcedOf(s *Session, b *site.Blog) *announced {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.blogs[b.Key()]
	if k == nil {
		k = &announced{home: strictAddress(b.Home), sent: map[string]time.Time{}}
		if s.Store != nil && !s.Store.Note(s.noteOf(b.Key()), &k.note) {
			k.note = note{}
		}
		a.blogs[b.Key()] = k
	}
	return k
}

func (s *Session) noteOf(key string) store.Note {
	return store.Note{Site: s.Site.Config.Name, Blog: key, Name: noteName}
}

// strictAddress is a home as addresses that are announced begin.
func strictAddress(home string) string {
	if plain, ok := urlset.Strict.AppendPlain(nil, home); ok {
		return strings.TrimRight(string(plain), "/")
	}
	return home
}

// compare returns what is new, changed or gone, and the note that knows it.
func (s *Session) compare(ctx context.Context, b *site.Blog, k *announced) (next note, news ledger.News, ok bool) {
	done, ok := s.Place(ctx)
	if !ok {
		return next, news, false
	}
	defer done()
	next.View = s.Site.Config.Listing()
	known := k.note.Ledger
	if k.note.View != next.View {
		known = nil
	}
	start := time.Now()
	err := s.Site.Guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, compareTimeout)
		defer cancel()
		next.Ledger, news, err = b.Catalog.Compare(ctx, known, mostAtOnce)
		return err
	})
	k.wait(s.Now(), restShare*time.Since(start))
	if err != nil {
		k.wait(s.Now(), firstRetry)
		if ctx.Err() == nil && k.failing != err.Error() {
			k.failing = err.Error()
			s.Site.Log.Warn("changes cannot be determined; they are announced later", "blog", b.ID, "reason", err)
		}
		return next, news, false
	}
	k.failing = ""
	if known == nil && next.Ledger != nil {
		s.Site.Log.Info("changes are announced by IndexNow from now on", "blog", b.ID, "known", next.Ledger.Objects(),
			"dry_run", s.Site.Config.IndexNow.DryRun)
	}
	if len(news.URLs) > 0 || news.Unknown > 0 {
		s.Site.Log.Info("changes to announce", "blog", b.ID, "urls", len(news.URLs), "new", news.New, "changed", news.Changed, "gone", news.Gone,
			"gone_without_url", news.Unknown, "left", news.Left)
	}
	return next, news, true
}

// send sends a batch, or logs what would be sent, unless another daemon does.
func (s *Session) send(ctx context.Context, b *site.Blog, k *announced, batch []string) outcome {
	if s.Store != nil && !s.Store.Claim(s.Site.Config.Name, claim(b, batch), claimLasts) {
		return outcome{Elsewhere: true}
	}
	opt := s.Site.Config.IndexNow
	if opt.DryRun {
		s.Site.Log.Info("dry run: these would be announced", "urls", len(batch), "first", batch[:min(len(batch), shownURLs)])
		for _, u := range batch {
			s.Site.Log.Debug("dry run: would be announced", "url", u)
		}
		return outcome{}
	}
	return submit(ctx, opt, k.home, batch)
}

// logOutcome logs what came of a batch: successes quietly, the rest when it changes.
func (s *Session) logOutcome(b *site.Blog, urls int, o outcome) {
	attrs := []any{"blog", b.ID, "urls", urls, "status", o.Status}
	if o.Elsewhere {
		s.Site.Log.Debug("another daemon announces these", attrs...)
		return
	}
	switch o.Verdict {
	case accepted:
		if o.Status != 0 { // no dry run
			s.Site.Log.Info("announced", attrs...)
		}
	case refused:
		s.Site.Log.Error("an announcement was refused; these URLs are not announced", append(attrs, "reason", o.Reason, "hint", o.Hint)...)
	case retry:
		s.Site.Log.Warn("an announcement failed; it is retried later",
			append(attrs, "reason", o.Reason, "retry_after", o.RetryAfter, "hint", o.Hint)...)
	}
}

// Fares sums up how the announcements of the site's blogs fare.
func (a *Announcer) Fares() (sum metrics.Announcements) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range a.blogs {
		s := k.stats
		sum.Waiting += s.Waiting
		sum.Sent += s.Sent
		sum.Refused += s.Refused
		sum.Dropped += s.Dropped
		if s.Last.After(sum.Last) {
			sum.Last, sum.Status, sum.Reason = s.Last, s.Status, s.Reason
		}
	}
	return sum
}
