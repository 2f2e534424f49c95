package news

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
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

// indexedNews returns the articles of some post types that Yoast's index table has as published since then, and not as noindex, in
// no order. Where there is no table, or the account may not read it, there are none.
func indexedNews(ctx context.Context, blog *wp.Blog, postTypes []string, since int64) ([]row, error) {
	if len(postTypes) == 0 {
		return nil, nil
	}
	var found []row
	date := time.Unix(since, 0).UTC().Format(time.DateTime)
	err := blog.Query(ctx, sqlRows, []any{date, postTypes}, db.Rows4(func(id, post int64, postType, published sql.RawBytes) {
		if i := slices.Index(postTypes, string(postType)); i >= 0 { // the collation may know no case
			found = append(found, row{ID: id, PostID: post, Type: postTypes[i], Published: wp.ParseDate(string(published))})
		}
	}))
	if err == nil || db.MissingTable(err) || db.Denied(err) { // the reading of registered types has said so
		return found, nil
	}
	return nil, fmt.Errorf("reading news from the index table: %w", err)
}

// article is an article as Yoast's index table has it.
type article struct {
	Permalink string // "" when it is not stored
	Title     string // breadcrumb_title, HTML
	Published int64
	Tickers   []string // the different values of the stock tickers' meta key, "" for none: the plugin lists an article once for each
}

// indexedArticles reads articles of the index table by its ids.
func indexedArticles(ctx context.Context, blog *wp.Blog, ids []int64) (map[int64]*article, error) {
	found := make(map[int64]*article, len(ids))
	posts := make(map[int64]int64, len(ids))
	var id, post int64
	var permalink, title, published string
	err := blog.ByID(ctx, sqlArticles, ids, db.Row(func() {
		found[id], posts[id] = &article{Permalink: permalink, Title: title, Published: wp.ParseDate(published)}, post
	}, &id, &post, &permalink, &title, &published))
	if err != nil {
		return nil, fmt.Errorf("reading articles from the index table: %w", err)
	}
	tickers, err := blog.MetaValues(ctx, slices.Collect(maps.Values(posts)), metaTickers)
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
func ofPost(ctx context.Context, blog *wp.Blog, post int64) (ids []int64, err error) {
	err = blog.Query(ctx, sqlOfPost, []any{post}, db.Rows1(func(id int64) { ids = append(ids, id) }))
	if err == nil || db.MissingTable(err) || db.Denied(err) {
		return ids, nil
	}
	return nil, fmt.Errorf("looking into the index table: %w", err)
}
