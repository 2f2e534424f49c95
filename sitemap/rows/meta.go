package rows

import (
	"context"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// mostDecisions is the maximum number of posts for which a delta compares the deciding meta.
const mostDecisions = seo.MostCompared

// readMeta reads the post meta and the operator's exclusions that decide about the posts in ids. A nil
// ids means all posts.
func (b *Reader) readMeta(ctx context.Context, ids []int64) error {
	var err error
	if b.Flags, err = b.Rules.Settings.Posts(ctx, ids); err != nil {
		return err
	}
	if b.excluded, err = b.Rules.ExcludedPosts(ctx, ids); err != nil {
		return err
	}
	keys := b.Rules.Blog.ExclusionMeta()
	if len(keys) == 0 {
		return nil
	}
	values, err := b.Rules.Blog.MetaByKeys(ctx, ids, keys...)
	b.filled, b.linksTo = values[wp.MetaFilled], values[wp.MetaLinksTo]
	return err
}

// decisions returns, by post, a hash of the meta that decides about the post. It returns nil if there
// are too many posts to compare.
func (b *Reader) decisions() map[int64]uint64 {
	hashes := make(map[int64]uint64, len(b.Flags))
	for id, f := range b.Flags {
		f.Stamp = 0
		if f == (seo.Flags{}) {
			continue
		}
		h := Mix(uint64(f.Priority), uint64(f.Against))
		for _, set := range []bool{f.Noindex, f.Index} {
			if h = Mix(h, 0); set {
				h = Mix(h, 1)
			}
		}
		hashes[id] = MixText(h, f.Canonical)
	}
	for id, v := range b.excluded {
		hashes[id] = Mix(hashes[id]+1, uint64(v))
	}
	for seed, values := range []map[int64]string{b.filled, b.linksTo} {
		for id, v := range values {
			if v != "" {
				hashes[id] = MixText(hashes[id]+2+uint64(seed), v)
			}
		}
	}
	if len(hashes) > mostDecisions {
		return nil
	}
	return hashes
}
