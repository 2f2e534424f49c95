package objects

import (
	"cmp"
	"context"
	"database/sql"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/content"
	"wpsitemapd/wp/db"
)

const (
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

// Attachments reads attachments by id, and the attachments in the media library that belong to parents. If library is
// not nil, it gives titles, captions and files without a query. The other fields of such an attachment stay empty.
// The second map has the files of those ids that have no row.
func Attachments(ctx context.Context, blog *wp.Blog, ids, parents []int64, library *Library) (map[int64]*Attachment, map[int64]string, error) {
	found := make(map[int64]*Attachment, len(ids))
	missing := make([]int64, 0, len(ids))
	for _, id := range ids {
		if found[id] != nil {
			continue
		}
		if title, caption, file, ok := library.Of(id); ok {
			found[id] = &Attachment{ID: id, Title: title, Caption: caption, File: file}
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
				Type:    Word(kind),
				Status:  Word(status),
				MIME:    Word(mime),
				Date:    string(date),
			}
			found[id] = a
		}
		if meta != 0 && (a.fileMeta == 0 || meta < a.fileMeta) {
			a.fileMeta, a.File = meta, string(file)
		}
	}, &id, &title, &caption, &meta, &file, &parent, &kind, &status, &mime, &date)
	if err := blog.ByID(ctx, "reading attachments", sqlAttachments, missing, scan); err != nil {
		return nil, nil, err
	}
	alone := slices.DeleteFunc(missing, func(id int64) bool { return found[id] != nil })
	if err := blog.ByID(ctx, "reading attachments of posts", sqlAttachmentsOf, parents, scan); err != nil {
		return nil, nil, err
	}
	files := map[int64]string{}
	err := blog.EachMeta(ctx, alone, []string{wp.MetaAttachedFile}, func(id int64, _, value string) { files[id] = value })
	if err != nil {
		return nil, nil, err
	}
	return found, files, placeFiles(ctx, blog, found)
}

// AttachedFile converts the address of a file below the uploads folder to its path in that folder, as
// _wp_attached_file holds it. The address may lack the scheme or the host. AttachedFile returns "" for any other
// address.
func AttachedFile(blog *wp.Blog, address string) string {
	if address == "" {
		return ""
	}
	home := content.NewHome(blog.Home())
	_, address, _ = strings.Cut(home.Absolute(strings.TrimSpace(address)), "://")
	_, uploads, _ := strings.Cut(home.Absolute(strings.TrimSpace(blog.Settings().Uploads.URL))+"/", "://")
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

// UploadedURL returns the address of an attachment's file by the settings of uploads or the bucket, or "" if there is
// no file.
func UploadedURL(blog *wp.Blog, a *Attachment) string {
	return cmp.Or(a.bucket, blog.Settings().Uploads.FileURL(a.File))
}

// FileURL returns the address of an attachment's file as wp_get_attachment_url() does, or "" if there is no file.
func FileURL(blog *wp.Blog, a *Attachment) string { return blog.Secured(UploadedURL(blog, a)) }
