package front

import (
	"bytes"
	"net/http"
	"sync"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
)

// networkIndexes holds the last rendered index of each network. It is safe for concurrent use.
type networkIndexes struct {
	mu  sync.Mutex
	all map[*site.Site]networkIndex
}

type networkIndex struct {
	of    *site.Snapshot
	pages []*pages.Page
}

// get returns the pages of the index of a network. It needs no database. While a blog is not known, it returns the last pages,
// so that no blog is left out silently. It returns nil if there are no last pages.
func (n *networkIndexes) get(of *site.Site) []*pages.Page {
	n.mu.Lock()
	defer n.mu.Unlock()
	now, before := of.Snapshot(), n.all[of]
	if now == before.of || !now.Ready() {
		return before.pages
	}
	bodies, refused := catalog.RenderNetwork(func(yield func(*catalog.Outline) bool) {
		for _, b := range now.Blogs {
			if !yield(&b.Outline) {
				return
			}
		}
	})
	if refused > 0 {
		of.Log.Warn("network index is not complete", "invalid_urls", refused,
			"hint", "the addresses of some sitemaps are not allowed in a sitemap: check the addresses of the blogs")
	}
	next := networkIndex{of: now}
	for i, body := range bodies {
		if i < len(before.pages) && bytes.Equal(before.pages[i].Plain(), body) {
			next.pages = append(next.pages, before.pages[i])
			continue
		}
		next.pages = append(next.pages, pages.NewPage(body))
	}
	if n.all == nil {
		n.all = map[*site.Site]networkIndex{}
	}
	n.all[of] = next
	return next.pages
}

// forget drops the index of a site that is no longer in use.
func (n *networkIndexes) forget(of *site.Site) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.all, of)
}

// serveNetwork answers with the index of the sitemaps of all blogs of a network.
func (h *Handler) serveNetwork(w http.ResponseWriter, r *http.Request, to *route.Target) {
	indexes := h.networks.get(to.Site)
	switch {
	case indexes == nil:
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "Not every blog of this network has been read yet.")
	case to.Page > len(indexes):
		sendMissing(w, r, to)
	default:
		header := http.Header{}
		if v := to.Site.Config.CacheControl; v != "" {
			header.Set("Cache-Control", v)
		}
		setXMLType(header, to.Blog)
		sendPage(w, r, indexes[to.Page-1], header)
	}
}
