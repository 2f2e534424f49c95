package site

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/weburl"
)

// The reasons why a blog has no catalog, or why its pages are not rendered.
var (
	ErrNotReadYet = errors.New("its database has not been read since the start")
	ErrUnreadBlog = errors.New("the blog is read when somebody asks for it")
	errHeld       = errors.New("most URLs of the site are missing in its database, and its cached pages are served until the loss is confirmed")
)

// A Blog is one home URL with its last good catalog. Package pages decides how fresh a page is, from Version,
// StaleBefore, RevalidateBefore and HeldBy.
type Blog struct {
	// These fields come from the settings of the blog. A stored record contains them.
	ID         int64
	Home       string   // Home has no slash at its end.
	Hosts      []string // Hosts are the hosts at which the blog is served.
	Network    bool     // Network means that the blog belongs to a multisite network, even if it is the only one.
	Plain      bool     // Plain means that there is no permalink structure.
	Robots     []int64  // Robots are the blogs whose sitemaps its robots.txt names, except blogs that are Apart.
	Apart      bool     // Apart means that the robots.txt of its network does not name its sitemaps.
	RobotsText string   // RobotsText is the text that WordPress would send as robots.txt, without the sitemaps.
	WebRoots   []string // WebRoots are the folders that may contain its robots.txt as a file.
	Routed     string   // Routed is what rewrite rules and the site's answers say about its types, see address.Book.Routed.

	// These fields come from the settings too, but no record contains them.
	Plugin      *seo.Plugin // Plugin is the plugin whose sitemaps the blog has.
	Row         wp.BlogRow  // Row is its row in the network's table of blogs; zero: unknown.
	Warnings    []string
	Fingerprint uint64        // Fingerprint changes if a setting that matters changes.
	Book        *address.Book // Book is the blog with its addresses; nil: the blog is idle, or was not read since the start.

	key      string
	Address  Address
	Readings []Reading // Readings are its last readings, the newest first.

	Catalog    *sitemap.Catalog // Catalog is nil if this process has not read it, or the blog is idle.
	Outline    catalog.Outline  // Outline is what the blog lists, if Known is true.
	Generation uint64           // Generation is the number of the catalog that Outline is from; 0: Outline is from the store.
	Built      time.Time        // Built is when Outline agreed with the database, by the clock of the site.
	listed     map[listedPage]bool

	Scanned          Moment // Scanned is when this process last read the whole blog; zero: never.
	RevalidateBefore Moment // Pages rendered before this must be rendered again: a table that catalogs do not contain completely was written.
	StaleBefore      Moment // Pages rendered before this must not be sent as fresh, because the blog was idle since.
	HeldBy           string // HeldBy is the loss because of which only stored pages are served; "": no loss is held.

	Err        error // Err is why the last attempt failed.
	Unreadable bool  // Unreadable means that its settings could not be read, although those of other blogs could.

	asked *atomic.Int64 // when somebody last asked for its sitemaps, in Unix nanoseconds; all copies of a blog share it
}

type listedPage struct {
	name string
	page int
}

// Address says how the sitemaps of a blog are addressed.
type Address struct {
	Path   string      // Path is the path of home, without slashes at its ends.
	Plain  bool        // Plain means that there is no permalink structure.
	Plugin *seo.Plugin // Plugin is the plugin whose sitemaps they are.
}

// Unread returns a blog of which only the settings are known. err is why it was not read.
func Unread(known Blog, err error) *Blog {
	b := &known
	_, path := weburl.Split(b.Home)
	b.key = b.Key()
	b.Address = Address{Path: path, Plain: b.Plain, Plugin: cmp.Or(b.Plugin, sitemap.DefaultPlugin)} // a default, while the plugin is not known
	b.Err, b.asked = err, new(atomic.Int64)
	return b
}

// Key identifies a blog within its network. If the home of a blog changes, so does the key.
func (b *Blog) Key() string {
	if b.key == "" {
		return strconv.FormatInt(b.ID, 10) + " " + b.Home
	}
	return b.key
}

// Remembered returns a blog as a record describes it, for use until its database is read.
func Remembered(known Blog, outline catalog.Outline, built time.Time) *Blog {
	b := Unread(known, ErrNotReadYet)
	b.list(outline, 0, built)
	return b
}

// Serve gives the blog a catalog with its generation. at is when the catalog agreed with the database.
func (b *Blog) Serve(c *sitemap.Catalog, generation uint64, at time.Time) {
	b.Catalog = c
	b.list(c.Outline(), generation, at)
}

func (b *Blog) list(outline catalog.Outline, generation uint64, at time.Time) {
	b.Outline, b.Generation, b.Built = outline, generation, at
	b.listed = make(map[listedPage]bool, len(b.Outline.Files)+len(b.Outline.Others))
	for _, f := range slices.Concat(b.Outline.Files, b.Outline.Others) {
		b.listed[listedPage{f.Name, f.Page}] = true
	}
}

// ServeAs makes the blog serve the catalog and the outline of its earlier state.
func (b *Blog) ServeAs(before *Blog) {
	b.Address, b.Catalog, b.Outline, b.listed = before.Address, before.Catalog, before.Outline, before.listed
	b.Generation, b.Built, b.asked = before.Generation, before.Built, before.asked
	b.HeldBy = before.HeldBy
}

// Idle returns a copy of the blog without what takes much memory: its addresses and its catalog. It is for a blog of a network
// that nobody asks for.
func (b *Blog) Idle() *Blog {
	idle := *b
	idle.Book, idle.Catalog, idle.Readings, idle.Err = nil, nil, nil, ErrUnreadBlog
	idle.Scanned, idle.RevalidateBefore, idle.StaleBefore, idle.HeldBy, idle.Unreadable = Moment{}, Moment{}, Moment{}, "", false
	return &idle
}

// Stands reports whether the row of the blog is unchanged. It is true if the earlier row is not known.
func (b *Blog) Stands(row wp.BlogRow) bool { return b.Row == row || b.Row == wp.BlogRow{} }

// Succeed gives the blog what is remembered of its earlier state: the last readings, which pages are too old, and when somebody
// last asked.
func (b *Blog) Succeed(before *Blog) {
	b.Readings, b.RevalidateBefore, b.StaleBefore, b.asked = before.Readings, before.RevalidateBefore, before.StaleBefore, before.asked
}

// Known reports whether it is known what the blog lists. This process or an earlier one has then built its catalog.
func (b *Blog) Known() bool { return b.listed != nil }

// Resident reports whether the blog was read by this process and is kept up to date.
func (b *Blog) Resident() bool { return b.Book != nil && b.Known() }

// Failed returns why the blog could not be read; nil if reading succeeded or was not tried.
func (b *Blog) Failed() error {
	if errors.Is(b.Err, ErrUnreadBlog) || errors.Is(b.Err, ErrNotReadYet) {
		return nil
	}
	return b.Err
}

// ask records that somebody asks for the sitemaps of the blog. first reports whether nobody else has asked in the same second.
func (b *Blog) ask() (first bool) {
	const exact = int64(10 * time.Millisecond)
	now, before := time.Now().UnixNano(), b.Asked()
	if b.asked != nil && now-before > exact {
		b.asked.Store(now)
	}
	return now/int64(time.Second) > before/int64(time.Second)
}

// AskedAt sets when a visitor last asked for the blog, from the record of an earlier process. A zero time changes nothing.
func (b *Blog) AskedAt(at time.Time) {
	if !at.IsZero() {
		b.asked.Store(at.UnixNano())
	}
}

// Asked returns when somebody last asked for the blog's sitemaps, in Unix nanoseconds; 0: unknown.
func (b *Blog) Asked() int64 {
	if b.asked == nil {
		return 0
	}
	return b.asked.Load()
}

// Active reports whether the blog has sitemaps.
func (b *Blog) Active() bool { return b.Outline.Active }

// URLs returns the address scheme of the blog's sitemaps.
func (b *Blog) URLs() seo.URLs { return b.Address.Plugin.Addresses(b.Outline.Index) }

// URL returns the public address of a sitemap, whether the sitemap exists or not.
func (b *Blog) URL(name string, page int) string {
	return b.Outline.URL(b.URLs(), name, page)
}

// Owns reports whether we must answer for a sitemap name, with 404 if there is no such sitemap.
func (b *Blog) Owns(name string) bool { return slices.Contains(b.Outline.Owned, name) }

// Undecided reports whether it is open if a sitemap exists, because the database does not show that.
func (b *Blog) Undecided(name string) bool { return slices.Contains(b.Outline.Left, name) }

// QueryName returns the sitemap that a name means in a query. In a path, the same name may mean another sitemap.
func (b *Blog) QueryName(name string) string {
	if asked, ok := b.Outline.Asked[name]; ok {
		return asked
	}
	return name
}

// Lists reports whether the index names a page, or whether the page is another format of the sitemaps.
func (b *Blog) Lists(name string, page int) bool { return b.listed[listedPage{name, page}] }

// HasFixed reports whether a page may be kept in memory: whether it is listed or is page 1 of its sitemap. If the daemon kept
// other pages, anybody could fill the memory with page numbers that all mean one page.
func (b *Blog) HasFixed(name string, page int) bool { return page == 1 || b.Lists(name, page) }

// Version returns the version of a page in the catalog. It is 0 if there is no catalog. Stored pages may be current
// nevertheless.
func (b *Blog) Version(name string, page int) uint64 {
	if b.Catalog == nil {
		return 0
	}
	return b.Catalog.Fingerprint(name, page)
}

// Render renders a page. If there is no catalog, the error is catalog.ErrNotFound or ErrNotReadYet.
func (b *Blog) Render(ctx context.Context, name string, page int) (*catalog.Document, error) {
	if b.Catalog == nil {
		return nil, b.unread(name, page)
	}
	return b.Catalog.Render(ctx, name, page)
}

// Unrendered returns why a page cannot be rendered: catalog.ErrNotFound, ErrNotReadYet or errHeld.
func (b *Blog) Unrendered(name string, page int) error {
	err := b.unread(name, page)
	if errors.Is(err, ErrNotReadYet) && b.HeldBy != "" {
		return errHeld
	}
	return err
}

func (b *Blog) unread(name string, page int) error {
	if b.Outline.Names(name, page) || b.Outline.Unnamed(name) {
		return ErrNotReadYet
	}
	return catalog.ErrNotFound
}

// HeldFor returns a copy of the blog that is served from its stored pages only. why is the loss that is held.
func (b *Blog) HeldFor(why string) *Blog {
	held := *b
	held.HeldBy, held.Err = why, nil
	return &held
}

// TakesDeltas reports whether a delta can update the blog.
func (b *Blog) TakesDeltas() bool { return b.Resident() && b.HeldBy == "" }

// GoneTo reports whether gone, a blog that is archived or deleted, had the host and the path of b.
func (b *Blog) GoneTo(gone wp.BlogRow) bool {
	host, path := weburl.Split(b.Home)
	return weburl.Host(gone.Domain) == host && strings.EqualFold(strings.Trim(gone.Path, "/"), path)
}

// A Reading is one time that a blog was read.
type Reading struct {
	At      time.Time
	Kind    ReadingKind
	Reason  string // Reason says for people why the blog was read.
	Took    time.Duration
	Queries int64
	Touched int // Touched is how many posts changed, as far as a delta shows.
	Before  int // Before is how many objects the blog listed before.
	After   int
	Err     string
}

// ReadingKind is how a blog was read.
type ReadingKind string

// The kinds of reading. Reading only the settings does not count.
const (
	Delta    ReadingKind = "delta"
	FullScan ReadingKind = "full scan"
)

// keptReadings is how many readings of a blog are kept.
const keptReadings = 16

// Noted returns the last keptReadings readings of the blog: r first, then the earlier ones.
func (b *Blog) Noted(r Reading) []Reading {
	return append([]Reading{r}, b.Readings[:min(len(b.Readings), keptReadings-1)]...)
}

// LastFullScan returns the last full scan of the blog by this process. ok is false if there was none.
func (b *Blog) LastFullScan() (r Reading, ok bool) {
	i := slices.IndexFunc(b.Readings, func(r Reading) bool { return r.Kind == FullScan })
	if i < 0 {
		return Reading{}, false
	}
	return b.Readings[i], true
}

// A Moment is a time by the clock of the process. It orders events. All other times in this package are by the clock of
// the sites, which --as-of replaces.
type Moment struct{ time.Time }

func Now() Moment { return Moment{time.Now()} }

func (m Moment) Ago() time.Duration { return time.Since(m.Time) }

func (m Moment) Before(o Moment) bool { return m.Time.Before(o.Time) }
