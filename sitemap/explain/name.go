package explain

import (
	"fmt"
	"net/url"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/formatting"
)

// name adds the title of an object and the URL of its editor.
func (e *explainer) name(t *thing) error {
	titles, err := e.titles(t.kind, []int64{t.id})
	e.x.Title, e.x.Edit = formatting.PlainText(titles[t.id]), e.editor(t)
	return err
}

// titles returns the titles of objects of one kind, by id, as HTML.
func (e *explainer) titles(k seo.ObjectKind, ids []int64) (map[int64]string, error) {
	switch k {
	case seo.KindPost:
		return e.Rules.Blog.PostTitles(e.ctx, ids)
	case seo.KindTerm:
		return e.Rules.Blog.TermNames(e.ctx, ids)
	case seo.KindUser:
		return e.Rules.Blog.UserNames(e.ctx, ids)
	}
	return nil, nil
}

// editor returns the wp-admin URL where an object is edited, or "" if the URL is unknown.
func (e *explainer) editor(t *thing) string {
	root := e.Rules.Blog.Settings().SiteURL
	if root == "" {
		return ""
	}
	switch t.kind {
	case seo.KindPost:
		return fmt.Sprintf("%s/wp-admin/post.php?post=%d&action=edit", root, t.id)
	case seo.KindTerm:
		return fmt.Sprintf("%s/wp-admin/term.php?taxonomy=%s&tag_ID=%d", root, url.QueryEscape(t.of), t.id)
	case seo.KindUser:
		return fmt.Sprintf("%s/wp-admin/user-edit.php?user_id=%d", root, t.id)
	}
	return ""
}
