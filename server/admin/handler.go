// Package admin answers requests at the admin listener: the status page, explain, the metrics and health. It decides who may
// see and change what.
//
// A View holds the state of the daemon, and Handler shows it. Most pages are made of that state alone. Pages that explain or
// list URLs also read a database, only a few at a time. Only orders of an operator change anything. Much text in the pages is
// written by strangers; html/template escapes it all.
package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"wpsitemapd/server/announce"
	"wpsitemapd/server/config"
	"wpsitemapd/server/journal"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/db"
)

const (
	explainTimeout = 20 * time.Second
	// databaseTime bounds the part of an explanation that asks the database and searches pages. The rest of explainTimeout is for
	// the answer.
	databaseTime = 15 * time.Second
	explains     = 2                // how many requests that read a database are answered at a time
	unreadyRetry = 30 * time.Second // Retry-After on 503
	// refusedEvery is the least time between two logged refusals, so that nobody can fill the log.
	refusedEvery = time.Minute
)

// A View is the state of the daemon for the admin pages. Its functions may be called at any time.
type View struct {
	Log       *slog.Logger
	Now       func() time.Time // the clock of the sites
	Started   time.Time
	Config    func() *config.Config // the configuration in force
	Reloaded  func() Reload
	Installs  func() []Install    // the running sites, in the order of the configuration
	Store     func() *store.Store // nil: pages are cached in memory only
	Process   *metrics.Process
	Limiter   *db.Limiter
	Pages     *pages.Pages
	Owners    *owner.Owners
	Explainer *Explainer
	Journal   *journal.Journal

	public  sync.Map // *PublicCheck; the keys are names of sites
	surveys sync.Map // *survey.Report; each key is the name of a site and the key of a blog
}

// An Install is a [[site]] of the configuration as the daemon runs it.
type Install struct {
	*site.Site
	Refresher *refresh.Refresher
	Announcer *announce.Announcer
}

// Reload describes the last time the configuration was read.
type Reload struct {
	At    time.Time // zero: the configuration was not read again since the start
	Error string    // why the new configuration was refused; "": it is in force
	Good  time.Time // when the configuration in force was read
}

// handler answers requests about a View.
type handler struct {
	*View
	gate    gate
	asking  *semaphore.Weighted // bounds the requests that read databases
	refused atomic.Int64        // when a refusal was last logged, in Unix seconds
}

// Handler answers the requests of operators and their machines: the status page, explain and the metrics. Everybody may ask
// for /healthz and /readyz. /healthz shows that the process responds. /readyz is 200 once the daemon has tried to read every
// site. With ?all, it is 200 once every site has something to serve.
func Handler(v *View) http.Handler {
	h := &handler{View: v, asking: semaphore.NewWeighted(explains)}
	h.gate = gate{token: func() string { return v.Config().AdminToken.Reveal() }, refused: h.noteRefusal}
	open, guarded := http.NewServeMux(), http.NewServeMux()
	open.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { say(w, http.StatusOK, "ok") })
	open.HandleFunc("GET /readyz", h.serveReady)
	open.HandleFunc("/sites/{name}/accept", h.order(h.accept))
	open.HandleFunc("/sites/{name}/read", h.order(h.readNow))
	open.HandleFunc("/sites/{name}/public", h.order(h.takePublic))
	open.HandleFunc("/sites/{name}/token", h.order(func(w http.ResponseWriter, r *http.Request, i Install) { say(w, http.StatusOK, i.Crawls.Token()) }))
	open.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if h.gate.may(w, r) {
			guarded.ServeHTTP(w, r)
		}
	})
	guarded.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { writeFleet(w, r, v.fleet()) })
	guarded.HandleFunc("GET /sites.json", func(w http.ResponseWriter, r *http.Request) { writeFleetJSON(w, r, v.fleet()) })
	guarded.HandleFunc("GET /sites/{name}", h.ofSite(func(w http.ResponseWriter, r *http.Request, i Install) {
		writeSite(w, r, v.site(i, blogAsked(r)))
	}))
	guarded.HandleFunc("GET /explain", h.oneOfFew(h.serveExplain))
	guarded.HandleFunc("GET /explain.json", h.oneOfFew(h.serveExplain))
	guarded.HandleFunc("POST /explain", h.oneOfFew(h.serveMany))
	guarded.HandleFunc("POST /explain.csv", h.oneOfFew(h.serveMany))
	guarded.HandleFunc("GET /sites/{name}/listed", h.oneOfFew(h.ofSite(h.serveListed)))
	guarded.HandleFunc("GET /sites/{name}/listed.csv", h.oneOfFew(h.ofSite(h.serveListed)))
	guarded.HandleFunc("GET /sites/{name}/valid.json", h.oneOfFew(h.ofSite(h.serveValid)))
	for _, form := range []string{"", ".csv", ".json", ".atom"} {
		guarded.HandleFunc("GET /sites/{name}/changes"+form, h.oneOfFew(h.ofSite(h.serveChanges)))
	}
	for _, form := range []string{"", ".csv", ".json"} {
		guarded.HandleFunc("GET /sites/{name}/visited"+form, h.oneOfFew(h.ofSite(h.serveVisited)))
	}
	guarded.HandleFunc("GET /sites/{name}/left-out", h.oneOfFew(h.ofSite(serveLeftOut)))
	guarded.HandleFunc("GET /sites/{name}/left-out.csv", h.oneOfFew(h.ofSite(serveLeftOut)))
	guarded.Handle("GET /metrics", metrics.Handler(v.metrics))
	serveAssets(guarded)
	h.serveProfiles(guarded)
	return open
}

// serveProfiles serves net/http/pprof. It needs the token, because a profile may contain anything that is in memory.
func (h *handler) serveProfiles(mux *http.ServeMux) {
	for path, serve := range map[string]http.HandlerFunc{"": pprof.Index, "profile": pprof.Profile, "trace": pprof.Trace, "symbol": pprof.Symbol} {
		mux.HandleFunc("GET /debug/pprof/"+path, func(w http.ResponseWriter, r *http.Request) {
			if h.gate.token() == "" {
				say(w, http.StatusForbidden, "To see profiles, set admin_token in the configuration.")
				return
			}
			serve(w, r)
		})
	}
}

func (h *handler) serveReady(w http.ResponseWriter, r *http.Request) {
	strict := r.URL.Query().Has("all")
	var waiting []string
	for _, i := range h.Installs() {
		if now := i.Snapshot(); !now.Ready() && (strict || !now.Tried()) { // without all, one broken site must not take the others out of service
			waiting = append(waiting, fmt.Sprintf("site %s is not ready", i.Config.Name))
		}
	}
	allowed, _ := h.gate.judge(r)
	switch {
	case len(waiting) == 0:
		say(w, http.StatusOK, "ok")
		return
	case allowed != http.StatusOK: // the names of sites are only for those who may see the status page
		waiting = []string{fmt.Sprintf("%d sites are not ready", len(waiting))}
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(unreadyRetry/time.Second)))
	say(w, http.StatusServiceUnavailable, strings.Join(waiting, "\n"))
}

// ofSite returns a handler that calls serve with the site that the path names. If there is no such site, the handler answers
// 404.
func (h *handler) ofSite(serve func(http.ResponseWriter, *http.Request, Install)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		installs := h.Installs()
		i := slices.IndexFunc(installs, func(i Install) bool { return i.Config.Name == r.PathValue("name") })
		if i < 0 {
			say(w, http.StatusNotFound, "There is no site of this name.")
			return
		}
		serve(w, r, installs[i])
	}
}

// blogAsked returns the id of the blog that a request asks for; 0: the first blog.
func blogAsked(r *http.Request) int64 {
	id, _ := strconv.ParseInt(r.URL.Query().Get("blog"), 10, 64)
	return id
}

// blogOf returns the blog of a site with an id; 0 means the first blog. It returns nil if there is none.
func blogOf(i Install, id int64) *site.Blog {
	blogs := i.Snapshot().Blogs
	n := slices.IndexFunc(blogs, func(b *site.Blog) bool { return b.ID == id || id == 0 })
	if n < 0 {
		return nil
	}
	return blogs[n]
}

// oneOfFew returns a handler that calls serve for only a few requests at a time, because serve reads a database. Other
// requests wait.
func (h *handler) oneOfFew(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.asking.Acquire(r.Context(), 1) == nil {
			defer h.asking.Release(1)
			serve(w, r)
		}
	}
}

// order returns a handler that calls serve with the site that the path names, if the request may change something.
func (h *handler) order(serve func(http.ResponseWriter, *http.Request, Install)) http.HandlerFunc {
	of := h.ofSite(serve)
	return func(w http.ResponseWriter, r *http.Request) {
		if h.gate.mayChange(w, r) {
			of(w, r)
		}
	}
}

// accept records that an operator accepts the losses of a site as intended.
func (h *handler) accept(w http.ResponseWriter, r *http.Request, i Install) {
	if !i.Refresher.Accept() {
		say(w, http.StatusConflict, fmt.Sprintf("Site %s has no loss to accept.", i.Config.Name))
		return
	}
	h.Log.Warn("an operator accepted the loss of URLs of a site", "site", i.Config.Name, "from", r.RemoteAddr)
	accepted(w, r, i, "is read again, and the loss is accepted")
}

// readNow starts a full scan of a site as soon as possible.
func (h *handler) readNow(w http.ResponseWriter, r *http.Request, i Install) {
	i.Refresher.ReadNow()
	accepted(w, r, i, "is read again")
}

// accepted answers an operator's order that is now being carried out. It redirects a browser to the page about the site.
func accepted(w http.ResponseWriter, r *http.Request, i Install, what string) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Redirect(w, r, "/sites/"+i.Config.Name, http.StatusSeeOther)
		return
	}
	say(w, http.StatusAccepted, fmt.Sprintf("Site %s %s.", i.Config.Name, what))
}

func (h *handler) noteRefusal(r *http.Request, status int) {
	now, before := time.Now().Unix(), h.refused.Load()
	if now-before < int64(refusedEvery/time.Second) || !h.refused.CompareAndSwap(before, now) {
		return
	}
	h.Log.Warn("the admin listener has refused a request", "status", status, "from", r.RemoteAddr, "host", short(r.Host),
		"path", short(r.URL.Path), "forwarded", forwarded(r), "hint", "find out who sent the request; further refusals within a "+
			"minute are not logged")
}

// serveExplain answers what an address is and why it is listed or not: as a page with a form, or as JSON at /explain.json.
func (h *handler) serveExplain(w http.ResponseWriter, r *http.Request) {
	address := strings.TrimSpace(r.URL.Query().Get("url"))
	asJSON := strings.HasSuffix(r.URL.Path, ".json")
	if address == "" && !asJSON {
		writeExplain(w, r, http.StatusOK, "", "", nil)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), explainTimeout)
	defer cancel()
	x, err := h.Explainer.Explain(ctx, address, r.URL.Query().Get("site"))
	status, problem := http.StatusOK, ""
	if err != nil {
		x, status, problem = nil, http.StatusServiceUnavailable, err.Error()
	}
	switch {
	case errors.Is(err, explain.ErrAddress):
		status = http.StatusBadRequest
	case errors.Is(err, ErrNoSite):
		status = http.StatusNotFound
	}
	switch {
	case !asJSON:
		writeExplain(w, r, status, address, problem, x)
	case err != nil:
		writeJSON(w, r, status, map[string]string{"error": problem})
	default:
		writeJSON(w, r, status, x)
	}
}
