// Package diff compares the sitemaps that a site serves now with ours, entry by entry. A Listing is what one side lists. The
// function find returns the differences between two listings, and the type why finds their causes. Start reading at Run.Site.
package diff

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/live"
	"wpsitemapd/wp/weburl"
)

// A Facet names what differs between the site's sitemaps and ours, such as a URL or a date.
type Facet string

const (
	missingSitemap Facet = "sitemap not in ours"
	extraSitemap   Facet = "sitemap only in ours"
	onlyTheirs     Facet = "URL not in ours"
	onlyOurs       Facet = "URL only in ours"
	otherForm      Facet = "spelling of the URL"
	elsewhere      Facet = "URL in another sitemap"
	lastMod        Facet = "lastmod"
	images         Facet = "images"
	imageTitles    Facet = "image titles"
	news           Facet = "news"
	videos         Facet = "video"
	alternates     Facet = "hreflang"
	indexDate      Facet = "date in the index"
	pageNumber     Facet = "page of the sitemap"
)

// A Difference is one difference between the site's sitemaps and ours at one level. A report has some differences as examples,
// in the JSON form of this type.
type Difference struct {
	Facet   Facet  `json:"-"`
	Cause   Cause  `json:"-"`
	URL     string `json:"url"`     // of the entry, or of the file
	Sitemap string `json:"sitemap"` // post, category, …
	Theirs  string `json:"theirs"`
	Ours    string `json:"ours"`
	Detail  string `json:"detail,omitempty"` // details of the cause: a row, an option, a date

	object       string // the object with the URL; "" if the URL was not explained
	filePage     int    // page number of the file that differs; 0: an entry differs
	theirs, ours place
}

// key identifies an entry of a sitemap, on any page.
type key struct{ sitemap, loc string }

// place is the page on which a side first lists an entry, with the date and the other data of the entry there.
type place struct {
	page  int
	date  live.Date
	extra *live.Extra
}

type file struct {
	url   string
	date  live.Date // its date in the index
	named bool      // the index names it
}

// page identifies a page of a sitemap by its number.
type page struct {
	sitemap string
	n       int
}

// A Listing is what the sitemaps of one side contain. The two sides are the site, and this program (ours).
type Listing struct {
	order  []key
	places map[key]place
	pages  []page // in the order in which they were read
	files  map[page]*file
	sizes  map[string]int       // entries by sitemap
	newest map[string]live.Date // by sitemap: the newest date of its entries and of its files in the index
	failed bool                 // a file could not be read, so its entries do not count as missing
	like   *Listing             // another listing that shares equal data with this one, see BenchmarkComparison; may be nil
}

// newListing returns an empty listing. like is a listing with mostly the same data, or nil.
func newListing(like *Listing) *Listing {
	return &Listing{places: map[key]place{}, files: map[page]*file{}, sizes: map[string]int{}, newest: map[string]live.Date{}, like: like}
}

func (l *Listing) file(address string) (page, *file) {
	name, n := splitName(address)
	p := page{name, n}
	if l.files[p] == nil {
		l.files[p] = &file{url: address}
		l.pages = append(l.pages, p)
	}
	return p, l.files[p]
}

// noteDate records a date of an entry of a sitemap, or of its file in the index.
func (l *Listing) noteDate(sitemap string, d live.Date) {
	if d.After(l.newest[sitemap]) {
		l.newest[sitemap] = d
	}
}

// addNamed records that the index names a sitemap, with the date that the index gives.
func (l *Listing) addNamed(address string, lastmod live.Date) {
	p, f := l.file(address)
	f.named, f.date = true, lastmod
	l.noteDate(p.sitemap, lastmod)
}

// add records the entries of a sitemap. If an address occurs twice, the first entry is compared; both count in sizes and newest.
func (l *Listing) add(address string, entries []live.Entry) {
	p, _ := l.file(address)
	l.sizes[p.sitemap] += len(entries)
	for _, e := range entries {
		l.noteDate(p.sitemap, e.LastMod)
		k := key{p.sitemap, e.Loc}
		if _, has := l.places[k]; has {
			continue
		}
		if l.like != nil && l.like.places[k].extra.Equal(e.Extra) {
			e.Extra = l.like.places[k].extra
		}
		l.places[k] = place{p.n, e.LastMod, e.Extra}
		l.order = append(l.order, k)
	}
}

// fail records a sitemap that the index names but that could not be read. Its entries are unknown.
func (l *Listing) fail(address string, lastmod live.Date) {
	l.addNamed(address, lastmod)
	l.failed = true
}

// urls returns the number of entries.
func (l *Listing) urls() (n int) {
	for _, size := range l.sizes {
		n += size
	}
	return n
}

// hasDate reports whether an entry on a page of a sitemap has a given date. If page is 0, any page counts. A nil
// Listing has no entries. hasDate walks through all entries.
func (l *Listing) hasDate(sitemap string, page int, d live.Date) bool {
	if l == nil {
		return false
	}
	for k, p := range l.places {
		if k.sitemap == sitemap && (page == 0 || p.page == page) && !d.IsZero() && p.date.Time().Equal(d.Time()) {
			return true
		}
	}
	return false
}

// without returns the entries that another listing lacks.
func (l *Listing) without(other *Listing) (only []key) {
	for _, k := range l.order {
		if _, has := other.places[k]; !has {
			only = append(only, k)
		}
	}
	return only
}

// sitemapName matches the file names of sitemaps, with or without .gz. Most plugins use names such as
// post-sitemap2.xml. WordPress uses wp-sitemap-posts-page-2.xml, -taxonomies- and -users-.
var sitemapName = regexp.MustCompile(`^(?:wp-sitemap-(?:posts-|taxonomies-)?(.+?)-(\d+)|(.+?)-sitemap(\d*))\.xml(?:\.gz)?$`)

// splitName returns the name and the page number in the address of a sitemap: post-sitemap3.xml is page 3 of post.
func splitName(address string) (name string, page int) {
	u, err := url.Parse(address)
	if err != nil {
		return address, 1
	}
	file, q, number := path.Base(u.Path), u.Query(), ""
	if m := sitemapName.FindStringSubmatch(file); q.Get("sitemap") != "" {
		name, number = cmp.Or(q.Get("sitemap-subtype"), q.Get("sitemap")), cmp.Or(q.Get("sitemap_n"), q.Get("paged"))
	} else if m != nil {
		name, number = cmp.Or(m[1], m[3]), cmp.Or(m[2], m[4])
	} else {
		return strings.TrimSuffix(strings.TrimSuffix(file, ".gz"), ".xml"), 1
	}
	if name == "users" { // WordPress writes users, and plugins write author
		name = "author"
	}
	n, _ := strconv.Atoi(number)
	return name, max(n, 1)
}

// find returns every difference between two listings, in no particular order. If a file of the site could not be read,
// nothing counts as missing from the site.
func find(theirs, ours *Listing) (found []Difference) {
	add := func(facet Facet, k, own key, theirText, ourText string) {
		found = append(found, Difference{
			Facet: facet, URL: k.loc, Sitemap: k.sitemap, Theirs: theirText, Ours: ourText, theirs: theirs.places[k], ours: ours.places[own],
		})
	}
	pair := func(k, own key) {
		a, b := theirs.places[k], ours.places[own]
		for _, x := range placeFacets {
			if !x.same(a, b) {
				theirText, ourText := x.texts(a, b)
				add(x.facet, k, own, theirText, ourText)
			}
		}
	}
	for _, k := range theirs.order {
		if _, has := ours.places[k]; has {
			pair(k, k)
		}
	}
	surplus := ours.without(theirs)
	bySpelling := map[string][]key{} // by the form that all spellings of an address share
	for _, own := range surplus {
		bySpelling[spelling(own.loc)] = append(bySpelling[spelling(own.loc)], own)
	}
	matched := map[key]bool{}
	for _, k := range theirs.without(ours) {
		free := slices.DeleteFunc(slices.Clone(bySpelling[spelling(k.loc)]), func(own key) bool { return matched[own] })
		if i := slices.IndexFunc(free, func(own key) bool { return own.sitemap == k.sitemap }); i >= 0 {
			matched[free[i]] = true
			add(otherForm, k, free[i], k.loc, free[i].loc)
			pair(k, free[i])
		} else if i := slices.IndexFunc(free, func(own key) bool { return own.loc == k.loc }); i >= 0 {
			matched[free[i]] = true
			add(elsewhere, k, free[i], k.sitemap, free[i].sitemap)
		} else {
			add(onlyTheirs, k, k, k.describe(theirs), "not listed")
		}
	}
	for _, own := range surplus {
		if !matched[own] && !theirs.failed {
			add(onlyOurs, own, own, "not listed", own.describe(ours))
		}
	}
	return append(found, findFiles(theirs, ours)...)
}

// findFiles compares the files that the two indexes name, and the dates of files that both name. If a file of the site could not be read,
// no file counts as missing on either side.
func findFiles(theirs, ours *Listing) (found []Difference) {
	for _, p := range theirs.pages {
		a, b := theirs.files[p], ours.files[p]
		d := Difference{URL: a.url, Sitemap: p.sitemap, filePage: p.n}
		switch {
		case b == nil && !theirs.failed:
			d.Facet, d.Theirs, d.Ours = missingSitemap, "named", "not named"
			d.theirs.date = a.date
		case b != nil && a.named && b.named && !a.date.Same(b.date):
			d.Facet, d.URL, d.Theirs, d.Ours = indexDate, b.url, a.date.String(), b.date.String()
			d.theirs.date, d.ours.date = a.date, b.date
		default:
			continue
		}
		found = append(found, d)
	}
	for _, p := range ours.pages {
		if theirs.files[p] == nil && !theirs.failed {
			found = append(found, Difference{
				Facet: extraSitemap, URL: ours.files[p].url, Sitemap: p.sitemap, Theirs: "not named", Ours: "named", filePage: p.n,
			})
		}
	}
	return found
}

// placeFacet compares one facet of an entry that both sides list. same reports whether the sides agree. texts describes the
// facet on either side.
type placeFacet struct {
	facet Facet
	same  func(theirs, ours place) bool
	texts func(theirs, ours place) (string, string)
}

var placeFacets = []placeFacet{
	{pageNumber, func(a, b place) bool { return a.page == b.page }, func(a, b place) (string, string) {
		return "page " + strconv.Itoa(a.page), "page " + strconv.Itoa(b.page)
	}},
	{lastMod, func(a, b place) bool { return a.date.Same(b.date) }, func(a, b place) (string, string) { return a.date.String(), b.date.String() }},
	extraFacet(images, func(x *live.Extra) (locs []string) {
		for _, m := range x.Images {
			locs = append(locs, m.Loc)
		}
		return locs
	}),
	extraFacet(imageTitles, func(x *live.Extra) (all []string) {
		for _, m := range x.Images {
			if m.Title != "" {
				all = append(all, m.Loc+" title: "+m.Title)
			}
			if m.Caption != "" {
				all = append(all, m.Loc+" caption: "+m.Caption)
			}
		}
		return all
	}),
	extraFacet(news, func(x *live.Extra) []string { return x.News }),
	extraFacet(videos, func(x *live.Extra) []string { return x.Videos }),
	extraFacet(alternates, func(x *live.Extra) []string { return x.Alternates }),
}

// extraFacet returns a placeFacet for a list in an entry, such as its images. of returns the list. The order of the
// list does not count.
func extraFacet(facet Facet, of func(*live.Extra) []string) placeFacet {
	list := func(p place) []string {
		if p.extra == nil {
			return nil
		}
		return slices.Sorted(slices.Values(of(p.extra)))
	}
	return placeFacet{
		facet, func(a, b place) bool { return a.extra.Equal(b.extra) || slices.Equal(list(a), list(b)) },
		func(a, b place) (string, string) {
			theirs, ours := lines(list(a)), lines(list(b))
			return few(theirs, ours), few(ours, theirs)
		},
	}
}

// lines splits records of several lines into lines.
func lines(list []string) (all []string) {
	for _, s := range list {
		all = append(all, strings.Split(s, "\n")...)
	}
	return all
}

const maxShown = 3

// few describes briefly the elements of a list that another list lacks. It returns "none" if the list is empty, and
// "nothing else" if the other list lacks nothing.
func few(list, other []string) string {
	left := map[string]int{}
	for _, s := range other {
		left[s]++
	}
	var shown []string
	more := 0
	for _, s := range list {
		switch {
		case left[s] > 0:
			left[s]--
		case len(shown) < maxShown:
			shown = append(shown, live.Shorten(s, 300))
		default:
			more++
		}
	}
	switch {
	case len(list) == 0:
		return "none"
	case len(shown) == 0:
		return "nothing else"
	case more > 0:
		shown = append(shown, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(shown, ", ")
}

// describe returns the sitemap, the page and the lastmod of the entry with key k in a listing, as text.
func (k key) describe(l *Listing) string {
	p := l.places[k]
	text := k.sitemap + ", page " + strconv.Itoa(p.page)
	if !p.date.IsZero() {
		text += ", lastmod " + p.date.String()
	}
	return text
}

// strayPercent matches a percent sign that begins no escape.
var strayPercent = regexp.MustCompile(`%($|[^0-9A-Fa-f]|[0-9A-Fa-f]($|[^0-9A-Fa-f]))`)

// spelling returns the form that all spellings of an address share. The form has no scheme, user, fragment or "www.", no escapes in
// the path, and no slash at its end. The query is sorted and escaped in one way.
func spelling(loc string) string {
	u, err := url.Parse(strayPercent.ReplaceAllString(loc, "%25$1"))
	if err != nil {
		return loc
	}
	query := u.RawQuery
	if q, err := url.ParseQuery(query); err == nil {
		query = q.Encode()
	}
	return strings.TrimPrefix(weburl.HostPort(u.Host), "www.") + strings.TrimSuffix(u.Path, "/") + "?" + query
}
