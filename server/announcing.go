package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"wpsitemapd/server/route"

	"wpsitemapd/server/respond"

	"wpsitemapd/server/announce"
	"wpsitemapd/server/indexnow"
)

// announcing is what the site's announcer needs of the worker.
func (w *worker) announcing() announce.Session {
	s := w.server
	return announce.Session{
		Site: w.Site, Store: s.store, Now: s.announceClock, Replaced: w.replaced.Load,
		Place: func(ctx context.Context) (func(), bool) { return s.rebuilds.Acquire(ctx, w.DatabaseServer()) },
	}
}

// announceClock is the clock of queues.
func (s *Server) announceClock() time.Time {
	if s.announceNow != nil {
		return s.announceNow()
	}
	return time.Now()
}

// isKeyFile reports whether a path is that of the file that proves the site's key, at the home of
// the blog that stands there.
func isKeyFile(at route.Mount, path string) bool {
	if at.Site == nil || at.Blog == nil || at.Gone {
		return false
	}
	key := at.Site.Config.IndexNow.Key
	if key == "" {
		return false
	}
	folder, ok := strings.CutSuffix(path, "/"+indexnow.KeyFile(key))
	return ok && strings.EqualFold(strings.TrimPrefix(folder, "/"), at.Path)
}

// serveKeyFile answers with the key and nothing else.
func serveKeyFile(w http.ResponseWriter, r *http.Request, key string) {
	if !respond.IsRead(w, r) {
		return
	}
	h := w.Header()
	h.Set("Content-Type", respond.TextType)
	h.Set("X-Robots-Tag", noindex)
	h.Set("Cache-Control", "max-age=300")
	respond.Bytes(w, r, []byte(key), `"`+key+`"`)
}
