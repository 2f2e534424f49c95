package address

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// Tutor LMS puts lessons and quizzes below their course, whatever the permalinks are: courses/COURSE/lessons/LESSON/.
// A lesson is in a topic of a course, or its post meta names the course. A quiz is in a topic or in a lesson.
//
// A lesson or quiz without a course is below sample-course.

const (
	typeCourse  = "courses"
	typeLesson  = "lesson"
	typeQuiz    = "tutor_quiz"
	noCourse    = "sample-course" // the plugin's word if there is no course
	optionTutor = "tutor_option"
	metaCourse  = "_tutor_course_id_for_lesson" // of a lesson without a topic

	sqlAbove = `SELECT ID, post_name, post_parent, post_type FROM wp_posts WHERE ID IN (?)`
)

// tutorBases are the words in the addresses of Tutor LMS.
type tutorBases struct{ course, lesson, quiz string }

// decodeTutor reads the words from the plugin's option. For a word that is not stored, it takes the plugin's default.
func decodeTutor(o *wp.Stored) wp.Decoded {
	if !o.Active() {
		return wp.Decoded{}
	}
	stored := o.Array(optionTutor)
	word := func(key, otherwise string) string {
		if v, ok := stored.Lookup(key); ok && v.Kind == php.String {
			return v.Str()
		}
		return otherwise
	}
	bases := tutorBases{word("course_permalink_base", "courses"), word("lesson_permalink_base", "lessons"), word("quiz_permalink_base", "quizzes")}
	return wp.Decoded{Value: bases, Settings: bases}
}

// TypesBelow returns the types whose addresses contain the address of a post of the type postType, although post_parent
// does not show that.
func (b *Book) TypesBelow(postType string) []string {
	if b.hand.tutor != (tutorBases{}) && postType == typeCourse {
		return []string{typeLesson, typeQuiz}
	}
	return nil
}

// lessonPaths returns the paths below home of the lessons and quizzes of Tutor LMS in posts and more.
func (b *Book) lessonPaths(ctx context.Context, posts []*Post, more map[int64]*Post) (map[int64]string, error) {
	bases := b.hand.tutor
	if bases == (tutorBases{}) {
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
	err := b.Blog.EachMeta(ctx, alone, []string{metaCourse}, func(id int64, _, value string) {
		courses[id] = php.NewString(value).Int()
		ids = append(ids, courses[id])
	})
	if err != nil {
		return nil, err
	}
	for range 3 { // a lesson, its topic, its course
		missing := slices.DeleteFunc(wp.Distinct(ids), func(id int64) bool { _, known := rows[id]; return known || id == 0 })
		if len(missing) == 0 {
			break
		}
		err := b.Blog.ByID(ctx, "reading the courses of lessons", sqlAbove, missing, db.Rows4(func(id int64, name string, parent int64, kind string) {
			rows[id] = above{name, kind, parent}
			ids = append(ids, parent)
		}))
		if err != nil {
			return nil, err
		}
	}
	paths := map[int64]string{}
	for _, p := range lessons {
		base, course := bases.lesson, rows[cmp.Or(rows[p.Parent].parent, courses[p.ID])]
		if p.Type == typeQuiz {
			base, course = bases.quiz, rows[p.Parent]
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
		paths[p.ID] = bases.course + "/" + name + "/" + base + "/" + p.Name + "/"
	}
	return paths, nil
}
