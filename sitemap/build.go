package sitemap

import (
	"context"
	"maps"

	"wpsitemapd/wp"
)

// A Provider contributes lists to a catalog: of post types, taxonomies, authors, the news. A plugin's come in the order
// of its index.
type Provider struct {
	// Lists adds the lists to a build.
	Lists func(ctx context.Context, b *build) error
	// Names are sitemaps that are ours to answer (true) or the site's (false), beside those of types and users; nil: none.
	Names func(*Rules) map[string]bool
	// Watched are the post types whose recent posts are noted while rows are read; nil: none.
	Watched func(*Rules) []string
	// Deltas reports whether the lists are made of what deltas look at; nil: they are.
	Deltas func(*Rules) bool
}

// build is what a catalog is made with. What is kept of a catalog holds on to its renderer alone.
type build struct {
	*Rules
	*Reader
	*Renderer
	*Catalog
	before  *Catalog        // of a delta: the catalog it changes
	tallied map[Verdict]int // what was left out of the lists that are made
}

// Renderer turns the entries of a catalog into what its pages say of them.
type Renderer struct {
	*Rules
	policy     *Policy
	catalog    *Catalog
	elsewhere  *translated    // what the sites of other languages' domains list
	thumbnails *wp.Thumbnails // nil: pages ask for those of their posts
	library    *wp.Library    // nil: pages ask for the pictures they show
}

// newBuild returns a build of a catalog that has no lists yet.
func newBuild(c *Catalog, rows *Reader, policy *Policy) *build {
	return &build{
		Rules: c.Rules, Reader: rows, Catalog: c,
		Renderer: &Renderer{Rules: c.Rules, policy: policy, catalog: c, elsewhere: rows.translated},
	}
}

// list returns a list with what all lists of a blog have.
func (b *build) list(l list) *list {
	if l.size == 0 {
		l.size = b.opt.PageSize
	}
	l.places = b.policy.first.places
	return &l
}

// add adds a list, and notes as left out of it what was left out since the one before it.
func (b *build) add(l *list) {
	b.tally(l)
	b.lists = append(b.lists, l)
}

// tally notes what was left out of a list: what was counted since the list before it was made.
func (b *build) tally(l *list) {
	l.left = map[Verdict]int{}
	for v, n := range b.skipped {
		if more := n - b.tallied[v]; more > 0 {
			l.left[v] = more
		}
	}
	b.tallied = maps.Clone(b.skipped)
}

// finish makes the fingerprints. It returns the rows that deltas start from.
func (b *build) finish(deltas bool) *Kept {
	touched := map[int64]uint64{}
	for _, rows := range b.posts {
		for i := range rows {
			if n := rows[i].touched; n > 0 {
				touched[rows[i].id] = uint64(n)
			}
		}
	}
	extra := uint64(0)
	for _, id := range b.translated.posts {
		extra = mix(extra, uint64(id))
	}
	b.fingerprint(touched, extra)
	if !b.opt.Keep {
		return nil
	}
	return b.keep(deltas)
}
