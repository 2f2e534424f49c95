package redis

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/internal/redistest"
	"wpsitemapd/server/internal/storetest"
	"wpsitemapd/server/store"
)

// openRedis is a process of its own, which cares for site a.
func openRedis(t *testing.T, address string, change ...func(*Store)) *Store {
	t.Helper()
	a, err := ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	r := &Store{Address: a, Limit: 1 << 20, Beat: 50 * time.Millisecond}
	for _, f := range change {
		f(r)
	}
	_ = r.Open()
	r.Retain([]string{"a"})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return r
}

func TestRedisIsShared(t *testing.T) {
	host, process := redistest.Start(t)
	one, two := openRedis(t, "redis://:sesame@"+host), openRedis(t, "redis://:sesame@"+host)
	c := storetest.Copy(t, "a", "1 https://a.test", "post", 1)
	one.Save(c)
	storetest.Until(t, "shared", func() bool { return two.Copy(c.Key) != nil })
	if got := two.Copy(c.Key); got.Hash != c.Hash || string(got.Body) != string(c.Body) {
		t.Errorf("%+v", got)
	}
	keys := two.keys(store.BlogDir("a", c.Blog))
	path := store.BlogDir("a", c.Blog) + "/" + store.CopyName("post", 1)
	if err := two.client.HSet(t.Context(), keys[0], path, "rubbish").Err(); err != nil {
		t.Fatal(err)
	}
	if two.Copy(c.Key) != nil || two.Stats().Damaged != 1 {
		t.Errorf("damaged: %+v", two.Stats())
	}
	process.Signal(syscall.SIGSTOP)
	defer process.Signal(syscall.SIGCONT)
	var done atomic.Bool
	go func() {
		for range 1000 { // which would take minutes if each waited
			one.Copy(c.Key)
		}
		done.Store(true)
	}()
	storetest.Until(t, "1000 reads of a server that hangs are done", done.Load)
}

func TestRedisErrorsHoldNoPassword(t *testing.T) {
	host, _ := redistest.Start(t)
	r := openRedis(t, "redis://:topsecret@"+host)
	if text := r.Stats().Error; text == "" || strings.Contains(text, "topsecret") || strings.Contains(fmt.Sprint(r.Address), "topsecret") {
		t.Errorf("%q", text)
	}
	for _, text := range []string{
		"redis://u:topsecret@a:x", "http://u:topsecret@a", "redis://u:topsecret%zz@a", "redis://u:topsecret@a/x",
		"redis+sentinel://u:topsecret@a", "redis://a?x=topsecret",
	} {
		if _, err := ParseAddress(text); err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
