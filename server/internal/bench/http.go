package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
)

// client is one kept connection. It knows just enough of HTTP to cost little beside what it measures.
type client struct {
	conn net.Conn
	r    *bufio.Reader
	etag string // of the last answer with a body
}

func dial(address string) (*client, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, r: bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (c *client) close() { c.conn.Close() }

// request writes a GET with more header lines.
func request(path string, lines ...string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + strings.Join(append(lines, ""), "\r\n") + "\r\n")
}

var (
	contentLength = []byte("content-length: ")
	etagHeader    = []byte("etag: ")
)

// send sends a request and reads the header of the answer.
func (c *client) send(request []byte) (status, length int, etag string, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, 0, "", err
	}
	for first := true; ; first = false {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return 0, 0, "", err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case first:
			if len(line) < 12 {
				return 0, 0, "", fmt.Errorf("answer begins with %q", line)
			}
			status, err = strconv.Atoi(string(line[9:12]))
			length = -1
		case len(line) == 0:
			if status == http.StatusNotModified {
				length = 0
			}
			if length < 0 {
				return 0, 0, "", errors.New("an answer without a length")
			}
			return status, length, etag, nil
		case hasPrefixFold(line, contentLength):
			length, err = strconv.Atoi(string(line[len(contentLength):]))
		case hasPrefixFold(line, etagHeader):
			etag = string(line[len(etagHeader):])
		}
		if err != nil {
			return 0, 0, "", err
		}
	}
}

func hasPrefixFold(line, prefix []byte) bool {
	return len(line) >= len(prefix) && bytes.EqualFold(line[:len(prefix)], prefix)
}

// get sends a request and returns the body of the answer.
func (c *client) get(request []byte) (int, string, error) {
	status, length, etag, err := c.send(request)
	if err != nil {
		return 0, "", err
	}
	if etag != "" {
		c.etag = etag
	}
	body := make([]byte, length)
	_, err = io.ReadFull(c.r, body)
	return status, string(body), err
}

// drop sends a request and throws the answer's body away.
func (c *client) drop(request []byte) (int, error) {
	status, length, _, err := c.send(request)
	if err == nil {
		_, err = c.r.Discard(length)
	}
	return status, err
}

const connections = 16

// rate asks with some connections at a time and returns the answers a second.
func rate(ctx context.Context, address string, request []byte, want int, during time.Duration) (float64, error) {
	var answers atomic.Int64
	var all sync.WaitGroup
	failed := make(chan error, connections)
	start := time.Now()
	for range connections {
		all.Go(func() {
			c, err := dial(address)
			if err != nil {
				failed <- err
				return
			}
			defer c.close()
			for time.Since(start) < during && ctx.Err() == nil {
				status, err := c.drop(request)
				if err == nil && status != want {
					err = fmt.Errorf("status %d, want %d", status, want)
				}
				if err != nil {
					failed <- err
					return
				}
				answers.Add(1)
			}
		})
	}
	all.Wait()
	select {
	case err := <-failed:
		return 0, err
	default:
		return float64(answers.Load()) / time.Since(start).Seconds(), nil
	}
}

// bareHandler serves the bytes of a file, and of the same file compressed, with nothing around
// it but net/http: what a kept page is measured by.
func bareHandler(address, file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	zipped, err := os.ReadFile(file + ".gz")
	if err != nil {
		return err
	}
	const tag, zippedTag = `"0123456789abcdef01234567"`, `"0123456789abcdef01234567-gz"`
	h := func(w http.ResponseWriter, r *http.Request) {
		body, etag := body, tag
		header := w.Header()
		if r.Header.Get("Accept-Encoding") != "" {
			header["Content-Encoding"] = []string{"gzip"}
			body, etag = zipped, zippedTag
		}
		header["Content-Type"] = []string{"text/xml; charset=UTF-8"}
		header["Etag"] = []string{etag}
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		header["Content-Length"] = []string{strconv.Itoa(len(body))}
		w.Write(body)
	}
	return http.ListenAndServe(address, http.HandlerFunc(h))
}

// nginx serves a folder with gzip_static; nil where it is not installed.
func (b *bench) nginx(folder string) (*service, error) {
	path := ""
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, nil
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n" // the folder is ours
	}
	config := filepath.Join(b.dir, "nginx.conf")
	text := user + `worker_processes auto;
error_log stderr error;
pid ` + filepath.Join(b.dir, "nginx.pid") + `;
events { worker_connections 256; }
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 100000000;
	types { text/xml xml; }
	open_file_cache max=100;
	client_body_temp_path ` + b.dir + `/t1; proxy_temp_path ` + b.dir + `/t2;
	fastcgi_temp_path ` + b.dir + `/t3; uwsgi_temp_path ` + b.dir + `/t4; scgi_temp_path ` + b.dir + `/t5;
	server { listen ` + address + `; root ` + folder + `; gzip_static on; }
}
`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return serve(address, path, "-c", config, "-p", b.dir, "-g", "daemon off;")
}

// http compares a kept page with the same bytes from a bare handler and from nginx.
func (b *bench) http(ctx context.Context) error {
	s, err := b.daemon(b.site, "")
	if err != nil {
		return err
	}
	defer s.stop()
	folder, path := filepath.Join(b.dir, "www"), b.middle()
	file := filepath.Join(folder, path)
	if err := b.keep200(s, path, file); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	bare, err := serve(address, b.self, "handler", address, file)
	if err != nil {
		return err
	}
	defer bare.stop()
	web, err := b.nginx(folder)
	if err != nil {
		return err
	}
	if web != nil {
		defer web.stop()
	}
	if err := b.settled(ctx); err != nil {
		return err
	}
	before, err := b.site.counters(ctx)
	if err != nil {
		return err
	}
	began, answered := time.Now(), 0.0
	const zip = "Accept-Encoding: gzip"
	for _, answer := range []struct {
		name   string
		status int
		lines  func(s *service) ([]string, error)
	}{
		{"gzip", http.StatusOK, func(*service) ([]string, error) { return []string{zip}, nil }},
		{"304", http.StatusNotModified, func(s *service) ([]string, error) {
			c, err := dial(s.address)
			if err != nil {
				return nil, err
			}
			defer c.close()
			_, _, err = c.get(request(path, zip))
			return []string{zip, "If-None-Match: " + c.etag}, err
		}},
	} {
		rates := map[*service]values{}
		for range b.runs {
			for _, service := range []*service{s, bare, web} {
				if service == nil {
					continue
				}
				lines, err := answer.lines(service)
				if err != nil {
					return err
				}
				n, err := rate(ctx, service.address, request(path, lines...), answer.status, rateFor)
				if err != nil {
					return fmt.Errorf("%s: %w", answer.name, err)
				}
				rates[service] = append(rates[service], n)
				if service == s {
					answered += n * rateFor.Seconds()
				}
			}
		}
		how := fmt.Sprintf("of the requests a second of a bare net/http handler with the same bytes (%.0f against %.0f)",
			rates[s].median(), rates[bare].median())
		if web != nil {
			how += fmt.Sprintf("; %.2f of nginx with gzip_static (%.0f)", rates[s].ratio(rates[web]).median(), rates[web].median())
		}
		b.table.add("kept page, "+answer.name, rates[s].ratio(rates[bare]).spread("%.2f"), "%s", how)
	}
	cost, err := b.site.since(ctx, before)
	if err != nil {
		return err
	}
	allocations, err := b.keptAllocations(ctx)
	if err != nil {
		return err
	}
	b.table.must("kept page", "0 queries, ≤ 2 allocations of our own a request beyond `net/http`",
		"**%.4f** queries an answer (%.0f in %s, the looks at the tables, beside %.0f answers), **%d** allocations",
		cost.queries/answered, cost.queries, duration(time.Since(began).Seconds()), answered, allocations)
	return nil
}

const rateFor = 2 * time.Second

var allocationsLine = regexp.MustCompile(`(?m)^BenchmarkServeKeptPage.*\s(\d+) allocs/op$`)

// keptAllocations is the most a request for a kept page allocates, whatever it asks.
func (b *bench) keptAllocations(ctx context.Context) (most int, err error) {
	found, err := b.goTest(ctx, allocationsLine, nil, "-run", "^$", "-bench", "^BenchmarkServeKeptPage$", "-benchtime", "10000x")
	for _, m := range found {
		n, _ := strconv.Atoi(m[1])
		most = max(most, n)
	}
	return most, err
}

// keep200 writes a page of the daemon to a file, and compressed beside it.
func (b *bench) keep200(s *service, path, file string) error {
	status, body, err := s.get(path)
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("%s: status %d, %v", path, status, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
		return err
	}
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.close()
	_, zipped, err := c.get(request(path, "Accept-Encoding: gzip"))
	if err != nil {
		return err
	}
	if _, err := gzip.NewReader(strings.NewReader(zipped)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(file+".gz", []byte(zipped), 0o644)
}

// proxy measures what passing a request on adds.
func (b *bench) proxy(ctx context.Context) error {
	file := filepath.Join(b.dir, "page.html")
	page := bytes.Repeat([]byte("<p>A page of the PHP site.</p>\n"), 600) // 18 kB
	for _, name := range []string{file, file + ".gz"} {
		if err := os.WriteFile(name, page, 0o600); err != nil {
			return err
		}
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	upstream, err := serve(address, b.self, "handler", address, file)
	if err != nil {
		return err
	}
	defer upstream.stop()
	s, err := b.daemon(b.site, "http://"+address)
	if err != nil {
		return err
	}
	defer s.stop()
	direct, err := dial(upstream.address)
	if err != nil {
		return err
	}
	defer direct.close()
	through, err := dial(s.address)
	if err != nil {
		return err
	}
	defer through.close()
	var straight, passed, added values
	for i := range 4200 {
		var took [2]float64
		for j, c := range []*client{direct, through} {
			start := time.Now()
			if status, err := c.drop(request("/some-post/")); err != nil || status != http.StatusOK {
				return fmt.Errorf("status %d, %v", status, err)
			}
			took[j] = time.Since(start).Seconds()
		}
		if i >= 200 && ctx.Err() == nil {
			straight, passed, added = append(straight, took[0]), append(passed, took[1]), append(added, took[1]-took[0])
		}
	}
	b.table.add("a request that is passed on",
		fmt.Sprintf("p50 **+%s**, p99 **+%s**", duration(added.median()), duration(passed.quantile(0.99)-straight.quantile(0.99))),
		"to the upstream asked directly (p50 %s, p99 %s), 18 kB, one at a time", duration(straight.median()), duration(straight.quantile(0.99)))
	return nil
}
