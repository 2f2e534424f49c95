// Answers by RFC 9110: content codings, conditions, errors.

package front

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/route"
	"wpsitemapd/wp/weburl"
)

// textType is the media type of plain text.
const textType = "text/plain; charset=utf-8"

// sendPage answers with a page, compressed if the client accepts that, or with 304 if the client has the page already. fields
// are the header fields that do not depend on the coding.
func sendPage(w http.ResponseWriter, r *http.Request, p *pages.Page, fields http.Header) {
	h := w.Header()
	h["Vary"] = []string{"Accept-Encoding"}
	plain, zipped := p.ETag(pages.Identity), p.ETag(pages.Gzipped)
	if p.Packed() > 0 && acceptsGzip(r.Header.Values("Accept-Encoding")) { // without a packed form, compressing saves nothing
		h["Etag"] = zipped
		sendCoded(w, r, p, pages.Gzipped, fields, zipped[0], plain[0])
		return
	}
	h["Etag"] = plain
	sendCoded(w, r, p, pages.Identity, fields, plain[0], zipped[0])
}

// sendFile answers with a page as a compressed file, no matter which encodings the client accepts.
func sendFile(w http.ResponseWriter, r *http.Request, p *pages.Page, fields http.Header) {
	tag := p.ETag(pages.File)
	w.Header()["Etag"] = tag
	sendCoded(w, r, p, pages.File, fields, tag[0])
}

// sendCoded answers with a page in a coding, or with 304 if the client has the page already. tags are the entity tags of the page
// in all codings that the client may have. The caller has set Etag and Vary.
func sendCoded(w http.ResponseWriter, r *http.Request, p *pages.Page, coding string, fields http.Header, tags ...string) {
	h := w.Header()
	if notModified(r.Header, p.Modified(), tags) {
		if v := fields["Cache-Control"]; v != nil { // RFC 9110, 15.4.5: the client already has the other fields
			h["Cache-Control"] = v
		}
		w.WriteHeader(http.StatusNotModified)
		return
	}
	maps.Copy(h, fields)
	h["X-Content-Type-Options"] = []string{"nosniff"}
	if date := p.LastModified(); date != nil {
		h["Last-Modified"] = date
	}
	if coding == pages.Gzipped {
		h["Content-Encoding"] = []string{coding}
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

// acceptsGzip reports whether the Accept-Encoding of a client allows gzip: whether it names gzip or *, and not with a weight of
// 0. A malformed weight counts as 0, which does the least harm.
func acceptsGzip(accept []string) (accepts bool) {
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, weight, weighted := strings.Cut(part, ";")
		accepted := !weighted
		if weighted {
			_, q, _ := strings.Cut(weight, "=")
			number, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			accepted = err == nil && number > 0
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip", "x-gzip":
			return accepted
		case "*":
			accepts = accepted
		}
	}
	return accepts
}

// notModified reports whether the client of a GET or HEAD has the document already, by RFC 9110, 13.2.2. tags are the entity tags
// of the document, which must be strong and quoted. If the client sends no tag, its date is compared with modified.
func notModified(h http.Header, modified time.Time, tags []string) bool {
	if v := h.Values("If-None-Match"); len(v) > 0 {
		list := strings.Join(v, ",")
		return strings.TrimSpace(list) == "*" || slices.ContainsFunc(tags, func(tag string) bool { return strings.Contains(list, tag) })
	}
	if h.Get("If-Modified-Since") == "" || modified.IsZero() {
		return false
	}
	since, err := http.ParseTime(h.Get("If-Modified-Since"))
	return err == nil && !modified.Truncate(time.Second).After(since)
}
