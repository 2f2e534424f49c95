package provider

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// A Provider adds lists to a catalog: post types, taxonomies, authors, the news. A plugin names its providers in the order of
// its index.
type Provider struct {
	// Lists adds the lists to a build.
	Lists func(ctx context.Context, b *Build) error
	// Names are sitemaps that are ours to answer (true) or the site's (false), beside those of types and users; nil: none.
	Names func(*seo.Rules) map[string]bool
	// Watched are the post types whose recent posts are noted while rows are read; nil: none.
	Watched func(*seo.Rules) []string
	// Deltas reports whether a delta can bring the lists up to date; nil: it can.
	Deltas func(*seo.Rules) bool
	// Checks apply to these lists alone, after those of the plugin.
	Checks []seo.Check
	// Absent says why there is no sitemap of names that the provider makes on other blogs; nil: there are none.
	Absent func(*seo.Rules) map[string]*seo.Reason
}

// OfAddOn returns a provider of the list of an add-on with such settings, where it is on by its own rules, or else by Google's. No
// delta brings it up to date.
func OfAddOn[S interface {
	IsOn() bool
	Names() map[string]bool
}](a *seo.AddOn, usual string, own bool, settings func(*seo.Rules) S, list func(context.Context, *Build, *S) (*catalog.List, error)) Provider {
	on := func(r *seo.Rules) (S, bool) {
		s := settings(r)
		return s, s.IsOn() && a.MakesOwn(r, usual) == own
	}
	return Provider{
		Names: func(r *seo.Rules) map[string]bool {
			if s, ok := on(r); ok {
				return s.Names()
			}
			return nil
		},
		Deltas: func(r *seo.Rules) bool { _, ok := on(r); return !ok },
		Lists: func(ctx context.Context, b *Build) error {
			s, ok := on(b.Rules)
			if !ok || b.Hidden() {
				return nil
			}
			l, err := list(ctx, b, &s)
			if err == nil {
				b.Add(l)
			}
			return err
		},
		Absent: func(r *seo.Rules) map[string]*seo.Reason {
			if own || settings(r).IsOn() {
				return nil
			}
			return a.Absent(r, usual)
		},
	}
}

// Build is a catalog in the making. The lists keep its renderer, and nothing else of it.
type Build struct {
	*seo.Rules
	Rows     *rows.Reader
	Renderer *Renderer
	Catalog  *catalog.Catalog
	Before   *catalog.Catalog    // of a delta: the catalog it changes
	tallied  map[seo.Verdict]int // what was left out of the lists that are done
}

// Renderer turns the entries of a catalog into what its pages say of them.
type Renderer struct {
	*seo.Rules
	Policy     Policy
	catalog    *catalog.Catalog
	elsewhere  *rows.Translated // what the sites of other languages' domains list
	Thumbnails wp.Thumbnails    // nil: pages ask for those of their posts
	Library    *wp.Library      // nil: pages ask for the pictures they show
	bare       bool             // it returns addresses alone: no images, no translations
}

// Addresses returns the renderer of the same addresses alone.
func (c *Renderer) Addresses() *Renderer {
	bare := *c
	bare.bare = true
	return &bare
}

// BySpec returns the renderer by the policy of level spec, for lists that follow it at both levels.
func (c *Renderer) BySpec() *Renderer {
	spec := *c
	spec.Policy = SpecPolicy{}
	return &spec
}

// ListsPost reports whether a post is listed among those of its type, front pages left out.
func (b *Build) ListsPost(postType string, id int64) bool {
	if all, read := b.Rows.Posts[postType]; read {
		i, ok := rows.FindPost(all, id)
		return ok && all[i].Verdict == seo.Listed
	}
	return slices.ContainsFunc(b.Catalog.Lists, func(l *catalog.List) bool {
		return l.Kind == seo.KindPost && l.Of == postType && l.Lists(id)
	})
}

// New returns a build of a catalog that has no lists yet.
func New(c *catalog.Catalog, rows *rows.Reader, policy Policy) *Build {
	return &Build{
		Rules: c.Rules, Rows: rows, Catalog: c,
		Renderer: &Renderer{Rules: c.Rules, Policy: policy, catalog: c, elsewhere: rows.Translated},
	}
}

// List returns a list with the size of its pages and the places of first links by the policy.
func (b *Build) List(l catalog.List) *catalog.List {
	l.Size = cmp.Or(l.Size, b.Options.PageSize)
	l.Places = b.Renderer.Policy.FirstOnce()
	return &l
}

// Add adds a list, and notes as left out of it what was left out since the one before it.
func (b *Build) Add(l *catalog.List) {
	b.Tally(l)
	b.Catalog.Lists = append(b.Catalog.Lists, l)
}

// Leave counts an object that is left out, and reports it to Options.Leaves.
func (b *Build) Leave(verdict seo.Verdict, what seo.Left) {
	b.Catalog.LeftOut[verdict]++
	if b.Options.Leaves != nil {
		what.Verdict = verdict
		b.Options.Leaves(what)
	}
}

// place gives an object a place on a list, or leaves it out.
func (b *Build) place(l *catalog.List, e catalog.Entry) {
	if e.Verdict != seo.Listed {
		b.Leave(e.Verdict, seo.Left{Kind: l.Kind, Of: l.Of, ID: e.ID})
	}
	if b.Renderer.Policy.TakesPlace(b.Rules, l.Kind, e.Verdict) {
		l.Entries = append(l.Entries, e)
	}
}

// Tally notes what was left out of a list: what was counted since the list before it was made.
func (b *Build) Tally(l *catalog.List) {
	l.Explained.LeftOut = map[seo.Verdict]int{}
	for v, n := range b.Catalog.LeftOut {
		if more := n - b.tallied[v]; more > 0 {
			l.Explained.LeftOut[v] = more
		}
	}
	b.tallied = maps.Clone(b.Catalog.LeftOut)
}

// Finish makes the fingerprints. It returns the rows that deltas start from, nil where none are kept.
func (b *Build) Finish(deltas bool) *rows.Kept {
	b.Catalog.Seal(b.Rows.Touched)
	if !b.Options.Keep {
		return nil
	}
	return b.Rows.Keep(deltas)
}
