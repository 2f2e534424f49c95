package wp

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// phpList is a list of texts as PHP serialises it.
func phpList(texts ...string) string {
	var b strings.Builder
	for i, s := range texts {
		fmt.Fprintf(&b, `i:%d;s:%d:"%s";`, i, len(s), s)
	}
	return fmt.Sprintf("a:%d:{%s}", len(texts), b.String())
}

// A plugin is what its file is called, whatever its folder is.
func TestPluginsInOtherFolders(t *testing.T) {
	for plugin, want := range map[string]string{
		"wordpress-seo/wp-seo.php":                      "wordpress-seo/wp-seo.php",
		"wordpress-seo-master/wp-seo.php":               "wordpress-seo/wp-seo.php",
		"wordpress-seo-28.3/wp-seo.php":                 "wordpress-seo/wp-seo.php",
		"yoast/wp-seo.php":                              "wordpress-seo/wp-seo.php",
		"wp-seo/wp-seo.php":                             "", // another plugin
		"premium/wp-seo-premium.php":                    "wordpress-seo-premium/wp-seo-premium.php",
		"wpseo-news-13.4/wpseo-news.php":                "wpseo-news/wpseo-news.php",
		"video-seo-for-wordpress/video-seo.php":         "wpseo-video/video-seo.php",
		"polylang-master/polylang.php":                  "polylang/polylang.php",
		"polylang-pro/polylang.php":                     "polylang/polylang.php",
		"wpml/sitepress.php":                            "sitepress-multilingual-cms/sitepress.php",
		"woocommerce-trunk/woocommerce.php":             "woocommerce/woocommerce.php",
		"my-shop-changes/woocommerce.php":               "",
		"custom-post-type-ui-1.18/cptui.php":            "",
		"cptui-git/custom-post-type-ui.php":             "custom-post-type-ui/custom-post-type-ui.php",
		"acf-pro-local/acf.php":                         "advanced-custom-fields/acf.php",
		"rank-math-dev/rank-math.php":                   "seo-by-rank-math/rank-math.php",
		"another-sitemap/sitemap.php":                   "",
		"google-sitemap-generator-4/sitemap.php":        "google-sitemap-generator/sitemap.php",
		"all-in-one-seo-pack-x/all_in_one_seo_pack.php": "all-in-one-seo-pack/all_in_one_seo_pack.php",
		"wp-job-manager-2.4/wp-job-manager.php":         "wp-job-manager/wp-job-manager.php",
		"page-links-to-master/page-links-to.php":        "page-links-to/page-links-to.php",
		"yoast-woo/wpseo-woocommerce.php":               "wpseo-woocommerce/wpseo-woocommerce.php",
		"edd-3.3/easy-digital-downloads.php":            "easy-digital-downloads/easy-digital-downloads.php",
		"hello.php":                                     "",
		"akismet/..":                                    "",
		"":                                              "",
		"/wp-seo.php":                                   "wordpress-seo/wp-seo.php",
	} {
		expect.Equal(t, ownAlone.knownPlugin(plugin), want, plugin)
	}
}

// Must-use plugins are in no list. Those in folders of their own run where a file beside the folder runs them.
func TestMustUsePlugins(t *testing.T) {
	const yoast, news = "wordpress-seo/wp-seo.php", "wpseo-news/wpseo-news.php"
	noted := `a:2:{s:7:"plugins";a:1:{s:24:"wordpress-seo/wp-seo.php";a:1:{s:4:"Name";s:9:"Yoast SEO";}}s:5:"count";i:1;}`
	for _, tt := range []struct {
		name   string
		config string            // of wp-config.php; DIR is its folder; "" for a site without one
		files  map[string]string // below the folder of wp-config.php
		stored string            // option bedrock_autoloader
		want   []string
	}{
		{
			name: "Bedrock: its loader runs all", config: "define('WP_CONTENT_DIR', DIR . '/app');",
			files: map[string]string{
				"app/mu-plugins/bedrock-autoloader.php":   "<?php\nnamespace Roots\\Bedrock;\nnew Autoloader();",
				"app/mu-plugins/wordpress-seo/wp-seo.php": "<?php", "app/mu-plugins/wpseo-news/wpseo-news.php": "<?php",
			},
			want: []string{yoast, news},
		},
		{
			name: "a loader that names it, in the usual folder", config: "define('ABSPATH', DIR . '/');",
			files: map[string]string{
				"wp-content/mu-plugins/load.php": "<?php require __DIR__ . '/seo/wp-seo.php';", "wp-content/mu-plugins/seo/wp-seo.php": "<?php",
				"wp-content/mu-plugins/wpseo-news/wpseo-news.php": "<?php",
			},
			want: []string{yoast},
		},
		{
			name: "a folder of its own", config: "define('WPMU_PLUGIN_DIR', DIR . '/must');",
			files: map[string]string{"must/a.php": "<?php foreach (glob(__DIR__ . '/*/*.php') as $f) require $f;", "must/wordpress-seo/wp-seo.php": "<?php"},
			want:  []string{yoast},
		},
		{
			name: "nothing runs it", config: "define('ABSPATH', DIR . '/');",
			files: map[string]string{"wp-content/mu-plugins/mail.php": "<?php", "wp-content/mu-plugins/wordpress-seo/wp-seo.php": "<?php"},
		},
		{
			name: "a file of that name is not the plugin", config: "define('ABSPATH', DIR . '/');",
			files: map[string]string{"wp-content/mu-plugins/woocommerce.php": "<?php", "wp-content/mu-plugins/wp-seo.php": "<?php"},
		},
		{
			name: "the files beat what the loader once noted", config: "define('ABSPATH', DIR . '/');", stored: noted,
			files: map[string]string{"wp-content/mu-plugins/bedrock-autoloader.php": "<?php new Autoloader();"},
		},
		{name: "the folder is not there, but the loader noted it", config: "define('ABSPATH', DIR . '/');", stored: noted, want: []string{yoast}},
		{name: "no path is known, but the loader noted it", stored: noted, want: []string{yoast}},
		{name: "a broken note", stored: "a:2:{"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "basic")
			wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', '"+phpList("akismet/akismet.php")+"')")
			if tt.stored != "" {
				wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES ('bedrock_autoloader', '"+tt.stored+"')")
			}
			src := Source{DSN: dsn}
			if tt.config != "" {
				dir := t.TempDir()
				src.WPConfig = filepath.Join(dir, "wp-config.php")
				put := func(name, text string) {
					t.Helper()
					file := filepath.Join(dir, name)
					wptest.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
					wptest.Must(t, os.WriteFile(file, []byte(text), 0o644))
				}
				put("wp-config.php", "<?php\n"+strings.ReplaceAll(tt.config, "DIR .", "__DIR__ .")+"\n$table_prefix = 'wp_';")
				for name, text := range tt.files {
					put(name, text)
				}
				for name := range tt.files { // a pipe that nobody writes into must not be waited for
					if err := syscall.Mkfifo(filepath.Join(dir, filepath.Dir(name), "pipe.php"), 0o600); err != nil && !os.IsExist(err) {
						t.Fatal(err)
					}
				}
			}
			set := openSite(t, src).Settings()
			got := slices.DeleteFunc(slices.Sorted(maps.Keys(set.ActivePlugins)),
				func(p string) bool { return p == "akismet/akismet.php" || ownAlone.knownPlugin(p) != p })
			if diff := cmp.Diff(tt.want, got); len(tt.want)+len(got) > 0 && diff != "" {
				t.Errorf("expected (-) and got (+):\n%s", diff)
			}
		})
	}
}

// Types that Pods and Meta Box keep in posts, and JetEngine in tables.
func TestReadDefinitions(t *testing.T) {
	const row = `INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered) VALUES `
	const dates = `1, '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', `
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn,
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:4:{i:3;s:30:"advanced-custom-fields/acf.php";i:2;s:25:"jet-engine/jet-engine.php";i:0;s:13:"pods/init.php";i:1;s:43:"mb-custom-post-type/mb-custom-post-type.php";}')`,
		row+`(3001, `+dates+`'publish', '_pods_pod', 'boat', '', '', '', '', '', ''), (3002, `+dates+`'publish', '_pods_pod', 'post', '', '', '', '', '', ''),
(3006, `+dates+`'publish', '_pods_pod', 'table', '', '', '', '', '', ''), (3007, `+dates+`'publish', '_pods_pod', 'film', '', '', '', '', '', ''),
(3003, `+dates+`'publish', 'mb-taxonomy', 'x', '', '{"slug":"harbour","types":["boat"],"public":true}', '', '', '', ''),
(3004, `+dates+`'publish', 'mb-post-type', 'y', '', 'no JSON', '', '', '', ''),
(3005, `+dates+`'draft', 'mb-post-type', 'z', '', '{"slug":"draft","public":true}', '', '', '', ''),
(3008, `+dates+`'publish', '_pods_pod', 'raft', '', '', '', '', '', ''),
(3009, `+dates+`'publish', 'acf-post-type', 'a', '', 'a:3:{s:9:"post_type";s:4:"ship";s:6:"active";b:1;s:6:"public";b:1;}', '', '', '', ''),
(3010, `+dates+`'publish', 'acf-taxonomy', 'b', '', 'a:4:{s:8:"taxonomy";s:4:"flag";s:6:"active";b:1;s:6:"public";b:1;s:11:"object_type";a:1:{i:0;s:4:"ship";}}', '', '', '', ''),
(3011, `+dates+`'publish', 'acf-taxonomy', 'c', '', 'a:4:{', '', '', '', '')`,
		`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (3001, 'type', 'post_type'), (3001, 'rewrite_custom_slug', 'boats'),
(3002, 'type', 'post_type'), (3002, 'object', 'post'), (3006, 'type', 'pod'), (3007, 'type', 'post_type'), (3007, 'object', 'film'),
(3008, 'type', 'post_type')`,
		"CREATE TABLE wp_jet_post_types (id bigint PRIMARY KEY, slug text, status text, labels text, args text, meta_fields text)",
		"CREATE TABLE wp_jet_taxonomies (id bigint PRIMARY KEY, slug text, object_type text, status text, labels text, args text, meta_fields text)",
		`INSERT INTO wp_jet_post_types (id, slug, status, args) VALUES (1, 'float', 'publish', 'a:3:{s:6:"public";b:1;s:7:"rewrite";b:1;s:12:"rewrite_slug";s:6:"floats";}'),
(2, 'rows', 'content-type', 'a:1:{s:6:"public";b:1;}'), (3, 'broken', 'publish', 'a:1:{')`,
		`INSERT INTO wp_jet_taxonomies (id, slug, object_type, status, args) VALUES (1, 'kind', 'a:1:{i:0;s:5:"float";}', 'publish', 'a:1:{s:6:"public";b:1;}')`)
	r := openSite(t, Source{DSN: dsn}).Registry()
	if boat := r.PostType("boat"); boat == nil || !boat.Public || boat.Slug != "boats" {
		t.Errorf("boat: %+v", boat)
	}
	if harbour := r.Taxonomy("harbour"); harbour == nil || len(harbour.ObjectTypes) != 1 || harbour.ObjectTypes[0] != "boat" {
		t.Errorf("harbour: %+v", harbour)
	}
	if float := r.PostType("float"); float == nil || !float.Public || float.Slug != "floats" || r.PostType("rows") != nil {
		t.Errorf("float: %+v", float)
	}
	if kind := r.Taxonomy("kind"); kind == nil || !kind.Public || len(kind.ObjectTypes) != 1 || kind.ObjectTypes[0] != "float" {
		t.Errorf("kind: %+v", kind)
	}
	if ship := r.PostType("ship"); ship == nil || !ship.Public || r.Taxonomy("ship") != nil {
		t.Errorf("ship: %+v", ship)
	}
	if flag := r.Taxonomy("flag"); flag == nil || !flag.Public || len(flag.ObjectTypes) != 1 || flag.ObjectTypes[0] != "ship" {
		t.Errorf("flag: %+v", flag)
	}
	if r.PostType("raft") == nil {
		t.Error("a pod of one row of meta is no type")
	}
	for _, name := range []string{"draft", "table", "film"} {
		if r.PostType(name) != nil || r.Taxonomy(name) != nil {
			t.Errorf("%s: a draft counts, a pod that is a table, or a pod that extends a type", name)
		}
	}
	expect.Equal(t, r.PostType("post").BuiltIn, true, "post is built in")
}

// A plugin is known in a folder of another name; where its file's name is a common one, the folder has to begin alike.
func TestFolders(t *testing.T) {
	for _, tt := range []struct{ file, entry, want string }{
		{"seo-by-rank-math/rank-math.php", "seo-by-rank-math/rank-math.php", "seo-by-rank-math"},
		{"seo-by-rank-math/rank-math.php", "rank-math-dev/rank-math.php", "rank-math-dev"},
		{"google-sitemap-generator/sitemap.php", "google-sitemap-generator-4/sitemap.php", "google-sitemap-generator-4"},
		{"google-sitemap-generator/sitemap.php", "another/sitemap.php", ""},
		{"jetpack/jetpack.php", "jetpack-dev/jetpack.php", "jetpack-dev"},
	} {
		active := map[string]bool{tt.entry: true}
		if tt.want != "" {
			active[tt.file] = true // by its own name, as wp adds it
		}
		expect.Equal(t, ownAlone.folderOf([]string{tt.file}, active), tt.want, tt.file, "among", active)
	}
}

// A plugin that is not declared may register any type.
func TestHasUnknownPlugin(t *testing.T) {
	for _, tt := range []struct {
		plugins []string
		want    bool
	}{{nil, false}, {[]string{"wordpress-seo/wp-seo.php"}, false}, {[]string{"wordpress-seo/wp-seo.php", "own/own.php"}, true}} {
		active := map[string]bool{}
		for _, p := range tt.plugins {
			active[p] = true
		}
		b := &Blog{network: &Network{declared: ownAlone}, set: Settings{ActivePlugins: active}}
		expect.Equal(t, b.HasUnknownPlugin(), tt.want, tt.plugins)
	}
}

// In a network, Bedrock's loader notes the plugins in an option of the network.
func TestMustUsePluginsOfANetwork(t *testing.T) {
	const note = `a:1:{s:7:"plugins";a:1:{s:24:"wordpress-seo/wp-seo.php";a:0:{}}}`
	dsn := wptest.Load(t, wptest.SQLite, "basic", "network")
	wptest.Exec(t, dsn, "DELETE FROM wp_sitemeta WHERE meta_key = 'active_sitewide_plugins'", storeOption("active_plugins", phpList()),
		storeOption(optionAutoloader, note))
	active := func() bool {
		t.Helper()
		blogs, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
		wptest.Must(t, err)
		return blogs[0].Settings().ActivePlugins["wordpress-seo/wp-seo.php"]
	}
	expect.Equal(t, active(), false, "an option of the main blog")
	wptest.Exec(t, dsn, "INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, '"+optionAutoloader+"', '"+note+"')")
	expect.Equal(t, active(), true, "an option of the network")
}

// JetEngine may be active before it has made its tables.
func TestJetEngineWithoutTables(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList("jet-engine/jet-engine.php")))
	warnings := strings.Join(openSite(t, Source{DSN: dsn}).Warnings(), "\n")
	expect.Equal(t, strings.Contains(warnings, "jet_") || strings.Contains(warnings, "JetEngine"), false, warnings)
}
