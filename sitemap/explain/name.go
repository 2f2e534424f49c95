package explain

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// name adds the title of an object and the URL of its editor.
func (e *explainer) name(t *thing) error {
	titles, err := e.titles(t.kind, []int64{t.id})
	e.x.Title, e.x.Edit = formatting.PlainText(titles[t.id]), e.editor(t)
	return err
}

// Titles returns the titles of the objects at listed URLs, as plain text by URL. It finds objects by the slugs and ids at the end of the
// URLs. It has no titles of home and archives, of later parts of posts, and of objects with a URL that is set by hand.
func Titles(ctx context.Context, c *catalog.Catalog, urls []string) (map[string]string, error) {
	e := &explainer{Catalog: c, ctx: ctx}
	var slugs []string
	var posts []int64
	for _, u := range urls {
		asked, err := spell(u)
		if err != nil {
			continue
		}
		segments := strings.Split(strings.Trim(asked.path, "/"), "/")
		names, ids := c.Rules.Links.Named(segments[len(segments)-1:])
		for _, n := range slices.Compact(names) {
			slugs = append(slugs, slugForms(n)...)
		}
		posts = append(posts, ids...)
	}
	named, terms, err := objects.ObjectsNamed(ctx, c.Rules.Blog, slugs)
	if err != nil {
		return nil, err
	}
	users, err := objects.Find(ctx, c.Rules.Blog, objects.UsersNamed, slugs)
	if err != nil {
		return nil, err
	}
	titles := map[string]string{}
	add := func(kind seo.ObjectKind, of *registry.Taxonomy, ids []int64) error {
		all, err := e.titled(kind, of, ids)
		for _, t := range all {
			titles[e.spelling(t.Link)] = t.title
		}
		return err
	}
	err = errors.Join(add(seo.KindPost, nil, slices.Concat(posts, named, []int64{c.Rules.Blog.Settings().PageOnFront})), add(seo.KindUser, nil, users))
	for _, t := range c.Rules.Blog.Registry().Taxonomies {
		if t.Public {
			err = errors.Join(err, add(seo.KindTerm, t, terms))
		}
	}
	return titles, err
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
