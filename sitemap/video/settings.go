// Package video lists the videos of posts as Google's video extension asks for them, for every plugin.
package video

import (
	"cmp"
	"context"
	"slices"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// Settings are what decides about the videos of a blog.
type Settings struct {
	On        bool
	Name      string   // of the sitemap; "" for the usual one
	Named     bool     // PostTypes are all there are; else every public type
	PostTypes []string // with Named
	Elsewhere string   // the setting by which only the site itself may show the sitemap; "" for none
}

// AddOn is an add-on that makes a sitemap of videos: what it says where the operator does not, and what it has stored.
type AddOn struct {
	seo.AddOn
	// Settings are its own. They are On where it is active; nil: there is no such add-on, and nothing else is set.
	Settings func(*seo.Rules) Settings
	// Posts returns posts of which it has stored something, beside those whose content shows a video.
	Posts func(ctx context.Context, r *seo.Rules, types []string) ([]int64, error)
	// Keys are the post meta that Post reads, and Post is what it has stored of a post.
	Keys []string
	Post func(*Reader, *wp.FullPost) Stored
	// Taxonomies lists the taxonomies whose terms have videos. Terms adds them to a list, and TermURLs renders them.
	Taxonomies func(*seo.Rules) []string
	Terms      func(context.Context, *Reader, *provider.Build, *catalog.List) error
	TermURLs   func(context.Context, *Reader, []catalog.Entry) ([]urlset.URL, error)
	// Checks are its own.
	Checks []seo.Check
}

// Stored is what an add-on has stored of a post.
type Stored struct {
	Against     seo.Verdict // of its checks, on the post; Listed for nothing
	Description string      // of the page, HTML; "" for none
	Thumbnail   string      // the editor's choice for the first video; "" for none
	Duration    int64       // the same, in seconds
	Rated       bool        // the same: Rating
	Rating      float64
	NotFamily   bool
	Replace     func(string) string // puts values in the place of variables in texts; nil: there are none

	Attachment int64 // of Video; 0 for none
	// Video is a whole video that is stored, with the addresses and ids by which content shows the same; nil for none.
	Video func(*Texts) (v urlset.Video, known []string)
}

// Usual is the name of the sitemap.
const Usual = "video"

// Of returns the settings of a blog: what the operator says, else what the add-on says.
func (a *AddOn) Of(r *seo.Rules) Settings {
	var s Settings
	if a.Settings != nil {
		s = a.Settings(r)
	}
	operator := &r.Options.Video
	if operator.Enabled != seo.Auto {
		s.On, s.Elsewhere = operator.Enabled == seo.SwitchedOn, ""
	}
	s.Name = cmp.Or(s.Name, a.NameOf(r, Usual))
	if operator.PostTypes != nil {
		s.Named, s.PostTypes = true, operator.PostTypes
	}
	return s
}

// Types are the post types whose videos are listed, as far as they are accepted.
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

// IsOn reports whether there is one.
func (s Settings) IsOn() bool { return s.On }

// Names are the names of the sitemap.
func (s Settings) Names() map[string]bool {
	return map[string]bool{s.Name: s.Elsewhere == ""} // who may see it, only the site can tell
}
