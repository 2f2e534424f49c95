package news

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

const (
	// A range of the index published_sitemap_index.
	sqlRows = `SELECT id, object_id, object_sub_type, object_published_at FROM wp_yoast_indexable
WHERE object_published_at >= ? AND object_type = 'post' AND object_sub_type IN (?) AND post_status = 'publish'
AND (is_robots_noindex = 0 OR is_robots_noindex IS NULL)`
	sqlArticles = `SELECT id, object_id, COALESCE(permalink, ''), COALESCE(breadcrumb_title, ''), object_published_at
FROM wp_yoast_indexable WHERE id IN (?)`
	sqlOfPost = `SELECT id FROM wp_yoast_indexable WHERE object_id = ? AND object_type = 'post' LIMIT 10`
)

// row is the narrow row of an article in Yoast's index table.
type row struct {
	ID, PostID int64 // id, object_id
	Type       string
	Published  int64 // object_published_at
}

// indexedNews returns the articles of the given post types that Yoast's index table holds as
// published at since (Unix seconds) or later and not as noindex, in no order. A site without
// the table, or with an account that may not read it, has none.
func indexedNews(ctx context.Context, site *wp.Site, postTypes []string, since int64) ([]row, error) {
	if len(postTypes) == 0 {
		return nil, nil
	}
	var found []row
	date := time.Unix(since, 0).UTC().Format(time.DateTime)
	err := site.Query(ctx, sqlRows, []any{date, postTypes}, func(rows *sql.Rows) error {
		var r row
		var postType, published sql.RawBytes
		if err := rows.Scan(db.Number(&r.ID), db.Number(&r.PostID), &postType, &published); err != nil {
			return err
		}
		if i := slices.Index(postTypes, string(postType)); i >= 0 { // the collation may know no case
			r.Type, r.Published = postTypes[i], wp.ParseDate(string(published))
			found = append(found, r)
		}
		return nil
	})
	if db.MissingTable(err) || db.Denied(err) { // the reading of registered types has said so
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading news from the index table: %w", err)
	}
	return found, nil
}

// article is an article as Yoast's index table has it.
type article struct {
	Permalink string // "" when it is not stored
	Title     string // breadcrumb_title, HTML
	Published int64
	// Tickers are the different values of the stock tickers' meta key, "" for none: the
	// plugin lists an article once for each.
	Tickers []string
}

// indexedArticles reads articles of the index table by its ids.
func indexedArticles(ctx context.Context, site *wp.Site, ids []int64) (map[int64]*article, error) {
	found := make(map[int64]*article, len(ids))
	posts := make(map[int64]int64, len(ids))
	err := db.Batches(ids, func(ids []int64) error {
		return site.Query(ctx, sqlArticles, []any{ids}, func(rows *sql.Rows) error {
			var id, post int64
			var published string
			a := new(article)
			if err := rows.Scan(db.Number(&id), db.Number(&post), &a.Permalink, &a.Title, db.Text(&published)); err != nil {
				return err
			}
			a.Published = wp.ParseDate(published)
			found[id], posts[id] = a, post
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("reading articles from the index table: %w", err)
	}
	ofPosts := make([]int64, 0, len(posts))
	for _, post := range posts {
		ofPosts = append(ofPosts, post)
	}
	tickers, err := site.MetaValues(ctx, ofPosts, metaTickers)
	if err != nil {
		return nil, err
	}
	for id, a := range found {
		for _, v := range tickers[posts[id]] {
			if !slices.Contains(a.Tickers, v.String) {
				a.Tickers = append(a.Tickers, v.String)
			}
		}
		if a.Tickers == nil {
			a.Tickers = []string{""}
		}
	}
	return found, nil
}

// ofPost returns the ids of a post's rows in Yoast's index table; none where there is no such table.
func ofPost(ctx context.Context, site *wp.Site, post int64) (ids []int64, err error) {
	err = site.Query(ctx, sqlOfPost, []any{post}, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(db.Number(&id))
		ids = append(ids, id)
		return err
	})
	if db.MissingTable(err) || db.Denied(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking into the index table: %w", err)
	}
	return ids, nil
}
