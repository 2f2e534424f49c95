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

// sendPage answers with a page in the encoding the client likes best, or with 304 where it
// has it already. Headers other than those of the representation are the caller's.
func sendPage(w http.ResponseWriter, r *http.Request, p *pages.Page) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	coding := pages.Identity
	if p.Packed() > 0 && acceptsGzip(r.Header.Values("Accept-Encoding")) { // without a packed form compressing saves nothing
		coding = pages.Gzipped
	}
	tags := [...]string{p.ETag(pages.Identity), p.ETag(pages.Gzipped)}
	tag := tags[0]
	if coding != pages.Identity {
		h.Set("Content-Encoding", coding)
		tag = tags[1]
	}
	sendCoded(w, r, p, coding, tag, tags[:])
}

// sendFile answers with a page as a compressed file, whatever encodings the client knows.
func sendFile(w http.ResponseWriter, r *http.Request, p *pages.Page) {
	tag := p.ETag(pages.File)
	sendCoded(w, r, p, pages.File, tag, []string{tag})
}

// sendCoded answers with a page in a coding, which has this tag, or with 304 where the client has it. The tags belong to the same
// document in all encodings: who has one of these has it.
func sendCoded(w http.ResponseWriter, r *http.Request, p *pages.Page, coding, tag string, tags []string) {
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("X-Content-Type-Options", "nosniff")
	if !p.Modified().IsZero() {
		h.Set("Last-Modified", p.Modified().UTC().Format(http.TimeFormat))
	}
	if notModified(r.Header, p.Modified(), tags) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := p.Content(coding)
	h.Set("Content-Length", strconv.Itoa(content.Size()))
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

// sendBody answers with a few bytes, of the type that the header has already.
func sendBody(w http.ResponseWriter, r *http.Request, status int, body string) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, body) // that the client went away is no error of ours
	}
}

// sendLater answers that something is not known now, and when to ask again.
func sendLater(w http.ResponseWriter, r *http.Request, status int, wait time.Duration, text string) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	w.Header().Set("Cache-Control", "no-store")
	sendText(w, r, status, text)
}

// sendRedirect sends the client to another address: for the moment (found), or for good.
func sendRedirect(w http.ResponseWriter, r *http.Request, location string, found bool) {
	status := http.StatusMovedPermanently
	if found {
		status = http.StatusFound
	}
	w.Header().Set("Location", location)
	w.Header().Set("X-Redirect-By", "wpsitemapd")
	sendText(w, r, status, "This sitemap is at "+location)
}

// sendHome sends the client to the same address at the host of home.
func sendHome(w http.ResponseWriter, r *http.Request, home string) {
	status := http.StatusMovedPermanently
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		status = http.StatusPermanentRedirect // with its body
	}
	scheme, _, _ := strings.Cut(home, "://")
	location := scheme + "://" + weburl.Authority(home) + route.URI(r)
	w.Header().Set("Location", location)
	w.Header().Set("X-Redirect-By", "wpsitemapd")
	sendText(w, r, status, "This address is at "+location)
}

// isRead reports whether a method is one our own addresses answer; if not it has answered.
func isRead(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	sendText(w, r, http.StatusMethodNotAllowed, "A sitemap can only be read.")
	return false
}
