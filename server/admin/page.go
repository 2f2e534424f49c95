package admin

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
)

var (
	//go:embed pages.html
	pagesText string
	//go:embed admin.css admin.js icon.svg
	assets embed.FS
)

// contentPolicy lets a page load its own files and send requests to this server, and nothing else.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

var templates = template.Must(template.New("pages").Funcs(template.FuncMap{
	"count":    count,
	"bytes":    size,
	"duration": duration,
	"ago":      ago,
	"span":     span,
	"utc":      utc,
	"short":    short,
	"bare":     bare,
	"isHTTP":   isHTTP,
	"rfc":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"percent":  percent,
	"plural":   plural,
	"moment":   func(now, at time.Time) moment { return moment{now, at} },
	"minus":    func(n int) int { return -n },
	"less":     func(a, b int) int { return a - b },
	"fetched":  fetchedName,
	"engine":   engineOf,
}).Parse(pagesText))

// moment is a time, and the current time to compare it with.
type moment struct{ Now, At time.Time }

// head is what all pages share: the title, the current place in the menu, and whether the page reloads itself.
type head struct {
	Title   string
	Here    string
	Refresh bool
}

// writeFleet answers with the page of all sites, or of those that match the query string.
func writeFleet(w http.ResponseWriter, r *http.Request, f *Fleet) {
	data := struct {
		head
		Fleet    *Fleet
		Text     string // the query
		Troubled bool   // only sites that are not good
		Chosen   []*Summary
		Trouble  []*Summary
		URLs     int
	}{head: head{"wpsitemapd: sites", "fleet", true}, Fleet: f, Text: short(r.URL.Query().Get("q")), Troubled: r.URL.Query().Get("show") == "trouble"}
	data.Chosen = choose(f.Sites, data.Text, data.Troubled)
	for i := range f.Sites {
		s := &f.Sites[i]
		data.URLs += s.URLs
		if s.Level() == bad {
			data.Trouble = append(data.Trouble, s)
		}
	}
	slices.SortStableFunc(data.Trouble, byNeed)
	if n := len(data.Trouble); n > 0 {
		data.Title = fmt.Sprintf("(%d) %s", n, data.Title)
	}
	write(w, r, http.StatusOK, "fleet", data)
}

// writeFleetJSON answers with all sites in JSON, the most urgent first.
func writeFleetJSON(w http.ResponseWriter, r *http.Request, f *Fleet) {
	type state struct {
		State string `json:"state"` // its Level
		*Summary
	}
	answer := struct {
		Now     time.Time `json:"now"`
		Version string    `json:"version"`
		Reload  string    `json:"reload_error,omitempty"`
		Sites   []state   `json:"sites"`
	}{f.Now, f.Version, f.Reload.Error, []state{}}
	for _, s := range choose(f.Sites, "", false) {
		answer.Sites = append(answer.Sites, state{s.Level().String(), s})
	}
	writeJSON(w, r, http.StatusOK, answer)
}

// fileRows is how many sitemaps one page lists, and blogRows how many blogs of a network.
const (
	fileRows = 500
	blogRows = 200
)

// part is a link to one part of a long list.
type part struct {
	Text string
	Link template.URL // "": this part is shown
}

// inParts returns the part of a list that the request asks for by the parameter key of its query string. If the list has
// several parts, inParts also returns links to them. These links keep the other parameters of the query string.
func inParts[T any](list []T, size int, query url.Values, key, section string) (shown []T, parts []part) {
	n := (len(list) + size - 1) / size
	if n <= 1 {
		return list, nil
	}
	at, _ := strconv.Atoi(query.Get(key))
	at = min(max(at, 1), n)
	for i := range n {
		p := part{Text: fmt.Sprintf("%d to %d", i*size+1, min((i+1)*size, len(list)))}
		if i+1 != at {
			query = maps.Clone(query)
			query.Set(key, strconv.Itoa(i+1))
			p.Link = template.URL("?" + query.Encode() + "#" + section)
		}
		parts = append(parts, p)
	}
	return list[(at-1)*size : min(at*size, len(list))], parts
}

// blogsNamed returns the blogs whose home contains text, and the blog whose id is text. Letter case does not matter. If
// troubled is set, only blogs with an error are returned.
func blogsNamed(blogs []*site.Blog, text string, troubled bool) []*site.Blog {
	text = strings.ToLower(strings.TrimSpace(text))
	return slices.DeleteFunc(slices.Clone(blogs), func(b *site.Blog) bool {
		return troubled && b.Err == nil || !strings.Contains(strings.ToLower(b.Home), text) && strconv.FormatInt(b.ID, 10) != text
	})
}

// writeSite answers with the page about a site.
func writeSite(w http.ResponseWriter, r *http.Request, s *sitePage) {
	data := struct {
		head
		Site   *sitePage
		Charts []*chart
		Files  []file
		Parts  []part
		Hidden []Type // types that are not public

		Blogs         []*site.Blog // the blogs listed on this page
		Found         int          // the number of blogs that match
		BlogParts     []part
		Named, Showed string // the filters for blogs in the request
	}{head: head{s.Name + " – wpsitemapd", "", true}, Site: s, Charts: charts(s)}
	query := url.Values{} // the known parameters of the request
	for _, key := range []string{"blog", "part", "named", "show", "blogs"} {
		if v := short(r.URL.Query().Get(key)); v != "" {
			query.Set(key, v)
		}
	}
	if query.Get("show") != "trouble" {
		query.Del("show")
	}
	data.Named, data.Showed = query.Get("named"), query.Get("show")
	found := blogsNamed(s.Others, data.Named, data.Showed != "")
	data.Found = len(found)
	data.Blogs, data.BlogParts = inParts(found, blogRows, query, "blogs", "blogs-h")
	if s.Level() == bad {
		data.Title = "(!) " + data.Title
	}
	if s.Blog != nil {
		for _, t := range s.Blog.Types {
			if !t.Public && t.URLs == 0 {
				data.Hidden = append(data.Hidden, t)
			}
		}
		query.Set("blog", strconv.FormatInt(s.Blog.ID, 10))
		data.Files, data.Parts = inParts(s.Blog.Files, fileRows, query, "part", "sitemaps-h")
	}
	write(w, r, http.StatusOK, "site", data)
}

// writeExplain answers with the form of explain, and with the explanation if there is one.
func writeExplain(w http.ResponseWriter, r *http.Request, status int, address, problem string, x *Explained) {
	write(w, r, status, "explain", struct {
		head
		Address, Problem string
		Explanation      *Explained
	}{head{"Explain a URL – wpsitemapd", "explain", false}, address, problem, x})
}

func write(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		say(w, http.StatusInternalServerError, "The page cannot be made: "+err.Error())
		return
	}
	send(w, status, "text/html; charset=utf-8", &b)
}

func secure(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Robots-Tag", "noindex, nofollow")
}

// serveAssets serves the files of the pages. Browsers must ask for them again each time.
func serveAssets(mux *http.ServeMux) {
	files := http.FileServerFS(assets)
	for _, name := range []string{"/admin.css", "/admin.js", "/icon.svg"} {
		mux.HandleFunc("GET "+name, func(w http.ResponseWriter, r *http.Request) {
			secure(w.Header())
			w.Header().Set("Cache-Control", "no-cache")
			files.ServeHTTP(w, r)
		})
	}
}

// whole converts a value of any signed integer type to int64.
func whole(v any) int64 { return reflect.ValueOf(v).Int() }

// count formats an integer with separators between thousands.
func count(v any) string { return report.Number(int(whole(v))) }

// plural returns one if the number is 1, else many.
func plural(v any, one, many string) string {
	if whole(v) == 1 {
		return one
	}
	return many
}

// size formats a number of bytes.
func size(v any) string { return report.Size(whole(v)) }

func percent(share float64) string {
	return strconv.FormatFloat(math.Round(100*share), 'f', 0, 64) + "%"
}

// duration formats how long something took, in about two significant digits.
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "0 s"
	case d < time.Millisecond:
		return strconv.FormatInt(max(1, d.Microseconds()), 10) + " µs"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.FormatFloat(math.Round(d.Seconds()), 'f', 0, 64) + " s"
	}
	return span(time.Time{}.Add(d), time.Time{})
}

// span formats the time between two moments in its largest unit.
func span(now, at time.Time) string {
	d := now.Sub(at)
	switch {
	case d < 0:
		return "0 s"
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < 2*time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return count(int(d/(24*time.Hour))) + " days"
}

func ago(now, at time.Time) string {
	if now.Sub(at) < 2*time.Second {
		return "now"
	}
	return span(now, at) + " ago"
}

func utc(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2 Jan 2006 15:04:05")
}

// longest is how many bytes of foreign text a table shows.
const longest = 240

func short(s string) string { return report.Clip(s, longest) }

// bare returns an address without its scheme.
func bare(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		return rest
	}
	return s
}

func isHTTP(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
