package wp

import (
	"testing"

	"wpsitemapd/wp/wptest"
)

// Types that Pods and Meta Box keep in posts, and JetEngine in tables.
func TestReadDefinitions(t *testing.T) {
	const row = `INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered) VALUES `
	const dates = `1, '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', `
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn,
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:3:{i:2;s:25:"jet-engine/jet-engine.php";i:0;s:13:"pods/init.php";i:1;s:43:"mb-custom-post-type/mb-custom-post-type.php";}')`,
		row+`(3001, `+dates+`'publish', '_pods_pod', 'boat', '', '', '', '', '', ''), (3002, `+dates+`'publish', '_pods_pod', 'post', '', '', '', '', '', ''),
(3003, `+dates+`'publish', 'mb-taxonomy', 'x', '', '{"slug":"harbour","types":["boat"],"public":true}', '', '', '', ''),
(3004, `+dates+`'publish', 'mb-post-type', 'y', '', 'no JSON', '', '', '', ''), (3005, `+dates+`'draft', 'mb-post-type', 'z', '', '{"slug":"draft","public":true}', '', '', '', '')`,
		`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (3001, 'type', 'post_type'), (3001, 'rewrite_custom_slug', 'boats'),
(3002, 'type', 'post_type'), (3002, 'object', 'post')`,
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
	if r.PostType("draft") != nil || !r.PostType("post").BuiltIn {
		t.Error("a draft counts, or a pod that extends a type")
	}
}
