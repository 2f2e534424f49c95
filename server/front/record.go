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

// record remembers what an answer consists of, for the metrics and the logs.
type record struct {
	http.ResponseWriter
	site   *site.Site // nil if no site is known
	kind   metrics.AnswerKind
	target *route.Target // for the crawler log; nil if the request is not for a sitemap
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

// How many bytes of a request a line of the access log shows at most.
const (
	maxLoggedMethod = 32
	maxLoggedHost   = 255
	maxLoggedURI    = 1 << 10
	maxLoggedAgent  = 256
)

// answered counts an answer and logs it, at level info if the access log is on, else at level debug.
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

// noteFetch writes an answer to the crawler log if a crawler asked for a sitemap. It does not wait.
func (h *Handler) noteFetch(w *record, r *http.Request, at time.Time) {
	to := w.target
	if to == nil || w.status == 0 {
		return
	}
	engine := crawler.Recognize(r.UserAgent())
	if engine == crawler.None || to.Site.Crawls.Own(r.Header.Get(crawler.OwnHeader)) {
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
