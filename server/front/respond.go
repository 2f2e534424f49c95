// Answers by RFC 9110: content codings, conditions, errors.

package front

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/route"
	"wpsitemapd/wp/weburl"
)

// textType is the media type of plain text.
const textType = "text/plain; charset=utf-8"

// sendPage answers with a page, compressed if the client accepts that, or with 304 if the client has the page already. The
// caller sets all other header fields.
func sendPage(w http.ResponseWriter, r *http.Request, p *pages.Page) {
	h := w.Header()
	h["Vary"] = []string{"Accept-Encoding"}
	coding := pages.Identity
	if p.Packed() > 0 && acceptsGzip(r.Header.Values("Accept-Encoding")) { // without a packed form, compressing saves nothing
		coding = pages.Gzipped
	}
	tags := [...]string{p.ETag(pages.Identity), p.ETag(pages.Gzipped)}
	tag := tags[0]
	if coding != pages.Identity {
		h["Content-Encoding"] = []string{coding}
		tag = tags[1]
	}
	sendCoded(w, r, p, coding, tag, tags[:])
}

// sendFile answers with a page as a compressed file, no matter which encodings the client accepts.
func sendFile(w http.ResponseWriter, r *http.Request, p *pages.Page) {
	tag := p.ETag(pages.File)
	sendCoded(w, r, p, pages.File, tag, []string{tag})
}

// sendCoded answers with a page in a coding, or with 304 if the client has the page already. tag is the entity tag in that
// coding. tags are the entity tags of the page in all codings that the client may have.
func sendCoded(w http.ResponseWriter, r *http.Request, p *pages.Page, coding, tag string, tags []string) {
	h := w.Header()
	h["Etag"] = []string{tag}
	h["X-Content-Type-Options"] = []string{"nosniff"}
	if date := p.LastModified(); date != "" {
		h["Last-Modified"] = []string{date}
	}
	if notModified(r.Header, p.Modified(), tags) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := p.Content(coding)
	h["Content-Length"] = []string{strconv.Itoa(content.Size())}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		content.SendTo(w)
	}
}

// sendText answers with one plain sentence.
func sendText(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header().Set("Content-Type", textType)
	sendBody(w, r, status, text+"\n")
}

// sendBody answers with a short body. The caller has set the content type.
func sendBody(w http.ResponseWriter, r *http.Request, status int, body string) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, body) // an error means that the client went away
	}
}

// sendLater answers with an error status, and tells the client when to ask again.
func sendLater(w http.ResponseWriter, r *http.Request, status int, wait time.Duration, text string) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	w.Header().Set("Cache-Control", "no-store")
	sendText(w, r, status, text)
}

// sendRedirect redirects the client to another address, with 302 if found is set, else with 301.
func sendRedirect(w http.ResponseWriter, r *http.Request, location string, found bool) {
	status := http.StatusMovedPermanently
	if found {
		status = http.StatusFound
	}
	w.Header().Set("Location", location)
	w.Header().Set("X-Redirect-By", "wpsitemapd")
	sendText(w, r, status, "This sitemap is at "+location)
}

// sendHome redirects the client to the same address at the host of home.
func sendHome(w http.ResponseWriter, r *http.Request, home string) {
	status := http.StatusMovedPermanently
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		status = http.StatusPermanentRedirect // keeps the method and the body
	}
	scheme, _, _ := strings.Cut(home, "://")
	location := scheme + "://" + weburl.Authority(home) + route.URI(r)
	w.Header().Set("Location", location)
	w.Header().Set("X-Redirect-By", "wpsitemapd")
	sendText(w, r, status, "This address is at "+location)
}

// isRead reports whether the method is GET or HEAD. If not, it answers the request with 405.
func isRead(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	sendText(w, r, http.StatusMethodNotAllowed, "A sitemap can only be read.")
	return false
}
