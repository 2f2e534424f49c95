package front

import (
	"net/http"

	"wpsitemapd/server/pages"
)

// serveKeyFile answers with the IndexNow key.
func serveKeyFile(w http.ResponseWriter, r *http.Request, key string) {
	if !isRead(w, r) {
		return
	}
	h := http.Header{}
	h.Set("Content-Type", textType)
	h.Set("X-Robots-Tag", noindex)
	h.Set("Cache-Control", "max-age=300")
	sendPage(w, r, pages.NewPage([]byte(key)), h)
}
