// Package video lists the videos of posts as Google's video extension asks for them, for every plugin.
package video

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
)

// Settings are what decides about the videos of a blog.
type Settings struct {
	On        bool
	Name      string   // of the sitemap; "" for the usual one
	Named     bool     // PostTypes are all there are; else every public type
	PostTypes []string // with Named
	Elsewhere string   // the setting by which only the site itself may show the sitemap; "" for none
}

// AddOn is an add-on of a plugin that makes a sitemap of videos: what it says if the operator does not, and what it has stored.
// NoAddOn is the base.
type AddOn interface {
	Is() seo.AddOn
	// Settings returns the add-on's own settings. They are On if it is active.
	Settings(r *seo.Rules) Settings
	// Posts returns posts of which the add-on has stored something, beside those whose content shows a video.
	Posts(ctx context.Context, r *seo.Rules, types []string) ([]int64, error)
	// Post returns what the add-on has stored of a post. It reads the post meta under Keys.
	Post(c *Reader, p *wp.FullPost) Stored
	Keys() []string
	// Checks returns the add-on's own checks.
	Checks() []seo.Check
	// List returns the list by the add-on's own rules.
	List(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error)
}

// NoAddOn says nothing.
type NoAddOn struct{}

func (NoAddOn) Is() seo.AddOn                     { return seo.AddOn{Usual: Usual} }
func (NoAddOn) Settings(*seo.Rules) Settings      { return Settings{} }
func (NoAddOn) Post(*Reader, *wp.FullPost) Stored { return Stored{} }
func (NoAddOn) Keys() []string                    { return nil }
func (NoAddOn) Checks() []seo.Check               { return nil }

func (NoAddOn) List(context.Context, *provider.Build, *Settings) (*catalog.List, error) {
	return nil, nil
}

func (NoAddOn) Posts(context.Context, *seo.Rules, []string) ([]int64, error) { return nil, nil }

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

// Provider makes the list of videos: every one of a listed post.
type Provider struct {
	provider.Lister
	AddOn AddOn
	Own   bool // by the add-on's own rules, not by Google's
}

// on returns the settings, and whether the list is made.
func (p Provider) on(r *seo.Rules) (Settings, bool) {
	s := p.Of(r)
	return s, s.On && p.AddOn.Is().MakesOwn(r) == p.Own
}

// Names implements provider.Provider. Who may see a sitemap of the site's own, only the site can tell.
func (p Provider) Names(r *seo.Rules) map[string]bool {
	if s, on := p.on(r); on {
		return map[string]bool{s.Name: s.Elsewhere == ""}
	}
	return nil
}

// Deltas implements provider.Provider: no delta updates the list.
func (p Provider) Deltas(r *seo.Rules) bool {
	_, on := p.on(r)
	return !on
}

// Checks implements provider.Provider.
func (p Provider) Checks() []seo.Check {
	if p.Own {
		return nil
	}
	return append(p.AddOn.Checks(), Checks...)
}

// Absent implements provider.Provider.
func (p Provider) Absent(r *seo.Rules) map[string]*seo.Reason {
	if p.Own || p.Of(r).On {
		return nil
	}
	return p.AddOn.Is().Absent(r)
}

// Lists implements provider.Provider.
func (p Provider) Lists(ctx context.Context, b *provider.Build) error {
	s, on := p.on(b.Rules)
	if !on || b.Hidden() {
		return nil
	}
	list := p.list
	if p.Own {
		list = p.AddOn.List
	}
	l, err := list(ctx, b, &s)
	if err == nil {
		b.Add(l)
	}
	return err
}

// Of returns the settings of a blog: what the operator says, else what the add-on says.
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

// needs are what Google refuses a video without, in the order in which they are named.
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

// Checks are those on videos. Visitors of a post that asks for a password see none.
var Checks = func() []seo.Check {
	checks := []seo.Check{seo.AgainstCheck(seo.VideoProtected, "Its videos are behind a password.", "", nil)}
	for _, n := range needs {
		checks = append(checks, seo.AgainstCheck(n.verdict, "Its video has no "+n.what+".", "", nil))
	}
	return checks
}()

// Missing returns the verdict on the first element that a video lacks; Listed where it has all that Google asks for.
func Missing(v *urlset.Video) seo.Verdict {
	for _, n := range needs {
		if !n.has(v) {
			return n.verdict
		}
	}
	return seo.Listed
}

// list makes the list: every listed post with a video that can be listed, by id. It reads the posts of which the add-on has stored
// something, and those in whose contents the database finds a sign of a video.
func (p Provider) list(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error) {
	types := s.Types(b.Rules, b.ListsTypeNamed)
	c := NewReader(b.Rules, p.AddOn)
	c.types = types
	l := b.List(catalog.List{
		Name: s.Name, Kind: seo.KindOther, Past: catalog.PastHidden, Extensions: urlset.Videos, Encoding: new(urlset.Strict),
		Elsewhere: s.Elsewhere, Content: c, Explained: catalog.Explained{Why: p.AddOn.Is().Says(b.Rules)},
	})
	candidates, err := c.candidates(ctx, b, types)
	if err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(candidates, seo.DefaultPageSize) {
		posts, err := c.posts(ctx, batch)
		if err != nil {
			return nil, err
		}
		for _, p := range posts {
			if p.none() {
				continue
			}
			verdict := b.Judge(p.object())
			if verdict == seo.Listed {
				l.Places = append(l.Places, catalog.NewPlace(p.ID, b.Latest(p.DateGMT, p.ModifiedGMT), seo.Listed))
			}
			if verdict != seo.Listed && !p.lacks(verdict) { // something speaks against the whole post
				b.Leave(verdict, seo.Left{Kind: seo.KindPost, ID: p.ID})
				continue
			}
			for _, m := range p.missing {
				b.Leave(m.verdict, seo.Left{Kind: seo.KindPost, ID: p.ID})
			}
		}
	}
	l.Indexed = len(l.Places) > 0
	l.Dates = l.PageDates()
	return l, nil
}

// candidates returns the listed posts of some types that may have a video, by id.
func (c *Reader) candidates(ctx context.Context, b *provider.Build, types []string) ([]int64, error) {
	var listed []int64
	for _, l := range b.Catalog.Lists {
		if l.Kind != seo.KindPost || !slices.Contains(types, l.Of) {
			continue
		}
		for _, f := range l.First {
			if f.PostID > 0 {
				listed = append(listed, f.PostID)
			}
		}
		for e := range l.Places.Listed() {
			listed = append(listed, e.ID)
		}
	}
	slices.Sort(listed)
	listed = slices.Compact(listed)
	candidates, err := objects.VideoMentions(ctx, c.Blog, listed)
	if err != nil {
		return nil, err
	}
	stored, err := c.addOn.Posts(ctx, c.Rules, types)
	for _, id := range stored {
		if _, ok := slices.BinarySearch(listed, id); ok {
			candidates = append(candidates, id)
		}
	}
	slices.Sort(candidates)
	return slices.Compact(candidates), err
}

// none reports whether a post has no video to speak of.
func (p *post) none() bool {
	return len(p.videos) == 0 && len(p.missing) == 0 && p.stored.Against == seo.Listed
}

// lacks reports whether a verdict on a post is that on its videos, of which none is complete.
func (p *post) lacks(verdict seo.Verdict) bool {
	return len(p.videos) == 0 && len(p.missing) > 0 && verdict == p.missing[0].verdict
}

// object is a post as the rules on its videos see it.
func (p *post) object() seo.Object {
	o := seo.Object{Kind: seo.KindVideo, ID: p.ID, Against: p.stored.Against}
	switch {
	case o.Against != seo.Listed:
	case p.Protected:
		o.Against = seo.VideoProtected
	case len(p.videos) == 0:
		o.Against = p.missing[0].verdict
	}
	return o
}

// Absent implements catalog.Repeated. It says why a listed post, or a video of it, is not on the list; "" if the post has none.
func (c *Reader) Absent(ctx context.Context, p *wp.Post, is catalog.Standing) (string, error) {
	if is == catalog.Unlisted || !slices.Contains(c.types, p.Type) {
		return "", nil
	}
	found, err := c.posts(ctx, []int64{p.ID})
	if err != nil || len(found) == 0 || found[0].none() {
		return "", err
	}
	if verdict := c.Judge(found[0].object()); verdict != seo.Listed && !found[0].lacks(verdict) {
		sentence, _ := (&seo.Subject{Rules: c.Rules}).Words(verdict)
		return lower(sentence), nil
	}
	return found[0].lack(), nil
}

// lack says what the first video of a post that is left out lacks.
func (p *post) lack() string {
	for _, n := range needs {
		if len(p.missing) > 0 && p.missing[0].verdict == n.verdict {
			return fmt.Sprintf("its video %s has no %s", p.missing[0].address, n.what)
		}
	}
	return ""
}

// lower returns a sentence as part of another one.
func lower(sentence string) string {
	return strings.ToLower(sentence[:min(1, len(sentence))]) + strings.TrimSuffix(sentence[min(1, len(sentence)):], ".")
}

// Render implements catalog.Content.
func (c *Reader) Render(ctx context.Context, entries []catalog.Entry) (catalog.Rendered, error) {
	lastmod := catalog.Lastmods(entries)
	r := catalog.Rendered{URLs: make([]urlset.URL, 0, len(entries))}
	posts, err := c.posts(ctx, catalog.IDs(entries))
	if err != nil {
		return catalog.Rendered{}, err
	}
	for _, p := range posts {
		hidden, behind := c.MovedSinceListing(&p.Post, c.Latest(p.DateGMT, p.ModifiedGMT), lastmod[p.ID])
		r.Behind = r.Behind || behind
		if !hidden && len(p.videos) > 0 && !p.Protected { // its content may have changed since
			r.URLs = append(r.URLs, urlset.URL{Loc: p.Link, LastMod: lastmod[p.ID], Videos: p.videos})
		}
	}
	return r, nil
}
