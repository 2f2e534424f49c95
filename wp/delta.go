package wp

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"wpsitemapd/wp/db"
)

const (
	sqlHighestPost = `SELECT MAX(ID) FROM wp_posts`
	sqlHighestMeta = `SELECT MAX(meta_id) FROM wp_postmeta`
	// Ranges of the primary keys, above what was there before.
	sqlNewPosts = `SELECT ID, post_parent, post_type FROM wp_posts WHERE ID > ? ORDER BY ID LIMIT ?`
	sqlNewMeta  = `SELECT meta_id, post_id, COALESCE(meta_key, '') FROM wp_postmeta WHERE meta_id > ? ORDER BY meta_id LIMIT ?`

	// The index type_status_date holds all of these columns: no row is read.
	sqlPostStamps = `SELECT p.ID, p.post_date FROM wp_posts p FORCE INDEX (type_status_date)
WHERE p.post_type = ? AND p.post_status = ? AND p.post_date >= ? ORDER BY p.post_date LIMIT ?`
	sqlNextScheduled = `SELECT p.post_date FROM wp_posts p WHERE p.post_type = ? AND p.post_status = 'future' AND p.post_date > ?
ORDER BY p.post_date LIMIT 1`

	sqlPostRowsByID = `SELECT p.ID, p.post_author, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt,
p.post_password <> '', COALESCE(p.post_name, '') = '', COALESCE(parent.post_status, ''), parent.post_password <> '',
p.post_type, p.post_status, p.post_parent
FROM wp_posts p LEFT JOIN wp_posts parent ON parent.ID = p.post_parent WHERE p.ID IN (?)`
	sqlAttachedTo = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type = 'attachment'`
	sqlBelow      = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type = ? LIMIT 1`
	sqlAllBelow   = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type = ?`
	// Published posts have one, and others that had been published.
	sqlSlugless = `SELECT ID FROM wp_posts
WHERE post_type = ? AND post_status IN ('auto-draft', 'draft', 'pending', 'trash') AND post_name = ''`
	sqlRelationsOf  = `SELECT tr.object_id, tr.term_taxonomy_id FROM wp_term_relationships tr WHERE tr.object_id IN (?)`
	sqlTermRowsByID = `SELECT tt.term_taxonomy_id, tt.term_id, tt.parent, tt.count, tt.taxonomy FROM wp_term_taxonomy tt
WHERE tt.term_taxonomy_id IN (?)`
)

// markOverlap is how many ids below the highest are checked once more: one that was given out before another may be
// committed after it.
const markOverlap = 32

// Marks is the place up to which the rows of a blog were seen. The zero value is no place to go on from.
type Marks struct{ post, meta mark }

// mark is that place in one table.
type mark struct {
	id   int64          // the highest
	late map[int64]bool // ids near it that were there
}

// Marks returns the place from which Touched goes on. It has to be asked for before the rows
// themselves are read.
func (s *Blog) Marks(ctx context.Context) (Marks, error) {
	var m Marks
	for query, to := range map[string]*int64{sqlHighestPost: &m.post.id, sqlHighestMeta: &m.meta.id} {
		err := s.Query(ctx, query, nil, db.Row(func() {}, to))
		if err != nil {
			return Marks{}, s.Wrap("reading the highest ids", err)
		}
	}
	if m.post.id == math.MaxInt64 || m.meta.id == math.MaxInt64 { // no id can follow
		return Marks{}, nil
	}
	// What is near the highest ids now will be seen by the next reading of the rows.
	_, m, _, err := s.Touched(ctx, m, 0)
	return m, err
}

// Touched returns the posts that new rows concern: a new post or attachment concerns itself and its parent, a
// revision its post, and new meta its post where sitemaps depend on the key. more is true, and the result not
// complete, where there are more than limit new rows of a table; to is the place to go on from.
func (s *Blog) Touched(ctx context.Context, from Marks, limit int) (ids []int64, to Marks, more bool, err error) {
	touched := map[int64]bool{}
	limit += markOverlap + 1
	to.post, more, err = s.newRows(ctx, sqlNewPosts, from.post, limit, func(id, parent int64, kind string) {
		if kind != "revision" {
			touched[id] = true
		}
		if parent > 0 && (kind == "revision" || kind == "attachment") {
			touched[parent] = true
		}
	})
	if err == nil && !more {
		to.meta, more, err = s.newRows(ctx, sqlNewMeta, from.meta, limit, func(_, post int64, key string) {
			if post > 0 && s.network.declared.PostMeta.Has(key) {
				touched[post] = true
			}
		})
	}
	if err != nil || more {
		return nil, from, more, s.Wrap("reading new rows", err)
	}
	return slices.Sorted(maps.Keys(touched)), to, false, nil
}

// newRows calls fn for the rows above a mark, and for those just below it that were not there, and returns the mark to go
// on from. more reports whether there are limit rows.
func (s *Blog) newRows(
	ctx context.Context, query string, from mark, limit int, fn func(id, other int64, text string),
) (to mark, more bool, err error) {
	to, n := mark{from.id, map[int64]bool{}}, 0
	err = s.Query(ctx, query, []any{max(0, from.id-markOverlap), limit}, db.Rows3(func(id, other int64, text string) {
		n++
		to.id = max(to.id, id)
		to.late[id] = true
		if !from.late[id] {
			fn(id, other, text)
		}
	}))
	maps.DeleteFunc(to.late, func(id int64, _ bool) bool { return id <= to.id-markOverlap })
	return to, n >= limit, err
}

// stamp is a hash of what the index type_status_date has of a post: its status and date.
func stamp(status string, date []byte) uint32 {
	h := uint32(2166136261) // FNV-1a
	for i := range len(status) {
		h = (h ^ uint32(status[i]|0x20)) * 16777619
	}
	for _, c := range date {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// stampBatch is how many rows of the index are read by a statement. They pass by one at a time.
const stampBatch = 200_000

// EachStamp calls fn for every post of a type and status with its PostRow.Stamp, by date. It
// reads nothing but the index type_status_date.
func (s *Blog) EachStamp(ctx context.Context, postType, status string, fn func(id int64, stamp uint32) error) error {
	var id int64
	var date sql.RawBytes
	for _, status := range s.storedAs(postType, status) {
		err := s.byDate(ctx, sqlPostStamps, postType, status, stampBatch, func(rows *sql.Rows) (int64, []byte, error) {
			err := rows.Scan(db.Number(&id), &date)
			return id, date, err
		}, func() error { return fn(id, stamp(status, date)) })
		if err != nil {
			return s.Wrap("reading the index of posts of type "+postType, err)
		}
	}
	return nil
}

// TouchedPost is a row that was read by its id.
type TouchedPost struct {
	PostRow
	Type, Status string
	Parent       int64
}

// PostRows reads narrow rows by id, of any type and status, in no order.
func (s *Blog) PostRows(ctx context.Context, ids []int64, fn func(TouchedPost)) error {
	var scan rowScan
	return s.byID(ctx, "reading rows of posts", sqlPostRowsByID, ids, func(rows *sql.Rows) error {
		var p TouchedPost
		if err := rows.Scan(append(scan.columns(&p.PostRow), db.Text(&p.Type), db.Text(&p.Status), db.Number(&p.Parent))...); err != nil {
			return err
		}
		if scan.date == nil { // where it is NULL, walks by date do not meet the row either
			return nil
		}
		scan.finish(&p.PostRow, p.Status)
		p.Status = s.status(p.Type, p.Status)
		fn(p)
		return nil
	})
}

// AttachedTo returns the attachments below posts, of any status.
func (s *Blog) AttachedTo(ctx context.Context, posts []int64) ([]int64, error) {
	return s.idsOf(ctx, "reading attachments of posts", sqlAttachedTo, posts)
}

// HasBelow reports whether any post of a type is a child of one of posts.
func (s *Blog) HasBelow(ctx context.Context, postType string, posts []int64) (bool, error) {
	found, err := s.idsOf(ctx, "looking below posts", sqlBelow, posts, postType)
	return len(found) > 0, err
}

// BelowSlugless returns the posts of a type that are below one without a slug, as drafts are: the path of their link leaves
// that one out, so that WordPress does not find them.
func (s *Blog) BelowSlugless(ctx context.Context, postType string) ([]int64, error) {
	above, err := s.ids(ctx, "reading posts of type "+postType+" without a slug", sqlSlugless, postType)
	var all []int64
	for generation := 0; err == nil && len(above) > 0 && generation < maxAncestorQueries; generation++ {
		above, err = s.idsOf(ctx, "reading posts below those without a slug", sqlAllBelow, above, postType)
		all = append(all, above...)
	}
	return all, err
}

// RelationsOf calls fn for every term_taxonomy_id of objects.
func (s *Blog) RelationsOf(ctx context.Context, objects []int64, fn func(object, taxonomyID int64)) error {
	return s.byID(ctx, "reading the terms of objects", sqlRelationsOf, objects, db.Rows2(fn))
}

// TermRows calls fn for terms by their term_taxonomy_id.
func (s *Blog) TermRows(ctx context.Context, taxonomyIDs []int64, fn func(taxonomy string, r TermRow)) error {
	var r TermRow
	var taxonomy string
	return s.byID(ctx, "reading rows of terms", sqlTermRowsByID, taxonomyIDs,
		db.Row(func() { fn(taxonomy, r) }, &r.TaxonomyID, &r.ID, &r.Parent, &r.Count, &taxonomy))
}

// NextScheduled returns the date (of the site's clock, as Unix seconds; NoTime for none) of
// the first post of a type that is to be published after another such date.
func (s *Blog) NextScheduled(ctx context.Context, postType string, after int64) (int64, error) {
	next := NoTime
	date := time.Unix(after, 0).UTC().Format(time.DateTime)
	err := s.Query(ctx, sqlNextScheduled, []any{postType, date}, db.Rows1(func(date string) { next = ParseDate(date) }))
	return next, s.Wrap("reading scheduled posts of type "+postType, err)
}

// Fingerprint is a number for all settings and registered types that addresses and texts in
// sitemaps depend on. Terms' own settings are not part of it, and what WordPress and plugins
// note down in their options as they work is not.
func (s *Blog) Fingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v %s %s\n", s.set, s.home, s.prefix)
	s.hashDecoded(h, func(d Decoded) any { return d.Settings })
	fmt.Fprintln(h, s.Installed())
	for _, t := range slices.Concat(s.registry.PostTypes, s.registry.Taxonomies) {
		t := *t
		t.Sources = nil
		fmt.Fprintf(h, "%+v\n", t)
	}
	for _, l := range s.languages.All {
		fmt.Fprintf(h, "%+v\n", l)
	}
	s.hashAddressing(h)
	io.WriteString(h, s.languages.OfDomain())
	return h.Sum64()
}

// SettingsFingerprint is Fingerprint with the terms' own settings.
func (s *Blog) SettingsFingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d ", s.Fingerprint())
	s.hashDecoded(h, func(d Decoded) any { return d.OfObjects })
	s.hashTermMeta(h)
	return h.Sum64()
}

func (s *Blog) hashDecoded(h io.Writer, part func(Decoded) any) {
	for _, in := range s.network.declared.inputs {
		if d, ok := s.decoded[in.Name]; ok {
			fmt.Fprintf(h, "%+v %+v\n", part(d), d.Links)
		}
	}
}

// Written returns those of the tables named in full that are the site's own or that it shares
// with its network, without their prefixes: posts, options, users, blogs …
func (s *Blog) Written(tables []string) []string {
	var own []string
	_, _, users := s.network.sharedUsers()
	for _, name := range tables {
		name = strings.ToLower(name)
		short := ""
		for _, prefix := range []string{s.prefix, s.network.base} {
			rest, ok := strings.CutPrefix(name, strings.ToLower(prefix))
			shared := !ok || prefix == s.prefix || slices.Contains(s.network.declared.networkTables, rest)
			if ok && shared && slices.Contains(s.network.declared.tableNames, rest) {
				short = rest
				break
			}
		}
		if i := slices.Index(users, name); i >= 0 {
			short = "users"
		}
		if short != "" && !slices.Contains(own, short) {
			own = append(own, short)
		}
	}
	return own
}
