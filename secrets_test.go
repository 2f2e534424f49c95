package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// What a password could leak through: the command line, core dumps, the log, and every page.
func TestPasswordStaysIn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	const password = "hunter2-secret"
	address := freeAddress(t)
	admin := freeAddress(t)
	config := write(t, t.TempDir(), fmt.Sprintf("listen = %q\nadmin = %q\nlog_level = \"debug\"\n\n[[site]]\nname = \"a\"\nhosts = [\"a.test\"]\ndsn = [\"u:%s@tcp(127.0.0.1:1)/db\", \"u:%s@tcp(127.0.0.1:2)/db\"]\n", address, admin, password, password))
	c := spawn(t, config, nil)
	proc := func(name string) string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.Process.Pid, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var pages string
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get("http://" + address + "/sitemap_index.xml")
		if err == nil {
			resp.Body.Close()
			if strings.Contains(c.log.String(), "site cannot be read") {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v\n%s", err, &c.log)
		}
	}
	for _, path := range []string{"/", "/healthz", "/readyz", "/metrics", "/sites/a"} {
		resp, err := http.Get("http://" + admin + path)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		pages += string(page)
	}
	for where, text := range map[string]string{"command line": proc("cmdline"), "environment": proc("environ"), "log": c.log.String(), "admin pages": pages} {
		if text == "" || strings.Contains(text, password) {
			t.Errorf("the password is in the %s, or that is empty:\n%s", where, text)
		}
	}
	limits := proc("limits")
	if i := strings.Index(limits, "Max core file size"); i < 0 || !strings.HasPrefix(strings.TrimSpace(limits[i+len("Max core file size"):]), "0 ") {
		t.Errorf("core dumps are possible:\n%s", limits)
	}
}

// freeAddress is one that nobody listened on a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
