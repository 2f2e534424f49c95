package news

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/weburl"
)

// maxNews is the protocol's limit of articles in a file, and the plugin's of articles in all.
const maxNews = 1000

// maxTickers is how many stock tickers the protocol allows an article.
const maxTickers = 5

// name returns the name of the news sitemap, "" where Yoast News SEO is not active.
func name(c *seo.Rules) string {
	set := &c.Blog.Settings().News
	switch {
	case !set.Active:
		return ""
	case set.Basename != "":
		return set.Basename
	case c.Blog.Registry().PostType("news") != nil:
		return "yoast-news"
	}
	return "news"
}

// types are the post types whose posts are news: the public ones that are switched on,
// posts when there are none, as far as they are listed.
func types(c *seo.Rules, lists func(postType string) bool) []string {
	var names []string
	for _, t := range c.Blog.Registry().PostTypes {
		if t.Public && c.Blog.Settings().News.PostTypes[t.Name] {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		names = []string{"post"}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !lists(name) })
}

// names are the names of the news sitemap.
func names(r *seo.Rules) map[string]bool {
	if name := name(r); name != "" {
		return map[string]bool{name: true}
	}
	return nil
}

// provide is a provider of the sitemap of news, of a function that makes its list.
func provide(list func(ctx context.Context, b *provider.Build, name string) (*catalog.List, error)) provider.Provider {
	return provider.Provider{
		Names: names,
		Lists: func(ctx context.Context, b *provider.Build) error {
			name := name(b.Rules)
			if name == "" || b.Hidden() {
				return nil
			}
			l, err := list(ctx, b, name)
			if err == nil {
				b.Add(l)
			}
			return err
		},
	}
}

// OfPosts lists the news by the specification: of the posts that were read.
var OfPosts = func() provider.Provider {
	p := provide(ofPosts)
	p.Watched = func(r *seo.Rules) []string {
		if name(r) == "" {
			return nil
		}
		return types(r, r.ListsTypeNamed)
	}
	return p
}()

// OfIndexables lists the news by the plugin's rules: of its index table.
var OfIndexables = func() provider.Provider {
	p := provide(ofIndexables)
	p.Deltas = func(r *seo.Rules) bool { return name(r) == "" }
	return p
}()

// ofPosts makes the list of the posts that were read: published or modified within 48 hours, judged as in the other
// sitemaps, on as many pages as it takes.
func ofPosts(ctx context.Context, b *provider.Build, name string) (*catalog.List, error) {
	c := b.Renderer
	types := types(b.Rules, b.ListsTypeNamed)
	l := b.List(catalog.List{
		Name: name, Kind: seo.KindOther, Size: min(maxNews, b.Options.PageSize), Stays: true, Extensions: urlset.Images | urlset.NewsArticles,
		Timed: &catalog.Timed{},
		Render: func(ctx context.Context, entries []catalog.Entry) (catalog.Rendered, error) {
			return urls(ctx, c, entries)
		},
		Absent: func(ctx context.Context, p *wp.Post, listed bool) (string, error) {
			date, column := p.DateGMT, "post_date_gmt"
			if p.ModifiedGMT > p.DateGMT {
				date, column = p.ModifiedGMT, "post_modified_gmt"
			}
			why := ""
			if listed {
				why = "it has changed since the sitemaps were read"
			}
			return notNews(ctx, c.Rules, types, p, date, column, why)
		},
	})
	typeOf := map[int64]string{}
	var articles []rows.Article
	for _, t := range types {
		for _, a := range b.Recent[t] {
			if i, ok := rows.FindPost(b.Posts[t], a.ID); ok && b.Posts[t][i].Verdict == seo.Listed {
				articles = append(articles, a)
				typeOf[a.ID] = t
			}
		}
	}
	excluded, err := b.Blog.NewsExcluded(ctx, typeOf)
	if err != nil {
		return nil, err
	}
	l.Timed.Articles = slices.DeleteFunc(articles, func(a rows.Article) bool { return excluded[a.ID] })
	slices.SortFunc(l.Timed.Articles, func(x, y rows.Article) int {
		return cmp.Or(cmp.Compare(y.Published, x.Published), cmp.Compare(y.ID, x.ID))
	})
	return l, nil
}

// ofIndexables makes the list by the plugin's rules: the newest articles of the index
// table, on one page, beside other sitemaps only.
func ofIndexables(ctx context.Context, b *provider.Build, name string) (*catalog.List, error) {
	c := b.Renderer
	types := types(b.Rules, b.KeepsType)
	l := b.List(catalog.List{
		Name: name, Kind: seo.KindOther, Size: maxNews, Past: catalog.PastFirst, Stays: true, Extensions: urlset.NewsArticles,
		Dependent: true, Dateless: true, Timed: &catalog.Timed{Stored: true},
		Rows: &catalog.StoredRows{
			Column: "yoast_indexable.permalink", Note: "No post has this address: Yoast's index table is not up to date.",
			OfPost: b.Blog.Indexables,
			Addresses: func(ctx context.Context, entries []catalog.Entry) ([]catalog.Located, error) {
				articles, err := c.Blog.IndexedArticles(ctx, catalog.EntryIDs(entries))
				var found []catalog.Located
				for id, a := range articles {
					found = append(found, catalog.Located{ID: id, Loc: a.Permalink})
				}
				return found, err
			},
		},
		Render: catalog.Undated(func(ctx context.Context, entries []catalog.Entry) ([]urlset.URL, error) {
			return indexedURLs(ctx, c, entries)
		}),
		Absent: func(ctx context.Context, p *wp.Post, _ bool) (string, error) {
			why := fmt.Sprintf("Yoast's table %s has no such row, or says noindex", c.Blog.Table("yoast_indexable"))
			return notNews(ctx, c.Rules, types, p, p.DateGMT, "post_date_gmt", why)
		},
	})
	found, err := b.Blog.IndexedNews(ctx, types, b.Since)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(x, y wp.NewsRow) int {
		return cmp.Or(cmp.Compare(y.Published, x.Published), cmp.Compare(x.ID, y.ID))
	})
	for batch := range slices.Chunk(found, maxNews) {
		if len(l.Timed.Articles) >= maxNews {
			break
		}
		out, err := excludedNews(ctx, b, batch)
		if err != nil {
			return nil, err
		}
		for _, r := range batch {
			if len(l.Timed.Articles) < maxNews && !out[r.ID] {
				s := rows.WindowAfter(r.Published)
				s.From = wp.NoTime // the plugin does not mind dates to come
				l.Timed.Articles = append(l.Timed.Articles, rows.Article{ID: r.ID, Published: r.Published, LastMod: wp.NoTime, Spans: [2]rows.Span{s}})
			}
		}
	}
	l.Timed.Date, err = newestPublication(ctx, b)
	return l, err
}

// notNews says why a published post is not among the news; why is what else there is to say.
func notNews(ctx context.Context, c *seo.Rules, types []string, p *wp.Post, date int64, column, why string) (string, error) {
	if !slices.Contains(types, p.Type) {
		return "", nil
	}
	excluded, err := c.Blog.NewsExcluded(ctx, map[int64]string{p.ID: p.Type})
	if err != nil {
		return "", err
	}
	since := c.Options.Now().Unix() - rows.NewsWindow
	switch {
	case date < since:
		return fmt.Sprintf("it is older than 48 hours (%s.%s = %s; the window begins at %s)", c.Blog.Table("posts"), column, utc(date), utc(since)), nil
	case excluded[p.ID]:
		return fmt.Sprintf("excluded by %s._yoast_wpseo_newssitemap-robots-index or %s.wpseo_news[news_sitemap_exclude_terms]",
			c.Blog.Table("postmeta"), c.Blog.Table("options")), nil
	}
	return why, nil
}

// excludedNews returns the rows of the index table that are kept out of the news.
func excludedNews(ctx context.Context, b *provider.Build, rows []wp.NewsRow) (map[int64]bool, error) {
	types := make(map[int64]string, len(rows))
	ids := make([]int64, 0, len(rows))
	for _, r := range rows {
		types[r.PostID] = r.Type
		ids = append(ids, r.ID)
	}
	excluded, err := b.Blog.NewsExcluded(ctx, types)
	if err != nil {
		return nil, err
	}
	var stored map[int64]*wp.IndexedArticle
	if len(b.Options.Exclude.URLs) > 0 {
		if stored, err = b.Blog.IndexedArticles(ctx, ids); err != nil {
			return nil, err
		}
	}
	out := make(map[int64]bool, len(rows))
	for _, r := range rows {
		o := seo.Object{Kind: seo.KindPost, ID: r.PostID}
		if a := stored[r.ID]; a != nil {
			o.Link = a.Permalink
		}
		out[r.ID] = excluded[r.PostID] || b.Excluded(o)
	}
	return out, nil
}

// newestPublication is the newest post_date_gmt of all public post types, which stands beside
// the plugin's news in the index. Types nobody can view were not read for any sitemap.
func newestPublication(ctx context.Context, b *provider.Build) (int64, error) {
	for _, t := range b.Blog.Registry().PostTypes {
		if !t.Public || b.Posts[t.Name] != nil {
			continue
		}
		err := b.Blog.EachPost(ctx, t.Name, "publish", func(p wp.PostRow) error {
			b.Newest = max(b.Newest, p.DateGMT)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return b.Newest, nil
}

// urls renders articles from their posts.
func urls(ctx context.Context, c *provider.Renderer, entries []catalog.Entry) (catalog.Rendered, error) {
	ids, lastmod := catalog.EntryIDs(entries), catalog.Lastmods(entries)
	found := provider.NewImageFinder(c, len(entries))
	posts, err := c.Blog.Posts(ctx, ids, found.Scan)
	if err != nil {
		return catalog.Rendered{}, err
	}
	if err := found.Resolve(ctx, posts); err != nil {
		return catalog.Rendered{}, err
	}
	titles, tickers, err := c.Blog.NewsTexts(ctx, ids)
	if err != nil {
		return catalog.Rendered{}, err
	}
	set := c.Blog.Settings()
	name := cmp.Or(formatting.PlainText(set.News.Publication), formatting.PlainText(set.Title), weburl.HostOf(set.Home))
	r := catalog.Rendered{URLs: make([]urlset.URL, 0, len(posts))}
	for _, p := range posts {
		hidden, behind := c.MovedSinceListing(p, max(p.DateGMT, p.ModifiedGMT), lastmod[p.ID])
		r.Behind = r.Behind || behind
		if hidden {
			continue
		}
		language := languageOf(set.Locale) // of what has none of its own
		if l, ok := c.Blog.LanguageByCode(p.Language); ok {
			language = languageOf(cmp.Or(l.Locale, l.Tag))
		}
		r.URLs = append(r.URLs, urlset.URL{Loc: p.Link, LastMod: lastmod[p.ID], Images: found.Images(p), News: &urlset.News{
			Publication: name, Language: language, Date: rows.Publication(p.DateGMT, p.ModifiedGMT),
			Title:        cmp.Or(formatting.PlainText(titles[p.ID]), untitled),
			StockTickers: stockTickers(tickers[p.ID]),
		}})
	}
	return r, nil
}

// untitled is the title of a post without one, which Yoast's Article schema has, too.
const untitled = "No title"

// indexedURLs renders articles as they are in the index table.
func indexedURLs(ctx context.Context, c *provider.Renderer, entries []catalog.Entry) ([]urlset.URL, error) {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	articles, err := c.Blog.IndexedArticles(ctx, ids)
	if err != nil {
		return nil, err
	}
	set := c.Blog.Settings()
	name := formatting.NumericEntities(set.News.Publication) // the plugin keeps &eacute;, which no XML parser knows
	language := "en"
	if len(set.Locale) >= 2 {
		language = set.Locale[:2]
	}
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
	return urls[:min(len(urls), maxNews)], nil
}

// languageOf returns the code by ISO 639 of a locale (nl_NL, de_DE_formal, ckb), with the two
// exceptions Google makes to tell the scripts of Chinese apart; English for what has none.
func languageOf(locale string) string {
	parts := strings.FieldsFunc(strings.ToLower(locale), func(r rune) bool { return r == '_' || r == '-' })
	if len(parts) == 0 {
		return "en"
	}
	switch code := parts[0]; {
	case code == "zh":
		for _, p := range parts[1:] {
			if p == "tw" || p == "hk" || p == "mo" || p == "hant" {
				return "zh-tw"
			}
		}
		return "zh-cn"
	case code == "me": // WordPress' own code for Montenegrin
		return "cnr"
	case (len(code) == 2 || len(code) == 3) && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") == "":
		return code
	}
	return "en"
}

// stockTickers returns those parts of a stored list that have the form the protocol asks for,
// EXCHANGE:SYMBOL, at most maxTickers.
func stockTickers(stored string) string {
	var kept []string
	for part := range strings.SplitSeq(formatting.PlainText(stored), ",") {
		part = strings.TrimSpace(part)
		exchange, symbol, ok := strings.Cut(part, ":")
		if ok && ticker(exchange) && ticker(symbol) && len(kept) < maxTickers {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}

// ticker reports whether s can be the name of an exchange or of a stock on it.
func ticker(s string) bool {
	const others = ".-&^=_/"
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || strings.ContainsRune(others, r))
	})
}

func utc(seconds int64) string {
	if seconds == wp.NoTime {
		return "none"
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}
