// Package catalog turns lists of entries into sitemaps: which pages there are, with which date, and the bytes of each.
package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// ErrNotFound says that a sitemap truly does not exist.
var ErrNotFound = errors.New("no such sitemap")

// Catalog is every list of a blog at one moment. It never changes; a change in the database is a new catalog.
type Catalog struct {
	*seo.Rules
	plugin    string // its name, for people
	Scheme    seo.URLs
	base      seo.Base
	Dress     Dress
	active    bool
	Lists     []*List
	Owned     map[string]bool
	undecided map[string]bool
	LeftOut   map[seo.Verdict]int // objects that are left out, by the rule that decided

	print, whole uint64 // fingerprints of the index, and of everything
	tag          uint64 // see Document.Tag
}

// Dress is how the documents of a plugin are written.
type Dress struct {
	Encoding  urlset.Encoding
	Zone      *time.Location // of dates; nil: UTC
	IndexHome string         // what addresses in the index begin with, where the plugin has another home there; "": home
}

// New returns a catalog without lists, of a plugin by its name. A catalog that is not active leaves every address
// to the site itself.
func New(r *seo.Rules, plugin string, urls seo.URLs, dress Dress, active bool) *Catalog {
	return &Catalog{
		Rules: r, plugin: plugin, Scheme: urls, base: seo.BaseOf(r.Blog), Dress: dress, active: active,
		Owned: map[string]bool{}, undecided: map[string]bool{}, LeftOut: map[seo.Verdict]int{},
	}
}

// Successor returns a catalog without lists by the same rules, which a delta fills.
func (c *Catalog) Successor() *Catalog {
	next := New(c.Rules, c.plugin, c.Scheme, c.Dress, c.active)
	next.Owned, next.undecided = c.Owned, c.undecided
	return next
}

// Plugin returns the name of the plugin whose sitemaps these are, for people.
func (c *Catalog) Plugin() string { return c.plugin }

// Active reports whether the blog has sitemaps at all; if not, every address belongs to the site itself.
func (c *Catalog) Active() bool { return c.active }

// BaseURL returns the public address of a sitemap file.
func (c *Catalog) BaseURL(file string) string { return c.Scheme.URL(c.base, file) }

// URL returns the public address of a sitemap, whether it exists or not.
func (c *Catalog) URL(name string, page int) string { return c.BaseURL(c.Filename(name, page)) }

// Filename returns the file name of a page of a sitemap.
func (c *Catalog) Filename(name string, page int) string {
	pages := 0
	if l := c.List(name); l != nil {
		pages = len(l.Dates)
	}
	return c.Scheme.File(name, page, pages)
}

// Owns reports whether a sitemap name is ours to answer, if need be with 404: the index, the
// authors, every registered post type and taxonomy, the videos and the news, and the other
// formats where they are wanted.
func (c *Catalog) Owns(name string) bool { return c.Owned[name] }

// List returns the list of a name, nil for none.
func (c *Catalog) List(name string) *List {
	for _, l := range c.Lists {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Current returns the lists as they are now.
func (c *Catalog) Current() []*List {
	now := c.Options.Now().Unix()
	lists := make([]*List, len(c.Lists))
	for i, l := range c.Lists {
		l = l.at(now)
		if l.Dependent && !slices.ContainsFunc(lists[:i], func(l *List) bool { return l.Indexed }) {
			alone := *l
			alone.Indexed = false
			l = &alone
		}
		lists[i] = l
	}
	return lists
}

// Expires returns the next moment at which a sitemap changes by the clock alone, because an
// article enters or leaves the news; zero when none will.
func (c *Catalog) Expires() time.Time {
	now := c.Options.Now().Unix()
	next := int64(math.MaxInt64)
	for _, l := range c.Lists {
		for _, a := range l.articles() {
			next = min(next, a.Changes(now))
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
	for _, l := range c.Current() {
		if l.Indexed {
			counts = append(counts, Count{Name: l.Name, Pages: len(l.Dates), URLs: l.Listed()})
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
	Parted   bool      // later parts of posts may follow
	Parts    int       // how many a daemon remembers of them

	Elsewhere bool // the index names it, but only the site itself can answer for it: Render does not
}

// Files returns the index, if there is one, and every page it names.
func (c *Catalog) Files() []File {
	var files []File
	newest := wp.NoTime
	for _, l := range c.Current() {
		if !l.Indexed {
			continue
		}
		for i, date := range l.Dates {
			name := c.Scheme.File(l.Name, i+1, len(l.Dates))
			files = append(files, File{
				Name: l.Name, Of: l.Of, Page: i + 1, Filename: name, URL: cmp.Or(l.Address, c.BaseURL(name)), LastMod: toTime(date),
				Entries: l.PageListed(i + 1), Parted: l.Parts, Elsewhere: l.Elsewhere != "",
			})
			newest = max(newest, date)
		}
	}
	if len(files) == 0 && (!c.Decisions.EmptyIndex() || !c.Active()) {
		return nil
	}
	name := c.Filename(seo.IndexName, 1)
	index := File{Name: seo.IndexName, Page: 1, Filename: name, URL: c.BaseURL(name), LastMod: toTime(known(newest)), Entries: len(files)}
	return append([]File{index}, files...)
}

// Document is a rendered sitemap.
type Document struct {
	Body    []byte
	LastMod time.Time // newest date in it; zero: none
	Entries int
	Parts   int       // of Entries: later parts of posts, which File.Entries does not count
	LeftOut int       // addresses and images that cannot be in a sitemap
	Expires time.Time // when it changes by the clock alone; zero: never
	Behind  bool      // rows have changed since the catalog was made: the page is in part as they were, in part as they are
	Tag     uint64    // of the index: a hash of the pages that it names, as their changes may not show in its dates; 0: none
}

// Render writes one sitemap; page counts from 1. It returns ErrNotFound for a sitemap that does not exist; after any other error
// nobody knows whether it does.
func (c *Catalog) Render(ctx context.Context, name string, page int) (*Document, error) {
	if !c.Active() {
		return nil, ErrNotFound
	}
	switch {
	case name == seo.IndexName:
		return c.renderIndex()
	case name == TextName && c.Options.Text:
		return c.renderText(ctx, page)
	case name == AtomName && c.Options.Atom:
		return c.renderFeed(ctx, name, page, &urlset.Atom)
	case name == RSSName && c.Options.RSS:
		return c.renderFeed(ctx, name, page, &urlset.RSS)
	}
	for _, l := range c.Current() {
		asked := c.QueryName(l.Name) == name
		if l.Elsewhere != "" || l.Name != name && !asked {
			continue
		}
		if l.Name != name {
			l = l.Content.(ByQuery).Asked(l)
		}
		doc, err := c.renderPage(ctx, l, page)
		if err != nil && !errors.Is(err, ErrNotFound) {
			err = fmt.Errorf("sitemap %s: %w", c.Filename(name, page), err)
		}
		if doc != nil && l.isTimed() {
			doc.Expires = c.Expires()
		}
		return doc, err
	}
	return nil, ErrNotFound
}

// QueryPrefix is before the name of a sitemap that is asked for by the query variable.
const QueryPrefix = "?"

// QueryName returns the name under which Render knows a sitemap that is asked for by the query
// variable (/?sitemap=post) and not by its own address. On the domains of Polylang's other languages the
// plugin answers these differently: it takes home for the default domain's then, so that what is below it is
// listed, and what belongs to the domain itself is not.
func (c *Catalog) QueryName(name string) string {
	if l := c.List(name); l != nil {
		if _, ok := l.Content.(ByQuery); ok {
			return QueryPrefix + name
		}
	}
	return name
}

func (c *Catalog) renderIndex() (*Document, error) {
	files := c.Files()
	if len(files) == 0 {
		return nil, ErrNotFound
	}
	w := c.Writer(urlset.Index, 0)
	for _, f := range files[1:] {
		loc := f.URL
		if home, query, ok := strings.Cut(c.Dress.IndexHome, "?"); home != "" && !f.Elsewhere {
			if loc = home + f.Filename; ok {
				loc += "?" + query
			}
		}
		if err := w.AppendSitemap(urlset.Sitemap{Loc: loc, LastMod: FromTime(f.LastMod)}); err != nil {
			return nil, fmt.Errorf("sitemap index: %s: %w", loc, err)
		}
	}
	w.End()
	return &Document{Body: w.Bytes(), LastMod: files[0].LastMod, Entries: len(files) - 1, Tag: c.tag, Expires: c.Expires()}, nil
}

func (c *Catalog) Writer(kind urlset.DocumentKind, extensions urlset.Extensions) *urlset.Writer {
	w := &urlset.Writer{Encoding: c.Dress.Encoding, Stylesheet: c.stylesheet(kind), Extensions: extensions, Zone: c.Dress.Zone}
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

func FromTime(t time.Time) int64 {
	if t.IsZero() {
		return wp.NoTime
	}
	return t.Unix()
}
