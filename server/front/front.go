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
	bodyTimeout = 2 * time.Minute  // the usual Handler.BodyTimeout
)

// A Handler answers the requests of the public listeners. Set its fields before the first request.
type Handler struct {
	Log     *slog.Logger
	Pages   *pages.Pages
	Process *metrics.Process
	Now     func() time.Time // Now is the clock of the sites.

	BodyTimeout   time.Duration // BodyTimeout limits reading a request body that is not passed on.
	RobotsTimeout time.Duration // RobotsTimeout limits reading an upstream's robots.txt. It is shorter than a crawler's own limit.

	table    atomic.Pointer[route.Table]
	moved    atomic.Pointer[chan struct{}] // the next Route closes the channel
	trust    atomic.Pointer[proxy.Trust]   // which servers in front of us may name the client
	access   atomic.Bool                   // write the access log at level info
	traffic  atomic.Bool                   // count what visitors get from the upstream
	via      string                        // the name of this process in Via
	robots   robotsTexts
	networks networkIndexes
}

// New returns a handler without a site.
func New(log *slog.Logger, pages *pages.Pages, process *metrics.Process, now func() time.Time) *Handler {
	h := &Handler{
		Log: log, Pages: pages, Process: process, Now: now,
		BodyTimeout: bodyTimeout, RobotsTimeout: robotsTimeout, via: "wpsitemapd-" + rand.Text(),
	}
	h.moved.Store(new(make(chan struct{})))
	return h
}

// Configure applies the settings of a configuration that belong to no site.
func (h *Handler) Configure(c *config.Config) {
	h.trust.Store(&c.Trusted)
	h.access.Store(c.AccessLog)
	h.traffic.Store(c.CountTraffic)
}

// Route replaces the routing table, and wakes the requests that wait for a change of it.
func (h *Handler) Route(t *route.Table) {
	h.table.Store(t)
	close(*h.moved.Swap(new(make(chan struct{}))))
}

func (h *Handler) Table() *route.Table { return h.table.Load() }

// UseStore sets the store, so that the robots.txt of upstreams outlive the process. Call it before the first request.
func (h *Handler) UseStore(s *store.Store) { h.robots.store = s }

// Forget drops the texts and indexes kept for a site that is no longer in use.
func (h *Handler) Forget(of *site.Site) {
	h.robots.forget(of)
	h.networks.forget(of)
}
