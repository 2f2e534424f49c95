package explain

import (
	"context"
	"fmt"
	"iter"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/registry"
)

// LeftOut is an object, or a whole type, that is in no sitemap, and why.
type LeftOut struct {
	Address string // of the object's own; "" for a type
	Object  string // "post 17", "category 3", "post type book" …
	Title   string
	Rule    string
	Because string
	Do      string
	Edit    string
}

// leftBatch is how many objects are named at a time.
const leftBatch = 500

// EachLeftOut calls fn for what is left out, with its address and title: first the types that have no sitemap as a whole
// (of the taxonomies those with terms in use), then the objects in their order. It ends with the first error of fn.
func EachLeftOut(ctx context.Context, c *catalog.Catalog, left []seo.Left, fn func(LeftOut) error) error {
	e := &explainer{Catalog: c, ctx: ctx, x: &Explanation{}}
	for t, why := range e.unlistedTypes() {
		if !t.Public || t.Taxonomy && !e.Blog.Registry().Used(t) { // WordPress registers post_format even if no post has one
			continue
		}
		e.decideFor(why)
		if err := fn(LeftOut{Object: t.String(), Rule: why.Rule, Because: e.x.Because, Do: e.x.Do}); err != nil {
			return err
		}
	}
	for len(left) > 0 {
		n := 1
		for n < min(len(left), leftBatch) && left[n].Kind == left[0].Kind && left[n].Of == left[0].Of {
			n++
		}
		found, err := e.things(left[:n])
		if err != nil {
			return err
		}
		for _, l := range left[:n] {
			if err := fn(e.left(l, found[l.ID])); err != nil {
				return err
			}
		}
		left = left[n:]
	}
	return nil
}

// unlistedTypes are the types that have no sitemap as a whole, and why.
func (e *explainer) unlistedTypes() iter.Seq2[*registry.Type, *seo.Reason] {
	return func(yield func(*registry.Type, *seo.Reason) bool) {
		for _, t := range e.Blog.Registry().Types() {
			if why := e.WhyType(t); why != nil && !yield(t, why) {
				return
			}
		}
	}
}

// things reads objects of one kind and type, with their titles.
func (e *explainer) things(left []seo.Left) (map[int64]*thing, error) {
	ids, kind := make([]int64, len(left)), left[0].Kind
	for i, l := range left {
		ids[i] = l.ID
	}
	all, err := e.objects(kind, e.Blog.Registry().Taxonomy(left[0].Of), ids)
	if err != nil {
		return nil, err
	}
	titles, err := e.titles(kind, ids)
	if err != nil {
		return nil, err
	}
	found := map[int64]*thing{}
	for _, t := range all {
		found[t.id], t.title = t, formatting.PlainText(titles[t.id])
	}
	if kind == seo.KindPost {
		flags, err := e.Settings.Posts(e.ctx, ids)
		for id, t := range found {
			t.Canonical = flags[id].Canonical
		}
		return found, err
	}
	return found, nil
}

// left describes an object that is left out; t is nil where it is gone meanwhile, or has no row.
func (e *explainer) left(l seo.Left, t *thing) LeftOut {
	s, out := &seo.Subject{Rules: e.Rules}, LeftOut{Address: e.spelling(l.Loc), Rule: l.Verdict.String()}
	switch {
	case t != nil:
		s = &t.Subject
		out.Object, out.Address, out.Title, out.Edit = t.Of, e.spelling(t.Link), t.title, e.editor(t)
	case l.Kind == seo.KindArchive && l.Of != "":
		out.Object = "archive of " + l.Of
	case l.Kind == seo.KindArchive:
		out.Object = "archive"
	default:
		out.Object = fmt.Sprintf("%d, gone meanwhile", l.ID)
	}
	out.Because, out.Do = s.Words(l.Verdict)
	return out
}
