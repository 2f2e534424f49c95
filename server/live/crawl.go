package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"wpsitemapd/server/proxy"
	"wpsitemapd/sitemap/urlset"
)

// The bounds of a crawl.
const (
	maxRedirects = 5
	maxFiles     = urlset.MaxEntries // sitemaps in all
	maxNesting   = 3                 // indexes in indexes
	maxTries     = 3                 // of one address
	maxPatience  = 5 * time.Minute   // the longest Retry-After that is waited for
	retryAfter   = 2 * time.Second   // where an error names no time
)

// Crawler fetches from one site: one request after the other over one connection, at a
// bounded rate. It is not safe for concurrent use.
type Crawler struct {
	UserAgent string
	Rate      float64       // requests a second
	Timeout   time.Duration // of one answer; 0: two minutes, for PHP may work for long

	// Route says where a request for a public address really goes; nil: to that address. Host
	// and forwarding headers of the request may be set.
	Route func(*http.Request) error

	// Transport is what requests go by; nil: a connection of its own to the host of the address.
	Transport http.RoundTripper

	// Log is called with everything that takes unexpectedly long; nil: not.
	Log func(format string, args ...any)

	// Requests counts those that were sent.
	Requests int

	client *http.Client
	last   time.Time                                        // of the last request
	sleep  func(ctx context.Context, d time.Duration) error // nil: the clock's
	now    func() time.Time                                 // nil: time.Now
}

// Answer is what a site answered.
type Answer struct {
	Status    int
	Header    http.Header
	Body      []byte // without transfer or content encoding
	Truncated bool   // Body is only its begin
}

// status writes the number and the name of the status: 404 Not Found.
func (a *Answer) status() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status)))
}

// final is an error that stays, however often an address is asked for.
type final struct{ error }

// Get asks for an address once and reads at most limit bytes of the body. Redirects are
// answers like others.
func (c *Crawler) Get(ctx context.Context, address string, limit int64) (*Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", cmp.Or(c.UserAgent, "wpsitemapd"))
	if c.Route != nil {
		if err := c.Route(r); err != nil {
			return nil, err
		}
	}
	if err := c.pace(ctx); err != nil {
		return nil, err
	}
	if c.client == nil {
		c.client = newClient()
		if c.Transport != nil {
			c.client.Transport = c.Transport
		}
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, 2*time.Minute))
	defer cancel()
	c.Requests++
	resp, err := c.client.Do(r.WithContext(ctx))
	if err != nil {
		return nil, plainError(err)
	}
	defer resp.Body.Close()
	a := &Answer{Status: resp.StatusCode, Header: resp.Header}
	if a.Body, a.Truncated, err = read(resp, limit); err != nil {
		return nil, fmt.Errorf("reading the answer: %w", plainError(err))
	}
	return a, nil
}

// newClient follows no redirects by itself and keeps one connection.
func newClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxConnsPerHost:        1,
			MaxIdleConnsPerHost:    1,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 1 << 18,
		},
	}
}

// plainError takes away what every error of net/http begins with: the method and the address.
func plainError(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// IsUnreachable reports whether an error means that a host has no address, or takes no connections.
func IsUnreachable(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}

// read returns at most limit bytes of a body, decompressed; files named .gz are served both
// with and without a Content-Encoding, so the bytes themselves are asked.
func read(resp *http.Response, limit int64) (body []byte, truncated bool, err error) {
	body, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	for range 2 { // a .gz may be compressed once more on its way
		if err != nil || !bytes.HasPrefix(body, []byte{0x1F, 0x8B}) {
			break
		}
		if int64(len(body)) > limit {
			return nil, false, final{errors.New("too big")}
		}
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(io.LimitReader(z, limit+1))
		}
	}
	if int64(len(body)) > limit {
		body, truncated = body[:limit], true
	}
	return body, truncated, err
}

// pace waits until the next request may be sent.
func (c *Crawler) pace(ctx context.Context) error {
	now := c.clock()
	if next := c.last.Add(time.Duration(float64(time.Second) / c.Rate)); !c.last.IsZero() && next.After(now) {
		if err := c.wait(ctx, next.Sub(now)); err != nil {
			return err
		}
		now = next
	}
	c.last = now
	return ctx.Err()
}

func (c *Crawler) clock() time.Time {
	if c.now != nil {
		return c.now()
	}
	return time.Now()
}

func (c *Crawler) wait(ctx context.Context, d time.Duration) error {
	if c.sleep != nil {
		return c.sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fetch asks for a file until it is there: it follows redirects, waits as long as the site
// asks for, and tries again after errors that may pass.
func (c *Crawler) fetch(ctx context.Context, address string) (*Answer, error) {
	redirects := 0
	for try := 1; ; try++ {
		a, err := c.Get(ctx, address, urlset.MaxBytes)
		if err == nil {
			switch location := a.Header.Get("Location"); {
			case a.Truncated:
				return nil, fmt.Errorf("too big: more than %d MiB", urlset.MaxBytes>>20)
			case a.Status == http.StatusOK:
				return a, nil
			case a.Status >= 301 && a.Status <= 308 && location != "":
				if address, err = resolve(address, location); err != nil {
					return nil, err
				}
				if redirects++; redirects > maxRedirects {
					return nil, fmt.Errorf("more than %d redirects, the last to %s", maxRedirects, address)
				}
				try = 0
				continue
			}
			err = errors.New("the answer is " + a.status())
			if a.Status != http.StatusTooManyRequests && a.Status < 500 {
				return nil, err
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, stays := errors.AsType[final](err); stays || try == maxTries {
			return nil, err
		}
		pause := retryAfter * time.Duration(try)
		if a != nil {
			if asked, ok := askedPause(a.Header, c.clock()); ok {
				if asked > maxPatience {
					return nil, fmt.Errorf("%w, and asks to come back in %v only", err, asked.Round(time.Second))
				}
				pause = asked
			}
		}
		if c.Log != nil {
			c.Log("%s: %v; again in %v", address, err, pause.Round(time.Second))
		}
		if err := c.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// Read fetches and reads one sitemap.
func (c *Crawler) Read(ctx context.Context, address string) (*File, error) {
	a, err := c.fetch(ctx, address)
	if err != nil {
		return nil, err
	}
	return Parse(a.Body)
}

// askedPause reads a Retry-After, in seconds or as a date.
func askedPause(h http.Header, now time.Time) (time.Duration, bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

func resolve(base, location string) (string, error) {
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	u, err := b.Parse(location)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("it redirects to %q, which is not a URL", Shorten(location, 100))
	}
	return u.String(), nil
}

// ThroughUpstream is a Route: requests for the hosts go to the upstream, as a server before it
// would pass them on; those for other hosts are refused.
func ThroughUpstream(upstream *url.URL, hosts []string) func(*http.Request) error {
	return func(r *http.Request) error {
		err := onHosts(r, hosts)
		if err == nil {
			pass(r, upstream)
		}
		return err
	}
}

// pass has a request for a public address go to an upstream.
func pass(r *http.Request, upstream *url.URL) {
	if r.URL.Host != "" {
		r.Host = r.URL.Host
		r.Header.Set("X-Forwarded-Proto", r.URL.Scheme) // or WordPress would redirect http to https for ever
		r.Header.Set("X-Forwarded-Host", r.URL.Host)
	}
	r.Header.Set("Via", "1.1 "+proxy.CheckVia)
	r.URL.Scheme, r.URL.Host = upstream.Scheme, upstream.Host
}

// Public is a Route: requests go where their address says, and those for other hosts are refused.
func Public(hosts []string) func(*http.Request) error {
	return func(r *http.Request) error { return onHosts(r, hosts) }
}

func onHosts(r *http.Request, hosts []string) error {
	for _, h := range hosts {
		if strings.EqualFold(h, r.URL.Host) || strings.EqualFold(h, r.URL.Hostname()) {
			return nil
		}
	}
	return final{fmt.Errorf("it is on another host, %s: if home redirects there, set home, or correct it in WordPress", r.URL.Host)}
}

// At is a Route: requests for the hosts go to the place of an address, with the host and the scheme that they name, as a
// server before it would pass them on; those for the place itself go there as they are, and others are refused.
func At(place *url.URL, hosts []string) func(*http.Request) error {
	through := ThroughUpstream(place, hosts)
	return func(r *http.Request) error {
		if strings.EqualFold(r.URL.Host, place.Host) {
			return nil
		}
		return through(r)
	}
}

// CrawledFile is one file of a crawl.
type CrawledFile struct {
	URL     string // as the index names it
	LastMod Date   // in the index
	File    *File  // nil where it could not be read
	Err     error  // why
	Parent  string // the index that names it; "" for the first
}

// Crawl reads a sitemap and, where it is an index, all it names, and hands each file to visit
// as soon as it is read, or could not be read. address turns the loc of a sitemap into the
// address to ask for; nil: it is the same. Crawl itself fails when ctx ends or visit fails.
func (c *Crawler) Crawl(ctx context.Context, start string, address func(loc string) string, visit func(s CrawledFile, done, known int) error) error {
	type task struct {
		CrawledFile
		depth int
	}
	queue := []task{{CrawledFile: CrawledFile{URL: start}}}
	seen := map[string]bool{start: true}
	for i := 0; i < len(queue); i++ {
		t := queue[i]
		at := t.URL
		if i > 0 && address != nil {
			at = address(at)
		}
		var err error
		t.File, err = c.Read(ctx, at)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && t.File.Index {
			if t.depth == maxNesting {
				err = fmt.Errorf("indexes are nested more than %d deep", maxNesting)
			} else {
				for _, e := range t.File.Entries {
					if len(queue) > maxFiles {
						err = fmt.Errorf("the site has more than %d sitemaps", maxFiles)
						break
					}
					if !seen[e.Loc] {
						seen[e.Loc] = true
						queue = append(queue, task{CrawledFile{URL: e.Loc, LastMod: e.LastMod, Parent: t.URL}, t.depth + 1})
					}
				}
			}
		}
		if t.Err = err; err != nil {
			t.File = nil
		}
		if err := visit(t.CrawledFile, i+1, len(queue)); err != nil {
			return err
		}
		queue[i] = task{} // its entries are the visitor's now
	}
	return nil
}
