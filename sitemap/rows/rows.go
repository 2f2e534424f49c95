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
)

// Rows are the narrow rows that a catalog was made of, 40 bytes a post. A catalog that takes deltas keeps them.
type Rows struct {
	marks wp.Marks

	Posts   map[string][]PostRow // by post type, by id
	users   []int64              // authors of posts, by the numbers that rows have
	numbers map[int64]uint32     // of users

	stranded []int64    // posts of trees whose links lead nowhere, sorted
	shadowed []int64    // pages and posts at whose addresses something else answers, sorted
	inForums []int64    // what is below hidden forums, sorted
	decided  []decision // meta that decided about posts; nil when that is too much to compare
	Terms    map[string]*TermRows
	Authors  map[int64]authorRow  // every user that was looked at
	editors  []int64              // who is listed without posts, too; nil where that takes posts
	Recent   map[string][]Article // posts of recent days, by post type
	Changes  map[string]uint32    // counts what changed the lists of post types, but none of their rows
	Touched  map[int64]uint16     // counts the deltas that had to do with a post, by its id
	// redirected are the objects that redirect managers can mean; nil before that was found out.
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
	language                       uint8  // place in wp.Blog.Languages and one; 0: none
	Priority                       uint8  // seo.Flags.Priority
	month                          uint16 // of its date by the site's clock: the year times 12, and the month from 0; 0 for none
}

// monthOf is the month of a date as rows have it.
func monthOf(date int64) uint16 {
	at := time.Unix(date, 0).UTC()
	if date == wp.NoTime || at.Year() < 1 || at.Year() > 5000 {
		return 0
	}
	return uint16(at.Year()*12 + int(at.Month()) - 1)
}

// Month returns year and month of the post's date, by the site's clock; ok is false where it has none.
func (r *PostRow) Month() (year, month int, ok bool) {
	return int(r.month / 12), int(r.month%12) + 1, r.month > 0
}

// Protected reports whether the post is not open to all, by its post_password.
func (r *PostRow) Protected() bool { return r.protected }

// PackedTime is a time in seconds since 1970 in five bytes, enough for every date column. A time outside, as only a profile's
// stamp can have, counts as no date.
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

// status is the post_status of a row as far as dates care.
type status uint8

const (
	Published status = iota
	Inherited        // "inherit": counts for the plugin's newest dates only
	otherwise        // attachments in the trash and the like
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

// decision is a post with a hash of the meta that decides about it.
type decision struct {
	id   int64
	hash uint64
}

// mostDecisions is how many of them are kept, and read again by a delta.
const mostDecisions = seo.MostCompared

// number returns the number that rows have for a user.
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

// clone copies what a delta changes; rows it replaces by type.
func (f *Rows) clone() Rows {
	c := *f
	c.Posts, c.numbers, c.Terms = maps.Clone(f.Posts), maps.Clone(f.numbers), maps.Clone(f.Terms)
	c.Authors, c.Changes, c.Touched = maps.Clone(f.Authors), maps.Clone(f.Changes), maps.Clone(f.Touched)
	c.users = slices.Clip(f.users)
	return c
}

// Kept holds the rows of a catalog until it is retired. It is safe for concurrent use: while the configuration of a site
// changes, two catalogs are made of one that is still served.
type Kept struct {
	rows atomic.Pointer[Rows] // nil where the catalog takes no deltas, or none any more
	left handover             // what the next catalog inherits
}

// Keep keeps the rows of a catalog or, where it takes no deltas, what is to be handed on of them.
func (f *Rows) Keep(deltas bool) *Kept {
	k := &Kept{left: handover{f.Touched, f.Changes, map[string]int{}}}
	for name, rows := range f.Posts {
		k.left.sizes[name] = len(rows)
	}
	if deltas {
		rows := *f // by itself, as it must not hold on to the reader
		k.rows.Store(&rows)
	}
	return k
}

// Start returns the rows that deltas start from, nil where there are none.
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

// Retire drops the rows, and returns what the next catalog inherits. The catalog goes on serving, and takes no more deltas.
func (k *Kept) Retire() *handover {
	if k == nil {
		return nil
	}
	k.rows.Store(nil)
	return &k.left
}

// handover is what a catalog of a full scan inherits from the one before, so that cached pages that did not change stay good.
type handover struct {
	touched map[int64]uint16 // posts
	changes map[string]uint32
	sizes   map[string]int // rows of post types, for room
}

// inherit takes over what an earlier catalog handed on, of posts that are still there.
func (f *Rows) inherit(l *handover) {
	if l == nil {
		return
	}
	f.Changes = l.changes
	for id, n := range l.touched {
		for _, rows := range f.Posts {
			if _, ok := FindPost(rows, id); ok {
				f.Touched[id] = n
			}
		}
	}
}

// Mix adds a number to a hash, and MixText a text.
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
