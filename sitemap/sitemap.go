// Package sitemap turns one WordPress site into its XML sitemaps: which there are, what
// stands on which page with which date, and the bytes of each. It knows neither SQL nor HTTP.
//
// Build reads the narrow rows of everything a site publishes into a Catalog: per entry an
// id, a date and the rule that decided about it, never content. Render then reads what one
// page needs, at most PageSize objects, and writes it. A Catalog never changes; a change in
// the database is a new Catalog.
package sitemap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/permalink"
)

// ErrNotFound says that a sitemap truly does not exist.
var ErrNotFound = errors.New("no such sitemap")

// IndexName is the name under which requests and Render know the index.
const IndexName = "1"

// DefaultPageSize is the number of objects in a file, Yoast's own.
const DefaultPageSize = 1000

// Options are the operator's choices for one site.
type Options struct {
	Compat     Compat
	PageSize   int // objects in a file; 0: DefaultPageSize
	Exclude    Exclude
	Hreflang   bool             // name translations, where the level does
	Stylesheet string           // "css", "xsl", "none" or "": the instruction in the prolog
	Text, Atom bool             // the site has TextName, AtomName
	Hints      Hints            // changefreq and priority
	AllPages   bool             // every page is going to be rendered: read at once what they share
	Keep       bool             // keep the rows: the catalog is to take deltas
	Before     *Catalog         // the catalog this one is built in place of, which takes no more deltas; nil: none
	Now        func() time.Time // nil: time.Now
	Log        *slog.Logger     // nil: slog.Default
}

// Dates pass from the rows to the XML as they are: both packages mean the same by "none" and by "zero".
var (
	_ = [1]struct{}{}[wp.NoTime-urlset.NoDate]
	_ = [1]struct{}{}[wp.ZeroTime-urlset.ZeroDate]
)

// entry is one object in the catalog.
type entry struct {
	id   int64
	date when // lastmod
	rule Rule
}

func newEntry(id, lastmod int64, rule Rule) entry { return entry{id, at(lastmod), rule} }

// lastmod is in Unix seconds; wp.NoTime: none.
func (e *entry) lastmod() int64 { return e.date.unix() }

// firstLink is an address that stands before the objects of a list: the front page, the
// posts page or a post type archive.
type firstLink struct {
	postID  int64  // front page with content of its own; 0: just loc
	loc     string // unless postID
	lastmod int64

	object     int64 // the page that stands at loc, 0 for none
	alternates []urlset.Alternate
}

// list is one paged sitemap: a post type, a taxonomy, the authors or the news.
type list struct {
	name      string
	indexed   bool        // the index names it
	dependent bool        // only beside others
	first     []firstLink // before the objects
	after     []firstLink // behind the objects of the first page
	entries   []entry     // in the order of the pages
	dates     []int64     // lastmod of each page in the index
	past      pastEnd     // what a page behind the last one is
	render    func(ctx context.Context, entries []entry) (renderedRows, error)
	locate    func(ctx context.Context, entries []entry) ([]located, error)    // the addresses alone; nil where other lists have them all
	titles    func(ctx context.Context, ids []int64) (map[int64]string, error) // HTML
	hints     urlset.Hints

	size       int               // objects on a page; 0: Options.PageSize
	piecewise  bool              // render tells the addresses of one object from those of the next
	stamp      uint64            // of what all its pieces are made of
	ofPosts    bool              // of a post type
	stays      bool              // the first page exists even when nothing stands on it
	extensions urlset.Extensions // 0: images
	tail       []entry           // behind the objects of every page
	elsewhere  bool              // the index names it, and the site itself answers for it
	changes    uint32            // a count of what changed beside the entries
	prints     []uint64          // fingerprints of the pages …
	whole      uint64            // … and of all together
	left       map[Rule]int      // objects of it that are left out, by rule
	news       *news             // not nil: indexed, entries and dates follow the clock, see current
}

// renderedRows are entries as their rows are now.
type renderedRows struct {
	urls   []urlset.URL
	behind bool // see Document.Behind
}

// undated makes a list's render of a function that takes all dates from the catalog.
func undated(urls func(ctx context.Context, entries []entry) ([]urlset.URL, error)) func(context.Context, []entry) (renderedRows, error) {
	return func(ctx context.Context, entries []entry) (renderedRows, error) {
		found, err := urls(ctx, entries)
		return renderedRows{urls: found}, err
	}
}

// pastEnd is what is answered for pages without objects.
type pastEnd uint8

const (
	pastMissing   pastEnd = iota // no such sitemap
	pastPostTypes                // the first page, and one just behind a full one, exist and are empty
	pastFirst                    // every page is the first one
	pastEvery                    // every page exists
	pastHidden                   // no such sitemap, nor where the index does not name the list
)

// Catalog is everything a site publishes, at one moment.
type Catalog struct {
	site       *wp.Site
	opt        Options
	links      *permalink.Builder
	lists      []*list
	owned      map[string]bool
	undecided  map[string]bool
	skipped    map[Rule]int // objects left out, by rule
	translated translated
	policy     *policy
	core       bool           // WordPress' own sitemaps, not Yoast's; see core.go
	maker      *Maker         // the plugin whose sitemaps stand in the place of Yoast's; nil: none
	thumbnails *wp.Thumbnails // nil: pages ask for those of their posts
	library    *wp.Library    // nil: pages ask for the pictures they show

	print, whole uint64           // fingerprints of the index, and of everything
	common       *common          // these as other processes give them
	side         uint64           // see Side
	touched      map[int64]uint64 // postRow.touched, of those that have one
	kept         *keptFacts       // what deltas start from; nil where it takes none
}

// Build reads a site's catalog. Its memory is 56 bytes an entry while it runs, and after that where it
// is to take deltas; else 16.
func Build(ctx context.Context, site *wp.Site, opt Options) (*Catalog, error) {
	if opt.PageSize <= 0 {
		opt.PageSize = DefaultPageSize
	}
	if opt.PageSize > urlset.MaxEntries {
		return nil, fmt.Errorf("page size %d: the protocol allows %d addresses a file", opt.PageSize, urlset.MaxEntries)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	c := &Catalog{
		site:    site,
		opt:     opt,
		links:   permalink.New(site.Settings().Permalinks),
		owned:   map[string]bool{IndexName: true, "author": true},
		skipped: map[Rule]int{},
		core:    Core(site),
		common:  &common{},
		policy:  policyOf(opt.Compat),
	}
	if y := &site.Settings().Yoast; !y.Active || !y.Sitemaps {
		var err error
		if c.maker, err = makerOf(ctx, site); err != nil {
			return nil, err
		}
	}
	c.own("", "")
	if !c.Active() {
		return c, nil
	}
	c.owned[TextName], c.owned[AtomName] = opt.Text, opt.Atom
	if c.core {
		c.prepareCore()
		b := &coreBuild{build: &build{Catalog: c}, authors: map[int64]bool{}, homeDate: wp.NoTime}
		if err := b.run(ctx); err != nil {
			return nil, err
		}
		b.fingerprint()
		return c, nil
	}
	if name := c.newsName(); name != "" {
		c.owned[name] = true
	}
	if name := c.videoName(); name != "" {
		c.owned[name] = !site.Settings().Video.Cloaked // who may see it, only the site can tell
	}
	b := &build{Catalog: c, facts: newFacts()}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	b.finish()
	return c, nil
}

// Active reports whether the site has sitemaps at all, Yoast's or WordPress' own; if not, every
// address belongs to the site itself.
func (c *Catalog) Active() bool {
	y := &c.site.Settings().Yoast
	return y.Active && c.policy.switchedOn(y) || c.core
}

// Site returns the site the catalog was built from.
func (c *Catalog) Site() *wp.Site { return c.site }

// BaseURL returns the public address of a sitemap file, below home and, with index
// permalinks, below index.php/; see coreURL for WordPress' own.
func (c *Catalog) BaseURL(file string) string {
	if c.core {
		return c.coreURL(file)
	}
	return c.links.Sitemap(file)
}

// URL returns the public address of a sitemap, whether it exists or not.
func (c *Catalog) URL(name string, page int) string { return c.BaseURL(c.filename(name, page)) }

// Owns reports whether a sitemap name is ours to answer, if need be with 404: the index, the
// authors, every registered post type and taxonomy, the videos and the news, and TextName and
// AtomName where they are wanted.
func (c *Catalog) Owns(name string) bool { return c.owned[name] }

// Skipped counts the objects that are left out, by the rule that decided.
func (c *Catalog) Skipped() map[Rule]int { return c.skipped }

// current returns the lists as they are now.
func (c *Catalog) current() []*list {
	now := c.opt.Now().Unix()
	lists := make([]*list, len(c.lists))
	for i, l := range c.lists {
		if l.news != nil {
			l = l.news.at(c, l, now)
		}
		if l.dependent && !slices.ContainsFunc(lists[:i], func(l *list) bool { return l.indexed }) {
			alone := *l
			alone.indexed = false
			l = &alone
		}
		lists[i] = l
	}
	return lists
}

// Types lists the sitemaps of the index with the number of addresses in each.
func (c *Catalog) Types() []Count {
	var counts []Count
	for _, l := range c.current() {
		if l.indexed {
			counts = append(counts, Count{Name: l.name, Pages: len(l.dates), URLs: l.listed()})
		}
	}
	return counts
}

// Count is the size of one paged sitemap.
type Count struct {
	Name        string
	Pages, URLs int
}

// File is one sitemap file.
type File struct {
	Name     string // post type, taxonomy, "author", the name of the news, or IndexName; see core.go for WordPress' own
	Page     int    // from 1
	Filename string // post-sitemap2.xml
	URL      string
	LastMod  time.Time // zero: unknown
	Entries  int       // without later parts of posts

	Elsewhere bool // the index names it, but only the site itself can answer for it: Render does not
}

// Files returns the index, if there is one, and every page it names.
func (c *Catalog) Files() []File {
	var files []File
	newest := wp.NoTime
	for _, l := range c.current() {
		if !l.indexed {
			continue
		}
		for i, date := range l.dates {
			name := c.filename(l.name, i+1)
			files = append(files, File{Name: l.name, Page: i + 1, Filename: name, URL: c.BaseURL(name), LastMod: toTime(date), Entries: c.pageListed(l, i+1), Elsewhere: l.elsewhere})
			newest = max(newest, date)
		}
	}
	if len(files) == 0 && (!c.policy.emptyIndex() || !c.Active()) {
		return nil
	}
	name := c.filename(IndexName, 1)
	index := File{Name: IndexName, Page: 1, Filename: name, URL: c.BaseURL(name), LastMod: toTime(known(newest)), Entries: len(files)}
	return append([]File{index}, files...)
}

func (c *Catalog) filename(name string, page int) string {
	switch {
	case c.core:
		return coreFilename(name, page)
	case name == IndexName:
		return "sitemap_index.xml"
	}
	return filename(name, page)
}

func filename(name string, page int) string {
	if page == 1 {
		return name + "-sitemap.xml"
	}
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// Document is a rendered sitemap.
type Document struct {
	Body    []byte
	LastMod time.Time // newest date in it; zero: none
	Entries int
	LeftOut int       // addresses and images that cannot stand in a sitemap
	Expires time.Time // when it changes by the clock alone; zero: never
	Behind  bool      // rows have changed since the catalog was made: some of it is as they are now, some as they were
	Pieces  *Pieces   // for Earlier; nil: none
	Taken   int       // objects that are as they were
}

// Render writes one sitemap; page counts from 1. It returns ErrNotFound where there is none,
// and any other error means that it could not be told.
func (c *Catalog) Render(ctx context.Context, name string, page int) (*Document, error) {
	return c.Rerender(ctx, name, page, Earlier{})
}

// Rerender is Render that takes over what has not changed of an earlier page of this name and
// number. What was changed in place, as Fingerprint does not tell, is then as it was.
func (c *Catalog) Rerender(ctx context.Context, name string, page int, earlier Earlier) (*Document, error) {
	if !c.Active() {
		return nil, ErrNotFound
	}
	switch {
	case name == IndexName:
		return c.renderIndex()
	case name == TextName && c.opt.Text:
		return c.renderText(ctx, page)
	case name == AtomName && c.opt.Atom:
		return c.renderAtom(ctx, page)
	}
	for _, l := range c.current() {
		if (l.name == name || c.QueryName(l.name) == name) && !l.elsewhere {
			if l.name != name {
				c, l = c.atHome(l)
			}
			doc, err := c.renderPage(ctx, l, page, earlier)
			if err != nil && !errors.Is(err, ErrNotFound) {
				err = fmt.Errorf("sitemap %s: %w", c.filename(name, page), err)
			}
			if doc != nil && l.news != nil {
				doc.Expires = c.Expires()
			}
			return doc, err
		}
	}
	return nil, ErrNotFound
}

func (c *Catalog) renderIndex() (*Document, error) {
	files := c.Files()
	if len(files) == 0 {
		return nil, ErrNotFound
	}
	w := c.writer(urlset.Index, 0)
	for _, f := range files[1:] {
		if err := w.AppendSitemap(urlset.Sitemap{Loc: f.URL, LastMod: fromTime(f.LastMod)}); err != nil {
			return nil, fmt.Errorf("sitemap index: %s: %w", f.URL, err)
		}
	}
	w.End()
	return &Document{Body: w.Bytes(), LastMod: files[0].LastMod, Entries: len(files) - 1, Expires: c.Expires()}, nil
}

func (c *Catalog) renderPage(ctx context.Context, l *list, page int, earlier Earlier) (*Document, error) {
	first, entries, ok := c.slice(l, page)
	if !ok {
		return nil, ErrNotFound
	}
	front, err := c.firstURLs(ctx, first)
	if err != nil {
		return nil, err
	}
	objects := append(listedEntries(entries), l.tail...)
	prints, taken := c.prints(l, objects), earlier.takes()
	changed := slices.Clone(objects)
	if taken != nil {
		changed = changed[:0]
		for i, e := range objects {
			if _, ok := taken[prints[i]]; !ok {
				changed = append(changed, e)
			}
		}
	}
	var r renderedRows
	if len(changed) > 0 {
		if r, err = l.render(ctx, changed); err != nil {
			return nil, err
		}
	}
	behind := front.behind || r.behind
	s := &sheet{Writer: c.writer(urlset.URLSet, l.extensions), newest: wp.NoTime}
	s.Hints = l.hints
	s.Grow(front.urls)
	s.Grow(r.urls)
	err = s.add(front.urls...)
	rest := r.urls // of lists that are not piecewise
	if err == nil {
		rest, err = s.objects(objects, prints, taken, r.urls)
	}
	if err == nil {
		err = s.add(rest...)
	}
	for i := 0; page == 1 && i < len(l.after) && err == nil; i++ {
		err = s.add(urlset.URL{Loc: l.after[i].loc, LastMod: l.after[i].lastmod})
	}
	parts := s.Entries() - len(objects)
	if s.taken > 0 && (errors.Is(err, urlset.ErrFull) || parts > urlset.MaxEntries-c.opt.PageSize) { // it is for all to say who goes without
		return c.renderPage(ctx, l, page, Earlier{})
	}
	if err != nil {
		return nil, fmt.Errorf("%w: lower page_size", err)
	}
	s.End()
	left := s.refused + s.bare + s.RefusedImages()
	if left > 0 {
		c.opt.Log.Warn("sitemap page is not complete", "home", c.site.Home(), "sitemap", c.filename(l.name, page),
			"invalid_urls", s.refused, "invalid_images", s.RefusedImages(), "urls_without_images_for_size", s.bare)
	}
	doc := &Document{Body: s.Bytes(), LastMod: toTime(known(s.newest)), Entries: s.Entries(), LeftOut: left, Behind: behind, Taken: s.taken}
	if l.piecewise && c.opt.Keep && left == 0 && !behind && len(rest) == 0 {
		doc.Pieces = s.pieces
	}
	return doc, nil
}

// firstURLs renders first links; a front page with content of its own brings its images.
func (c *Catalog) firstURLs(ctx context.Context, first []firstLink) (r renderedRows, err error) {
	for _, f := range first {
		if f.postID == 0 {
			r.urls = append(r.urls, urlset.URL{Loc: f.loc, LastMod: f.lastmod, Alternates: f.alternates})
			continue
		}
		front, err := c.postURLs(ctx, []entry{newEntry(f.postID, f.lastmod, Listed)})
		if err != nil {
			return renderedRows{}, err
		}
		for i := range front.urls {
			front.urls[i].Alternates = f.alternates
		}
		r = renderedRows{append(r.urls, front.urls...), r.behind || front.behind}
	}
	return r, nil
}

// slice returns what stands on a page, and whether the page exists.
func (c *Catalog) slice(l *list, page int) ([]firstLink, []entry, bool) {
	size := c.size(l)
	if l.past == pastFirst && page > 1 {
		page = 1
	}
	if page < 1 || page > 1+(len(l.first)+len(l.entries))/size {
		return nil, nil, page > 0 && l.past == pastEvery
	}
	first := l.first
	start, end := (page-1)*size, page*size
	if places := c.policy.first.places(l); places > 0 {
		first = first[min(start, places):min(end, places)]
		start, end = start-places, end-places
	} else if page > 1 {
		first = nil
	}
	start, end = min(max(start, 0), len(l.entries)), min(max(end, 0), len(l.entries))
	entries := l.entries[start:end]
	exists := len(entries) > 0 || len(first) > 0
	if l.stays && page == 1 || l.past == pastEvery {
		return first, entries, true
	}
	switch l.past {
	case pastHidden:
		exists = exists && l.indexed
	case pastPostTypes:
		exists = len(l.entries) >= (page-1)*size
	}
	return first, entries, exists
}

// size is the number of objects on a page.
func (c *Catalog) size(l *list) int {
	if l.size > 0 {
		return l.size
	}
	return c.opt.PageSize
}

// pages counts the pages the index names.
func (c *Catalog) pages(l *list) int {
	n := len(l.entries) + c.policy.first.places(l)
	return (n + c.size(l) - 1) / c.size(l)
}

func (c *Catalog) pageListed(l *list, page int) int {
	first, entries, _ := c.slice(l, page)
	n := len(first) + len(l.tail)
	if page == 1 {
		n += len(l.after)
	}
	for _, e := range entries {
		if e.rule == Listed {
			n++
		}
	}
	return n
}

// listed counts the addresses of a list.
func (l *list) listed() int {
	n := len(l.first) + len(l.after) + len(l.tail)*len(l.dates)
	for _, e := range l.entries {
		if e.rule == Listed {
			n++
		}
	}
	return n
}

func listedEntries(entries []entry) []entry {
	kept := make([]entry, 0, len(entries))
	for _, e := range entries {
		if e.rule == Listed {
			kept = append(kept, e)
		}
	}
	return kept
}

// pageDates returns the newest lastmod of every page.
func (c *Catalog) pageDates(l *list) []int64 {
	dates := make([]int64, c.pages(l))
	for i := range dates {
		first, entries, _ := c.slice(l, i+1)
		newest := wp.NoTime
		for _, f := range first {
			newest = max(newest, f.lastmod)
		}
		for _, e := range entries {
			if e.rule == Listed {
				newest = max(newest, e.lastmod())
			}
		}
		dates[i] = newest
	}
	return dates
}

func (c *Catalog) writer(kind urlset.Kind, extensions urlset.Extensions) *urlset.Writer {
	w := &urlset.Writer{Encoding: c.encoding(), Stylesheet: c.stylesheet(XSLPath), Extensions: extensions}
	if c.core {
		w.Zone = c.site.Settings().Core.Zone
		w.Stylesheet = c.stylesheet(c.coreXSL(kind))
	}
	w.Begin(kind)
	return w
}

func (c *Catalog) encoding() urlset.Encoding {
	return c.policy.encoding
}

func toTime(seconds int64) time.Time {
	if seconds == wp.NoTime {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// known returns a date that is one, NoTime for ZeroTime.
func known(seconds int64) int64 {
	if seconds == wp.ZeroTime {
		return wp.NoTime
	}
	return seconds
}

func fromTime(t time.Time) int64 {
	if t.IsZero() {
		return wp.NoTime
	}
	return t.Unix()
}
