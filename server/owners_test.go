package server

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wpsitemapd/server/site"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/redistest"
)

// found is a site of [[discover]] that was read, or could not be where it has no home.
func found(name, home string, edited time.Duration) *worker {
	now := &site.Snapshot{Since: newest}
	if home != "" {
		now = opened(testBlog(home))
		now.Since = newest
	}
	w := testWorker(config.Site{Name: name, WPConfig: "/www/" + name + "/wp-config.php", Within: "/www", Confirm: time.Hour}, now)
	w.signs.Store(&signs{edited: newest.Add(-edited)})
	w.Began = time.Now()
	return w
}

// readAt has a site found at a home.
func (w *worker) readAt(home string) {
	now := opened(testBlog(home))
	now.Since = newest
	w.Publish(now)
}

// turn settles everything and returns the site at a.test, "?" where that is not decided.
func turn(o *ownership, at time.Time, workers ...*worker) string {
	o.begin(workers, at)
	switch at, _ := newRoutes(workers, o).Find("a.test", "/"); {
	case at.Contest != nil:
		return "?"
	case at.Site != nil:
		return at.Site.Config.Name
	}
	return ""
}

func TestOwnership(t *testing.T) {
	const home, day = "https://a.test", 24 * time.Hour
	begin := time.Now()
	tests := []struct {
		rule string
		run  func(o *ownership, want func(site string, after time.Duration, workers ...*worker))
	}{
		{"the first keeps it, whatever the order and the files", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", home, 0), found("a-copy", home, day)
			want("live", 0, live)
			want("live", 0, copied, live)
			want("live", day, copied, live)
		}},
		{"one that stood elsewhere before is a newcomer", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", home, 0), found("a-copy", "https://b.test", day)
			want("live", 0, copied, live)
			copied.readAt(home)
			want("live", 0, copied, live)
		}},
		{"one that could not be read before is none", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", "", day), found("a-copy", home, 0)
			want("a-copy", 0, copied, live)
			live.readAt(home)
			want("live", 0, copied, live)
		}},
		{"and with equal files nobody has it until one goes", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", "", 0), found("a-copy", home, 0)
			want("a-copy", 0, copied, live)
			live.readAt(home)
			want("?", 0, copied, live)
			want("?", day, copied, live)
			want("live", day, live)
		}},
		{"a site that moves away keeps it for a while", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", home, 0), found("a-copy", home, 0)
			want("live", 0, live)
			live.readAt("https://staging.test")
			want("?", 0, copied, live)
			live.readAt(home)
			want("live", time.Minute, copied, live)
			live.readAt("https://new.test")
			want("?", time.Minute, copied, live)
			want("a-copy", 2*time.Hour, copied, live)
			live.readAt(home)
			want("a-copy", 2*time.Hour, copied, live)
		}},
		{"a site whose files are missing, too", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", home, 0), found("a-copy", home, 0)
			want("live", 0, live)
			want("", 0) // before the copy comes
			want("?", 0, copied)
			want("live", time.Minute, copied, live)
			want("?", time.Minute, copied)
			want("a-copy", 2*time.Hour, copied)
		}},
		{"a site that is taken out of the configuration does not", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", home, 0), found("a-copy", home, 0)
			live.Config.Within = ""
			want("live", 0, copied, live)
			want("a-copy", 0, copied)
		}},
		{"a new name makes it no other site", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", home, 0), found("a-copy", home, day)
			want("live", 0, live)
			live.Config.Name = "renamed"
			want("renamed", 0, copied, live)
		}},
		{"the operator's word is above everything", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", home, day), found("a-copy", home, 0)
			want("live", 0, copied, live)
			copied.Config.Hosts = []config.Host{"a.test"}
			want("a-copy", 0, copied, live)
			copied.Config.Hosts = nil
			want("a-copy", 0, copied, live)
		}},
		{"WP_HOME of one that cannot be read counts for a while", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			live, copied := found("live", "", day), found("a-copy", home, 0)
			live.signs.Load().home = home
			want("live", 0, copied, live)
			want("a-copy", 2*time.Hour, copied, live)
			live.readAt(home)
			want("live", 2*time.Hour, copied, live)
		}},
		{"its folder's name does not", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			dead, live := found("a.test", "", day), found("live", home, 0)
			dead.signs.Load().folders = []folder{{name: "www"}, {name: "a.test"}}
			want("a.test", 0, dead)
			want("live", 0, dead, live)
		}},
		{"an archived blog is in nobody's way", func(o *ownership, want func(string, time.Duration, ...*worker)) {
			network, live := found("network", "https://net.test", day), found("live", home, 0)
			network.Snapshot().Gone = []site.Gone{{Host: "a.test"}}
			want("live", 0, network, live)
		}},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			o := newOwnership(slog.New(slog.DiscardHandler))
			test.run(o, func(site string, after time.Duration, workers ...*worker) {
				t.Helper()
				for range 2 {
					if got := turn(o, begin.Add(after), workers...); got != site {
						t.Errorf("after %v: %s, want %s", after, got, site)
					}
					again := newOwnership(o.log) // a restart
					for _, n := range o.notes() {
						again.recall(n)
					}
					if site != "?" && site != "" && len(o.of) > 0 {
						if got := turn(again, begin.Add(after), workers...); got != site {
							t.Errorf("after a restart: %s, want %s", got, site)
						}
					}
				}
			})
		})
	}
}

func TestSigns(t *testing.T) {
	at := func(age time.Duration) time.Time { return newest.Add(-age) }
	install := func(edited time.Duration, folders ...folder) *signs {
		return &signs{edited: at(edited), folders: append([]folder{{"/", at(1000 * time.Hour)}, {"www", at(500 * time.Hour)}}, folders...)}
	}
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	tests := []struct {
		rule string
		all  []*signs
		want int
	}{
		{"equal", []*signs{install(0, folder{"a", at(0)}), install(0, folder{"b", at(0)})}, -1},
		{"the older folder", []*signs{install(0, folder{"a", at(0)}), install(0, folder{"b", at(year)})}, 1},
		{"a folder that is older by hours may be of the same move", []*signs{install(0, folder{"a", at(0)}), install(0, folder{"b", at(day / 2)})}, -1},
		{"the older file", []*signs{install(year, folder{"a", at(0)}), install(0, folder{"b", at(0)})}, 0},
		{"a file that is older by seconds may be of the same deployment", []*signs{install(5*time.Second, folder{"a", at(0)}), install(0, folder{"b", at(0)})}, -1},
		{"they contradict each other", []*signs{install(year, folder{"a", at(0)}), install(0, folder{"b", at(year)})}, -1},
		{"the folders in which the paths part, not those of a release", []*signs{
			install(0, folder{"a", at(year)}, folder{"release", at(0)}), install(0, folder{"b", at(0)}, folder{"release", at(year)})}, 0},
		{"an install within another's folder", []*signs{install(0, folder{"a", at(year)}), install(0, folder{"a", at(year)}, folder{"staging", at(0)})}, 0},
		{"the host's name", []*signs{install(0, folder{"b", at(0)}), install(0, folder{"www.a.test", at(0)}), install(0, folder{"c", at(0)})}, 1},
		{"two with the host's name", []*signs{install(0, folder{"a.test", at(0)}), install(0, folder{"a.test", at(0)}, folder{"staging", at(0)})}, -1},
		{"nothing is known of one", []*signs{install(year, folder{"b", at(year)}), {}}, -1},
		{"or not yet", []*signs{install(year, folder{"b", at(year)}), nil}, -1},
	}
	for _, test := range tests {
		if got := oldest("a.test", test.all); got != test.want {
			t.Errorf("%s: %d, want %d", test.rule, got, test.want)
		}
	}
}

func TestFoldersThatLookLikeHosts(t *testing.T) {
	for name, want := range map[string]bool{
		"example.com": true, "www.Example.co.uk": true, "bücher.example": true, "client-3.example.net": true,
		"htdocs": false, "example.com.old": false, "10.0.0.1": false, "v1.2": false, ".git": false, "conf.d": false, "": false, "a b.com": false, "example.com.bak": false,
	} {
		if got := looksLikeHost(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// twoWithOneHost are an original and its copy, of which the former may be out of reach.
func twoWithOneHost(reachable bool) map[string]*fakeNetwork {
	nets := map[string]*fakeNetwork{}
	for _, name := range []string{"live", "a-copy"} {
		nets[name] = &fakeNetwork{blogs: []site.Settings{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))}}
	}
	if !reachable {
		nets["live"].err = errors.New("connection refused")
	}
	return nets
}

// ownerOfHost waits until every site was tried and returns the site at a.test, "?" where nothing tells.
func (ts *testServer) ownerOfHost() string {
	for _, w := range ts.running() {
		<-w.FirstAttempt()
	}
	at, _ := ts.routes.Load().Find("a.test", "/")
	if at.Contest != nil {
		return "?"
	}
	return at.Site.Config.Name
}

// What an earlier version has kept of a site tells as much as a note, unless it has kept it of two.
func TestRecordsAreMemory(t *testing.T) {
	both := []config.Site{{Name: "a-copy", Within: "/www"}, {Name: "live", Within: "/www"}}
	for want, first := range map[string][]config.Site{"live": both[1:], "?": both} {
		dir := t.TempDir()
		s := startWithState(t, dir, twoWithOneHost(true), first...)
		if got := s.ownerOfHost(); got != want {
			t.Errorf("at first the host belongs to %s, want %s", got, want)
		}
		s.stop()
		notes, err := filepath.Glob(filepath.Join(dir, "sites", "*", "hosts.note"))
		if err != nil || len(notes) != len(both)-len(first) {
			t.Fatal(notes, err)
		}
		for _, note := range notes {
			if err := os.Remove(note); err != nil {
				t.Fatal(err)
			}
		}
		s = startWithState(t, dir, twoWithOneHost(true), both...)
		if got := s.ownerOfHost(); got != want {
			t.Errorf("the host belongs to %s, want %s", got, want)
		}
		s.stop()
	}
}

// In a Redis the memory outlives the process, too.
func TestOwnerInRedis(t *testing.T) {
	address, _ := redistest.Start(t)
	run := func(nets map[string]*fakeNetwork, sites ...config.Site) (owner string) {
		ts := newTestServer(t, nets, sites...)
		ts.config.StateAddress, ts.config.StateSize, ts.pace = config.Secret("redis://:"+redistest.Password+"@"+address), 1<<30, inHurry
		_, _, stop := start(t, ts)
		owner = ts.ownerOfHost()
		for deadline := time.Now().Add(10 * time.Second); !ts.store.Writes(sites[0].Name); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("there is no lease")
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		return owner
	}
	live, copied := config.Site{Name: "live", Within: "/www"}, config.Site{Name: "a-copy", Within: "/www"}
	for i, got := range []string{
		run(twoWithOneHost(true), live), run(twoWithOneHost(true), copied, live), run(map[string]*fakeNetwork{"a-copy": twoWithOneHost(true)["a-copy"]}, copied, live),
	} {
		if got != "live" {
			t.Errorf("run %d: the host belongs to %s", i, got)
		}
	}
}
