package wp

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What is wanted was printed by WordPress 7.0.4 with Tutor LMS 4.0.3 for the same tree.
func TestLessonsBelowCourses(t *testing.T) {
	seed := []string{
		setOption("home", "https://a.test"), setOption("permalink_structure", "/%postname%/"), setOption("active_plugins", phpList("tutor/tutor.php")),
		setOption("tutor_option", "a:1:{"+phpText("lesson_permalink_base")+phpText("lektionen")+"}"), "DELETE FROM wp_posts",
		addPost(1, "courses", "publish", "great-course", 0), addPost(2, "topics", "publish", "t", 1), addPost(3, "lesson", "publish", "one", 2),
		addPost(4, "lesson", "publish", "alone", 0), addPost(5, "tutor_quiz", "publish", "in-topic", 2), addPost(6, "tutor_quiz", "publish", "in-lesson", 3),
		addPost(7, "tutor_quiz", "publish", "in-course", 1), addPost(8, "lesson", "publish", "in-meta", 0),
		addPost(9, "tutor_quiz", "publish", "in-nothing", 99),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (8, '_tutor_course_id_for_lesson', '1')",
	}
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, seed...)
	s := openSite(t, Source{DSN: dsn})
	posts, err := s.Posts(t.Context(), []int64{3, 4, 5, 6, 7, 8, 9}, nil)
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
	expect.Same(t, want, got)
	expect.Equal(t, s.Fingerprint(), openSite(t, Source{DSN: dsn}).Fingerprint(), "read twice it is another site")
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
		if q := openSite(t, Source{DSN: dsn}).Registry().PostType("tutor_quiz"); q.Undecided != c.left || q.Public == c.left {
			t.Errorf("%s: %+v", c.change, q)
		}
	}
}
