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
	"wpsitemapd/wp/weburl"
)

// Why a blog has no catalog of its database, or its pages are not rendered.
var (
	ErrNotReadYet = errors.New("its database has not been read since the start")
	ErrUnreadBlog = errors.New("it is read when somebody asks for it")
	ErrHeld       = errors.New("the site has lost many of its addresses, and its cached pages are served until that is confirmed")
)

// A Blog is one home URL with its last good catalog. How fresh its pages are is decided by four of its fields; package pages
// does so. Catalogs have a generation, and pages are compared by their versions.
type Blog struct {
	// What the settings of the blog say, as far as a record keeps it.
	ID         int64
	Home       string   // Home has no slash at its end.
	Hosts      []string // Hosts are the hosts that the blog answers.
	Network    bool     // Network means that the blog is one of a multisite network, even if of one.
	Plain      bool     // Plain means that there is no permalink structure.
	Robots     []int64  // Robots are the blogs whose sitemaps its robots.txt names, except those that are Apart.
	Apart      bool     // Apart means that the robots.txt of its network does not name its sitemaps.
	RobotsText string   // RobotsText is what WordPress would answer for robots.txt, without the sitemaps.
	WebRoots   []string // WebRoots are the folders in which its robots.txt may be a file.
	Routed     string   // Routed is what rewrite rules show of its types, and the site has said of them, see wp.Blog.Routed.

	// What the settings say beside that.
	Plugin      *seo.Plugin // Plugin is whose sitemaps the blog has.
	Row         wp.BlogRow  // Row is its row in the network's table of blogs; zero: not known.
	Warnings    []string
	Fingerprint uint64   // Fingerprint is a number for all settings that matter.
	DB          *wp.Blog // DB is the blog in its open database; nil: it was not read since the start, or is idle.

	key      string
	Address  Address
	Readings []Reading // Readings are the last ones of the blog, the newest first.

	Catalog    *sitemap.Catalog // Catalog is nil if this process has not read it, or the blog is idle.
	Outline    catalog.Outline  // Outline is what the blog lists, if that is Known.
	Generation uint64           // Generation of Outline; 0: it was restored.
	Built      time.Time        // Built is when Outline was true of the database, by the clock of the site.
	listed     map[listedPage]bool

	Scanned          Moment // Scanned is when this process read all of it last; zero: never.
	RevalidateBefore Moment // Pages rendered before must be rendered again: a table that catalogs do not cover whole was written.
	StaleBefore      Moment // Pages rendered before must not be sent as fresh: the blog was idle since.
	HeldBy           string // HeldBy is the loss for which only stored pages are served; "": none.

	Err        error // Err is why the last attempt failed.
	Unreadable bool  // Its settings could not be read when those of the others were.

	asked *atomic.Int64 // when somebody asked for its sitemaps last, in Unix nanoseconds; the same for every state of a blog
}

type listedPage struct {
	name string
	page int
}

// Address is how the sitemaps of a blog are addressed.
type Address struct {
	Path   string      // Path is the path of home, without slashes at its ends.
	Plain  bool        // There is no permalink structure.
	Plugin *seo.Plugin // whose sitemaps they are
}

// Unread returns a blog of which only settings are known, and why.
func Unread(known Blog, err error) *Blog {
	b := &known
	_, path := weburl.Split(b.Home)
	b.key = b.Key()
	b.Address = Address{Path: path, Plain: b.Plain, Plugin: cmp.Or(b.Plugin, sitemap.DefaultPlugin)} // while it is not known
	b.Err, b.asked = err, new(atomic.Int64)
	return b
}

// Key identifies a blog among those of a network; a blog that moves is another one.
func (b *Blog) Key() string {
	if b.key == "" {
		return strconv.FormatInt(b.ID, 10) + " " + b.Home
	}
	return b.key
}

// Remembered returns a blog as it was remembered, until its database has been read.
func Remembered(known Blog, outline catalog.Outline, built time.Time) *Blog {
	b := Unread(known, ErrNotReadYet)
	b.list(outline, 0, built)
	return b
}

// Serve gives the blog a catalog of a generation, which was true of the database at a time.
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

// Renew gives the blog a catalog that lists the same as the one it had.
func (b *Blog) Renew(c *sitemap.Catalog, at time.Time) { b.Catalog, b.Built = c, at }

// ServeAs serves the blog as it was before.
func (b *Blog) ServeAs(before *Blog) {
	b.Address, b.Catalog, b.Outline, b.listed = before.Address, before.Catalog, before.Outline, before.listed
	b.Generation, b.Built, b.asked = before.Generation, before.Built, before.asked
	b.HeldBy = before.HeldBy
}

// Idle returns the blog of a network when nobody asks for it: its place, and what is known of it without its database.
func (b *Blog) Idle() *Blog {
	idle := *b
	idle.DB, idle.Catalog, idle.Readings, idle.Err = nil, nil, nil, ErrUnreadBlog
	idle.Scanned, idle.RevalidateBefore, idle.StaleBefore, idle.HeldBy, idle.Unreadable = Moment{}, Moment{}, Moment{}, "", false
	return &idle
}

// Stands reports whether the row of the blog is still the same, as far as it is known.
func (b *Blog) Stands(row wp.BlogRow) bool { return b.Row == row || b.Row == wp.BlogRow{} }

// Succeed gives the blog the history of the one before.
func (b *Blog) Succeed(before *Blog) {
	b.Readings, b.RevalidateBefore, b.StaleBefore, b.asked = before.Readings, before.RevalidateBefore, before.StaleBefore, before.asked
}

// Known reports whether it is known what the blog lists: its catalog was built, by this process or an earlier one.
func (b *Blog) Known() bool { return b.listed != nil }

// Resident reports whether the blog was read and is kept up to date.
func (b *Blog) Resident() bool { return b.DB != nil && b.Known() }

// Failed returns why the blog could not be read, nil where that was not tried.
func (b *Blog) Failed() error {
	if errors.Is(b.Err, ErrUnreadBlog) || errors.Is(b.Err, ErrNotReadYet) {
		return nil
	}
	return b.Err
}

// ask notes that somebody asks for the sitemaps of the blog, and reports whether nobody has done so in this second.
func (b *Blog) ask() (first bool) {
	const exact = int64(10 * time.Millisecond)
	now, before := time.Now().UnixNano(), b.Asked()
	if b.asked != nil && now-before > exact {
		b.asked.Store(now)
	}
	return now/int64(time.Second) > before/int64(time.Second)
}

// AskedAt restores when a visitor last asked for the blog, from the record of an earlier process. A zero time changes nothing.
func (b *Blog) AskedAt(at time.Time) {
	if !at.IsZero() {
		b.asked.Store(at.UnixNano())
	}
}

// Asked is when somebody did so last, in Unix nanoseconds; 0: that is not known.
func (b *Blog) Asked() int64 {
	if b.asked == nil {
		return 0
	}
	return b.asked.Load()
}

// Active reports whether the blog has sitemaps.
func (b *Blog) Active() bool { return b.Outline.Active }

// URLs are the addresses of its sitemaps.
func (b *Blog) URLs() seo.URLs { return b.Address.Plugin.Addresses(b.Outline.Index) }

// URL is the public address of a sitemap, whether it exists or not.
func (b *Blog) URL(name string, page int) string {
	return b.Outline.URL(b.URLs(), name, page)
}

// Owns reports whether a sitemap name is ours to answer, if need be with 404.
func (b *Blog) Owns(name string) bool { return slices.Contains(b.Outline.Owned, name) }

// Undecided reports whether the database cannot decide about a sitemap.
func (b *Blog) Undecided(name string) bool { return slices.Contains(b.Outline.Left, name) }

// QueryName is the sitemap that a name means where it is asked for by a query alone.
func (b *Blog) QueryName(name string) string {
	if asked, ok := b.Outline.Asked[name]; ok {
		return asked
	}
	return name
}

// Lists reports whether the index names a page, or it is one of the other formats.
func (b *Blog) Lists(name string, page int) bool { return b.listed[listedPage{name, page}] }

// HasFixed reports whether a page has a fixed address. Only those are remembered, so that nobody can fill the memory with
// numbers that all mean one page.
func (b *Blog) HasFixed(name string, page int) bool { return page == 1 || b.Lists(name, page) }

// Version returns the version of a page in the catalog. It is 0 while there is no catalog, which says nothing about pages in the store.
func (b *Blog) Version(name string, page int) uint64 {
	if b.Catalog == nil {
		return 0
	}
	return b.Catalog.Fingerprint(name, page)
}

// Render renders a page. Without a catalog the error is that of Unrendered.
func (b *Blog) Render(ctx context.Context, name string, page int) (*catalog.Document, error) {
	if b.Catalog == nil {
		return nil, b.unread(name, page)
	}
	return b.Catalog.Render(ctx, name, page)
}

// Unrendered returns why there is no page if it must not be rendered: catalog.ErrNotFound, ErrNotReadYet or ErrHeld.
func (b *Blog) Unrendered(name string, page int) error {
	err := b.unread(name, page)
	if errors.Is(err, ErrNotReadYet) && b.HeldBy != "" {
		return ErrHeld
	}
	return err
}

func (b *Blog) unread(name string, page int) error {
	if b.Outline.Names(name, page) || b.Outline.Unnamed(name) {
		return ErrNotReadYet
	}
	return catalog.ErrNotFound
}

// HeldFor is the blog as it was, to be served from its stored pages alone.
func (b *Blog) HeldFor(why string) *Blog {
	held := *b
	held.HeldBy, held.Err = why, nil
	return &held
}

// TakesDeltas reports whether the blog can be brought up to date without a full scan.
func (b *Blog) TakesDeltas() bool { return b.Resident() && b.HeldBy == "" }

// GoneTo reports whether a blog that is gone had the place of this one.
func (b *Blog) GoneTo(gone wp.BlogRow) bool {
	host, path := weburl.Split(b.Home)
	return weburl.Host(gone.Domain) == host && strings.EqualFold(strings.Trim(gone.Path, "/"), path)
}
