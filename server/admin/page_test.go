package admin

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Every page is parsed as browsers do it. Text of strangers must stay text or a part of a value, and must never become
// an element or an attribute.
func TestHostileTextsStayTexts(t *testing.T) {
	_, home := start(t, 60)
	down := fleet(3)
	down.Reload = Reload{At: at, Error: hostile, Good: at.Add(-time.Hour)}
	down.State.Error = hostile
	pages := map[string]string{
		"fleet":    get(t, home+"/"),
		"searched": get(t, home+"/?q="+url.QueryEscape(hostile)),
		"site":     get(t, home+"/sites/x"),
		"explain":  get(t, home+"/explain?url="+url.QueryEscape("https://x.example/"+hostile)), "asked": get(t, home+"/explain"),
	}
	alarmed := network()
	alarmed.Alarm, alarmed.Error, alarmed.Alarmed = hostile, hostile, at.Add(-time.Minute)
	pages["in trouble"] = written("", func(w http.ResponseWriter, r *http.Request) { writeFleet(w, r, down) })
	pages["unexplained"] = written("", func(w http.ResponseWriter, r *http.Request) { writeExplain(w, r, 503, hostile, hostile, nil) })
	pages["many"] = written("", func(w http.ResponseWriter, r *http.Request) { writeMany(w, r, 200, manyExplained()) })
	pages["listed"] = written("", func(w http.ResponseWriter, r *http.Request) { write(w, r, 200, "listed", listedPage()) })
	pages["visited"] = written("", func(w http.ResponseWriter, r *http.Request) { write(w, r, 200, "visited", visitedPage()) })
	pages["alarmed"] = written("", func(w http.ResponseWriter, r *http.Request) { writeSite(w, r, alarmed) })

	elements := []string{
		"html", "head", "meta", "textarea", "select", "option", "title", "link", "noscript", "script", "body", "a", "header", "p", "nav", "ul",
		"li", "main", "h1", "h2", "h3", "div", "section", "form", "label", "input", "button", "output",
		"table", "caption", "thead", "tbody", "tr", "th", "td", "small", "span", "time", "b", "pre", "code", "footer", "dl",
		"dt", "dd", "figure", "figcaption", "svg", "title", "desc", "line", "text", "path", "details", "summary",
	}
	for name, text := range pages {
		if name != "asked" && !strings.Contains(text, "hacked") {
			t.Errorf("%s: the text is not there", name)
		}
		tokens := html.NewTokenizer(strings.NewReader(text))
		for {
			kind := tokens.Next()
			if kind == html.ErrorToken {
				expect.Equal(t, tokens.Err(), io.EOF, name)
				break
			}
			token := tokens.Token()
			if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
				continue
			}
			if !slices.Contains(elements, token.Data) {
				t.Errorf("%s: element %s", name, token)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					t.Errorf("%s: attribute %s of %s", name, a.Key, token)
				}
				if a.Key == "href" || a.Key == "src" || a.Key == "action" {
					if u, err := url.Parse(a.Val); err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
						t.Errorf("%s: %s leads to %q", name, token.Data, a.Val)
					}
				}
			}
			if token.Data == "script" && !slices.Contains(token.Attr, html.Attribute{Key: "src", Val: "/admin.js"}) {
				t.Errorf("%s: %s", name, token)
			}
		}
	}
}

// written returns the page that answers a request with a query.
func written(query string, write func(http.ResponseWriter, *http.Request)) string {
	rec := httptest.NewRecorder()
	write(rec, httptest.NewRequest("GET", "/"+query, nil))
	return rec.Body.String()
}

func TestHeaders(t *testing.T) {
	_, home := start(t, 1)
	for _, path := range []string{"/", "/sites/x", "/explain", "/admin.css", "/admin.js", "/icon.svg"} {
		resp, err := http.Get(home + path)
		wptest.Must(t, err)
		resp.Body.Close()
		h := resp.Header
		policy := h.Get("Content-Security-Policy")
		if resp.StatusCode != 200 || !strings.HasPrefix(policy, "default-src 'none'; ") ||
			strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") || strings.Contains(policy, "*") ||
			!strings.Contains(policy, "frame-ancestors 'none'") ||
			!strings.Contains(policy, "base-uri 'none'") || !strings.Contains(policy, "form-action 'self'") {
			t.Errorf("%s: %d, policy %q", path, resp.StatusCode, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" ||
			h.Get("X-Frame-Options") != "DENY" || !strings.HasPrefix(h.Get("Cache-Control"), "no-") {
			t.Errorf("%s: %v", path, h)
		}
	}
}

// A long list is shown in parts.
func TestParts(t *testing.T) {
	list := make([]int, 1203)
	for i := range list {
		list[i] = i + 1
	}
	for part, want := range map[string][2]int{"": {1, 500}, "2": {501, 1000}, "3": {1001, 1203}, "99": {1001, 1203}, "-4": {1, 500}} {
		shown, parts := inParts(list, 500, url.Values{"part": {part}, "blog": {"7"}}, "part", "h")
		links := 0
		for _, p := range parts {
			if p.Link != "" {
				links++
			}
		}
		if shown[0] != want[0] || shown[len(shown)-1] != want[1] || len(parts) != 3 || links != 2 || parts[1].Link != "" && parts[1].Link != "?blog=7&part=2#h" {
			t.Errorf("part %q: %d to %d, %+v", part, shown[0], shown[len(shown)-1], parts)
		}
	}
	if shown, parts := inParts(list[:500], 500, nil, "part", "h"); len(shown) != 500 || parts != nil {
		t.Error("what fits is parted")
	}
	query := url.Values{"part": {"2"}}
	shown, parts := inParts(list[:501], 500, query, "part", "h")
	expect.Equal(t, len(shown), 1)
	expect.List(t, parts, []part{{"1 to 500", "?part=1#h"}, {"501 to 501", ""}})
	expect.Equal(t, query.Get("part"), "2", "the query of the request is changed")
}

// The page of all sites adds up their URLs, and counts in its title the sites in trouble, of which the most urgent comes first.
func TestFleetSums(t *testing.T) {
	t.Parallel()
	page := func(f *Fleet) string {
		return written("", func(w http.ResponseWriter, r *http.Request) { writeFleet(w, r, f) })
	}
	well := Summary{Name: "a", Ready: true, Active: true, URLs: 1000, Since: at}
	expect.Parts(t, page(&Fleet{Now: at, Sites: []Summary{well, well}}), "<title>wpsitemapd: sites</title>", "<b>2,000</b> URLs")
	broken, alarmed := well, well
	broken.Name, broken.Error, alarmed.Name, alarmed.Alarm = "b", "connection refused", "c", "9 of 10"
	text := page(&Fleet{Now: at, Sites: []Summary{well, broken, alarmed}})
	expect.Parts(t, text, "<title>(2) wpsitemapd: sites</title>", "<b>3,000</b> URLs", "2 sites need attention")
	first, second := strings.Index(text, `<a href="/sites/c">c</a>: most of its URLs`), strings.Index(text, `<a href="/sites/b">b</a>: cannot be read`)
	if first < 0 || second < first {
		t.Errorf("c is at %d, b at %d", first, second)
	}
}

// The title of a site in trouble says so. Types that are not public and list nothing are shown apart.
func TestSiteTitleAndHiddenTypes(t *testing.T) {
	t.Parallel()
	page := func(s *sitePage) string {
		return written("?blogs=2&part=2&show=all", func(w http.ResponseWriter, r *http.Request) { writeSite(w, r, s) })
	}
	s := network()
	s.Error, s.Alarm = "", ""
	s.Blog.Types = []Type{
		{Kind: "post type", Name: "post", URLs: 1, Public: true}, {Kind: "post type", Name: "empty", Public: true},
		{Kind: "post type", Name: "odd", URLs: 1}, {Kind: "post type", Name: "secret"},
	}
	for range fileRows {
		s.Blog.Files = append(s.Blog.Files, s.Blog.Files[0])
	}
	text := page(s)
	expect.Parts(t, text, "<title>"+s.Name+" – wpsitemapd</title>", fmt.Sprintf(`"?blog=%d&amp;blogs=2&amp;part=1#sitemaps-h"`, s.Blog.ID))
	shown, hidden, ok := strings.Cut(text, "not public")
	if !ok || strings.Count(shown, "secret") > 0 || strings.Count(hidden, "secret") == 0 || strings.Count(shown, "odd") == 0 || strings.Count(shown, "empty") == 0 {
		t.Errorf("hidden types are not apart:\n%s", text)
	}
	s.Error = "connection refused"
	expect.Contains(t, page(s), "<title>(!) "+s.Name+" – wpsitemapd</title>")
}

func TestOnlyHTTPIsLinked(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://a.test/": true, "http://a.test": true, "ftp://a.test/": false, "javascript:alert(1)": false, "https:///x": false, "/x": false, "http://[": false,
	} {
		expect.Equal(t, isHTTP(address), want, address)
	}
}

// Of a network with very many blogs, the page shows a part, and the blogs that the user searches for.
func TestManyBlogs(t *testing.T) {
	s := network()
	s.Others = nil
	for i := range 1203 {
		b := &site.Blog{ID: int64(i + 1), Home: fmt.Sprintf("https://network.example/Blog-%d", i+1)}
		if i%400 == 7 {
			b.Err = errors.New("it cannot be read")
		}
		s.Others = append(s.Others, b)
	}
	s.Blog.Blog = s.Others[0]
	for query, want := range map[string][]int{ // maps a query to some blogs that are shown and their total number
		"":                         {200, 1, 200},
		"?blogs=7":                 {3, 1201, 1203},
		"?named=BLOG-120":          {5, 120, 1200, 1203},
		"?named=77":                {21, 77, 177, 777, 1177},
		"?named=nobody":            {0},
		"?show=trouble":            {3, 8, 408, 808},
		"?named=blog-4&blogs=3":    {111, 4, 400},
		"?named=blog&blogs=2":      {200, 201, 400},
		"?named=%22%3E&show=other": {0},
	} {
		text := written(query, func(w http.ResponseWriter, r *http.Request) { writeSite(w, r, s) })
		expect.Equal(t, strings.Count(text, ">network.example/Blog-"), want[0], query, "blogs")
		for _, id := range want[1:] {
			expect.Contains(t, text, fmt.Sprintf(">network.example/Blog-%d<", id), query, "blog", id, "is not shown")
		}
		if query == "?named=blog&blogs=2" && !strings.Contains(text, `"?blogs=3&amp;named=blog#blogs-h"`) {
			t.Error("the next part is of other blogs")
		}
	}
}

// The last fetch is one by a verified crawler, even if an unverified one came later.
func TestLastFetch(t *testing.T) {
	fetch := func(minute int, verdict crawler.Verdict) crawler.Fetch {
		return crawler.Fetch{At: at.Add(time.Duration(minute) * time.Minute), Engine: crawler.Recognize("Googlebot"), Verdict: verdict, Blog: 1, Sitemap: "post", Status: 200}
	}
	b := &site.Blog{ID: 1}
	for _, tt := range []struct {
		fetches []crawler.Fetch
		want    string
	}{
		{[]crawler.Fetch{fetch(1, crawler.Unverified)}, "unverified Google 1"},
		{[]crawler.Fetch{fetch(3, crawler.Unverified), fetch(2, crawler.Verified), fetch(1, crawler.Verified), fetch(0, crawler.Unverified)}, "Google 2"},
		{[]crawler.Fetch{fetch(1, crawler.Verified), fetch(2, crawler.Spoofed)}, "Google 1"},
	} {
		f := lastFetches(b, tt.fetches)[filePage{"post", 1}]
		expect.Equal(t, fmt.Sprint(engineOf(f), " ", f.At.Sub(at).Minutes()), tt.want)
	}
}

func TestLevels(t *testing.T) {
	well := summary(1)
	for _, test := range []struct {
		rule   string
		change func(*Summary)
		want   level
	}{
		{"well", func(*Summary) {}, good},
		{"cannot be read", func(s *Summary) { s.Error = "x" }, bad},
		{"cannot be read, and serves what it had", func(s *Summary) { s.Error, s.Restored = "x", true }, bad},
		{"has lost most of its addresses", func(s *Summary) { s.Alarm = "x" }, bad},
		{"has nothing to serve", func(s *Summary) { s.Ready = false }, bad},
		{"just started", func(s *Summary) { *s = Summary{Name: "x"} }, waiting},
		{"serves what was kept", func(s *Summary) { s.Restored = true }, warn},
		{"has no sitemaps", func(s *Summary) { s.Active = false }, warn},
	} {
		s := well
		test.change(&s)
		expect.Equal(t, s.Level(), test.want, test.rule)
	}
}

func TestWords(t *testing.T) {
	for want, got := range map[string]string{
		"0": count(0), "999": count(999), "1,000": count(1000), "-1,234,567": count(int64(-1234567)), "-999": count(-999),
		"0 B": size(0), "1023 B": size(1023), "1.0 KB": size(1024), "10 KB": size(10 << 10), "1.5 MB": size(int64(3 << 19)), "2.0 TB": size(int64(2 << 40)),
		"0 s":         duration(0),
		"1 µs":        duration(300),
		"12 ms":       duration(12 * time.Millisecond),
		"1.5 s":       duration(1500 * time.Millisecond),
		"59 s":        duration(59 * time.Second),
		"3 min":       duration(200 * time.Second),
		"now":         ago(at, at.Add(-time.Second)),
		"5 s ago":     ago(at, at.Add(-5*time.Second)),
		"119 min ago": ago(at, at.Add(-119*time.Minute)),
		"47 h ago":    ago(at, at.Add(-47*time.Hour)),
		"3 days ago":  ago(at, at.Add(-80*time.Hour)),
		"2 s ago":     ago(at, at.Add(-2*time.Second)),
		"10 s":        duration(10 * time.Second),
		"60 s":        duration(time.Minute - 1),
		"1 min":       duration(time.Minute),
		"0 s ":        span(at, at.Add(time.Hour)) + " ",
		"2 h":         span(at, at.Add(-2*time.Hour)),
		"2 days":      span(at, at.Add(-48*time.Hour)),
		"never":       utc(time.Time{}),

		"21 Nov 2026 09:30:00": utc(at.In(time.FixedZone("", 3600)).Add(-time.Hour)),
		"82%":                  percent(0.8234), "short": short("short"), strings.Repeat("ä", 120) + "…": short(strings.Repeat("ä", 500)),
		"www.example.com/a": bare("https://www.example.com/a"),
	} {
		expect.Equal(t, got, want)
	}
	expect.Equal(t, ago(at, at.Add(time.Hour)), "now", "a clock that is ahead")
}

func TestChart(t *testing.T) {
	samples := func(values ...float64) (all []sample) {
		for i, v := range values {
			all = append(all, sample{at.Add(time.Duration(i) * metrics.Every), v})
		}
		return all
	}
	show := func(v float64) string { return fmt.Sprint(v) }
	for _, test := range []struct {
		rule    string
		samples []sample
		form    form
		low     string // lowest and highest tick
		high    string
	}{
		{"from zero", samples(0, 3, 17), line, "0", "17"},
		{"a level far from zero fills the chart", samples(2600, 2638, 2638), line, "2600", "2638"},
		{"one that never changes", samples(500, 500, 500), line, "500", "501"},
		{"nothing at all", samples(0, 0, 0), line, "0", "1"},
		{"bars begin at zero", samples(90, 100, 90), sums, "0", "100"},
	} {
		c := newChart("c", "C", test.samples, test.form, show)
		if c.Ticks[0].Text != test.low || c.Ticks[1].Text != test.high {
			t.Errorf("%s: from %s to %s, want %s to %s", test.rule, c.Ticks[0].Text, c.Ticks[1].Text, test.low, test.high)
		}
		if len(c.Rows) != len(test.samples) || c.Path == "" && test.samples[0].v > 0 {
			t.Errorf("%s: %d rows, path %q", test.rule, len(c.Rows), c.Path)
		}
		for _, n := range regexp.MustCompile(`-?[0-9.]+|NaN|Inf`).FindAllString(c.Path, -1) {
			var v float64
			if _, err := fmt.Sscan(n, &v); err != nil || v < 0 || v > chartWidth {
				t.Errorf("%s: %s in the path", test.rule, n)
			}
		}
	}
	if newChart("c", "C", samples(1, 2), line, show) != nil {
		t.Error("a chart of two numbers")
	}
	for _, test := range []struct {
		form               form
		text, path, x0, xn string
	}{
		{line, "from 0 to 10, now 5", "M52.0 118.0L262.0 10.0L472.0 64.0", "52", "472"},
		{peaks, "10 at most", "M206.0 118.0V10.0H318.0V118.0ZM346.0 118.0V64.0H458.0V118.0Z", "122", "402"},
		{sums, "15 in all, 10 at most", "M206.0 118.0V10.0H318.0V118.0ZM346.0 118.0V64.0H458.0V118.0Z", "122", "402"},
	} {
		c := newChart("c", "C", samples(0, 10, 5), test.form, show)
		expect.Equal(t, c.Text, test.text)
		expect.Equal(t, c.Path, test.path, test.text)
		expect.List(t, c.Labels, []tick{{c.Labels[0].At, "2026-11-21 10:30"}, {c.Labels[1].At, "2026-11-21 10:50"}}, test.text)
		expect.List(t, []string{show(c.Labels[0].At), show(c.Labels[1].At)}, []string{test.x0, test.xn}, test.text)
		expect.List(t, []float64{c.Ticks[0].At, c.Ticks[1].At}, []float64{118, 10}, test.text)
	}
	c := newChart("c", "C", samples(100, 125, 110), line, show)
	expect.Equal(t, c.Ticks[0].Text, "0", "a level that varies by a quarter starts at zero")
}

// The first point after a start has counted nothing yet, so that only the chart of URLs has it.
func TestChartsOfSite(t *testing.T) {
	t.Parallel()
	point := func(n, urls int, build time.Duration, fetches int) metrics.Point {
		return metrics.Point{At: at.Add(time.Duration(n) * metrics.Every), URLs: urls, Build: build, Fetches: fetches}
	}
	rows := func(points ...metrics.Point) (all []string) {
		for _, c := range charts(&sitePage{Points: points}) {
			text := c.Title + ":"
			for _, r := range c.Rows {
				text += " " + r.Value
			}
			all = append(all, text)
		}
		return all
	}
	expect.List(t, rows(), nil)
	after := []metrics.Point{point(1, 1100, time.Second, 4), point(2, 1200, 0, 0), point(3, 1200, 2*time.Second, 1)}
	expect.List(t, rows(append([]metrics.Point{point(0, 1000, 0, 0)}, after...)...), []string{
		"URLs: 1,000 1,100 1,200 1,200", "Longest read or render: 1.0 s 0 s 2.0 s", "Sitemaps fetched, by anyone: 4 0 1",
	})
	expect.List(t, rows(append([]metrics.Point{point(0, 1000, 0, 7)}, after...)...)[1:], []string{
		"Longest read or render: 0 s 1.0 s 0 s 2.0 s", "Sitemaps fetched, by anyone: 7 4 0 1",
	})
	expect.List(t, rows(append([]metrics.Point{point(0, 1000, time.Second, 0)}, after...)...)[2:], []string{"Sitemaps fetched, by anyone: 0 4 0 1"})
}

// TestStateIsTold checks what the page of all sites says about the store.
func TestStateIsTold(t *testing.T) {
	usage := store.Usage{Blobs: 3, Bytes: 1 << 20}
	for _, c := range []struct {
		state    store.Stats
		has, not string
	}{
		{store.Stats{Place: "on disk", Usage: usage, Limit: 2 << 20}, "on disk, 1.0 MB of 2.0 MB", "cannot be stored"},
		{store.Stats{Place: "in clouds", Usage: usage}, "in clouds, 1.0 MB<", "on disk"},
		{store.Stats{Place: "in clouds", Error: "no space"}, "Cached pages cannot be stored in clouds</h2><p>no space", "on disk"},
	} {
		f := fleet(3)
		f.State = &c.state
		text := written("", func(w http.ResponseWriter, r *http.Request) { writeFleet(w, r, f) })
		if !strings.Contains(text, c.has) || strings.Contains(text, c.not) {
			t.Errorf("%+v: no %q, or %q", c.state, c.has, c.not)
		}
	}
}
