package wp

import (
	"fmt"
	"testing"

	"wpsitemapd/wp/wptest"
)

// GiveWP answers for the meta of its forms from a table of its own, once that was filled.
func TestMetaOfGiveForms(t *testing.T) {
	for _, c := range []struct {
		name, upgrades string
		want           int64
	}{
		{"moved", `a:1:{i:0;s:32:"v20_move_metadata_into_new_table";}`, 90},
		{"not yet", `a:0:{}`, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:13:"give/give.php";}')`,
				fmt.Sprintf(`REPLACE INTO wp_options (option_name, option_value) VALUES ('give_completed_upgrades', '%s')`, c.upgrades),
				`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
VALUES (70, 1, '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', 'publish', 'give_forms', 'help', '', '', '', '', '', '')`,
				"CREATE TABLE wp_give_formmeta (meta_id INTEGER PRIMARY KEY, form_id INTEGER, meta_key TEXT, meta_value TEXT)",
				"INSERT INTO wp_give_formmeta VALUES (1, 70, '_thumbnail_id', '90'), (2, 70, 'rank_math_robots', 'new')",
				"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (70, '_thumbnail_id', '80'), (70, 'rank_math_robots', 'old')")
			sites, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
			wptest.Must(t, err)
			posts, err := sites[0].Posts(t.Context(), []int64{70}, nil)
			if err != nil || len(posts) != 1 || posts[0].Thumbnail != c.want {
				t.Errorf("featured image %+v, want %d: %v", posts, c.want, err)
			}
			robots, err := sites[0].MetaByKeys(t.Context(), "rank_math_robots")
			want := map[int64]string{90: "new", 80: "old"}[c.want]
			if err != nil || robots["rank_math_robots"][70] != want {
				t.Errorf("robots %v, want %s: %v", robots, want, err)
			}
			robots, err = sites[0].MetaOf(t.Context(), []int64{70}, "rank_math_robots")
			if err != nil || robots["rank_math_robots"][70] != want {
				t.Errorf("robots by post %v, want %s: %v", robots, want, err)
			}
		})
	}
}
