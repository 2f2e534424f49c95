// Package video makes the sitemap of the videos in posts, in the form of Google's video extension, for
// every plugin.
package video

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

// Settings are the settings of the video sitemap of a blog.
type Settings struct {
	On        bool
	Name      string   // name of the sitemap; "" for the usual name
	Named     bool     // the types in PostTypes count; if false, all public types count
	PostTypes []string // the post types whose videos are listed, if Named is true
	Elsewhere string   // the setting by which only the site itself may serve the sitemap; "" if there is none
}

// Usual is the usual name of the video sitemap.
const Usual = "video"

// Provider makes the list of videos. If seo.AddOn.MakesOwn holds, the add-on makes the list by its own
// rules. If not, the list follows Google's rules: it has every listed post with a complete video.
type Provider struct {
	provider.Lister
	AddOn AddOn
}

// Names implements provider.Provider. If settings restrict who may see the sitemap, the site itself
// answers.
func (p Provider) Names(r *seo.Rules) map[string]bool {
	if s := p.Of(r); s.On {
		return map[string]bool{s.Name: s.Elsewhere == ""}
	}
	return nil
}

// Deltas implements provider.Provider. A delta cannot update the list.
func (p Provider) Deltas(r *seo.Rules) bool { return !p.Of(r).On }

func (p Provider) Checks() []seo.Check { return slices.Concat(p.AddOn.Checks(), checks) }

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

// Of returns the video settings of a blog. The operator's settings replace those of the add-on.
func (p Provider) Of(r *seo.Rules) Settings {
	s, operator := p.AddOn.Settings(r), &r.Options.Video
	if operator.Enabled != seo.Auto {
		s.On, s.Elsewhere = operator.Enabled == seo.SwitchedOn, ""
	}
	s.Name = cmp.Or(s.Name, p.AddOn.Is().NameOf(r))
	if operator.PostTypes != nil {
		s.Named, s.PostTypes = true, operator.PostTypes
	}
	return s
}

// Types returns the post types whose videos are listed and for which accept returns true.
func (s *Settings) Types(r *seo.Rules, accept func(postType string) bool) []string {
	names := slices.Clone(s.PostTypes)
	if !s.Named {
		for _, t := range r.Blog.Registry().PostTypes {
			if t.Public {
				names = append(names, t.Name)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !accept(name) })
}

// needs are the elements that Google requires of every video, in the order in which a missing one is
// reported.
var needs = []struct {
	verdict seo.Verdict
	what    string
	has     func(*urlset.Video) bool
}{
	{seo.VideoWithoutThumbnail, "thumbnail", func(v *urlset.Video) bool { return v.ThumbnailLoc != "" }},
	{seo.VideoWithoutTitle, "title", func(v *urlset.Video) bool { return v.Title != "" }},
	{seo.VideoWithoutDescription, "description", func(v *urlset.Video) bool { return v.Description != "" }},
	{seo.VideoWithoutPlayer, "player or file", func(v *urlset.Video) bool { return v.PlayerLoc != "" || v.ContentLoc != "" }},
}

// checks are the checks on videos. Visitors do not see the videos of a post with a password.
var checks = func() []seo.Check {
	checks := []seo.Check{seo.AgainstCheck(seo.VideoProtected, "Its videos are behind a password.", "", nil)}
	for _, n := range needs {
		checks = append(checks, seo.AgainstCheck(n.verdict, "Its video has no "+n.what+".", "", nil))
	}
	return checks
}()

// Lacks returns the verdict on the first required element that a video lacks. It returns Listed if
// the video is complete.
func Lacks(v *urlset.Video) seo.Verdict {
	for _, n := range needs {
		if !n.has(v) {
			return n.verdict
		}
	}
	return seo.Listed
}
