package objects

import (
	"fmt"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

func openSite(t *testing.T, src wp.Source) *wp.Blog {
	t.Helper()
	src.Name = "shop"
	n, err := wp.Open(t.Context(), src)
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	w, err := n.Walk(t.Context(), nil)
	wptest.Must(t, err)
	blog, _, err := w.Read(t.Context(), w.Live[0])
	wptest.Must(t, err)
	return blog
}

func addPost(id int, kind, status, name string, parent int) string {
	const at = "'2024-03-04 05:06:07'"
	return fmt.Sprintf("INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_parent, post_author, post_date, post_date_gmt, post_modified, "+
		"post_modified_gmt) VALUES (%d, '%s', '%s', '%s', %d, 1, %s, %[6]s, %[6]s, %[6]s)", id, kind, status, name, parent, at)
}
