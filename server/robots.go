package server

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap"
)

const (
	maxRobots     = 512 << 10 // Google reads 500 KiB
	robotsTimeout = 30 * time.Second
)

// serveRobots answers /robots.txt of a blog at the root of its host: the upstream's text,
// with a line for our index. While the upstream is down its last text stands; only where
// none was ever seen it is a text of our own, which allows everything.
func (w *worker) serveRobots(rw http.ResponseWriter, r *http.Request, b *blogState) {
	sitemaps := w.robotsSitemaps(b)
	if w.proxy != nil {
		resp, err := w.askRobots(r)
		if err == nil && resp.StatusCode < 500 {
			defer resp.Body.Close()
			w.passRobots(rw, r, resp, sitemaps, b)
			return
		}
		if err == nil {
			resp.Body.Close()
		}
		if r.Context().Err() != nil {
			return
		}
		if kept, ok := w.robots.Load(b.key()); ok {
			sendRobots(rw, r, amendRobots(kept.([]byte), sitemaps))
			return
		}
		if err == nil {
			// it may well have rules, which a text of our own would lift
			sendLater(rw, r, http.StatusServiceUnavailable, upstreamRetry, "robots.txt cannot be told at the moment.")
			return
		}
		w.log.Warn("upstream does not answer for robots.txt, sending a plain one", "upstream", w.site.Upstream.String(), "reason", err, "do", "check that the PHP site runs and that upstream is right")
	} else if b.plain {
		// WordPress has no robots.txt without permalinks
		w.pass(rw, r)
		return
	}
	sendRobots(rw, r, amendRobots([]byte("User-agent: *\nDisallow:\n"), sitemaps))
}

// robotsSitemaps are the lines a robots.txt must hold: the blog's own index, and those of
// the other blogs of a network in folders.
func (w *worker) robotsSitemaps(b *blogState) []string {
	if b.address.core != noCore {
		return []string{b.catalog.BaseURL(sitemap.CoreIndexFile)}
	}
	lines := []string{b.catalog.BaseURL("sitemap_index.xml")}
	state := w.state.Load()
	for _, id := range b.robots {
		for _, other := range state.blogs {
			if other.id != id || other.catalog == nil || !other.catalog.Active() {
				continue
			}
			if line := other.catalog.BaseURL("sitemap_index.xml"); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// askRobots fetches the upstream's robots.txt whole: unconditionally and not compressed.
func (w *worker) askRobots(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), robotsTimeout)
	out := r.Clone(ctx)
	out.RequestURI = ""
	out.Method = http.MethodGet
	out.Body, out.ContentLength = nil, 0
	for _, name := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since", "Accept-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Transfer-Encoding", "Keep-Alive",
		"Proxy-Authorization", "Proxy-Connection", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		out.Header.Del(name)
	}
	rewrite(&httputil.ProxyRequest{In: r, Out: out}, w.site.Upstream)
	resp, err := w.server.transport.RoundTrip(out)
	if err != nil {
		cancel()
		return nil, err
	}
	body := resp.Body
	resp.Body = struct {
		io.Reader
		io.Closer
	}{body, closer(func() error { defer cancel(); return body.Close() })}
	return resp, nil
}

type closer func() error

func (c closer) Close() error { return c() }

// passRobots sends the upstream's answer on; a text is amended and remembered.
func (w *worker) passRobots(rw http.ResponseWriter, r *http.Request, resp *http.Response, sitemaps []string, b *blogState) {
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxRobots+1))
	if err != nil {
		sendLater(rw, r, http.StatusBadGateway, upstreamRetry, "The site behind this server does not answer at the moment.")
		return
	}
	h := rw.Header()
	for name, values := range resp.Header {
		switch name {
		case "Connection", "Keep-Alive", "Transfer-Encoding", "Trailer", "Upgrade", "Content-Length", "Proxy-Authenticate":
		default:
			h[name] = values
		}
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && media == "text/plain" && resp.Header.Get("Content-Encoding") == "" && len(text) <= maxRobots {
		w.robots.Store(b.key(), text)
		if amended := amendRobots(text, sitemaps); !bytes.Equal(amended, text) {
			text = amended
			for _, name := range []string{"Etag", "Last-Modified", "Content-Md5", "Digest", "Accept-Ranges"} {
				h.Del(name)
			}
		}
	}
	rw.WriteHeader(resp.StatusCode)
	if r.Method != http.MethodHead {
		rw.Write(text)
		io.Copy(rw, resp.Body) // what is left of one that is too long to be a robots.txt
	}
}

func sendRobots(rw http.ResponseWriter, r *http.Request, text []byte) {
	rw.Header().Set("Content-Type", textType)
	rw.Header().Set("X-Robots-Tag", noindex)
	sendCopy(rw, r, newCopy(text, time.Time{}, 0, time.Time{}, nil))
}

// amendRobots returns a robots.txt that holds each of the sitemaps in exactly one line;
// everything else stays as it is.
func amendRobots(text []byte, sitemaps []string) []byte {
	seen := map[string]bool{}
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		value, ok := sitemapLine(line)
		if ok && slices.Contains(sitemaps, value) {
			if seen[value] {
				continue
			}
			seen[value] = true
		}
		b.Write(line)
	}
	first := true
	for _, s := range sitemaps {
		if seen[s] {
			continue
		}
		if first {
			if b.Len() > 0 && b.Bytes()[b.Len()-1] != '\n' {
				b.WriteByte('\n')
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			first = false
		}
		b.WriteString("Sitemap: " + s + "\n")
	}
	return b.Bytes()
}

// sitemapLine returns the value of a Sitemap line.
func sitemapLine(line []byte) (string, bool) {
	text, _, _ := strings.Cut(string(line), "#")
	key, value, ok := strings.Cut(text, ":")
	key = strings.TrimSpace(strings.TrimPrefix(key, "\ufeff"))
	return strings.TrimSpace(value), ok && strings.EqualFold(key, "sitemap")
}
