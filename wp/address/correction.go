package address

import (
	"context"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
)

// corrected returns the addresses that replace computed addresses, by the id of the object. An unknown address is "". An object that keeps
// its computed address is left out.
//
// If a type uses stored addresses, each object gets the address in its row of yoast_indexable, or "" if the row is missing or cannot be
// right. If nothing proves the computed addresses of a type, an object gets its stored address only if the site has confirmed that address.
func (b *Book) corrected(ctx context.Context, objectType string, objects []object) (map[int64]string, error) {
	var stored []int64
	computed := map[int64]string{}
	for _, o := range objects {
		switch a := b.addressing[o.key]; {
		case a.From == AsStored:
			stored = append(stored, o.id)
		case a.From == asComputed && a.Why == "" && a.Compared > 0 && b.inquiry.possible: // nothing proves them, and the site can be asked
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
		usable := b.mayHold(w, o) && b.concerns(w, o.link) && !strings.HasSuffix(w.address, "&") // Yoast SEO cuts the address at the # of &#038;
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

// correct replaces the computed links of posts by the addresses that corrected returns.
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

// Yoast SEO may have stored an address for an object that differs from the listed one. DoubtOfPost and DoubtOfTerm find that address, and
// explain shows it.

// Doubt is an address that Yoast SEO has stored for an object and that sitemaps do not use. Why is the reason.
type Doubt struct{ Stored, Why string }

// DoubtOfPost returns the stored address that contradicts the address of a published post, or nil if there is none.
func (b *Book) DoubtOfPost(ctx context.Context, p *Post) (*Doubt, error) {
	return b.doubt(ctx, wp.IndexedPost, b.postObjects([]*Post{p}))
}

// DoubtOfTerm returns the stored address that contradicts the address of a term, or nil if there is none.
func (b *Book) DoubtOfTerm(ctx context.Context, t *registry.Taxonomy, term *Term) (*Doubt, error) {
	return b.doubt(ctx, wp.IndexedTerm, b.termObjects(t, []*Term{term}))
}

// doubt returns the stored address that contradicts the address of an object, or nil if there is none. objects contains that object
// alone. It is empty for a post that is not published.
func (b *Book) doubt(ctx context.Context, objectType string, objects []object) (*Doubt, error) {
	if len(objects) == 0 || b.addressing[objects[0].key].Compared == 0 {
		return nil, nil
	}
	o := objects[0]
	rows, err := b.storedRows(ctx, objectType, []int64{o.id})
	w := rows[o.id]
	if db.Unreadable(err) || err == nil && (w.address == "" || w.foreign || sameAddress(w.address, o.link)) {
		return nil, nil
	}
	d := &Doubt{Stored: w.address}
	a := b.inquiry.last(o.questionKey()) // the blog may not have been read again since the site was asked
	switch {
	case !b.mayHold(w, o) || !b.concerns(w, o.link):
		d.Why = "the stored URL is older than the object, or no published object of this site can have it. To have Yoast SEO store the " +
			"right one, save the object in WordPress"
	case a.Of != nil && *a.Of == pair{o.link, w.address} && a.Right == rightComputed:
		d.Why = "the site answers only the computed URL. To have Yoast SEO store it, save the object in WordPress"
	case a.Of != nil:
		d.Why = "the site was asked for both URLs, and its answers do not tell which is right. If it is the stored one, set url of this type " +
			"in the configuration"
	case b.inquiry.possible:
		d.Why = "the site was not asked yet which URL is right. A running daemon asks it within minutes"
	default:
		d.Why = "wpsitemapd cannot ask the site which URL is right. Set upstream in the configuration"
	}
	return d, err
}
