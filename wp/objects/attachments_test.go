package objects

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Attachments of the library are those that are read by id, and featured images of all posts those that the posts themselves have.
func TestLibrary(t *testing.T) {
	ids := make([]int64, 500)
	for i := range ids {
		ids[i] = int64(i)
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic", "hostile")
		zero := "'a' || CHAR(0) || 'b'"
		if e == wptest.MariaDB {
			zero = "CONCAT('a', CHAR(0), 'b')"
		}
		wptest.Exec(t, dsn,
			"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (58, '_wp_attached_file', 'second.jpg'), (6, "+
				"'_wp_attached_file', 'of-a-post.jpg'), (6, '_wp_attached_file', 'again.jpg'), (100, '_wp_attached_file', NULL), (499, "+
				"'_wp_attached_file', 'of-no-row.jpg')",
			"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (6, '_thumbnail_id', '58'), (6, '_thumbnail_id', '59'), "+
				"(106, '_thumbnail_id', ' 12abc'), (100, '_thumbnail_id', '')",
			"DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id' AND meta_value NOT IN ('58', '59', ' 12abc', '') AND post_id IN (6, 106, 100)",
			"UPDATE wp_posts SET post_title = 'Ünter', post_excerpt = 'a caption' WHERE ID = 58",
			"UPDATE wp_posts SET post_excerpt = "+zero+" WHERE ID = 6")
		s := openSite(t, wp.Source{DSN: dsn})
		library, err := ReadLibrary(t.Context(), s, 1000)
		if err != nil || library == nil {
			t.Fatalf("%v, %v", library, err)
		}
		want, wantFiles, err := Attachments(t.Context(), s, ids, nil, nil)
		wptest.Must(t, err)
		got, gotFiles, err := Attachments(t.Context(), s, append(ids, 58), nil, library)
		wptest.Must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Attachment{}),
			cmpopts.IgnoreFields(Attachment{}, "Parent", "Type", "Status", "MIME", "Date")); diff != "" {
			t.Errorf("by id (-), of the library (+):\n%s", diff)
		}
		if diff := cmp.Diff(wantFiles, gotFiles); diff != "" || wantFiles[499] == "" {
			t.Errorf("files without a row, by id (-), beside the library (+):\n%s", diff)
		}
		if title, caption, file, _ := library.Of(58); title != "Ünter" || caption != "a caption" || file == "second.jpg" || file == "" {
			t.Errorf("58 is %q, %q, %q", title, caption, file)
		}
		if title, _, _, found := library.Of(6); found {
			t.Errorf("a text with a zero byte in it is taken for %q", title)
		}
		if few, err := ReadLibrary(t.Context(), s, 2); few != nil || err != nil {
			t.Errorf("with room for two: %v, %v", few, err)
		}
		images, err := ReadThumbnails(t.Context(), s)
		wptest.Must(t, err)
		single, err := s.MetaOf(t.Context(), ids, wp.MetaThumbnail)
		wptest.Must(t, err)
		for _, id := range ids {
			expect.Equal(t, images.Of(id), php.NewString(single[wp.MetaThumbnail][id]).Int(), "featured image of post", id, "by itself")
		}
		if len(images) < 5 || images.Of(6) != 58 || images.Of(1<<40) != 0 || Thumbnails(nil).Of(6) != 0 {
			t.Errorf("featured images %v; that of 6 is 58, its first", images)
		}
	})
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn, "ALTER TABLE wp_postmeta DROP INDEX meta_key")
	s := openSite(t, wp.Source{DSN: dsn})
	library, err := ReadLibrary(t.Context(), s, 1000)
	thumbnails, err2 := ReadThumbnails(t.Context(), s)
	if library != nil || thumbnails != nil || err != nil || err2 != nil {
		t.Errorf("without the index: %v, %v, %v, %v", library, thumbnails, err, err2)
	}
}

// The collation of the library's table knows no case.
func TestIsImage(t *testing.T) {
	for mime, want := range map[string]bool{"image/png": true, "IMAGE/JPEG": true, "image/": true, "image": false, "": false, "video/mp4": false} {
		a := Attachment{Type: "attachment", Status: "inherit", MIME: mime}
		expect.Equal(t, a.IsImage(), want, mime)
	}
}
