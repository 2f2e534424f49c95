package explain

import (
	"context"
	"fmt"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
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
		things, err := e.things(left[:n])
		if err != nil {
			return err
		}
		for i, l := range left[:n] {
			if err := fn(e.left(l, things[i])); err != nil {
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

// titled is an object with its title.
type titled struct {
	*thing
	title string
	flags seo.Flags // of a post
}

// things reads objects of one kind and type; nil for one that is gone.
func (e *explainer) things(left []seo.Left) ([]titled, error) {
	ids := make([]int64, len(left))
	for i, l := range left {
		ids[i] = l.ID
	}
	found := map[int64]*thing{}
	add := func(t *thing) { found[t.id] = t }
	var flags map[int64]seo.Flags
	var err error
	switch kind, t := left[0].Kind, e.Blog.Registry().Taxonomy(left[0].Of); {
	case kind == seo.KindPost:
		if err = each(e.Blog.Posts(e.ctx, ids, nil))(func(p *wp.Post) { add(e.postThing(p)) }); err == nil {
			flags, err = e.Settings.Posts(e.ctx, ids)
		}
	case kind == seo.KindTerm && t != nil:
		err = each(e.Blog.TermsByID(e.ctx, t, ids))(func(term *wp.Term) { add(e.termThing(t, term)) })
	case kind == seo.KindUser:
		err = each(e.Blog.Authors(e.ctx, ids))(func(a *wp.Author) { add(e.authorThing(a)) })
	}
	if err != nil {
		return nil, err
	}
	titles, err := e.titles(left[0].Kind, ids)
	all := make([]titled, len(left))
	for i, id := range ids {
		all[i] = titled{found[id], formatting.PlainText(titles[id]), flags[id]}
	}
	return all, err
}

// each returns what calls a function with each of what was read, and returns the error of reading.
func each[T any](all []T, err error) func(func(T)) error {
	return func(fn func(T)) error {
		for _, one := range all {
			fn(one)
		}
		return err
	}
}

// left describes an object that is left out; t has none where it is gone meanwhile, or has no row.
func (e *explainer) left(l seo.Left, t titled) LeftOut {
	s := &seo.Subject{Rules: e.Rules}
	out := LeftOut{Address: e.spelling(l.Loc), Rule: l.Verdict.String(), Title: t.title}
	switch {
	case t.thing != nil:
		s = &t.Subject
		s.Canonical = t.flags.Canonical
		out.Object, out.Address, out.Edit = t.Of, e.spelling(t.Link), e.editor(t.thing)
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
