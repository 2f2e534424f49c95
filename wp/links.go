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

	sqlNodes     = `SELECT ID, post_name, post_parent FROM wp_posts WHERE ID IN (?)`
	sqlNicenames = `SELECT ID, user_nicename FROM wp_users WHERE ID IN (?)`
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
		p.Link = s.secured(p, s.localize(p, link, need.attachedTo[p.Parent]))
		if t := s.registry.PostType(p.Type); t != nil && t.URL != "" && p.own == "" {
			p.Link = ""
		}
	}
	return s.correct(ctx, posts)
}

// linkNeeds are the ids that links depend on.
type linkNeeds struct {
	ancestors, authors, parents []int64
	terms                       map[shownTerm][]int64 // posts by the terms that their addresses show
	nodes                       nodes                 // the posts themselves
	attachedTo                  map[int64]*Post
	primaries                   map[int64]int64 // chosen categories of posts and products
}

// linkFacts are the rows behind those ids.
type linkFacts struct {
	nodes   nodes
	authors map[int64]string
	terms   map[shownTerm]map[int64]string // slug paths by post
}

func (s *Blog) needs(b *permalink.Builder, p *Post, need *linkNeeds) {
	t := s.registry.PostType(p.Type)
	if t != nil {
		for _, taxonomy := range namedTerms(t.URL) {
			need.term(termOf(taxonomy), p)
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
			need.term(termOf("category"), p)
		}
	}
	_, category, brand := s.productTokens(t)
	if category {
		need.term(shownTerm{productCategory, byProduct}, p)
	}
	if brand {
		need.term(shownTerm{productBrand, byBrand}, p)
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

// term notes that the address of a post shows a term, and the category that was chosen for it.
func (need *linkNeeds) term(of shownTerm, p *Post) {
	if need.terms == nil {
		need.terms, need.primaries = map[shownTerm][]int64{}, map[int64]int64{}
	}
	need.terms[of] = append(need.terms[of], p.ID)
	if of.rule.primary && p.primary != "" {
		need.primaries[p.ID] = php.NewString(p.primary).Int()
	}
}

func (s *Blog) linkFacts(ctx context.Context, need linkNeeds) (linkFacts, error) {
	f := linkFacts{nodes: need.nodes, terms: map[shownTerm]map[int64]string{}}
	if err := s.ancestors(ctx, f.nodes, need.ancestors); err != nil {
		return f, err
	}
	var err error
	if f.authors, err = s.texts(ctx, "reading authors", sqlNicenames, need.authors); err != nil {
		return f, err
	}
	for of, posts := range need.terms {
		if f.terms[of], err = s.termPaths(ctx, of, posts, need.primaries); err != nil {
			return f, err
		}
	}
	return f, nil
}

// linkPost puts together what the link of one post is computed from.
func (s *Blog) linkPost(p *Post, need linkNeeds, f linkFacts) permalink.Post {
	l := permalink.Post{
		ID: p.ID, Type: s.registry.PostType(p.Type), Status: p.Status, Name: p.Name, Date: p.Date,
		Own: p.own, Author: f.authors[p.Author], Category: f.terms[termOf("category")][p.ID], ParentID: p.Parent, TrashedStatus: p.trashStatus,
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
