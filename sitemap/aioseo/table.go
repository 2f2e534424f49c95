package aioseo

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// The plugin has a row for each post that was saved in its editor or looked at by its scan for images. All of them are
// read by the primary key, those of some posts by the index of post_id.
const (
	table     = "aioseo_posts"
	tableRows = 10_000 // that a statement reads

	sqlRows = `SELECT id, post_id, robots_default, robots_noindex, priority, canonical_url FROM wp_aioseo_posts WHERE id > ? ORDER BY id LIMIT ?`

	sqlRowsOfPosts = `SELECT id, post_id, robots_default, robots_noindex, priority, canonical_url FROM wp_aioseo_posts WHERE post_id IN (?)`

	sqlImages = `SELECT post_id, images FROM wp_aioseo_posts WHERE post_id IN (?)`

	// The index of wp_terms.name finds them.
	sqlHidingTerms = `SELECT t.name, tt.term_taxonomy_id FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id
WHERE t.name IN ('exclude-from-catalog', 'exclude-from-search')`

	sqlTaxonomyIDs = `SELECT term_id, term_taxonomy_id FROM wp_term_taxonomy WHERE term_id IN (?)`
)

// storedRow is a row of the table.
type storedRow struct {
	id, post int64
	flags    seo.Flags
}

// scanRow reads a row. At level plugin a canonical address says nothing, but from 4.9.5 to 4.9.6. A post with robots_default = 1 follows its
// type; 0 has it follow robots_noindex.
func (s *settings) scanRow(rows *sql.Rows) (r storedRow, err error) {
	var follows, noindex sql.NullInt64
	var priority sql.NullFloat64
	var canonical string
	err = rows.Scan(db.Number(&r.id), db.Number(&r.post), &follows, &noindex, &priority, db.Text(&canonical))
	if canonical != "" && (s.spec || s.before("4.9.7.1") && !s.before("4.9.5")) {
		r.flags.Canonical = absolute(s.blog.Settings().SiteURL, canonical)
	}
	own := follows.Valid && follows.Int64 == 0
	r.flags.Noindex = noindex.Valid && noindex.Int64 != 0 && (!follows.Valid || follows.Int64 != 1)
	r.flags.Index = own && noindex.Valid && noindex.Int64 == 0
	if priority.Valid {
		r.flags.Priority = uint8(1 + math.Round(200*min(max(priority.Float64, 0), 1)))
	}
	return r, err
}

// absolute is a canonical address as the plugin prints it: a path is below the site's address, a host has its scheme.
func absolute(site, address string) string {
	scheme, _, _ := strings.Cut(site, ":")
	host, _, _ := strings.Cut(address, "/")
	switch address = strings.TrimSpace(address); {
	case strings.HasPrefix(address, "http"):
		return address
	case strings.HasPrefix(address, "//"):
		return scheme + ":" + address
	case strings.Contains(host, "."):
		return scheme + "://" + address
	}
	return strings.TrimRight(site, "/") + "/" + strings.TrimLeft(address, "/")
}

// readRows reads what the table has of posts, or of all (nil). It says nothing of posts where the table cannot be read.
func (s *settings) readRows(ctx context.Context, ids []int64, flags map[int64]seo.Flags) error {
	set := s.blog.Settings()
	take := func(r storedRow) {
		if seo.NamesPage(set, r.post) {
			r.flags.Stamp = 1 // there is a row, see hasRow
		}
		f, again := flags[r.post]
		switch {
		case again: // a post that one of its rows lets in is in
			f.Stamp, f.Canonical = letIn(f)+letIn(r.flags), cmp.Or(f.Canonical, r.flags.Canonical)
			f.Noindex, f.Index, f.Priority = f.Noindex && r.flags.Noindex, f.Index || r.flags.Index, max(f.Priority, r.flags.Priority)
		case r.flags == (seo.Flags{}) && len(flags) > seo.MostCompared:
			return
		default:
			f = r.flags
		}
		flags[r.post] = f
	}
	var err error
	if ids == nil {
		err = s.readAll(ctx, take)
	} else {
		err = db.Batches(ids, func(ids []int64) error { return s.query(ctx, sqlRowsOfPosts, []any{ids}, take) })
	}
	if db.Unreadable(err) { // check says so
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the table %s: %w", table, err)
	}
	return nil
}

// letIn is how many rows that the flags are of do not keep the post out.
func letIn(f seo.Flags) int64 {
	if f.Noindex {
		return 0
	}
	return max(f.Stamp, 1)
}

func (s *settings) readAll(ctx context.Context, take func(storedRow)) error {
	for after, n := int64(0), tableRows; n == tableRows; {
		n = 0
		err := s.query(ctx, sqlRows, []any{after, tableRows}, func(r storedRow) {
			n++
			after = max(after, r.id)
			take(r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) query(ctx context.Context, query string, args []any, take func(storedRow)) error {
	return s.blog.Query(ctx, query, args, func(rows *sql.Rows) error {
		r, err := s.scanRow(rows)
		if err == nil {
			take(r)
		}
		return err
	})
}

func (s *settings) Faults() seo.Faults { return seo.Faults{Posts: s.denied} }

// errSeen ends a statement of which one row was enough.
var errSeen = errors.New("seen")

// read looks what of the table can be read, where the plugin is active. A table that is not there says nothing. One that may
// not be read, or that has other columns than All in One SEO has since version 4, may say noindex of any post.
func read(ctx context.Context, blog *wp.Blog, stored *wp.Stored) (wp.Decoded, error) {
	decoded := decode(stored)
	if !stored.Active() {
		return decoded, nil
	}
	name := blog.Table(table)
	look := func(query string) error {
		err := blog.Query(ctx, query, []any{[]int64{0}}, func(*sql.Rows) error { return errSeen })
		if errors.Is(err, errSeen) {
			return nil
		}
		return err
	}
	switch err := look(sqlRowsOfPosts); {
	case db.MissingTable(err):
		stored.Warn(fmt.Sprintf("table %s cannot be read, so that what %s stores of posts is not known: %v", name, Plugin.Name, err))
		return decoded, nil
	case db.Unreadable(err):
		decoded.Value.(*options).denied = fmt.Errorf("what %s stores of posts may not be read: %w", Plugin.Name, err)
		stored.Warn(fmt.Sprintf("table %s may not be read, so that sitemaps of posts are answered with 503: "+
			"wpsitemapd grants prints what the account needs: %v", name, err))
		return decoded, nil
	case err != nil:
		return decoded, fmt.Errorf("looking into the table %s: %w", table, err)
	}
	err := look(sqlImages)
	if db.Unreadable(err) {
		stored.Warn(fmt.Sprintf("table %s cannot be read, so that the images of posts are not known: %v", name, err))
		err = nil
	}
	return decoded, err
}
