package front

import (
	"net/http"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/respond"
)

// serveKeyFile answers with the key and nothing else.
func serveKeyFile(w http.ResponseWriter, r *http.Request, key string) {
	if !respond.IsRead(w, r) {
		return
	}
	h := w.Header()
	h.Set("Content-Type", respond.TextType)
	h.Set("X-Robots-Tag", noindex)
	h.Set("Cache-Control", "max-age=300")
	respond.Page(w, r, pages.NewPage([]byte(key)))
}
