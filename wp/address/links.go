package address

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

const (
	sqlNicenames = `SELECT ID, user_nicename FROM wp_users WHERE ID IN (?)`
	sqlTermNodes = `SELECT t.term_id, t.slug, tt.parent FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id
WHERE t.term_id IN (?) AND tt.taxonomy = ?`
)

// The addresses of posts are made in three stages, so that a page of a sitemap costs a few queries:
//
//  1. need notes what each address depends on.
//  2. read reads all of it, in batches.
//  3. ownPath and address compute each address.

// link sets the permalinks of posts.
func (b *Book) link(ctx context.Context, posts []*Post) error {
	l := &linker{book: b, links: b.Blog.Links(), nodes: wp.Tree{}, terms: map[shownTerm][]int64{}, primaries: map[int64]int64{}}
	for _, p := range posts {
		l.need(p)
	}
	if err := l.read(ctx, posts); err != nil {
		return err
	}
	for _, p := range l.parents { // before the posts, because the address of an attachment contains the path of its parent
		p.own = l.ownPath(p, nil)
	}
	for _, p := range posts {
		parent := l.parentOf(p)
		p.own = l.ownPath(p, parent)
		p.Link = l.address(p, parent)
	}
	return b.correct(ctx, posts)
}

// linker holds what the permalinks of some posts depend on. It reads the ancestors of hierarchical types, the parents
// of attachments, and the authors and terms that the structure names, each in batches.
type linker struct {
	book  *Book
	links *permalink.Builder

	// These are noted by need.
	attachedTo, above, authors []int64               // ids to read
	terms                      map[shownTerm][]int64 // posts whose address shows a term
	primaries                  map[int64]int64       // chosen categories of posts and products, by post

	// These are set by read.
	nodes     wp.Tree         // the posts of hierarchical types, which need adds, and those above them
	parents   map[int64]*Post // parents of attachments
	nicenames map[int64]string
	paths     map[shownTerm]map[int64]string // texts of the shown terms, by post
	lessons   map[int64]string               // see lessonPaths
}

// need notes what must be read for the permalink of a post. An attachment has the address of its parent with its own slug, so
// besides the terms of the operator's form it needs only the parent. read calls need for the parent.
func (l *linker) need(p *Post) {
	t := l.book.Blog.Registry().PostType(p.Type)
	if t != nil {
		for _, taxonomy := range namedTerms(t.URL) {
			l.term(termOf(taxonomy), p)
		}
	}
	if p.Type == "attachment" {
		if p.Parent > 0 && p.Parent != p.ID {
			l.attachedTo = append(l.attachedTo, p.Parent)
		}
		return
	}
	if p.Type == "post" && l.links.Needs("author") {
		l.authors = append(l.authors, p.Author)
	}
	if p.Type == "post" && l.links.Needs("category") {
		l.term(termOf("category"), p)
	}
	_, category, brand := l.book.productTokens(t)
	if category {
		l.term(shownTerm{productCategory, byProduct}, p)
	}
	if brand {
		l.term(shownTerm{productBrand, byBrand}, p)
	}
	if t != nil && t.Structure != "" {
		l.needStructure(t, p)
	}
	if t != nil && t.Hierarchical {
		l.nodes[p.ID] = wp.Node{Slug: p.Name, Parent: p.Parent}
		l.above = append(l.above, p.Parent)
	}
}

// term notes that the address of a post shows a term, and the category that was chosen for the post.
func (l *linker) term(of shownTerm, p *Post) {
	l.terms[of] = append(l.terms[of], p.ID)
	if of.rule.primary && p.primary != "" {
		l.primaries[p.ID] = php.NewString(p.primary).Int()
	}
}

// read reads what need has noted. It begins with the parents of attachments, because these need more rows. A parent may be a post
// of any type.
func (l *linker) read(ctx context.Context, posts []*Post) (err error) {
	if l.parents, err = l.book.attachmentParents(ctx, l.attachedTo); err != nil {
		return err
	}
	for _, p := range l.parents {
		l.need(p)
	}
	if err := l.book.Blog.ReadAncestors(ctx, l.nodes, l.above); err != nil {
		return err
	}
	if l.nicenames, err = l.book.Blog.Texts(ctx, "reading authors", sqlNicenames, l.authors); err != nil {
		return err
	}
	l.paths = map[shownTerm]map[int64]string{}
	for of, posts := range l.terms {
		if l.paths[of], err = l.book.termPaths(ctx, of, posts, l.primaries); err != nil {
			return err
		}
	}
	l.lessons, err = l.book.lessonPaths(ctx, posts, l.parents)
	return err
}

// parentOf returns the post that an attachment belongs to, or nil.
func (l *linker) parentOf(p *Post) *Post {
	if p.Type != "attachment" || p.Parent == p.ID {
		return nil
	}
	return l.parents[p.Parent]
}

// address computes the address of a post. ownPath must have set the own paths of the post and of its parent.
func (l *linker) address(p, parent *Post) string {
	if t := l.book.Blog.Registry().PostType(p.Type); t != nil && t.URL != "" && p.own == "" {
		return "" // a token of the operator's form has no value
	}
	of := l.post(p)
	if parent != nil {
		of.Parent = new(l.post(parent))
	}
	link := l.book.managed(l.links, p, l.links.Post(of)) // by the path below home, so before a language changes home
	link = l.book.localize(p, link, parent)
	return l.book.secured(p, link) // last, because the home of a language may have replaced the whole address
}

// post returns what the permalink of one post is computed from.
func (l *linker) post(p *Post) permalink.Post {
	of := permalink.Post{
		ID: p.ID, Type: l.book.Blog.Registry().PostType(p.Type), Status: p.Status, Name: p.Name, Date: p.Date,
		Own: p.own, Author: l.nicenames[p.Author], Category: l.paths[termOf("category")][p.ID], ParentID: p.Parent, TrashedStatus: p.trashStatus,
	}
	if of.Type != nil && of.Type.Structure != "" {
		of.Terms = l.structureValues(&of)
	} else {
		of.Terms = l.productTerms(p)
	}
	if _, ok := l.nodes[p.ID]; ok {
		of.Path = l.nodes.Path(p.ID)
	}
	return of
}

// attachmentParents reads the parents of attachments, of any type and status.
func (b *Book) attachmentParents(ctx context.Context, ids []int64) (map[int64]*Post, error) {
	parents := map[int64]*Post{}
	err := b.eachPost(ctx, sqlPosts, ids, func(p *Post, _ string) { parents[p.ID] = p })
	if err != nil {
		return nil, err
	}
	err = b.Blog.EachMeta(ctx, ids, b.withLinkMeta(wp.MetaTrashStatus), func(id int64, key, value string) {
		switch p := parents[id]; {
		case p == nil:
		case key == wp.MetaTrashStatus:
			p.trashStatus = value
		case !b.Blog.LinkRules().AttachedPlain || key == metaCustomPermalink:
			b.setLinkMeta(p, key, value)
		}
	})
	if err == nil {
		_, err = b.translatePosts(ctx, slices.Collect(maps.Values(parents)), nil)
	}
	return parents, err
}

// Custom Post Type Permalinks gives each post type its own permalink structure. See byStructure for the terms in a
// structure.

// structureTaxonomies returns the taxonomies that the structure of a type names, in the order of their registration.
// The plugin fills the tokens of these taxonomies in this order.
func (b *Book) structureTaxonomies(t *registry.PostType) (names []string) {
	for _, taxonomy := range b.Blog.Registry().Taxonomies {
		if taxonomy.Public && !taxonomy.BuiltIn && strings.Contains(t.Slug+t.Structure, "%"+taxonomy.Name+"%") {
			names = append(names, taxonomy.Name)
		}
	}
	return names
}

func (l *linker) needStructure(t *registry.PostType, p *Post) {
	form := t.Slug + t.Structure
	if strings.Contains(form, "%author%") {
		l.authors = append(l.authors, p.Author)
	}
	if strings.Contains(form, "%category%") {
		l.term(termOf("category"), p)
	}
	for _, name := range l.book.structureTaxonomies(t) {
		l.term(termOf(name), p)
	}
}

// structureValues returns the values of the tokens in the address of a post. If the post has no term of a taxonomy, the token gets the
// value of the taxonomy before it in the result of structureTaxonomies, as in Custom Post Type Permalinks. If there is no such value, the
// token stays as it is.
func (l *linker) structureValues(p *permalink.Post) map[string]string {
	values := map[string]string{"author": p.Author, "category": p.Category}
	before := ""
	for _, name := range l.book.structureTaxonomies(p.Type) {
		if before = cmp.Or(l.paths[termOf(name)][p.ID], before); before != "" {
			values[name] = before
		}
	}
	return values
}
