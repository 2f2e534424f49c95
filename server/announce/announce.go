// Package announce tells search engines by IndexNow what has changed at a site. While the process runs, it compares each
// catalog with the last announced one. After a restart, it announces the objects whose date is later than the newest announced
// date. A note in the store keeps that date. Without a note, the first catalog counts as announced. The same holds for the
// first catalog after the configuration of the site or its plugin has changed. Start reading at Announcer.announce.
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
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/urlset"
)

const (
	settle         = 15 * time.Second // the wait after a change, for further changes of the same edit
	rest           = 5 * time.Minute  // between requests for a blog, because engines do not want an address twice in a short time
	firstRetry     = time.Minute      // the pause after a failure; it doubles with each further failure
	lastRetry      = time.Hour        // the longest pause after failures
	rate           = 1000             // addresses a minute at most, so that engines do not fetch more than they would by themselves
	maxBatch       = 10_000           // addresses in one request, by the protocol
	contested      = time.Minute      // until the next check whether another site still has a home
	compareTimeout = 2 * time.Minute
	claimLasts     = 2 * rest // how long a batch belongs to the daemon that claimed it
	shownURLs      = 10       // how many URLs of a batch the log of a dry run shows
)

// Session is what an announcer needs from a site with one configuration.
type Session struct {
	Site    *site.Site
	Install Install
	Store   *store.Store // nil: none
	Slots   site.Slots
	Now     func() time.Time // the clock for waiting
}

// An Install tells whether a session still announces for its site, and which homes lead to the site.
type Install interface {
	Replaced() bool          // Replaced reports whether another session has taken over the site.
	Serves(home string) bool // Serves reports whether the host and path of a home lead to the site.
}

// Announcer announces the changes of a site. If the configuration changes, the announcer stays and gets another session.
type Announcer struct {
	changed chan struct{} // contains one signal if there may be a new catalog
	turn    chan struct{} // contains one token while a session announces

	mu    sync.Mutex // guards stats; only the session with the token uses the other fields
	blogs map[string]*announced
}

// announced is what an announcer knows of one blog.
type announced struct {
	note    note
	known   *sitemap.Catalog // the last announced catalog; nil: everything up to note.Newest was announced
	seen    uint64           // generation of the last announced catalog
	settles bool             // there is a new catalog, and its announcement waits for further changes
	due     time.Time        // no request before this time
	failed  int              // failed requests in a row
	stats   metrics.Announcements
}

// note is what the store keeps about the announcements of a blog.
type note struct {
	View   string // hash of the settings that decide which addresses are listed
	Newest int64  // the newest announced date, in Unix seconds; 0: nothing was announced
}

// New returns an announcer without any knowledge.
func New() *Announcer {
	return &Announcer{changed: make(chan struct{}, 1), turn: make(chan struct{}, 1), blogs: map[string]*announced{}}
}

// Changed tells the announcer that there may be a new catalog. It does not wait.
func (a *Announcer) Changed() {
	select {
	case a.changed <- struct{}{}:
	default: // it has a signal already
	}
}

// Run announces until ctx ends or another session has taken over the site.
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
	for !s.Install.Replaced() {
		timer := time.NewTimer(max(a.once(ctx, &s), 10*time.Millisecond))
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

// once announces what is due now, and returns the time until something may be due.
func (a *Announcer) once(ctx context.Context, s *Session) (wait time.Duration) {
	wait = time.Hour
	blogs := map[string]bool{}
	for _, b := range s.Site.Snapshot().Blogs {
		blogs[b.Key()] = true
		k := a.announcedOf(s, b)
		switch {
		case b.Catalog == nil: // an idle blog keeps no catalog in memory
			k.known = nil
		case b.HeldBy != "" || ctx.Err() != nil: // a held loss is not announced
		case !s.Install.Serves(b.Home): // another site has this home now
			wait = min(wait, contested)
		default:
			wait = min(wait, a.announce(ctx, s, b, k))
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.blogs, func(key string, _ *announced) bool { return !blogs[key] })
	return wait
}

// announcedOf returns what the announcer knows of a blog. If it knows nothing yet, announcedOf reads the note in the store.
func (a *Announcer) announcedOf(s *Session, b *site.Blog) *announced {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.blogs[b.Key()]
	if k == nil {
		k = new(announced)
		if s.Store == nil || !s.Store.Note(s.noteOf(b), &k.note) {
			k.note = note{}
		}
		a.blogs[b.Key()] = k
	}
	return k
}

func (s *Session) noteOf(b *site.Blog) store.Note {
	return store.Note{Site: s.Site.Config.Name, Blog: b.Key(), Name: "indexnow"}
}

// announce sends the differences between a blog's catalog and the last announced one. It returns the time until there
// may be something to do.
func (a *Announcer) announce(ctx context.Context, s *Session, b *site.Blog, k *announced) time.Duration {
	now := s.Now()
	switch first := k.note.Newest == 0; {
	case k.seen == b.Generation, !first && !b.Catalog.Tells():
		return time.Hour
	case first, k.note.View != s.Site.Config.Listing(), k.known != nil && k.known.Plugin() != b.Catalog.Plugin():
		s.Site.Log.Info("changes are announced by IndexNow from now on", "blog", b.ID, "dry_run", s.Site.Config.IndexNow.DryRun)
		s.remember(b, k)
		return time.Hour
	case !k.settles:
		k.settles = true
		if until := now.Add(settle); until.After(k.due) {
			k.due = until
		}
	}
	if wait := k.due.Sub(now); wait > 0 {
		return wait
	}
	urls, left, o := s.sendChanges(ctx, b, k)
	if ctx.Err() != nil {
		return 0 // the store does not know this catalog yet, so the next start announces it
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.count(k, urls, o)
	if o.Verdict == retry {
		return k.due.Sub(now)
	}
	k.stats.Dropped += int64(left)
	if s.remember(b, k); urls == 0 {
		k.due = now
	}
	return time.Hour
}

// remember records that a catalog was announced. It does not keep a date in the future, because later edits would look older.
func (s *Session) remember(b *site.Blog, k *announced) {
	k.known, k.seen, k.settles = b.Catalog, b.Generation, false
	next := note{View: s.Site.Config.Listing(), Newest: max(1, min(b.Catalog.Newest(), b.Built.Unix()))}
	if next != k.note && s.Store != nil {
		s.Store.SaveNote(s.noteOf(b), next)
	}
	k.note = next
}

// sendChanges finds the changed addresses and sends them, unless another daemon has claimed them. urls is the number of
// addresses in the batch. left is how many changed addresses are not in the batch, because they are not below home or have no
// room. If ctx ends before there is a slot, sendChanges returns zeros.
func (s *Session) sendChanges(ctx context.Context, b *site.Blog, k *announced) (urls, left int, o outcome) {
	done, ok := s.Slots.Acquire(ctx, s.Site.DatabaseServer(), nil)
	if !ok {
		return 0, 0, o
	}
	var batch []string
	home := strings.TrimRight(strict(b.Home), "/")
	err := s.Site.Guard(func() error {
		defer done()
		ctx, cancel := context.WithTimeout(ctx, compareTimeout)
		defer cancel()
		known := k.known
		if known == nil {
			known = new(sitemap.Catalog)
		}
		news, err := b.Catalog.News(ctx, known.Catalog, k.note.Newest, maxBatch)
		batch, left = batchOf(news.URLs, home)
		left += news.Left
		return err
	})
	switch {
	case err != nil:
		o = outcome{Verdict: retry, Reason: err.Error()}
	case len(batch) > 0:
		o = s.send(ctx, b, home, batch)
	}
	s.log(b, len(batch), left, o)
	return len(batch), left, o
}

// batchOf returns the addresses that one request may announce, sorted: those below home, without a slash at its end. left is how many
// other addresses there are.
func batchOf(urls []string, home string) (batch []string, left int) {
	for _, u := range slices.Compact(slices.Sorted(slices.Values(urls))) {
		rest, below := strings.CutPrefix(u, home)
		if below && (rest == "" || rest[0] == '/' || rest[0] == '?') && len(batch) < maxBatch {
			batch = append(batch, u)
		} else {
			left++
		}
	}
	return batch, left
}

// strict returns an address in the form in which it is announced.
func strict(address string) string {
	if plain, ok := urlset.Strict.AppendPlain(nil, address); ok {
		return string(plain)
	}
	return address
}

// send sends a batch, unless another daemon has claimed it. In a dry run, it only logs the batch. Daemons that have
// seen the same edits make the same claim. The claim contains the dates of the files, so that it differs after the next edit.
func (s *Session) send(ctx context.Context, b *site.Blog, home string, batch []string) outcome {
	var claim strings.Builder
	fmt.Fprintln(&claim, "indexnow", b.Key(), strings.Join(batch, "\n"))
	for _, f := range b.Outline.Files {
		fmt.Fprintln(&claim, f.URL, f.LastMod.Unix())
	}
	if s.Store != nil && !s.Store.Claim(s.Site.Config.Name, claim.String(), claimLasts) {
		return outcome{Elsewhere: true}
	}
	if s.Site.Config.IndexNow.DryRun {
		s.Site.Log.Info("dry run: the daemon would announce these URLs", "urls", len(batch), "first", batch[:min(len(batch), shownURLs)])
		return outcome{}
	}
	return submit(ctx, s.Site.Config.IndexNow, home, batch)
}

// log logs the result of a batch.
func (s *Session) log(b *site.Blog, urls, left int, o outcome) {
	attrs := []any{"blog", b.ID, "urls", urls, "left", left, "status", o.Status}
	switch {
	case o.Elsewhere:
		s.Site.Log.Debug("another daemon announces these URLs, so this one does not", attrs...)
	case o.Verdict == refused:
		s.Site.Log.Error("an announcement was refused; these URLs are not announced", append(attrs, "reason", o.Reason, "hint", o.Hint)...)
	case o.Verdict == retry:
		s.Site.Log.Warn("an announcement failed; the daemon retries it later",
			append(attrs, "reason", o.Reason, "retry_after", o.RetryAfter, "hint", o.Hint)...)
	case urls > 0:
		s.Site.Log.Info("announced", attrs...)
	}
}

// count counts the result for a number of addresses, and sets when the next request may be sent. The caller must hold Announcer.mu.
func (s *Session) count(k *announced, urls int, o outcome) {
	now := s.Now()
	if urls > 0 && !o.Elsewhere {
		k.stats.Status, k.stats.Last, k.stats.Reason = o.Status, now, o.Reason
	}
	k.stats.Waiting = 0
	pause := max(rest, time.Duration(urls)*time.Minute/rate)
	switch {
	case o.Verdict == retry:
		k.stats.Waiting = urls
		pause = max(min(firstRetry<<min(k.failed, 10), lastRetry), o.RetryAfter)
		k.failed++
	case o.Verdict == refused:
		k.stats.Refused += int64(urls)
		k.failed = 0
	default:
		k.failed = 0
		if !o.Elsewhere {
			k.stats.Sent += int64(urls)
		}
	}
	k.due = now.Add(pause)
}

// State returns the state of the announcements of all blogs of the site, added up.
func (a *Announcer) State() (sum metrics.Announcements) {
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
