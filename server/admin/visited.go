package admin

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/server/survey"
	"wpsitemapd/server/traffic"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/weburl"
)

const (
	// visitedRows is how many URLs one page shows. The page explains each of these URLs that no sitemap lists.
	visitedRows = 100

	notListed   = "not listed"   // visitors get the page, and no sitemap lists it
	notAnswered = "not answered" // a sitemap lists the URL, and visitors do not get it
)

// visited is a page of two kinds of URLs: those that visitors get and no sitemap lists, and those that a sitemap lists and
// visitors do not get.
type visited struct {
	Head    head
	Site    string
	Blog    int64
	Problem string         // the filter in the request; "" for all
	Counts  map[string]int // number of URLs by problem
	Off     bool           // visits are not counted
	Since   time.Time      // zero: nothing was counted
	Rows    []visit
	Parts   []part
	Error   string
	Now     time.Time
}

// visit says how often visitors asked for a URL, and what is wrong with it.
type visit struct {
	Problem string    `json:"problem"`
	URL     string    `json:"url"`
	Times   int       `json:"times"`
	Status  int       `json:"status"`
	Last    time.Time `json:"last"`
	Again   time.Time `json:"answered_again,omitzero"`
	Rule    string    `json:"rule,omitempty"`
	Because string    `json:"because"`
	Do      string    `json:"do,omitempty"`
	Edit    string    `json:"edit,omitempty"`
}

// Problems returns the values of visit.Problem. Most returns how many pages, and how many failed URLs, a report has at most.
func (v *visited) Problems() []string { return []string{notListed, notAnswered} }
func (v *visited) Most() int          { return traffic.Most }

// serveVisited compares what visitors got with the sitemaps of a blog. It answers with a page, or with visited.csv or visited.json.
func (h *handler) serveVisited(w http.ResponseWriter, r *http.Request, i Install) {
	query := r.URL.Query()
	v := &visited{
		Head: head{"Visited on " + i.Config.Name + " – wpsitemapd", "", false}, Site: i.Config.Name, Problem: short(query.Get("problem")),
		Counts: map[string]int{}, Off: !h.Config().CountTraffic, Now: h.Now(),
	}
	ctx, cancel := context.WithTimeout(r.Context(), manyTimeout)
	defer cancel()
	all, err := h.compareVisits(ctx, i, blogAsked(r), v)
	if err != nil {
		v.Error = err.Error()
		write(w, r, http.StatusServiceUnavailable, "visited", v)
		return
	}
	switch path.Ext(r.URL.Path) {
	case ".json":
		writeJSON(w, r, http.StatusOK, h.explainVisits(ctx, i, all))
	case ".csv":
		d := newDownload(w, "visited.csv", []string{"problem", "url", "times", "status", "last", "rule", "because", "do", "edit"})
		for _, o := range h.explainVisits(ctx, i, all) {
			if d.row(o.Problem, o.URL, strconv.Itoa(o.Times), strconv.Itoa(o.Status), o.Last.UTC().Format(time.RFC3339), o.Rule, o.Because, o.Do,
				o.Edit) != nil {
				break
			}
		}
		d.end(nil)
	default:
		known := url.Values{"blog": {strconv.FormatInt(v.Blog, 10)}, "problem": {v.Problem}, "part": {query.Get("part")}}
		v.Rows, v.Parts = inParts(all, visitedRows, known, "part", "visits")
		h.explainVisits(ctx, i, v.Rows)
		write(w, r, http.StatusOK, "visited", v)
	}
}

// compareVisits returns those visits of a blog that have a problem, and counts them in v. The languages of a blog share its id,
// and a visit has only that id. So compareVisits reads the sitemaps of all languages.
func (h *handler) compareVisits(ctx context.Context, i Install, id int64, v *visited) ([]visit, error) {
	if b := blogOf(i, id); b != nil {
		id = b.ID
	}
	blogs := i.Snapshot().Of(id)
	if len(blogs) == 0 || slices.ContainsFunc(blogs, func(b *site.Blog) bool { return !b.Known() }) {
		return nil, ErrNotRead
	}
	seen := i.Traffic.Report(v.Now)
	v.Blog, v.Since = id, seen.Since
	all := []visit{}
	if seen.Since.IsZero() {
		return all, nil
	}
	listed := map[traffic.Page]bool{} // of each URL that was asked for, whether a sitemap lists it
	for _, c := range slices.Concat(seen.Read, seen.Failed) {
		listed[c.Page] = false
	}
	homes := map[string]*url.URL{} // by host
	for _, b := range blogs {
		found, err := h.survey(ctx, i, b, func(u survey.URL) error {
			if at, err := url.Parse(u.Loc); err == nil && at.RawQuery == "" {
				page := traffic.Page{Blog: id, Host: weburl.Host(at.Host), Path: at.Path}
				if _, asked := listed[page]; asked {
					listed[page] = true
				}
			}
			return nil
		})
		if err == nil {
			err = missing(found)
		}
		if err != nil {
			return nil, err
		}
		home, _ := url.Parse(b.Home) // a survey fails if a home is no URL
		homes[weburl.Host(home.Host)] = home
	}
	first, _ := url.Parse(blogs[0].Home)
	add := func(problem string, c traffic.Count) {
		v.Counts[problem]++
		if v.Problem != "" && v.Problem != problem {
			return
		}
		at := url.URL{Scheme: first.Scheme, Host: c.Page.Host, Path: c.Page.Path}
		if home := homes[c.Page.Host]; home != nil {
			at.Scheme, at.Host = home.Scheme, home.Host // with its port
		}
		o := visit{Problem: problem, URL: at.String(), Times: c.Times, Status: c.Status, Last: c.Last, Again: c.Again}
		if problem == notAnswered {
			o.Because, o.Do = whyFailed(c.Status)
		}
		all = append(all, o)
	}
	for _, c := range seen.Read {
		if c.Page.Blog == id && !listed[c.Page] {
			add(notListed, c)
		}
	}
	for _, c := range seen.Failed {
		if listed[c.Page] {
			add(notAnswered, c)
		}
	}
	return all, nil
}

// explainVisits explains, as far as the time allows, why pages are in no sitemap.
func (h *handler) explainVisits(ctx context.Context, i Install, visits []visit) []visit {
	for n := range visits {
		o := &visits[n]
		if o.Problem != notListed {
			continue
		}
		x := h.whyNot(ctx, i, o.URL)
		o.Rule, o.Because, o.Do, o.Edit = x.Rule, x.Because, x.Do, x.Edit
	}
	return visits
}

// whyNot explains a URL of a site. If that fails or the time is up, the explanation says only that.
func (h *handler) whyNot(ctx context.Context, i Install, url string) *explain.Explanation {
	if ctx.Err() == nil {
		x, err := h.Explainer.Explain(ctx, url, i.Config.Name)
		if err == nil {
			return x.Explanation
		}
		if ctx.Err() == nil {
			return &explain.Explanation{Because: err.Error()}
		}
	}
	return &explain.Explanation{Because: "There was no time to explain this URL."}
}

// whyFailed says what a status means for a listed URL, and what to do.
func whyFailed(status int) (because, do string) {
	switch {
	case status < 400:
		return "The site redirects this URL.", "Remove the redirect, or exclude the URL from the sitemaps: sitemaps should list final URLs only."
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "The site refuses to show this page.", "Look for a membership plugin or a rule of the web server that refuses it. If " +
			"the page is for members only, set it to noindex."
	case status == http.StatusNotFound, status == http.StatusGone:
		return "The page is published, but the site answers that it does not exist.", "Save the permalinks in WordPress again. If " +
			"that does not help, look for a plugin that hides the page."
	}
	return "The site answered with an error.", "See the error logs of PHP and of the web server."
}
