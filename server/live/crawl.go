package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
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
	maxFiles     = urlset.MaxEntries // sitemaps of one crawl
	maxTries     = 3                 // requests for one address
	maxPatience  = 5 * time.Minute   // the longest Retry-After that is respected
	retryAfter   = 2 * time.Second   // if an answer has no Retry-After, the pause after attempt n is n times as long
)

// Crawler fetches from one site. It sends one request after the other over one connection, at a limited rate. It is not safe for
// concurrent use.
type Crawler struct {
	UserAgent string
	Header    http.Header   // of each request, beside UserAgent; nil: nothing
	Rate      float64       // requests per second
	Timeout   time.Duration // for one answer; 0: two minutes, because PHP may work for long

	// Hosts are the hosts that may be requested; nil: every host.
	Hosts []string

	// Through is the server to which requests for Hosts are sent, with the header fields that a front server would set; nil: each
	// request goes to the host of its address.
	Through *url.URL

	// Transport sends the requests; nil: the crawler makes its own.
	Transport http.RoundTripper

	// Log is called before a failed request is repeated; may be nil.
	Log func(format string, args ...any)

	// Requests is the number of requests sent.
	Requests int

	client *http.Client
	last   time.Time                                        // the time of the last request
	sleep  func(ctx context.Context, d time.Duration) error // nil: the function sleep
	now    func() time.Time                                 // nil: time.Now
}

type Answer struct {
	Status    int
	Header    http.Header
	Body      []byte // decoded
	Truncated bool   // Body is only the beginning
}

// status returns the number and the name of the status, such as 404 Not Found.
func (a *Answer) status() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status)))
}

// final marks an error after which another attempt would fail, too.
type final struct{ error }

// Get requests an address once and reads at most limit bytes of the body. It does not follow redirects.
func (c *Crawler) Get(ctx context.Context, address string, limit int64) (*Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Header, c.Header)
	r.Header.Set("User-Agent", cmp.Or(c.UserAgent, "wpsitemapd"))
	c.prepare()
	if err := c.route(r); err != nil {
		return nil, err
	}
	if err := c.pace(ctx); err != nil {
		return nil, err
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

// prepare makes the client, which does not follow redirects. It gives the fields now, sleep and Transport their defaults.
func (c *Crawler) prepare() {
	if c.client != nil {
		return
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.sleep == nil {
		c.sleep = sleep
	}
	if c.Transport == nil {
		c.Transport = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxConnsPerHost:        1,
			MaxIdleConnsPerHost:    1,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 1 << 18,
		}
	}
	c.client = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: c.Transport,
	}
}

// route sets the server that gets a request. It returns an error if the request is for a host that is not in Hosts.
func (c *Crawler) route(r *http.Request) error {
	isThis := func(h string) bool { return strings.EqualFold(h, r.URL.Host) || strings.EqualFold(h, r.URL.Hostname()) }
	switch known := c.Hosts == nil || slices.ContainsFunc(c.Hosts, isThis); {
	case known && c.Through != nil:
		r.Host = r.URL.Host
		r.Header.Set("X-Forwarded-Proto", r.URL.Scheme) // else WordPress would redirect http to https endlessly
		r.Header.Set("X-Forwarded-Host", r.URL.Host)
		r.Header.Set("Via", "1.1 "+proxy.CheckVia)
		r.URL.Scheme, r.URL.Host = c.Through.Scheme, c.Through.Host
	case !known && (c.Through == nil || !strings.EqualFold(r.URL.Host, c.Through.Host)):
		return final{fmt.Errorf("it is on another host, %s: if home redirects there, set home in the configuration, or correct it in WordPress",
			r.URL.Host)}
	}
	return nil
}

// plainError removes the method and the address from an error of net/http.
func plainError(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// IsUnreachable reports whether an error means that a host has no address, or accepts no connections.
func IsUnreachable(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}

// read returns at most limit bytes of a body, decompressed. Files named .gz are served with or without Content-Encoding, so the
// first bytes show whether a body is compressed.
func read(resp *http.Response, limit int64) (body []byte, truncated bool, err error) {
	body, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	for range 2 { // a .gz file may be compressed a second time on its way
		if err != nil || !bytes.HasPrefix(body, []byte{0x1F, 0x8B}) {
			break
		}
		if int64(len(body)) > limit {
			return nil, false, final{fmt.Errorf("the answer is larger than %d MiB", limit>>20)}
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
	now := c.now()
	if next := c.last.Add(time.Duration(float64(time.Second) / c.Rate)); !c.last.IsZero() && next.After(now) {
		if err := c.sleep(ctx, next.Sub(now)); err != nil {
			return err
		}
		now = next
	}
	c.last = now
	return ctx.Err()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fetch requests a file at most maxTries times. It follows redirects and waits as long as the site asks for. It repeats a request
// after an error that may pass.
func (c *Crawler) fetch(ctx context.Context, address string) (*Answer, error) {
	redirects := 0
	for try := 1; ; try++ {
		a, err := c.Get(ctx, address, urlset.MaxBytes)
		if err == nil {
			switch location := a.Header.Get("Location"); {
			case a.Truncated:
				return nil, fmt.Errorf("the answer is larger than %d MiB", urlset.MaxBytes>>20)
			case a.Status == http.StatusOK:
				return a, nil
			case a.Status >= 301 && a.Status <= 308 && location != "":
				if address, err = resolve(address, location); err != nil {
					return nil, err
				}
				if redirects++; redirects > maxRedirects {
					return nil, fmt.Errorf("the site redirects more than %d times, the last time to %s: correct the redirects on the site", maxRedirects, address)
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
			if asked, ok := RetryAfter(a.Header, c.now()); ok {
				if asked > maxPatience {
					return nil, fmt.Errorf("%w; the site asks to wait %v before the next request: run this again after that time", err, asked.Round(time.Second))
				}
				pause = asked
			}
		}
		if c.Log != nil {
			c.Log("%s: %v; again in %v", address, err, pause.Round(time.Second))
		}
		if err := c.sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// RetryAfter returns the pause that an answer asks for, in seconds or as a date. ok is false if it asks for none.
func RetryAfter(h http.Header, now time.Time) (pause time.Duration, ok bool) {
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
		return "", fmt.Errorf("it redirects to %q, which is not a URL with http or https: correct the redirect on the site", Shorten(location, 100))
	}
	return u.String(), nil
}

type CrawledFile struct {
	URL     string // the address in the index
	LastMod Date   // the date in the index
	File    *File  // nil if it could not be read
	Err     error  // why File is nil
	Parent  string // the index that names it; "" for the start of the crawl
}

// Crawl reads a sitemap and, if it is an index, all sitemaps that it names. It passes each file to visit as soon as the file
// was read or failed. done is the number of files passed so far, and known the number of files found so far. address turns the
// loc of a sitemap into the address to request; nil: they are the same. Crawl returns an error only if ctx ends or visit fails.
func (c *Crawler) Crawl(ctx context.Context, start string, address func(loc string) string, visit func(s CrawledFile, done, known int) error) error {
	queue := []CrawledFile{{URL: start}}
	seen := map[string]bool{start: true}
	for i := 0; i < len(queue); i++ {
		t := queue[i]
		at := t.URL
		if i > 0 && address != nil {
			at = address(at)
		}
		a, err := c.fetch(ctx, at)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			if t.File, err = Parse(a.Body); err != nil {
				err = fmt.Errorf("%w: look at what the site serves at this URL", err)
			}
		}
		switch {
		case err != nil || !t.File.Index:
		case t.Parent != "":
			err = errors.New("it is an index in an index, which no crawler reads")
		default:
			for _, e := range t.File.Entries {
				if len(queue) > maxFiles {
					err = fmt.Errorf("the site has more than %d sitemaps", maxFiles)
					break
				}
				if !seen[e.Loc] {
					seen[e.Loc] = true
					queue = append(queue, CrawledFile{URL: e.Loc, LastMod: e.LastMod, Parent: t.URL})
				}
			}
		}
		if t.Err = err; err != nil {
			t.File = nil
		}
		if err := visit(t, i+1, len(queue)); err != nil {
			return err
		}
		queue[i] = CrawledFile{} // visit has the entries now
	}
	return nil
}
