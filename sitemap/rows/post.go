package rows

import (
	"sort"
	"strings"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// Post is one post, page or attachment, whether it is listed or not.
type Post struct {
	ID                             int64
	author                         uint32 // index in Rows.users
	stamp                          uint32 // value of objects.PostRow.Stamp
	Modified, ModifiedGMT, LastMod PackedTime
	Verdict                        seo.Verdict
	Status                         status
	protected                      bool
	language                       uint8  // index in wp.Blog.Languages plus 1; 0 if the post has no language
	Priority                       uint8  // value of seo.Flags.Priority
	month                          uint16 // month of the post's date by the site's clock: year × 12 + month, where January is 0; 0 if it has no date
}

// monthOf returns the month of a date in the form of Post.month.
func monthOf(date int64) uint16 {
	at := time.Unix(date, 0).UTC()
	if date == wp.NoTime || at.Year() < 1 || at.Year() > 5000 {
		return 0
	}
	return uint16(at.Year()*12 + int(at.Month()) - 1)
}

// Month returns year and month of the post's date, by the site's clock; ok is false if it has no date.
func (r *Post) Month() (year, month int, ok bool) {
	return int(r.month / 12), int(r.month%12) + 1, r.month > 0
}

// Protected reports whether post_password protects the post.
func (r *Post) Protected() bool { return r.protected }

// PackedTime is a time in Unix seconds, packed into five bytes. Every date column fits. A time that
// does not fit counts as no date; only a profile's stamp can be so large.
type PackedTime [5]byte

func Pack(seconds int64) PackedTime {
	const furthest = 1<<39 - 1
	if seconds == wp.NoTime {
		seconds = -1 << 39
	} else {
		seconds = min(max(seconds, -furthest), furthest)
	}
	return PackedTime{byte(seconds), byte(seconds >> 8), byte(seconds >> 16), byte(seconds >> 24), byte(seconds >> 32)}
}

// Unix returns Unix seconds, or wp.NoTime if there is no date.
func (w PackedTime) Unix() int64 {
	seconds := int64(w[0]) | int64(w[1])<<8 | int64(w[2])<<16 | int64(w[3])<<24 | int64(int8(w[4]))<<32
	if seconds == -1<<39 {
		return wp.NoTime
	}
	return seconds
}

// status is the post_status of a row, as far as dates depend on it.
type status uint8

const (
	Published status = iota
	Inherited        // post_status "inherit", which most attachments have
	otherwise        // any other post_status, for example of an attachment in the trash
)

func statusOf(s string) status {
	switch strings.ToLower(s) {
	case "publish":
		return Published
	case "inherit":
		return Inherited
	}
	return otherwise
}

// FindPost returns the index of a post in rows, which must be sorted by id, and true. If rows does not
// contain the post, FindPost returns the index at which it would be, and false.
func FindPost(rows []Post, id int64) (int, bool) {
	i := sort.Search(len(rows), func(i int) bool { return rows[i].ID >= id })
	return i, i < len(rows) && rows[i].ID == id
}
