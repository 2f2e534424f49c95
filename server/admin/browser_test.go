package admin

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/live"
	"wpsitemapd/server/survey"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// status serves the pages of invented sites.
type status struct {
	mu     sync.Mutex
	fleets map[string]*Fleet // by path
	site   *sitePage
	down   bool
	asked  int
}

func (s *status) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// start serves a fleet of n sites.
func start(t *testing.T, n int) (*status, string) {
	s := &status{fleets: map[string]*Fleet{"/": fleet(n)}, site: network()}
	mux := http.NewServeMux()
	serveAssets(mux)
	guarded := func(fn http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.asked++
			if s.down {
				say(w, http.StatusServiceUnavailable, "down")
				return
			}
			fn(w, r)
		}
	}
	mux.HandleFunc("GET /{$}", guarded(func(w http.ResponseWriter, r *http.Request) { writeFleet(w, r, s.fleets["/"]) }))
	mux.HandleFunc("GET /sites/{name}", guarded(func(w http.ResponseWriter, r *http.Request) { writeSite(w, r, s.site) }))
	mux.HandleFunc("GET /explain", guarded(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("url") == "" {
			writeExplain(w, r, http.StatusOK, "", "", nil)
			return
		}
		writeExplain(w, r, http.StatusOK, r.URL.Query().Get("url"), "", explained())
	}))
	mux.HandleFunc("GET /many", guarded(func(w http.ResponseWriter, r *http.Request) { writeMany(w, r, http.StatusOK, manyExplained()) }))
	mux.HandleFunc("GET /listed", guarded(func(w http.ResponseWriter, r *http.Request) { write(w, r, http.StatusOK, "listed", listedPage()) }))
	mux.HandleFunc("GET /changes", guarded(func(w http.ResponseWriter, r *http.Request) { write(w, r, http.StatusOK, "changes", changesPage()) }))
	mux.HandleFunc("GET /visited", guarded(func(w http.ResponseWriter, r *http.Request) { write(w, r, http.StatusOK, "visited", visitedPage()) }))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return s, srv.URL
}

func listedPage() *listed {
	f := &catalog.File{Name: "post", Filename: "post-sitemap.xml"}
	return &listed{
		head: head{"Listed", "", false}, Site: "x", Text: hostile, Sitemap: "post", Sitemaps: []string{"post", hostile}, Found: 3, Now: at,
		Report: &survey.Report{At: at.Add(-time.Minute), Files: 2, URLs: 3, Problems: []string{"a.xml lists " + hostile}, More: 1},
		Rows: []survey.URL{
			{Loc: "https://www.example.com/a/", File: f, LastMod: live.DateOf(at), Images: 2}, {Loc: "javascript:alert(1)", File: f}, {Loc: hostile, File: f},
		},
		titles:  map[string]string{"https://www.example.com/a/": "A title of usual length, with " + hostile},
		fetches: map[filePage]crawler.Fetch{{f.Name, f.Page}: {At: at.Add(-time.Hour), Engine: crawler.Recognize("Googlebot")}},
	}
}

func changesPage() *changed {
	c := &changed{Head: head{"Changes", "", false}, Site: "x", Days: 7, Now: at, What: hostile, Counts: map[string]map[string]int{}}
	all := []catalog.Change{
		{At: at, What: "went", Sitemap: "post", URL: "https://www.example.com/a-rather-long-address-of-a-post/", Object: "post 17"},
		{At: at, What: "came", Sitemap: hostile, URL: hostile}, {At: at, What: "changed", Sitemap: "page", URL: "javascript:alert(1)"},
		{At: at, What: "went", Sitemap: "category", Object: "category 3"}, {At: at, What: "note", Note: hostile},
	}
	c.choose(all)
	for _, o := range all {
		c.Rows = append(c.Rows, change{Change: o, Because: hostile, Rule: "noindex", Do: hostile, Edit: "https://www.example.com/wp-admin/post.php?post=17"})
	}
	return c
}

func visitedPage() *visited {
	return &visited{
		Head: head{"Visited", "", false}, Site: "x", Problem: hostile, Counts: map[string]int{notListed: 2, notAnswered: 1}, Since: at.Add(-time.Hour), Now: at,
		Rows: []visit{
			{Problem: notListed, URL: "https://www.example.com/a-rather-long-address-of-a-post/", Times: 1234, Status: 200, Last: at, Rule: "noindex",
				Because: "It is set to noindex in Yoast SEO.", Do: "Allow it in search results.", Edit: "https://www.example.com/wp-admin/post.php?post=17"},
			{Problem: notListed, URL: hostile, Because: hostile, Do: hostile, Edit: "javascript:alert(1)"},
			{Problem: notAnswered, URL: "https://www.example.com/b/", Times: 3, Status: 503, Last: at.Add(-time.Hour), Again: at},
		},
	}
}

func manyExplained() *many {
	unknown := &Explained{Explanation: &explain.Explanation{URL: "/x/", Unknown: true, Because: hostile}}
	return &many{List: "/hello/\n" + hostile, In: 1, Out: 2, Problem: hostile, Rows: []*Explained{explained(), unknown}}
}

func explained() *Explained {
	return &Explained{Explanation: &explain.Explanation{
		Because: "Its author wants it kept out of search engines. " + hostile,
		Object:  "post 17", Address: "https://www.example.com/hello/", Rule: "noindex", Title: hostile,
		LastMod: "2026-11-20T10:00:00+00:00",
		Evidence: []seo.Evidence{
			{Source: "wp_postmeta._yoast_wpseo_meta-robots-noindex", Value: `"1"`, Of: "post 17"}, {Source: hostile, Value: hostile, Of: hostile},
		},
		Places: []explain.Place{
			{File: "https://www.example.com/post-sitemap.xml", Sitemap: "post", Page: 1}, {File: "javascript:alert(1)", Sitemap: hostile},
		},
		Notes: []string{"It is multi-part."},
	}}
}

// look is what the test measures on a page.
type look struct {
	Title      string
	Unlabelled []string // controls without a name, drawings without title and description
	Small      []string // links and buttons that are too small for a finger
	Loaded     []string // addresses of everything that the page has loaded
	Headless   int      // cells of data tables without a header in their column
	Scripts    int
}

// seen is a JavaScript function that tells whether an element is visible.
const seen = `e => e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) && e.getBoundingClientRect().width > 1`

const measure = `
	const all = q => [...document.querySelectorAll(q)], seen = ` + seen + `;
	const named = e => e.getAttribute("aria-label") || e.labels && e.labels.length || e.textContent.trim();
	return {
		title: document.title,
		unlabelled: [
			...all("input:not([type=hidden]), button, a, summary").filter(e => seen(e) && !named(e)),
			...all("svg").filter(e => !e.querySelector("title") || !e.querySelector("desc") || e.getAttribute("role") != "img"),
			...all("[aria-labelledby]").filter(e => e.getAttribute("aria-labelledby").split(" ").some(id => !document.getElementById(id))),
		].map(e => e.outerHTML.slice(0, 120)),
		small: all("a, button, summary, input").filter(e => seen(e) && e.getBoundingClientRect().height < 16).
			slice(0, 5).map(e => e.outerHTML.slice(0, 120)),
		loaded: performance.getEntriesByType("resource").map(e => e.name), scripts: document.scripts.length,
		headless: all("table").filter(t => !t.tHead || ![...t.tHead.rows[0].cells].every(c => c.scope == "col") ||
			[...t.tBodies[0].rows].some(r => r.cells.length > 1 && r.cells[0].scope != "row")).length,
	};`

// TestStatusPage checks the status page in a real browser: fleets of 1, 30 and 500 sites, on a phone and on a desktop,
// in light and dark colours. If WPSITEMAPD_SCREENSHOTS names a folder, the test saves pictures there.
func TestStatusPage(t *testing.T) {
	pictures := os.Getenv("WPSITEMAPD_SCREENSHOTS")
	b := servertest.StartBrowser(t, servertest.BrowserOptions{})
	for _, n := range []int{1, 30, 500} {
		_, home := start(t, n)
		b.Open(home + "/")
		examine(t, b, home, fmt.Sprintf("fleet-%d", n), pictures)
		rows := 0
		if b.Eval(`return [...document.querySelectorAll("#sites tbody tr")].filter(r => !r.hidden).length`, &rows); rows != n {
			t.Errorf("%d rows of %d sites", rows, n)
		}
	}
	s, home := start(t, 30)
	b.Open(home + "/sites/bakery-002")
	examine(t, b, home, "site", pictures)
	b.Eval(`for (const d of document.querySelectorAll("details")) d.open = true; return 0`, new(int))
	examine(t, b, home, "site-open", pictures)
	b.Open(home + "/explain?url=https://www.example.com/hello/")
	examine(t, b, home, "explain", pictures)
	b.Open(home + "/many")
	examine(t, b, home, "many", pictures)
	b.Open(home + "/listed")
	examine(t, b, home, "listed", pictures)
	b.Open(home + "/changes")
	examine(t, b, home, "changes", pictures)
	b.Open(home + "/visited")
	examine(t, b, home, "visited", pictures)

	search(t, b, home)
	refreshed(t, b, s, home)
}

// examine checks what must hold for every page, at every size and in both colours.
func examine(t *testing.T, b *servertest.Browser, home, name, pictures string) {
	t.Helper()
	picture := strings.NewReplacer(" at ", "-", " pixels, dark ", "-")
	b.Look(name, `[...document.querySelectorAll("body *")].slice(0, 1500)`, seen, func(at string) {
		var l look
		b.Eval(measure, &l)
		if len(l.Unlabelled)+len(l.Small) > 0 || l.Headless > 0 {
			t.Errorf("%s: without a name: %q, small: %q, tables without heads: %d", at, l.Unlabelled, l.Small, l.Headless)
		}
		if strings.Contains(l.Title, "hacked") || l.Scripts != 1 {
			t.Errorf("%s: title %q, %d scripts", at, l.Title, l.Scripts)
		}
		for _, address := range l.Loaded {
			if !strings.HasPrefix(address, home+"/") {
				t.Errorf("%s loads %s", at, address)
			}
		}
		if pictures != "" {
			b.Screenshot(filepath.Join(pictures, picture.Replace(at)+".png"))
		}
	})
}

// search types into the search field as a person would.
func search(t *testing.T, b *servertest.Browser, home string) {
	t.Helper()
	b.Open(home + "/")
	var found struct {
		Rows          int
		Text, Address string
	}
	b.Eval(`
		const q = document.getElementById("q");
		q.value = "BAKERY";
		q.dispatchEvent(new InputEvent("input", {bubbles: true}));
		return {
			rows: [...document.querySelectorAll("#sites tbody tr")].filter(r => !r.hidden).length,
			text: document.getElementById("found").textContent, address: location.href,
		};`, &found)
	if found.Rows != 5 || found.Text != "5 of 30" || found.Address != home+"/?q=BAKERY" {
		t.Errorf("searching: %+v", found)
	}
	// also among sites that the server has left out of the page
	b.Open(home + "/?q=bakery")
	eventually(t, b, "every row is fetched",
		`return document.querySelectorAll("#sites tbody th").length == 30 &&
			[...document.querySelectorAll("#sites tbody tr")].filter(r => !r.hidden).length == 5`)
}

// refreshed waits until the page has updated itself, and checks that the input of the user is unchanged.
func refreshed(t *testing.T, b *servertest.Browser, s *status, home string) {
	t.Helper()
	b.Open(home + "/sites/bakery-002")
	b.Eval(`
		window.mark = 1;
		document.querySelector("#type-post\\ type-post").open = true;
		document.querySelector("#chart-urls summary").focus();
		return 0`,
		new(int))
	b.Eval(`document.getElementById("named").value = "blog-2"; return 0`, new(int))
	s.set(func() { s.site.URLs = 987654 })
	eventually(t, b, "the new number is shown",
		`document.dispatchEvent(new Event("visibilitychange")); return document.body.textContent.includes("987,654")`)
	eventually(t, b, "nothing was loaded again, what was open is open, and the focus is where it was", `
		return window.mark == 1 && document.querySelector("#type-post\\ type-post").open &&
			document.getElementById("named").value == "blog-2" &&
			document.activeElement.localName == "summary" && document.activeElement.parentElement.id == "chart-urls"`)
	s.set(func() { s.down = true })
	eventually(t, b, "a person is told that it is old",
		`document.dispatchEvent(new Event("visibilitychange")); return document.getElementById("fetched").textContent.includes("what you see is older")`)
	s.set(func() { s.down = false })
	b.Open(home + "/sites/bakery-002")
	b.Eval(`document.getElementById("refresh").checked = false; return 0`, new(int))
	s.set(func() { s.asked = 0 })
	b.Eval(`document.dispatchEvent(new Event("visibilitychange")); return 0`, new(int))
	time.Sleep(300 * time.Millisecond)
	s.set(func() {
		if s.asked > 0 {
			t.Error("it refreshes though it was told not to")
		}
	})
}

func eventually(t *testing.T, b *servertest.Browser, what, script string) {
	t.Helper()
	wptest.Eventually(t, what, func() (ok bool) {
		b.Eval(script, &ok)
		return ok
	})
}

// Without JavaScript, the form finds the same sites, and the page reloads itself.
func TestWithoutScript(t *testing.T) {
	_, home := start(t, 30)
	for _, test := range []struct {
		rule, query   string
		rows          int
		first, second string // names of sites
	}{
		{"everything, alarms first", "", 30, "museum-of-nets-004", "bakery-027"},
		{"a part of a name in any case", "?q=BAKERY", 5, "bakery-027", "bakery-002"},
		{"a part of an address", "?q=site-017", 1, "bakery-017", ""},
		{"only trouble", "?show=trouble", 8, "museum-of-nets-004", "bakery-027"},
		{"nothing", "?q=nobody", 0, "", ""},
	} {
		text := get(t, home+"/"+test.query)
		expect.Equal(t, strings.Count(text, `<th role="rowheader"`), test.rows, test.rule, "rows")
		_, rest, _ := strings.Cut(text, "<tbody")
		for _, name := range []string{test.first, test.second} {
			if name == "" {
				continue
			}
			var ok bool
			if _, rest, ok = strings.Cut(rest, `<a href="/sites/`); !ok || !strings.HasPrefix(rest, name+`"`) {
				t.Errorf("%s: %.40s, want %s", test.rule, rest, name)
			}
		}
		expect.Contains(t, text, `<noscript><meta http-equiv="refresh" content="30"></noscript>`, test.rule, "it does not come again")
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	wptest.Must(t, err)
	defer resp.Body.Close()
	var b bytes.Buffer
	b.ReadFrom(resp.Body)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", address, resp.StatusCode, b.String())
	}
	return b.String()
}
