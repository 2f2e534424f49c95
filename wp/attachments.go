package wp

import (
	"context"
	"database/sql"
)

const (
	metaAttachedFile = "_wp_attached_file"

	sqlAttachments   = `SELECT ID, post_parent, post_type, post_status, post_mime_type, post_date, post_title, post_excerpt FROM wp_posts WHERE ID IN (?)`
	sqlAttachmentsOf = `SELECT ID, post_parent, post_type, post_status, post_mime_type, post_date, post_title, post_excerpt FROM wp_posts WHERE post_parent IN (?) AND post_type = 'attachment' AND post_status = 'inherit'`
)

// Attachment is a row of the media library as galleries and images need it.
type Attachment struct {
	ID, Parent         int64
	Type, Status, MIME string
	Date               string
	Title, Caption     string
}

// IsImage tells whether galleries show it: an attachment with an image MIME type that is not in the trash.
func (a *Attachment) IsImage() bool {
	return a.Type == "attachment" && a.Status == "inherit" && len(a.MIME) > 5 && a.MIME[:6] == "image/"
}

// Attachments reads rows by id, and those that hang on parents when they are of the media
// library, with their files. A file can be known for an id that has no row.
func (s *Site) Attachments(ctx context.Context, ids, parents []int64) (map[int64]*Attachment, map[int64]string, error) {
	rowsByID := map[int64]*Attachment{}
	scan := func(rows *sql.Rows) error {
		a := new(Attachment)
		if err := rows.Scan(number(&a.ID), number(&a.Parent), &a.Type, &a.Status, &a.MIME, &a.Date, &a.Title, &a.Caption); err != nil {
			return err
		}
		rowsByID[a.ID] = a
		return nil
	}
	ids = distinct(ids)
	if err := batches(ids, func(ids []int64) error { return s.query(ctx, sqlAttachments, []any{ids}, scan) }); err != nil {
		return nil, nil, s.wrap("reading attachments", err)
	}
	if err := batches(distinct(parents), func(ids []int64) error { return s.query(ctx, sqlAttachmentsOf, []any{ids}, scan) }); err != nil {
		return nil, nil, s.wrap("reading attachments of posts", err)
	}
	for id := range rowsByID {
		ids = append(ids, id)
	}
	files := map[int64]string{}
	err := s.meta(ctx, distinct(ids), []string{metaAttachedFile}, func(id int64, _, value string) { files[id] = value })
	return rowsByID, files, err
}
