// Package video makes the sitemap of the videos in posts, in the form of Google's video extension, for
// every plugin.
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
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
)

// Settings are the settings of the video sitemap of a blog.
type Settings struct {
	On        bool
	Name      string   // name of the sitemap; "" for the usual name
	Named     bool     // the types in PostTypes count; if false, all public types count
	PostTypes []string // the post types whose videos are listed, if Named is true
	Elsewhere string   // the setting by which only the site itself may serve the sitemap; "" if there is none
}

// An AddOn is an add-on of a plugin that makes a video sitemap. Its settings apply if the operator
// sets none. It also returns the data that it has stored about posts. Implementations embed NoAddOn.
type AddOn interface {
	Is() seo.AddOn
	// Settings returns the add-on's own settings. On is true if the add-on is active.
	Settings(r *seo.Rules) Settings
	// Posts returns the ids of posts for which the add-on has stored data, so that they may have a video that
	// the content does not show.
	Posts(ctx context.Context, r *seo.Rules, types []string) ([]int64, error)
	// Post returns what the add-on has stored for a post. Keys are the post meta that it reads.
	Post(c *Reader, p *address.FullPost) Stored
	Keys() []string
	// Checks returns the add-on's own checks.
	Checks() []seo.Check
	// List returns the list that the add-on's own rules make.
	List(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error)
}

// NoAddOn is an AddOn without settings and stored data.
type NoAddOn struct{}

func (NoAddOn) Is() seo.AddOn                          { return seo.AddOn{Usual: Usual} }
func (NoAddOn) Settings(*seo.Rules) Settings           { return Settings{} }
func (NoAddOn) Post(*Reader, *address.FullPost) Stored { return Stored{} }
func (NoAddOn) Keys() []string                         { return nil }
func (NoAddOn) Checks() []seo.Check                    { return nil }

func (NoAddOn) List(context.Context, *provider.Build, *Settings) (*catalog.List, error) {
	return nil, nil
}

func (NoAddOn) Posts(context.Context, *seo.Rules, []string) ([]int64, error) { return nil, nil }

// Stored is what an add-on has stored for a post.
type Stored struct {
	Against     seo.Verdict // verdict of the add-on's checks on the post; Listed if none applies
	Description string      // description of the page in HTML; "" if there is none
	Thumbnail   string      // editor's choice for the first video; "" if there is none
	Duration    int64       // editor's choice for the first video, in seconds
	Rated       bool        // Rating is set by the editor, for the first video
	Rating      float64
	NotFamily   bool
	Replace     func(string) string // fills in variables in texts; nil if there are no variables

	Attachment int64 // id of the attachment of Video; 0 if there is none
	// Video returns a complete stored video; nil if none is stored. known are the addresses and ids by
	// which the content may show the same video.
	Video func(*Texts) (v urlset.Video, known []string)
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

// Checks implements provider.Provider.
func (p Provider) Checks() []seo.Check { return slices.Concat(p.AddOn.Checks(), checks) }

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

// list makes the list by Google's rules: every listed post with a complete video, by id. It reads
// posts for which the add-on has stored data, and posts with a sign of a video in the content.
func (p Provider) list(ctx context.Context, b *provider.Build, s *Settings) (*catalog.List, error) {
	types := s.Types(b.Rules, b.Rules.ListsTypeNamed)
	c := NewReader(b.Rules, p.AddOn, types)
	l := b.List(catalog.List{
		Name: s.Name, Kind: seo.KindOther, Past: catalog.PastHidden, Extensions: urlset.Videos, Encoding: new(urlset.Strict),
		Elsewhere: s.Elsewhere, Content: c, Explained: catalog.Explained{Why: p.AddOn.Is().Says(b.Rules)},
	})
	candidates, err := c.candidates(ctx, b)
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
			verdict := b.Rules.Judge(p.object())
			if verdict == seo.Listed {
				l.Places = append(l.Places, catalog.NewPlace(p.ID, b.Rules.Latest(p.Dates), seo.Listed))
			}
			if verdict != seo.Listed && !p.lacks(verdict) { // a check leaves out the whole post, not only its videos
				b.Leave(verdict, seo.Left{Kind: seo.KindPost, ID: p.ID})
				continue
			}
			for _, v := range p.incomplete {
				b.Leave(v.lacks, seo.Left{Kind: seo.KindPost, ID: p.ID})
			}
		}
	}
	l.Indexed = len(l.Places) > 0
	l.Dates = l.PageDates()
	return l, nil
}

// candidates returns the listed posts of the reader's types that may have a video, sorted by id.
func (c *Reader) candidates(ctx context.Context, b *provider.Build) ([]int64, error) {
	var listed []int64
	for _, l := range b.Catalog.Lists {
		if l.Kind != seo.KindPost || !slices.Contains(c.types, l.Of) {
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
	candidates, err := objects.VideoMentions(ctx, c.Rules.Blog, listed)
	if err != nil {
		return nil, err
	}
	stored, err := c.addOn.Posts(ctx, c.Rules, c.types)
	if err != nil {
		return nil, err
	}
	for _, id := range stored {
		if _, ok := slices.BinarySearch(listed, id); ok {
			candidates = append(candidates, id)
		}
	}
	slices.Sort(candidates)
	return slices.Compact(candidates), nil
}

// none reports whether a post has no video at all, neither a complete one nor one that is left out.
func (p *post) none() bool {
	return len(p.videos) == 0 && len(p.incomplete) == 0 && p.stored.Against == seo.Listed
}

// lacks reports whether verdict is the reason why no video of the post is complete.
func (p *post) lacks(verdict seo.Verdict) bool {
	return len(p.videos) == 0 && len(p.incomplete) > 0 && verdict == p.incomplete[0].lacks
}

// object returns the seo.Object by which the checks on videos judge the post. The checks have nothing against a post without videos.
func (p *post) object() seo.Object {
	o := seo.Object{Kind: seo.KindVideo, ID: p.ID, Flags: seo.Flags{Against: p.stored.Against}}
	switch {
	case o.Flags.Against != seo.Listed:
	case p.Protected:
		o.Flags.Against = seo.VideoProtected
	case len(p.videos) == 0 && len(p.incomplete) > 0:
		o.Flags.Against = p.incomplete[0].lacks
	}
	return o
}

// Absent implements catalog.Repeated. It returns "" if the post has no video.
func (c *Reader) Absent(ctx context.Context, p *address.Post, is catalog.Standing) (string, error) {
	if is == catalog.Unlisted || !slices.Contains(c.types, p.Type) {
		return "", nil
	}
	found, err := c.posts(ctx, []int64{p.ID})
	if err != nil || len(found) == 0 || found[0].none() {
		return "", err
	}
	if verdict := c.Rules.Judge(found[0].object()); verdict != seo.Listed && !found[0].lacks(verdict) {
		sentence, _ := (&seo.Subject{Rules: c.Rules}).Words(verdict)
		return lower(sentence), nil
	}
	return found[0].lack(), nil
}

// lack says what the first incomplete video of a post lacks.
func (p *post) lack() string {
	for _, n := range needs {
		if len(p.incomplete) > 0 && p.incomplete[0].lacks == n.verdict {
			return fmt.Sprintf("its video %s has no %s", p.incomplete[0].address, n.what)
		}
	}
	return ""
}

// lower returns a sentence without capital and full stop, for use inside another sentence.
func lower(sentence string) string {
	return strings.ToLower(sentence[:min(1, len(sentence))]) + strings.TrimSuffix(sentence[min(1, len(sentence)):], ".")
}

// Render implements catalog.Content.
func (c *Reader) Render(ctx context.Context, places catalog.Places) (catalog.Rendered, error) {
	lastmod := places.Dates()
	r := catalog.Rendered{URLs: make([]urlset.URL, 0, len(places))}
	posts, err := c.posts(ctx, places.IDs())
	if err != nil {
		return catalog.Rendered{}, err
	}
	for _, p := range posts {
		hidden, behind := c.Rules.MovedSinceListing(&p.Post, c.Rules.Latest(p.Dates), lastmod[p.ID])
		r.Behind = r.Behind || behind
		if !hidden && len(p.videos) > 0 && !p.Protected { // the content may no longer have a video, or a password may protect it
			r.URLs = append(r.URLs, urlset.URL{Loc: p.Link, LastMod: lastmod[p.ID], Videos: p.videos})
		}
	}
	return r, nil
}
