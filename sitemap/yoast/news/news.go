// Package news makes the sitemap of Yoast News SEO. settings.go reads its option, and news.go lists its articles.
package news

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/news"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
)

// Provider makes the news list. At level plugin it reads Yoast's index table. At level spec, or if the
// operator switches news on, it follows Google's rules.
var Provider = news.Provider{AddOn: addOn{}}

// List returns the list by the plugin's own rules: the newest articles of Yoast's index table, on one
// page. The sitemap index names this list only if it also names another one.
func (addOn) List(ctx context.Context, b *provider.Build, s *news.Settings) (*catalog.List, error) {
	types := s.Types(b.Rules.KeepsType)
	l := b.List(catalog.List{
		Name: s.Name, Kind: seo.KindOther, Size: news.MaxArticles, Past: catalog.PastFirst, Extensions: urlset.NewsArticles,
		Dependent: true, Explained: catalog.Explained{Why: addOn{}.Is().Says(b.Rules)},
	})
	content := &indexables{r: b.Rules, s: s, types: types}
	found, err := indexedNews(ctx, b.Rules.Blog, types, b.Rows.Since)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(x, y row) int {
		return cmp.Or(cmp.Compare(y.Published, x.Published), cmp.Compare(x.ID, y.ID))
	})
	out, err := excluded(ctx, b, s, found)
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		if len(content.articles) < news.MaxArticles && !out[r.ID] {
			span := rows.WindowAfter(r.Published)
			span.From = wp.NoTime // the plugin also lists articles with a date in the future
			content.articles = append(content.articles, rows.Article{ID: r.ID, Published: r.Published, LastMod: wp.NoTime, Spans: [2]rows.Span{span}})
		}
	}
	content.newest, err = newestPublication(ctx, b)
	l.Content = content
	return l, err
}

// indexables is the content of the news list by the plugin's own rules. Its objects are rows of Yoast's
// index table.
type indexables struct {
	r        *seo.Rules
	s        *news.Settings
	types    []string
	articles []rows.Article
	newest   int64
}

func (x *indexables) Articles() []rows.Article { return x.articles }
func (x *indexables) IndexDate() int64         { return x.newest }

func (x *indexables) RowsOf(ctx context.Context, post int64) ([]int64, error) {
	return ofPost(ctx, x.r.Blog, post)
}

func (x *indexables) Absent(ctx context.Context, p *address.Post, standing catalog.Standing) (string, error) {
	if standing == catalog.ListedHere {
		return "", nil
	}
	why := "Yoast's table " + x.r.Blog.Table("yoast_indexable") + " has no such row, or says noindex"
	return Provider.WhyAbsent(ctx, x.r, x.s, x.types, p, p.Dates.PublishedGMT, "post_date_gmt", why)
}

func (x *indexables) Render(ctx context.Context, articles catalog.Places) (catalog.Rendered, error) {
	urls, err := indexedURLs(ctx, x.r, articles)
	return catalog.Rendered{URLs: urls}, err
}

// excluded reports, by id of the row, whether the settings of the add-on or the operator keep a row out of
// the news.
func excluded(ctx context.Context, b *provider.Build, s *news.Settings, rows []row) (map[int64]bool, error) {
	types := make(map[int64]string, len(rows))
	ids := make([]int64, 0, len(rows))
	for _, r := range rows {
		types[r.PostID] = r.Type
		ids = append(ids, r.ID)
	}
	marked, err := Provider.LeftOut(ctx, b.Rules, s, types)
	if err != nil {
		return nil, err
	}
	var stored map[int64]*article
	if len(b.Rules.Options.Exclude.URLs) > 0 {
		if stored, err = indexedArticles(ctx, b.Rules.Blog, ids); err != nil {
			return nil, err
		}
	}
	out := make(map[int64]bool, len(rows))
	for _, r := range rows {
		o := seo.Object{Kind: seo.KindPost, ID: r.PostID}
		if a := stored[r.ID]; a != nil {
			o.Link = a.Permalink
		}
		out[r.ID] = marked[r.PostID] || b.Rules.Excludes(o)
	}
	return out, nil
}

// newestPublication returns the newest post_date_gmt of the posts of all public types. The index shows it as the date of the
// news sitemap. The catalog has not read public types that visitors cannot view, so newestPublication reads their posts.
func newestPublication(ctx context.Context, b *provider.Build) (int64, error) {
	for _, t := range b.Rules.Blog.Registry().PostTypes {
		if !t.Public || b.Rows.Posts[t.Name] != nil {
			continue
		}
		err := objects.EachPost(ctx, b.Rules.Blog, t.Name, "publish", func(p objects.PostRow) error {
			b.Rows.Newest = max(b.Rows.Newest, p.Dates.PublishedGMT)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return b.Rows.Newest, nil
}

// indexedURLs returns the URLs of articles with the values in Yoast's index table.
func indexedURLs(ctx context.Context, c *seo.Rules, places catalog.Places) ([]urlset.URL, error) {
	ids := places.IDs()
	articles, err := indexedArticles(ctx, c.Blog, ids)
	if err != nil {
		return nil, err
	}
	name := formatting.NumericEntities(of(c.Blog).publication) // the plugin keeps &eacute;, which is not valid in XML
	if operator := c.Options.News.Publication; operator != "" {
		name = formatting.EscHTML(operator)
	}
	language := "en"
	if locale := c.Blog.Settings().Locale; len(locale) >= 2 {
		language = locale[:2]
	}
	language = cmp.Or(c.Options.News.Language, language)
	urls := make([]urlset.URL, 0, len(places))
	for _, id := range ids {
		a := articles[id]
		if a == nil {
			continue
		}
		for _, tickers := range a.Tickers {
			if tickers == "0" { // PHP treats "0" as empty
				tickers = ""
			}
			urls = append(urls, urlset.URL{Loc: c.Blog.Moved(a.Permalink), LastMod: wp.NoTime, News: &urlset.News{
				Publication: name, Language: language, Date: a.Published, Title: a.Title, StockTickers: tickers,
			}})
		}
	}
	return urls[:min(len(urls), news.MaxArticles)], nil
}

const (
	// A range of the index named published_sitemap_index.
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

// indexedNews returns the articles in Yoast's index table that were published after since and are not
// noindex, in no order. It returns none if the table is missing or may not be read.
func indexedNews(ctx context.Context, blog *wp.Blog, postTypes []string, since int64) ([]row, error) {
	if len(postTypes) == 0 {
		return nil, nil
	}
	var found []row
	date := time.Unix(since, 0).UTC().Format(time.DateTime)
	err := blog.Query(ctx, sqlRows, []any{date, postTypes}, db.Rows4(func(id, post int64, postType, published sql.RawBytes) {
		if i := slices.Index(postTypes, string(postType)); i >= 0 { // the collation may ignore letter case
			found = append(found, row{ID: id, PostID: post, Type: postTypes[i], Published: wp.ParseDate(string(published))})
		}
	}))
	if err == nil || db.Unreadable(err) { // a warning was logged when registered types were read
		return found, nil
	}
	return nil, fmt.Errorf("reading news from the index table: %w", err)
}

// article is an article with the values of Yoast's index table.
type article struct {
	Permalink string // "" if not stored
	Title     string // breadcrumb_title, HTML
	Published int64
	Tickers   []string // distinct values of stock tickers; one "" if there are none; the plugin lists the article once for each
}

// indexedArticles reads articles of the index table by its ids.
func indexedArticles(ctx context.Context, blog *wp.Blog, ids []int64) (map[int64]*article, error) {
	found := make(map[int64]*article, len(ids))
	posts := make(map[int64]int64, len(ids))
	var id, post int64
	var permalink, title, published string
	err := blog.ByID(ctx, "reading articles from the index table", sqlArticles, ids, db.Row(func() {
		found[id], posts[id] = &article{Permalink: permalink, Title: title, Published: wp.ParseDate(published)}, post
	}, &id, &post, &permalink, &title, &published))
	if err != nil {
		return nil, err
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

// ofPost returns the ids of a post's rows in Yoast's index table. It returns none if the table does
// not exist or may not be read.
func ofPost(ctx context.Context, blog *wp.Blog, post int64) (ids []int64, err error) {
	err = blog.Query(ctx, sqlOfPost, []any{post}, db.Rows1(func(id int64) { ids = append(ids, id) }))
	if err == nil || db.Unreadable(err) {
		return ids, nil
	}
	return nil, fmt.Errorf("reading Yoast's table yoast_indexable: %w", err)
}
