package sitemap

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// newsWindow is for how many seconds an article is news, the last one included.
const newsWindow = 48 * 60 * 60

// maxNews is the protocol's limit of articles in a file, and the plugin's of articles in all.
const maxNews = 1000

// maxTickers is how many stock tickers the protocol allows an article.
const maxTickers = 5

// news makes the entries of a list depend on the clock: it keeps every object that can be
// news without a change in the database, and is asked anew whenever something is served.
type news struct {
	articles []article // in the order of the list
	stored   bool      // the entries are rows of Yoast's index table, and come with one date for the index
	date     int64     // that date
}

// article is an object with the times in which it is news.
type article struct {
	id        int64 // of the post; by the plugin's rules of its row in the index table
	published int64
	lastmod   int64
	spans     [2]span
}

// span is a time in Unix seconds; until is the first second after it.
type span struct{ from, until int64 }

// windowAfter is the time in which something of that date is news.
func windowAfter(date int64) span {
	if date == wp.NoTime {
		return span{}
	}
	return span{date, date + newsWindow + 1}
}

func (a *article) isNews(now int64) bool {
	return slices.ContainsFunc(a.spans[:], func(s span) bool { return s.from <= now && now < s.until })
}

// changes returns the first second after now at which the article enters or leaves the news,
// math.MaxInt64 when it will not.
func (a *article) changes(now int64) int64 {
	next := int64(math.MaxInt64)
	for _, s := range a.spans {
		for _, at := range []int64{s.from, s.until} {
			if at > now && at < next && a.isNews(at) != a.isNews(now) {
				next = at
			}
		}
	}
	return next
}

// at returns the list as it is at a time.
func (n *news) at(c *Catalog, l *list, now int64) *list {
	current := *l
	current.entries = nil
	for i := range n.articles {
		if a := &n.articles[i]; a.isNews(now) {
			current.entries = append(current.entries, newEntry(a.id, a.lastmod, Listed))
		}
	}
	current.indexed = len(current.entries) > 0
	switch {
	case !n.stored:
		current.dates = c.pageDates(&current)
	case current.indexed:
		current.dates = []int64{n.date}
	}
	return &current
}

// Expires returns the next moment at which a sitemap changes by the clock alone, because an
// article enters or leaves the news; zero when none will.
func (c *Catalog) Expires() time.Time {
	now := c.opt.Now().Unix()
	next := int64(math.MaxInt64)
	for _, l := range c.lists {
		if l.news == nil {
			continue
		}
		for i := range l.news.articles {
			next = min(next, l.news.articles[i].changes(now))
		}
	}
	if next == math.MaxInt64 {
		return time.Time{}
	}
	return time.Unix(next, 0).UTC()
}

// newsName returns the name of the news sitemap, "" where Yoast News SEO is not active.
func (c *Catalog) newsName() string {
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
// posts when there are none.
func (c *Catalog) newsTypes() []string {
	var names []string
	for _, t := range c.site.Registry().PostTypes {
		if t.Public && c.site.Settings().News.PostTypes[t.Name] {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		names = []string{"post"}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !c.policy.news.lists(c, name) })
}

// newsBuild collects the news while the posts are read.
type newsBuild struct {
	types  []string // whose posts are looked at
	since  int64
	recent map[string][]article // by post type
	newest int64                // newest publication of any published post
}

func (b *build) prepareNews() {
	b.news = newsBuild{since: b.opt.Now().Unix() - newsWindow, recent: map[string][]article{}, newest: wp.NoTime}
	b.recent = b.news.recent
	if b.policy.news.watched != nil && b.newsName() != "" {
		b.news.types = b.policy.news.watched(b.Catalog)
	}
}

// see takes note of a published post.
func (n *newsBuild) see(postType string, p *wp.PostRow) {
	n.newest = max(n.newest, p.DateGMT)
	lastmod := max(p.DateGMT, p.ModifiedGMT)
	if lastmod < n.since || !slices.Contains(n.types, postType) {
		return
	}
	a := article{id: p.ID, published: publication(p.DateGMT, p.ModifiedGMT), lastmod: lastmod, spans: [2]span{windowAfter(p.DateGMT), windowAfter(p.ModifiedGMT)}}
	n.recent[postType] = append(n.recent[postType], a)
}

// publication is when a post was published. Rows of old imports do not tell in UTC, and the
// protocol wants a date.
func publication(dateGMT, modifiedGMT int64) int64 {
	if dateGMT == wp.NoTime {
		return modifiedGMT
	}
	return dateGMT
}

// newsList makes the list of the news; nil on a site without.
func (b *build) newsList(ctx context.Context) (*list, error) {
	name := b.newsName()
	if name == "" || b.hidden() {
		return nil, nil
	}
	return b.policy.news.list(b, ctx, name)
}

// newsOfPosts makes the list of the posts that were read: published or modified within 48 hours, judged as in the other
// sitemaps, on as many pages as it takes.
func (b *build) newsOfPosts(ctx context.Context, name string) (*list, error) {
	l := &list{
		name: name, size: min(maxNews, b.opt.PageSize), stays: true, extensions: urlset.Images | urlset.NewsArticles,
		render: b.newsURLs, news: &news{},
	}
	types := map[int64]string{}
	var articles []article
	for _, t := range b.news.types {
		for _, a := range b.news.recent[t] {
			if i, ok := findPost(b.posts[t], a.id); ok && b.posts[t][i].rule == Listed {
				articles = append(articles, a)
				types[a.id] = t
			}
		}
	}
	excluded, err := b.site.NewsExcluded(ctx, types)
	if err != nil {
		return nil, err
	}
	l.news.articles = slices.DeleteFunc(articles, func(a article) bool { return excluded[a.id] })
	slices.SortFunc(l.news.articles, func(x, y article) int {
		return cmp.Or(cmp.Compare(y.published, x.published), cmp.Compare(y.id, x.id))
	})
	return l, nil
}

// newsOfIndexables makes the list by the plugin's rules: the newest articles of the index
// table, on one page, beside other sitemaps only.
func (b *build) newsOfIndexables(ctx context.Context, name string) (*list, error) {
	l := &list{
		name: name, size: maxNews, past: pastFirst, stays: true, extensions: urlset.NewsArticles, dependent: true,
		render: undated(b.indexedNewsURLs), news: &news{stored: true},
	}
	rows, err := b.site.IndexedNews(ctx, b.newsTypes(), b.news.since)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(x, y wp.NewsRow) int {
		return cmp.Or(cmp.Compare(y.Published, x.Published), cmp.Compare(x.ID, y.ID))
	})
	for batch := range slices.Chunk(rows, maxNews) {
		if len(l.news.articles) >= maxNews {
			break
		}
		out, err := b.excludedNews(ctx, batch)
		if err != nil {
			return nil, err
		}
		for _, r := range batch {
			if len(l.news.articles) < maxNews && !out[r.ID] {
				s := windowAfter(r.Published)
				s.from = wp.NoTime // the plugin does not mind dates to come
				l.news.articles = append(l.news.articles, article{id: r.ID, published: r.Published, lastmod: wp.NoTime, spans: [2]span{s}})
			}
		}
	}
	l.news.date, err = b.newestPublication(ctx)
	return l, err
}

// excludedNews returns the rows of the index table that are kept out of the news.
func (b *build) excludedNews(ctx context.Context, rows []wp.NewsRow) (map[int64]bool, error) {
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
func (b *build) newestPublication(ctx context.Context) (int64, error) {
	for _, t := range b.site.Registry().PostTypes {
		if !t.Public || b.posts[t.Name] != nil {
			continue
		}
		err := b.site.EachPost(ctx, t.Name, "publish", func(p wp.PostRow) error {
			b.news.newest = max(b.news.newest, p.DateGMT)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return b.news.newest, nil
}

// newsURLs renders articles from their posts.
func (c *Catalog) newsURLs(ctx context.Context, entries []entry) (renderedRows, error) {
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
	name := cmp.Or(plainText(set.News.Publication), plainText(set.Title), weburl.HostOf(set.Home))
	r := renderedRows{urls: make([]urlset.URL, 0, len(posts))}
	for _, p := range posts {
		hidden, behind := c.compare(p, max(p.DateGMT, p.ModifiedGMT), lastmod[p.ID])
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
			Title:        cmp.Or(plainText(titles[p.ID]), untitled),
			StockTickers: stockTickers(tickers[p.ID]),
		}})
	}
	return r, nil
}

// untitled is the title of a post without one, which Yoast's Article schema has, too.
const untitled = "No title"

// indexedNewsURLs renders articles as they are in the index table.
func (c *Catalog) indexedNewsURLs(ctx context.Context, entries []entry) ([]urlset.URL, error) {
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
	for part := range strings.SplitSeq(plainText(stored), ",") {
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
