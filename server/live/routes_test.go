package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/proxy"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A request goes through the upstream if its host is one of the site, with what WordPress needs to know of the public address.
func TestRouteOfRequest(t *testing.T) {
	t.Parallel()
	up, err := url.Parse("http://127.0.0.1:8080")
	wptest.Must(t, err)
	for _, tt := range []struct {
		rule    string
		hosts   []string
		through *url.URL
		address string
		to      string // where the request is sent; "" if it is refused
	}{
		{"any host, directly", nil, nil, "https://a.test/x", "https://a.test"},
		{"any host, through the upstream", nil, up, "https://a.test/x", "http://127.0.0.1:8080"},
		{"a host of the site", []string{"b.test", "A.test"}, up, "https://a.test/x", "http://127.0.0.1:8080"},
		{"a host of the site, directly", []string{"a.test"}, nil, "https://a.test/x", "https://a.test"},
		{"with its port", []string{"a.test:8443"}, up, "https://a.test:8443/x", "http://127.0.0.1:8080"},
		{"another port of the host", []string{"a.test"}, up, "https://a.test:8443/x", "http://127.0.0.1:8080"},
		{"another host", []string{"a.test"}, up, "https://b.test/x", ""},
		{"another host, directly", []string{"a.test"}, nil, "https://b.test/x", ""},
		{"the upstream itself", []string{"a.test"}, up, "http://127.0.0.1:8080/x", "http://127.0.0.1:8080"},
	} {
		r := httptest.NewRequest("GET", tt.address, nil)
		r.Host = ""
		err := (&Crawler{Hosts: tt.hosts, Through: tt.through}).route(r)
		expect.Equal(t, err != nil, tt.to == "", tt.rule)
		if err != nil {
			_, stays := errors.AsType[final](err)
			expect.Equal(t, stays, true, tt.rule, "it would be repeated")
			continue
		}
		expect.Equal(t, r.URL.Scheme+"://"+r.URL.Host, tt.to, tt.rule)
		if through := tt.through != nil && !strings.Contains(tt.address, up.Host); through {
			public, _ := url.Parse(tt.address)
			expect.Equal(t, strings.Join([]string{r.Host, r.Header.Get("X-Forwarded-Host"), r.Header.Get("X-Forwarded-Proto"), r.Header.Get("Via")}, " "),
				public.Host+" "+public.Host+" https 1.1 "+proxy.CheckVia, tt.rule)
		}
	}
}

// Elsewhere is the target of a redirect, or the first canonical of a page.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	const page = `<html><head><link rel="canonical" href="/two/"><link rel="canonical" href="/three/"></head>`
	for _, tt := range []struct {
		status         int
		location, body string
		want           string
	}{
		{200, "", page, "https://a.test/two/"}, {200, "/four/", page, "https://a.test/two/"}, {200, "", "<html>", ""}, {404, "", page, ""}, {301, "/four/", page, "https://a.test/four/"},
		{302, "https://b.test/", "", "https://b.test/"}, {301, "", page, ""}, {399, "/four/", "", "https://a.test/four/"}, {400, "/four/", page, ""}, {301, "ftp://a.test/", "", ""},
		{200, "", `<link rel=canonical href="https://[">`, ""}, {299, "/four/", page, ""},
	} {
		a := &Answer{Status: tt.status, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(tt.body)}
		if tt.location != "" {
			a.Header.Set("Location", tt.location)
		}
		expect.Equal(t, Elsewhere("https://a.test/one/", a), tt.want, tt.status, tt.location, tt.body)
	}
}

// A status of 3xx with a target is a redirect. Any other status but 200 is trouble of its own.
func TestStatusOfListedPage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status         int
		location, want string
	}{
		{200, "/b/", ""}, {300, "/b/", "it redirects with 300 to https://a.test/b/"}, {399, "/b/", "it redirects with 399 to https://a.test/b/"},
		{301, "https://[", "it redirects with 301 to https://["}, {301, "", "it answers 301"}, {400, "/b/", "it answers 400"}, {299, "/b/", "it answers 299"},
		{301, "/" + strings.Repeat("x", 400), "it redirects with 301 to https://a.test/" + strings.Repeat("x", 300-len("https://a.test/")) + "…"},
	} {
		a := &Answer{Status: tt.status, Header: http.Header{}}
		if tt.location != "" {
			a.Header.Set("Location", tt.location)
		}
		var all []string
		for _, p := range Inspect("https://a.test/a/", a) {
			all = append(all, p.String())
		}
		got := strings.Join(all, "\n")
		expect.Equal(t, strings.HasPrefix(got, tt.want) && (got == "") == (tt.want == ""), true, tt.status, tt.location, got)
	}
	canonical := &Answer{Status: 200, Header: http.Header{}, Body: []byte(`<link rel=canonical href="https://[">`)}
	found := Inspect("https://a.test/a/", canonical)
	expect.Equal(t, len(found) == 1 && found[0].String() == "it names another canonical: https://[", true, found)
}

// A pause is a number of seconds or a date. A date in the past asks for none.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"120": 2 * time.Minute, " 1 ": time.Second, "0": 0, "2147483647": 2147483647 * time.Second, "Fri, 02 Jan 2026 03:05:05 GMT": time.Minute, "Fri, 02 Jan 2026 03:00:00 GMT": 0,
		"": -1, "-1": -1, "soon": -1, "2147483648": -1,
	} {
		pause, ok := RetryAfter(http.Header{"Retry-After": {v}}, now)
		expect.Equal(t, ok, want >= 0, v)
		expect.Equal(t, pause, max(want, 0), v)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for location, want := range map[string]string{
		"/b/": "https://a.test/b/", "b": "https://a.test/x/b", "//b.test/": "https://b.test/", "http://b.test/": "http://b.test/", "ftp://b.test/": "", "mailto:a@b": "", "https://[": "",
		"https:///x": "", "?a": "https://a.test/x/?a",
	} {
		got, err := resolve("https://a.test/x/", location)
		expect.Equal(t, got, want, location)
		expect.Equal(t, err != nil, want == "", location)
	}
	_, err := resolve("https://[", "/b/")
	expect.Equal(t, err != nil, true)
}

// A crawl asks for the addresses that a caller has for the sitemaps in the index. The first address is asked for as it is.
func TestAddressesOfCrawl(t *testing.T) {
	t.Parallel()
	var srv *httptest.Server
	var asked []string
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		if r.URL.Path == "/index.xml" {
			fmt.Fprint(w, `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://a.test/one.xml</loc></sitemap>`+
				`<sitemap><loc>https://a.test/one.xml</loc></sitemap><sitemap><loc>https://a.test/two.xml</loc></sitemap></sitemapindex>`)
			return
		}
		fmt.Fprint(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`)
	}))
	defer srv.Close()
	var steps []string
	wptest.Must(t, (&Crawler{Rate: 1000}).Crawl(t.Context(), srv.URL+"/index.xml", func(loc string) string {
		return srv.URL + "/made" + strings.TrimPrefix(loc, "https://a.test")
	}, func(s CrawledFile, done, known int) error {
		wptest.Must(t, s.Err)
		steps = append(steps, fmt.Sprint(done, "/", known, " ", strings.TrimPrefix(s.URL, srv.URL), " ", s.Parent != ""))
		return nil
	}))
	expect.List(t, asked, []string{"/index.xml", "/made/one.xml", "/made/two.xml"})
	expect.List(t, steps, []string{"1/3 /index.xml false", "2/3 https://a.test/one.xml true", "3/3 https://a.test/two.xml true"})
	enough := errors.New("enough")
	err := (&Crawler{Rate: 1000}).Crawl(t.Context(), srv.URL+"/index.xml", nil, func(CrawledFile, int, int) error { return enough })
	expect.Equal(t, err, enough)
}

// Between two requests is the time that the rate says. The first request waits for nobody.
func TestPaceOfRequests(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	var slept []time.Duration
	c := &Crawler{Rate: 4, now: func() time.Time { return now }, sleep: func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }}
	for _, pass := range []time.Duration{0, 0, 100 * time.Millisecond, time.Hour, 250 * time.Millisecond} {
		now = now.Add(pass)
		wptest.Must(t, c.pace(t.Context()))
	}
	expect.List(t, slept, []time.Duration{250 * time.Millisecond, 400 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	expect.Equal(t, (&Crawler{Rate: 4, now: time.Now}).pace(ctx), context.Canceled)
}

// Every date is later than no date.
func TestOrderOfDates(t *testing.T) {
	t.Parallel()
	none, early, late := Date{}, date(t, "2026-01-02"), date(t, "2026-01-03T00:00:00Z")
	for _, tt := range []struct {
		d, e Date
		want bool
	}{{none, none, false}, {none, early, false}, {early, none, true}, {late, early, true}, {early, late, false}, {early, early, false}} {
		expect.Equal(t, tt.d.After(tt.e), tt.want, tt.d.String(), tt.e.String())
	}
	expect.Equal(t, DateOf(time.Time{}).String(), "none")
}

// Only a connection that was never made means that a host is out of reach.
func TestIsUnreachable(t *testing.T) {
	t.Parallel()
	for want, err := range map[bool]error{true: &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, false: &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}} {
		expect.Equal(t, IsUnreachable(fmt.Errorf("asking: %w", err)), want, err)
	}
	expect.Equal(t, IsUnreachable(errors.New("x")), false)
}

// A page is kept out of the index by its header or by an element, for a crawler that matters. Other parts of the header do not.
func TestDirectives(t *testing.T) {
	t.Parallel()
	for directives, want := range map[string]bool{
		"noindex": true, "NONE": true, "follow, NoIndex": true, "googlebot: noindex": true, "max-snippet:-1, noindex": true, "unavailable_after: noindex": false, "index, follow": false,
		"noindexing": false, "": false,
	} {
		expect.Equal(t, forbids(directives), want, directives)
	}
	expect.Equal(t, slices.Contains(robotsNames, "bingbot"), true)
}
