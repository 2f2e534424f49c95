package address

import (
	"context"
	"strings"

	"wpsitemapd/wp"
)

const (
	trashedSuffix = "__trashed"
)

// FormerLink is the address that a post had while it was published.
type FormerLink struct {
	ID   int64
	Link string
}

// FormerLinks returns the addresses that posts had while they were published. It covers posts that are now in the
// trash, drafts, private or scheduled. It leaves out posts that are still published or inherit the status of a parent.
// It also leaves out deleted posts, because nothing is left to compute their address from.
func (b *Book) FormerLinks(ctx context.Context, ids []int64) ([]FormerLink, error) {
	byID := map[int64]*Post{}
	err := b.eachPost(ctx, sqlPosts, ids, func(p *Post, _ string) {
		if !strings.EqualFold(p.Status, "publish") && !strings.EqualFold(p.Status, "inherit") {
			byID[p.ID] = p
		}
	})
	if err != nil || len(byID) == 0 {
		return nil, err
	}
	posts := inOrder(byID, wp.Distinct(ids))
	for _, p := range posts {
		if p.Status == "trash" {
			p.Name, _, _ = strings.Cut(p.Name, trashedSuffix)
		}
		p.Status = "publish"
	}
	err = b.complete(ctx, posts, nil, b.withLinkMeta(wp.MetaDesiredSlug), func(p *Post, key, value string) {
		if !b.setLinkMeta(p, key, value) && value != "" { // the key is MetaDesiredSlug
			p.Name = value
		}
	})
	if err != nil {
		return nil, err
	}
	links := make([]FormerLink, 0, len(posts))
	for _, p := range posts {
		// never published, or not under that slug; or the address was a stored one and is not known now
		if p.Name == "" || p.Link == "" {
			continue
		}
		// the posts above it may be in the trash too
		links = append(links, FormerLink{p.ID, strings.ReplaceAll(p.Link, trashedSuffix+"/", "/")})
	}
	return links, nil
}
