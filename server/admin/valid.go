package admin

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/server/survey"
)

// surveyTimeout is how long an answer may read sitemaps before it sends anything. A download sends rows meanwhile, and has no such limit.
const surveyTimeout = 2 * time.Minute

// serveValid answers with the report about the sitemaps of a blog, in JSON.
func (h *handler) serveValid(w http.ResponseWriter, r *http.Request, i Install) {
	b := blogOf(i, blogAsked(r))
	if b == nil || !b.Known() {
		writeJSON(w, r, http.StatusServiceUnavailable, map[string]string{"error": ErrNotRead.Error()})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), surveyTimeout)
	defer cancel()
	found, err := h.survey(ctx, i, b, func(survey.URL) error { return nil })
	if err != nil {
		writeJSON(w, r, http.StatusServiceUnavailable, map[string]string{"error": err.Error()})
		return
	}
	writeJSON(w, r, http.StatusOK, found)
}

// survey reads the sitemaps of a blog as they are served and calls visit for each URL. It keeps the report, which the page of
// the site shows.
func (h *handler) survey(ctx context.Context, i Install, b *site.Blog, visit func(survey.URL) error) (*survey.Report, error) {
	found, err := survey.Walk(ctx, b.Home, b.Outline.Files, h.Explainer.servedPages(i.Site, b), h.Now(), visit)
	if err == nil {
		h.surveys.Store(i.Config.Name+"\n"+b.Key(), found)
	}
	return found, err
}

// lastSurvey returns the last report about the sitemaps of a blog. It returns nil if there was none since the start.
func (v *View) lastSurvey(i Install, b *site.Blog) *survey.Report {
	last, _ := v.surveys.Load(i.Config.Name + "\n" + b.Key())
	found, _ := last.(*survey.Report)
	return found
}

// missing returns an error if not all sitemaps could be read.
func missing(found *survey.Report) error {
	if found.Unread == 0 {
		return nil
	}
	return fmt.Errorf("URLs are missing here, because %s cannot be read or parsed: see the page of the site", report.Count(found.Unread, "sitemap"))
}
