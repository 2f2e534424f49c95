package sitemap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/weburl"
)

// maxNews is the protocol's limit of articles in a file, and the plugin's of articles in all.
const maxNews = 1000

// maxTickers is how many stock tickers the protocol allows an article.
const maxTickers = 5

// newsName returns the name of the news sitemap, "" where Yoast News SEO is not active.
func newsName(c *Rules) string {
	set := &c.site.Settings().News
	switch {
	case !set.Active:
		return ""
	case set.Basename != "":
		return set.Basename
	case c.site.Registry().PostType("news") != nil:
		return "yoast-news"
	}
	return "news"
}

// newsTypes are the post types whose posts are news: the public ones that are switched on,
// posts when there are none, as far as they are listed.
func newsTypes(c *Rules, lists func(postType string) bool) []string {
	var names []string
	for _, t := range c.site.Registry().PostTypes {
		if t.Public && c.site.Settings().News.PostTypes[t.Name] {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		names = []string{"post"}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !lists(name) })
}

// newsNames are the names of the news sitemap.
func newsNames(r *Rules) map[string]bool {
	if name := newsName(r); name != "" {
		return map[string]bool{name: true}
	}
	return nil
}

// NewsOfPosts lists the news by the specification: of the posts that were read.
var NewsOfPosts = Provider{
	Names: newsNames,
	Watched: func(r *Rules) []string {
		if newsName(r) == "" {
			return nil
		}
		return newsTypes(r, r.listsTypeNamed)
	},
	Lists: func(ctx context.Context, b *build) error {
		name := newsName(b.Rules)
		if name == "" || b.hidden() {
			return nil
		}
		l, err := newsOfPosts(ctx, b, name)
		if err == nil {
			b.add(l)
		}
		return err
	},
}

// NewsOfIndexables lists the news by the plugin's rules: of its index table.
var NewsOfIndexables = Provider{
	Names:  newsNames,
	Deltas: func(r *Rules) bool { return newsName(r) == "" },
	Lists: func(ctx context.Context, b *build) error {
		name := newsName(b.Rules)
		if name == "" || b.hidden() {
			return nil
		}
		l, err := newsOfIndexables(ctx, b, name)
		if err == nil {
			b.add(l)
		}
		return err
	},
}

// newsOfPosts makes the list of the posts that were read: published or modified within 48 hours, judged as in the other
// sitemaps, on as many pages as it takes.
func newsOfPosts(ctx context.Context, b *build, name string) (*list, error) {
	c := b.Renderer
	types := newsTypes(b.Rules, b.listsTypeNamed)
	l := b.list(list{
		name: name, kind: KindOther, size: min(maxNews, b.opt.PageSize), stays: true, extensions: urlset.Images | urlset.NewsArticles,
		timed:  &timed{},
		render: func(ctx context.Context, entries []entry) (renderedRows, error) { return newsURLs(ctx, c, entries) },
		absent: func(ctx context.Context, p *wp.Post, listed bool) (string, error) {
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
	var articles []article
	for _, t := range types {
		for _, a := range b.recent[t] {
			if i, ok := findPost(b.posts[t], a.id); ok && b.posts[t][i].rule == Listed {
				articles = append(articles, a)
				typeOf[a.id] = t
			}
		}
	}
	excluded, err := b.site.NewsExcluded(ctx, typeOf)
	if err != nil {
		return nil, err
	}
	l.timed.articles = slices.DeleteFunc(articles, func(a article) bool { return excluded[a.id] })
	slices.SortFunc(l.timed.articles, func(x, y article) int {
		return cmp.Or(cmp.Compare(y.published, x.published), cmp.Compare(y.id, x.id))
	})
	return l, nil
}

// newsOfIndexables makes the list by the plugin's rules: the newest articles of the index
// table, on one page, beside other sitemaps only.
func newsOfIndexables(ctx context.Context, b *build, name string) (*list, error) {
	c := b.Renderer
	types := newsTypes(b.Rules, b.keepsType)
	l := b.list(list{
		name: name, kind: KindOther, size: maxNews, past: pastFirst, stays: true, extensions: urlset.NewsArticles,
		dependent: true, dateless: true, timed: &timed{stored: true},
		rows: &storedRows{
			column: "yoast_indexable.permalink", note: "No post has this address: Yoast's index table is not up to date.",
			ofPost: b.site.Indexables,
			addresses: func(ctx context.Context, entries []entry) ([]located, error) {
				articles, err := c.site.IndexedArticles(ctx, entryIDs(entries))
				var found []located
				for id, a := range articles {
					found = append(found, located{id, a.Permalink})
				}
				return found, err
			},
		},
		render: undated(func(ctx context.Context, entries []entry) ([]urlset.URL, error) {
			return indexedNewsURLs(ctx, c, entries)
		}),
		absent: func(ctx context.Context, p *wp.Post, _ bool) (string, error) {
			why := fmt.Sprintf("Yoast's table %s has no such row, or says noindex", c.site.Table("yoast_indexable"))
			return notNews(ctx, c.Rules, types, p, p.DateGMT, "post_date_gmt", why)
		},
	})
	found, err := b.site.IndexedNews(ctx, types, b.since)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(x, y wp.NewsRow) int {
		return cmp.Or(cmp.Compare(y.Published, x.Published), cmp.Compare(x.ID, y.ID))
	})
	for batch := range slices.Chunk(found, maxNews) {
		if len(l.timed.articles) >= maxNews {
			break
		}
		out, err := excludedNews(ctx, b, batch)
		if err != nil {
			return nil, err
		}
		for _, r := range batch {
			if len(l.timed.articles) < maxNews && !out[r.ID] {
				s := windowAfter(r.Published)
				s.from = wp.NoTime // the plugin does not mind dates to come
				l.timed.articles = append(l.timed.articles, article{id: r.ID, published: r.Published, lastmod: wp.NoTime, spans: [2]span{s}})
			}
		}
	}
	l.timed.date, err = newestPublication(ctx, b)
	return l, err
}

// notNews says why a published post is not among the news; why is what else there is to say.
func notNews(ctx context.Context, c *Rules, types []string, p *wp.Post, date int64, column, why string) (string, error) {
	if !slices.Contains(types, p.Type) {
		return "", nil
	}
	excluded, err := c.site.NewsExcluded(ctx, map[int64]string{p.ID: p.Type})
	if err != nil {
		return "", err
	}
	since := c.opt.Now().Unix() - newsWindow
	switch {
	case date < since:
		return fmt.Sprintf("it is older than 48 hours (%s.%s = %s; the window begins at %s)", c.site.Table("posts"), column, utc(date), utc(since)), nil
	case excluded[p.ID]:
		return fmt.Sprintf("excluded by %s._yoast_wpseo_newssitemap-robots-index or %s.wpseo_news[news_sitemap_exclude_terms]",
			c.site.Table("postmeta"), c.site.Table("options")), nil
	}
	return why, nil
}

// excludedNews returns the rows of the index table that are kept out of the news.
func excludedNews(ctx context.Context, b *build, rows []wp.NewsRow) (map[int64]bool, error) {
	types := make(map[int64]string, len(rows))
	ids := make([]int64, 0, len(rows))
	for _, r := range rows {
		types[r.PostID] = r.Type
		ids = append(ids, r.ID)
	}
	excluded, err := b.site.NewsExcluded(ctx, types)
	if err != nil {
		return nil, err
	}
	var stored map[int64]*wp.IndexedArticle
	if len(b.opt.Exclude.URLs) > 0 {
		if stored, err = b.site.IndexedArticles(ctx, ids); err != nil {
			return nil, err
		}
	}
	out := make(map[int64]bool, len(rows))
	for _, r := range rows {
		o := Object{Kind: KindPost, ID: r.PostID}
		if a := stored[r.ID]; a != nil {
			o.Link = a.Permalink
		}
		out[r.ID] = excluded[r.PostID] || b.excluded(o)
	}
	return out, nil
}

// newestPublication is the newest post_date_gmt of all public post types, which stands beside
// the plugin's news in the index. Types nobody can view were not read for any sitemap.
func newestPublication(ctx context.Context, b *build) (int64, error) {
	for _, t := range b.site.Registry().PostTypes {
		if !t.Public || b.posts[t.Name] != nil {
			continue
		}
		err := b.site.EachPost(ctx, t.Name, "publish", func(p wp.PostRow) error {
			b.newest = max(b.newest, p.DateGMT)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return b.newest, nil
}

// newsURLs renders articles from their posts.
func newsURLs(ctx context.Context, c *Renderer, entries []entry) (renderedRows, error) {
	ids, lastmod := entryIDs(entries), lastmods(entries)
	found := newImageFinder(c, len(entries))
	posts, err := c.site.Posts(ctx, ids, found.scan)
	if err != nil {
		return renderedRows{}, err
	}
	if err := found.resolve(ctx, posts); err != nil {
		return renderedRows{}, err
	}
	titles, tickers, err := c.site.NewsTexts(ctx, ids)
	if err != nil {
		return renderedRows{}, err
	}
	set := c.site.Settings()
	name := cmp.Or(formatting.PlainText(set.News.Publication), formatting.PlainText(set.Title), weburl.HostOf(set.Home))
	r := renderedRows{urls: make([]urlset.URL, 0, len(posts))}
	for _, p := range posts {
		hidden, behind := c.movedSinceListing(p, max(p.DateGMT, p.ModifiedGMT), lastmod[p.ID])
		r.behind = r.behind || behind
		if hidden {
			continue
		}
		language := newsLanguage(set.Locale) // of what has none of its own
		if l, ok := c.site.LanguageByCode(p.Language); ok {
			language = newsLanguage(cmp.Or(l.Locale, l.Tag))
		}
		r.urls = append(r.urls, urlset.URL{Loc: p.Link, LastMod: lastmod[p.ID], Images: found.images(p), News: &urlset.News{
			Publication: name, Language: language, Date: publication(p.DateGMT, p.ModifiedGMT),
			Title:        cmp.Or(formatting.PlainText(titles[p.ID]), untitled),
			StockTickers: stockTickers(tickers[p.ID]),
		}})
	}
	return r, nil
}

// untitled is the title of a post without one, which Yoast's Article schema has, too.
const untitled = "No title"

// indexedNewsURLs renders articles as they are in the index table.
func indexedNewsURLs(ctx context.Context, c *Renderer, entries []entry) ([]urlset.URL, error) {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	articles, err := c.site.IndexedArticles(ctx, ids)
	if err != nil {
		return nil, err
	}
	set := c.site.Settings()
	name := numericEntities(set.News.Publication) // the plugin keeps &eacute;, which no XML parser knows
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

// newsLanguage returns the code by ISO 639 of a locale (nl_NL, de_DE_formal, ckb), with the two
// exceptions Google makes to tell the scripts of Chinese apart; English for what has none.
func newsLanguage(locale string) string {
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
