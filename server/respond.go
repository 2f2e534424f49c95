package server

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	xmlType     = "text/xml; charset=UTF-8"        // as Yoast sends it
	coreXMLType = "application/xml; charset=UTF-8" // as WordPress itself does
	noindex     = "noindex, follow"                // on sitemaps, stylesheets and robots.txt
	textType    = "text/plain; charset=utf-8"

	// sendTimeout is for bodies of our own; what is proxied may take as long as it likes.
	sendTimeout = 10 * time.Minute
)

// sendCopy answers with a copy, or with 304 where the client has it already. Headers other
// than those of the representation are the caller's.
func sendCopy(w http.ResponseWriter, r *http.Request, c *pageCopy) {
	h := w.Header()
	gzipped := c.gzipped != nil && acceptsGzip(r.Header.Values("Accept-Encoding"))
	h.Add("Vary", "Accept-Encoding")
	h.Set("ETag", c.etag(gzipped))
	h.Set("X-Content-Type-Options", "nosniff")
	if !c.modified.IsZero() {
		h.Set("Last-Modified", c.modified.UTC().Format(http.TimeFormat))
	}
	if notModified(r, c) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := c.body
	if gzipped {
		h.Set("Content-Encoding", "gzip")
		body = c.gzipped
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sendTimeout)) // not every writer has one
	bytes.NewReader(body).WriteTo(w)                                                // a client that went away is no error of ours
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

// notModified evaluates the conditions of RFC 9110, 13.2.2: an entity tag, when there is
// one, counts alone. Either encoding's tag will do, as the document is the same.
func notModified(r *http.Request, c *pageCopy) bool {
	if tags := r.Header.Values("If-None-Match"); len(tags) > 0 {
		for tag := range strings.SplitSeq(strings.Join(tags, ","), ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == "*" || tag == c.etag(false) || tag == c.etag(true) {
				return true
			}
		}
		return false
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !c.modified.IsZero() && !c.modified.Truncate(time.Second).After(since)
}

// acceptsGzip tells whether Accept-Encoding allows gzip, by name or by "*".
func acceptsGzip(values []string) bool {
	named, any := -1.0, -1.0
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		coding, params, _ := strings.Cut(part, ";")
		q := 1.0
		if name, value, ok := strings.Cut(strings.TrimSpace(params), "="); ok && strings.EqualFold(strings.TrimSpace(name), "q") {
			if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				q = v
			}
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			named = max(named, q)
		case "*":
			any = q
		}
	}
	if named >= 0 {
		return named > 0
	}
	return any > 0
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

// isRead tells whether a method is one our own addresses answer; if not it has answered.
func isRead(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	sendText(w, r, http.StatusMethodNotAllowed, "A sitemap can only be read.")
	return false
}
