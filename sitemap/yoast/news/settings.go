package news

import (
	"context"
	"database/sql"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/sitemap/news"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/php"
)

// Post meta keys of Yoast News SEO.
const (
	metaIndex   = "_yoast_wpseo_newssitemap-robots-index"
	metaTickers = "_yoast_wpseo_newssitemap-stocktickers"
)

const pluginName = "Yoast SEO: News"

// Inputs lists the stored data of Yoast News SEO.
var Inputs = []wp.Inputs{{
	Name: pluginName, Plugins: []string{"wpseo-news/wpseo-news.php"}, Options: []string{"wpseo_news"},
	PostMeta: []string{metaIndex, metaTickers},
	Decode: func(o *wp.Stored) wp.Decoded {
		s := decode(o.Active(), o.Constant("YOAST_NEWS_SITEMAP_BASENAME"), o.Array("wpseo_news"))
		return wp.Decoded{Value: s, Settings: *s}
	},
}}

// settings holds the option wpseo_news and the plugin's constant.
type settings struct {
	news.Settings
	publication string // news_sitemap_name, HTML
}

func of(blog *wp.Blog) *settings { return seo.Decoded[settings](blog, pluginName) }

func decode(active bool, basename string, stored php.Value) *settings {
	s := &settings{publication: stored.Get("news_sitemap_name").Str()}
	s.Settings = news.Settings{
		On: active, Name: basename, Publication: formatting.PlainText(s.publication), ExcludedTerms: map[string][]int64{},
		PostTypes: switchedOn(stored.Get("news_sitemap_include_post_types")),
	}
	for _, name := range switchedOn(stored.Get("news_sitemap_exclude_terms")) {
		// If an entry names a post type that is not included, the plugin's query fails and its sitemap is empty. Here the entry
		// has no effect.
		if id, postType, ok := strings.Cut(name, "_for_"); ok {
			s.ExcludedTerms[postType] = append(s.ExcludedTerms[postType], php.NewString(id).Int())
		}
	}
	return s
}

// switchedOn returns the keys of an array whose value is "on".
func switchedOn(v php.Value) (names []string) {
	for _, p := range v.Pairs() {
		if p.Value.Kind == php.String && p.Value.Str() == "on" {
			names = append(names, p.Key.String())
		}
	}
	return names
}

// addOn implements news.AddOn for Yoast News SEO.
type addOn struct{}

func (addOn) Is() seo.AddOn {
	return seo.AddOn{Usual: news.Usual, Name: "News SEO", Plugin: "wpseo-news", Prefix: "yoast-"}
}

func (addOn) Settings(r *seo.Rules) news.Settings {
	s := of(r.Blog).Settings
	s.PostTypes = slices.DeleteFunc(slices.Clone(s.PostTypes), func(name string) bool {
		t := r.Blog.Registry().PostType(name)
		return t == nil || !t.Public
	})
	return s
}

// Excluded implements news.AddOn. A post is excluded if it has the mark and no value of the mark is 0.
func (addOn) Excluded(ctx context.Context, r *seo.Rules, ids []int64) (map[int64]bool, error) {
	marks, err := r.Blog.MetaValues(ctx, ids, metaIndex)
	out := map[int64]bool{}
	for id, values := range marks {
		out[id] = !slices.ContainsFunc(values, func(v sql.NullString) bool { return !v.Valid || v.String == "0" })
	}
	return out, err
}

func (addOn) ExcludedBy(r *seo.Rules) string {
	terms := r.Blog.Table("options") + ".wpseo_news[news_sitemap_exclude_terms]"
	if r.Options.News.ExcludeTerms != nil {
		terms = news.OperatorTerms
	}
	return r.Blog.Table("postmeta") + "." + metaIndex + " or " + terms
}

func (addOn) Tickers(ctx context.Context, r *seo.Rules, ids []int64) (map[int64]string, error) {
	values, err := r.Blog.MetaOf(ctx, ids, metaTickers)
	tickers := map[int64]string{}
	for id, stored := range values[metaTickers] {
		tickers[id] = stockTickers(stored)
	}
	return tickers, err
}

// maxTickers is the maximum number of stock tickers of an article, by the protocol.
const maxTickers = 5

// ticker matches an exchange and a stock, such as NASDAQ:A.
var ticker = regexp.MustCompile(`^[0-9A-Za-z.\-&^=_/]+:[0-9A-Za-z.\-&^=_/]+$`)

// stockTickers returns the parts of a stored list that have the form of a ticker, at most maxTickers.
func stockTickers(stored string) string {
	var kept []string
	for part := range strings.SplitSeq(formatting.PlainText(stored), ",") {
		if part = strings.TrimSpace(part); ticker.MatchString(part) && len(kept) < maxTickers {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}
