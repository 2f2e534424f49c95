package wptest

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Cut sends a request again and again without reading the answers, until the server ends the connection. On a busy machine the
// end may arrive after unread answers. If Cut can write nothing for long, it reads these answers up to the end.
func Cut(t testing.TB, address, request string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	Must(t, err)
	defer conn.Close()
	Must(t, conn.(*net.TCPConn).SetReadBuffer(64<<10))
	end, many := time.Now().Add(Patience), strings.Repeat(request, 1000)
	for err == nil {
		Must(t, conn.SetWriteDeadline(time.Now().Add(Patience/4)))
		_, err = io.WriteString(conn, many)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		Must(t, conn.SetReadDeadline(end))
		if _, err = io.Copy(io.Discard, conn); err == nil {
			return
		}
	}
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("%v, want the end of the connection", err)
	}
}
