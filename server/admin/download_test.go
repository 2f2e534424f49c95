package admin

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// serveDownload serves a download of some rows that ends with an error, if why is not nil. Any other answer of the server is late.
func serveDownload(t *testing.T, rows int, why error) (address string) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := newDownload(w, "x.csv", []string{"n"})
		for range rows {
			wptest.Must(t, d.row(strings.Repeat("1", 1000)))
		}
		d.end(why)
	}))
	s.Config.WriteTimeout = time.Nanosecond
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// A download may take longer than other answers. A download that was cut never looks whole.
func TestDownload(t *testing.T) {
	t.Parallel()
	broken := errors.New("the database is gone")
	for _, c := range []struct {
		name   string
		rows   int
		why    error
		status int
		cut    bool
		end    string
	}{
		{"whole", 10, nil, 200, false, "1\n"},
		{"without rows", 0, nil, 200, false, "n\n"},
		{"no row could be read", 0, broken, 503, false, "the database is gone\n"},
		{"some rows could be read", 10, broken, 200, true, "1\nINCOMPLETE: the database is gone\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := serveDownload(t, c.rows, c.why)
			r, err := http.Get("http://" + address)
			wptest.Must(t, err)
			defer r.Body.Close()
			text, err := io.ReadAll(r.Body)
			expect.Equal(t, r.StatusCode, c.status)
			expect.Equal(t, errors.Is(err, io.ErrUnexpectedEOF), c.cut, err)
			expect.Equal(t, r.Header.Get("Content-Disposition") != "", c.status == 200)
			expect.Equal(t, strings.HasSuffix(string(text), c.end), true, string(text))
			expect.Equal(t, strings.HasSuffix(overHTTP10(t, address), c.end), true, "over HTTP/1.0, where the end of the connection is the end of the answer")
		})
	}
}

func overHTTP10(t *testing.T, address string) string {
	conn, err := net.Dial("tcp", address)
	wptest.Must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n")
	wptest.Must(t, err)
	text, err := io.ReadAll(conn)
	wptest.Must(t, err)
	return string(text)
}
