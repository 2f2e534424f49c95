package explain

import (
	"context"
	"fmt"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/formatting"
)

// LeftOut is an object, or a whole type, that is in no sitemap, and why. Its JSON is what wpsitemapd left-out --json prints.
type LeftOut struct {
	Address string `json:"address"` // of the object's own; "" for a type
	Object  string `json:"object"`  // "post 17", "category 3", "post type book" …
	Title   string `json:"title,omitempty"`
	Rule    string `json:"rule"`
	Because string `json:"because"`
	Do      string `json:"do,omitempty"`
	Edit    string `json:"edit,omitempty"`
}

// leftBatch is how many objects are named at a time.
const leftBatch = 500

// EachLeftOut calls fn for what is left out, with its address and title: first the types that have no sitemap as a whole,
// then the objects in their order. It ends with the first error of fn.
func EachLeftOut(ctx context.Context, c *catalog.Catalog, left []seo.Left, fn func(LeftOut) error) error {
	e := &explainer{Catalog: c, ctx: ctx, x: &Explanation{}}
	for _, t := range c.Blog.Registry().PostTypes {
		if why := e.WhyPostType(t); t.Public && why != nil {
			if err := fn(e.leftType("post type "+t.Name, why)); err != nil {
				return err
			}
		}
	}
	for _, t := range c.Blog.Registry().Taxonomies {
		if why := e.WhyTaxonomy(t); t.Public && why != nil {
			if err := fn(e.leftType("taxonomy "+t.Name, why)); err != nil {
				return err
			}
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

// leftType is a type that is left out as a whole.
func (e *explainer) leftType(what string, why *seo.Reason) LeftOut {
	e.decideFor(why)
	return LeftOut{Object: what, Rule: why.Rule, Because: e.x.Because, Do: e.x.Do}
}

// things reads objects of one kind and type, with their titles.
func (e *explainer) things(left []seo.Left) (map[int64]*thing, error) {
	ids := make([]int64, len(left))
	for i, l := range left {
		ids[i] = l.ID
	}
	found := map[int64]*thing{}
	switch kind, of := left[0].Kind, e.Blog.Registry().Taxonomy(left[0].Of); {
	case kind == seo.KindPost:
		posts, err := e.Blog.Posts(e.ctx, ids, nil)
		if err != nil {
			return nil, err
		}
		flags, err := e.Settings.Posts(e.ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, p := range posts {
			found[p.ID] = e.postThing(p)
			found[p.ID].Canonical = flags[p.ID].Canonical
		}
	case kind == seo.KindTerm && of != nil:
		terms, err := e.Blog.TermsByID(e.ctx, of, ids)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			found[term.ID] = e.termThing(of, term)
		}
	case kind == seo.KindUser:
		authors, err := e.Blog.Authors(e.ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, a := range authors {
			found[a.ID] = e.authorThing(a)
		}
	}
	titles, err := e.titles(left[0].Kind, ids)
	for id, t := range found {
		t.title = formatting.PlainText(titles[id])
	}
	return found, err
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
