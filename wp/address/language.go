package address

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/registry"
)

const (
	sqlTermsByTaxonomyID = `SELECT t.term_id, tt.term_taxonomy_id, t.slug, tt.parent, tt.description FROM wp_term_taxonomy tt
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.term_taxonomy_id IN (?) AND tt.taxonomy = ?`
)

// localize returns the link of a post in the post's language, as the filters of the multilingual plugin do. parent is
// the post that an attachment belongs to, or nil.
func (b *Book) localize(p *Post, link string, parent *Post) string {
	l := b.Blog.Languages()
	if l.None() {
		return link
	}
	if !l.Content {
		switch {
		case p.Type == "attachment" && p.Parent != 0: // the link of an attachment contains the link of its parent
			if parent != nil && !strings.Contains(link, "attachment_id=") && (parent.Type == "page" || l.PostTypes[parent.Type]) {
				link = l.Links.Switch(link, parent.Language)
			}
		case p.Type == "attachment" && l.Filters, p.Type == "page", l.PostTypes[p.Type]:
			link = l.Links.Switch(link, p.Language)
		}
	}
	if i := l.Index(p.Language); i >= 0 && b.Blog.Settings().StaticFront() && p.Type == "page" && p.ID == l.All[i].Front {
		return l.All[i].Home
	}
	return link
}

// ArchiveLinkIn returns the address of a post type's archive in a language, or "" if the type has no archive.
func (b *Book) ArchiveLinkIn(ctx context.Context, t *registry.PostType, language string) (string, error) {
	if link := b.archives[t.Name]; link != "" && language == "" {
		return link, nil
	}
	path := ""
	if t.ArchivePage > 0 {
		tree := wp.Tree{}
		if err := b.Blog.ReadAncestors(ctx, tree, []int64{t.ArchivePage}); err != nil {
			return "", err
		}
		path = tree.Path(t.ArchivePage)
	}
	link := b.Blog.Links().Archive(t, path)
	if link == "" || !b.Blog.Languages().PostTypes[t.Name] || t.Name == "post" {
		return link, nil
	}
	return b.Blog.Languages().Archive(link, language), nil
}

// postTranslations holds what TranslatedPosts adds to its posts.
type postTranslations struct {
	book   *Book
	found  map[int64]multilingual.Translation
	keep   func(id int64) bool
	others []*Post // translations of the posts that are not among the posts
}

// translations returns the language and the translations of each object in ids. kind is "" for posts, and
// multilingual.TaxonomyKind and a name for terms. ids are the ids that the multilingual plugin uses. others holds the translations that
// are not in ids and that keep accepts, with their languages. If keep is nil, others is nil.
func (b *Book) translations(ctx context.Context, kind string, ids []int64, keep func(id int64) bool) (
	found map[int64]multilingual.Translation, others map[int64]string, err error) {
	if found, err = b.Blog.Languages().Plugin.Translations(ctx, kind, ids); err != nil || keep == nil {
		return found, nil, err
	}
	here := make(map[int64]bool, len(ids))
	for _, id := range ids {
		here[id] = true
	}
	others = map[int64]string{}
	for _, id := range ids {
		for code, member := range found[id].Members {
			if !here[member] && keep(member) {
				others[member] = code
			}
		}
	}
	return found, others, nil
}

// translatePosts sets the language of posts. If keep is not nil, it also reads the posts' translations.
func (b *Book) translatePosts(ctx context.Context, posts []*Post, keep func(id int64) bool) (t postTranslations, err error) {
	t = postTranslations{book: b, keep: keep}
	if b.Blog.Languages().None() || len(posts) == 0 {
		return t, nil
	}
	ids := make([]int64, len(posts))
	for i, p := range posts {
		ids[i] = p.ID
	}
	var others map[int64]string
	if t.found, others, err = b.translations(ctx, "", ids, keep); err != nil {
		return t, err
	}
	for _, p := range posts {
		p.Language = t.found[p.ID].Language
	}
	err = b.eachPost(ctx, sqlPosts, slices.Collect(maps.Keys(others)), func(p *Post, _ string) {
		p.Language = others[p.ID]
		t.others = append(t.others, p)
	})
	return t, err
}

// fill sets the alternates of posts. The links of the posts and of their translations must be set already.
func (t *postTranslations) fill(posts []*Post) {
	if t.keep == nil {
		return
	}
	links := make(map[int64]string, len(posts)+len(t.others))
	for _, p := range slices.Concat(posts, t.others) {
		if t.keep(p.ID) {
			links[p.ID] = p.Link
		}
	}
	for _, p := range posts {
		if t.book.Blog.Languages().PostTypes[p.Type] {
			p.Alternates = t.book.Blog.Languages().Alternates(t.found[p.ID].Members, p.ID, links)
		}
	}
}

// translateTerms sets the languages of the terms in byID. If keep is not nil, it also reads the translations that byID
// lacks. read adds the terms with the given ids to byID. translateTerms returns the translations by the ids that the multilingual plugin uses.
func (b *Book) translateTerms(ctx context.Context, t *registry.Taxonomy, byID map[int64]*Term,
	keep func(id int64) bool, read func(query string, ids []int64) error) (map[int64]multilingual.Translation, error) {
	if !b.Blog.Languages().Taxonomies[t.Name] || len(byID) == 0 {
		return nil, nil
	}
	l, query := b.Blog.Languages(), sqlTermDetails
	if l.ByTaxonomyID {
		query = sqlTermsByTaxonomyID
		if keep != nil {
			keep = func(int64) bool { return true } // keep takes term_ids, which are not known yet: the caller asks keep itself
		}
	}
	ids := make([]int64, 0, len(byID))
	for _, term := range byID {
		ids = append(ids, l.ObjectID(term.ID, term.taxonomyID))
	}
	found, others, err := b.translations(ctx, multilingual.TaxonomyKind+t.Name, ids, keep)
	if err != nil {
		return nil, err
	}
	if err := read(query, slices.Collect(maps.Keys(others))); err != nil {
		return nil, err
	}
	for _, term := range byID {
		id := l.ObjectID(term.ID, term.taxonomyID)
		term.Language = cmp.Or(found[id].Language, others[id])
	}
	return found, nil
}
