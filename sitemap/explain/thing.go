package explain

import (
	"cmp"
	"fmt"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// A thing is an object that may have the requested address. Its field Of is its name, such as "post
// 17" or "home".
type thing struct {
	seo.Subject
	kind seo.ObjectKind // KindPost, KindTerm, KindUser or KindArchive; front page and posts page are posts
	of   string         // post type or taxonomy; "" for users and home
	id   int64          // 0 for an archive
	slug string         // of a post or term
	like likeness

	title string // plain text; only titled reads it
}

// newThing returns the thing for a subject. It fills in Rules and Of, and Link but for an archive.
func (e *explainer) newThing(s seo.Subject) *thing {
	s.Rules = e.Rules
	t := &thing{Subject: s}
	switch t.kind, t.of = s.Kind(); {
	case t.kind == seo.KindPost:
		t.id, t.slug, t.Link = s.Post.ID, s.Post.Name, s.Post.Link
	case t.kind == seo.KindTerm:
		t.id, t.slug, t.Link = s.Term.ID, s.Term.Slug, s.Term.Link
	case t.kind == seo.KindUser:
		t.id, t.Link = s.Author.ID, s.Author.Link
	case s.PostType != nil:
		t.of = s.PostType.Name
		t.Of = "archive of " + t.of
		return t
	default:
		t.Of = "home"
		return t
	}
	t.Of = fmt.Sprintf("%s %d", cmp.Or(t.of, "author"), t.id)
	return t
}

// objects reads objects by id: posts, users, or terms of the taxonomy of. It skips ids without an object.
func (e *explainer) objects(kind seo.ObjectKind, of *registry.Taxonomy, ids []int64) (all []*thing, err error) {
	switch {
	case len(ids) == 0:
	case kind == seo.KindPost:
		posts, err := e.Rules.Book.Posts(e.ctx, ids, nil)
		for _, p := range posts {
			all = append(all, e.newThing(seo.Subject{Post: p}))
		}
		return all, err
	case kind == seo.KindTerm && of != nil:
		terms, err := e.Rules.Book.TermsByID(e.ctx, of, ids)
		for _, term := range terms {
			all = append(all, e.newThing(seo.Subject{Term: term, Taxonomy: of}))
		}
		return all, err
	case kind == seo.KindUser:
		authors, err := e.Rules.Book.Authors(e.ctx, ids)
		for _, a := range authors {
			all = append(all, e.newThing(seo.Subject{Author: a}))
		}
		return all, err
	}
	return nil, nil
}

// titled is like e.objects, and also reads the title of each object.
func (e *explainer) titled(kind seo.ObjectKind, of *registry.Taxonomy, ids []int64) ([]*thing, error) {
	all, err := e.objects(kind, of, ids)
	if err != nil {
		return nil, err
	}
	found := make([]int64, len(all))
	for i, t := range all {
		found[i] = t.id
	}
	titles, err := e.titles(kind, found)
	for _, t := range all {
		t.title = formatting.PlainText(titles[t.id])
	}
	return all, err
}

// termsOf reads terms and skips unregistered taxonomies.
func (e *explainer) termsOf(keys []objects.TermKey) (all []*thing, err error) {
	byTaxonomy := map[string][]int64{}
	for _, k := range keys {
		byTaxonomy[k.Taxonomy] = append(byTaxonomy[k.Taxonomy], k.ID)
	}
	for _, t := range e.Rules.Blog.Registry().Taxonomies {
		terms, err := e.objects(seo.KindTerm, t, byTaxonomy[t.Name])
		if err != nil {
			return nil, err
		}
		all = append(all, terms...)
	}
	return all, nil
}
