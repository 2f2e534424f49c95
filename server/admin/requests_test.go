package admin

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/server/survey"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A list of URLs that is pasted or sent as a file is explained as a page or as CSV. A request from another site's page is refused.
func TestManyURLsAreExplained(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	listed, kept := "https://example.test/noindex-2/", "https://example.test/noindex-1/"
	form := url.Values{"urls": {"URL,Last crawled\n" + listed + ",2026-11-20\n" + kept + ",\nnonsense,\n"}}.Encode()
	const asForm = "application/x-www-form-urlencoded"

	status, page := ts.sendAdmin("POST", "/explain", form, "Content-Type", asForm)
	expect.Equal(t, status, 200)
	expect.Parts(t, page, "3 URLs: <b>1</b> in the sitemaps, <b>1</b> not.", "It is set to noindex in Yoast SEO.", "write it with its host")

	status, text := ts.sendAdmin("POST", "/explain.csv", form, "Content-Type", asForm)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	wptest.Must(t, err)
	expect.Equal(t, status, 200)
	expect.List(t, []string{rows[0][0], rows[1][0], rows[1][1], rows[2][1], rows[2][2], rows[3][1]},
		[]string{"url", listed, "in", "out", "noindex", "unknown"})

	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	file, err := w.CreateFormFile("file", "Table.csv")
	wptest.Must(t, err)
	_, err = file.Write([]byte(kept + "\n"))
	wptest.Must(t, err)
	wptest.Must(t, w.Close())
	status, page = ts.sendAdmin("POST", "/explain", body.String(), "Content-Type", w.FormDataContentType())
	expect.Equal(t, status, 200)
	expect.Parts(t, page, "1 URL: <b>0</b> in the sitemaps, <b>1</b> not.")

	status, _ = ts.sendAdmin("POST", "/explain", form, "Content-Type", asForm, "Sec-Fetch-Site", "cross-site")
	expect.Equal(t, status, 403)
	status, page = ts.sendAdmin("POST", "/explain", "urls="+strings.Repeat("a", 5<<20), "Content-Type", asForm)
	expect.Equal(t, status, 400)
	expect.Contains(t, page, "larger than 4.0 MB")
	status, page = ts.sendAdmin("POST", "/explain", "urls="+strings.Repeat("nonsense%0A", 1001), "Content-Type", asForm)
	expect.Equal(t, status, 200)
	expect.Parts(t, page, "Only the first 1000 URLs are explained.", "1,000 URLs: <b>0</b> in the sitemaps")
	status, page = ts.sendAdmin("POST", "/explain.csv", "urls="+strings.Repeat("nonsense%0A", 1001), "Content-Type", asForm)
	expect.Equal(t, status, 503, "a table of the first 1000 would look whole")
	expect.Parts(t, page, "Only the first 1000 URLs are explained.")
}

// The listed URLs can be filtered, sorted and downloaded. The page of the site says whether they are valid.
func TestListedURLs(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	status, page := ts.askAdmin("/sites/basic/listed?q=NOINDEX&sort=url")
	expect.Equal(t, status, 200)
	expect.Parts(t, page, "No problem in ", "<b>Noindex 2</b> ", `/noindex-2/"`, "2026", `listed.csv?blog=1&amp;q=NOINDEX&amp;sort=url"`)
	if strings.Contains(page, "/noindex-1/") || strings.Index(page, "/noindex-0/") > strings.Index(page, "/noindex-2/") {
		t.Errorf("not filtered, or not sorted:\n%s", page)
	}
	_, page = ts.askAdmin("/sites/basic")
	expect.Contains(t, page, "No problem in ")

	_, text := ts.askAdmin("/sites/basic/listed.csv?sitemap=post")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	wptest.Must(t, err)
	expect.List(t, rows[0], []string{"url", "title", "sitemap", "lastmod", "images", "translations", "crawled"})
	expect.Equal(t, rows[1][2], "post-sitemap.xml")
	expect.Parts(t, text, "https://example.test/noindex-2/,Noindex 2,post-sitemap.xml,")
	_, all := ts.askAdmin("/sites/basic/listed.csv")
	if n := strings.Count(all, "\n") - 1; n != ts.install.ListedURLs(ts.blog()) {
		t.Errorf("%d URLs", n)
	}
	_, text = ts.askAdmin("/sites/basic/left-out.csv?rule=noindex")
	expect.Parts(t, text, "https://example.test/noindex-1/,post 120,", ",noindex,")
	var valid survey.Report
	_, text = ts.askAdmin("/sites/basic/valid.json")
	wptest.Must(t, json.Unmarshal([]byte(text), &valid))
	expect.Equal(t, len(valid.Problems), 0)
	status, _ = ts.askAdmin("/sites/basic/listed?blog=77")
	expect.Equal(t, status, 503)
}

// A list of several pages leads to each of them. The filter offers the sitemaps that list URLs themselves, each once.
func TestPagesOfListedURLs(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	posts := "INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_name, post_type, post_title," +
		" post_content, post_excerpt, to_ping, pinged, post_content_filtered) VALUES "
	for i := range 400 {
		posts += fmt.Sprintf("(1, '2024-01-01', '2024-01-01', '2024-01-01', '2024-01-01', 'publish', 'many-%d', 'post', 'Many %d', '', '', '', '', ''),", i, i)
	}
	wptest.Exec(t, ts.install.Config.DSN.Reveal(), strings.TrimSuffix(posts, ","))
	ts.read()
	_, page := ts.askAdmin("/sites/basic/listed?q=many-&sitemap=post&part=2")
	expect.Parts(t, page, "201 to 400", `blog=1&amp;part=1&amp;q=many-&amp;sitemap=post#urls"`, `<option selected>post</option>`)
	expect.Equal(t, strings.Count(page, "/many-"), 400, "200 URLs, each as a link and as its target")
	expect.Equal(t, strings.Count(page, ">post</option>"), 1)
	expect.Equal(t, strings.Contains(page, ">sitemap_index</option>"), false)
	_, text := ts.askAdmin("/sites/basic/listed.csv?q=many-")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	wptest.Must(t, err)
	expect.Equal(t, len(rows), 401)
	titles := map[string]bool{}
	for _, row := range rows[1:] {
		expect.Equal(t, strings.TrimPrefix(row[1], "Many "), strings.Trim(row[0][strings.LastIndex(row[0], "-")+1:], "/"), row[0])
		titles[row[1]] = true
	}
	expect.Equal(t, len(titles), 400)
}

// While the database fails, the daemon answers that it does not know. An error would make the command explain ask the same database.
func TestUnknownWithoutTheDatabase(t *testing.T) {
	ts, w := onePage(t)
	w.Break("wp_posts")
	status, text := ts.askAdmin("/explain.json?url=/post-1/")
	expect.Equal(t, status, 200)
	expect.Parts(t, text, `"in": null`, "Its database does not answer now")
}

// Later parts of posts are known after their pages were rendered. That is no change of the site.
func TestPartsAreNoChange(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	before, _, _ := ts.install.Size()
	ts.AddPoints()
	ts.askAdmin("/sites/basic/valid.json") // renders all pages
	if now, parts, _ := ts.install.Size(); parts == 0 || now != before+parts {
		t.Fatalf("%d URLs, then %d with %d parts", before, now, parts)
	}
	var fleet struct {
		Sites []struct{ URLs, URLs_before int }
	}
	_, text := ts.askAdmin("/sites.json")
	wptest.Must(t, json.Unmarshal([]byte(text), &fleet))
	expect.Equal(t, fleet.Sites[0].URLs_before, fleet.Sites[0].URLs)
}

// keepJournal lets the journal look once at the catalogs.
func keepJournal(t *testing.T, ts *testServer, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ts.Journal.Keep(ctx, ts.Explainer.Sites, pages.NewSlots(8, 8), nil, time.Now)
	}()
	wptest.Eventually(t, "the journal has looked", done)
	cancel()
	<-ended
}

// What came to the sitemaps and what went is shown with the reason, as a page, as CSV, as JSON and as a feed.
func TestChangesOfSitemaps(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	dsn := ts.install.Config.DSN.Reveal()
	changes := func() []catalog.Change { return ts.Journal.Of("basic", ts.blog()) }
	keepJournal(t, ts, func() bool { return len(changes()) == 1 })
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'draft' WHERE post_name = 'noindex-2'",
		"UPDATE wp_postmeta SET meta_value = '2' WHERE meta_key = '_yoast_wpseo_meta-robots-noindex'")
	ts.read()
	keepJournal(t, ts, func() bool { return len(changes()) > 1 })

	status, page := ts.askAdmin("/sites/basic/changes")
	expect.Equal(t, status, 200)
	expect.Parts(t, page, "URLs that went", `https://example.test/noindex-2/"`, "draft")
	_, page = ts.askAdmin("/sites/basic/changes?what=came&days=7&sitemap=nonsense")
	expect.Parts(t, page, "changes.csv?blog=1&amp;days=7&amp;sitemap=nonsense&amp;what=came", "Nothing has changed.")
	_, text := ts.askAdmin("/sites/basic/changes.csv?what=went")
	expect.Parts(t, text, "at,what,sitemap,url,", ",went,post,https://example.test/noindex-2/,post 121,not published,It is a draft.,Publish it.,")
	expect.Equal(t, strings.Count(text, "\n"), 2)
	var found []struct{ What, URL, Rule, Note string }
	_, text = ts.askAdmin("/sites/basic/changes.json?days=30")
	wptest.Must(t, json.Unmarshal([]byte(text), &found))
	var told []string
	for _, c := range found {
		told = append(told, strings.TrimSpace(c.What+" "+c.URL+c.Note+" "+c.Rule))
	}
	expect.List(t, told, []string{"came https://example.test/imprint/", "came https://example.test/noindex-1/",
		"went https://example.test/noindex-2/ not published", "note The recording of changes began."})
	_, text = ts.askAdmin("/sites/basic/changes.atom")
	var feed struct {
		Updated string `xml:"http://www.w3.org/2005/Atom updated"`
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Summary string `xml:"summary"`
			Link    struct {
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"http://www.w3.org/2005/Atom entry"`
	}
	wptest.Must(t, xml.Unmarshal([]byte(text), &feed))
	expect.Equal(t, len(feed.Entries), 4)
	expect.Equal(t, feed.Entries[2].Title+": "+feed.Entries[2].Summary, "went: https://example.test/noindex-2/: It is a draft.")
	expect.Equal(t, feed.Entries[0].Link.Href+" "+feed.Entries[3].Link.Href, "https://example.test/imprint/ https://example.test", "every entry has a link:")
	for _, file := range []string{"changes", "changes.csv", "changes.json", "changes.atom"} {
		status, text = ts.askAdmin("/sites/basic/" + file + "?blog=77")
		expect.Equal(t, status, 503)
		expect.Equal(t, strings.Contains(text, "<html"), file == "changes", file, "is HTML:")
	}
	_, page = ts.askAdmin("/sites/basic")
	expect.Contains(t, page, "/sites/basic/changes?blog=1")
}

// In front of the whole site, the daemon sees what visitors get: pages that no sitemap lists, and listed URLs that are not answered.
func TestVisited(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		if r.URL.Path == "/noindex-0/" {
			w.WriteHeader(http.StatusForbidden)
		}
	})
	ts := readBasic(t, up)
	status, page := ts.askAdmin("/sites/basic/visited")
	expect.Equal(t, status, 200)
	expect.Contains(t, page, "count_traffic")
	ts.config.CountTraffic = true
	ts.front.Configure(ts.config)
	_, page = ts.askAdmin("/sites/basic/visited")
	expect.Contains(t, page, "As a sidecar, it gets only requests for sitemaps")
	_, page = ts.askAdmin("/sites/basic")
	expect.Contains(t, page, "/sites/basic/visited?blog=1")

	for range 3 {
		ts.get("https://example.test/noindex-1/?utm_source=secret")
	}
	for _, path := range []string{"/noindex-0/", "/noindex-2/", "/%3Cscript%3E/", "/style.css"} {
		ts.get("https://example.test"+path, "X-Forwarded-For", "203.0.114.9")
	}
	ts.get("https://other.test/elsewhere/")
	_, page = ts.askAdmin("/sites/basic/visited")
	expect.Parts(t, page, "<b>2</b> are in no sitemap.", "<b>1</b> was not answered with 200.", `https://example.test/noindex-1/"`,
		"It is set to noindex in Yoast SEO.", `https://example.test/%3Cscript%3E/"`, `https://example.test/noindex-0/"`, "403",
		"The site refuses to show this page.")
	for _, secret := range []string{"secret", "203.0.114.9", "/noindex-2/", "style.css", "elsewhere", "<script>"} {
		if strings.Contains(page, secret) {
			t.Errorf("the page has %s", secret)
		}
	}
	_, text := ts.askAdmin("/sites/basic/visited.csv?problem=not+answered")
	expect.Parts(t, text, "problem,url,times,status,last,rule,because,do,edit\nnot answered,https://example.test/noindex-0/,1,403,20")
	expect.Equal(t, strings.Count(text, "\n"), 2)
	var found []struct {
		Problem, URL, Rule string
		Times              int
	}
	_, text = ts.askAdmin("/sites/basic/visited.json")
	wptest.Must(t, json.Unmarshal([]byte(text), &found))
	var told []string
	for _, f := range found {
		told = append(told, fmt.Sprint(f.Problem, " ", f.URL, " ", f.Times, " ", f.Rule))
	}
	expect.List(t, told, []string{"not listed https://example.test/noindex-1/ 3 noindex", "not listed https://example.test/%3Cscript%3E/ 1 nothing at this URL",
		"not answered https://example.test/noindex-0/ 1 "})
	status, _ = ts.askAdmin("/sites/basic/visited?blog=77")
	expect.Equal(t, status, 503)
}

// A blog with a domain for each language is compared as a whole: the pages of each domain with the sitemaps of that domain.
func TestVisitedLanguages(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		if r.URL.Path == "/hallo/" {
			w.WriteHeader(http.StatusForbidden)
		}
	})
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '"+`a:3:{s:10:"force_lang";i:3;s:12:"default_lang";s:2:"en";s:7:"domains";`+
		`a:3:{s:2:"en";s:18:"https://small.test";s:2:"fr";s:18:"https://petit.test";s:2:"de";s:18:"https://klein.test";}}`+"' WHERE option_name = 'polylang'")
	ts := readReal(t, "small", dsn, up, "small.test", "petit.test", "klein.test")
	ts.config.CountTraffic = true
	ts.front.Configure(ts.config)
	for _, url := range []string{"https://petit.test/bonjour/", "https://petit.test/nulle-part/", "https://klein.test/hallo/", "https://small.test/hello/"} {
		ts.get(url)
	}
	_, text := ts.askAdmin("/sites/small/visited.json?blog=1")
	var found []struct{ Problem, URL string }
	wptest.Must(t, json.Unmarshal([]byte(text), &found))
	expect.Equal(t, fmt.Sprint(found), "[{not listed https://petit.test/nulle-part/} {not answered https://klein.test/hallo/}]")
}

// A list that lacks sitemaps or titles never looks whole, neither as a page nor as a download.
func TestListedIsIncomplete(t *testing.T) {
	ts, w := onePage(t)
	unread := func(want string) {
		t.Helper()
		status, text := ts.askAdmin("/sites/a/listed")
		expect.Equal(t, status, 503)
		expect.Parts(t, text, want, "/post-1/")
		status, text = ts.askAdmin("/sites/a/listed.csv")
		expect.Equal(t, status, 503)
		expect.Parts(t, text, want)
	}
	ts.get("https://a.test/post-sitemap.xml") // this one is in memory from now on
	w.Break("wp_posts")
	unread("URLs are missing here, because 1 sitemap cannot be read or parsed: see the page of the site")
	w.Mend("wp_posts")
	status, _ := ts.askAdmin("/sites/a/listed") // all sitemaps are in memory from now on
	expect.Equal(t, status, 200)
	w.Break("wp_users")
	unread("the titles cannot be read: ")
}

// The pages of a site and the answers of explain, for what is there and what is not.
func TestPagesOfASite(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	listed := ts.blog().Home + "/"
	for _, tt := range []struct {
		path   string
		status int
		holds  []string
	}{
		{"/", 200, []string{`<a href="/sites/basic">basic</a>`}},
		{"/sites/basic", 200, []string{
			"post type", "taxonomy", "<td>core</td>", "Excluded", "first full scan", "Scan now",
			"The sitemaps follow the rules of Yoast SEO at compat level spec: Yoast SEO is active (wordpress-seo).", "category-sitemap.xml",
		}},
		{"/sites/basic?blog=77", 200, nil},
		{"/sites/none", 404, nil},
		{"/nothing", 404, nil},
		{"/healthz", 200, []string{"ok"}},
		{"/readyz?all", 200, []string{"ok"}},
		{"/sites/basic/left-out", 200, []string{"What to do"}},
		{"/sites/none/left-out", 404, []string{"no site of this name"}},
		{"/explain", 200, nil},
		{"/explain?url=" + listed, 200, []string{"It is in a sitemap"}},
		{"/explain?url=nonsense", 400, []string{"write it with its host"}},
		{"/explain.json", 400, []string{`"error": `}},
		{"/explain.json?url=" + listed, 200, []string{`"in": true`}},
		{"/explain.json?url=https://elsewhere.example/", 200, []string{`"in": false`}},
		{"/explain.json?url=/noindex-1/", 200, []string{`"in": false`, `"rule": "noindex"`}},
		{"/metrics", 200, []string{`wpsitemapd_site_ready{site="basic"} 1`, `wpsitemapd_blogs{site="basic"} 1`, `wpsitemapd_urls{site="basic"} `}},
	} {
		status, text := ts.askAdmin(tt.path)
		expect.Equal(t, status, tt.status, tt.path)
		expect.Parts(t, text, tt.holds...)
	}
	for _, tt := range []struct {
		order, header string
		want          int
	}{
		{"accept", "", 409}, {"read", "", 202}, {"read", "cross-site", 403}, {"token", "", 200},
	} {
		header := []string{}
		if tt.header != "" {
			header = []string{"Sec-Fetch-Site", tt.header}
		}
		status, _ := ts.sendAdmin("POST", "/sites/basic/"+tt.order, "", header...)
		expect.Equal(t, status, tt.want, tt)
	}
	var fleet struct {
		Sites []struct{ Name, State, Error string }
	}
	_, text := ts.askAdmin("/sites.json")
	wptest.Must(t, json.Unmarshal([]byte(text), &fleet))
	if len(fleet.Sites) != 1 || fleet.Sites[0].Name != "basic" || fleet.Sites[0].State != "good" {
		t.Errorf("/sites.json: %s", text)
	}
}

// Before a site was tried, /readyz asks the caller to come again, and names it.
func TestNotReady(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	ts.install.Publish(new(site.Snapshot))
	status, text := ts.askAdmin("/readyz")
	expect.Equal(t, status, 503)
	expect.Equal(t, text, "site basic is not ready\n")
	ts.install.Publish(&site.Snapshot{Since: time.Now()})
	status, _ = ts.askAdmin("/readyz")
	expect.Equal(t, status, 200, "tried")
	status, _ = ts.askAdmin("/readyz?all")
	expect.Equal(t, status, 503, "tried, and not ready")
}
