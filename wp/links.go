package wp

import (
	"context"
	"maps"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

const (
	metaTrashStatus = "_wp_trash_meta_status"

	sqlNodes        = `SELECT ID, post_name, post_parent FROM wp_posts WHERE ID IN (?)`
	sqlNicenames    = `SELECT ID, user_nicename FROM wp_users WHERE ID IN (?)`
	sqlTermsOfPosts = `SELECT tr.object_id, tt.term_id, tt.parent FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id JOIN wp_terms t ON t.term_id = tt.term_id
WHERE tr.object_id IN (?) AND tt.taxonomy = ?`
	sqlTermNodes = `SELECT t.term_id, t.slug, tt.parent FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id
WHERE t.term_id IN (?) AND tt.taxonomy = ?`
	maxAncestorQueries = 30 // deeper chains end there; core has no limit, but real sites do not nest so deep
)

// links builds permalinks for this site.
func (s *Blog) links() *permalink.Builder {
	set := s.set.Permalinks
	set.Home = s.home
	return permalink.New(set)
}

// link computes the permalinks of posts, with what they need read in batches: ancestors of
// hierarchical types, parents of attachments, authors and categories where the structure names them.
func (s *Blog) link(ctx context.Context, posts []*Post) error {
	b := s.links()
	var need linkNeeds
	for _, p := range posts {
		s.needs(b, p, &need)
	}
	if len(need.parents) > 0 { // attachments hang below posts of any type
		parents, err := s.attachmentParents(ctx, need.parents)
		if err != nil {
			return err
		}
		if _, err := s.translatePosts(ctx, slices.Collect(maps.Values(parents)), nil); err != nil {
			return err
		}
		need.attachedTo = parents
		for _, p := range parents {
			s.needs(b, p, &need)
		}
	}
	facts, err := s.linkFacts(ctx, need)
	if err != nil {
		return err
	}
	lessons, err := s.lessonPaths(ctx, posts, need.attachedTo)
	if err != nil {
		return err
	}
	for _, p := range need.attachedTo {
		p.own = s.ownPath(b, p, nil, &facts, lessons)
	}
	for _, p := range posts {
		p.own = s.ownPath(b, p, need.attachedTo[p.Parent], &facts, lessons)
		link := s.managed(b, p, b.Post(s.linkPost(p, need, facts)))
		p.Link = s.secured(p, s.localize(p, link, s.linkRoot(p, need.attachedTo)))
		if t := s.registry.PostType(p.Type); t != nil && t.URL != "" && p.own == "" {
			p.Link = ""
		}
	}
	return s.correct(ctx, posts)
}

// linkNeeds are the ids that links depend on.
type linkNeeds struct {
	ancestors, authors, categorised, productCategorised, branded, parents []int64
	structured                                                            map[string][]int64 // posts by taxonomies in their structures
	nodes                                                                 nodes              // the posts themselves
	attachedTo                                                            map[int64]*Post
	primaries                                                             map[int64]int64 // chosen categories of posts and products
}

// linkFacts are the rows behind those ids.
type linkFacts struct {
	nodes      nodes
	authors    map[int64]string
	categories map[int64]string            // post → slug path
	products   map[int64]string            // product → slug path of its category
	brands     map[int64]string            // product → slug
	structured map[string]map[int64]string // taxonomy → post → slug path
}

func (s *Blog) needs(b *permalink.Builder, p *Post, need *linkNeeds) {
	t := s.registry.PostType(p.Type)
	if t != nil {
		for _, taxonomy := range namedTerms(t.URL) {
			need.term(taxonomy, p)
		}
	}
	switch {
	case p.Type == "attachment":
		if p.Parent > 0 && p.Parent != p.ID {
			need.parents = append(need.parents, p.Parent)
		}
		return
	case p.Type == "post":
		if b.Needs("author") {
			need.authors = append(need.authors, p.Author)
		}
		if b.Needs("category") {
			need.term("category", p)
		}
	}
	if _, category, brand := s.productTokens(t); category || brand {
		if category {
			need.productCategorised = append(need.productCategorised, p.ID)
			need.prefer(p)
		}
		if brand {
			need.branded = append(need.branded, p.ID)
		}
	}
	if t != nil && t.Structure != "" {
		s.structureNeeds(t, p, need)
	}
	if t != nil && t.Hierarchical {
		if need.nodes == nil {
			need.nodes = nodes{}
		}
		need.nodes[p.ID] = node{p.Name, p.Parent}
		need.ancestors = append(need.ancestors, p.Parent)
	}
}

// term notes that the address of a post has a term of a taxonomy.
func (need *linkNeeds) term(taxonomy string, p *Post) {
	if taxonomy == "category" {
		need.categorised = append(need.categorised, p.ID)
		need.prefer(p)
		return
	}
	if need.structured == nil {
		need.structured = map[string][]int64{}
	}
	need.structured[taxonomy] = append(need.structured[taxonomy], p.ID)
}

// prefer notes the category that was chosen for the address of a post or product.
func (need *linkNeeds) prefer(p *Post) {
	if p.primary == "" {
		return
	}
	if need.primaries == nil {
		need.primaries = map[int64]int64{}
	}
	need.primaries[p.ID] = php.NewString(p.primary).Int()
}

func (s *Blog) linkFacts(ctx context.Context, need linkNeeds) (linkFacts, error) {
	f := linkFacts{nodes: need.nodes}
	if err := s.ancestors(ctx, f.nodes, need.ancestors); err != nil {
		return f, err
	}
	var err error
	if f.authors, err = s.texts(ctx, "reading authors", sqlNicenames, need.authors); err != nil {
		return f, err
	}
	if len(need.categorised) > 0 {
		f.categories, err = s.termPaths(ctx, "category", need.categorised, need.primaries,
			func(terms []permalink.ProductCategory, primary int64) int64 {
				ids := make([]int64, len(terms))
				for i, t := range terms {
					ids[i] = t.ID
				}
				return permalink.CategoryChoice(ids, primary)
			})
		if err != nil {
			return f, err
		}
	}
	if len(need.productCategorised) > 0 {
		f.products, err = s.termPaths(ctx, productCategory, need.productCategorised, need.primaries, permalink.ProductCategoryChoice)
		if err != nil {
			return f, err
		}
	}
	if f.structured, err = s.structureTerms(ctx, need.structured); err != nil {
		return f, err
	}
	if len(need.branded) > 0 {
		if f.brands, err = s.brandSlugs(ctx, need.branded); err != nil {
			return f, err
		}
	}
	return f, nil
}

// linkPost puts together what the link of one post is computed from.
func (s *Blog) linkPost(p *Post, need linkNeeds, f linkFacts) permalink.Post {
	l := permalink.Post{
		ID: p.ID, Type: s.registry.PostType(p.Type), Status: p.Status, Name: p.Name, Date: p.Date,
		Own: p.own, Author: f.authors[p.Author], Category: f.categories[p.ID], ParentID: p.Parent, TrashedStatus: p.trashStatus,
	}
	if l.Type != nil && l.Type.Structure != "" {
		l.Terms = s.structureValues(&l, f)
	} else {
		l.Terms = s.productTerms(p, f)
	}
	if _, ok := f.nodes[p.ID]; ok {
		l.Path = f.nodes.path(p.ID)
	}
	if parent := need.attachedTo[p.Parent]; parent != nil && p.Type == "attachment" && p.Parent != p.ID {
		up := s.linkPost(parent, linkNeeds{}, f)
		l.Parent = &up
	}
	return l
}

// attachmentParents reads the rows attachments hang on, whatever their type or status.
func (s *Blog) attachmentParents(ctx context.Context, ids []int64) (map[int64]*Post, error) {
	parents := map[int64]*Post{}
	err := s.eachPost(ctx, sqlPosts, ids, func(p *Post, _ string) { parents[p.ID] = p })
	if err != nil {
		return nil, err
	}
	err = s.meta(ctx, ids, s.withPrimary(metaTrashStatus), func(id int64, key, value string) {
		switch p := parents[id]; {
		case p == nil:
		case key == metaTrashStatus:
			p.trashStatus = value
		case !s.linked.AttachedPlain || key == metaCustomPermalink:
			s.setPrimary(p, key, value)
		}
	})
	return parents, err
}

// node is a row of a tree of slugs.
type node struct {
	name   string
	parent int64
}

type nodes map[int64]node

func (n nodes) get(id int64) (slug string, parent int64, ok bool) {
	row, ok := n[id]
	return row.name, row.parent, ok
}

// path joins the slugs from the root down to id.
func (n nodes) path(id int64) string { return permalink.Path(id, n.get) }

// ancestors reads rows and all their ancestors into n, one query a generation.
func (s *Blog) ancestors(ctx context.Context, n nodes, ids []int64) error {
	return s.tree(ctx, n, ids, sqlNodes)
}

func (s *Blog) tree(ctx context.Context, n nodes, ids []int64, query string, args ...any) error {
	for range maxAncestorQueries {
		var missing []int64
		for _, id := range distinct(ids) {
			if _, ok := n[id]; !ok && id > 0 {
				missing = append(missing, id)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		ids = ids[:0:0]
		err := s.byID(ctx, "reading ancestors", query, missing, db.Rows3(func(id int64, name string, parent int64) {
			n[id] = node{name, parent}
			ids = append(ids, parent)
		}), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// termPaths returns for every post the slug path of the term that choose picks among its terms of a taxonomy, by the one
// that was chosen for it.
func (s *Blog) termPaths(ctx context.Context, taxonomy string, posts []int64, primaries map[int64]int64,
	choose func(terms []permalink.ProductCategory, primary int64) int64) (map[int64]string, error) {
	terms := map[int64][]permalink.ProductCategory{}
	err := s.byID(ctx, "reading the terms of posts", sqlTermsOfPosts, posts, db.Rows3(func(post, id, parent int64) {
		terms[post] = append(terms[post], permalink.ProductCategory{ID: id, Parent: parent})
	}), taxonomy)
	if err != nil {
		return nil, err
	}
	tree := nodes{}
	if s.linked.AnyPrimary {
		if err := s.tree(ctx, tree, slices.Collect(maps.Values(primaries)), sqlTermNodes, taxonomy); err != nil {
			return nil, err
		}
	}
	chosen := map[int64]int64{}
	var ids []int64
	for post, of := range terms {
		primary := primaries[post]
		if _, exists := tree[primary]; !exists {
			primary = choose(of, primary)
		}
		chosen[post] = primary
		ids = append(ids, primary)
	}
	if taxonomy == "category" && len(terms) < len(posts) {
		ids = append(ids, s.set.DefaultCategory)
	}
	if err := s.tree(ctx, tree, ids, sqlTermNodes, taxonomy); err != nil {
		return nil, err
	}
	paths := make(map[int64]string, len(posts))
	for _, post := range posts {
		switch id, ok := chosen[post]; {
		case ok && taxonomy == "category":
			paths[post] = permalink.CategoryPath(id, tree.get)
		case ok:
			paths[post] = permalink.TermPath(id, tree.get)
		case taxonomy == "category":
			paths[post] = tree[s.set.DefaultCategory].name // without its ancestors, as core does
		default:
			paths[post] = s.set.Woo.NoTerm
		}
	}
	return paths, nil
}
