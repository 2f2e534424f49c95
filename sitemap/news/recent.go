package news

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/formatting"
)

// This file makes the list by Google's rules.

// MaxArticles is the maximum number of articles in a file, by the protocol.
const MaxArticles = 1000

// list makes the list by Google's rules.
func (p Provider) list(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error) {
	l := b.List(catalog.List{
		Name: s.Name, Kind: seo.KindOther, Size: min(MaxArticles, b.Rules.Options.PageSize), Encoding: new(urlset.Strict),
		Extensions: urlset.Images | urlset.NewsArticles,
		Explained: catalog.Explained{
			Why:   append(p.AddOn.Is().Says(b.Rules), seo.Evidence{Source: "[site.news] window", Value: strconv.Quote(windowOf(b.Rules))}),
			Holds: holds(b.Rules),
		},
	})
	content := &recent{of: p, s: s, c: b.Renderer.BySpec()}
	typeOf := map[int64]string{}
	for _, t := range s.Types(b.Rules.ListsTypeNamed) {
		for _, article := range b.Rows.Recent[t] {
			if b.ListsPost(t, article.ID) {
				content.articles = append(content.articles, article)
				typeOf[article.ID] = t
			}
		}
	}
	out, err := p.LeftOut(ctx, b.Rules, s, typeOf)
	if err != nil {
		return nil, err
	}
	content.articles = slices.DeleteFunc(content.articles, func(article rows.Article) bool { return out[article.ID] })
	slices.SortFunc(content.articles, func(x, y rows.Article) int {
		return cmp.Or(cmp.Compare(y.Published, x.Published), cmp.Compare(y.ID, x.ID))
	})
	l.Content = content
	return l, nil
}

// recent is the content of the news list by Google's rules.
type recent struct {
	of       Provider
	s        *Settings
	c        *provider.Renderer
	articles []rows.Article
}

func (r *recent) Articles() []rows.Article { return r.articles }

func (r *recent) Render(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
	c, s := r.c, r.s
	ids, lastmod := places.IDs(), places.Dates()
	found := provider.NewImageFinder(c, len(places))
	posts, err := c.Rules.Book.Posts(ctx, ids, found.Scan)
	if err != nil {
		return catalog.Rendered{}, err
	}
	if err := found.Resolve(ctx, posts); err != nil {
		return catalog.Rendered{}, err
	}
	titles, err := c.Rules.Blog.PostTitles(ctx, ids)
	if err != nil {
		return catalog.Rendered{}, err
	}
	tickers, err := r.of.AddOn.Tickers(ctx, c.Rules, ids)
	if err != nil {
		return catalog.Rendered{}, err
	}
	rendered := catalog.Rendered{URLs: make([]urlset.URL, 0, len(posts))}
	for _, p := range posts {
		hidden, behind := c.Rules.MovedSinceListing(p, c.Rules.Latest(p.Dates), lastmod[p.ID])
		rendered.Behind = rendered.Behind || behind
		if hidden {
			continue
		}
		rendered.URLs = append(rendered.URLs, urlset.URL{Loc: p.Link, LastMod: lastmod[p.ID], Images: found.Images(p), News: &urlset.News{
			Publication: s.Publication, Language: language(c.Rules, s, p),
			Date:  rows.Publication(c.Rules.Past(p.Dates.PublishedGMT), c.Rules.Past(p.Dates.ChangedGMT)),
			Title: cmp.Or(formatting.PlainText(titles[p.ID]), untitled), StockTickers: tickers[p.ID],
		}})
	}
	return rendered, nil
}

// untitled is the title given to a post without a title.
const untitled = "No title"

// Absent implements catalog.Repeated. It judges a post by the date of its last change if that is newer than its publication, unless
// the news window is by publication.
func (r *recent) Absent(ctx context.Context, p *address.Post, standing catalog.Standing) (string, error) {
	date, column, why := p.Dates.PublishedGMT, "post_date_gmt", ""
	switch {
	case standing == catalog.ListedHere:
		return "", nil
	case standing == catalog.ListedByType:
		why = "it has changed since the sitemaps were read"
	}
	if p.Dates.ChangedGMT > p.Dates.PublishedGMT && windowOf(r.c.Rules) != seo.ByPublication {
		date, column = p.Dates.ChangedGMT, "post_modified_gmt"
	}
	return r.of.WhyAbsent(ctx, r.c.Rules, r.s, r.s.Types(r.c.Rules.ListsTypeNamed), p, date, column, why)
}

// WhyAbsent returns why a published post is not in the news. types are the post types of the news; for a post of
// another type the result is "". date is the date in column that the news window applies to. why is the result if
// neither the date nor an exclusion is the reason.
func (n Provider) WhyAbsent(
	ctx context.Context, c *seo.Rules, s *Settings, types []string, p *address.Post, date int64, column, why string,
) (string, error) {
	if !slices.Contains(types, p.Type) {
		return "", nil
	}
	out, err := n.LeftOut(ctx, c, s, map[int64]string{p.ID: p.Type})
	if err != nil {
		return "", err
	}
	since := c.Options.Now().Unix() - rows.NewsWindow
	switch {
	case date < since:
		return fmt.Sprintf("it is older than 48 hours (%s.%s = %s; the window begins at %s)", c.Blog.Table("posts"), column, utc(date), utc(since)), nil
	case out[p.ID]:
		return "excluded by " + n.AddOn.ExcludedBy(c), nil
	}
	return why, nil
}

func utc(seconds int64) string {
	if seconds == wp.NoTime {
		return "none"
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}

// windowOf returns the [site.news] window of a blog: "modified" or "published".
func windowOf(r *seo.Rules) string { return cmp.Or(r.Options.News.Window, "modified") }

// holds says, for people, which articles are listed.
func holds(r *seo.Rules) string {
	if windowOf(r) == seo.ByPublication {
		return `published within 48 hours, as Google counts ([site.news] window = "published")`
	}
	return `published or modified within 48 hours; Google counts publication alone ([site.news] window = "modified")`
}

// language returns the language code of a post. If the post has no language, language returns the code of
// the settings, or else the code of the site.
func language(r *seo.Rules, s *Settings, p *address.Post) string {
	if l, ok := r.Blog.Languages().ByCode(p.Language); ok {
		return languageOf(cmp.Or(l.Locale, l.Tag))
	}
	return cmp.Or(s.Language, languageOf(r.Blog.Settings().Locale))
}

// languageOf returns the ISO 639 code of a locale such as nl_NL, de_DE_formal or ckb. Google has two
// codes for Chinese, zh-cn and zh-tw. If the locale has no valid code, the result is "en".
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
	case code == "me": // WordPress uses this code for Montenegrin
		return "cnr"
	case (len(code) == 2 || len(code) == 3) && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") == "":
		return code
	}
	return "en"
}
