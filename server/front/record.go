package front

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/report"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
)

// record remembers what was answered.
type record struct {
	http.ResponseWriter
	site   *site.Site // nil: of none
	kind   metrics.AnswerKind
	target *route.Target // of a request for a sitemap, for the crawler log; else nil
	status int
	bytes  int64
}

func (r *record) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *record) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach flushing, hijacking and deadlines.
func (r *record) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// What a line of the access log has of a request at most, in bytes.
const (
	maxLoggedMethod = 32
	maxLoggedHost   = 255
	maxLoggedURI    = 1 << 10
	maxLoggedAgent  = 256
)

// answered counts an answer and writes its line in the access log: at level info where that is wanted, else at debug. It is all
// that a request pays for both.
func (h *Handler) answered(w *record, r *http.Request, start time.Time) {
	took := time.Since(start)
	name := ""
	if w.site != nil {
		name = w.site.Config.Name
		w.site.Counted.Answered(w.kind, w.status, w.bytes)
	} else {
		h.Process.Strayed(w.status)
	}
	h.Process.Took(w.kind, took)
	level := slog.LevelDebug
	if h.access.Load() {
		level = slog.LevelInfo
	}
	if !h.Log.Enabled(r.Context(), level) {
		return
	}
	h.Log.LogAttrs(context.WithoutCancel(r.Context()), level, "request",
		slog.String("site", name),
		slog.String("kind", w.kind.String()),
		slog.String("method", report.Clip(r.Method, maxLoggedMethod)),
		slog.String("host", report.Clip(r.Host, maxLoggedHost)),
		slog.String("uri", report.Clip(route.URI(r), maxLoggedURI)),
		slog.Int("status", w.status),
		slog.Int64("bytes", w.bytes),
		slog.Duration("took", took.Round(time.Microsecond)),
		slog.String("agent", report.Clip(r.UserAgent(), maxLoggedAgent)))
}

// noteFetch writes an answer to the crawler log, if it was to a crawler that asked for a sitemap. It does not wait.
func (h *Handler) noteFetch(w *record, r *http.Request, at time.Time) {
	to := w.target
	if to == nil || w.status == 0 {
		return
	}
	engine := crawler.Recognize(r.UserAgent())
	if engine == crawler.None {
		return
	}
	fetch := crawler.Fetch{
		At: at, Engine: engine, Sitemap: to.Asked, Page: to.Page, Status: w.status, Bytes: w.bytes, Address: h.trust.Load().Client(r),
	}
	if to.Blog != nil {
		fetch.Blog = to.Blog.ID
	}
	to.Site.Crawls.Record(fetch)
}
