package address

import (
	"context"
	"fmt"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// object is a post or a term with its computed address.
type object struct {
	key        typeKey
	name       string // name of the object's type
	queryVar   string // query variable of the object's type
	id         int64
	slug, link string
	modified   int64 // time of the last change; a row with an earlier time does not count
	translated bool  // the address depends on the language of the object
}

// questionKey returns the key that Answers has for a question to the site about this object.
func (o *object) questionKey() string { return fmt.Sprintf("%s#%d", o.key, o.id) }

// objects reads objects by id: terms if t is a taxonomy, otherwise published posts.
func (b *Book) objects(ctx context.Context, t *registry.Type, ids []int64) ([]object, error) {
	if t == nil || !t.Taxonomy {
		posts, err := b.Posts(ctx, ids, nil)
		return b.postObjects(posts), err
	}
	terms, err := b.TermsByID(ctx, t, ids)
	return b.termObjects(t, terms), err
}

// postObjects returns the published posts among posts as objects.
func (b *Book) postObjects(posts []*Post) []object {
	all := make([]object, 0, len(posts))
	for _, p := range posts {
		if t := b.Blog.Registry().PostType(p.Type); t != nil && p.Status == "publish" {
			all = append(all, object{
				key: keyOf(wp.IndexedPost, p.Type), name: p.Type, queryVar: t.QueryVar, id: p.ID, slug: p.Name, link: p.Link, modified: p.Dates.ChangedGMT,
				translated: p.Type == "page" || b.Blog.Languages().PostTypes[p.Type],
			})
		}
	}
	return all
}

func (b *Book) termObjects(t *registry.Taxonomy, terms []*Term) []object {
	all := make([]object, len(terms))
	for i, term := range terms {
		all[i] = object{
			key: keyOf(wp.IndexedTerm, t.Name), name: t.Name, queryVar: t.QueryVar, id: term.ID, slug: term.Slug, link: term.Link, modified: wp.NoTime,
			translated: b.Blog.Languages().Taxonomies[t.Name],
		}
	}
	return all
}
