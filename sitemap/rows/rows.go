package rows

import (
	"maps"
	"math"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"wpsitemapd/sitemap/redirects"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
)

// Rows are the narrow rows that a catalog was made from, 40 bytes for each post. A catalog that takes deltas keeps them.
type Rows struct {
	marks objects.Marks

	Posts   map[string][]PostRow // by post type, in the order of ids
	users   []int64              // authors of posts; PostRow.author is the
	numbers map[int64]uint32     // of users

	stranded []int64          // posts of trees whose links do not work, sorted
	shadowed []int64          // pages and posts at whose addresses something else answers, sorted
	inForums []int64          // posts below hidden
	decided  map[int64]uint64 // by post, hashes of the meta that decides about posts; nil if there are too
	Terms    map[string]*TermRows
	Authors  map[int64]authorRow  // every user that was looked at
	editors  []int64              // users that are listed even without posts; nil if an author needs posts
	Recent   map[string][]Article // posts of recent days, by post type
	Changes  map[string]uint32    // counts changes of the lists of post types that changed none of their rows
	Touched  map[int64]uint16     // counts, by post id, the deltas that touched a post
	// redirected are the objects that redirect rules can mean; nil until FindRedirected has run.
	redirected *redirects.Means

	due int64 // when the next scheduled post is to be published, by the site's clock
}

// PostRow is one post, page or attachment, whether it is listed or not.
type PostRow struct {
	ID                             int64
	author                         uint32 // see Rows.users
	stamp                          uint32 // wp.PostRow.Stamp
	Modified, ModifiedGMT, LastMod PackedTime
	Verdict                        seo.Verdict
	Status                         status
	protected                      bool
	language                       uint8  // index in wp.Blog.Languages plus 1; 0: none
	Priority                       uint8  // seo.Flags.Priority
	month                          uint16 // month of its date by the site's clock: year × 12 + month from 0; 0 for none
}

// monthOf returns the month of a date in the form of PostRow.month.
func monthOf(date int64) uint16 {
	at := time.Unix(date, 0).UTC()
	if date == wp.NoTime || at.Year() < 1 || at.Year() > 5000 {
		return 0
	}
	return uint16(at.Year()*12 + int(at.Month()) - 1)
}

// Month returns year and month of the post's date, by the site's clock; ok is false if it has no date.
func (r *PostRow) Month() (year, month int, ok bool) {
	return int(r.month / 12), int(r.month%12) + 1, r.month > 0
}

// Protected reports whether post_password protects the post.
func (r *PostRow) Protected() bool { return r.protected }

// PackedTime is a time in seconds since 1970, in five bytes. Every date column fits. A time that does not fit, which only a
// profile's stamp can be, counts as no date.
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

// Unix returns seconds since 1970, wp.NoTime for none.
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
	Inherited        // "inherit": counts for the plugin's newest dates only
	otherwise        // any other, such as an attachment in the trash
)

func statusOf(s string) status {
	switch s {
	case "publish":
		return Published
	case "inherit":
		return Inherited
	}
	return otherwise
}

// mostDecisions is the greatest number of decisions that are kept, and that a delta reads again.
const mostDecisions = seo.MostCompared

// number returns the number by which rows name a user.
func (f *Rows) number(user int64) uint32 {
	n, ok := f.numbers[user]
	if !ok {
		n = uint32(len(f.users))
		f.users = append(f.users, user)
		f.numbers[user] = n
	}
	return n
}

// FindPost returns the place of a post among rows by id, and whether it is there.
func FindPost(rows []PostRow, id int64) (int, bool) {
	i := sort.Search(len(rows), func(i int) bool { return rows[i].ID >= id })
	return i, i < len(rows) && rows[i].ID == id
}

// clone returns a copy of everything that a delta changes. Rows of posts are not copied: a delta replaces them by type.
func (f *Rows) clone() Rows {
	c := *f
	c.Posts, c.numbers, c.Terms = maps.Clone(f.Posts), maps.Clone(f.numbers), maps.Clone(f.Terms)
	c.Authors, c.Changes, c.Touched = maps.Clone(f.Authors), maps.Clone(f.Changes), maps.Clone(f.Touched)
	c.users = slices.Clip(f.users)
	return c
}

// Kept holds the rows of a catalog until it is retired. It is safe for concurrent use: while a site's configuration changes,
// two catalogs may be made from one that still serves.
type Kept struct {
	rows atomic.Pointer[Rows] // nil if the catalog takes no deltas, or no longer does
	// what the next catalog inherits, so that unchanged cached pages stay valid
	touched map[int64]uint16 // posts
	changes map[string]uint32
	sizes   map[string]int // number of rows of post types, to reserve memory
}

// Keep returns the kept rows of a catalog. If the catalog takes no deltas, only what the next catalog inherits is kept.
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

// Start returns the rows from which deltas start; nil if there are none.
func (k *Kept) Start() *Rows {
	if k == nil {
		return nil
	}
	return k.rows.Load()
}

// NextScheduled returns when the next scheduled post is to be published, by the site's clock.
func (f *Rows) NextScheduled() (unix int64, ok bool) {
	if f == nil || f.due == noDue {
		return 0, false
	}
	return f.due, true
}

// Retire drops the rows. The catalog still serves, but takes no more deltas.
func (k *Kept) Retire() {
	if k != nil {
		k.rows.Store(nil)
	}
}

// inherit takes over what an earlier catalog hands on, for posts that still exist.
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

// Mix returns a hash with a number added, and MixText with a text added.
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

// noDue is the due of a site without scheduled posts.
const noDue = int64(math.MaxInt64)

func newRows() Rows {
	return Rows{
		Posts: map[string][]PostRow{}, numbers: map[int64]uint32{}, Terms: map[string]*TermRows{},
		Authors: map[int64]authorRow{}, Changes: map[string]uint32{}, Touched: map[int64]uint16{}, Recent: map[string][]Article{}, due: noDue,
	}
}
