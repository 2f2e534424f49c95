package provider

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/objects"
)

// Build is a catalog under construction. The finished lists keep the renderer of the Build, but no
// other part.
type Build struct {
	Rules    *seo.Rules
	Rows     *rows.Reader
	Renderer *Renderer
	Catalog  *catalog.Catalog
	Before   *catalog.Catalog    // the catalog that the delta changes; nil for a full scan
	Left     *[]seo.Left         // takes every object that is left out; if nil, objects are only counted
	tallied  map[seo.Verdict]int // number of objects that were left out of the lists so far, by verdict
}

// Renderer renders the entries of a catalog as the URLs of its pages.
type Renderer struct {
	Rules      *seo.Rules
	Policy     Policy
	catalog    *catalog.Catalog
	elsewhere  *rows.Translated   // the objects that sites at the domains of other languages list
	Thumbnails objects.Thumbnails // featured images of all posts; nil if each page reads those of its posts
	Library    *objects.Library   // media library; nil if each page reads the images of its posts
	bare       bool               // the renderer makes addresses only, without images and translations
}

// addresses returns a renderer that makes the same addresses, but without images and translations.
func (c *Renderer) addresses() *Renderer {
	bare := *c
	bare.bare = true
	return &bare
}

// BySpec returns a renderer with the policy of level spec, for lists that follow that policy at both levels.
func (c *Renderer) BySpec() *Renderer {
	spec := *c
	spec.Policy = SpecPolicy{}
	return &spec
}

// ListsPost reports whether the list of a post type holds a post. Front pages do not count.
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

// List returns a copy of l. It sets FirstPlaced by the policy, and Size to the page size of the site if l has none.
func (b *Build) List(l catalog.List) *catalog.List {
	l.Size = cmp.Or(l.Size, b.Rules.Options.PageSize)
	l.FirstPlaced = b.Renderer.Policy.FirstOnce()
	return &l
}

// Add adds a list to the catalog. All objects that were left out since the previous list was added count as
// left out of this list.
func (b *Build) Add(l *catalog.List) {
	b.tally(l)
	b.Catalog.Lists = append(b.Catalog.Lists, l)
}

// Leave counts an object that is left out because of a verdict. what is the object. If b.Left is not nil, Leave also
// adds what to *b.Left.
func (b *Build) Leave(verdict seo.Verdict, what seo.Left) {
	b.Catalog.LeftOut[verdict]++
	if b.Left != nil {
		what.Verdict = verdict
		*b.Left = append(*b.Left, what)
	}
}

// place appends an object to a list if, by the policy, an object with this verdict takes a place. It counts
// the object as left out if it is not listed.
func (b *Build) place(l *catalog.List, p catalog.Place) {
	if p.Verdict != seo.Listed {
		b.Leave(p.Verdict, seo.Left{Kind: l.Kind, Of: l.Of, ID: p.ID})
	}
	if b.Renderer.Policy.TakesPlace(b.Rules, l.Kind, p.Verdict) {
		l.Places = append(l.Places, p)
	}
}

// tally records in a list how many objects were left out since the last list was tallied.
func (b *Build) tally(l *catalog.List) {
	l.Explained.LeftOut = map[seo.Verdict]int{}
	for v, n := range b.Catalog.LeftOut {
		if more := n - b.tallied[v]; more > 0 {
			l.Explained.LeftOut[v] = more
		}
	}
	b.tallied = maps.Clone(b.Catalog.LeftOut)
}

// Finish computes the fingerprints of the catalog. It returns the rows from which deltas start, or nil if rows are not kept.
// deltas says whether the catalog takes deltas.
func (b *Build) Finish(deltas bool) *rows.Kept {
	b.Catalog.Seal(b.Rows.Touched)
	if !b.Rules.Options.Keep {
		return nil
	}
	return b.Rows.Keep(deltas)
}

// ReadAll reads the rows of the catalog. earlier holds the rows of the earlier catalog, or is nil. If the new catalog keeps its
// rows, ReadAll drops the earlier rows from memory. If every page will be rendered, the site's second connection reads the
// images that pages share at the same time.
func (b *Build) ReadAll(ctx context.Context, earlier *rows.Kept) error {
	if !b.Rules.Options.AllPages {
		return b.Rows.Read(ctx, earlier)
	}
	return beside(ctx, b.Rules.Options.Log, b.Renderer.readShared, func(ctx context.Context) error { return b.Rows.Read(ctx, earlier) })
}

// beside runs two functions at the same time. A site has two connections to its database. A panic of the first function is logged and
// becomes an error.
func beside(ctx context.Context, log *slog.Logger, one, other func(context.Context) error) error {
	group, both := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		defer func() { // without it, a panic in this goroutine would end the process
			if v := recover(); v != nil {
				log.Error("internal error", "panic", v, "stack", string(debug.Stack()), "hint", "report it with this log entry")
				err = fmt.Errorf("internal error: %v", v)
			}
		}()
		return one(both)
	})
	err := other(both)
	return cmp.Or(group.Wait(), err)
}

// readShared reads the featured images. It also reads the media library, unless that is much larger than the number of featured
// images.
func (b *Renderer) readShared(ctx context.Context) (err error) {
	const few, most, perThumbnail = 1000, 1_000_000, 3
	if b.Thumbnails, err = objects.ReadThumbnails(ctx, b.Rules.Blog); err != nil {
		return err
	}
	b.Library, err = objects.ReadLibrary(ctx, b.Rules.Blog, min(few+perThumbnail*len(b.Thumbnails), most))
	return err
}
