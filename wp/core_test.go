package wp

import (
	"testing"
	"time"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest/expect"
)

// The zone is wp_timezone(); the offsets were taken from PHP 8.2.
func TestZone(t *testing.T) {
	summer := time.Date(2024, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ rule, name, hours, want string }{
		{"a name", "Europe/Amsterdam", "", "+02:00"},
		{"a name wins over the hours", "Asia/Kolkata", "-8", "+05:30"},
		{"hours", "", "5.75", "+05:45"},
		{"hours before UTC", "", "-3.5", "-03:30"},
		{"less than an hour before UTC", "", "-0.5", "-00:30"},
		{"no hours", "", "0", "+00:00"},
		{"neither", "", "", "+00:00"},
		{"hours that are none", "", "noon", "+00:00"},
		{"hours beyond a day", "", "1e9", "+00:00"},
		{"a day", "", "24", "+00:00"},
		{"a day before UTC", "", "-24", "+00:00"},
		{"a little more than a day before UTC", "", "-24.5", "+00:00"},
		{"almost a day", "", "23.75", "+23:45"},
		{"almost a day before UTC", "", "-23.75", "-23:45"},
		{"a name nobody knows", "Atlantis/Capital", "3", "+00:00"},
		{"not the zone of this machine", "Local", "", "+00:00"},
	} {
		expect.Equal(t, summer.In(zone(tt.name, tt.hours)).Format("-07:00"), tt.want, tt.rule)
	}
	fingerprint := func(hours string) uint64 {
		s := &Blog{network: &Network{declared: ownAlone}, registry: &registry.Registry{}}
		s.set.Core.Zone = zone("", hours)
		return s.Fingerprint()
	}
	if fingerprint("1") == fingerprint("2") {
		t.Error("a change of the hours changes no fingerprint")
	}
}

// What the front page shows, as WP_Query reads posts_per_page and sticky_posts.
func TestCoreFront(t *testing.T) {
	for _, tt := range []struct {
		rule    string
		options options
		perPage int
		sticky  []int64
	}{
		{"a number", options{"posts_per_page": "10"}, 10, nil},
		{"-1 is all", options{"posts_per_page": "-1"}, 0, nil},
		{"other negative numbers lose their sign", options{"posts_per_page": "-7"}, 7, nil},
		{"0 is 1", options{"posts_per_page": "0"}, 1, nil},
		{"missing is 1", options{}, 1, nil},
		{"beyond all bounds", options{"posts_per_page": "99999999999999999999"}, 1 << 31, nil},
		{"sticky posts, as numbers and as text", options{"posts_per_page": "1", "sticky_posts": `a:2:{i:0;i:5;i:3;s:2:"12";}`}, 1, []int64{5, 12}},
		{"a broken list of sticky posts", options{"posts_per_page": "1", "sticky_posts": `a:2:{`}, 1, nil},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			c := (&reading{blog: &Blog{network: &Network{declared: ownAlone}}, options: tt.options}).core()
			expect.Equal(t, c.PostsPerPage, tt.perPage)
			expect.List(t, c.Sticky, tt.sticky)
		})
	}
}

// WordPress' own sitemaps answer unless one of the options says that they do not.
func TestCoreSitemaps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule    string
		options options
		plugin  string
		decoded Decoded
		want    bool
	}{
		{"a public site", options{"blog_public": "1"}, "", Decoded{}, true},
		{"a private site", options{"blog_public": "0"}, "", Decoded{}, false},
		{"a plugin replaces them", options{"blog_public": "1"}, "", Decoded{ReplacesCore: true}, false},
		{"a multilingual plugin", options{"blog_public": "1"}, "polylang/polylang.php", Decoded{}, false},
		{"WordPress 5.5", options{"blog_public": "1", "db_version": "48748"}, "", Decoded{}, true},
		{"WordPress 5.4", options{"blog_public": "1", "db_version": "47018"}, "", Decoded{}, false},
		{"rewrite rules with theirs", options{"blog_public": "1", "rewrite_rules": coreRule}, "", Decoded{}, true},
		{"rewrite rules without theirs", options{"blog_public": "1", "rewrite_rules": "x"}, "", Decoded{}, false},
	} {
		b := &Blog{decoded: map[string]Decoded{"x": tt.decoded}, set: Settings{ActivePlugins: map[string]bool{tt.plugin: true}}}
		expect.Equal(t, (&reading{blog: b, options: tt.options}).coreSitemaps(), tt.want, tt.rule)
	}
}

// absint() of the option of WP Job Manager is 1.
func TestHideFilled(t *testing.T) {
	for stored, want := range map[string]bool{"1": true, "-1": true, "0": false, "2": false, "": false} {
		o := options{"job_manager_hide_filled_positions": stored}
		for _, active := range []bool{true, false} {
			r := &reading{blog: &Blog{set: Settings{ActivePlugins: map[string]bool{pluginJobs: active}}}, options: o}
			e := r.exclusions()
			expect.Equal(t, e.HideFilled, want && active, stored, "active", active)
		}
	}
}
