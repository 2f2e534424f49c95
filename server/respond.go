package server

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	xmlType     = "text/xml; charset=UTF-8"        // as Yoast sends it
	coreXMLType = "application/xml; charset=UTF-8" // as WordPress itself does
	noindex     = "noindex, follow"                // on sitemaps, stylesheets and robots.txt
	textType    = "text/plain; charset=utf-8"
)

// sendCopy answers with a copy in the encoding the client likes best, or with 304 where it
// has it already. Headers other than those of the representation are the caller's.
func sendCopy(w http.ResponseWriter, r *http.Request, c *pageCopy) {
	h := w.Header()
	if _, ok := h["Vary"]; ok {
		h.Add("Vary", "Accept-Encoding")
	} else {
		h["Vary"] = varyEncoding
	}
	coding, ok := chooseCoding(r.Header.Values("Accept-Encoding"), c.brotli != nil)
	if !ok {
		h.Del("Cache-Control")
		h.Del("X-Robots-Tag")
		sendText(w, r, http.StatusNotAcceptable, "This is to be had in the encodings gzip and identity, and no other.")
		return
	}
	if coding == "gzip" && c.gzipped == nil && acceptsIdentity(r.Header.Values("Accept-Encoding")) {
		coding = identity // compressing saves nothing
	}
	f := c.form(coding)
	if coding != identity {
		h["Content-Encoding"] = f.coding
	}
	tags := [...]string{c.form(identity).tag, c.form("gzip").tag, c.form("br").tag}
	sendForm(w, r, f, c.modified, tags[:], func() content { return c.content(f) })
}

// Values that many answers have in common. What takes a header's values as they are appends
// to a copy, as their capacity is used up.
var (
	varyEncoding = []string{"Accept-Encoding"}
	noSniff      = []string{"nosniff"}
)

// sendGzip answers with a copy as a compressed file, whatever encodings the client knows.
func sendGzip(w http.ResponseWriter, r *http.Request, c *pageCopy) {
	f := c.form("file")
	sendForm(w, r, f, c.modified, []string{f.tag}, func() content { return c.content(f) })
}

// content is what an answer sends: bytes, or a copy that is unpacked while it is sent, so that who
// reads slowly holds no page in memory.
type content struct {
	bytes  []byte
	unpack *pageCopy // nil: bytes
}

func (c content) size() int {
	if c.unpack != nil {
		return c.unpack.length()
	}
	return len(c.bytes)
}

// sendTo writes it. A client that went away is no error of ours.
func (c content) sendTo(w io.Writer) {
	if c.unpack != nil {
		c.unpack.unpackTo(w)
		return
	}
	w.Write(c.bytes)
}

// content returns the copy in the coding of a form.
func (c *pageCopy) content(f *form) content {
	switch f.coding[0] {
	case "br":
		return content{bytes: c.brotli}
	case "gzip", "file":
		return content{bytes: c.packed()}
	}
	if c.body == nil {
		return content{unpack: c}
	}
	return content{bytes: c.body}
}

// packed returns the copy compressed, also where that saves nothing.
func (c *pageCopy) packed() []byte {
	if c.gzipped != nil {
		return c.gzipped
	}
	return Gzip(c.plain())
}

// send answers with content that is not kept and its strong entity tag, after the conditions of
// the request.
func send(w http.ResponseWriter, r *http.Request, body []byte, modified time.Time, tag string) {
	sendForm(w, r, newForm(tag, identity, modified), modified, []string{tag}, func() content { return content{bytes: body} })
}

// sendForm answers with content in one form, after the conditions of the request; it asks for
// the content only if it is needed. The tags are those of the same document in all encodings: who
// has one of these has it.
func sendForm(w http.ResponseWriter, r *http.Request, f *form, modified time.Time, tags []string, of func() content) {
	h := w.Header()
	h["Etag"] = f.etag
	h["X-Content-Type-Options"] = noSniff
	if f.modified != nil {
		h["Last-Modified"] = f.modified
	}
	switch evaluate(r.Header, modified, tags) {
	case http.StatusNotModified:
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	case http.StatusPreconditionFailed:
		h.Del("Content-Encoding")
		h.Del("Last-Modified")
		sendText(w, r, http.StatusPreconditionFailed, "This is not the version that was asked for.")
		return
	}
	body := of()
	h["Content-Length"] = f.lengthOf(body.size())
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	if rec, ok := w.(*record); ok && body.unpack != nil {
		defer waits(&rec.server.unpacking, rec.server.clientOf(r), rec.ResponseWriter, r).leave()
	}
	body.sendTo(w)
}

// sendText answers with one plain sentence.
func sendText(w http.ResponseWriter, r *http.Request, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", textType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprintln(w, text)
	}
}

// sendLater answers that something cannot be told now, and when to ask again.
func sendLater(w http.ResponseWriter, r *http.Request, status int, wait time.Duration, text string) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	w.Header().Set("Cache-Control", "no-store")
	sendText(w, r, status, text)
}

func sendRedirect(w http.ResponseWriter, r *http.Request, location string) {
	w.Header().Set("Location", location)
	w.Header().Set("X-Redirect-By", "wpsitemapd")
	sendText(w, r, http.StatusMovedPermanently, "This sitemap is at "+location)
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
