package wp

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

const (
	sqlPostTexts = `SELECT p.ID, p.post_modified, p.post_title, p.post_excerpt, COALESCE(u.display_name, ''), COALESCE(u.user_nicename, '')
FROM wp_posts p LEFT JOIN wp_users u ON u.ID = p.post_author WHERE p.ID IN (?)`
	sqlTagsAndCategories = `SELECT tr.object_id, tt.taxonomy, t.term_id, t.name FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id JOIN wp_terms t ON t.term_id = tt.term_id
WHERE tr.object_id IN (?) AND tt.taxonomy IN ('post_tag', 'category')`
)

// FullPost is a post with the texts and names that are around it on its page.
type FullPost struct {
	Post
	Modified          string // post_modified as stored, site's clock
	Title, Excerpt    string // HTML
	AuthorName        string // display_name, HTML
	AuthorLink        string
	Tags              []string // names of the post's tags, HTML
	Category, Primary string   // the primary category, else the first; only the primary
	Categories        []string // names
	categories        []namedID
}

type namedID struct {
	id   int64
	name string
}

// FullPosts is Posts with texts and names, and with some keys of their meta.
func (s *Blog) FullPosts(ctx context.Context, ids []int64, keys []string, content func(p *Post, content string)) ([]*FullPost, error) {
	plain, err := s.readPosts(ctx, ids, content, nil, nil, s.withPrimary(keys...))
	if err != nil {
		return nil, err
	}
	posts := make([]*FullPost, len(plain))
	byID := make(map[int64]*FullPost, len(plain))
	for i, p := range plain {
		posts[i] = &FullPost{Post: *p}
		byID[p.ID] = posts[i]
	}
	links := s.links()
	var id int64
	var text FullPost
	var nicename string
	err = s.byID(ctx, "reading texts of posts", sqlPostTexts, ids, db.Row(func() {
		if p := byID[id]; p != nil {
			p.Modified, p.Title, p.Excerpt, p.AuthorName = text.Modified, text.Title, text.Excerpt, text.AuthorName
			p.AuthorLink = links.Author(p.Author, nicename)
		}
	}, &id, &text.Modified, &text.Title, &text.Excerpt, &text.AuthorName, &nicename))
	if err != nil {
		return nil, err
	}
	return posts, s.tagsAndCategories(ctx, ids, byID)
}

// tagsAndCategories reads the tags and categories of posts.
func (s *Blog) tagsAndCategories(ctx context.Context, ids []int64, byID map[int64]*FullPost) error {
	err := s.byID(ctx, "reading tags and categories", sqlTagsAndCategories, ids, db.Rows4(func(post int64, taxonomy string, id int64, name string) {
		switch p := byID[post]; {
		case p == nil:
		case taxonomy == "category":
			p.categories = append(p.categories, namedID{id, name})
		default:
			p.Tags = append(p.Tags, name)
		}
	}))
	for _, p := range byID {
		slices.Sort(p.Tags) // the engines have no order of their own
		slices.SortFunc(p.categories, func(x, y namedID) int { return cmp.Compare(x.id, y.id) })
		primary := php.NewString(p.primary).Int()
		for _, t := range p.categories {
			p.Categories = append(p.Categories, t.name)
			if t.id == primary {
				p.Primary = t.name
			}
		}
		if p.Category = p.Primary; p.Category == "" && len(p.Categories) > 0 {
			p.Category = p.Categories[0]
		}
	}
	return err
}
