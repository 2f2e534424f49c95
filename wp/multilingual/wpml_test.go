package multilingual

import (
	"testing"

	"wpsitemapd/wp/wptest"
)

func TestWPMLPostsAreWalkedOnce(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "small-wpml")
	wptest.Exec(t, dsn, "INSERT INTO wp_icl_translations (translation_id, element_type, element_id, trid, language_code) SELECT 100000 "+
		"+ seq, 'post_bulk', seq, 100000 + seq, 'de' FROM "+wptest.Sequence(30_000))
	db, _ := wptest.DB(t, dsn)
	wptest.Exec(t, dsn, "ANALYZE TABLE wp_icl_translations")
	if read := wptest.RowsTouched(t, db, sqlWPMLPosts, "post_bulk", 20_000, 500); read > 500+10 {
		t.Errorf("%d entries of the index for 500 rows", read)
	}
}
