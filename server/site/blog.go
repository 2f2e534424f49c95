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
	"wpsitemapd/sitemap/rows"
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
// does so. Catalogs have a generation, and pages are compared by their fingerprints.
type Blog struct {
	Facts
	key      string
	Address  Address
	Readings []Reading // Readings are the last ones of the blog, the newest first.

	Catalog    Catalog          // Catalog is nil where none was ever built.
	Read       *sitemap.Catalog // Read is Catalog where this process has read it from the database, else nil.
	Outline    catalog.Outline  // Outline is what Catalog lists.
	Generation uint64           // Generation of Catalog; 0: it was restored.
	Built      time.Time        // Built is when Catalog was true of the database, by the clock of the site.
	listed     map[listedPage]bool

	Scanned          Moment // Scanned is when this process read all of it last; zero: never.
	RevalidateBefore Moment // Pages rendered before must be rendered anew: a table that catalogs do not cover whole was written.
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

// Facts are what the settings of a blog say. Records keep what has no tag against that.
type Facts struct {
	ID          int64
	Home        string // Home has no slash at its end.
	Hosts       []string
	Network     bool        // It is one of a multisite network, even if of one.
	Plain       bool        // There is no permalink structure.
	Plugin      *seo.Plugin `json:"-"` // whose sitemaps the blog has
	Robots      []int64     // Robots are the blogs whose sitemaps its robots.txt names, but those that are Apart.
	Apart       bool        // The robots.txt of its network does not name its sitemaps.
	Row         wp.BlogRow  `json:"-"` // Row is its row in the network's table of blogs.
	RobotsText  string      // RobotsText is what WordPress would answer for robots.txt, without the sitemaps.
	WebRoots    []string    // WebRoots are the folders in which its robots.txt may be a file.
	Routed      string      // Routed is what rewrite rules show of its types, and the site has said of them, see wp.Blog.Routed.
	Warnings    []string    `json:"-"`
	Fingerprint uint64      `json:"-"` // Fingerprint is a number for all settings that matter.
	Reader      Reader      `json:"-"` // Reader reads the rest of the blog; nil: the blog was not read since the start, or is idle.
}

// A Reader reads one blog from its open database.
type Reader interface {
	// Build reads the catalog. before is the blog with the catalog that this one replaces, or nil.
	Build(ctx context.Context, before *Blog) (Catalog, error)
	// Delta returns the catalog of a blog with what was written since, and counts the posts that it has looked at; see sitemap.Catalog.Delta.
	Delta(ctx context.Context, b *Blog, written rows.ChangeSet) (c Catalog, touched int, err error)
	// Written returns those of some tables that are the blog's own, without their prefixes. The tables are named in full.
	Written(tables []string) []string
}

// Key identifies a blog among those of a network; a blog that moves is another one.
func (s *Facts) Key() string { return strconv.FormatInt(s.ID, 10) + " " + s.Home }

// Address is how the sitemaps of a blog are addressed.
type Address struct {
	Path   string      // Path is the path of home, without slashes at its ends.
	Plain  bool        // There is no permalink structure.
	Plugin *seo.Plugin // whose sitemaps they are
}

func addressOf(s *Facts) Address {
	_, path := weburl.Split(s.Home)
	return Address{Path: path, Plain: s.Plain, Plugin: cmp.Or(s.Plugin, sitemap.DefaultPlugin)} // while it is not known
}

// Unread is a blog of which only settings are known, and why.
func Unread(s Facts, err error) *Blog {
	return &Blog{Facts: s, key: s.Key(), Address: addressOf(&s), Err: err, asked: new(atomic.Int64)}
}

// Key identifies a blog among those of a network; a blog that moves is another one.
func (b *Blog) Key() string {
	if b.key == "" {
		return b.Facts.Key()
	}
	return b.key
}

// Remembered is a blog as it was remembered, until its database has been read.
func Remembered(s Facts, outline catalog.Outline, built time.Time) *Blog {
	b := Unread(s, ErrNotReadYet)
	b.Serve(remembered{&outline}, 0, built)
	return b
}

// Serve gives the blog a catalog of a generation, which was true of the database at a time.
func (b *Blog) Serve(c Catalog, generation uint64, at time.Time) {
	b.Generation = generation
	b.Renew(c, at)
	b.Outline = c.Outline()
	b.listed = make(map[listedPage]bool, len(b.Outline.Files)+len(b.Outline.Others))
	for _, f := range slices.Concat(b.Outline.Files, b.Outline.Others) {
		b.listed[listedPage{f.Name, f.Page}] = true
	}
}

// Renew gives the blog a catalog that lists the same as the one it had.
func (b *Blog) Renew(c Catalog, at time.Time) {
	b.Catalog, b.Built = c, at
	b.Read, _ = c.(*sitemap.Catalog)
}

// ServeAs serves the blog as it was before.
func (b *Blog) ServeAs(before *Blog) {
	b.Address, b.Catalog, b.Read, b.Outline, b.listed = before.Address, before.Catalog, before.Read, before.Outline, before.listed
	b.Generation, b.Built, b.asked = before.Generation, before.Built, before.asked
	b.HeldBy = before.HeldBy
}

// Idle is a blog of a network that nobody asks for: its place, and what is known of it without its database.
func (b *Blog) Idle() *Blog {
	s := b.Facts
	s.Reader = nil
	outline := b.Outline
	idle := &Blog{Facts: s, key: b.key, Address: b.Address, Err: ErrUnreadBlog, asked: b.asked}
	idle.Serve(remembered{&outline}, b.Generation, b.Built)
	return idle
}

// Stands reports whether a blog that was read has the row of others settings, as far as that is known.
func (b *Blog) Stands(o *Facts) bool { return b.Row == o.Row || b.Row == wp.BlogRow{} }

// Succeed has the blog go on with the history of the one before.
func (b *Blog) Succeed(before *Blog) {
	b.Readings, b.RevalidateBefore, b.StaleBefore, b.asked = before.Readings, before.RevalidateBefore, before.StaleBefore, before.asked
}

// Resident reports whether the blog was read and its catalog is in memory.
func (b *Blog) Resident() bool { return b.Reader != nil && b.Catalog != nil }

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

// Unrendered is why there is no page where it must not be rendered: catalog.ErrNotFound, ErrNotReadYet or ErrHeld.
func (b *Blog) Unrendered(name string, page int) error {
	_, err := remembered{&b.Outline}.Render(context.Background(), name, page)
	if errors.Is(err, ErrNotReadYet) && b.HeldBy != "" {
		return ErrHeld
	}
	return err
}

// HeldFor is the blog as it was, to be served from its stored pages alone.
func (b *Blog) HeldFor(why string) *Blog {
	held := *b
	held.HeldBy, held.Err = why, nil
	return &held
}

// TakesDeltas reports whether the blog can be brought up to date without a full scan.
func (b *Blog) TakesDeltas() bool { return b.Reader != nil && b.HeldBy == "" && b.Catalog != nil }

// GoneTo reports whether a blog that is gone had the place of this one.
func (b *Blog) GoneTo(g Gone) bool {
	host, path := weburl.Split(b.Home)
	return g.Host == host && strings.EqualFold(g.Path, path)
}
