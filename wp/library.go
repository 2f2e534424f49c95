package wp

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
)

const sqlLibrary = `SELECT a.ID, f.meta_id, a.post_title, a.post_excerpt, f.meta_value
FROM wp_postmeta f FORCE INDEX (meta_key) STRAIGHT_JOIN wp_posts a ON a.ID = f.post_id WHERE f.meta_key = '_wp_attached_file' LIMIT ?`

// Library has what Blog.Pictures returns of the attachments with a file: 16 bytes for each and its texts, of 64 MB at
// most.
type Library struct {
	places []libraryPlace // by id
	texts  string
}

// libraryPlace is where the texts of an attachment begin: title, caption and file, each with a
// zero byte behind it.
type libraryPlace struct {
	id int64
	at uint32
}

const (
	maxLibraryTexts = 64 << 20
	elsewhere       = math.MaxUint32 // an attachment that pages have to ask for
)

var errLibraryFull = errors.New("the library takes no more")

// Library reads the files and titles of all attachments: a quarter of the work it is for the
// database to find those of a page at a time. It is nil, and pages have to ask for theirs, where there
// are more than most or more text than it takes, or not the index that has the files in the order
// of their meta_id, of which the first counts.
func (s *Blog) Library(ctx context.Context, most int) (*Library, error) {
	l := &Library{}
	var texts strings.Builder
	var columns [3]sql.RawBytes
	before := int64(0)
	err := s.query(ctx, sqlLibrary, []any{min(most, math.MaxInt32) + 1}, func(rows *sql.Rows) error {
		var id, meta int64
		if err := rows.Scan(db.Number(&id), db.Number(&meta), &columns[0], &columns[1], &columns[2]); err != nil {
			return err
		}
		if len(l.places) == most || meta < before || texts.Len() > maxLibraryTexts {
			return errLibraryFull
		}
		before = meta
		if slices.ContainsFunc(columns[:], func(text sql.RawBytes) bool { return bytes.IndexByte(text, 0) >= 0 }) {
			l.places = append(l.places, libraryPlace{id, elsewhere})
			return nil
		}
		l.places = append(l.places, libraryPlace{id, uint32(texts.Len())})
		for _, text := range columns {
			texts.Write(text)
			texts.WriteByte(0)
		}
		return nil
	})
	if db.MissingIndex(err) || errors.Is(err, errLibraryFull) {
		return nil, nil
	}
	if err != nil {
		return nil, s.wrap("reading the media library", err)
	}
	slices.SortStableFunc(l.places, func(x, y libraryPlace) int { return cmp.Compare(x.id, y.id) })
	l.places = slices.CompactFunc(l.places, func(x, y libraryPlace) bool { return x.id == y.id })
	l.texts = texts.String()
	return l, nil
}

// picture returns an attachment, nil where it has to be asked for.
func (l *Library) picture(id int64) *Attachment {
	if l == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(l.places, id, func(p libraryPlace, id int64) int { return cmp.Compare(p.id, id) })
	if !ok || l.places[i].at == elsewhere {
		return nil
	}
	a := &Attachment{ID: id}
	rest := l.texts[l.places[i].at:]
	for _, text := range []*string{&a.Title, &a.Caption, &a.File} {
		*text, rest, _ = strings.Cut(rest, "\x00")
	}
	return a
}
