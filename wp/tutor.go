package wp

import (
	"context"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
)

// Tutor LMS gives a quiz the address of its course, see package address. Quizzes without a course are an exception in WordPress' own
// sitemaps: by a mistake in the plugin, get_post() without an id takes the newest post of the site as the course. So these sitemaps
// are left to PHP.

// PluginTutor is the file of Tutor LMS, as active_plugins names it.
const PluginTutor = "tutor/tutor.php"

const typeQuiz = "tutor_quiz"

const sqlOrphans = `SELECT 1 FROM wp_posts q LEFT JOIN wp_posts t ON t.ID = q.post_parent LEFT JOIN wp_posts c ON c.ID = t.post_parent
WHERE q.post_type = 'tutor_quiz' AND q.post_status = 'publish' AND (q.post_parent = 0 OR t.post_type <> 'courses' AND
(t.post_parent = 0 OR c.post_type <> 'courses' AND c.post_parent = 0)) LIMIT 1`

// readOrphans records whether there are quizzes without a course.
func (r *reading) readOrphans(ctx context.Context) error {
	i := slices.IndexFunc(r.evidence.PostTypes, func(t registry.Rows) bool { return t.Name == typeQuiz })
	if i < 0 || !r.evidence.Plugins.Active[PluginTutor] {
		return nil
	}
	return r.query(ctx, "looking for quizzes of no course", sqlOrphans, nil, db.Rows1(func(int) { r.evidence.PostTypes[i].Orphans = true }))
}
