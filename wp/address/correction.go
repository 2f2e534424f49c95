package address

import (
	"context"
	"strings"

	"wpsitemapd/wp"
)

// corrected returns, by id, the address of each object whose computed address does not hold. The address is "" if it is
// not known.
//
// If the stored addresses of a type hold, each object gets its stored one. An object without a usable row has no known
// address. If the computed addresses hold without proof, an object gets its stored address only if the site has confirmed
// it for this object.
func (b *Book) corrected(ctx context.Context, objectType string, objects []object) (map[int64]string, error) {
	var stored []int64
	computed := map[int64]string{}
	for _, o := range objects {
		switch a := b.addressing[o.key]; {
		case a.From == AsStored:
			stored = append(stored, o.id)
		case a.From == asComputed && a.Why == "" && a.Compared > 0 && b.inquiry.possible: // without proof, and the site can be asked
			computed[o.id] = o.link
		}
	}
	rows, err := b.rowsAgainst(ctx, objectType, computed, stored)
	if err != nil {
		return nil, err
	}
	links := map[int64]string{}
	for _, o := range objects {
		w := rows[o.id]
		usable := b.current(w, o) && b.concerns(w, o.link) && !strings.HasSuffix(w.address, "&") // Yoast SEO cuts the address at the # of &#038;
		switch {
		case b.addressing[o.key].From == AsStored && usable:
			links[o.id] = w.address
		case b.addressing[o.key].From == AsStored:
			links[o.id] = ""
		case usable && !sameAddress(w.address, o.link) && b.decided(o.questionKey(), pair{o.link, w.address}) == rightStored:
			links[o.id] = w.address
		}
	}
	return links, nil
}

// correct replaces the computed links of posts if they do not hold. The new link is the one that Yoast SEO has stored,
// or "" if that one cannot be right either.
func (b *Book) correct(ctx context.Context, posts []*Post) error {
	if len(b.addressing) == 0 {
		return nil
	}
	links, err := b.corrected(ctx, wp.IndexedPost, b.postObjects(posts))
	for _, p := range posts {
		if link, ok := links[p.ID]; ok {
			p.Link, p.LinkStored = link, link != p.Link
		}
	}
	return err
}
