// Package news makes the sitemap of Yoast News SEO: what its option says (settings.go), and its articles as it lists them.
package news

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/news"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
)

// OfPosts lists the news by Google's rules, of the posts that were read.
var OfPosts = news.With(&addOn)

// OfIndexables lists the news by the plugin's rules, of its index table.
var OfIndexables = provider.OfAddOn(&addOn.AddOn, news.Usual, true, addOn.Of, ofIndexables)

// ofIndexables makes the list by the plugin's rules: the newest articles of the index
// table, on one page, beside other sitemaps only.
func ofIndexables(ctx context.Context, b *provider.Build, s *news.Settings) (*catalog.List, error) {
	c := b.Renderer
	types := s.Types(b.KeepsType)
	l := b.List(catalog.List{
		Name: s.Name, Kind: seo.KindOther, Size: news.MaxArticles, Past: catalog.PastFirst, Extensions: urlset.NewsArticles,
		Why: addOn.Says(b.Rules, news.Usual), Dependent: true, Timed: &catalog.Timed{},
		RowsOf: func(ctx context.Context, post int64) ([]int64, error) { return ofPost(ctx, c.Blog, post) },
		Render: catalog.Undated(func(ctx context.Context, entries []catalog.Entry) ([]urlset.URL, error) {
			return indexedURLs(ctx, c.Rules, entries)
		}),
		Absent: func(ctx context.Context, p *wp.Post, _ bool) (string, error) {
			why := "Yoast's table " + c.Blog.Table("yoast_indexable") + " has no such row, or says noindex"
			return addOn.Absent(ctx, c.Rules, s, types, p, p.DateGMT, "post_date_gmt", why)
		},
	})
	found, err := indexedNews(ctx, b.Blog, types, b.Rows.Since)
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
		if len(l.Timed.Articles) < news.MaxArticles && !out[r.ID] {
			span := rows.WindowAfter(r.Published)
			span.From = wp.NoTime // the plugin does not mind dates to come
			l.Timed.Articles = append(l.Timed.Articles, rows.Article{ID: r.ID, Published: r.Published, LastMod: wp.NoTime, Spans: [2]rows.Span{span}})
		}
	}
	l.Timed.Date, err = newestPublication(ctx, b)
	return l, err
}

// excluded returns the rows of the index table that are kept out of the news.
func excluded(ctx context.Context, b *provider.Build, s *news.Settings, rows []row) (map[int64]bool, error) {
	types := make(map[int64]string, len(rows))
	ids := make([]int64, 0, len(rows))
	for _, r := range rows {
		types[r.PostID] = r.Type
		ids = append(ids, r.ID)
	}
	marked, err := addOn.LeftOut(ctx, b.Rules, s, types)
	if err != nil {
		return nil, err
	}
	var stored map[int64]*article
	if len(b.Options.Exclude.URLs) > 0 {
		if stored, err = indexedArticles(ctx, b.Blog, ids); err != nil {
			return nil, err
		}
	}
	out := make(map[int64]bool, len(rows))
	for _, r := range rows {
		o := seo.Object{Kind: seo.KindPost, ID: r.PostID}
		if a := stored[r.ID]; a != nil {
			o.Link = a.Permalink
		}
		out[r.ID] = marked[r.PostID] || b.Excluded(o)
	}
	return out, nil
}

// newestPublication is the newest post_date_gmt of all public post types, which is beside
// the plugin's news in the index. Types nobody can view were not read for any sitemap.
func newestPublication(ctx context.Context, b *provider.Build) (int64, error) {
	for _, t := range b.Blog.Registry().PostTypes {
		if !t.Public || b.Rows.Posts[t.Name] != nil {
			continue
		}
		err := b.Blog.EachPost(ctx, t.Name, "publish", func(p wp.PostRow) error {
			b.Rows.Newest = max(b.Rows.Newest, p.DateGMT)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return b.Rows.Newest, nil
}

// indexedURLs renders articles as they are in the index table.
func indexedURLs(ctx context.Context, c *seo.Rules, entries []catalog.Entry) ([]urlset.URL, error) {
	ids := catalog.EntryIDs(entries)
	articles, err := indexedArticles(ctx, c.Blog, ids)
	if err != nil {
		return nil, err
	}
	name := formatting.NumericEntities(of(c.Blog).publication) // the plugin keeps &eacute;, which no XML parser knows
	if operator := c.Options.News.Publication; operator != "" {
		name = formatting.EscHTML(operator)
	}
	language := "en"
	if locale := c.Blog.Settings().Locale; len(locale) >= 2 {
		language = locale[:2]
	}
	language = cmp.Or(c.Options.News.Language, language)
	urls := make([]urlset.URL, 0, len(entries))
	for _, id := range ids {
		a := articles[id]
		if a == nil {
			continue
		}
		for _, tickers := range a.Tickers {
			if tickers == "0" { // empty, to PHP
				tickers = ""
			}
			urls = append(urls, urlset.URL{Loc: a.Permalink, LastMod: wp.NoTime, News: &urlset.News{
				Publication: name, Language: language, Date: a.Published, Title: a.Title, StockTickers: tickers,
			}})
		}
	}
	return urls[:min(len(urls), news.MaxArticles)], nil
}
