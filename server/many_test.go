package server

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/survey"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A list of URLs that is pasted or sent as a file is explained as a page or as CSV. A request from another site's page is refused.
func TestManyURLsAreExplained(t *testing.T) {
	ts := readBasic(t, func(s *config.Site) { s.Hosts = []config.Host{"example.test"} })
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
	expect.Contains(t, page, "of 4.0 MB at most")
	status, page = ts.sendAdmin("POST", "/explain", "urls="+strings.Repeat("/noindex-2/%0A", 1001), "Content-Type", asForm)
	expect.Equal(t, status, 200)
	expect.Parts(t, page, "These are the first 1000 URLs.", "1,000 URLs: <b>1,000</b> in the sitemaps")
}

// The listed URLs can be filtered, sorted and downloaded. The page of the site says whether they are valid.
func TestListedURLs(t *testing.T) {
	ts := readBasic(t, func(s *config.Site) { s.Hosts = []config.Host{"example.test"} })
	status, page := ts.askAdmin("/sites/basic/listed?q=NOINDEX&sort=url")
	expect.Equal(t, status, 200)
	expect.Parts(t, page, "No problem in ", `/noindex-2/"`, "2026", `listed.csv?blog=1&amp;q=NOINDEX&amp;sort=url"`)
	if strings.Contains(page, "/noindex-1/") || strings.Index(page, "/noindex-0/") > strings.Index(page, "/noindex-2/") {
		t.Errorf("not filtered, or not sorted:\n%s", page)
	}
	_, page = ts.askAdmin("/sites/basic")
	expect.Contains(t, page, "No problem in ")

	_, text := ts.askAdmin("/sites/basic/listed.csv?sitemap=post")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	wptest.Must(t, err)
	expect.List(t, rows[0], []string{"url", "sitemap", "lastmod", "images", "translations", "crawled"})
	expect.Equal(t, rows[1][1], "post-sitemap.xml")
	_, all := ts.askAdmin("/sites/basic/listed.csv")
	if n := strings.Count(all, "\n") - 1; n != ts.installs[0].ListedURLs(ts.blog()) {
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
