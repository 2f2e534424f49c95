package wp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp/wptest"
)

// What is wanted was printed by WordPress 7.0.4 with Tutor LMS 4.0.3 for the same tree.
func TestLessonsBelowCourses(t *testing.T) {
	seed := []string{
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('home', 'https://a.test'), ('permalink_structure', '/%postname%/'),
('active_plugins', 'a:1:{i:0;s:15:"tutor/tutor.php";}'), ('tutor_option', 'a:1:{s:21:"lesson_permalink_base";s:9:"lektionen";}')`,
		"DELETE FROM wp_posts",
		`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
SELECT n, 1, '2024-03-04 05:06:07', '2024-03-04 05:06:07', '2024-03-04 05:06:07', '2024-03-04 05:06:07', 'publish', ty, na, '', pa, '', '', '', '', '', '' FROM (
SELECT 1 n, 'courses' ty, 'great-course' na, 0 pa UNION SELECT 2, 'topics', 't', 1 UNION SELECT 3, 'lesson', 'one', 2 UNION SELECT 4, 'lesson', 'alone', 0
UNION SELECT 5, 'tutor_quiz', 'in-topic', 2 UNION SELECT 6, 'tutor_quiz', 'in-lesson', 3 UNION SELECT 7, 'tutor_quiz', 'in-course', 1 UNION SELECT 8, 'lesson', 'in-meta', 0 UNION SELECT 9, 'tutor_quiz', 'in-nothing', 99) x`,
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (8, '_tutor_course_id_for_lesson', '1')",
	}
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, seed...)
	sites, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
	wptest.Must(t, err)
	posts, err := sites[0].Posts(t.Context(), []int64{3, 4, 5, 6, 7, 8, 9}, nil)
	wptest.Must(t, err)
	got := map[string]string{}
	for _, p := range posts {
		got[fmt.Sprint(p.ID)] = strings.TrimPrefix(p.Link, "https://a.test/courses/")
	}
	want := map[string]string{
		"3": "great-course/lektionen/one/", "4": "sample-course/lektionen/alone/",
		"5": "great-course/quizzes/in-topic/", "6": "great-course/quizzes/in-lesson/", "7": "great-course/quizzes/in-course/",
		"8": "great-course/lektionen/in-meta/", "9": "sample-course/quizzes/in-nothing/",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expected (-) and got (+):\n%s", diff)
	}
	again, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
	wptest.Must(t, err)
	if sites[0].Fingerprint() != again[0].Fingerprint() {
		t.Error("read twice it is another site")
	}
	for _, c := range []struct {
		change string
		left   bool // WordPress' own sitemap of quizzes is left to PHP
	}{
		{"UPDATE wp_posts SET post_parent = 1 WHERE ID = 2", false},
		{"UPDATE wp_posts SET post_parent = 0 WHERE ID = 2", true},   // its topic is in no course
		{"UPDATE wp_posts SET post_parent = 99 WHERE ID = 2", false}, // there is no such course
		{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 6", false},
		{"UPDATE wp_posts SET post_parent = 0 WHERE ID = 9", true}, // it is in nothing
	} {
		wptest.Exec(t, dsn, c.change)
		sites, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
		wptest.Must(t, err)
		if q := sites[0].Registry().PostType("tutor_quiz"); q.Undecided != c.left || q.Public == c.left {
			t.Errorf("%s: %+v", c.change, q)
		}
	}
}
