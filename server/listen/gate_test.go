package listen

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// served is a server behind the gate, whose answers tell what it understood.
func served(t testing.TB, set Set, h http.Handler) *Listener {
	t.Helper()
	if h == nil {
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				w.WriteHeader(499)
			}
			fmt.Fprintf(w, "%s %s %q", r.Method, r.URL.Path, body)
		})
	}
	if set.Addresses == nil {
		set.Addresses = []Address{"127.0.0.1:0"}
	}
	listeners, err := Open(set)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h, Protocols: new(http.Protocols), ConnState: func(c net.Conn, s http.ConnState) {
		if s == http.StateHijacked {
			Hijacked(c)
		}
	}}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetHTTP2(true)
	srv.Protocols.SetUnencryptedHTTP2(set.H2C)
	go srv.Serve(listeners[0][0])
	t.Cleanup(func() { srv.Close() })
	return listeners[0][0]
}

// talk sends text in pieces of some size and returns the statuses and bodies of the answers,
// until the server closes or is silent.
func talk(t testing.TB, conn net.Conn, text string, piece int) string {
	t.Helper()
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(wptest.Patience))
	go func() {
		for s := text; s != ""; {
			n := min(piece, len(s))
			if _, err := io.WriteString(conn, s[:n]); err != nil {
				return
			}
			s = s[n:]
			if s != "" && piece < len(text) {
				time.Sleep(200 * time.Microsecond)
			}
		}
		if c, ok := conn.(interface{ CloseWrite() error }); ok {
			c.CloseWrite()
		}
	}()
	var answers []string
	rd := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(rd, nil)
		if err != nil {
			return strings.Join(answers, " | ")
		}
		body, _ := io.ReadAll(resp.Body)
		answers = append(answers, strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", string(body))))
	}
}

func TestFraming(t *testing.T) {
	const refused = "400 400 Bad Request"
	tests := []struct{ rule, text, want string }{
		{"a request", "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", `200 GET /a ""`},
		{"with a body", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody", `200 POST /a "body"`},
		{
			"in chunks, with extensions and trailers",
			"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\nTrailer: X\r\n\r\n2;x=y\r\nbo\r\n2\r\ndy\r\n0\r\nX: 1\r\n\r\n",
			`200 POST /a "body"`,
		},
		{"one after the other", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbodyPOST /b HTTP/1.1\r\nHost: " +
			"h\r\ntransfer-encoding:chunked\r\n\r\n1\r\nx\r\n0\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n",
			`200 POST /a "body" | 200 POST /b "x" | 200 GET /c ""`},
		{"what looks like framing in a body is none", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 62\r\n\r\nGET / " +
			"HTTP/1.0\nContent-Length: 1\nTransfer-Encoding: chunked\n\n\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
			`200 POST /a "GET / HTTP/1.0\nContent-Length: 1\nTransfer-Encoding: chunked\n\n\n" | 200 GET /b ""`},
		{"HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", `200 GET /a ""`},

		{"length and chunks", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused},
		{"chunks and length", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX: y\r\ncontent-length: 5\r\n\r\n0\r\n\r\n", refused},
		{
			"after a good one",
			"GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			`200 GET /a "" | ` + refused,
		},
		{"two lengths", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody", refused},
		{"one length twice", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody", refused},
		{"a list of lengths", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4, 4\r\n\r\nbody", refused},
		{"a length with a sign", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: +4\r\n\r\nbody", refused},
		{"a negative length", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: -4\r\n\r\nbody", refused},
		{"a hexadecimal length", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0x4\r\n\r\nbody", refused},
		{"an empty length", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: \r\n\r\nbody", refused},
		{"a length beyond all numbers", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\nbody", refused},
		{"another coding", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\nbody", "501 Unsupported transfer encoding"},
		{
			"another coding beside chunks", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
			"501 Unsupported transfer encoding",
		},
		{"chunks of chunks", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "501 Unsupported transfer encoding"},
		{"identity", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\nContent-Length: 4\r\n\r\nbody", refused},
		{"two codings", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", refused},
		{"a coding hidden by a control character", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", refused},
		{"a coding in HTTP/1.0", "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused},
		{"a space before the colon", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", refused},
		{"a tab before the colon", "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length\t: 4\r\n\r\nbody", refused},
		{"a field that begins with a control character", "POST /a HTTP/1.1\r\nHost: h\r\n\x0bTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused},
		{"a line that goes on", "POST /a HTTP/1.1\r\nHost: h\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused},
		{"a coding in the next line", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", refused},
		{"a first line that goes on", "GET /a HTTP/1.1\r\n X: y\r\nHost: h\r\n\r\n", refused},
		{"a request line without CR", "GET /a HTTP/1.1\nHost: h\r\n\r\n", refused},
		{"a field without CR", "GET /a HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", refused},
		{"an end without CR", "GET /a HTTP/1.1\r\nHost: h\r\n\n", refused},
		{"CR alone", "GET /a HTTP/1.1\r\nHost: h\r\nX: a\rTransfer-Encoding: chunked\r\n\r\n", refused},
		{"a zero byte", "GET /a HTTP/1.1\r\nHost: h\r\nX: a\x00b\r\n\r\n", refused},
		{"a field without a name", "GET /a HTTP/1.1\r\nHost: h\r\n: y\r\n\r\n", refused},
		{"a field without a colon", "GET /a HTTP/1.1\r\nHost: h\r\nX\r\n\r\n", refused},
		{"two hosts", "GET /a HTTP/1.1\r\nHost: h\r\nHost: g\r\n\r\n", refused},
		{"no host", "GET /a HTTP/1.1\r\n\r\n", "400 400 Bad Request: missing required Host header"},
		{"an empty line first", "\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n", refused},
		{"a version nobody speaks", "GET /a HTTP/3.0\r\nHost: h\r\n\r\n", "505 505 HTTP Version Not Supported: unsupported protocol version"},
		{"a chunk size without CR", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\r\n0\r\n\r\n", `499 POST /a ""`},
		{"a chunk size that is none", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\nx\r\n0\r\n\r\n", `499 POST /a ""`},
		{"a chunk longer than it says", "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n", `499 POST /a "x"`},
	}
	at := served(t, Set{}, nil).Addr().String()
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			for _, piece := range []int{len(test.text), 1, 7} {
				conn, err := net.Dial("tcp", at)
				if err != nil {
					t.Fatal(err)
				}
				if got := talk(t, conn, test.text, piece); got != test.want {
					t.Errorf("in pieces of %d: %s, want %s", piece, got, test.want)
				}
			}
		})
	}
}

// What begins like HTTP/2 and is not must not leave the rest of the connection unwatched, whether or not
// HTTP/2 is spoken.
func TestPrefaceDoesNotOpenTheGate(t *testing.T) {
	const refused = "400 400 Bad Request"
	const smuggled = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	// net/http takes the first lines for a request, and closes behind it; the daemon answers that with 400
	const closed = `200 PRI * ""`
	for _, test := range []struct{ rule, text, want, spoken string }{
		{"fields behind it", "PRI * HTTP/2.0\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refused, refused},
		{"a host behind it", "PRI * HTTP/2.0\r\nHost: h\r\n\r\n", refused, refused},
		{"a request behind it", "PRI * HTTP/2.0\r\n\r\n" + smuggled, refused, closed},
		{"half the preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n" + smuggled, refused, closed},
		{"another address", "PRI / HTTP/2.0\r\nHost: h\r\n\r\n", refused, refused},
		{"another version", "PRI * HTTP/1.1\r\nHost: h\r\n\r\n" + smuggled, refused, refused},
		{"behind a request", "GET /a HTTP/1.1\r\nHost: h\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", `200 GET /a "" | ` +
			refused, `200 GET /a "" | ` + refused},
	} {
		for _, h2c := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, h2c %v", test.rule, h2c), func(t *testing.T) {
				want := test.want
				if h2c {
					want = test.spoken
				}
				conn, err := net.Dial("tcp", served(t, Set{H2C: h2c}, nil).Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				if got := talk(t, conn, test.text, len(test.text)); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			})
		}
	}
	t.Run("the whole preface where HTTP/2 is off", func(t *testing.T) {
		conn, err := net.Dial("tcp", served(t, Set{}, nil).Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if got := talk(t, conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 100); got != refused {
			t.Errorf("%s, want %s", got, refused)
		}
	})
}

// Whatever the pieces are that a request arrives in, the gate says the same of it.
func FuzzGate(f *testing.F) {
	f.Add([]byte("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbodyGET / HTTP/1.1\r\n\r\n"), 3)
	f.Add([]byte("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1\n"), 1)
	f.Add([]byte("PRI * HTTP/2.0\r\n\r\n\n\n"), 5)
	f.Fuzz(func(t *testing.T, text []byte, piece int) {
		if piece < 1 {
			return
		}
		read := func(piece int) (string, error) {
			g := newGate(reading{bytes.NewReader(text), piece})
			all, err := io.ReadAll(g)
			return string(all), err
		}
		whole, wholeErr := read(len(text) + 1)
		parts, partsErr := read(piece)
		if whole != parts || wholeErr != partsErr {
			t.Errorf("%q, %v\n%q, %v", whole, wholeErr, parts, partsErr)
		}
		if !strings.HasPrefix(string(text), whole) {
			t.Errorf("%q becomes %q", text, whole)
		}
	})
}

// reading is a connection that gives a few bytes at a time.
type reading struct {
	*bytes.Reader
	piece int
}

func (r reading) Read(p []byte) (int, error)      { return r.Reader.Read(p[:min(len(p), r.piece)]) }
func (reading) Write(p []byte) (int, error)       { return len(p), nil }
func (reading) Close() error                      { return nil }
func (reading) LocalAddr() net.Addr               { return nil }
func (reading) RemoteAddr() net.Addr              { return nil }
func (reading) SetDeadline(time.Time) error       { return nil }
func (reading) SetReadDeadline(t time.Time) error { return nil }
func (reading) SetWriteDeadline(time.Time) error  { return nil }

func TestWhatIsHijackedIsNotHTTP(t *testing.T) {
	l := served(t, Set{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		line, err := rw.ReadString('!')
		fmt.Fprintf(conn, "%q %v", line, err)
	}))
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(wptest.Patience))
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
	rd := bufio.NewReader(conn)
	if resp, err := http.ReadResponse(rd, nil); err != nil || resp.StatusCode != 101 {
		t.Fatalf("%v, %v", resp, err)
	}
	io.WriteString(conn, "\n\n Content-Length : x\n!")
	if got, err := io.ReadAll(rd); err != nil || string(got) != `"\n\n Content-Length : x\n!" <nil>` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestHTTP2WithoutTLS(t *testing.T) {
	l := served(t, Set{H2C: true}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto, " ", r.Host) }))
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	for range 2 {
		r, err := http.NewRequestWithContext(context.Background(), "GET", "http://"+l.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "a.test"
		resp, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != "HTTP/2.0 a.test" {
			t.Errorf("%s", body)
		}
	}
}

func BenchmarkGate(b *testing.B) {
	text := "GET /post-sitemap.xml HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: Mozilla/5.0 (compatible; Googlebot/2.1)\r\nAccept: " +
		"*/*\r\nAccept-Encoding: gzip, deflate, br\r\nIf-None-Match: \"abcdef\"\r\nConnection: keep-alive\r\n\r\n"
	g := newGate(nil)
	for b.Loop() {
		if _, ok := g.follow([]byte(text)); !ok {
			b.Fatal("refused")
		}
	}
}
