// Package respond answers by RFC 9110: content codings, conditions, errors. Start with respond.go; negotiate.go reads the headers.
package respond

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"wpsitemapd/server/pages"
)

// TextType is the media type of plain text.
const TextType = "text/plain; charset=utf-8"

// Page answers with a page in the encoding the client likes best, or with 304 where it
// has it already. Headers other than those of the representation are the caller's.
func Page(w http.ResponseWriter, r *http.Request, p *pages.Page) {
	h := w.Header()
	if _, ok := h["Vary"]; ok {
		h.Add("Vary", "Accept-Encoding")
	} else {
		h["Vary"] = varyEncoding
	}
	accept := r.Header.Values("Accept-Encoding")
	coding, ok := chooseCoding(accept)
	if !ok {
		h.Del("Cache-Control")
		h.Del("X-Robots-Tag")
		Text(w, r, http.StatusNotAcceptable, "This is to be had in the encodings gzip and identity, and no other.")
		return
	}
	if coding == pages.Gzipped && p.Packed() == 0 && parseAccept(accept).of(pages.Identity) > 0 {
		coding = pages.Identity // compressing saves nothing
	}
	f := p.As(coding)
	if coding != pages.Identity {
		h["Content-Encoding"] = f.Coding
	}
	tags := [...]string{p.As(pages.Identity).Tag, p.As(pages.Gzipped).Tag}
	sendRepresentation(w, r, f, p.Modified(), tags[:])
}

// Values that many answers have in common. What takes a header's values as they are appends
// to a copy, as their capacity is used up.
var (
	varyEncoding = []string{"Accept-Encoding"}
	noSniff      = []string{"nosniff"}
)

// File answers with a page as a compressed file, whatever encodings the client knows.
func File(w http.ResponseWriter, r *http.Request, p *pages.Page) {
	f := p.As(pages.File)
	sendRepresentation(w, r, f, p.Modified(), []string{f.Tag})
}

// sendRepresentation answers with a page in one form, after the conditions of the request. The tags belong to the same
// document in all encodings: who has one of these has it.
func sendRepresentation(w http.ResponseWriter, r *http.Request, f *pages.Representation, modified time.Time, tags []string) {
	h := w.Header()
	if f.Modified != nil {
		h["Last-Modified"] = f.Modified
	}
	if !meetsConditions(w, r, f.ETag, modified, tags) {
		return
	}
	body, length := f.Content()
	h["Content-Length"] = length
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	body.SendTo(w)
}

// Bytes answers with bytes that are not kept and their strong entity tag, after the conditions of the request.
func Bytes(w http.ResponseWriter, r *http.Request, body []byte, tag string) {
	if !meetsConditions(w, r, []string{tag}, time.Time{}, []string{tag}) {
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // that the client went away is no error of ours
	}
}

// meetsConditions reports whether the conditions of a request call for the document; if not it has answered.
func meetsConditions(w http.ResponseWriter, r *http.Request, tag []string, modified time.Time, tags []string) bool {
	h := w.Header()
	h["Etag"] = tag
	h["X-Content-Type-Options"] = noSniff
	switch evaluate(r.Header, modified, tags) {
	case http.StatusNotModified:
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
	case http.StatusPreconditionFailed:
		h.Del("Content-Encoding")
		h.Del("Last-Modified")
		Text(w, r, http.StatusPreconditionFailed, "This is not the version that was asked for.")
	default:
		return true
	}
	return false
}

// Text answers with one plain sentence.
func Text(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header().Set("Content-Type", TextType)
	Body(w, r, status, text+"\n")
}

// Body answers with a few bytes, of the type that the header has already.
func Body(w http.ResponseWriter, r *http.Request, status int, body string) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, body) // that the client went away is no error of ours
	}
}

// Later answers that something is not known now, and when to ask again.
func Later(w http.ResponseWriter, r *http.Request, status int, wait time.Duration, text string) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	w.Header().Set("Cache-Control", "no-store")
	Text(w, r, status, text)
}

// Redirect sends the client to another address: for the moment (found), or for good.
func Redirect(w http.ResponseWriter, r *http.Request, location string, found bool) {
	status := http.StatusMovedPermanently
	if found {
		status = http.StatusFound
	}
	w.Header().Set("Location", location)
	w.Header().Set("X-Redirect-By", "wpsitemapd")
	Text(w, r, status, "This sitemap is at "+location)
}

// IsRead reports whether a method is one our own addresses answer; if not it has answered.
func IsRead(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	Text(w, r, http.StatusMethodNotAllowed, "A sitemap can only be read.")
	return false
}
