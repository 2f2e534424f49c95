package wp

import (
	"context"
	"database/sql"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/wp/content"
	"wpsitemapd/wp/db"
)

const (
	metaAttachedFile = "_wp_attached_file"

	// One query reads attachments with their files. It costs the database less than two queries.
	sqlAttachmentColumns = `SELECT a.ID, a.post_title, a.post_excerpt, f.meta_id, f.meta_value,
a.post_parent, a.post_type, a.post_status, a.post_mime_type, a.post_date
FROM wp_posts a LEFT JOIN wp_postmeta f ON f.post_id = a.ID AND f.meta_key = '_wp_attached_file' `
	sqlAttachments   = sqlAttachmentColumns + `WHERE a.ID IN (?)`
	sqlAttachmentsOf = sqlAttachmentColumns + `WHERE a.post_parent IN (?) AND a.post_type = 'attachment' AND a.post_status = 'inherit'`
)

// Attachment is a row of the media library with what galleries and images need.
type Attachment struct {
	ID             int64
	Title, Caption string
	File           string // _wp_attached_file, or ""
	fileMeta       int64  // the meta_id of File
	bucket         string // the address of the file, if it is in a bucket

	// A Library does not fill the fields below.
	Parent             int64
	Type, Status, MIME string
	Date               string
}

// IsImage reports whether galleries show the attachment: its MIME type is an image type and it is not in the
// trash.
func (a *Attachment) IsImage() bool {
	const image = "image/" // letter case does not count, as in the collation
	return a.Type == "attachment" && a.Status == "inherit" && len(a.MIME) >= len(image) && strings.EqualFold(a.MIME[:len(image)], image)
}

// Attachments reads attachments by id, and the attachments in the media library that belong to parents. The
// library, if it is not nil, is asked first, and gives only titles and files. The second map has the files of ids
// that have no row.
func (s *Blog) Attachments(ctx context.Context, ids, parents []int64, library *Library) (map[int64]*Attachment, map[int64]string, error) {
	found := make(map[int64]*Attachment, len(ids))
	missing := make([]int64, 0, len(ids))
	for _, id := range ids {
		if a := library.picture(id); a != nil {
			found[id] = a
		} else {
			missing = append(missing, id)
		}
	}
	var id, parent, meta int64
	var title, caption, file, kind, status, mime, date sql.RawBytes
	scan := db.Row(func() {
		a := found[id]
		if a == nil {
			a = &Attachment{
				ID:      id,
				Title:   string(title),
				Caption: string(caption),
				Parent:  parent,
				Type:    word(kind),
				Status:  word(status),
				MIME:    word(mime),
				Date:    string(date),
			}
			found[id] = a
		}
		if meta != 0 && (a.fileMeta == 0 || meta < a.fileMeta) {
			a.fileMeta, a.File = meta, string(file)
		}
	}, &id, &title, &caption, &meta, &file, &parent, &kind, &status, &mime, &date)
	if err := s.byID(ctx, "reading attachments", sqlAttachments, missing, scan); err != nil {
		return nil, nil, err
	}
	alone := slices.DeleteFunc(missing, func(id int64) bool { return found[id] != nil })
	if err := s.byID(ctx, "reading attachments of posts", sqlAttachmentsOf, parents, scan); err != nil {
		return nil, nil, err
	}
	files := map[int64]string{}
	err := s.meta(ctx, alone, []string{metaAttachedFile}, func(id int64, _, value string) { files[id] = value })
	if err != nil {
		return nil, nil, err
	}
	return found, files, s.placeFiles(ctx, found)
}

// AttachedFile returns the value that _wp_attached_file has for an address of any form. It returns "" if the
// address is not below the uploads.
func (s *Blog) AttachedFile(address string) string {
	if address == "" {
		return ""
	}
	home := content.NewHome(s.Home())
	_, address, _ = strings.Cut(home.Absolute(strings.TrimSpace(address)), "://")
	_, uploads, _ := strings.Cut(home.Absolute(strings.TrimSpace(s.set.Uploads.URL))+"/", "://")
	file, ok := strings.CutPrefix(address, uploads)
	if !ok {
		return ""
	}
	file, _, _ = strings.Cut(file, "?")
	file, _, _ = strings.Cut(file, "#")
	if plain, err := url.PathUnescape(file); err == nil {
		return plain
	}
	return file
}
