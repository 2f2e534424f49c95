package server

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The programs that may answer.
const (
	ours   = "the daemon"
	theirs = "the upstream" // with the request as the client sent it
	stack  = "net/http"     // before anything of ours was asked
)

// edgeCase is a request as it is sent over TCP. If send is only a request target, the test adds line ends, the Host
// header and an empty line at the end.
type edgeCase struct {
	rule   string
	send   string
	status int
	from   string
	header string // headers that the answer must have, one a line: "Name: value", or "Name:" if it must not have that header
}

// edgeServer is a running server with the addresses of its sites. Its upstream answers with the request that it got.
type edgeServer struct {
	t       *testing.T
	address string // of the server
	host    string
	asked   atomic.Pointer[http.Request]
}

func startEdge(t *testing.T, host string, change ...func(*config.Site)) *edgeServer {
	t.Helper()
	e := &edgeServer{t: t, host: host}
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		e.asked.Store(r)
		w.Header().Set("X-From", theirs)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "%s %s %s", r.Method, r.RequestURI, r.Host)
	})
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	var sites []config.Site
	for i, change := range change {
		s := realSite(string(rune('a'+i)), dsn)
		s.Upstream = up
		change(&s)
		sites = append(sites, s)
	}
	e.address = strings.TrimPrefix(startReal(t, len(sites), sites...).public, "http://")
	return e
}

// exchange sends bytes and reads one answer.
func (e *edgeServer) exchange(send string) (*http.Response, string, error) {
	conn, err := net.Dial("tcp", e.address)
	if err != nil {
		return nil, "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(wptest.Patience))
	if _, err := io.WriteString(conn, send); err != nil {
		return nil, "", err
	}
	method, _, _ := strings.Cut(send, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// wire returns the whole request for the send of a case.
func (e *edgeServer) wire(send string) string {
	if strings.HasPrefix(send, "/") {
		send = "GET " + send
	}
	line, rest, _ := strings.Cut(send, "\n")
	if !strings.Contains(line, " HTTP/") {
		line += " HTTP/1.1"
	}
	if !strings.Contains(strings.ToLower("\n"+rest), "\nhost:") && !strings.Contains(line, "HTTP/1.0") {
		rest = "Host: " + e.host + "\n" + rest
	}
	if rest = strings.TrimSuffix(rest, "\n"); rest != "" {
		rest += "\n"
	}
	if !strings.Contains(rest, "\n\n") {
		rest += "Connection: close\n\n"
	}
	return strings.ReplaceAll(line+"\n"+rest, "\n", "\r\n")
}

// check sends the request of a case, and compares the answer with what the case expects.
func (e *edgeServer) check(c edgeCase, replace ...string) {
	e.t.Run(c.rule, func(t *testing.T) {
		send := e.wire(strings.NewReplacer(replace...).Replace(c.send))
		e.asked.Store(nil)
		resp, body, err := e.exchange(send)
		if err != nil {
			t.Fatalf("%v\nafter %.300q", err, send)
		}
		asked := e.asked.Load()
		from := stack
		switch {
		case resp.Header.Get("X-From") == theirs:
			from = theirs
		case resp.Header.Get("X-Content-Type-Options") == "nosniff" || resp.StatusCode == 301 || resp.StatusCode == 304 && asked == nil:
			from = ours
		}
		if resp.StatusCode != c.status || from != c.from || (asked != nil) != (from == theirs) {
			t.Fatalf("%d by %s, want %d by %s (upstream was asked: %v)\n%v\n%.200s\nafter %.300q",
				resp.StatusCode, from, c.status, c.from, asked != nil, resp.Header, body, send)
		}
		for line := range strings.Lines(c.header) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			name = strings.TrimSuffix(name, ":")
			expect.Equal(t, strings.Join(resp.Header.Values(name), ", "), value, name)
		}
		method, target, _ := strings.Cut(send, " ")
		target, _, _ = strings.Cut(target, " ")
		switch {
		case from == theirs:
			if u, err := url.Parse(target); err == nil && u.IsAbs() { // absolute-form names the host
				target = strings.TrimPrefix(target, u.Scheme+"://"+u.Host)
			}
			if method == "GET" && !strings.HasPrefix(body, "GET "+target+" ") {
				t.Errorf("the upstream was asked %q, want %s", body, target)
			}
		case method == "HEAD", c.status == 304:
			expect.Equal(t, body, "", "a body of", len(body), "bytes")
		case from == ours && strconv.Itoa(len(body)) != resp.Header.Get("Content-Length"):
			t.Errorf("%d bytes, Content-Length %q", len(body), resp.Header.Get("Content-Length"))
		}
		for _, tell := range []string{".go:", "goroutine", "sqlite"} {
			if from != theirs && strings.Contains(body, tell) {
				t.Errorf("the answer tells %q", tell)
			}
		}
	})
}

// TestEdge sends requests over TCP to a daemon in front of one site. Every case says which program must answer.
func TestEdge(t *testing.T) {
	e := startEdge(t, "a.test", func(s *config.Site) {
		s.Formats = config.Formats{Gzip: true, Text: true, Atom: true}
	})
	header := func(request, name string) string {
		resp, _, err := e.exchange(e.wire(request))
		wptest.Must(t, err)
		return resp.Header.Get(name)
	}
	replace := []string{
		"{etag}", header("/post-sitemap.xml", "ETag"), "{gz}", header("/post-sitemap.xml\nAccept-Encoding: gzip", "ETag"),
		"{date}", header("/post-sitemap.xml", "Last-Modified"), "{css}", header("/wpsitemapd.css", "ETag"),
	}
	if !strings.HasPrefix(replace[1], `"`) {
		t.Errorf("the ETag %s is not strong", replace[1])
	}
	const xml = "Content-Type: text/xml; charset=UTF-8\nX-Robots-Tag: noindex, follow\nCache-Control: max-age=0, " +
		"must-revalidate\nVary: Accept-Encoding\nAccept-Ranges:\nAge:\nX-Content-Type-Options: nosniff\n" +
		"Content-Security-Policy: default-src 'none'; style-src 'self'"
	const xsl = "Content-Type: text/xml; charset=UTF-8\nX-Robots-Tag: noindex, follow\nCache-Control: max-age=31536000"
	const gz = "Content-Type: application/gzip\nContent-Encoding:\nX-Robots-Tag: noindex, follow\nVary:"
	const twin = "Link: <https://example.test/post-sitemap.html>; rel=\"alternate\"; type=\"text/html\""
	const allow = "Allow: GET, HEAD\nX-Robots-Tag:\nETag:"
	const unchanged = "ETag: {etag}\nContent-Type:\nContent-Length:\nVary: Accept-Encoding\nCache-Control: max-age=0, " +
		"must-revalidate\nLast-Modified:\nX-Robots-Tag:\nX-Content-Type-Options:\nLink:"
	for _, c := range []edgeCase{
		// -- addresses we own --
		{"the index", "/sitemap_index.xml", 200, ours, xml},
		{"a type", "/post-sitemap.xml", 200, ours, xml},
		{"by the query variable", "/?sitemap=post", 200, ours, xml},
		{"a type that is registered and empty", "/post_format-sitemap.xml", 404, ours, "X-Robots-Tag:"},
		{"a page behind the last one", "/post-sitemap2.xml", 404, ours, "Cache-Control:\nETag:"},
		{"page 1 has no number", "/post-sitemap1.xml", 301, ours, "Location: https://example.test/post-sitemap.xml"},
		{"sitemap.xml", "/sitemap.xml", 301, ours, "Location: https://example.test/sitemap_index.xml"},
		{"the stylesheet for XSLT", "/main-sitemap.xsl", 200, ours, xsl},
		{"the stylesheet", "/wpsitemapd.css", 200, ours,
			"Content-Type: text/css; charset=utf-8\nX-Robots-Tag: noindex, follow\nCache-Control: max-age=86400"},

		// -- addresses of other programs --
		{"the front page", "/", 200, theirs, ""},
		{"a page", "/about/", 200, theirs, ""},
		{"a file of the site that looks like one", "/foo-sitemap.xml", 200, theirs, ""},
		{"news without its plugin", "/news-sitemap.xml", 200, theirs, ""},
		{"a type nobody registered", "/product-sitemap.xml", 200, theirs, ""},

		// -- HTML views and other formats --
		{"compressed", "/post-sitemap.xml.gz", 200, ours, gz},
		{"compressed, whatever the client accepts", "/post-sitemap.xml.gz\nAccept-Encoding: identity, gzip;q=0", 200, ours, gz},
		{"POST to a compressed one", "POST /post-sitemap.xml.gz\nContent-Length: 0", 405, ours, allow},
		{
			"the twin for people", "/post-sitemap.html", 200, ours, "Content-Type: text/html; charset=utf-8\nX-Robots-Tag: noindex, follow\n" +
				"X-Content-Type-Options: nosniff\nReferrer-Policy: no-referrer\nCache-Control: max-age=0, must-revalidate\nVary: Accept-Encoding\n" +
				"Content-Security-Policy: default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\n" +
				"Link: <https://example.test/post-sitemap.xml>; rel=\"alternate\"; type=\"text/xml\"\nAge:\nLast-Modified:",
		},
		{"a sitemap names its twin, whatever the client says of the host", "/post-sitemap.xml?x=1\nX-Forwarded-Host: evil.test\nForwarded: host=evil.test",
			200, ours, twin},
		{"by the query variable, too", "/?sitemap=post", 200, ours, twin},
		{"and in another spelling", "/index.php/post-sitemap.xml/", 200, ours, twin},
		{"a page that is none has no twin", "/post-sitemap9.xml", 404, ours, "Link:"},
		{"nor has a stylesheet", "/main-sitemap.xsl", 200, ours, "Link:"},
		{"as text", "/sitemap.txt", 200, ours, "Content-Type: text/plain; charset=utf-8\nX-Robots-Tag: noindex, follow\nVary: Accept-Encoding"},
		{"the feed", "/sitemap.atom", 200, ours, "Content-Type: application/atom+xml; charset=utf-8"},

		// -- path tricks --
		{"a query string", "/post-sitemap.xml?utm_source=x", 200, ours, xml},
		{"two dots", "/x/../post-sitemap.xml", 200, theirs, ""},
		{"NUL at the end", "/post-sitemap.xml%00", 200, theirs, ""},
		{"no UTF-8", "/%FF%FE-sitemap.xml", 200, theirs, ""},
		{"absolute-form", "GET http://a.test/post-sitemap.xml", 200, ours, xml},
		{"absolute-form names the host", "GET http://a.test/sitemap.xml\nHost: evil.test", 301, ours, "Location: https://example.test/sitemap_index.xml"},
		{"a name of 10 KB", "/" + strings.Repeat("a", 10<<10) + "-sitemap.xml", 200, theirs, ""},

		// -- methods --
		{"HEAD", "HEAD /post-sitemap.xml", 200, ours, xml},
		{"POST", "POST /post-sitemap.xml\nContent-Length: 3\n\nx=1", 405, ours, allow},
		{"POST to a redirect", "POST /sitemap.xml\nContent-Length: 0", 405, ours, allow},
		{"POST elsewhere", "POST /wp-login.php\nContent-Length: 3\n\nx=1", 200, theirs, ""},
		{"GET with a body", "GET /post-sitemap.xml\nContent-Length: 3\n\nx=1", 200, ours, xml},

		// -- conditions --
		{"If-None-Match", "/post-sitemap.xml\nIf-None-Match: {etag}", 304, ours, unchanged},
		{"If-None-Match, of gzip", "/post-sitemap.xml\nAccept-Encoding: gzip\nIf-None-Match: {gz}", 304, ours, "ETag: {gz}\nContent-Encoding:"},
		{"If-None-Match, of a page that is none", "/post-sitemap2.xml\nIf-None-Match: *", 404, ours, ""},
		{"If-Modified-Since", "/post-sitemap.xml\nIf-Modified-Since: {date}", 304, ours, unchanged},
		{"conditions of a compressed file", "/post-sitemap.xml.gz\nIf-Modified-Since: {date}", 304, ours, "Content-Type:\nVary:"},
		{"a compressed file has a tag of its own", "/post-sitemap.xml.gz\nIf-None-Match: {etag}, {gz}", 200, ours, gz},
		{"conditions of a stylesheet", "/wpsitemapd.css\nIf-None-Match: {css}", 304, ours, "ETag: {css}"},
		{"conditions elsewhere are passed on", "/about/\nIf-None-Match: *", 200, theirs, ""},

		// -- ranges --
		{"a range", "/post-sitemap.xml\nRange: bytes=0-9", 200, ours, xml},

		// -- encodings --
		{"gzip", "/post-sitemap.xml\nAccept-Encoding: gzip", 200, ours, xml + "\nContent-Encoding: gzip\nETag: {gz}"},

		// -- headers --
		{"a header of 10 KB", "/post-sitemap.xml\nCookie: " + strings.Repeat("a=b; ", 2<<10), 200, ours, xml},
		{"a header beyond all bounds", "/post-sitemap.xml\nX-A: " + strings.Repeat("a", maxHeader+8<<10), 431, stack, ""},
		{
			"crawlers get the same bytes as everybody", "/post-sitemap.xml\nUser-Agent: Googlebot/2.1\nFrom: googlebot(at)googlebot.com", 200, ours,
			xml + "\nETag: {etag}",
		},
		{"cookies make no difference", "/post-sitemap.xml\nCookie: wordpress_logged_in=1\nAuthorization: Basic eDp5", 200, ours, xml + "\nETag: {etag}"},
		{
			"forwarding headers shape no address",
			"/sitemap.xml\nX-Forwarded-Host: evil.test\nX-Forwarded-Proto: http\nForwarded: host=evil.test\nX-Original-URL: /x\nX-Rewrite-URL: /x",
			301, ours, "Location: https://example.test/sitemap_index.xml",
		},
		{"method overrides are not heeded", "/post-sitemap.xml\nX-HTTP-Method-Override: DELETE", 200, ours, xml},
		{"Upgrade is not heeded", "/post-sitemap.xml\nConnection: Upgrade, close\nUpgrade: websocket\n\n", 200, ours, xml},

		// -- hosts --
		{"in capitals", "/sitemap.xml\nHost: A.TEST", 301, ours, "Location: https://example.test/sitemap_index.xml"},
		{"with a port", "/post-sitemap.xml\nHost: a.test:8080", 200, ours, xml},
		{"unknown", "/post-sitemap.xml\nHost: b.test", 421, ours, ""},
		{"unknown, robots.txt", "/robots.txt\nHost: b.test", 421, ours, ""},
		{"unknown, another page: the upstream of the only site", "/about/\nHost: b.test", 200, theirs, ""},
		{"empty", "/post-sitemap.xml\nHost: ", 421, ours, ""},
		{"none in HTTP/1.0", "GET /post-sitemap.xml HTTP/1.0", 421, ours, ""},
	} {
		c.header = strings.NewReplacer(replace...).Replace(c.header)
		e.check(c, replace...)
	}
}

// TestEdgeOfSeveralSites uses the same addresses with everything switched off, and hosts of several sites.
func TestEdgeOfSeveralSites(t *testing.T) {
	e := startEdge(t, "b.test",
		func(s *config.Site) { s.Formats, s.CacheControl = config.Formats{}, "public, max-age=300" },
		func(s *config.Site) { s.Formats, s.CacheControl, s.HTML = config.Formats{}, "", false })
	for _, c := range []edgeCase{
		{"a sitemap of the second site", "/post-sitemap.xml", 200, ours, "Cache-Control:"},
		{"one of the first, with its own Cache-Control", "/post-sitemap.xml\nHost: a.test", 200, ours, "Cache-Control: public, max-age=300"},
		{"brotli", "/post-sitemap.xml\nAccept-Encoding: br", 200, ours, "Content-Encoding:"},
		{"compressed files are the site's", "/post-sitemap.xml.gz", 200, theirs, ""},
		{"twins are the site's", "/post-sitemap.html", 200, theirs, ""},
		{"the text is the site's", "/sitemap.txt", 200, theirs, ""},
		{"the feed is the site's", "/sitemap.atom", 200, theirs, ""},
		{"a host of nobody", "/post-sitemap.xml\nHost: c.test", 421, ours, ""},
		{"a host of nobody, another page", "/about/\nHost: c.test", 421, ours, ""},
		{"the host of the database, which is not configured", "/post-sitemap.xml\nHost: example.test", 421, ours, ""},
		{"a host by absolute-form", "GET http://a.test/post-sitemap.xml\nHost: b.test", 200, ours, "Cache-Control: public, max-age=300"},
	} {
		e.check(c)
	}
}

// A cached page is sent, or answered with 304, without a statement and without rendering.
func TestKeptPagesCostNoStatement(t *testing.T) {
	ts := readBasic(t, func(s *config.Site) { s.Formats = config.Formats{Gzip: true, Text: true, Atom: true} })
	statements := &ts.installs[0].Counted.Queries
	get := func(method, path string, header ...string) *http.Response {
		return ts.get(method, "http://basic.test"+path, header...)
	}
	for _, path := range []string{"/post-sitemap.xml", "/post-sitemap.xml.gz", "/sitemap_index.xml", "/sitemap.txt", "/sitemap.atom"} {
		tag := get("GET", path).Header.Get("ETag")
		before := statements.Load()
		for _, header := range [][]string{
			{"If-None-Match", tag}, {"If-None-Match", "*"}, {"If-Modified-Since", "Fri, 02 Jan 2099 03:04:05 GMT"},
			{"Accept-Encoding", "br"}, {"Accept-Encoding", "gzip"}, nil,
		} {
			for _, method := range []string{"GET", "HEAD"} {
				want := map[string]int{"If-None-Match": 304, "If-Modified-Since": 304}[strings.Join(header[:min(1, len(header))], "")]
				expect.Equal(t, get(method, path, header...).StatusCode, cmp.Or(want, 200), method, path, header, want)
			}
		}
		expect.Equal(t, statements.Load()-before, 0, path, "statements for what is kept")
	}
	before := statements.Load()
	get("GET", "/page-sitemap.xml")
	if statements.Load() == before {
		t.Error("no statement is counted even where one is needed")
	}
}
