package owner

import (
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/site"

	"wpsitemapd/server/config"
)

var newest = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// found is a site of [[discover]] that was read, or could not be where it has no home.
func found(name, home string, edited time.Duration) *site.Site {
	now := &site.Snapshot{Since: newest}
	if home != "" {
		now = opened(testBlog(home))
		now.Since = newest
	}
	w := testSite(config.Site{Name: name, WPConfig: "/www/" + name + "/wp-config.php", Within: "/www", Confirm: time.Hour}, now)
	w.SetFiles(&site.Files{Edited: newest.Add(-edited)})
	w.Began = time.Now()
	return w
}

// readAt has a site found at a home.
func readAt(s *site.Site, home string) {
	now := opened(testBlog(home))
	now.Since = newest
	s.Publish(now)
}

// turn settles everything and returns the site at a.test, "?" where that is not decided.
func turn(o *Owners, at time.Time, sites ...*site.Site) string {
	switch at, _ := o.Table(sites, at).Find("a.test", "/"); {
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
		run  func(o *Owners, want func(name string, after time.Duration, sites ...*site.Site))
	}{
		{"the first keeps it, whatever the order and the files", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", home, 0), found("a-copy", home, day)
			want("live", 0, live)
			want("live", 0, copied, live)
			want("live", day, copied, live)
		}},
		{"one that stood elsewhere before is a newcomer", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", home, 0), found("a-copy", "https://b.test", day)
			want("live", 0, copied, live)
			readAt(copied, home)
			want("live", 0, copied, live)
		}},
		{"one that could not be read before is none", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", "", day), found("a-copy", home, 0)
			want("a-copy", 0, copied, live)
			readAt(live, home)
			want("live", 0, copied, live)
		}},
		{"and with equal files nobody has it until one goes", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", "", 0), found("a-copy", home, 0)
			want("a-copy", 0, copied, live)
			readAt(live, home)
			want("?", 0, copied, live)
			want("?", day, copied, live)
			want("live", day, live)
		}},
		{"a site that moves away keeps it for a while", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", home, 0), found("a-copy", home, 0)
			want("live", 0, live)
			readAt(live, "https://staging.test")
			want("?", 0, copied, live)
			readAt(live, home)
			want("live", time.Minute, copied, live)
			readAt(live, "https://new.test")
			want("?", time.Minute, copied, live)
			want("a-copy", 2*time.Hour, copied, live)
			readAt(live, home)
			want("a-copy", 2*time.Hour, copied, live)
		}},
		{"a site whose files are missing, too", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", home, 0), found("a-copy", home, 0)
			want("live", 0, live)
			want("", 0) // before the copy comes
			want("?", 0, copied)
			want("live", time.Minute, copied, live)
			want("?", time.Minute, copied)
			want("a-copy", 2*time.Hour, copied)
		}},
		{"a site that is taken out of the configuration does not", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", home, 0), found("a-copy", home, 0)
			live.Config.Within = ""
			want("live", 0, copied, live)
			want("a-copy", 0, copied)
		}},
		{"a new name makes it no other site", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", home, 0), found("a-copy", home, day)
			want("live", 0, live)
			live.Config.Name = "renamed"
			want("renamed", 0, copied, live)
		}},
		{"the operator's word is above everything", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", home, day), found("a-copy", home, 0)
			want("live", 0, copied, live)
			copied.Config.Hosts = []config.Host{"a.test"}
			want("a-copy", 0, copied, live)
			copied.Config.Hosts = nil
			want("a-copy", 0, copied, live)
		}},
		{"WP_HOME of one that cannot be read counts for a while", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			live, copied := found("live", "", day), found("a-copy", home, 0)
			live.Files().Home = home
			want("live", 0, copied, live)
			want("a-copy", 2*time.Hour, copied, live)
			readAt(live, home)
			want("live", 2*time.Hour, copied, live)
		}},
		{"its folder's name does not", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			dead, live := found("a.test", "", day), found("live", home, 0)
			dead.Files().Folders = []site.Folder{{Name: "www"}, {Name: "a.test"}}
			want("a.test", 0, dead)
			want("live", 0, dead, live)
		}},
		{"an archived blog is in nobody's way", func(o *Owners, want func(string, time.Duration, ...*site.Site)) {
			network, live := found("network", "https://net.test", day), found("live", home, 0)
			network.Snapshot().Gone = []site.Gone{{Host: "a.test"}}
			want("live", 0, network, live)
		}},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			o := New(slog.New(slog.DiscardHandler))
			test.run(o, func(name string, after time.Duration, sites ...*site.Site) {
				t.Helper()
				for range 2 {
					if got := turn(o, begin.Add(after), sites...); got != name {
						t.Errorf("after %v: %s, want %s", after, got, name)
					}
					again := New(o.log) // a restart
					for _, n := range o.notes() {
						again.recall(n)
					}
					if name != "?" && name != "" && len(o.of) > 0 {
						if got := turn(again, begin.Add(after), sites...); got != name {
							t.Errorf("after a restart: %s, want %s", got, name)
						}
					}
				}
			})
		})
	}
}

func TestSigns(t *testing.T) {
	at := func(age time.Duration) time.Time { return newest.Add(-age) }
	folder := func(name string, born time.Time) site.Folder { return site.Folder{Name: name, Born: born} }
	install := func(edited time.Duration, folders ...site.Folder) *site.Files {
		return &site.Files{
			Edited: at(edited), Folders: append([]site.Folder{folder("/", at(1000*time.Hour)), folder("www", at(500*time.Hour))}, folders...),
		}
	}
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	tests := []struct {
		rule string
		all  []*site.Files
		want int
	}{
		{"equal", []*site.Files{install(0, folder("a", at(0))), install(0, folder("b", at(0)))}, -1},
		{"the older folder", []*site.Files{install(0, folder("a", at(0))), install(0, folder("b", at(year)))}, 1},
		{"a folder that is older by hours may be of the same move", []*site.Files{install(0, folder("a", at(0))), install(0, folder("b", at(day/2)))}, -1},
		{"the older file", []*site.Files{install(year, folder("a", at(0))), install(0, folder("b", at(0)))}, 0},
		{
			"a file that is older by seconds may be of the same deployment",
			[]*site.Files{install(5*time.Second, folder("a", at(0))), install(0, folder("b", at(0)))}, -1,
		},
		{"they contradict each other", []*site.Files{install(year, folder("a", at(0))), install(0, folder("b", at(year)))}, -1},
		{"the folders in which the paths part, not those of a release", []*site.Files{
			install(0, folder("a", at(year)), folder("release", at(0))), install(0, folder("b", at(0)), folder("release", at(year)))}, 0},
		{
			"an install within another's folder",
			[]*site.Files{install(0, folder("a", at(year))), install(0, folder("a", at(year)), folder("staging", at(0)))}, 0,
		},
		{"the host's name", []*site.Files{install(0, folder("b", at(0))), install(0, folder("www.a.test", at(0))), install(0, folder("c", at(0)))}, 1},
		{"two with the host's name", []*site.Files{install(0, folder("a.test", at(0))), install(0, folder("a.test", at(0)), folder("staging", at(0)))}, -1},
		{"nothing is known of one", []*site.Files{install(year, folder("b", at(year))), {}}, -1},
		{"or not yet", []*site.Files{install(year, folder("b", at(year))), nil}, -1},
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
		"htdocs":          false,
		"example.com.old": false,
		"10.0.0.1":        false,
		"v1.2":            false,
		".git":            false,
		"conf.d":          false,
		"":                false,
		"a b.com":         false,
		"example.com.bak": false,
	} {
		if got := looksLikeHost(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
