// Package news lists the articles of the last two days as Google's news extension asks for them, for every plugin.
package news

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/formatting"
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
	err := r.Blog.PostsWithTerms(ctx, ids, terms, func(post, term int64) {
		if slices.Contains(s.ExcludedTerms[""], term) || slices.Contains(s.ExcludedTerms[typeOf[post]], term) {
			out[post] = true
		}
	})
	return out, err
}
