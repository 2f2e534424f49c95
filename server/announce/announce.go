// Package announce tells search engines what has changed at a site, by IndexNow. Whenever a blog gets another catalog, it is
// compared with the ledger of what was announced; what differs is queued and sent. Ledger and queue are kept together in
// the store, so that a restart announces what has changed meanwhile, and nothing twice. Without a ledger, and after our
// own configuration of the site was changed, the first catalog is taken for known. Start reading at Announcer.Run.
package announce

import (
	"context"
	"fmt"
	"maps"
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

const (
	// mostAtOnce is how many posts a comparison announces at most. The rest is announced when those are sent: the ledger
	// knows.
	mostAtOnce     = 5000
	compareRest    = 2 * time.Second // at least, between comparisons of a blog
	compareShare   = 20              // a comparison that took a second is followed by a rest of so many
	compareRetry   = time.Minute     // after one that failed
	compareTimeout = 2 * time.Minute
	// claimLasts is how long a batch is one daemon's. It is no longer than the pause between two announcements of one address.
	claimLasts = 10 * time.Minute
	saveEvery  = 30 * time.Second // a ledger may have megabytes
	noteName   = "indexnow"
	shownURLs  = 10 // of a batch, in the log of a dry run
)

// Session is what an announcer needs of a site for as long as its configuration stays as it is.
type Session struct {
	Site     *site.Site
	Store    *store.Store                                    // nil: none
	Now      func() time.Time                                // the clock of queues
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

// announced is what an announcer knows of a blog. It is guarded by the announcer's mu, but for what is used while
// comparing and sending, which only the session whose turn it is does.
type announced struct {
	note    note
	queue   *queue
	home    string
	seen    uint64    // generation of the catalog that was compared last
	more    bool      // part of it was not announced yet
	rested  time.Time // no comparison before
	failing string
	unsaved bool
	saved   time.Time
}

// note is what is kept of a blog in the store.
type note struct {
	View   string // of the configuration it was read with
	Ledger *ledger.Ledger
	Queue  []string
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
	defer a.save(&s, true)
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
	maps.DeleteFunc(a.blogs, func(key string, _ *announced) bool {
		return !slices.ContainsFunc(blogs, func(b *site.Blog) bool { return b.Key() == key })
	})
	a.mu.Unlock()
	return min(wait, a.save(s, false))
}

// announce compares and sends what is due of a blog.
func (a *Announcer) announce(ctx context.Context, s *Session, b *site.Blog) (wait time.Duration) {
	k := a.announcedOf(s, b)
	wait = time.Hour
	if (k.seen != b.Generation || k.more) && k.queue.Room() >= mostAtOnce {
		if now := time.Now(); now.Before(k.rested) {
			wait = k.rested.Sub(now)
		} else {
			a.compare(ctx, s, b, k)
			if k.more || k.failing != "" {
				wait = max(0, time.Until(k.rested))
			}
		}
	}
	a.mu.Lock()
	batch, later := k.queue.Next(s.Now())
	a.mu.Unlock()
	if len(batch) == 0 {
		return min(wait, later)
	}
	o := outcome{Elsewhere: true}
	if s.Store == nil || s.Store.Claim(s.Site.Config.Name, claim(b, batch), claimLasts) {
		o = s.submit(ctx, k, batch)
	}
	if ctx.Err() != nil {
		return 0 // it is kept, and sent after the start
	}
	a.mu.Lock()
	k.queue.Done(s.Now(), batch, o)
	k.unsaved = true
	_, later = k.queue.Next(s.Now())
	a.mu.Unlock()
	s.logOutcome(b, len(batch), o)
	return min(wait, later)
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
		k = &announced{home: strictAddress(b.Home)}
		if s.Store != nil && !s.Store.Note(s.noteOf(b.Key()), &k.note) {
			k.note = note{}
		}
		k.queue = newQueue(k.home, k.note.Queue)
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

// compare queues what is new, changed or gone.
func (a *Announcer) compare(ctx context.Context, s *Session, b *site.Blog, k *announced) {
	done, ok := s.Place(ctx)
	if !ok {
		return
	}
	defer done()
	view := s.Site.Config.Listing()
	known := k.note.Ledger
	if k.note.View != view {
		known = nil
	}
	start := time.Now()
	var next *ledger.Ledger
	var news ledger.News
	err := s.Site.Guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, compareTimeout)
		defer cancel()
		next, news, err = b.Catalog.Compare(ctx, known, mostAtOnce)
		return err
	})
	took := time.Since(start)
	k.rested = time.Now().Add(max(compareRest, compareShare*took))
	if err != nil {
		k.rested = time.Now().Add(max(compareRetry, compareShare*took))
		if ctx.Err() == nil && k.failing != err.Error() {
			k.failing = err.Error()
			s.Site.Log.Warn("changes cannot be determined; they are announced later", "blog", b.ID, "reason", err)
		}
		return
	}
	k.failing = ""
	k.seen, k.more = b.Generation, news.More
	if known == nil && next != nil {
		s.Site.Log.Info("changes are announced by IndexNow from now on", "blog", b.ID, "known", next.Objects(), "dry_run", s.Site.Config.IndexNow.DryRun)
	}
	if len(news.URLs) > 0 || news.Unknown > 0 {
		s.Site.Log.Info("changes to announce", "blog", b.ID, "urls", len(news.URLs), "new", news.New, "changed", news.Changed, "gone", news.Gone,
			"gone_without_url", news.Unknown, "more", news.More)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	k.unsaved = true
	k.note.View, k.note.Ledger = view, next
	k.queue.Add(s.Now(), news.URLs)
}

// submit sends a batch, or logs what would be sent.
func (s *Session) submit(ctx context.Context, k *announced, batch []string) outcome {
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

// save has ledgers and queues written that have changed, each every saveEvery at most, and returns the time until the next is to
// be; at the end all are.
func (a *Announcer) save(s *Session, end bool) (wait time.Duration) {
	wait = time.Hour
	if s.Store == nil {
		return wait
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for key, k := range a.blogs {
		if k.unsaved && (end || !now.Before(k.saved.Add(saveEvery))) {
			note := k.note
			note.Queue = k.queue.Waiting()
			k.saved, k.unsaved = now, !s.Store.SaveNote(s.noteOf(key), note)
		}
		if k.unsaved {
			wait = min(wait, k.saved.Add(saveEvery).Sub(now))
		}
	}
	return wait
}

// Fares sums up how the announcements of the site's blogs fare.
func (a *Announcer) Fares() (sum metrics.Announcements) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range a.blogs {
		s := k.queue.Stats()
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
