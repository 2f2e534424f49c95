// Package news lists the articles of the last two days as Google's news extension asks for them, for every plugin.
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
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/weburl"
)

// Settings are what decides about the news of a blog.
type Settings struct {
	On            bool
	Name          string             // of the sitemap; "" for the usual one
	Publication   string             // plain text
	Language      string             // of articles without one of their own, as the protocol has it; "" for the site's
	PostTypes     []string           // none: posts
	ExcludedTerms map[string][]int64 // term ids by post type; those of "" count for every type
}

// AddOn is an add-on that makes a sitemap of news: what it says where the operator does not.
type AddOn struct {
	seo.AddOn
	// Settings are its own. They are On where it is active; nil: there is no such add-on.
	Settings func(*seo.Rules) Settings
	// Excluded returns which of some posts their editors keep out of the news, and Excluding says where they do so.
	Excluded  func(ctx context.Context, r *seo.Rules, ids []int64) (map[int64]bool, error)
	Excluding func(*seo.Rules) string
	// Tickers returns the stock tickers of posts, as the protocol wants them.
	Tickers func(ctx context.Context, r *seo.Rules, ids []int64) (map[int64]string, error)
}

// Usual is the name of the sitemap.
const Usual = "news"

// Of returns the settings of a blog: what the operator says, else what the add-on says.
func (a *AddOn) Of(r *seo.Rules) Settings {
	var s Settings
	if a.Settings != nil {
		s = a.Settings(r)
	}
	operator, set := &r.Options.News, r.Blog.Settings()
	if operator.Enabled != seo.Auto {
		s.On = operator.Enabled == seo.SwitchedOn
	}
	s.Name = cmp.Or(s.Name, a.NameOf(r, Usual))
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

// IsOn reports whether there is one.
func (s Settings) IsOn() bool { return s.On }

// Names are the names of the sitemap.
func (s Settings) Names() map[string]bool { return map[string]bool{s.Name: true} }

// Types are the post types of the news, as far as they are accepted.
func (s *Settings) Types(accept func(postType string) bool) []string {
	return slices.DeleteFunc(slices.Clone(s.PostTypes), func(name string) bool { return !accept(name) })
}

// LeftOut returns which of some posts, ids with their types, are kept out of the news by their editors or by a term.
func (a *AddOn) LeftOut(ctx context.Context, r *seo.Rules, s *Settings, typeOf map[int64]string) (map[int64]bool, error) {
	ids := slices.Sorted(maps.Keys(typeOf))
	out := map[int64]bool{}
	if a.Excluded != nil {
		var err error
		if out, err = a.Excluded(ctx, r, ids); err != nil {
			return nil, err
		}
	}
	terms := slices.Concat(slices.Collect(maps.Values(s.ExcludedTerms))...)
	err := objects.PostsWithTerms(ctx, r.Blog, ids, terms, func(post, term int64) {
		if slices.Contains(s.ExcludedTerms[""], term) || slices.Contains(s.ExcludedTerms[typeOf[post]], term) {
			out[post] = true
		}
	})
	return out, err
}

// MaxArticles is the protocol's limit of articles in a file.
const MaxArticles = 1000

// Provider lists the news of a plugin without an add-on.
var Provider = With(&AddOn{})

// With returns a provider of the news: the recent posts of those that were read, judged as in the other sitemaps, on as many
// pages as it takes. Which are recent, [site.news] window says.
func With(a *AddOn) provider.Provider {
	p := provider.OfAddOn(&a.AddOn, Usual, false, a.Of, a.list)
	p.Deltas = nil // they note the recent posts
	p.Watched = func(r *seo.Rules) []string {
		if s := a.Of(r); s.On && !a.MakesOwn(r, Usual) {
			return s.Types(r.ListsTypeNamed)
		}
		return nil
	}
	return p
}

// list makes the list of the posts that were read.
func (a *AddOn) list(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error) {
	c := b.Renderer.BySpec()
	l := b.List(catalog.List{
		Name: s.Name, Kind: seo.KindOther, Size: min(MaxArticles, b.Options.PageSize), Encoding: new(urlset.Strict),
		Extensions: urlset.Images | urlset.NewsArticles, Timed: &catalog.Timed{},
		Render: func(ctx context.Context, entries []catalog.Entry) (catalog.Rendered, error) {
			return a.urls(ctx, c, s, entries)
		},
		Explained: catalog.Explained{
			Why:   append(a.Says(b.Rules, Usual), seo.Evidence{Source: "[site.news] window", Value: strconv.Quote(windowOf(b.Rules))}),
			Holds: holds(b.Rules),
			Absent: func(ctx context.Context, p *wp.Post, listed bool) (string, error) {
				date, column := p.DateGMT, "post_date_gmt"
				if p.ModifiedGMT > p.DateGMT && windowOf(c.Rules) != seo.ByPublication {
					date, column = p.ModifiedGMT, "post_modified_gmt"
				}
				why := ""
				if listed {
					why = "it has changed since the sitemaps were read"
				}
				return a.Absent(ctx, c.Rules, s, s.Types(c.ListsTypeNamed), p, date, column, why)
			},
		},
	})
	typeOf := map[int64]string{}
	for _, t := range s.Types(b.ListsTypeNamed) {
		for _, article := range b.Rows.Recent[t] {
			if b.ListsPost(t, article.ID) {
				l.Timed.Articles = append(l.Timed.Articles, article)
				typeOf[article.ID] = t
			}
		}
	}
	out, err := a.LeftOut(ctx, b.Rules, s, typeOf)
	if err != nil {
		return nil, err
	}
	l.Timed.Articles = slices.DeleteFunc(l.Timed.Articles, func(article rows.Article) bool { return out[article.ID] })
	slices.SortFunc(l.Timed.Articles, func(x, y rows.Article) int {
		return cmp.Or(cmp.Compare(y.Published, x.Published), cmp.Compare(y.ID, x.ID))
	})
	return l, nil
}

// windowOf is the [site.news] window of a blog.
func windowOf(r *seo.Rules) string { return cmp.Or(r.Options.News.Window, "modified") }

// holds says which articles are listed.
func holds(r *seo.Rules) string {
	if windowOf(r) == seo.ByPublication {
		return `published within 48 hours, as Google counts ([site.news] window = "published")`
	}
	return `published or modified within 48 hours; Google counts publication alone ([site.news] window = "modified")`
}

// OperatorTerms is the key of the configuration that keeps posts out by a term.
const OperatorTerms = "[site.news] exclude_terms"

// Absent says why a published post of some types is not among the news; why is what else there is to say.
func (a *AddOn) Absent(
	ctx context.Context, c *seo.Rules, s *Settings, types []string, p *wp.Post, date int64, column, why string,
) (string, error) {
	if !slices.Contains(types, p.Type) {
		return "", nil
	}
	out, err := a.LeftOut(ctx, c, s, map[int64]string{p.ID: p.Type})
	if err != nil {
		return "", err
	}
	since := c.Options.Now().Unix() - rows.NewsWindow
	switch {
	case date < since:
		return fmt.Sprintf("it is older than 48 hours (%s.%s = %s; the window begins at %s)", c.Blog.Table("posts"), column, utc(date), utc(since)), nil
	case out[p.ID] && a.Excluding != nil:
		return "excluded by " + a.Excluding(c), nil
	case out[p.ID]:
		return "excluded by " + OperatorTerms, nil
	}
	return why, nil
}

// urls renders articles from their posts.
func (a *AddOn) urls(ctx context.Context, c *provider.Renderer, s *Settings, entries []catalog.Entry) (catalog.Rendered, error) {
	ids, lastmod := catalog.EntryIDs(entries), catalog.Lastmods(entries)
	found := provider.NewImageFinder(c, len(entries))
	posts, err := c.Blog.Posts(ctx, ids, found.Scan)
	if err != nil {
		return catalog.Rendered{}, err
	}
	if err := found.Resolve(ctx, posts); err != nil {
		return catalog.Rendered{}, err
	}
	titles, err := c.Blog.PostTitles(ctx, ids)
	if err != nil {
		return catalog.Rendered{}, err
	}
	var tickers map[int64]string
	if a.Tickers != nil {
		if tickers, err = a.Tickers(ctx, c.Rules, ids); err != nil {
			return catalog.Rendered{}, err
		}
	}
	r := catalog.Rendered{URLs: make([]urlset.URL, 0, len(posts))}
	for _, p := range posts {
		hidden, behind := c.MovedSinceListing(p, c.Latest(p.DateGMT, p.ModifiedGMT), lastmod[p.ID])
		r.Behind = r.Behind || behind
		if hidden {
			continue
		}
		r.URLs = append(r.URLs, urlset.URL{Loc: p.Link, LastMod: lastmod[p.ID], Images: found.Images(p), News: &urlset.News{
			Publication: s.Publication, Language: language(c.Rules, s, p),
			Date:  rows.Publication(c.Past(p.DateGMT), c.Past(p.ModifiedGMT)),
			Title: cmp.Or(formatting.PlainText(titles[p.ID]), untitled), StockTickers: tickers[p.ID],
		}})
	}
	return r, nil
}

// untitled is the title of a post without one.
const untitled = "No title"

// language returns the language of a post, else of the settings, else of the site.
func language(r *seo.Rules, s *Settings, p *wp.Post) string {
	if l, ok := r.Blog.Languages().ByCode(p.Language); ok {
		return languageOf(cmp.Or(l.Locale, l.Tag))
	}
	return cmp.Or(s.Language, languageOf(r.Blog.Settings().Locale))
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

func utc(seconds int64) string {
	if seconds == wp.NoTime {
		return "none"
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}
