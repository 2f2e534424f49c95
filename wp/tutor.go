package wp

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// Tutor LMS has lessons and quizzes below their course, whatever the permalinks are: courses/COURSE/lessons/LESSON/. A lesson is in
// a topic of a course, a quiz in a topic or in a lesson.

const (
	pluginTutor = "tutor/tutor.php"
	typeCourse  = "courses"
	typeLesson  = "lesson"
	typeQuiz    = "tutor_quiz"
	noCourse    = "sample-course" // its word for none
	optionTutor = "tutor_option"

	sqlAbove = `SELECT ID, post_name, post_parent, post_type FROM wp_posts WHERE ID IN (?)`
)

// TutorBases are the words in the addresses of Tutor LMS.
type TutorBases struct{ Course, Lesson, Quiz string }

func (s *Blog) tutorBases(o options) *TutorBases {
	stored := o.serialized(optionTutor, s.warn)
	word := func(key, otherwise string) string {
		if v, ok := stored.Lookup(key); ok && v.Kind == php.String {
			return v.Str()
		}
		return otherwise
	}
	return &TutorBases{word("course_permalink_base", "courses"), word("lesson_permalink_base", "lessons"), word("quiz_permalink_base", "quizzes")}
}

// lessonPaths returns the paths below home of those of two groups of posts that are lessons or quizzes of Tutor LMS.
func (s *Blog) lessonPaths(ctx context.Context, posts []*Post, more map[int64]*Post) (map[int64]string, error) {
	bases := s.set.HandSet.Tutor
	if bases == nil {
		return nil, nil
	}
	type above struct {
		name, kind string
		parent     int64
	}
	rows, ids := map[int64]above{}, []int64(nil)
	lessons := slices.DeleteFunc(slices.AppendSeq(slices.Clone(posts), maps.Values(more)), func(p *Post) bool {
		return p.Type != typeLesson && p.Type != typeQuiz
	})
	for _, p := range lessons {
		ids = append(ids, p.Parent)
	}
	for range 3 { // a topic's lesson, a topic, a course
		missing := slices.DeleteFunc(distinct(ids), func(id int64) bool { _, known := rows[id]; return known || id == 0 })
		if len(missing) == 0 {
			break
		}
		err := s.byID(ctx, "reading the courses of lessons", sqlAbove, missing, db.Rows4(func(id int64, name string, parent int64, kind string) {
			rows[id] = above{name, kind, parent}
			ids = append(ids, parent)
		}))
		if err != nil {
			return nil, err
		}
	}
	paths := map[int64]string{}
	for _, p := range lessons {
		base, course := bases.Lesson, rows[rows[p.Parent].parent]
		if p.Type == typeQuiz {
			base, course = bases.Quiz, rows[p.Parent]
			for range 2 {
				if course.kind != typeCourse {
					course = rows[course.parent]
				}
			}
		}
		name := course.name
		if course.kind == "" {
			name = noCourse
		}
		paths[p.ID] = bases.Course + "/" + name + "/" + base + "/" + p.Name + "/"
	}
	return paths, nil
}
