package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"wpsitemapd/server/config"
	"wpsitemapd/server/front"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
)

// h2Client speaks HTTP/2 to the daemon in frames.
type h2Client struct {
	t      *testing.T
	conn   net.Conn
	framer *http2.Framer
	head   bytes.Buffer
	fields *hpack.Encoder
	next   uint32

	authority string

	mu      sync.Mutex
	streams uint32 // the daemon lets it have at a time
	status  map[uint32]string
	reset   map[uint32]bool
	ended   map[uint32]bool
	gone    error
}

// dialH2 connects, with a window for each stream.
func dialH2(t *testing.T, public string, window uint32) *h2Client {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(public, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	io.WriteString(conn, http2.ClientPreface)
	c := &h2Client{
		t:         t,
		conn:      conn,
		framer:    http2.NewFramer(conn, conn),
		next:      1,
		authority: "a.test",
		status:    map[uint32]string{},
		reset:     map[uint32]bool{},
		ended:     map[uint32]bool{},
	}
	c.fields = hpack.NewEncoder(&c.head)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
	return c
}

// read takes frames until the connection ends.
func (c *h2Client) read() {
	for {
		frame, err := c.framer.ReadFrame()
		c.mu.Lock()
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if n, ok := f.Value(http2.SettingMaxConcurrentStreams); ok {
				c.streams = n
			}
		case *http2.MetaHeadersFrame:
			c.status[f.StreamID] = f.PseudoValue("status")
			c.ended[f.StreamID] = f.StreamEnded()
		case *http2.DataFrame:
			c.ended[f.StreamID] = f.StreamEnded()
		case *http2.RSTStreamFrame:
			c.reset[f.StreamID] = true
		}
		c.gone = err
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// ask sends a request without a body, and returns its stream.
func (c *h2Client) ask(path string, header ...string) uint32 {
	c.head.Reset()
	for _, f := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", c.authority}, {":path", path}} {
		c.fields.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	for i := 0; i+1 < len(header); i += 2 {
		c.fields.WriteField(hpack.HeaderField{Name: header[i], Value: header[i+1]})
	}
	id := c.next
	c.next += 2
	c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: c.head.Bytes(), EndStream: true, EndHeaders: true})
	return id
}

// until waits for something of the frames that came.
func (c *h2Client) until(what string, so func() bool) {
	c.t.Helper()
	wptest.Eventually(c.t, what, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return so()
	})
}

// startH2 is a server of HTTP/2 without TLS with a long sitemap, which does not compress well.
func startH2(t *testing.T, change func(*testServer)) (ts *testServer, public, admin string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for text.Len() < 8<<20 {
		fmt.Fprintf(&text, "<loc>%x</loc>", random.Uint64())
	}
	c := newFakeCatalog("https://a.test")
	c.render = func(_ context.Context, name string, page int) (*catalog.Document, error) {
		if name != "post" || page > 2 {
			return nil, catalog.ErrNotFound
		}
		return &catalog.Document{Body: text.Bytes()[:8<<20>>(3*(page-1))], LastMod: newest, Entries: 1}, nil
	}
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { w.Write(text.Bytes()[:64<<10]) })
	ts = newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []site.Settings{fakeBlog(1, "https://a.test", c)}}}, config.Site{Name: "a", Upstream: up})
	ts.config.H2C = true
	if change != nil {
		change(ts)
	}
	public, admin, stop := start(t, ts)
	t.Cleanup(func() { stop() })
	return ts, public, admin
}

// Streams that nobody reads are few on a connection, for a client and altogether, and whoever comes next
// is answered.
func TestUnreadStreamsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		header     []string
		most       int
	}{
		{"compressed sitemaps", "/post-sitemap2.xml", []string{"accept-encoding", "gzip"}, front.MaxWaiting},
		{"sitemaps that are unpacked", "/post-sitemap2.xml", nil, front.MaxUnpacking},
		{"short answers", "/foo-sitemap9.xml?", nil, front.MaxWaiting},
		{"pages of the upstream", "/about/", nil, front.MaxWaiting},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ts, public, _ := startH2(t, nil)
			<-ts.installs[0].refresher.FirstRead()
			path := strings.TrimSuffix(tt.path, "?")
			if tt.path != path { // answered by us, with a sentence
				path = "/post-sitemap3.xml"
			}
			good := dialH2(t, public, 1<<20)
			go good.read()
			first := good.ask(path, tt.header...) // made once
			good.until("answered", func() bool { return good.status[first] != "" })

			var clients []*h2Client
			asked, held := 0, 0
			for asked <= front.MaxWaiting {
				c := dialH2(t, public, 0)
				clients = append(clients, c)
				go c.read()
				c.until("told the number of streams", func() bool { return c.streams > 0 })
				if c.streams > 100 {
					t.Fatalf("%d streams on a connection", c.streams)
				}
				for range c.streams {
					c.ask(path, tt.header...)
					asked++
				}
			}
			for _, c := range clients {
				c.until("answered or ended", func() bool {
					for id := uint32(1); id < c.next; id += 2 {
						if c.status[id] == "" && !c.reset[id] && c.gone == nil {
							return false
						}
					}
					return true
				})
			}
			wptest.Eventually(t, fmt.Sprintf("at most %d of %d unread streams are held", tt.most, asked), func() bool {
				held = 0
				for _, c := range clients {
					c.mu.Lock()
					if c.gone == nil { // else it was hung up on, as the machine was busy
						held += int(c.streams) - len(c.reset)
					}
					c.mu.Unlock()
				}
				return held > 0 && held <= tt.most
			}, &held, func() any { return fmt.Sprint(ts.front.Waiting()) })
			if wait, unpacked := ts.front.Waiting(); wait > front.MaxWaiting || unpacked > front.MaxUnpacking {
				t.Errorf("%d answers wait, %d are unpacked", wait, unpacked)
			}
			good.framer.WriteWindowUpdate(0, 1<<24)
			last := good.ask(path, tt.header...)
			good.until("answered while others wait", func() bool { return good.status[last] != "" && good.ended[last] })
		})
	}
}

// A client of HTTP/2 that takes nothing of an answer is cut long before the whole must be sent, whatever it asked for.
func TestUnreadStreamIsCut(t *testing.T) {
	ts, public, admin := startH2(t, func(ts *testServer) { ts.front.StallPatience = 300 * time.Millisecond })
	for _, tt := range []struct{ name, server, path string }{
		{"a sitemap", public, "/post-sitemap2.xml"}, {"a sentence", public, "/post-sitemap3.xml"}, {"the admin listener", admin, "/admin.css"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := dialH2(t, tt.server, 0)
			go c.read()
			id := c.ask(tt.path)
			c.until("answered", func() bool { return c.status[id] != "" })
			c.until("cut", func() bool { return c.reset[id] })
		})
	}
	wptest.Eventually(t, "no answer waits for nobody", func() bool {
		wait, unpacked := ts.front.Waiting()
		return wait+unpacked == 0
	})
}
