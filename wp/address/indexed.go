package address

import (
	"context"
	"crypto/md5"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// Yoast SEO stores the permalink of every object in yoast_indexable when the object is saved. Filters of plugins have
// changed this address already. If WordPress changes slugs, parents or rules later, the row stays as it is.
//
// So a stored address that differs from the computed one is a reason for doubt and no proof. For a type, it is one of
// several clues (comparison.go). For a single object, the site itself is asked (inquiry.go).
//
// This file reads stored addresses, and corrects the addresses of objects.

const (
	sqlStored = `SELECT object_id, object_sub_type, SUBSTR(permalink, 1, 2048), permalink_hash, version, object_last_modified, updated_at,
blog_id FROM wp_yoast_indexable WHERE object_id IN (?) AND object_type = ?`
	sqlStoredHashes = `SELECT object_id, permalink_hash FROM wp_yoast_indexable WHERE object_id IN (?) AND object_type = ?`
	// Reading a range of ids takes less than half the time of reading a list of a thousand ids, unless many rows of the
	// range belong to other objects.
	sqlStoredHashesBetween = `SELECT object_id, permalink_hash FROM wp_yoast_indexable WHERE object_id BETWEEN ? AND ? AND object_type = ?`
	sqlStoredAt            = `SELECT object_id FROM wp_yoast_indexable WHERE permalink_hash IN (?) AND object_type = 'post'`
	mostBetween            = 3    // ids are read as one range if the range is shorter than their number times this
	longestAddress         = 2047 // bytes, by sitemaps.org
	storedVersion          = 2    // version of the rows that Yoast SEO writes since its version 18
)

// storedRow is a current row of yoast_indexable. The zero value means that there is no row.
type storedRow struct {
	name     string // object_sub_type
	address  string
	modified int64  // time of the object's last change when Yoast SEO stored the row
	stored   string // updated_at
	foreign  bool   // the row belongs to another blog, or its address is not valid
}

// object is a post or a term with its computed address.
type object struct {
	key        typeKey
	name       string // name of the object's type
	queryVar   string // query variable of the object's type
	id         int64
	slug, link string
	modified   int64 // time of the last change; a row with an earlier time does not count
	translated bool  // the address depends on the language of the object
}

// questionKey returns the key of a question about the object in Answers.
func (o *object) questionKey() string { return fmt.Sprintf("%s#%d", o.key, o.id) }

// objects reads objects by id: terms if t is a taxonomy, otherwise published posts.
func (b *Book) objects(ctx context.Context, t *registry.Type, ids []int64) ([]object, error) {
	if t == nil || !t.Taxonomy {
		posts, err := b.Posts(ctx, ids, nil)
		return b.postObjects(posts), err
	}
	terms, err := b.TermsByID(ctx, t, ids)
	return b.termObjects(t, terms), err
}

// postObjects returns the published posts among posts as objects.
func (b *Book) postObjects(posts []*Post) []object {
	all := make([]object, 0, len(posts))
	for _, p := range posts {
		if t := b.Blog.Registry().PostType(p.Type); t != nil && p.Status == "publish" {
			all = append(all, object{
				key: keyOf(wp.IndexedPost, p.Type), name: p.Type, queryVar: t.QueryVar, id: p.ID, slug: p.Name, link: p.Link, modified: p.Dates.ChangedGMT,
				translated: p.Type == "page" || b.Blog.Languages().PostTypes[p.Type],
			})
		}
	}
	return all
}

// termObjects returns terms of a taxonomy as objects.
func (b *Book) termObjects(t *registry.Taxonomy, terms []*Term) []object {
	all := make([]object, len(terms))
	for i, term := range terms {
		all[i] = object{
			key: keyOf(wp.IndexedTerm, t.Name), name: t.Name, queryVar: t.QueryVar, id: term.ID, slug: term.Slug, link: term.Link, modified: wp.NoTime,
			translated: b.Blog.Languages().Taxonomies[t.Name],
		}
	}
	return all
}

// storedRows reads the current row of each object. If an object has several rows, the one that was stored last counts.
func (b *Book) storedRows(ctx context.Context, objectType string, ids []int64) (map[int64]storedRow, error) {
	rows := make(map[int64]storedRow, len(ids))
	err := b.Blog.ByID(ctx, "reading stored addresses", sqlStored, ids, b.scanStored(func(id int64, w storedRow) {
		if w.stored >= rows[id].stored {
			rows[id] = w
		}
	}), objectType)
	if objectType == wp.IndexedPost && b.Blog.Settings().StaticFront() {
		delete(rows, b.Blog.Settings().PageOnFront) // the address of the front page is home, and its row may be older than that choice
	}
	return rows, err
}

// scanStored returns a function that reads rows of sqlStored and calls fn for each current row. A row is foreign if
// it belongs to another blog, or if no sitemap can list its address.
func (b *Book) scanStored(fn func(id int64, w storedRow)) func(*sql.Rows) error {
	var w storedRow
	var id, version, blog int64
	var hash, modified string
	return db.Row(func() {
		switch {
		case w.address == "" || version != storedVersion: // Yoast SEO will store this row again
		case blog != b.Blog.BlogID() || !plausible(w.address):
			fn(id, storedRow{name: w.name, foreign: true})
		case hash == addressHash(w.address):
			w.modified = wp.ParseDate(modified)
			fn(id, w)
		}
	}, &id, &w.name, &w.address, &hash, &version, &modified, &w.stored, &blog)
}

// plausible reports whether a sitemap can list a text as an address: it is short enough, valid UTF-8, and has no
// control characters.
func plausible(address string) bool {
	return len(address) <= longestAddress && utf8.ValidString(address) &&
		!strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// current reports whether a row may hold the address that the object has now.
func (b *Book) current(w storedRow, o object) bool {
	if w.address == "" || w.name != o.name || w.modified < o.modified {
		return false
	}
	if sameAddress(w.address, o.link) {
		return true
	}
	if strings.Contains(w.address, trashedSuffix) || b.isPlain(w.address, &o) {
		return false
	}
	links := b.Blog.Languages().Links // Yoast SEO does not notice a change of an object's language
	return !o.translated || b.Blog.Languages().None() || !sameAddress(links.Switch(w.address, ""), links.Switch(o.link, ""))
}

// isPlain reports whether an address is a plain one, such as /?p=1, on a site with permalinks. WordPress gives such
// addresses to objects that are not published.
func (b *Book) isPlain(address string, o *object) bool {
	if b.Blog.Settings().Permalinks.Structure == "" || strings.Trim(b.path(address), "/") != "" {
		return false
	}
	_, query, _ := strings.Cut(address, "?")
	vars, _ := url.ParseQuery(query)
	for _, name := range []string{"p", "page_id", "post_type", "cat", "tag", "taxonomy", o.queryVar} {
		if name != "" && vars.Has(name) {
			return true
		}
	}
	return false
}

// concerns reports whether a stored address is below home and has the scheme and host of the computed one.
func (b *Book) concerns(w storedRow, link string) bool {
	stored, err := url.Parse(w.address)
	computed, other := url.Parse(link)
	if err != nil || other != nil || stored.Scheme != computed.Scheme || stored.Host != computed.Host || stored.User != nil {
		return false
	}
	_, ok := b.below(stored)
	return ok
}

// below returns the path of an address relative to home, and whether the address is below home.
func (b *Book) below(u *url.URL) (string, bool) {
	home, err := url.Parse(b.Blog.LinksHome())
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(u.Path, strings.TrimRight(home.Path, "/"))
	return path, ok && (path == "" || path[0] == '/')
}

func (b *Book) path(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	path, _ := b.below(u)
	return path
}

// sameAddress reports whether two addresses are equal after percent-decoding.
func sameAddress(a, b string) bool { return a == b || php.RawURLDecode(a) == php.RawURLDecode(b) }

// rowsAgainst reads the rows of all ids in others. It also reads the rows of ids in computed whose stored address
// differs from the computed one. computed holds addresses by id.
func (b *Book) rowsAgainst(ctx context.Context, objectType string, computed map[int64]string, others []int64) (map[int64]storedRow, error) {
	scan := db.Rows2(func(id int64, hash sql.RawBytes) {
		if link, ok := computed[id]; ok && len(hash) > 0 && string(hash) != addressHash(link) {
			others = append(others, id)
		}
	})
	err := db.Batches(slices.Sorted(maps.Keys(computed)), func(ids []int64) error {
		if first, last := ids[0], ids[len(ids)-1]; last-first < mostBetween*int64(len(ids)) {
			return b.Blog.Query(ctx, sqlStoredHashesBetween, []any{first, last, objectType}, scan)
		}
		return b.Blog.Query(ctx, sqlStoredHashes, []any{ids, objectType}, scan)
	})
	err = b.Blog.Wrap("comparing stored addresses", err)
	var found map[int64]storedRow
	if err == nil && len(others) > 0 {
		found, err = b.storedRows(ctx, objectType, others)
	}
	if db.Unreadable(err) { // the table became unreadable after the site was read
		return nil, nil
	}
	return found, err
}

// corrected returns, by id, the right address of each object whose computed address is wrong or not known to be right.
// The value is "" if the right address is not known.
func (b *Book) corrected(ctx context.Context, objectType string, objects []object) (map[int64]string, error) {
	var stored []int64
	computed := map[int64]string{}
	for _, o := range objects {
		switch a := b.addressing[o.key]; {
		case a.From == AsStored:
			stored = append(stored, o.id)
		case a.From == asComputed && a.Why == "" && a.Compared > 0 && b.inquiry.possible: // nothing has proven the computed addresses
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
		ok := b.current(w, o) && b.concerns(w, o.link) && !strings.HasSuffix(w.address, "&") // Yoast SEO cuts the address at the # of &#038;
		switch all := b.addressing[o.key].From == AsStored; {
		case ok && (all || !sameAddress(w.address, o.link) && b.decided(o.questionKey(), pair{o.link, w.address}) == rightStored):
			links[o.id] = w.address
		case all:
			links[o.id] = ""
		}
	}
	return links, nil
}

// correct replaces the computed links of posts if they are wrong. The new link is the one that Yoast SEO has stored, or
// "" if the stored link cannot be right either.
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

// Doubt is an address that Yoast SEO has stored for an object, and that is not used. Why is the reason why it is not
// used.
type Doubt struct{ Stored, Why string }

// DoubtOfPost returns the stored address that contradicts the address of a published post, or nil if there is none.
func (b *Book) DoubtOfPost(ctx context.Context, p *Post) (*Doubt, error) {
	return b.doubt(ctx, wp.IndexedPost, b.postObjects([]*Post{p}))
}

// DoubtOfTerm returns the stored address that contradicts the address of a term, or nil if there is none.
func (b *Book) DoubtOfTerm(ctx context.Context, t *registry.Taxonomy, term *Term) (*Doubt, error) {
	return b.doubt(ctx, wp.IndexedTerm, b.termObjects(t, []*Term{term}))
}

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
	d := &Doubt{w.address, "the site has no upstream that could be asked"}
	a := b.inquiry.last(o.questionKey()) // the blog may not have been read again since the site was asked
	switch {
	case !b.current(w, o) || !b.concerns(w, o.link):
		d.Why = "the stored URL is older than the object, or no published object of this site can have it"
	case a.Of != nil && *a.Of == pair{o.link, w.address} && a.Right == rightComputed:
		d.Why = "the site answers only the computed URL"
	case a.Of != nil:
		d.Why = "the answers of the site do not tell which URL is right"
	case b.inquiry.possible:
		d.Why = "the site was not asked yet"
	}
	return d, err
}

// PostsStoredAt returns the ids of posts whose stored address is one of addresses.
func (b *Book) PostsStoredAt(ctx context.Context, addresses ...string) (ids []int64, err error) {
	if !b.Blog.Settings().ActivePlugins[wp.PluginYoast] {
		return nil, nil
	}
	hashes := make([]string, len(addresses))
	for i, a := range addresses {
		hashes[i] = addressHash(a)
	}
	if ids, err = b.Blog.IDs(ctx, "looking for a stored address", sqlStoredAt, hashes); db.Unreadable(err) {
		return nil, nil
	}
	return ids, err
}

// addressHash returns what Yoast SEO stores in the column permalink_hash for an address.
func addressHash(address string) string {
	sum := md5.Sum([]byte(address))
	return string(hex.AppendEncode(append(strconv.AppendInt(nil, int64(len(address)), 10), ':'), sum[:]))
}
