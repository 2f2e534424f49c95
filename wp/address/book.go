// Package address reads the posts, terms and authors of a blog with their addresses, see Book. Package permalink computes addresses
// without a database.
package address

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

// A Book has the addresses of a blog's posts, terms, authors and archives. It is safe for concurrent use.
type Book struct {
	Blog *wp.Blog

	hand       handSet                // addresses set by hand
	noTerm     string                 // the word in the address of a product without a category or a brand
	addressing map[typeKey]Addressing // where the addresses of each listed type come from
	archives   map[string]string      // stored addresses of archives, by post type, if they are not as computed
	before     found                  // what the last reading of the blog found
	inquiry    *inquiry
	routed     string // see Routed
}

// found holds what the last reading of the blog found out about addresses.
type found struct {
	Origins  map[typeKey]Origin // origins of addresses that are not computed
	Archives map[string]string  // stored addresses of archives, by post type
	Answers  Answers            // answers of the site itself
}

// routed is the content of the text that Book.Routed returns.
type routed struct {
	registry.Routed
	found
}

// Read reads one blog with its addresses. If the addresses of a type are not known, WordPress
// itself serves the sitemap of the type. If each language has its own domain, Read returns one book for each language.
func Read(ctx context.Context, walk *wp.Walk, row wp.BlogRow) ([]*Book, error) {
	blog, evidence, err := walk.Read(ctx, row)
	if err != nil {
		return nil, err
	}
	b := &Book{Blog: blog, hand: handSetOf(blog), noTerm: permalink.NoProductCategory}
	var before routed
	text := blog.RoutedBefore()
	if json.Unmarshal([]byte(text), &before) == nil {
		b.before = before.found
	} else {
		text = ""
	}
	if err := b.readNoTerm(ctx, evidence); err != nil {
		return nil, err
	}
	if err := b.readAddressing(ctx, evidence); err != nil {
		return nil, err
	}
	switch {
	case len(evidence.RewriteRules) > 0:
		types := blog.Registry().Routed(evidence.PermalinkStructure)
		now, _ := json.Marshal(routed{*types, found{b.origins(), b.archives, b.before.Answers}}) // cannot fail: plain values only
		b.routed = string(now)
	case evidence.PermalinkStructure != "":
		b.routed = text
	}
	var books []*Book
	for _, own := range blog.PerLanguage() {
		books = append(books, b.For(own))
	}
	return books, nil
}

// ReadAll reads the single site or all live blogs of a network. If a blog cannot be read, ReadAll leaves it out and includes its
// error in the returned one.
func ReadAll(ctx context.Context, n *wp.Network, progress ...func(done, total int)) ([]*Book, error) {
	w, err := n.Walk(ctx, nil)
	if err != nil {
		return nil, err
	}
	var books []*Book
	var failed []error
	for i, row := range w.Live {
		for _, show := range progress {
			show(i, len(w.Live))
		}
		of, err := Read(ctx, w, row)
		books, failed = append(books, of...), append(failed, err)
	}
	slices.SortStableFunc(books, func(x, y *Book) int { return cmp.Compare(x.Blog.BlogID(), y.Blog.BlogID()) })
	return books, errors.Join(failed...)
}

// For returns a copy of the book for another form of its blog: the blog in one language (see wp.Blog.PerLanguage), or
// wp.Blog.AtHome.
func (b *Book) For(blog *wp.Blog) *Book {
	own := *b
	own.Blog = blog
	return &own
}

// Routed returns a text of what is known about the site's types and addresses, for Network.RouteAs. It is "" if
// nothing is known.
func (b *Book) Routed() string { return b.routed }

// Fingerprint returns a hash of all settings and registered types that addresses and texts in sitemaps depend on, see
// wp.Blog.Fingerprint.
func (b *Book) Fingerprint() uint64 { return b.fingerprint(b.Blog.Fingerprint()) }

// SettingsFingerprint returns a hash of all that Fingerprint covers, and of the settings that plugins store for single terms.
func (b *Book) SettingsFingerprint() uint64 { return b.fingerprint(b.Blog.SettingsFingerprint()) }

func (b *Book) fingerprint(ofBlog uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, ofBlog, b.noTerm)
	b.hashAddressing(h)
	return h.Sum64()
}
