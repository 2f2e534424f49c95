package seo

import (
	"context"

	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
)

// PluginSettings are the settings of a plugin on a blog.
type PluginSettings interface {
	// Load reads the settings of terms that are not among the options. It is called before a catalog is built.
	Load(ctx context.Context) error
	// PostType returns why a public, viewable post type has no sitemap, or nil if it has one.
	PostType(*registry.PostType) *Reason
	// Taxonomy returns why a public taxonomy has no sitemap, or nil if it has one.
	Taxonomy(*registry.Taxonomy) *Reason
	// Authors returns why authors have no sitemap, or nil if they have one.
	Authors() *Reason
	// AuthorTypes returns the post types that make a user an author. One published post of such a type is
	// enough. nil means that an author needs no post.
	AuthorTypes() []string
	// Archive returns why the archive of a post type is left out, or nil if it is listed.
	Archive(postType string) *Reason
	// Posts returns the stored settings of posts by id. If ids is nil, it returns the settings of all posts that have any.
	Posts(ctx context.Context, ids []int64) (map[int64]Flags, error)
	// Post returns the stored settings of a post that was read with its meta. PostEvidence says where
	// they are stored.
	Post(*address.Post) Flags
	PostEvidence(*address.Post) []Evidence
	// Term returns the stored settings of a term. TermEvidence says where they are stored.
	Term(taxonomy string, id int64) Flags
	TermEvidence(taxonomy string, id int64) []Evidence
	// Author returns the stored settings of a user.
	Author(*address.Author) Flags
	// Faults says what could not be read when all settings were last read.
	Faults() Faults
}

// Faults are the unreadable parts of a plugin's stored settings.
type Faults struct {
	Broken int   // number of posts and terms with values that cannot be read and are ignored
	Posts  error // why the settings of posts are unknown, so that any post may be noindex; nil if they are known
}

// MostCompared is the largest number of posts whose settings a delta compares with those of the last reading. If more
// posts have settings, deltas compare none of them, and PluginSettings.Posts may leave out posts whose settings have
// no effect.
const MostCompared = 20_000

// Flags are a plugin's stored settings of one object.
type Flags struct {
	Noindex   bool
	Index     bool    // it is listed even if its type is noindex
	Broken    bool    // a stored value cannot be read and is ignored
	Canonical string  // "" means the object's own address
	Against   Verdict // another verdict against the object; Listed if there is none
	Stamp     int64   // for a user: a number that orders and dates users; for a post: each plugin gives it another meaning
	Priority  uint8   // for a post: orders posts; 0 if there is none
}
