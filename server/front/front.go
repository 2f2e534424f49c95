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

// Options are what a handler needs to know of the daemon.
type Options struct {
	Log     *slog.Logger
	Pages   *pages.Pages
	Process *metrics.Process
	Now     func() time.Time // Now is the clock of the sites.
}

// A Handler answers the requests of the public listeners. Set its fields before the first.
type Handler struct {
	Options
	BodyPatience  time.Duration // BodyPatience is for a body sent with a request that is answered here.
	SendPatience  time.Duration // SendPatience is for an answer of our own; what is proxied may take as long as it likes.
	StallPatience time.Duration // StallPatience is for an answer on HTTP/2 of which the client takes nothing.
	// RobotsPatience is for an upstream's robots.txt; it is less than a crawler waits.
	RobotsPatience time.Duration

	table     atomic.Pointer[route.Table]
	trust     atomic.Pointer[proxy.Trust] // front servers
	access    atomic.Bool                 // an access log is wanted
	via       string                      // name of this process for others that a request passes
	draining  atomic.Bool                 // the daemon is stopping: no connection is kept
	firstRead time.Time                   // until when a request waits for what is newer than the stored pages
	upstreams proxy.Pool
	robots    robotsTexts
	waiting   waiters // answers on HTTP/2
	unpacking waiters // answers that are unpacked while they are sent
}

// New returns a handler of no site.
func New(opt Options) *Handler {
	return &Handler{
		Options: opt, BodyPatience: bodyTimeout, SendPatience: sendTimeout, StallPatience: stallTimeout, RobotsPatience: robotsTimeout,
		via:     "wpsitemapd-" + rand.Text(),
		waiting: waiters{ofOne: MaxWaiting}, unpacking: waiters{ofAll: MaxUnpacking},
	}
}

// Configure puts a configuration in force.
func (h *Handler) Configure(c *config.Config) {
	h.trust.Store(&c.Trusted)
	h.access.Store(c.AccessLog)
}

// Route puts a table in force.
func (h *Handler) Route(t *route.Table) {
	if before := h.table.Swap(t); before != nil {
		before.Retire()
	}
}

// Table is the one in force.
func (h *Handler) Table() *route.Table { return h.table.Load() }

// UseStore has robots.txt of upstreams outlive the process. It is for before the first request.
func (h *Handler) UseStore(s store.Store) { h.robots.store = s }

// Forget drops what is kept of a site that nothing asks for any more.
func (h *Handler) Forget(of *site.Site) { h.robots.forget(of) }

// Drain has every connection closed with the next answer.
func (h *Handler) Drain() { h.draining.Store(true) }

// Draining reports whether Drain was called.
func (h *Handler) Draining() bool { return h.draining.Load() }

// CloseIdle closes the connections to upstreams that are not in use.
func (h *Handler) CloseIdle() { h.upstreams.CloseIdle() }
