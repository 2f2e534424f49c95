package video

import (
	"context"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
)

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

func (NoAddOn) Is() seo.AddOn { return seo.AddOn{Usual: Usual} }

func (NoAddOn) Settings(*seo.Rules) Settings { return Settings{} }

func (NoAddOn) Post(*Reader, *address.FullPost) Stored { return Stored{} }

func (NoAddOn) Keys() []string { return nil }

func (NoAddOn) Checks() []seo.Check { return nil }

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
