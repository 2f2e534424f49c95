package explain

import (
	"context"
	"fmt"
	"iter"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/registry"
)

// LeftOut describes an object or a whole type that is in no sitemap.
type LeftOut struct {
	Address string // address of the object; "" for a type
	Object  string // for example "post 17", "category 3", "post type book"
	Title   string
	Rule    string
	Because string
	Do      string
	Edit    string
}

// leftBatch is the number of objects that are read at a time.
const leftBatch = 500

// EachLeftOut calls fn for everything that is left out. It begins with types that have no sitemap and
// continues with the objects in left. It skips taxonomies without a term in use. It stops at the first
// error of fn and returns that error.
func EachLeftOut(ctx context.Context, c *catalog.Catalog, left []seo.Left, fn func(LeftOut) error) error {
	e := &explainer{Catalog: c, ctx: ctx, x: &Explanation{}}
	for t, why := range e.unlistedTypes() {
		if !t.Public || t.Taxonomy && !e.Rules.Blog.Registry().Used(t) { // WordPress registers post_format even if no post has a format
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

// unlistedTypes yields the types that have no sitemap, each with the reason.
func (e *explainer) unlistedTypes() iter.Seq2[*registry.Type, *seo.Reason] {
	return func(yield func(*registry.Type, *seo.Reason) bool) {
		for _, t := range e.Rules.Blog.Registry().Types() {
			if why := e.Rules.WhyType(t); why != nil && !yield(t, why) {
				return
			}
		}
	}
}

// things reads objects with their titles, by id. All must have the kind and type of left[0].
func (e *explainer) things(left []seo.Left) (map[int64]*thing, error) {
	ids, kind := make([]int64, len(left)), left[0].Kind
	for i, l := range left {
		ids[i] = l.ID
	}
	all, err := e.titled(kind, e.Rules.Blog.Registry().Taxonomy(left[0].Of), ids)
	if err != nil {
		return nil, err
	}
	found := map[int64]*thing{}
	for _, t := range all {
		found[t.id] = t
	}
	if kind == seo.KindPost {
		flags, err := e.Rules.Settings.Posts(e.ctx, ids)
		for id, t := range found {
			t.Canonical = flags[id].Canonical
		}
		return found, err
	}
	return found, nil
}

// left describes an object that is left out. t is the object, or nil if it no longer exists or has no row
// in the database, as an archive.
func (e *explainer) left(l seo.Left, t *thing) LeftOut {
	s, out := &seo.Subject{Rules: e.Rules}, LeftOut{Address: e.spelling(l.Loc), Rule: l.Verdict.String()}
	switch {
	case t != nil:
		s = &t.Subject
		out.Object, out.Address, out.Title, out.Edit = t.Of, e.spelling(t.Link), t.title, e.editor(t)
	case l.Kind == seo.KindArchive && l.Of != "":
		out.Object, s.PostType = "archive of "+l.Of, e.Rules.Blog.Registry().PostType(l.Of)
	case l.Kind == seo.KindArchive:
		out.Object = "archive"
	default:
		out.Object = fmt.Sprintf("object %d, which is gone now", l.ID)
	}
	out.Because, out.Do = s.Words(l.Verdict)
	return out
}
