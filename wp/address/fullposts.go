package address

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

const (
	sqlFullColumns  = sqlPostColumns + `p.post_title, p.post_excerpt, COALESCE(u.display_name, ''), COALESCE(u.user_nicename, ''), `
	sqlFullPosts    = sqlFullColumns + `'' FROM wp_posts p LEFT JOIN wp_users u ON u.ID = p.post_author WHERE p.ID IN (?) ORDER BY p.ID`
	sqlFullContents = sqlFullColumns + `p.post_content FROM wp_posts p LEFT JOIN wp_users u ON u.ID = p.post_author
WHERE p.ID IN (?) ORDER BY p.ID`
	sqlTagsAndCategories = `SELECT tr.object_id, tt.taxonomy, t.term_id, t.name FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id JOIN wp_terms t ON t.term_id = tt.term_id
WHERE tr.object_id IN (?) AND tt.taxonomy IN ('post_tag', 'category')`
)

// FullPost is a post with the texts and names that its page shows.
type FullPost struct {
	Post
	Modified          string // post_modified as stored, in the time of the site
	Title, Excerpt    string // HTML
	AuthorName        string // display_name, HTML
	AuthorLink        string
	Tags              []string // names of the post's tags, HTML
	Category, Primary string   // Primary: name of the primary category, or ""; Category: the same, or else the first category
	Categories        []string // names of all categories
	categories        []namedID
	nicename          string
}

type namedID struct {
	id   int64
	name string
}

// FullPosts reads posts by id, with their permalinks and the meta of some keys, in the order of ids. If content is not
// nil, FullPosts calls it as Posts does. FullPosts runs three queries, and the queries that the permalinks need.
func (b *Book) FullPosts(ctx context.Context, ids []int64, keys []string, content func(p *FullPost, content string)) ([]*FullPost, error) {
	byID := make(map[int64]*FullPost, len(ids))
	query := sqlFullPosts
	if content != nil {
		query = sqlFullContents
	}
	scan := postScan{book: b}
	var kept db.Kept
	err := b.Blog.ByID(ctx, "reading posts", query, ids, func(rows *sql.Rows) error {
		p := new(FullPost)
		text, err := scan.row(rows, &p.Post, db.Text(&p.Title), db.Text(&p.Excerpt), &p.AuthorName, &p.nicename)
		if err = cmp.Or(err, kept.Add(p.Title, p.Excerpt)); err != nil {
			return err
		}
		byID[p.ID], p.Modified = p, string(scan.modified)
		if content != nil {
			content(p, text)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	posts := inOrder(byID, ids)
	plain := make([]*Post, len(posts))
	for i, p := range posts {
		plain[i] = &p.Post
	}
	if err := b.complete(ctx, plain, nil, append(b.withLinkMeta(wp.MetaThumbnail), keys...), b.setMeta); err != nil {
		return nil, err
	}
	links := b.Blog.Links()
	for _, p := range posts {
		p.AuthorLink = b.Blog.Languages().Archive(links.Author(p.Author, p.nicename), "")
	}
	return posts, b.tagsAndCategories(ctx, ids, byID)
}

// tagsAndCategories reads the tags and categories of posts.
func (b *Book) tagsAndCategories(ctx context.Context, ids []int64, byID map[int64]*FullPost) error {
	err := b.Blog.ByID(ctx, "reading tags and categories", sqlTagsAndCategories, ids, db.Rows4(func(post int64, taxonomy string, id int64, name string) {
		switch p := byID[post]; {
		case p == nil:
		case taxonomy == "category":
			p.categories = append(p.categories, namedID{id, name})
		default:
			p.Tags = append(p.Tags, name)
		}
	}))
	for _, p := range byID {
		slices.Sort(p.Tags) // the database returns them in no fixed order
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
