package address

import (
	"context"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
)

// If Yoast SEO has stored another address for an object than the sitemaps list, explain shows the stored address, and why it is not
// used. This file finds both.

// Doubt is an address that Yoast SEO has stored for an object, and that sitemaps do not use. Why says
// why they do not.
type Doubt struct{ Stored, Why string }

// DoubtOfPost returns the stored address that contradicts the address of a published post, or nil if there is none.
func (b *Book) DoubtOfPost(ctx context.Context, p *Post) (*Doubt, error) {
	return b.doubt(ctx, wp.IndexedPost, b.postObjects([]*Post{p}))
}

// DoubtOfTerm returns the stored address that contradicts the address of a term, or nil if there is none.
func (b *Book) DoubtOfTerm(ctx context.Context, t *registry.Taxonomy, term *Term) (*Doubt, error) {
	return b.doubt(ctx, wp.IndexedTerm, b.termObjects(t, []*Term{term}))
}

// doubt returns the stored address that contradicts the address of the only element of objects. objects is
// empty for a post that is not published.
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
	case !b.current(w, o) || !b.concerns(w, o.link):
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
