// Package catalog turns lists of entries into sitemaps: which pages there are, with which date, and the bytes of each.
package sitemap

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// ErrNotFound says that a sitemap truly does not exist.
var ErrNotFound = errors.New("no such sitemap")

// Catalog is every list of a blog at one moment. It never changes; a change in the database is a new catalog.
type Catalog struct {
	*Rules
	plugin    string // its name, for people
	urls      URLs
	base      Base
	dress     Dress
	active    bool
	lists     []*list
	owned     map[string]bool
	undecided map[string]bool
	skipped   map[Verdict]int // objects left out

	extra        uint64           // of what pages are made of beside the lists
	print, whole uint64           // fingerprints of the index, and of everything
	common       *common          // these as other processes give them
	touched      map[int64]uint64 // deltas that had to do with a post, of those that have any
}

// Dress is how the documents of a plugin are written.
type Dress struct {
	Encoding urlset.Encoding
	Zone     *time.Location // of dates; nil: UTC
}

// NewCatalog returns a catalog without lists, of a plugin by its name. A catalog that is not active leaves every address
// to the site itself.
func NewCatalog(r *Rules, plugin string, urls URLs, dress Dress, active bool) *Catalog {
	return &Catalog{
		Rules: r, plugin: plugin, urls: urls, base: BaseOf(r.site), dress: dress, active: active,
		owned: map[string]bool{}, undecided: map[string]bool{}, skipped: map[Verdict]int{}, common: &common{},
	}
}

// Successor returns a catalog without lists that is to come in the place of this one, by the same rules.
func (c *Catalog) Successor() *Catalog {
	next := NewCatalog(c.Rules, c.plugin, c.urls, c.dress, c.active)
	next.owned, next.undecided = c.owned, c.undecided
	return next
}

// Plugin returns the name of the plugin whose sitemaps these are, for people.
func (c *Catalog) Plugin() string { return c.plugin }

// Active reports whether the blog has sitemaps at all; if not, every address belongs to the site itself.
func (c *Catalog) Active() bool { return c.active }

// Site returns the site the catalog was built from.
func (c *Catalog) Site() *wp.Site { return c.site }

// BaseURL returns the public address of a sitemap file.
func (c *Catalog) BaseURL(file string) string { return c.urls.URL(c.base, file) }

// URL returns the public address of a sitemap, whether it exists or not.
func (c *Catalog) URL(name string, page int) string { return c.BaseURL(c.filename(name, page)) }

func (c *Catalog) filename(name string, page int) string { return c.urls.File(name, page) }

// Owns reports whether a sitemap name is ours to answer, if need be with 404: the index, the
// authors, every registered post type and taxonomy, the videos and the news, and TextName and
// AtomName where they are wanted.
func (c *Catalog) Owns(name string) bool { return c.owned[name] }

// Skipped counts the objects that are left out, by the rule that decided.
func (c *Catalog) Skipped() map[Verdict]int { return c.skipped }

// list returns the list of a name, nil for none.
func (c *Catalog) list(name string) *list {
	for _, l := range c.lists {
		if l.name == name {
			return l
		}
	}
	return nil
}

// current returns the lists as they are now.
func (c *Catalog) current() []*list {
	now := c.opt.Now().Unix()
	lists := make([]*list, len(c.lists))
	for i, l := range c.lists {
		l = l.at(now)
		if l.dependent && !slices.ContainsFunc(lists[:i], func(l *list) bool { return l.indexed }) {
			alone := *l
			alone.indexed = false
			l = &alone
		}
		lists[i] = l
	}
	return lists
}

// Expires returns the next moment at which a sitemap changes by the clock alone, because an
// article enters or leaves the news; zero when none will.
func (c *Catalog) Expires() time.Time {
	now := c.opt.Now().Unix()
	next := int64(math.MaxInt64)
	for _, l := range c.lists {
		if l.timed == nil {
			continue
		}
		for i := range l.timed.articles {
			next = min(next, l.timed.articles[i].changes(now))
		}
	}
	if next == math.MaxInt64 {
		return time.Time{}
	}
	return time.Unix(next, 0).UTC()
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
	Name     string // of the sitemap, or IndexName
	Of       string // the post type or taxonomy that it lists; "author" for users, "" for anything else
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
			files = append(files, File{
				Name: l.name, Of: l.of, Page: i + 1, Filename: name, URL: c.BaseURL(name), LastMod: toTime(date),
				Entries: l.pageListed(i + 1), Elsewhere: l.elsewhere,
			})
			newest = max(newest, date)
		}
	}
	if len(files) == 0 && (!c.EmptyIndex || !c.Active()) {
		return nil
	}
	name := c.filename(IndexName, 1)
	index := File{Name: IndexName, Page: 1, Filename: name, URL: c.BaseURL(name), LastMod: toTime(known(newest)), Entries: len(files)}
	return append([]File{index}, files...)
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
		asked := c.QueryName(l.name) == name
		if l.elsewhere || l.name != name && !asked {
			continue
		}
		if l.name != name {
			l = l.asked(l)
		}
		doc, err := c.renderPage(ctx, l, page, earlier)
		if err != nil && !errors.Is(err, ErrNotFound) {
			err = fmt.Errorf("sitemap %s: %w", c.filename(name, page), err)
		}
		if doc != nil && l.timed != nil {
			doc.Expires = c.Expires()
		}
		return doc, err
	}
	return nil, ErrNotFound
}

// queryPrefix stands before the name of a sitemap that is asked for by the query variable.
const queryPrefix = "?"

// QueryName returns the name under which Render knows a sitemap that is asked for by the query
// variable (/?sitemap=post) and not by its own address. On the domains of Polylang's other languages the
// plugin answers these differently: it takes home for the default domain's then, so that what stands below it is
// listed, and what belongs to the domain itself is not.
func (c *Catalog) QueryName(name string) string {
	if l := c.list(name); l != nil && l.asked != nil {
		return queryPrefix + name
	}
	return name
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
	first, entries, ok := l.slice(page)
	if !ok {
		return nil, ErrNotFound
	}
	front, err := l.frontURLs(ctx, first)
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

// frontURLs renders first links; a front page with content of its own brings its images.
func (l *list) frontURLs(ctx context.Context, first []firstLink) (r renderedRows, err error) {
	for _, f := range first {
		if f.postID == 0 {
			r.urls = append(r.urls, urlset.URL{Loc: f.loc, LastMod: f.lastmod, Alternates: f.alternates})
			continue
		}
		front, err := l.render(ctx, []entry{newEntry(f.postID, f.lastmod, Listed)})
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

func (c *Catalog) writer(kind urlset.Kind, extensions urlset.Extensions) *urlset.Writer {
	w := &urlset.Writer{Encoding: c.dress.Encoding, Stylesheet: c.stylesheet(kind), Extensions: extensions, Zone: c.dress.Zone}
	w.Begin(kind)
	return w
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
