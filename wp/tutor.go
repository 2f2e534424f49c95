package wp

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Tutor LMS puts lessons and quizzes below their course, whatever the permalinks are: courses/COURSE/lessons/LESSON/.
// A lesson is in a topic of a course, or its post meta names the course. A quiz is in a topic or in a lesson.
//
// A lesson or quiz without a course is below sample-course. Quizzes in WordPress' own sitemaps are an exception: by a
// mistake in the plugin, get_post() without an id takes the newest post of the site as the course. So these sitemaps
// are left to PHP.

const (
	pluginTutor = "tutor/tutor.php"
	typeCourse  = "courses"
	typeLesson  = "lesson"
	typeQuiz    = "tutor_quiz"
	noCourse    = "sample-course" // the plugin's word if there is no course
	optionTutor = "tutor_option"
	metaCourse  = "_tutor_course_id_for_lesson" // of a lesson without a topic

	sqlAbove   = `SELECT ID, post_name, post_parent, post_type FROM wp_posts WHERE ID IN (?)`
	sqlOrphans = `SELECT 1 FROM wp_posts q LEFT JOIN wp_posts t ON t.ID = q.post_parent LEFT JOIN wp_posts c ON c.ID = t.post_parent
WHERE q.post_type = 'tutor_quiz' AND q.post_status = 'publish' AND (q.post_parent = 0 OR t.post_type <> 'courses' AND
(t.post_parent = 0 OR c.post_type <> 'courses' AND c.post_parent = 0)) LIMIT 1`
)

// TutorBases are the words in the addresses of Tutor LMS.
type TutorBases struct{ Course, Lesson, Quiz string }

func (s *Blog) tutorBases(o options) TutorBases {
	stored := o.serialized(optionTutor, s.Notice)
	word := func(key, otherwise string) string {
		if v, ok := stored.Lookup(key); ok && v.Kind == php.String {
			return v.Str()
		}
		return otherwise
	}
	return TutorBases{word("course_permalink_base", "courses"), word("lesson_permalink_base", "lessons"), word("quiz_permalink_base", "quizzes")}
}

// TypesBelow returns the types whose addresses contain the address of a post of another type, although post_parent
// does not show that.
func (s *Blog) TypesBelow(postType string) []string {
	if s.set.HandSet.Tutor != (TutorBases{}) && postType == typeCourse {
		return []string{typeLesson, typeQuiz}
	}
	return nil
}

// readOrphans records whether there are quizzes without a course.
func (s *Blog) readOrphans(ctx context.Context, e *registry.Evidence) error {
	i := slices.IndexFunc(e.PostTypes, func(t registry.Rows) bool { return t.Name == typeQuiz })
	if i < 0 || !e.ActivePlugins[pluginTutor] {
		return nil
	}
	err := s.Query(ctx, sqlOrphans, nil, db.Rows1(func(int) { e.PostTypes[i].Orphans = true }))
	return s.Wrap("looking for quizzes of no course", err)
}

// lessonPaths returns the paths below home of the lessons and quizzes of Tutor LMS in posts and more.
func (s *Blog) lessonPaths(ctx context.Context, posts []*Post, more map[int64]*Post) (map[int64]string, error) {
	bases := s.set.HandSet.Tutor
	if bases == (TutorBases{}) {
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
	var alone []int64
	for _, p := range lessons {
		if ids = append(ids, p.Parent); p.Parent == 0 && p.Type == typeLesson {
			alone = append(alone, p.ID)
		}
	}
	courses := map[int64]int64{}
	err := s.EachMeta(ctx, alone, []string{metaCourse}, func(id int64, _, value string) {
		courses[id] = php.NewString(value).Int()
		ids = append(ids, courses[id])
	})
	if err != nil {
		return nil, err
	}
	for range 3 { // a lesson, its topic, its course
		missing := slices.DeleteFunc(Distinct(ids), func(id int64) bool { _, known := rows[id]; return known || id == 0 })
		if len(missing) == 0 {
			break
		}
		err := s.ByID(ctx, "reading the courses of lessons", sqlAbove, missing, db.Rows4(func(id int64, name string, parent int64, kind string) {
			rows[id] = above{name, kind, parent}
			ids = append(ids, parent)
		}))
		if err != nil {
			return nil, err
		}
	}
	paths := map[int64]string{}
	for _, p := range lessons {
		base, course := bases.Lesson, rows[cmp.Or(rows[p.Parent].parent, courses[p.ID])]
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
