package address

import (
	"context"
	"crypto/md5"
	"database/sql"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// Yoast SEO stores the address of an object in yoast_indexable when the object is saved. Filters of plugins have changed
// this address already. If WordPress changes slugs, parents or rules later, the row stays as it is.
//
// So a stored address that differs from the computed one is a reason for doubt and no proof. For a type, it is one of
// several clues (comparison.go). For a single object, the site itself is asked (inquiry.go). correction.go replaces
// computed addresses. This file reads stored ones, and says whether they can still be right.

const (
	sqlStored = `SELECT object_id, object_sub_type, SUBSTR(permalink, 1, 2048), permalink_hash, version, object_last_modified, updated_at,
blog_id FROM wp_yoast_indexable WHERE object_id IN (?) AND object_type = ?`
	sqlStoredHashes        = `SELECT object_id, permalink_hash FROM wp_yoast_indexable WHERE object_id IN (?) AND object_type = ?`
	sqlStoredHashesBetween = `SELECT object_id, permalink_hash FROM wp_yoast_indexable WHERE object_id BETWEEN ? AND ? AND object_type = ?`
	sqlStoredAt            = `SELECT object_id FROM wp_yoast_indexable WHERE permalink_hash IN (?) AND object_type = 'post'`

	longestAddress = 2047 // bytes, by sitemaps.org
	storedVersion  = 2    // version of the rows that Yoast SEO writes since its version 18
)

// storedRow is a row of yoast_indexable that Yoast SEO would still use, see scanStored. The zero value means that there is no row.
type storedRow struct {
	name     string // object_sub_type
	address  string
	modified int64  // time of the object's last change when Yoast SEO stored the row
	stored   string // updated_at
	foreign  bool   // the row belongs to another blog, or its address is not valid
}

// storedRows reads the rows of yoast_indexable for some objects. If an object has several rows, the row that was stored last counts.
// A static front page gets no row.
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

// scanStored returns a function that reads rows of sqlStored and calls fn for each row that Yoast SEO itself would use. A
// foreign row counts, too, because readAddressing warns of them. Of such a row only the name is kept.
func (b *Book) scanStored(fn func(id int64, w storedRow)) func(*sql.Rows) error {
	var w storedRow
	var id, version, blog int64
	var hash, modified string
	return db.Row(func() {
		switch {
		case w.address == "" || version != storedVersion: // Yoast SEO will store this row again
		case blog != b.Blog.BlogID() || !plausible(w.address):
			fn(id, storedRow{name: w.name, foreign: true})
		case hash == addressHash(w.address): // if not, somebody else has changed the address, or it was cut
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

// mayHold reports whether a row may hold the address that the object has now. It may not in these cases:
//
//   - The row is older than the object, or of the time when the object had another type.
//   - The address is one that WordPress gives to objects in the trash, or to those that are not published.
//   - The address has another language. Yoast SEO does not notice if an object gets another language.
func (b *Book) mayHold(w storedRow, o object) bool {
	if w.address == "" || w.name != o.name || w.modified < o.modified {
		return false
	}
	if sameAddress(w.address, o.link) {
		return true
	}
	if strings.Contains(w.address, trashedSuffix) || b.isPlain(w.address, &o) {
		return false
	}
	if !o.translated || b.Blog.Languages().None() {
		return true
	}
	links := b.Blog.Languages().Links
	return !sameAddress(links.Switch(w.address, ""), links.Switch(o.link, ""))
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

// mostBetween says when ids are read as one range: if the range is shorter than their number times this. That takes less than half
// the time of a list of a thousand ids, unless many rows of the range belong to other objects.
const mostBetween = 3

// rowsAgainst reads two kinds of rows: the rows of all ids in others, and those rows of the ids in computed whose address
// differs from the computed one. computed holds addresses by id. It compares hashes, so that few addresses are read.
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
