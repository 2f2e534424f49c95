package wp

import (
	"context"
	"strings"
)

// What WordPress does to the slug of a post in the trash, so that another can have it
// (wp_add_trashed_suffix_to_post_name_for_post).
const (
	trashedSuffix   = "__trashed"
	metaDesiredSlug = "_wp_desired_post_slug" // the slug before
)

// FormerLink is the address of a post before it ceased to be published.
type FormerLink struct {
	ID   int64
	Link string
}

// FormerLinks returns the addresses that posts had which are no longer published, nor inherit that from a parent: in
// the trash, drafts, private, scheduled. Deleted posts have left nothing to compute an address from. They are left
// out, as are those still published.
func (s *Blog) FormerLinks(ctx context.Context, ids []int64) ([]FormerLink, error) {
	byID := map[int64]*Post{}
	err := s.eachPost(ctx, sqlPosts, ids, func(p *Post, _ string) {
		if !strings.EqualFold(p.Status, "publish") && !strings.EqualFold(p.Status, "inherit") {
			byID[p.ID] = p
		}
	})
	if err != nil || len(byID) == 0 {
		return nil, err
	}
	posts := inOrder(byID, Distinct(ids))
	for _, p := range posts {
		if p.Status == "trash" {
			p.Name, _, _ = strings.Cut(p.Name, trashedSuffix)
		}
		p.Status = "publish"
	}
	err = s.complete(ctx, posts, nil, s.withPrimary(metaDesiredSlug), func(p *Post, key, value string) {
		if !s.setPrimary(p, key, value) && key == metaDesiredSlug && value != "" {
			p.Name = value
		}
	})
	if err != nil {
		return nil, err
	}
	links := make([]FormerLink, 0, len(posts))
	for _, p := range posts {
		if p.Name == "" || p.Link == "" { // never published, or not by that name; or the address was stored, and is not any more
			continue
		}
		// those above it may be in the trash, too
		links = append(links, FormerLink{p.ID, strings.ReplaceAll(p.Link, trashedSuffix+"/", "/")})
	}
	return links, nil
}
