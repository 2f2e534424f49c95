package endtoend

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// ask is a request that is sent to the daemon and, with the same Host, to WordPress' own server.
type ask struct {
	method, target string
	header         http.Header
	body           string
}

// said is everything a client can tell of an answer.
type said struct {
	Status  int // the words behind it mean nothing by RFC 9112, 4, and net/http has its own
	Proto   string
	Header  http.Header
	Trailer http.Header
	Length  int64 // -1: in chunks
	Interim []int // each once: how often an upstream is asked to go on depends on time
	Body    string
}

// Header fields that differ between two answers of the same server, or belong to one connection.
var volatile = []string{"Date", "Connection", "Keep-Alive"}

// random is what differs between two answers of the same server to the same request.
var random = []*regexp.Regexp{
	regexp.MustCompile(`boundary=[0-9]+`),                                 // nginx counts the answers with several ranges
	regexp.MustCompile(`(?m)^--[0-9]{20}(--)?`),                           // and writes the number between the parts
	regexp.MustCompile(`data-secret=\\?"\w+|#\?secret=\w+`),               // of an embedded post
	regexp.MustCompile(`data-pw="[^"]+"`),                                 // a password WordPress proposes
	regexp.MustCompile(`^wordpress_(logged_in_|sec_)?[0-9a-f]{32}=[^;]+`), // a new session
	regexp.MustCompile(`^wp-settings(-time)?-[0-9]+=[^;]+(; expires=[^;]+)?`),
	regexp.MustCompile(`"time":"[0-9]+"|<dateCreated>[^<]+`),
	regexp.MustCompile(`"server_time":[0-9]+`),
}

func (w *wordpress) say(t *testing.T, c *http.Client, base string, a ask) said {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), a.method, base, strings.NewReader(a.body))
	wptest.Must(t, err)
	s := said{}
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		Got100Continue: func() { s.Interim = append(s.Interim, 100) },
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			s.Interim = append(s.Interim, code)
			return nil
		},
	}))
	r.URL.Opaque = a.target // byte for byte
	r.Host = strings.TrimPrefix(w.home, "http://")
	r.Header = a.header.Clone()
	if a.body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", a.method, a.target, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", a.method, a.target, err)
	}
	s.Status, s.Proto, s.Header, s.Trailer, s.Length, s.Body = resp.StatusCode, resp.Proto, resp.Header, resp.Trailer, resp.ContentLength, string(body)
	slices.Sort(s.Interim)
	s.Interim = slices.Compact(s.Interim)
	for _, name := range volatile {
		s.Header.Del(name)
	}
	for _, form := range random {
		s.Body = form.ReplaceAllString(s.Body, "")
		for _, values := range s.Header {
			for i, v := range values {
				values[i] = form.ReplaceAllString(v, "")
			}
		}
	}
	return s
}

// compare asks for everything twice: through the daemon, and WordPress' own server.
func (w *wordpress) compare(t *testing.T, post string, u upload) {
	asks := w.asks(t, post, u)
	if len(asks) < 200 {
		t.Errorf("only %d requests", len(asks))
	}
	c := &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4, ExpectContinueTimeout: wptest.Patience},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       wptest.Patience,
	}
	defer c.CloseIdleConnections()
	statuses := map[int]int{}
	var mu sync.Mutex
	var workers sync.WaitGroup
	work := make(chan ask)
	for range 4 {
		workers.Go(func() {
			for a := range work {
				direct, through := w.say(t, c, "http://"+w.address, a), w.say(t, c, w.home, a)
				expect.Same(t, direct, through, a.method, a.target, a.header, "is not the same through the daemon (+)")
				mu.Lock()
				statuses[direct.Status]++
				mu.Unlock()
			}
		})
	}
	for _, a := range asks {
		work <- a
	}
	close(work)
	workers.Wait()
	t.Logf("%d requests: %v", len(asks), statuses)
	for _, status := range []int{200, 201, 206, 301, 302, 304, 400, 401, 403, 404, 405, 410, 412, 416, 500, 503} {
		if statuses[status] == 0 {
			t.Errorf("no answer was %d", status)
		}
	}
}

// asks are the requests to compare. None changes anything in WordPress.
func (w *wordpress) asks(t *testing.T, post string, u upload) []ask {
	path := func(address string) string { return strings.TrimPrefix(address, w.home) }
	page, image := path(post), path(u.URL)
	cookies := w.cookies(t)
	get := func(targets ...string) (list []ask) {
		for _, target := range targets {
			list = append(list, ask{method: "GET", target: target})
		}
		return list
	}
	with := func(list []ask, pairs ...string) []ask {
		out := slices.Clone(list)
		for i := range out {
			out[i].header = http.Header{}
			for k := 0; k < len(pairs); k += 2 {
				out[i].header.Add(pairs[k], pairs[k+1])
			}
		}
		return out
	}
	as := func(method string, list []ask) []ask {
		out := slices.Clone(list)
		for i := range out {
			out[i].method = method
		}
		return out
	}

	pages := get("/", page, "/sample-page/", "/category/uncategorized/", "/author/"+login+"/", "/2026/",
		"/?p=1", "/?page_id=2", "/?s=harbour", "/?s=%C3%BC%20%26+x", "/page/2/", "/search/ice/",
		"/nothing-here/", "/nothing/here/at/all.html", "/index.php", "/index.php/sample-page/", "/?cat=1", "/?author=1", "/?attachment_id="+
			fmt.Sprint(u.ID))
	redirects := get(strings.TrimSuffix(page, "/"), "/sample-page", "/sample-page//", "/SAMPLE-PAGE/", "/wp-admin", "/wp-admin/",
		"/wp-login", "/login", "/admin", "/dashboard", "/hello-worl", "/?p="+fmt.Sprint(u.ID), "/wp-admin/edit.php?post_type=page&x=%20")
	feeds := get("/feed/", "/feed/atom/", "/comments/feed/", page+"feed/",
		"/category/uncategorized/feed/", "/?feed=rss2", "/feed", "/wp-links-opml.php", "/xmlrpc.php?rsd")
	rest := get("/wp-json/", "/wp-json/wp/v2/posts", "/wp-json/wp/v2/posts?per_page=1&_fields=id,link",
		"/wp-json/wp/v2/media/"+fmt.Sprint(u.ID), "/wp-json/wp/v2/types", "/wp-json/wp/v2/users", "/wp-json/wp/v2/users/me",
		"/wp-json/wp/v2/settings", "/wp-json/wp/v2/posts/99999", "/wp-json/wp/v2/nothing", "/?rest_route=/wp/v2/categories",
		"/wp-json/oembed/1.0/embed?url="+url.QueryEscape(post), "/wp-json/wp/v2/posts?per_page=1000")
	assets := get("/wp-includes/css/dist/block-library/style.min.css",
		"/wp-includes/js/jquery/jquery.min.js?ver=3.6.1", "/wp-includes/images/blank.gif",
		"/wp-includes/images/w-logo-blue.png", "/wp-admin/css/login.min.css", "/readme.html", "/license.txt",
		image, "/wp-includes/css/nothing.css", "/wp-content/", "/wp-content/uploads/", "/wp-includes/js/", "/favicon.ico")
	scripts := get("/wp-login.php", "/wp-login.php?action=lostpassword",
		"/wp-login.php?redirect_to=%2Fx%3Fy%3D1", "/wp-cron.php", "/xmlrpc.php", "/wp-admin/admin-ajax.php",
		"/wp-admin/admin-ajax.php?action=nothing", "/wp-admin/install.php", "/wp-trackback.php",
		"/wp-comments-post.php", "/wp-signup.php", "/wp-config.php", "/nothing.php",
		"/wp-content/uploads/x.php", "/.htaccess", "/.git/config", "/.well-known/security.txt")
	probes := get("/probe.php", "/probe.php?a=1&a=2&b[]=x&c=%00&d=%FF&e", "/probe.php?", "/probe.php?%",
		"/probe.php?a=b?c=d", "/probe.php/path/info", "/probe.php?x="+strings.Repeat("y", 6000),
		"/probe.php?status=201", "/probe.php?status=410", "/probe.php?status=418",
		"/probe.php?status=500", "/probe.php?status=503", "/probe.php?status=599")
	notOurs := get("/nobody-sitemap.xml", "/post-sitemap.xml", "/sitemap_index.xml", "/a/wp-sitemap.xml",
		"/wp-sitemap-posts-nothing-1.xml", "/wp-sitemap.txt", "/sitemap.html", "/%77p-content/",
		"/./sample-page/", "/a/../sample-page/", "/%2e%2e/", "/a%2Fb", "/%e2%82%ac/", "/%E2%82%AC/")

	var list []ask
	for _, l := range [][]ask{pages, redirects, feeds, rest, assets, scripts, probes, notOurs} {
		list = append(list, l...)
	}
	small := slices.Concat(pages[:3], feeds[:2], rest[:2], assets[:4], probes[:1])
	list = append(list, as("HEAD", slices.Concat(small, redirects[:2], scripts[:2], get("/nothing-here/")))...)
	list = append(list, as("OPTIONS", slices.Concat(pages[:1], rest[:2], assets[:1], probes[:1]))...)
	list = append(list, with(small, "Accept-Encoding", "gzip, deflate, br")...)
	list = append(list, with(slices.Concat(pages[:4], get("/wp-admin/", "/wp-admin/edit.php",
		"/wp-admin/upload.php", "/wp-admin/profile.php", "/wp-admin/options-reading.php",
		"/wp-admin/nothing.php", "/wp-login.php", "/wp-json/wp/v2/users/me"), probes[:2]), "Cookie", cookies)...)
	list = append(list, with(pages[:2], "User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")...)

	// ranges and conditions
	for _, r := range []string{"bytes=0-99", "bytes=100-", "bytes=-100", "bytes=0-0,10-19", "bytes=99999999-", "bytes=5-1", "lines=1-2"} {
		list = append(list, with(assets[7:8], "Range", r)...)
	}
	list = append(list, with(probes[:1], "Range", "bytes=0-9")...)
	c := &http.Client{}
	for _, a := range slices.Concat(assets[:2], assets[7:8], feeds[:1]) {
		resp, _ := do(t, c, "GET", "http://"+w.address+a.target, "", http.Header{})
		etag, modified := resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
		if modified == "" {
			t.Errorf("%s has no validators: %v", a.target, resp.Header)
		}
		list = append(list, with([]ask{a}, "If-None-Match", etag)...)
		list = append(list, with([]ask{a}, "If-None-Match", `"other"`)...)
		list = append(list, with([]ask{a}, "If-Modified-Since", modified)...)
		list = append(list, with([]ask{a}, "If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")...)
		list = append(list, with([]ask{a}, "If-Range", etag, "Range", "bytes=0-9")...)
	}

	// bodies
	form := func(target, body string) ask {
		return ask{"POST", target, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, body}
	}
	list = append(list,
		form("/probe.php", "a=1&b=%20+%C3%BC"), form("/probe.php?q=1", strings.Repeat("field=value&", 5000)), form("/", "s=ice"), form(page, "x=1"),
		form("/wp-login.php", "log=nobody&pwd=wrong"), form("/wp-comments-post.php", "comment_post_ID=99999&comment=x"),
		form("/wp-admin/admin-ajax.php", "action=nothing"), form("/wp-admin/admin-ajax.php", "action=heartbeat"),
		ask{
			"POST", "/xmlrpc.php", http.Header{"Content-Type": {"text/xml"}},
			`<methodCall><methodName>demo.addTwoNumbers</methodName><params><param><int>3</int></param><param><int>4</int></param></params></methodCall>`,
		},
		ask{"POST", "/xmlrpc.php", http.Header{"Content-Type": {"text/xml"}}, `not XML`},
		ask{"POST", "/wp-json/wp/v2/posts", http.Header{"Content-Type": {"application/json"}}, `{"title":"x"}`},
		ask{"POST", "/wp-json/wp/v2/posts", http.Header{"Content-Type": {"application/json"}}, `{"title":`},
		ask{"PUT", "/wp-json/wp/v2/posts/1", http.Header{"Content-Type": {"application/json"}}, `{}`},
		ask{"DELETE", "/wp-json/wp/v2/posts/1", http.Header{}, ""},
		ask{"PATCH", "/probe.php", http.Header{"Content-Type": {"text/plain"}}, "patch"},
		ask{"DELETE", "/probe.php", http.Header{}, ""},
		ask{"PROPFIND", "/probe.php", http.Header{"Depth": {"1"}}, ""},
		ask{"POST", image, http.Header{}, "x"},
	)
	for _, size := range []int{0, 1, 70_000, 1_500_000} {
		list = append(list, multipartForm(t, size))
	}
	list = append(list,
		ask{
			"POST", "/probe.php", http.Header{"Expect": {"100-continue"}, "Content-Type": {"application/octet-stream"}},
			strings.Repeat("\x00\xff", 40_000),
		},
		ask{"GET", "/probe.php", http.Header{
			"Authorization": {"Basic dXNlcjpwYXNz"}, "Referer": {"http://example.com/?a=b"}, "Accept": {"text/html;q=0.9", "*/*"},
			"X-Odd": {"caf\xe9 \t x"},
		}, ""},
		ask{"GET", "/probe.php", http.Header{"Cookie": {"a=1; b=%20; c=\"q\"; d="}}, ""},
		ask{"GET", "/probe.php", http.Header{"Cookie": {"long=" + strings.Repeat("z", 5000)}}, ""},
		ask{"GET", "/", http.Header{"Cookie": {"comment_author_x=Nell; comment_author_email_x=nell%40example.com"}}, ""},
		ask{"GET", "/", http.Header{"Accept-Language": {"de-AT"}, "Dnt": {"1"}, "Cache-Control": {"no-cache"}, "Pragma": {"no-cache"}}, ""},
		ask{"GET", "/wp-json/", http.Header{"Origin": {"https://elsewhere.example"}}, ""},
		ask{"OPTIONS", "/wp-json/wp/v2/posts", http.Header{"Origin": {"https://elsewhere.example"}, "Access-Control-Request-Method": {"POST"}}, ""},
		ask{"GET", "/wp-json/wp/v2/users/me", http.Header{"X-Wp-Nonce": {"wrong"}, "Cookie": {cookies}}, ""},
	)
	return list
}

// multipartForm is an upload of so many bytes.
func multipartForm(t *testing.T, size int) ask {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	wptest.Must(t, w.SetBoundary("----a-boundary"))
	part, err := w.CreateFormFile("picture", "ü \"x\".jpg")
	if err == nil {
		_, err = part.Write(bytes.Repeat([]byte{'p'}, size))
	}
	if err == nil {
		err = w.Close()
	}
	wptest.Must(t, err)
	return ask{"POST", "/probe.php", http.Header{"Content-Type": {w.FormDataContentType()}}, b.String()}
}
