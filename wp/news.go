package wp

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// newsPlugin is the plugin file of Yoast News SEO.
const newsPlugin = "wpseo-news/wpseo-news.php"

// Post meta keys of Yoast News SEO.
const (
	metaNewsIndex    = "_yoast_wpseo_newssitemap-robots-index"
	metaStockTickers = "_yoast_wpseo_newssitemap-stocktickers"
)

const (
	// A range of the index published_sitemap_index.
	sqlNewsRows = `SELECT id, object_id, object_sub_type, object_published_at FROM wp_yoast_indexable
WHERE object_published_at >= ? AND object_type = 'post' AND object_sub_type IN (?) AND post_status = 'publish'
AND (is_robots_noindex = 0 OR is_robots_noindex IS NULL)`
	sqlNewsArticles = `SELECT id, object_id, COALESCE(permalink, ''), COALESCE(breadcrumb_title, ''), object_published_at
FROM wp_yoast_indexable WHERE id IN (?)`
	sqlNewsTerms = `SELECT tr.object_id, tt.term_id FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id WHERE tr.object_id IN (?) AND tt.term_id IN (?)`
)

// News is what Yoast News SEO's option wpseo_news and its constant say.
type News struct {
	Active      bool            // the plugin is active on this blog or on its network
	Basename    string          // constant YOAST_NEWS_SITEMAP_BASENAME, "" without
	Publication string          // news_sitemap_name, HTML
	PostTypes   map[string]bool // news_sitemap_include_post_types; none: posts

	excludedTerms map[string][]int64 // news_sitemap_exclude_terms, term_ids by post type
}

// news decodes the settings of Yoast News SEO.
func (s *Site) news(o options, active bool) News {
	n := News{
		Active: active, Basename: s.network.constant("YOAST_NEWS_SITEMAP_BASENAME"),
		PostTypes: map[string]bool{}, excludedTerms: map[string][]int64{},
	}
	stored := o.serialized("wpseo_news", s.warn)
	n.Publication = stored.Get("news_sitemap_name").Str()
	for name := range switchedOn(stored.Get("news_sitemap_include_post_types")) {
		n.PostTypes[name] = true
	}
	for name := range switchedOn(stored.Get("news_sitemap_exclude_terms")) {
		// Entries for types that are not included leave the plugin's query without a condition
		// and its sitemap empty; here they do nothing.
		if id, postType, ok := strings.Cut(name, "_for_"); ok {
			n.excludedTerms[postType] = append(n.excludedTerms[postType], php.NewString(id).Int())
		}
	}
	return n
}

// switchedOn yields the keys of an array whose value is the text "on".
func switchedOn(v php.Value) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, p := range v.Pairs() {
			if p.Value.Kind == php.String && p.Value.Str() == "on" && !yield(p.Key.String()) {
				return
			}
		}
	}
}

// locale follows get_locale(): option WPLANG even when it is empty, on a network the
// network's, the constant WPLANG, and American English for none.
func (s *Site) locale(o options) string {
	locale, ok := o["WPLANG"]
	if !ok && s.network.localeStored {
		locale, ok = s.network.locale, true
	}
	if !ok {
		locale = s.network.constant("WPLANG")
	}
	if locale == "" || locale == "0" {
		return "en_US"
	}
	return locale
}

// NewsRow is the narrow row of an article in Yoast's index table.
type NewsRow struct {
	ID, PostID int64 // id, object_id
	Type       string
	Published  int64 // object_published_at
}

// IndexedNews returns the articles of the given post types that Yoast's index table holds as
// published at since (Unix seconds) or later and not as noindex, in no order. A site without
// the table, or with an account that may not read it, has none.
func (s *Site) IndexedNews(ctx context.Context, postTypes []string, since int64) ([]NewsRow, error) {
	if len(postTypes) == 0 {
		return nil, nil
	}
	var found []NewsRow
	date := time.Unix(since, 0).UTC().Format(time.DateTime)
	err := s.query(ctx, sqlNewsRows, []any{date, postTypes}, func(rows *sql.Rows) error {
		var r NewsRow
		var postType, published sql.RawBytes
		if err := rows.Scan(db.Number(&r.ID), db.Number(&r.PostID), &postType, &published); err != nil {
			return err
		}
		if i := slices.Index(postTypes, string(postType)); i >= 0 { // the collation may know no case
			r.Type, r.Published = postTypes[i], ParseDate(string(published))
			found = append(found, r)
		}
		return nil
	})
	if db.MissingTable(err) || db.Denied(err) { // the reading of registered types has said so
		return nil, nil
	}
	return found, s.wrap("reading news from the index table", err)
}

// IndexedArticle is an article as Yoast's index table has it.
type IndexedArticle struct {
	Permalink string // "" when it is not stored
	Title     string // breadcrumb_title, HTML
	Published int64
	// Tickers are the different values of the stock tickers' meta key, "" for none: the
	// plugin lists an article once for each.
	Tickers []string
}

// IndexedArticles reads articles of the index table by its ids.
func (s *Site) IndexedArticles(ctx context.Context, ids []int64) (map[int64]*IndexedArticle, error) {
	found := make(map[int64]*IndexedArticle, len(ids))
	posts := make(map[int64]int64, len(ids))
	err := db.Batches(ids, func(ids []int64) error {
		return s.query(ctx, sqlNewsArticles, []any{ids}, func(rows *sql.Rows) error {
			var id, post int64
			var published string
			a := new(IndexedArticle)
			if err := rows.Scan(db.Number(&id), db.Number(&post), &a.Permalink, &a.Title, db.Text(&published)); err != nil {
				return err
			}
			a.Published = ParseDate(published)
			found[id], posts[id] = a, post
			return nil
		})
	})
	if err != nil {
		return nil, s.wrap("reading articles from the index table", err)
	}
	ofPosts := make([]int64, 0, len(posts))
	for _, post := range posts {
		ofPosts = append(ofPosts, post)
	}
	tickers, err := s.metaValues(ctx, ofPosts, metaStockTickers)
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

// NewsTexts reads the titles of posts (post_title, HTML) and their stock tickers, by post.
func (s *Site) NewsTexts(ctx context.Context, ids []int64) (titles, tickers map[int64]string, err error) {
	if titles, err = s.PostTitles(ctx, ids); err != nil {
		return nil, nil, err
	}
	tickers = map[int64]string{}
	err = s.meta(ctx, ids, []string{metaStockTickers}, func(id int64, _, value string) { tickers[id] = value })
	return titles, tickers, err
}

// NewsExcluded returns those of the posts (id and type) that are kept out of the news: by
// _yoast_wpseo_newssitemap-robots-index, where any value but 0 does so, or by a term that
// news_sitemap_exclude_terms names for their type.
func (s *Site) NewsExcluded(ctx context.Context, posts map[int64]string) (map[int64]bool, error) {
	ids := make([]int64, 0, len(posts))
	for id := range posts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	excluded := map[int64]bool{}
	marks, err := s.metaValues(ctx, ids, metaNewsIndex)
	if err != nil {
		return nil, err
	}
	for id, values := range marks {
		excluded[id] = !slices.ContainsFunc(values, func(v sql.NullString) bool { return !v.Valid || v.String == "0" })
	}
	var terms []int64
	for _, of := range s.set.News.excludedTerms {
		terms = append(terms, of...)
	}
	if len(terms) == 0 {
		return excluded, nil
	}
	terms = distinct(terms)
	err = db.Batches(ids, func(ids []int64) error {
		return s.query(ctx, sqlNewsTerms, []any{ids, terms}, func(rows *sql.Rows) error {
			var post, term int64
			if err := rows.Scan(db.Number(&post), db.Number(&term)); err != nil {
				return err
			}
			if slices.Contains(s.set.News.excludedTerms[posts[post]], term) {
				excluded[post] = true
			}
			return nil
		})
	})
	return excluded, s.wrap("reading the terms of news", err)
}

// metaValues returns all values of one meta key, by post.
func (s *Site) metaValues(ctx context.Context, ids []int64, key string) (map[int64][]sql.NullString, error) {
	values := map[int64][]sql.NullString{}
	err := db.Batches(distinct(ids), func(ids []int64) error {
		return s.query(ctx, sqlMetaByPost, []any{ids, []string{key}}, func(rows *sql.Rows) error {
			var id, metaID int64
			var stored string
			var value sql.NullString
			if err := rows.Scan(db.Number(&id), db.Number(&metaID), &stored, &value); err != nil {
				return err
			}
			values[id] = append(values[id], value)
			return nil
		})
	})
	return values, s.wrap("reading post meta "+key, err)
}
