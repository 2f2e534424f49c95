package wp

import (
	"testing"

	"wpsitemapd/wp/wptest"
)

// GiveWP answers for the meta of its forms from a table of its own, once that was filled.
func TestMetaOfGiveForms(t *testing.T) {
	for _, c := range []struct {
		name, upgrades string
		want           int64
	}{
		{"moved", phpList("v20_move_metadata_into_new_table"), 90},
		{"not yet", phpList(), 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, setOption("active_plugins", phpList("give/give.php")), setOption("give_completed_upgrades", c.upgrades),
				addPost(70, "give_forms", "publish", "help", 0),
				"CREATE TABLE wp_give_formmeta (meta_id INTEGER PRIMARY KEY, form_id INTEGER, meta_key TEXT, meta_value TEXT)",
				"INSERT INTO wp_give_formmeta VALUES (1, 70, '_thumbnail_id', '90'), (2, 70, 'rank_math_robots', 'new')",
				"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (70, '_thumbnail_id', '80'), (70, 'rank_math_robots', 'old')")
			s := openSite(t, Source{DSN: dsn})
			posts, err := s.Posts(t.Context(), []int64{70}, nil)
			if err != nil || len(posts) != 1 || posts[0].Thumbnail != c.want {
				t.Errorf("featured image %+v, want %d: %v", posts, c.want, err)
			}
			robots, err := s.MetaByKeys(t.Context(), nil, "rank_math_robots")
			want := map[int64]string{90: "new", 80: "old"}[c.want]
			if err != nil || robots["rank_math_robots"][70] != want {
				t.Errorf("robots %v, want %s: %v", robots, want, err)
			}
			robots, err = s.MetaOf(t.Context(), []int64{70}, "rank_math_robots")
			if err != nil || robots["rank_math_robots"][70] != want {
				t.Errorf("robots by post %v, want %s: %v", robots, want, err)
			}
		})
	}
}
