package front

import (
	"context"
	"net/http"
	"slices"
	"time"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
)

// idleTimeout is how long a request waits until a blog is in memory again. Its cached pages may be sent after that.
const idleTimeout = 5 * time.Second

// find returns what a request asks for. If the request may be for a sitemap, find may have to wait. If the blog is not known,
// it waits for the first reading of the sites that may have the blog, at most site.FirstTimeout. If the blog is not in memory,
// it waits until the blog is read.
func (h *Handler) find(r *http.Request) *route.Target {
	to := h.Table().Target(r)
	known := to.Blog != nil && to.Blog.Known()
	switch {
	case known && to.Blog.Resident():
		to.Site.Visit(to.Blog)
		return to
	case to.Gone, known && to.Site.Snapshot().FromStateOnly(), !mayBeSitemap(r):
		return to
	case known: // if reading takes long, cached pages may do
		return h.awaitBlog(r, to, idleTimeout)
	}
	timeout := time.NewTimer(site.FirstTimeout)
	defer timeout.Stop()
	for to.Blog == nil || !to.Site.Snapshot().Opened {
		moved := *h.moved.Load() // loaded before the table, so that no change is missed
		table := h.Table()
		to = table.Target(r)
		next := untried(table, to)
		if next == nil { // no site is left to wait for, but the table may have changed since it was loaded
			if to = h.Table().Target(r); to.Blog == nil {
				return to
			}
			break
		}
		if to.Site != nil || to.Contest != nil { // else every site whose hosts are not known would hurry at once
			next.Hurry()
		}
		select {
		case <-next.FirstAttempt():
		case <-moved:
		case <-timeout.C:
			return h.Table().Target(r)
		case <-r.Context().Done():
			return to
		}
	}
	return h.awaitBlog(r, to, site.FirstTimeout)
}

// untried returns a site that was not tried yet, and whose first reading may show which blog a request is for; nil if there is
// none.
func untried(table *route.Table, to *route.Target) *site.Site {
	waiting := table.Opening
	switch {
	case to.Contest != nil:
		waiting = to.Contest.Await
	case to.Site != nil:
		waiting = []*site.Site{to.Site}
	}
	i := slices.IndexFunc(waiting, func(s *site.Site) bool {
		select {
		case <-s.FirstAttempt():
			return false
		default:
			return true
		}
	})
	if i < 0 {
		return nil
	}
	return waiting[i]
}

// awaitBlog waits until the blog of a request is in memory, and returns what the request asks for then. It waits no longer than
// most, and stops if the database server does not answer.
func (h *Handler) awaitBlog(r *http.Request, to *route.Target, most time.Duration) *route.Target {
	if to.Blog.Resident() {
		return to
	}
	ctx, cancel := context.WithTimeout(r.Context(), most)
	defer cancel()
	tripped := h.Pages.Breaker.Tripped(to.Site.DatabaseServer())
	go func() {
		select {
		case <-tripped:
			cancel()
		case <-ctx.Done():
		}
	}()
	to.Site.Visit(to.Blog)
	to.Site.Await(ctx, to.Blog.ID)
	return h.Table().Target(r)
}

// mayBeSitemap reports whether a request may be for a sitemap or for robots.txt.
func mayBeSitemap(r *http.Request) bool {
	return route.MayBeOurs(route.URI(r)) || r.URL.EscapedPath() == "/robots.txt"
}

// serveUnread answers for a site whose database was not read yet. A request that may be for a sitemap gets 503. All other requests
// go to the upstream, or get 503 if there is none.
func serveUnread(w *record, r *http.Request, to *route.Target) {
	if !route.MayBeOurs(route.URI(r)) && to.Site.Upstream != nil {
		pass(w, r, to.Site)
		return
	}
	w.kind, w.target = metrics.Sitemap, to
	sendLater(w, r, http.StatusServiceUnavailable, retryLater, "The sitemaps of this site are not ready yet.")
}

// serveUnknown answers for a host if it is not known yet which site has it. A request that cannot be for a sitemap goes to the
// upstream if all sites that may have the host share one.
func (h *Handler) serveUnknown(w *record, r *http.Request, to *route.Target) {
	may := h.Table().Unplaced()
	if to.Contest != nil {
		may = to.Contest.Sites
	}
	switch {
	case route.MayBeOurs(route.URI(r)):
		w.kind = metrics.Sitemap
	case route.ShareUpstream(may):
		pass(w, r, may[0])
		return
	}
	sendLater(w, r, http.StatusServiceUnavailable, retryLater, "It is not known yet which site this host belongs to.")
}

func sendMisdirected(w http.ResponseWriter, r *http.Request) {
	sendText(w, r, http.StatusMisdirectedRequest, "This server has no site with this host name.")
}
