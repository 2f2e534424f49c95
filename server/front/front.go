package front

import (
	"crypto/rand"
	"log/slog"
	"sync/atomic"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

const (
	retryLater  = 30 * time.Second // Retry-After on 503
	bodyTimeout = 2 * time.Minute  // for a body sent with a request that is answered here
)

// A Handler answers the requests of the public listeners. Set its fields before the first.
type Handler struct {
	Log     *slog.Logger
	Pages   *pages.Pages
	Process *metrics.Process
	Now     func() time.Time // Now is the clock of the sites.

	BodyTimeout   time.Duration // BodyTimeout is for a body sent with a request that is answered here.
	RobotsTimeout time.Duration // RobotsTimeout is for an upstream's robots.txt; it is less than a crawler waits.

	table    atomic.Pointer[route.Table]
	moved    atomic.Pointer[chan struct{}] // closed by the next Route
	trust    atomic.Pointer[proxy.Trust]   // front servers
	access   atomic.Bool                   // an access log is wanted
	via      string                        // name of this process for others that a request passes
	robots   robotsTexts
	networks networkIndexes
}

// New returns a handler of no site.
func New(log *slog.Logger, pages *pages.Pages, process *metrics.Process, now func() time.Time) *Handler {
	h := &Handler{
		Log: log, Pages: pages, Process: process, Now: now,
		BodyTimeout: bodyTimeout, RobotsTimeout: robotsTimeout, via: "wpsitemapd-" + rand.Text(),
	}
	h.moved.Store(new(make(chan struct{})))
	return h
}

// Configure puts a configuration in force.
func (h *Handler) Configure(c *config.Config) {
	h.trust.Store(&c.Trusted)
	h.access.Store(c.AccessLog)
}

// Route puts a table in force.
func (h *Handler) Route(t *route.Table) {
	h.table.Store(t)
	close(*h.moved.Swap(new(make(chan struct{}))))
}

// Table is the one in force.
func (h *Handler) Table() *route.Table { return h.table.Load() }

// UseStore has robots.txt of upstreams outlive the process. It is for before the first request.
func (h *Handler) UseStore(s *store.Store) { h.robots.store = s }

// Forget drops what is kept of a site that nothing asks for any more.
func (h *Handler) Forget(of *site.Site) {
	h.robots.forget(of)
	h.networks.forget(of)
}
