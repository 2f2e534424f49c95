package objects

import (
	"bytes"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// If one row in five has the key, MySQL would read all rows without the hint.
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
