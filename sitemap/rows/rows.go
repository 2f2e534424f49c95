package rows

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"wpsitemapd/sitemap/redirects"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
)

// Rows are the narrow rows from which a catalog was made; a post takes 40 bytes. A catalog that takes
// deltas keeps its rows.
type Rows struct {
	marks objects.Marks

	// IndexLeft reports whether the last delta after a write to the posts left the index type_status_date to a later one. A delta
	// that does not know which tables were written always reads it.
	IndexLeft bool

	Posts   map[string][]Post // by post type, in the order of ids
	users   []int64           // ids of the authors of posts; Post.author is an index of this slice
	numbers map[int64]uint32  // index in users, by user id

	unreachable unreachable
	decided     map[int64]uint64 // hashes of the meta that decides about a post, by post; nil if there are too many
	Terms       map[string]*Terms
	Authors     map[int64]Author     // every user that was judged
	editors     []int64              // users that are listed even without posts; nil if an author needs posts
	Recent      map[string][]Article // recent posts, by post type
	Changes     map[string]uint32    // how often, by post type, a delta changed links of posts whose rows did not change
	Touched     map[int64]uint16     // number of deltas that involved a post, by post id
	// redirected holds the objects that redirect rules can match. It is nil until FindRedirected has
	// run.
	redirected *redirects.Means

	due int64 // when the next scheduled post becomes due, in Unix seconds; noDue if none is scheduled
}

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

// number returns the index of a user in f.users. It adds the user if f.users does not contain the user.
func (f *Rows) number(user int64) uint32 {
	n, ok := f.numbers[user]
	if !ok {
		n = uint32(len(f.users))
		f.users = append(f.users, user)
		f.numbers[user] = n
	}
	return n
}

// FindPost returns the index of a post in rows, which must be sorted by id, and true. If rows does not
// contain the post, FindPost returns the index at which it would be, and false.
func FindPost(rows []Post, id int64) (int, bool) {
	i := sort.Search(len(rows), func(i int) bool { return rows[i].ID >= id })
	return i, i < len(rows) && rows[i].ID == id
}

// clone returns a copy of everything that a delta changes. It does not copy the slices of posts, because
// a delta replaces the whole slice of a changed post type.
func (f *Rows) clone() Rows {
	c := *f
	c.Posts, c.numbers, c.Terms = maps.Clone(f.Posts), maps.Clone(f.numbers), maps.Clone(f.Terms)
	c.Authors, c.Changes, c.Touched = maps.Clone(f.Authors), maps.Clone(f.Changes), maps.Clone(f.Touched)
	c.users = slices.Clip(f.users)
	return c
}

// Kept holds the rows of a catalog until Retire is called. It is safe for concurrent use: while a site's configuration changes,
// two catalogs may be made from a catalog that still serves.
type Kept struct {
	rows atomic.Pointer[Rows] // nil if the catalog takes no deltas or was retired
	// The next catalog takes over the following fields, so that unchanged cached pages stay valid.
	touched map[int64]uint16 // by post id
	changes map[string]uint32
	sizes   map[string]int // number of rows of post types, to reserve memory
}

// Keep returns the kept rows of a catalog. If the catalog takes no deltas, it keeps only what the next
// catalog takes over.
func (f *Rows) Keep(deltas bool) *Kept {
	k := &Kept{touched: f.Touched, changes: f.Changes, sizes: map[string]int{}}
	for name, rows := range f.Posts {
		k.sizes[name] = len(rows)
	}
	if deltas {
		rows := *f // a copy, because it must not keep the reader in memory
		k.rows.Store(&rows)
	}
	return k
}

// Start returns the rows from which deltas start, or nil if there are none.
func (k *Kept) Start() *Rows {
	if k == nil {
		return nil
	}
	return k.rows.Load()
}

// Retire drops the rows. The catalog still serves, but takes no more deltas.
func (k *Kept) Retire() {
	if k != nil {
		k.rows.Store(nil)
	}
}

// inherit takes over Changes from an earlier catalog, and Touched for posts that still exist.
func (f *Rows) inherit(k *Kept) {
	if k == nil {
		return
	}
	f.Changes = k.changes
	for id, n := range k.touched {
		for _, rows := range f.Posts {
			if _, ok := FindPost(rows, id); ok {
				f.Touched[id] = n
			}
		}
	}
}

// Mix adds a number to a hash. MixText adds a text.
func Mix(h, n uint64) uint64 {
	h = (h ^ n) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func MixText(h uint64, s string) uint64 {
	for len(s) >= 8 {
		h = Mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
		s = s[8:]
	}
	n := uint64(len(s))
	for i := range len(s) {
		n = n<<8 | uint64(s[i])
	}
	return Mix(h, n)
}

func newRows() Rows {
	return Rows{
		Posts: map[string][]Post{}, numbers: map[int64]uint32{}, Terms: map[string]*Terms{},
		Authors: map[int64]Author{}, Changes: map[string]uint32{}, Touched: map[int64]uint16{}, Recent: map[string][]Article{}, due: noDue,
	}
}
