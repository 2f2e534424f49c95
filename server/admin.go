package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/explainer"
	"wpsitemapd/server/front"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/respond"
	"wpsitemapd/sitemap/explain"
)

const (
	explainTimeout = 20 * time.Second
	unreadyRetry   = 30 * time.Second // Retry-After on 503
	explains       = 2                // at a time, since each may ask a database
	// refusedEvery is how often a refusal is logged, so that nobody can fill the log.
	refusedEvery = time.Minute
)

// adminHandler answers what operators and their machines ask: the status page, explain, the
// metrics, and to everybody /healthz, that the process turns, and /readyz, that every site was
// tried once; with ?all, that each has something to serve from.
func (s *Server) adminHandler() http.Handler {
	gate := s.gate()
	open, guarded := http.NewServeMux(), http.NewServeMux()
	open.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		respond.Text(w, r, http.StatusOK, "ok")
	})
	open.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		strict := r.URL.Query().Has("all")
		var waiting []string
		for _, site := range s.Status() {
			if !site.Ready && (strict || !site.Tried) { // one broken site must not have the others taken out of service
				waiting = append(waiting, fmt.Sprintf("site %s is not ready", site.Name))
			}
		}
		switch {
		case len(waiting) == 0:
			respond.Text(w, r, http.StatusOK, "ok")
		case gate.Knows(r):
			respond.Later(w, r, http.StatusServiceUnavailable, unreadyRetry, strings.Join(waiting, "\n"))
		default: // which they are is not for everybody
			respond.Later(w, r, http.StatusServiceUnavailable, unreadyRetry, fmt.Sprintf("%d sites are not ready", len(waiting)))
		}
	})
	open.HandleFunc("/sites/{name}/accept", func(w http.ResponseWriter, r *http.Request) {
		if gate.MayChange(w, r) {
			s.acceptLoss(w, r)
		}
	})
	open.HandleFunc("/sites/{name}/read", func(w http.ResponseWriter, r *http.Request) {
		if gate.MayChange(w, r) {
			s.readNow(w, r)
		}
	})
	open.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if gate.May(w, r) {
			guarded.ServeHTTP(w, r)
		}
	})
	guarded.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { admin.WriteFleet(w, r, s.fleet()) })
	guarded.HandleFunc("GET /sites.json", func(w http.ResponseWriter, _ *http.Request) { admin.WriteFleetJSON(w, s.fleet()) })
	guarded.HandleFunc("GET /sites/{name}", func(w http.ResponseWriter, r *http.Request) {
		site := named(s.running(), r.PathValue("name"))
		if site == nil {
			admin.Text(w, http.StatusNotFound, "There is no site of this name.")
			return
		}
		blog, _ := strconv.ParseInt(r.URL.Query().Get("blog"), 10, 64) // 0: the first
		admin.WriteSite(w, r, site.page(blog))
	})
	slots := semaphore.NewWeighted(explains)
	explain := func(w http.ResponseWriter, r *http.Request) {
		if slots.Acquire(r.Context(), 1) != nil {
			return
		}
		defer slots.Release(1)
		s.explainPage(w, r)
	}
	guarded.HandleFunc("GET /explain", explain)
	leftOut := func(w http.ResponseWriter, r *http.Request) {
		if slots.Acquire(r.Context(), 1) != nil {
			return
		}
		defer slots.Release(1)
		s.leftOut(w, r)
	}
	guarded.HandleFunc("GET /sites/{name}/left-out", leftOut)
	guarded.HandleFunc("GET /sites/{name}/left-out.csv", leftOut)
	guarded.HandleFunc("GET /explain.json", explain)
	guarded.Handle("GET /metrics", metrics.Handler(metrics.Registry(s.snapshot)))
	admin.Assets(guarded)
	return open
}

// gate decides who may see and change what.
func (s *Server) gate() admin.Gate {
	return admin.Gate{
		Token: func() string { return s.settings().AdminToken.Reveal() },
		Refused: func(r *http.Request, status int) {
			s.counted.Refused.Add(1)
			now, before := time.Now().Unix(), s.refused.Load()
			if now-before < int64(refusedEvery/time.Second) || !s.refused.CompareAndSwap(before, now) {
				return
			}
			s.log.LogAttrs(r.Context(), slog.LevelWarn, "the admin listener has refused a request",
				slog.Int("status", status),
				slog.String("from", r.RemoteAddr),
				slog.String("host", front.Clip(r.Host, front.MaxLoggedHost)),
				slog.String("path", front.Clip(r.URL.Path, front.MaxLoggedURI)),
				slog.Bool("forwarded", admin.Forwarded(r)),
				slog.String("hint", "see who it was; further ones within a minute are only counted"))
		},
	}
}

// explainPage answers the form that asks what an address is and why it is listed or not; as
// JSON at /explain.json, and for who asks for that.
func (s *Server) explainPage(w http.ResponseWriter, r *http.Request) {
	address := strings.TrimSpace(r.URL.Query().Get("url"))
	asJSON := strings.HasSuffix(r.URL.Path, ".json") || prefersJSON(r.Header.Get("Accept"))
	if address == "" && !asJSON {
		admin.WriteExplain(w, r, http.StatusOK, "", "", nil)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), explainTimeout)
	defer cancel()
	x, err := s.explainer.Explain(ctx, explainer.Question{Address: address, Site: r.URL.Query().Get("site")})
	status := http.StatusOK
	switch {
	case err == nil:
	case errors.Is(err, explain.ErrAddress):
		status = http.StatusBadRequest
	case errors.Is(err, explainer.ErrNoSite):
		status = http.StatusNotFound
	default:
		status = http.StatusServiceUnavailable
	}
	switch {
	case asJSON && err != nil:
		admin.JSON(w, status, map[string]string{"error": err.Error()})
	case asJSON:
		admin.JSON(w, status, x)
	case err != nil:
		admin.WriteExplain(w, r, status, address, err.Error(), nil)
	default:
		admin.WriteExplain(w, r, status, address, "", describeExplained(x))
	}
}

// prefersJSON reports whether an Accept header names JSON and not HTML.
func prefersJSON(accept string) bool {
	found := false
	for part := range strings.SplitSeq(accept, ",") {
		switch media, _, _ := mime.ParseMediaType(part); media {
		case "text/html":
			return false
		case "application/json":
			found = true
		}
	}
	return found
}

func describeExplained(x *explainer.Explained) *admin.Explanation {
	d := &admin.Explanation{In: x.In, Unknown: x.Unknown, Because: x.Because, Do: x.Do, Notes: x.Notes, Similar: x.Similar}
	add := func(key, value, source string) {
		if value != "" {
			d.Facts = append(d.Facts, admin.Fact{Key: key, Value: value, Source: source})
		}
	}
	add("Address", cmp.Or(x.Address, x.URL), "")
	add("Title", x.Title, "")
	add("Object", cmp.Or(x.Object, "nothing that is known"), "")
	add("Edit it in WordPress", x.Edit, "")
	add("Last modified", x.LastMod, x.LastModFrom)
	add("Rule", x.Rule, "")
	add("Site", x.Site, "")
	add("Home", x.Home, "")
	for _, p := range x.Places {
		d.Places = append(d.Places, admin.Fact{Key: p.File, Value: fmt.Sprintf("%s, page %d", p.Sitemap, p.Page)})
	}
	for _, e := range x.Evidence {
		d.Evidence = append(d.Evidence, admin.Fact{Key: e.Source, Value: e.Value, Source: e.Of})
	}
	return d
}
