// Package catalog divides lists of entries into sitemap pages. It gives each page a date and renders
// its bytes.
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

// ErrNotFound means that the requested sitemap does not exist.
var ErrNotFound = errors.New("no such sitemap")

// A Catalog holds all lists of a blog at one moment. It is immutable: a change in the database leads
// to a new Catalog.
type Catalog struct {
	Rules     *seo.Rules
	plugin    string // the name of the plugin, for people
	Scheme    seo.URLs
	base      seo.Base
	Dress     Dress
	active    bool
	Lists     []*List
	Owned     map[string]bool
	undecided map[string]bool
	LeftOut   map[seo.Verdict]int // the number of objects that each rule leaves out

	print, whole uint64 // print is the fingerprint of the index, whole of the complete catalog
	tag          uint64 // the value of Document.Tag for the index
}

// Dress says how the documents of a plugin are written.
type Dress struct {
	Encoding  urlset.Encoding
	Zone      *time.Location // time zone of dates; nil means UTC
	IndexHome string         // the prefix of addresses in the index, if it differs from home; "" means home
}

// New returns a catalog without lists; plugin is the name of the plugin. If active is false, the site
// itself answers every address.
func New(r *seo.Rules, plugin string, urls seo.URLs, dress Dress, active bool) *Catalog {
	return &Catalog{
		Rules: r, plugin: plugin, Scheme: urls, base: seo.BaseOf(r.Blog), Dress: dress, active: active,
		Owned: map[string]bool{}, undecided: map[string]bool{}, LeftOut: map[seo.Verdict]int{},
	}
}

// Successor returns a catalog with the same rules but without lists. A delta then adds the lists.
func (c *Catalog) Successor() *Catalog {
	next := New(c.Rules, c.plugin, c.Scheme, c.Dress, c.active)
	next.Owned, next.undecided = c.Owned, c.undecided
	return next
}

// Plugin returns the name of the plugin that makes these sitemaps, for people.
func (c *Catalog) Plugin() string { return c.plugin }

// Active reports whether the blog has sitemaps. If it has none, the site itself answers every address.
func (c *Catalog) Active() bool { return c.active }

// BaseURL returns the public URL of a sitemap file.
func (c *Catalog) BaseURL(file string) string { return c.Scheme.URL(c.base, file) }

// URL returns the public URL of a sitemap page, even if the page does not exist.
func (c *Catalog) URL(name string, page int) string { return c.BaseURL(c.Filename(name, page)) }

// Filename returns the file name of a sitemap page.
func (c *Catalog) Filename(name string, page int) string {
	if name == TextName {
		return textFilename(page)
	} else if IsOtherFormat(name) {
		return name
	}
	pages := 0
	if l := c.List(name); l != nil {
		pages = len(l.Dates)
	}
	return c.Scheme.File(name, page, pages)
}

// Owns reports whether the daemon answers for a sitemap name, even if the answer is 404. The daemon owns
// the index, authors, videos, news, registered post types and taxonomies. It owns the text sitemap and the
// feeds if they are enabled.
func (c *Catalog) Owns(name string) bool { return c.Owned[name] }

// List returns the list with this name, or nil.
func (c *Catalog) List(name string) *List {
	for _, l := range c.Lists {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Current returns the lists as they are now. Lists of news change by the clock; other lists do not.
func (c *Catalog) Current() []*List {
	now := c.Rules.Options.Now().Unix()
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

// Expires returns the next time at which the clock alone changes a sitemap, because an article enters
// or leaves the news. It returns the zero time if no such change is due.
func (c *Catalog) Expires() time.Time {
	now := c.Rules.Options.Now().Unix()
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

// Types returns the size of every sitemap that the index names.
func (c *Catalog) Types() []Count {
	var counts []Count
	for _, l := range c.Current() {
		if l.Indexed {
			counts = append(counts, Count{Name: l.Name, Pages: len(l.Dates), URLs: l.Listed()})
		}
	}
	return counts
}

// Count is the size of one sitemap: its pages and its addresses.
type Count struct {
	Name        string
	Pages, URLs int
}

// File is one sitemap file.
type File struct {
	Name     string // name of the sitemap, or seo.IndexName
	Of       string // the listed post type or taxonomy; "author" for users, "" for other sitemaps
	Page     int    // the first page is 1
	Filename string // for example post-sitemap2.xml
	URL      string
	LastMod  time.Time // zero if unknown
	Entries  int       // number of addresses, without later parts of posts
	Parted   bool      // the page may also have later parts of posts
	Parts    int       // the number of later parts, if the daemon remembers it

	Elsewhere bool // only the site itself can answer for this file, although the index names it; Render does not render it
}

// Files returns the index followed by every page that it names. It returns nil if there is no index.
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
				Entries: l.pageListed(i + 1), Parted: l.Parts, Elsewhere: l.Elsewhere != "",
			})
			newest = max(newest, date)
		}
	}
	if len(files) == 0 && c.withheld() == nil && (!c.Rules.Decisions.EmptyIndex(c.Rules) || !c.Active()) {
		return nil
	}
	name := c.Filename(seo.IndexName, 1)
	index := File{Name: seo.IndexName, Page: 1, Filename: name, URL: c.BaseURL(name), LastMod: toTime(known(newest)), Entries: len(files)}
	return append([]File{index}, files...)
}

// withheld returns why the first list that is withheld cannot be rendered. It returns nil if no list is withheld.
func (c *Catalog) withheld() error {
	for _, l := range c.Lists {
		if l.Withheld != nil {
			return fmt.Errorf("sitemap %s: %w", l.Name, l.Withheld)
		}
	}
	return nil
}

// Document is a rendered sitemap.
type Document struct {
	Body    []byte
	LastMod time.Time // newest date in the document; zero if it has no date
	Entries int
	Parts   int       // how many of Entries are later parts of posts; File.Entries does not count them
	LeftOut int       // number of addresses and images that a sitemap may not contain
	Expires time.Time // when the clock alone changes the document; zero if never
	Behind  bool      // rows have changed since the catalog was made, so the page mixes old and new rows
	Tag     uint64    // for the index: a hash of its pages, because their changes may not show in its dates; 0 for other documents
}

// Render renders one page of a sitemap; the first page is 1. It returns ErrNotFound if the sitemap
// does not exist. After any other error it is unknown whether the sitemap exists.
func (c *Catalog) Render(ctx context.Context, name string, page int) (*Document, error) {
	if !c.Active() {
		return nil, ErrNotFound
	}
	switch {
	case name == seo.IndexName:
		return c.renderIndex()
	case name == TextName && c.Rules.Options.Text:
		return c.renderText(ctx, page)
	case name == AtomName && c.Rules.Options.Atom:
		return c.renderFeed(ctx, name, page, &urlset.Atom)
	case name == RSSName && c.Rules.Options.RSS:
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

// QueryPrefix precedes a name in the result of QueryName.
const QueryPrefix = "?"

// QueryName returns the name that Render expects for a sitemap that a request names in the query variable
// (/?sitemap=post). The result differs from name only if the list's content is ByQuery.
//
// This happens on the domain of another Polylang language. The plugin answers such a request with URLs below the home
// of the default domain, not with URLs below its own domain.
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
	switch err := c.withheld(); {
	case len(files) == 0:
		return nil, ErrNotFound
	case len(files) == 1 && err != nil:
		return nil, err
	}
	w := c.writer(urlset.Index, 0)
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

func (c *Catalog) writer(kind urlset.DocumentKind, extensions urlset.Extensions) *urlset.Writer {
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

// known returns seconds, or wp.NoTime if seconds is wp.ZeroTime.
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
