// Package news makes the sitemap of recent articles in the form of Google's news extension, for every
// plugin.
package news

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
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

// Usual is the usual name of the news sitemap.
const Usual = "news"

// Provider makes the news list. If seo.AddOn.MakesOwn holds, the add-on makes the list by its own rules. If
// not, the list follows Google's rules: it has the recent posts that are also in the sitemap of their type.
// [site.news] window says which posts are recent.
type Provider struct {
	provider.Lister
	AddOn AddOn
}

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

func (p Provider) Watched(r *seo.Rules) []string {
	if s := p.Of(r); s.On && !p.AddOn.Is().MakesOwn(r) {
		return s.Types(r.ListsTypeNamed)
	}
	return nil
}

func (p Provider) Absent(r *seo.Rules) map[string]*seo.Reason {
	if p.Of(r).On {
		return nil
	}
	return p.AddOn.Is().Absent(r)
}

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

// OperatorTerms is the configuration key for the terms that exclude posts from the news.
const OperatorTerms = "[site.news] exclude_terms"
