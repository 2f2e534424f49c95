// Package endtoend tries the daemon as people put it to use: behind and before real web
// servers, in front of a real WordPress, configured by the files in
// docs/deploy. There is nothing but tests in it.
//
// Programs are found by name. Where one is missing its tests are skipped, unless the
// environment variable WPSITEMAPD_SERVERS, or WPSITEMAPD_WORDPRESS for those that need
// WordPress, is "required", as in .ci/run.
package endtoend

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/server/command"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	wptest.Must(t, err)
}

// root is the module's folder.
const root = "../.."

// deployed returns a file of docs/deploy with the addresses and paths of the test in place
// of those it is published with, given in pairs. Each must be there.
func deployed(t testing.TB, name string, oldNew ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "deploy", name))
	wptest.Must(t, err)
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(string(text), oldNew[i]) {
			t.Fatalf("%s has no %q", name, oldNew[i])
		}
	}
	return strings.NewReplacer(oldNew...).Replace(string(text))
}

// run starts a server that stays in the foreground, and waits until something answers at each
// of the addresses. It ends with the test, with all its children.
func run(t testing.TB, path string, args []string, network string, addresses ...string) {
	t.Helper()
	var out wptest.Buffer
	p := wptest.Launch(t, &out, exec.Command(path, args...))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s printed\n%s", filepath.Base(path), out.End())
		}
	})
	for _, address := range addresses {
		wptest.Eventually(t, fmt.Sprintf("%s answers at %s", filepath.Base(path), address), func() bool {
			if !p.Running() {
				t.Fatalf("%s has ended\n%s", filepath.Base(path), &out)
			}
			conn, err := net.Dial(network, address)
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
	}
}

var listening = regexp.MustCompile(`listening.* address=(\S+) for="sitemaps and proxy"`)

// daemon starts the daemon with a configuration that listens on port 0, and returns its address.
func daemon(t testing.TB, config string) (address string) {
	t.Helper()
	address, stop := startDaemon(t, config)
	t.Cleanup(stop)
	return address
}

// startDaemon is daemon, for one that ends before the test.
func startDaemon(t testing.TB, config string) (address string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var log wptest.Buffer
	code := make(chan int, 1)
	go func() {
		code <- command.Run(ctx, []string{"serve", "--config", config}, func(string) string { return "" }, &log, &log)
	}()
	stop = func() {
		cancel()
		expect.Equal(t, <-code, 0, "the daemon ends with code")
		if t.Failed() {
			t.Logf("the daemon logged\n%s", log.End())
		}
	}
	wptest.Eventually(t, "the daemon listens", func() bool {
		select {
		case c := <-code:
			code <- c
			t.Fatalf("the daemon has ended\n%s", &log)
		default:
		}
		m := listening.FindStringSubmatch(log.String())
		if m != nil {
			address = m[1]
		}
		return m != nil
	})
	return address, stop
}
