package faults

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/wp/wptest"
)

// checker asks for a site's sitemaps over and over and judges every answer.
type checker struct {
	site    *site
	address string
	host    string
	client  *http.Client

	mu     sync.Mutex
	age    int             // of the daemon: which process it is; 0 while none is expected to answer
	served map[string]bool // paths that a copy exists of
	tags   map[string]tagged
	known  map[[sha256.Size]byte]string // entries by body, so that equal bytes are parsed once
	seen   map[string]sight             // by path
	wrong  []string                     // the first of them
	figures
}

type tagged struct{ path, entries string }

// sight is what was last seen of a sitemap.
type sight struct {
	version int
	stale   bool // with Age
	process int
	at      time.Time
}

func newChecker(s *site, address string, connections int) *checker {
	return &checker{
		site: s, address: address, host: strings.TrimPrefix(s.home, "https://"),
		served: map[string]bool{}, tags: map[string]tagged{}, known: map[[sha256.Size]byte]string{}, seen: map[string]sight{},
		client: &http.Client{
			Transport: &http.Transport{
				MaxIdleConnsPerHost: connections, DisableCompression: true, DialContext: (&net.Dialer{Timeout: answerPatience}).DialContext,
			},
			Timeout:       answerPatience,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// answerPatience is how long an answer may take. The daemon waits 5 seconds for a newer page
// if it has an older one, and 15 for a robots.txt. These times are measured only if nothing else uses the machine.
var answerPatience = wptest.Patience

func init() {
	if everything {
		answerPatience = 20 * time.Second
	}
}

// mostKnown bounds what a checker remembers of past answers.
const mostKnown = 500

// run asks with so many clients, each with a pause after an answer, until ctx ends.
func (c *checker) run(ctx context.Context, all *sync.WaitGroup, clients int, every time.Duration) {
	paths := c.site.paths()
	for range clients {
		all.Go(func() {
			for ; ctx.Err() == nil; pause(ctx, every) {
				c.ask(ctx, paths[rand.IntN(len(paths))])
			}
		})
	}
}

// expect says from when on a daemon has to answer, and until when.
func (c *checker) expect(answers bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answers {
		c.age = max(c.age, -c.age) + 1
	} else {
		c.age = -max(c.age, -c.age)
	}
	c.client.CloseIdleConnections()
}

// forget records that no copy of these paths exists any more. Without paths, no copy of any path exists.
func (c *checker) forget(paths ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(paths) == 0 {
		clear(c.served)
	}
	for _, path := range paths {
		delete(c.served, path)
	}
}

func (c *checker) process() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.age
}

// ask sends one request for a sitemap in one of its forms and judges the answer.
func (c *checker) ask(ctx context.Context, path string) {
	process := c.process()
	if process <= 0 {
		return
	}
	url := path
	if rand.IntN(8) == 0 {
		url += ".gz"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.address+url, nil)
	if err != nil {
		panic(err)
	}
	r.Host = c.host
	if rand.IntN(2) == 0 {
		r.Header.Set("Accept-Encoding", "gzip")
	}
	if rand.IntN(4) == 0 {
		if tag := c.tagOf(path); tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
	}
	start := time.Now()
	resp, err := c.client.Do(r)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	took := time.Since(start)
	if ctx.Err() != nil || c.process() != process {
		return // nobody had to answer all the while
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.slowest = max(c.slowest, took)
	if err != nil {
		c.note("%s: no answer: %v", url, err)
		return
	}
	c.judge(path, url, r, start, resp, body)
}

func (c *checker) tagOf(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for tag, t := range c.tags {
		if t.path == path {
			return tag
		}
	}
	return ""
}

// note records a wrong answer. c.mu is held.
func (c *checker) note(format string, args ...any) {
	c.wrongs++
	if len(c.wrong) < 5 {
		c.wrong = append(c.wrong, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
	}
}

func (c *checker) judge(path, url string, r *http.Request, start time.Time, resp *http.Response, body []byte) {
	tag := resp.Header.Get("ETag")
	sight := sight{stale: resp.Header.Get("Age") != "", process: c.age, at: time.Now()}
	if sight.stale {
		c.aged++
	}
	switch {
	case resp.StatusCode >= 500:
		if c.served[path] {
			c.fails++
			c.note("%s: %d %s though a copy exists", url, resp.StatusCode, strings.TrimSpace(string(body)))
		} else if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
			c.note("%s: %d without Retry-After: %.200s", url, resp.StatusCode, body)
		}
		return
	case resp.StatusCode == http.StatusNotModified:
		asked := r.Header.Get("If-None-Match")
		known, ok := c.tags[asked]
		if !ok {
			return // forgotten meanwhile
		}
		if sight.version = c.site.match(path, known.entries); document(tag) != document(asked) || known.path != path || sight.version == 0 {
			c.note("%s: 304 with %s for %s, an older copy or another page:\n%s", url, tag, asked, c.site.differences(path, known.entries))
			return
		}
	case resp.StatusCode == http.StatusOK:
		entries, err := c.entries(resp, url, body)
		if err != nil {
			c.note("%s: %v: %.300q", url, err, body)
			return
		}
		if sight.version = c.site.match(path, entries); sight.version == 0 {
			c.note("%s: entries that were never true, or are not any more:\n%s", url, c.site.differences(path, entries))
			return
		}
		if known, ok := c.tags[tag]; ok && known != (tagged{path, entries}) {
			c.note("%s: one ETag %s for two documents", url, tag)
			return
		}
		if !strings.HasSuffix(url, ".gz") {
			c.tags[tag] = tagged{path, entries}
		}
	default:
		c.note("%s: %d: %.200s", url, resp.StatusCode, body)
		return
	}
	c.served[path] = true
	before := c.seen[path]
	if sight.process == before.process && sight.version < before.version && start.After(before.at) {
		c.note("%s: went back from version %d to %d", url, before.version, sight.version)
	}
	if sight.process != before.process || sight.version >= before.version {
		c.seen[path] = sight
	}
}

// document is what the entity tags of one document in all its encodings have in common.
func document(tag string) string {
	name, _, _ := strings.Cut(strings.Trim(tag, `"`), "-")
	return name
}

// entries parses a sitemap and returns its entries as lines of address and date.
func (c *checker) entries(resp *http.Response, url string, body []byte) (string, error) {
	if resp.Header.Get("ETag") == "" {
		return "", errors.New("no ETag")
	}
	if length, err := strconv.Atoi(resp.Header.Get("Content-Length")); err != nil || length != len(body) {
		return "", fmt.Errorf("Content-Length %q, but %d bytes", resp.Header.Get("Content-Length"), len(body))
	}
	sum := sha256.Sum256(body)
	if known, ok := c.known[sum]; ok {
		return known, nil
	}
	text := body
	if resp.Header.Get("Content-Encoding") == "gzip" || strings.HasSuffix(url, ".gz") {
		zip, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		if text, err = io.ReadAll(zip); err != nil {
			return "", err
		}
	} else if got := resp.Header.Get("Content-Type"); got != "text/xml; charset=UTF-8" {
		return "", fmt.Errorf("Content-Type %q", got)
	}
	found, err := servertest.Entries(text)
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	for _, e := range found {
		modified, err := time.Parse(time.RFC3339, e.LastMod)
		if err != nil {
			return "", fmt.Errorf("lastmod of %s: %v", e.Loc, err)
		}
		fmt.Fprintf(&lines, "%s %s\n", e.Loc, modified.UTC().Format(time.RFC3339))
	}
	if len(c.known) >= mostKnown { // most are of the past
		clear(c.known)
		clear(c.tags)
	}
	c.known[sum] = lines.String()
	return c.known[sum], nil
}

// fresh reports whether every sitemap was last answered with this version or one equal to it,
// and as fresh.
func (c *checker) fresh(version int) bool { return c.behind(version) == "" }

// behind says what is not fresh.
func (c *checker) behind(version int) string {
	var b strings.Builder
	for _, path := range c.site.paths() {
		c.mu.Lock()
		if seen := c.seen[path]; seen.stale || seen.version < version {
			fmt.Fprintf(&b, "%s: version %d of %d, stale: %v\n", path, seen.version, version, seen.stale)
		}
		c.mu.Unlock()
	}
	return b.String()
}
