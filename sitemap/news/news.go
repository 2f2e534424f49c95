// Package news makes the sitemap of recent articles in the form of Google's news extension, for every
// plugin.
package news

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/weburl"
)

// Settings are the settings of the news sitemap of a blog.
type Settings struct {
	On            bool
	Name          string             // name of the sitemap; "" for the usual name
	Publication   string             // name of the publication, plain text
	Language      string             // code for articles without a language of their own; "" for the language of the site
	PostTypes     []string           // post types in the news; empty means posts
	ExcludedTerms map[string][]int64 // ids of terms whose posts are no news, by post type; "" means every type
}

// An AddOn is an add-on of a plugin that makes a news sitemap. Its settings apply if the operator
// sets none. NoAddOn is the base.
type AddOn interface {
	Is() seo.AddOn
	// Settings returns the add-on's own settings. On is true if the add-on is active.
	Settings(r *seo.Rules) Settings
	// Excluded reports by id which posts their editors exclude from the news. ExcludedBy names for people the
	// settings that exclude posts.
	Excluded(ctx context.Context, r *seo.Rules, ids []int64) (map[int64]bool, error)
	ExcludedBy(r *seo.Rules) string
	// Tickers returns the stock tickers of posts by id, in the form of the protocol.
	Tickers(ctx context.Context, r *seo.Rules, ids []int64) (map[int64]string, error)
	// List returns the list that the add-on's own rules make.
	List(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error)
}

// NoAddOn is an AddOn without settings.
type NoAddOn struct{}

func (NoAddOn) Is() seo.AddOn                { return seo.AddOn{Usual: Usual} }
func (NoAddOn) Settings(*seo.Rules) Settings { return Settings{} }
func (NoAddOn) ExcludedBy(*seo.Rules) string { return OperatorTerms }

func (NoAddOn) Excluded(context.Context, *seo.Rules, []int64) (map[int64]bool, error) {
	return map[int64]bool{}, nil
}

func (NoAddOn) List(context.Context, *provider.Build, *Settings) (*catalog.List, error) {
	return nil, nil
}

func (NoAddOn) Tickers(context.Context, *seo.Rules, []int64) (map[int64]string, error) {
	return nil, nil
}

// Usual is the usual name of the news sitemap.
const Usual = "news"

// Provider makes the news list. If seo.AddOn.MakesOwn holds, the add-on makes the list by its own rules. If
// not, the list follows Google's rules: it has the recent posts that are also in the sitemap of their type.
// [site.news] window says which posts are recent.
type Provider struct {
	provider.Lister
	AddOn AddOn
}

// Names implements provider.Provider.
func (p Provider) Names(r *seo.Rules) map[string]bool {
	if s := p.Of(r); s.On {
		return map[string]bool{s.Name: true}
	}
	return nil
}

// Deltas implements provider.Provider. A delta finds new recent posts, but it does not read the data that
// an add-on's own rules need.
func (p Provider) Deltas(r *seo.Rules) bool {
	return !p.Of(r).On || !p.AddOn.Is().MakesOwn(r)
}

// Watched implements provider.Provider.
func (p Provider) Watched(r *seo.Rules) []string {
	if s := p.Of(r); s.On && !p.AddOn.Is().MakesOwn(r) {
		return s.Types(r.ListsTypeNamed)
	}
	return nil
}

// Absent implements provider.Provider.
func (p Provider) Absent(r *seo.Rules) map[string]*seo.Reason {
	if p.Of(r).On {
		return nil
	}
	return p.AddOn.Is().Absent(r)
}

// Lists implements provider.Provider.
func (p Provider) Lists(ctx context.Context, b *provider.Build) error {
	s := p.Of(b.Rules)
	if !s.On || b.Rules.Hidden() {
		return nil
	}
	list := p.list
	if p.AddOn.Is().MakesOwn(b.Rules) {
		list = p.AddOn.List
	}
	l, err := list(ctx, b, &s)
	if err == nil {
		b.Add(l)
	}
	return err
}

// Of returns the news settings of a blog. The operator's settings replace those of the add-on.
func (p Provider) Of(r *seo.Rules) Settings {
	s, operator, set := p.AddOn.Settings(r), &r.Options.News, r.Blog.Settings()
	if operator.Enabled != seo.Auto {
		s.On = operator.Enabled == seo.SwitchedOn
	}
	s.Name = cmp.Or(s.Name, p.AddOn.Is().NameOf(r))
	s.Publication = cmp.Or(operator.Publication, s.Publication, formatting.PlainText(set.Title), weburl.HostOf(set.Home))
	s.Language = cmp.Or(operator.Language, s.Language)
	if operator.PostTypes != nil {
		s.PostTypes = operator.PostTypes
	}
	if len(s.PostTypes) == 0 {
		s.PostTypes = []string{"post"}
	}
	if operator.ExcludeTerms != nil {
		s.ExcludedTerms = map[string][]int64{"": operator.ExcludeTerms}
	}
	return s
}

// Types returns the post types of the news for which accept returns true.
func (s *Settings) Types(accept func(postType string) bool) []string {
	return slices.DeleteFunc(slices.Clone(s.PostTypes), func(name string) bool { return !accept(name) })
}

// LeftOut reports which posts an editor or an excluded term keeps out of the news. typeOf maps the ids
// of the posts to their types.
func (p Provider) LeftOut(ctx context.Context, r *seo.Rules, s *Settings, typeOf map[int64]string) (map[int64]bool, error) {
	ids := slices.Sorted(maps.Keys(typeOf))
	out, err := p.AddOn.Excluded(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	terms := slices.Concat(slices.Collect(maps.Values(s.ExcludedTerms))...)
	err = objects.PostsWithTerms(ctx, r.Blog, ids, terms, func(post, term int64) {
		if slices.Contains(s.ExcludedTerms[""], term) || slices.Contains(s.ExcludedTerms[typeOf[post]], term) {
			out[post] = true
		}
	})
	return out, err
}

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

// Articles implements catalog.Timed.
func (r *recent) Articles() []rows.Article { return r.articles }

// Absent implements catalog.Repeated.
func (r *recent) Absent(ctx context.Context, p *address.Post, is catalog.Standing) (string, error) {
	date, column, why := p.Dates.PublishedGMT, "post_date_gmt", ""
	switch {
	case is == catalog.ListedHere:
		return "", nil
	case is == catalog.ListedByType:
		why = "it has changed since the sitemaps were read"
	}
	if p.Dates.ChangedGMT > p.Dates.PublishedGMT && windowOf(r.c.Rules) != seo.ByPublication {
		date, column = p.Dates.ChangedGMT, "post_modified_gmt"
	}
	return r.of.WhyAbsent(ctx, r.c.Rules, r.s, r.s.Types(r.c.Rules.ListsTypeNamed), p, date, column, why)
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

// OperatorTerms is the configuration key for the terms that exclude posts from the news.
const OperatorTerms = "[site.news] exclude_terms"

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

// Render implements catalog.Content.
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

func utc(seconds int64) string {
	if seconds == wp.NoTime {
		return "none"
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}
