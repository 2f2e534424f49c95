package wp

import (
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// An open network must be opened again if an option that applies to all its blogs changes, and only then.
func TestOptionsChanged(t *testing.T) {
	declared := Declare(Inputs{Name: "a plugin", Options: []string{"a_plugin"}, MainOptions: []string{"a_plugin"},
		NetworkOptions: []string{"a_plugin_wide"}})
	for _, tt := range []struct {
		name, statement string
		changed         bool
	}{
		{"nothing", "", false},
		{"an option of another blog", "UPDATE wp_3_options SET option_value = 'Other' WHERE option_name = 'blogname'", false},
		{"an option of the main blog that applies to that blog alone", "UPDATE wp_options SET option_value = 'Other' WHERE option_name = 'blogname'",
			false},
		{"an option of the main blog that applies to all", "INSERT INTO wp_options (option_name, option_value) VALUES ('a_plugin', 'x')", true},
		{"an option of the network that nobody declares", "INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, 'welcome', 'x')", false},
		{"an option of the network", "INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, 'a_plugin_wide', 'x')", true},
		{"the plugins of all blogs", `REPLACE INTO wp_sitemeta (site_id, meta_key, meta_value)
VALUES (1, 'active_sitewide_plugins', 'a:1:{s:9:"a/a.php";i:1;}')`, true},
		{"the main network", "UPDATE wp_site SET id = 2", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
			wptest.Exec(t, dsn, "DELETE FROM wp_sitemeta WHERE meta_key = 'active_sitewide_plugins'")
			n := open(t, Source{DSN: dsn, Declared: declared})
			if tt.statement != "" {
				wptest.Exec(t, dsn, tt.statement)
			}
			changed, err := n.OptionsChanged(t.Context())
			wptest.Must(t, err)
			expect.Equal(t, changed, tt.changed)
		})
	}
}

// A single site has no options of a network, whatever is written to its own.
func TestOptionsChangedOfASingleSite(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	n := open(t, Source{DSN: dsn})
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = 'Other' WHERE option_name = 'blogname'")
	changed, err := n.OptionsChanged(t.Context())
	wptest.Must(t, err)
	expect.Equal(t, changed, false)
}

// The main network is the one that wp-config.php names, by its id or its address, else the first one.
func TestFindMainNetwork(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	wptest.Exec(t, dsn, "DELETE FROM wp_site",
		"INSERT INTO wp_site (id, domain, path) VALUES (3, 'a.test', '/'), (5, 'b.test', '/'), (4, 'b.test', '/sub/'), (6, '', '/')")
	n := open(t, Source{DSN: dsn})
	for _, tt := range []struct {
		lines []string
		want  int64
	}{
		{nil, 3},
		{[]string{"define('DOMAIN_CURRENT_SITE', 'b.test'); define('PATH_CURRENT_SITE', '/');"}, 5},
		{[]string{"define('DOMAIN_CURRENT_SITE', 'b.test'); define('PATH_CURRENT_SITE', '/sub/');"}, 4},
		{[]string{"define('DOMAIN_CURRENT_SITE', 'c.test'); define('PATH_CURRENT_SITE', '/');"}, 3},
		{[]string{"define('PATH_CURRENT_SITE', '/');"}, 3},
		{[]string{"define('SITE_ID_CURRENT_SITE', 9); define('DOMAIN_CURRENT_SITE', 'b.test'); define('PATH_CURRENT_SITE', '/');"}, 9},
	} {
		n.config = config(t, tt.lines...)
		got, err := n.findMainNetwork(t.Context())
		wptest.Must(t, err)
		expect.Equal(t, got, tt.want, tt.lines)
	}
}

// An account needs a right to some columns of the table of users, and to all columns of any other table.
func TestRightTo(t *testing.T) {
	n := open(t, Source{DSN: wptest.Load(t, wptest.SQLite, "basic")})
	for table, want := range map[string]string{
		"wp_users": "SELECT (ID, user_nicename, display_name, user_registered)", "wp_posts": "SELECT", "wp_usermeta": "SELECT", "users": "SELECT",
		"other": "SELECT",
	} {
		expect.Equal(t, n.rightTo(table), want, table)
	}
}

// A plugin may be active on one blog only.
func TestOfNetwork(t *testing.T) {
	for _, tt := range []struct {
		folder string
		active map[string]bool
		want   bool
	}{
		{"", nil, false},
		{"wordpress-seo", nil, false},
		{"wordpress-seo", map[string]bool{"wordpress-seo/wp-seo.php": true}, true},
		{"wordpress-seo", map[string]bool{"other/other.php": true}, false},
		{"", map[string]bool{"wordpress-seo/wp-seo.php": true}, false},
	} {
		n := &Network{declared: ownAlone}
		n.shared.activePlugins = tt.active
		o := &Stored{Folder: tt.folder, files: []string{"wordpress-seo/wp-seo.php"}, blog: &Blog{network: n}}
		expect.Equal(t, o.OfNetwork(), tt.want, tt.folder, tt.active)
	}
}
