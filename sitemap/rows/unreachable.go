package rows

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// unreachable holds posts that visitors do not find at their links. Each slice is sorted.
type unreachable struct {
	lost     map[string][]int64 // posts that WordPress does not find because of what is above them, by hierarchical type
	inForums []int64            // posts below hidden forums
	shadowed []int64            // pages and posts whose address another object answers
	rivals   []int64            // posts that may shadow or be shadowed: those with the slug of a page or of a year
}

// These bound the trees that are read. A full scan reads no tree with more than mostOfTree posts. If a tree has more than
// mostOfTreeInDelta posts, a delta takes over its lost posts from the earlier catalog. Pages of a larger tree are not compared
// with other objects, because a delta could not compare them.
const (
	mostOfTree        = 50_000
	mostOfTreeInDelta = 5_000
)

// findUnreachable reads the trees of hierarchical types, and the objects that share their slugs with pages.
func (b *Reader) findUnreachable(ctx context.Context) error {
	u := unreachable{lost: map[string][]int64{}}
	pages, err := b.findLost(ctx, u.lost)
	if err != nil {
		return err
	}
	if u.inForums, err = b.findInForums(ctx); err != nil {
		return err
	}
	if u.shadowed, u.rivals, err = b.findShadowed(ctx, pages); err != nil {
		return err
	}
	b.unreachable = u
	return nil
}

// trees returns the hierarchical types whose posts WordPress finds by the slugs above them. It returns none if no check needs them. Rules
// that have seo.Shadowed have seo.NoAddress, too, so that findShadowed gets the tree of pages.
func (b *Reader) trees() []*registry.PostType {
	return slices.DeleteFunc(slices.Clone(b.Rules.PostTypes()), func(t *registry.PostType) bool {
		return !t.Hierarchical || !b.Rules.Has(seo.NoAddress) || !b.Rules.ListsType(t) || !b.Rules.NamedInLinks(t)
	})
}

// keepsTree reports whether a delta takes over the lost posts of a type from the earlier catalog, because the tree of the type is
// too large to be read. It returns false in a full scan and for a single object, which have no posts yet.
func (b *Reader) keepsTree(t *registry.PostType) bool {
	return len(b.Posts[t.Name]) > mostOfTreeInDelta
}

// findLost finds the lost posts of each tree, and returns the tree of pages. If there are more pages than mostOfTreeInDelta,
// the returned tree is empty.
func (b *Reader) findLost(ctx context.Context, lost map[string][]int64) (pages *objects.PostTree, err error) {
	pages = &objects.PostTree{}
	for _, t := range b.trees() {
		if b.keepsTree(t) {
			lost[t.Name] = b.unreachable.lost[t.Name]
			continue
		}
		tree, err := objects.ReadPostTree(ctx, b.Rules.Blog, t.Name, mostOfTree)
		if err != nil {
			return nil, err
		}
		if t.Name == "page" && tree.Len() <= mostOfTreeInDelta {
			pages = tree
		}
		if lost[t.Name], err = b.Rules.Book.InTree(ctx, t, tree.Lost()); err != nil {
			return nil, err
		}
		slices.Sort(lost[t.Name])
	}
	return pages, nil
}

// findInForums returns the posts below hidden forums, or nil if no check needs them.
func (b *Reader) findInForums(ctx context.Context) ([]int64, error) {
	if !b.Rules.Has(seo.HiddenForum) {
		return nil, nil
	}
	return objects.InHiddenForums(ctx, b.Rules.Blog)
}

// findShadowed returns the posts at whose address another object answers. They are pages at the address of a term, an archive or
// a post of another type, and posts at the address of a page. They are also posts at whose address the rewrite rules ask for
// another kind of object. rivals are the posts that findShadowed has compared with pages or years.
func (b *Reader) findShadowed(ctx context.Context, pages *objects.PostTree) (shadowed, rivals []int64, err error) {
	if !b.Rules.Has(seo.Shadowed) || !b.Rules.ListsTypeNamed("page") || !b.Rules.Links.Pretty() {
		return nil, nil, nil
	}
	types, taken, err := b.besidePages(ctx)
	if err != nil {
		return nil, nil, err
	}
	var archives []string
	for link := range taken {
		archives = append(archives, path.Base(link))
	}
	same, err := objects.ReadNamesakes(ctx, b.Rules.Blog, pages, types, archives)
	if err != nil {
		return nil, nil, err
	}
	years, err := b.namedAsYears(ctx)
	if err != nil {
		return nil, nil, err
	}
	below := pages.BelowTops(b.Rules.Book.Bases())
	shadowed, err = b.Rules.Book.ShadowedByRules(ctx, slices.Concat(below, years))
	if err == nil && len(same.Pages) > 0 {
		var named []int64
		named, err = b.shadowedByName(ctx, &same, taken)
		shadowed = append(shadowed, named...)
	}
	return wp.Distinct(shadowed), wp.Distinct(append(years, same.Posts...)), err
}

// besidePages returns the types whose posts may have the address of a page, and the addresses of their archives.
func (b *Reader) besidePages(ctx context.Context) (types []string, archives map[string]bool, err error) {
	archives = map[string]bool{}
	for _, t := range b.Rules.PostTypes() {
		if !b.Rules.ListsType(t) || t.Name == "page" || t.Name == "attachment" {
			continue
		}
		types = append(types, t.Name)
		if !t.HasArchive || t.ArchivePage > 0 || t.Name == "post" {
			continue
		}
		link, err := b.Rules.Book.ArchiveLink(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		archives[link] = true
	}
	return types, archives, nil
}

// shadowedByName compares the addresses of objects that share a slug. It returns the posts whose address another object answers.
// It adds addresses that always answer for another object to taken.
func (b *Reader) shadowedByName(ctx context.Context, same *objects.Namesakes, taken map[string]bool) (shadowed []int64, err error) {
	for _, t := range b.Rules.Taxonomies() {
		var ids []int64
		for _, key := range same.Terms {
			if key.Taxonomy == t.Name && b.Rules.ListsType(t) {
				ids = append(ids, key.ID)
			}
		}
		terms, err := b.Rules.Book.TermsByID(ctx, t, ids)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			taken[term.Link] = true
		}
	}
	posts, err := b.Rules.Book.Posts(ctx, slices.Concat(same.Pages, same.Posts), nil)
	if err != nil {
		return nil, err
	}
	plain := func(p *address.Post) bool { return p.Type == "page" || p.Type == "post" } // any other type takes its address from both
	yields := func(p *address.Post) bool {
		return (p.Type == "page") != b.Rules.Blog.Settings().Permalinks.PagesFirst()
	}
	stronger := map[string]bool{} // addresses of those of pages and posts that WordPress looks for first
	for _, p := range posts {
		switch {
		case !plain(p):
			taken[p.Link] = true
		case !yields(p):
			stronger[p.Link] = true
		}
	}
	for _, p := range posts {
		if plain(p) && !b.Rules.IsFirstLink(p.ID) && (taken[p.Link] || yields(p) && stronger[p.Link]) {
			shadowed = append(shadowed, p.ID)
		}
	}
	return shadowed, nil
}

// namedAsYears returns the posts that may have the address of the archive of a year. WordPress allows no such slug if the
// address begins with it, but allows one behind a folder (/blog/2025/).
func (b *Reader) namedAsYears(ctx context.Context) ([]int64, error) {
	folder, end, found := strings.Cut(b.Rules.Blog.Settings().Permalinks.Structure, "%postname%")
	if !found || strings.Trim(folder, "/") == "" || strings.Contains(folder, "%") || strings.Trim(end, "/") != "" {
		return nil, nil
	}
	return objects.NamedAsYears(ctx, b.Rules.Blog)
}

// findUnreachableNow finds posts whose links broke or work again, for example because a draft above them got a slug. It also
// finds posts that moved below or out of a hidden forum, and posts whose address another object took or gave up. If only terms were
// written, it finds nothing: that waits for the next full scan.
func (d *delta) findUnreachableNow(ctx context.Context) error {
	if !d.wrote("posts") {
		return nil
	}
	if may, err := d.mayChangeUnreachable(ctx); err != nil || !may {
		return err
	}
	before := d.unreachable
	if err := d.findUnreachable(ctx); err != nil {
		return err
	}
	now := d.unreachable
	changed := append(apart(before.inForums, now.inForums), apart(before.shadowed, now.shadowed)...)
	for name, ids := range now.lost {
		changed = append(changed, apart(before.lost[name], ids)...)
	}
	return d.touch(changed...)
}

// mayChangeUnreachable reports whether what was written can change which posts are unreachable. If it cannot, a delta need not
// read the trees, which costs a row for every page and every term. The answer is true if
//
//   - it is not known which post was written: somebody may have given a page another slug or parent
//   - slugs of terms were written, too
//   - a touched post is or was in a tree, or is above a post of a tree
//   - a touched post has or had a slug that a page has too, or that looks like a year
//   - a touched post has no row in the earlier catalog and none now, so its type is not known
func (d *delta) mayChangeUnreachable(ctx context.Context) (bool, error) {
	if len(d.touched) == 0 || d.wrote("terms") {
		return true, nil
	}
	ids := slices.Collect(maps.Keys(d.touched))
	if err := d.readNow(ctx, ids); err != nil {
		return false, err
	}
	trees := d.treesToRead()
	var slugs []string
	for _, id := range ids {
		before, was := d.typeBefore(id)
		now, is := d.now[id]
		_, rival := slices.BinarySearch(d.unreachable.rivals, id)
		if rival || !was && !is || slices.Contains(trees, before) || slices.Contains(trees, now.Type) || objects.IsYear(now.Slug) {
			return true, nil
		}
		if now.Slug != "" {
			slugs = append(slugs, now.Slug)
		}
	}
	if len(trees) == 0 {
		return false, nil
	}
	if below, err := objects.HasBelow(ctx, d.Rules.Blog, trees, ids); err != nil || below {
		return below, err
	}
	return objects.HasPageNamed(ctx, d.Rules.Blog, slugs)
}

// treesToRead returns the types whose posts a delta reads to find unreachable ones.
func (d *delta) treesToRead() (types []string) {
	for _, t := range d.trees() {
		if !d.keepsTree(t) {
			types = append(types, t.Name)
		}
	}
	if d.Rules.Has(seo.HiddenForum) && len(d.Rules.Blog.Settings().Exclusions.HiddenForums) > 0 {
		types = append(types, objects.TypesOfForums...)
	}
	return types
}

// typeBefore returns the type that a post had in the earlier catalog. ok is false if the post had no row there.
func (d *delta) typeBefore(id int64) (postType string, ok bool) {
	for name, rows := range d.start.Posts {
		if _, ok := FindPost(rows, id); ok {
			return name, true
		}
	}
	return "", false
}

// apart returns the ids that are in only one of the two lists.
func apart(a, b []int64) []int64 {
	count := make(map[int64]int, len(a))
	for _, v := range a {
		count[v]++
	}
	for _, v := range b {
		count[v]--
	}
	maps.DeleteFunc(count, func(_ int64, n int) bool { return n == 0 })
	return slices.Collect(maps.Keys(count))
}
