package objects

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// sqlLibrary reads the texts and files of attachments. Without FORCE INDEX, MySQL reads the whole table if about a fifth of its rows
// have the key _wp_attached_file.
const sqlLibrary = `SELECT a.ID, f.meta_id, a.post_title, a.post_excerpt, f.meta_value
FROM wp_postmeta f FORCE INDEX (meta_key) STRAIGHT_JOIN wp_posts a ON a.ID = f.post_id WHERE f.meta_key = '_wp_attached_file' LIMIT ?`

const maxLibraryTexts = 64 << 20 // bytes

// Library holds the texts of all attachments that have a file.
type Library struct {
	places ofAll[uint32] // start of each attachment's texts: title, caption and file, each with a zero byte behind it
	texts  string        // at most about maxLibraryTexts bytes
}

// elsewhere is the place of an attachment whose texts are not in the library.
const elsewhere = math.MaxUint32

// ReadLibrary reads the files and titles of all attachments. It returns nil if there are more than most, or if pages must
// query their attachments for another reason, see readAll.
func ReadLibrary(ctx context.Context, blog *wp.Blog, most int) (*Library, error) {
	var texts strings.Builder
	var columns [3]sql.RawBytes
	places, err := readAll(ctx, blog, sqlLibrary, min(most, math.MaxInt32), func(rows *sql.Rows) (id, meta int64, at uint32, err error) {
		err = rows.Scan(db.Number(&id), db.Number(&meta), &columns[0], &columns[1], &columns[2])
		if slices.ContainsFunc(columns[:], func(text sql.RawBytes) bool { return bytes.IndexByte(text, 0) >= 0 }) {
			return id, meta, elsewhere, err
		}
		at = uint32(texts.Len())
		for _, text := range columns {
			texts.Write(text)
			texts.WriteByte(0)
		}
		if err == nil && texts.Len() > maxLibraryTexts {
			err = errNotAtOnce
		}
		return id, meta, at, err
	})
	if places == nil || err != nil {
		return nil, blog.Wrap("reading the media library", err)
	}
	return &Library{places, texts.String()}, nil
}

// Of returns the texts of an attachment. found is false if the library does not have the attachment and the database
// must be asked.
func (l *Library) Of(id int64) (title, caption, file string, found bool) {
	if l == nil {
		return "", "", "", false
	}
	at, ok := l.places.of(id)
	if !ok || at == elsewhere {
		return "", "", "", false
	}
	title, rest, _ := strings.Cut(l.texts[at:], "\x00")
	caption, rest, _ = strings.Cut(rest, "\x00")
	file, _, _ = strings.Cut(rest, "\x00")
	return title, caption, file, true
}

// ofAll holds one value of a meta key for every post that has the key, in the order of the posts. Each value takes 16
// bytes.
type ofAll[T any] []ofPost[T]

type ofPost[T any] struct {
	id    int64
	value T
}

func (all ofAll[T]) of(id int64) (value T, ok bool) {
	i, ok := slices.BinarySearchFunc(all, id, func(p ofPost[T], id int64) int { return cmp.Compare(p.id, id) })
	if ok {
		value = all[i].value
	}
	return value, ok
}

var errNotAtOnce = errors.New("the values of a meta key cannot be read at once")

// readAll reads the values of a meta key for all posts with one query. That takes a quarter of the time of many
// queries for a thousand posts each. scan reads a row. If a post has several values, the one with the smallest
// meta_id counts.
//
// readAll returns nil if the caller must query the posts in batches: there are more than most values, scan returns
// errNotAtOnce, or the index that orders rows by meta_id is missing.
func readAll[T any](
	ctx context.Context, blog *wp.Blog, query string, most int, scan func(*sql.Rows) (id, meta int64, value T, err error),
) (ofAll[T], error) {
	all, before := ofAll[T]{}, int64(0)
	err := blog.QueryIndexed(ctx, query, []any{most + 1}, func(rows *sql.Rows) error {
		id, meta, value, err := scan(rows)
		if err == nil && (meta < before || len(all) == most) {
			err = errNotAtOnce
		}
		all, before = append(all, ofPost[T]{id, value}), meta
		return err
	})
	if db.MissingIndex(err) || errors.Is(err, errNotAtOnce) {
		return nil, nil
	}
	slices.SortStableFunc(all, func(x, y ofPost[T]) int { return cmp.Compare(x.id, y.id) })
	return slices.CompactFunc(all, func(x, y ofPost[T]) bool { return x.id == y.id }), err
}
