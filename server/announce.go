package server

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"wpsitemapd/server/store"

	"wpsitemapd/server/indexnow"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/urlset"
)

// Announcements. Whenever a blog gets another catalog, it is compared with the ledger of what
// was announced; what differs is queued and sent. Ledger and queue are kept together in the
// folder state, so that a restart announces what has changed meanwhile, and nothing twice.
// Without a ledger, and after our own configuration of the site was changed, the first
// catalog is taken for known.
const (
	// announceAtOnce is how many posts a comparison tells at most. What is left is told when
	// those are sent: the ledger knows.
	announceAtOnce = 5000
	announceRest   = 2 * time.Second // at least, between comparisons of a blog; see restShare
	announceRetry  = time.Minute     // after one that failed
	announceWait   = 2 * time.Second // while another process writes to the folder
	// ledgerShare is how many bytes of a note make its next writing a second later.
	ledgerShare = 100 << 10
	noteName    = "indexnow"
	shownURLs   = 10 // of a batch, in the log of a dry run
)

// comparer is a catalog that can be compared with what was announced.
type comparer interface {
	Compare(ctx context.Context, known *sitemap.Ledger, limit int) (*sitemap.Ledger, sitemap.News, error)
}

// announcer announces the changes of a site. It outlives its worker where another takes its
// place.
type announcer struct {
	kick chan struct{} // holds one word: there may be another catalog
	turn chan struct{} // of the worker that announces; one at a time

	mu    sync.Mutex
	blogs map[string]*announced // by key
}

// announced is what an announcer knows of a blog. Guarded by its mu, but for what is used while
// comparing and sending, which only the worker whose turn it is does.
type announced struct {
	note    announcedNote
	loaded  bool
	queue   *indexnow.Queue
	home    string
	seen    uint64    // generation of the catalog that was compared last
	more    bool      // not everything of it was told
	rested  time.Time // no comparison before
	failing string
	unsaved bool
	saved   time.Time // no saving before
	pending bool      // the engine said that it has not looked at the key yet
	refused int       // status of the last answer that refused; 0: was accepted since
}

// announcedNote is what is kept of a blog on disk.
type announcedNote struct {
	View   string // of the configuration it was read with
	Ledger *sitemap.Ledger
	Queue  []string
}

func newAnnouncer() *announcer {
	return &announcer{kick: make(chan struct{}, 1), turn: make(chan struct{}, 1), blogs: map[string]*announced{}}
}

// tell has it look for another catalog.
func (a *announcer) tell() {
	select {
	case a.kick <- struct{}{}:
	default: // told already
	}
}

// announce announces until ctx ends or another worker has the site.
func (w *worker) announce(ctx context.Context) {
	a := w.news
	if w.site.IndexNow.Key == "" || !acquire(ctx, a.turn) {
		return
	}
	defer release(a.turn)
	defer w.saveNews(true)
	defer a.tell() // the next one, who may have missed a word
	for !w.replaced.Load() {
		wait := w.announceOnce(ctx)
		timer := time.NewTimer(max(wait, 10*time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-a.kick:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// announceOnce does what is due now, and returns the time until something may be.
func (w *worker) announceOnce(ctx context.Context) (wait time.Duration) {
	store := w.server.store
	if store != nil && !store.Writes(w.site.Name) {
		return announceWait // the process that writes to the folder announces
	}
	wait = time.Hour
	blogs := w.state.Load().blogs
	for _, b := range blogs {
		if c, ok := b.catalog.(comparer); ok && b.held == "" && ctx.Err() == nil {
			wait = min(wait, w.announceBlog(ctx, b, c))
		}
	}
	w.news.mu.Lock()
	maps.DeleteFunc(w.news.blogs, func(key string, _ *announced) bool {
		return !slices.ContainsFunc(blogs, func(b *blogState) bool { return b.key() == key })
	})
	w.news.mu.Unlock()
	return min(wait, w.saveNews(false))
}

// announceBlog compares and sends what is due of a blog.
func (w *worker) announceBlog(ctx context.Context, b *blogState, c comparer) (wait time.Duration) {
	k := w.announcedOf(b)
	wait = time.Hour
	if (k.seen != b.generation || k.more) && k.queue.Room() >= announceAtOnce {
		if now := time.Now(); now.Before(k.rested) {
			wait = k.rested.Sub(now)
		} else {
			w.compareBlog(ctx, b, c, k)
			if k.more || k.failing != "" {
				wait = max(0, time.Until(k.rested))
			}
		}
	}
	opt := w.site.IndexNow
	w.news.mu.Lock()
	batch, later := k.queue.Next(w.server.announceClock(), opt.Rate)
	w.news.mu.Unlock()
	if len(batch) == 0 {
		return min(wait, later)
	}
	outcome := w.submit(ctx, opt, k, batch)
	if ctx.Err() != nil {
		return 0 // it is kept, and sent after the start
	}
	w.news.mu.Lock()
	k.queue.Done(w.server.announceClock(), batch, opt.Rate, outcome)
	k.unsaved = true
	_, later = k.queue.Next(w.server.announceClock(), opt.Rate)
	w.news.mu.Unlock()
	w.logOutcome(k, b, len(batch), outcome)
	return min(wait, later)
}

// announceClock is the clock of queues.
func (s *Server) announceClock() time.Time {
	if s.announceNow != nil {
		return s.announceNow()
	}
	return time.Now()
}

// announcedOf returns what is known of a blog, with what an earlier process knew.
func (w *worker) announcedOf(b *blogState) *announced {
	a := w.news
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.blogs[b.key()]
	if k == nil {
		k = &announced{}
		a.blogs[b.key()] = k
	}
	if !k.loaded {
		k.loaded = true
		k.home = strictAddress(b.home)
		if store := w.server.store; store != nil {
			if _, ok := store.Note(w.newsNote(b.key()), &k.note); !ok {
				k.note = announcedNote{}
			}
		}
		k.queue = indexnow.NewQueue(k.home, k.note.Queue)
	}
	return k
}

func (w *worker) newsNote(key string) store.Note {
	return store.Note{Site: w.site.Name, Blog: key, Name: noteName}
}

// strictAddress is a home as addresses that are announced begin.
func strictAddress(home string) string {
	if plain, ok := urlset.Strict.AppendPlain(nil, home); ok {
		return strings.TrimRight(string(plain), "/")
	}
	return home
}

// compareBlog queues what is new, changed or gone.
func (w *worker) compareBlog(ctx context.Context, b *blogState, c comparer, k *announced) {
	done, ok := w.server.rebuilds.acquire(ctx, w.databaseServer())
	if !ok {
		return
	}
	defer done()
	view := w.site.Listing()
	known := k.note.Ledger
	if k.note.View != view {
		known = nil
	}
	start := time.Now()
	var next *sitemap.Ledger
	var news sitemap.News
	err := w.guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		next, news, err = c.Compare(ctx, known, announceAtOnce)
		return err
	})
	took := time.Since(start)
	k.rested = time.Now().Add(max(announceRest, restShare*took))
	if err != nil {
		k.rested = time.Now().Add(max(announceRetry, restShare*took))
		if ctx.Err() == nil && k.failing != err.Error() {
			k.failing = err.Error()
			w.log.Warn("what has changed cannot be found out, and is announced later", "blog", b.id, "reason", err)
		}
		return
	}
	k.failing = ""
	k.seen, k.more = b.generation, news.More
	if known == nil && next != nil {
		w.log.Info("changes are announced by IndexNow from now on", "blog", b.id, "known", next.Objects(), "dry_run", w.site.IndexNow.DryRun)
	}
	if len(news.URLs) > 0 || news.Unknown > 0 {
		w.log.Info("changes to announce", "blog", b.id, "urls", len(news.URLs), "new", news.New, "changed", news.Changed, "gone", news.Gone, "gone_without_address", news.Unknown, "more", news.More)
	}
	w.news.mu.Lock()
	defer w.news.mu.Unlock()
	k.unsaved = k.unsaved || known == nil && next != nil || len(news.URLs) > 0 || news.Unknown > 0 || !sameLedger(known, next)
	k.note.View, k.note.Ledger = view, next
	k.queue.Add(w.server.announceClock(), news.URLs)
}

// sameLedger reports whether two ledgers know the same.
func sameLedger(a, b *sitemap.Ledger) bool {
	if a == nil || b == nil || a.Core != b.Core {
		return a == b
	}
	return slices.EqualFunc(a.Lists, b.Lists, func(x, y sitemap.LedgerList) bool {
		return x.Name == y.Name && slices.Equal(x.Marks, y.Marks) && maps.Equal(x.Addresses, y.Addresses) && maps.Equal(x.Links, y.Links)
	})
}

// submit sends a batch, or tells what would be sent.
func (w *worker) submit(ctx context.Context, opt indexnow.Options, k *announced, batch []string) indexnow.Outcome {
	if opt.DryRun {
		w.log.Info("dry run: these would be announced", "urls", len(batch), "first", batch[:min(len(batch), shownURLs)])
		for _, u := range batch {
			w.log.Debug("dry run: would be announced", "url", u)
		}
		return indexnow.Outcome{}
	}
	client := indexnow.Client{UserAgent: "wpsitemapd"}
	return client.Submit(ctx, opt, k.home, batch)
}

// logOutcome logs what came of a batch: successes quietly, the rest when it changes.
func (w *worker) logOutcome(k *announced, b *blogState, urls int, o indexnow.Outcome) {
	attrs := []any{"blog", b.id, "urls", urls, "status", o.Status}
	switch o.Verdict {
	case indexnow.Accepted:
		k.refused = 0
		if o.Pending && !k.pending {
			w.log.Info("announced; the search engine has yet to look at the key file", append(attrs, "hint", "nothing, unless refusals follow")...)
		} else if o.Status != 0 {
			w.log.Info("announced", attrs...)
		}
		k.pending = o.Pending
	case indexnow.Refused:
		w.log.Error("an announcement was refused, these addresses are not announced", append(attrs, "reason", o.Reason, "hint", o.Hint)...)
		k.refused = o.Status
	case indexnow.Later:
		w.log.Warn("an announcement could not be made, it is tried again", append(attrs, "reason", o.Reason, "retry_after", o.RetryAfter, "hint", o.Hint)...)
	}
}

// saveNews has ledgers and queues written, each the more rarely the larger it is, and returns the
// time until the next is to be; at the end all are.
func (w *worker) saveNews(end bool) (wait time.Duration) {
	wait = time.Hour
	store := w.server.store
	if store == nil {
		return wait
	}
	w.news.mu.Lock()
	defer w.news.mu.Unlock()
	now := time.Now()
	for key, k := range w.news.blogs {
		if !k.unsaved || !k.loaded {
			continue
		}
		if !end && now.Before(k.saved) {
			wait = min(wait, k.saved.Sub(now))
			continue
		}
		note := k.note
		note.Queue = k.queue.Waiting()
		text, err := json.Marshal(note)
		if err == nil && store.SaveNote(w.newsNote(key), json.RawMessage(text), nil) {
			k.unsaved = false
		}
		pause := time.Second + time.Duration(len(text)/ledgerShare)*time.Second
		k.saved = now.Add(pause)
		if k.unsaved {
			wait = min(wait, pause)
		}
	}
	return wait
}

// Announcement tells how the announcements of a blog fare.
type Announcement struct {
	Blog int64
	Home string
	indexnow.Stats
}

// Announcements returns those of a site, none where IndexNow is off.
func (s *Server) Announcements(site string) []Announcement {
	w := named(s.running(), site)
	if w == nil || w.site.IndexNow.Key == "" {
		return nil
	}
	var all []Announcement
	blogs := w.state.Load().blogs
	w.news.mu.Lock()
	defer w.news.mu.Unlock()
	for _, b := range blogs {
		if k := w.news.blogs[b.key()]; k != nil && k.queue != nil {
			all = append(all, Announcement{b.id, b.home, k.queue.Stats()})
		}
	}
	return all
}

// isKeyFile reports whether a path is that of the file that proves the site's key, at the home of
// the blog that stands there.
func (at stand) isKeyFile(path string) bool {
	if at.worker == nil || at.blog == nil || at.gone {
		return false
	}
	key := at.worker.site.IndexNow.Key
	if key == "" {
		return false
	}
	folder, ok := strings.CutSuffix(path, "/"+indexnow.KeyFile(key))
	return ok && strings.EqualFold(strings.TrimPrefix(folder, "/"), at.path)
}

// serveKeyFile answers with the key and nothing else.
func serveKeyFile(w http.ResponseWriter, r *http.Request, key string) {
	if !isRead(w, r) {
		return
	}
	h := w.Header()
	h.Set("Content-Type", textType)
	h.Set("X-Robots-Tag", noindex)
	h.Set("Cache-Control", "max-age=300")
	send(w, r, []byte(key), time.Time{}, `"`+key+`"`)
}
