package redis

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/internal/redistest"
	"wpsitemapd/server/internal/storetest"
	"wpsitemapd/server/store"
)

const childSource = "written by the child"

func TestMain(m *testing.M) {
	if storetest.Task() == "hold" {
		hold(storetest.Where())
	}
	os.Exit(m.Run())
}

// hold takes the lease of site a, and writes its record again and again until the process is killed.
func hold(address string) {
	a, err := ParseAddress(address)
	if err != nil {
		panic(err)
	}
	r := &Store{Address: a, Limit: 1 << 20, Lease: 2 * time.Second, Beat: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}
	_ = r.Open()
	r.Retain([]string{"a"})
	go r.Run(context.Background())
	for told := false; ; time.Sleep(time.Millisecond) {
		if r.Writes("a") && !told {
			told = true
			fmt.Println("holds it")
		}
		r.SaveSite(&store.Site{Name: "a", Source: childSource})
	}
}

// holder starts a process that holds the lease of site a.
func holder(t *testing.T, address string) *os.Process {
	t.Helper()
	cmd := storetest.Child(t, "hold", address)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd.Process
}

func source(r *Store) string {
	site, _ := r.Site("a")
	if site == nil {
		return ""
	}
	return site.Source
}

// A process that is killed, or hangs, holds a lease no longer than that lasts; and one that goes on
// writes nothing of what is another's by then.
func TestLeaseOfAProcessThatIsGone(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, _ := redistest.Start(t)
			address := "redis://:" + redistest.Password + "@" + host
			process := holder(t, address)
			r := openRedis(t, address)
			storetest.Until(t, "the child's record", func() bool { return source(r) == childSource })
			r.SaveSite(&store.Site{Name: "a", Source: "mine"}) // for the time it is the one who writes
			storetest.Until(t, "the child is known to hold the lease", func() bool { return r.Elsewhere("a") })
			if err := process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			from := time.Now()
			storetest.Until(t, "the lease is taken", func() bool { return r.Writes("a") })
			t.Logf("after %v", time.Since(from).Round(time.Millisecond))
			storetest.Until(t, "the record", func() bool { return source(r) == "mine" })
			_ = process.Signal(syscall.SIGCONT)
			for from := time.Now(); time.Since(from) < 500*time.Millisecond; time.Sleep(10 * time.Millisecond) {
				if got := source(r); got != "mine" && got != "" {
					t.Fatalf("the record is %q", got)
				}
			}
			if !r.Writes("a") {
				t.Error("the lease is lost again")
			}
		})
	}
}

// openTwo opens a Redis twice, and returns first who has got the lease of site a.
func openTwo(t *testing.T, address string) (holder, other *Store) {
	t.Helper()
	one, two := openRedis(t, address), openRedis(t, address)
	storetest.Until(t, "one lease", func() bool { return one.Writes("a") != two.Writes("a") })
	if two.Writes("a") {
		return two, one
	}
	return one, two
}

// Redis refuses who believes to hold a lease that has become another's.
func TestLeaseIsFenced(t *testing.T) {
	t.Parallel()
	host, _ := redistest.Start(t)
	address := "redis://:" + redistest.Password + "@" + host
	one, two := openTwo(t, address)
	one.SaveSite(&store.Site{Name: "a", Source: "one"})
	one.SaveNote(store.Note{Site: "a", Name: "crawlers"}, 1, nil)
	storetest.Until(t, "its record", func() bool { return source(two) == "one" })
	old := storetest.Copy(t, "a", "1 https://a.test", "post", 1)
	one.Save(old)
	storetest.Until(t, "a copy", func() bool { return two.Copy(old.Key) != nil })
	two = openRedis(t, address, func(r *Store) { r.Beat = time.Hour }) // it does not look again
	storetest.Until(t, "the lease is another's", func() bool { return two.Elsewhere("a") })
	ctx := t.Context()
	for _, token := range []string{two.id + " 0", two.id + " 1"} { // as after a pause
		two.mu.Lock()
		two.leases["a"] = lease{token: token, until: time.Now().Add(time.Hour), seen: time.Now()}
		two.mu.Unlock()
		written := two.Stats().Written
		two.SaveSite(&store.Site{Name: "a", Source: "two"})
		two.SaveAudit("a", store.Audit{Sum: "two"})
		storetest.Until(t, "it is dealt with", func() bool { return two.Stats().Queued == 0 })
		if got := source(one); got != "one" || two.Stats().Written != written {
			t.Errorf("with lease %q: the record is %q, %d files were written", token, got, two.Stats().Written-written)
		}
		if n, err := put.Run(ctx, two.client, two.keys("a"), store.SiteDir("a")+"/"+store.SiteName,
			"two", 1000, 1<<20, token, "").Int(); n != -1 || err != nil {
			t.Errorf("with lease %q a record is written: %d, %v", token, n, err)
		}
		if n, err := drop.Run(ctx, two.client, two.keys("a"), token, "",
			store.BlogDir("a", old.Blog)+"/"+store.CopyName("post", 1)).Int(); n != -1 || err != nil {
			t.Errorf("with lease %q copies are removed: %d, %v", token, n, err)
		}
	}
	if a, ok := one.Audit("a"); ok {
		t.Errorf("an audit of nobody: %+v", a)
	}
}

func TestLeaseIsOfWhoCanUseIt(t *testing.T) {
	t.Parallel()
	host, _ := redistest.Start(t)
	address := "redis://:" + redistest.Password + "@" + host
	one, two := openTwo(t, address)
	one.Able("a", false)
	storetest.Until(t, "it goes over", func() bool { return two.Writes("a") && one.Elsewhere("a") })
	two.Able("a", false)
	storetest.Until(t, "it is nobody's", func() bool { return !two.Writes("a") && !one.Elsewhere("a") && !two.Elsewhere("a") })
	one.Able("a", true)
	storetest.Until(t, "it is the first one's again", func() bool { return one.Writes("a") && two.Elsewhere("a") })
}
