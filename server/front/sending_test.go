package front

import (
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/config"
)

// What does not end though it was cut, as its client does not even take that, ends with its connection.
func TestWhoCannotBeCutIsHungUpOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := waiters{ofAll: 3}
		var mu sync.Mutex // the detector of races does not know the bubble's time
		var cut, hungUp []string
		join := func(client, name string) *waiter {
			return all.join(netip.MustParseAddr(client), func() { cut = append(cut, name) }, func() {
				mu.Lock()
				defer mu.Unlock()
				hungUp = append(hungUp, name)
			})
		}
		ending := join("192.0.2.1", "a")
		join("192.0.2.2", "b")
		join("192.0.2.2", "c")
		join("192.0.2.1", "d") // each has two now
		join("192.0.2.1", "e")
		said := func() string {
			mu.Lock()
			defer mu.Unlock()
			return fmt.Sprint(cut, hungUp, all.count())
		}
		if got := said(); got != "[a d] [] 3" {
			t.Errorf("%s", got)
		}
		ending.leave()
		time.Sleep(cutTimeout)
		synctest.Wait()
		if got := said(); got != "[a d] [d] 3" {
			t.Errorf("%s", got)
		}
	})
}

// Who is counted is the client a trusted front server names, else the peer; of IPv6 its network.
func TestClientOf(t *testing.T) {
	h := New(Options{})
	h.Configure(&config.Config{Listening: config.DefaultListening()})
	for _, tt := range []struct{ rule, peer, forwarded, want string }{
		{"the peer", "192.0.2.7:1", "", "192.0.2.7"},
		{"what a stranger says does not count", "192.0.2.7:1", "198.51.100.1", "192.0.2.7"},
		{"whom a front server names", "127.0.0.1:1", "198.51.100.1", "198.51.100.1"},
		{"the front server, where it names nobody", "127.0.0.1:1", "", "127.0.0.1"},
		{"a network of IPv6", "[2001:db8:1:2:3:4:5:6]:1", "", "2001:db8:1:2::"},
		{"another address of it", "127.0.0.1:1", "2001:db8:1:2::9", "2001:db8:1:2::"},
		{"a mapped address", "[::ffff:192.0.2.7]:1", "", "192.0.2.7"},
		{"a Unix socket", "@", "", "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{}}
		if tt.forwarded != "" {
			r.Header.Set("X-Forwarded-For", tt.forwarded)
		}
		if got := h.clientOf(r).String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.rule, got, tt.want)
		}
	}
}
