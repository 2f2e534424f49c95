// Package redistest starts a Redis for tests.
package redistest

import (
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Start starts a server with the password sesame on a port of its own, and returns its address. Without
// the program the test is skipped, or fails where WPSITEMAPD_REDIS=required.
func Start(t *testing.T) (address string, process *os.Process) {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("WPSITEMAPD_REDIS") == "required" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "", "--requirepass", "sesame")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 500 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "127.0.0.1:" + port, cmd.Process
}
