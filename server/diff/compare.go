// Package diff compares the sitemaps that a site serves now with ours, entry by entry. Start reading at Run.Site; a Listing is what one
// side lists, Find has the differences of two, and Why says which of them are known.
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

// Facet is what differs.
type Facet string

// The facets, those first that say most.
const (
	MissingSitemap Facet = "sitemap not in ours"
	ExtraSitemap   Facet = "sitemap only in ours"
	OnlyTheirs     Facet = "URL not in ours"
	OnlyOurs       Facet = "URL only in ours"
	Address        Facet = "spelling of the URL"
	Elsewhere      Facet = "URL in another sitemap"
	LastMod        Facet = "lastmod"
	Images         Facet = "images"
	ImageTitles    Facet = "image titles"
	News           Facet = "news"
	Videos         Facet = "video"
	Alternates     Facet = "hreflang"
	IndexDate      Facet = "date in the index"
	Page           Facet = "page of the sitemap"
)

// Difference is one between what the site serves and one level of ours. Its JSON is an example in a report.
type Difference struct {
	Facet   Facet  `json:"-"`
	Cause   Cause  `json:"-"`
	URL     string `json:"url"`     // of the entry, or of the file
	Sitemap string `json:"sitemap"` // post, category, …
	Theirs  string `json:"theirs"`
	Ours    string `json:"ours"`
	Detail  string `json:"detail,omitempty"` // of the cause: a row, an option, a date

	object       string // that has the URL, where it was explained
	file         int    // page of the file that differs; 0: the difference is one of an entry
	theirs, ours place
}

// key is an entry of a sitemap, of whatever page.
type key struct{ sitemap, loc string }

// place is what a side has of an entry, where it is listed first.
type place struct {
	page  int
	date  live.Date
	extra *live.Extra
}

// file is one page of a sitemap.
type file struct {
	url   string
	date  live.Date // in the index
	named bool      // by the index
}

// page is a page of a sitemap, by their numbers.
type page struct {
	sitemap string
	n       int
}

// Listing is what one side lists.
type Listing struct {
	order  []key
	places map[key]place
	pages  []page // in the order they came
	files  map[page]*file
	sizes  map[string]int       // entries by sitemap
	newest map[string]live.Date // of a sitemap: nothing in it, and no date of it in the index, is younger
	failed bool                 // a file could not be read: what it may hold is not missing
	like   *Listing             // what is equal there is kept once, see BenchmarkComparison; may be nil
}

// NewListing returns one without sitemaps. Much of it will be as in another one, which may be nil.
func NewListing(like *Listing) *Listing {
	return &Listing{places: map[key]place{}, files: map[page]*file{}, sizes: map[string]int{}, newest: map[string]live.Date{}, like: like}
}

func (l *Listing) file(address string) (page, *file) {
	name, n := SplitName(address)
	p := page{name, n}
	if l.files[p] == nil {
		l.files[p] = &file{url: address}
		l.pages = append(l.pages, p)
	}
	return p, l.files[p]
}

func (l *Listing) date(sitemap string, d live.Date) {
	if d.After(l.newest[sitemap]) {
		l.newest[sitemap] = d
	}
}

// Name records that the index names a sitemap.
func (l *Listing) Name(address string, lastmod live.Date) {
	p, f := l.file(address)
	f.named, f.date = true, lastmod
	l.date(p.sitemap, lastmod)
}

// Add records the entries of a sitemap. Of an address that is repeated in it the first counts.
func (l *Listing) Add(address string, entries []live.Entry) {
	p, _ := l.file(address)
	l.sizes[p.sitemap] += len(entries)
	for _, e := range entries {
		l.date(p.sitemap, e.LastMod)
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

// Fail records that a sitemap that the index names could not be read: nothing is known of its entries.
func (l *Listing) Fail(address string, lastmod live.Date) {
	l.Name(address, lastmod)
	l.failed = true
}

// URLs counts the entries.
func (l *Listing) URLs() (n int) {
	for _, size := range l.sizes {
		n += size
	}
	return n
}

// dates reports whether an entry of a sitemap has a date.
func (l *Listing) dates(sitemap string, d live.Date) bool {
	for k, p := range l.places {
		if k.sitemap == sitemap && !d.IsZero() && p.date.Time().Equal(d.Time()) {
			return true
		}
	}
	return false
}

// without returns the entries that another listing does not have.
func (l *Listing) without(other *Listing) (only []key) {
	for _, k := range l.order {
		if _, has := other.places[k]; !has {
			only = append(only, k)
		}
	}
	return only
}

// sitemapName matches the file names of sitemaps: post-sitemap2.xml, as most plugins have them, and those of
// WordPress itself (wp-sitemap-posts-page-2.xml, -taxonomies-, -users-), with .gz or without.
var sitemapName = regexp.MustCompile(`^(?:wp-sitemap-(?:posts-|taxonomies-)?(.+?)-(\d+)|(.+?)-sitemap(\d*))\.xml(?:\.gz)?$`)

// SplitName takes the address of a sitemap apart: post-sitemap3.xml is page 3 of post.
func SplitName(address string) (name string, page int) {
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
	if name == "users" { // as WordPress says where plugins say author
		name = "author"
	}
	n, _ := strconv.Atoi(number)
	return name, max(n, 1)
}

// Find returns every difference between two listings, in no order that matters. Where a file of theirs could not be read nothing is
// missing there.
func Find(theirs, ours *Listing) (found []Difference) {
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
	like := map[string][]key{} // by what the spellings of an address have in common
	for _, own := range surplus {
		like[spelling(own.loc)] = append(like[spelling(own.loc)], own)
	}
	matched := map[key]bool{}
	for _, k := range theirs.without(ours) {
		free := slices.DeleteFunc(slices.Clone(like[spelling(k.loc)]), func(own key) bool { return matched[own] })
		if i := slices.IndexFunc(free, func(own key) bool { return own.sitemap == k.sitemap }); i >= 0 {
			matched[free[i]] = true
			add(Address, k, free[i], k.loc, free[i].loc)
			pair(k, free[i])
		} else if i := slices.IndexFunc(free, func(own key) bool { return own.loc == k.loc }); i >= 0 {
			matched[free[i]] = true
			add(Elsewhere, k, free[i], k.sitemap, free[i].sitemap)
		} else {
			add(OnlyTheirs, k, k, k.named(theirs), "not listed")
		}
	}
	for _, own := range surplus {
		if !matched[own] && !theirs.failed {
			add(OnlyOurs, own, own, "not listed", own.named(ours))
		}
	}
	return append(found, findFiles(theirs, ours)...)
}

// findFiles compares which files the indexes name, and the dates of those that both do.
func findFiles(theirs, ours *Listing) (found []Difference) {
	for _, p := range theirs.pages {
		a, b := theirs.files[p], ours.files[p]
		d := Difference{URL: a.url, Sitemap: p.sitemap, file: p.n}
		switch {
		case b == nil && !theirs.failed:
			d.Facet, d.Theirs, d.Ours = MissingSitemap, "named", "not named"
		case b != nil && a.named && b.named && !a.date.Same(b.date):
			d.Facet, d.URL, d.Theirs, d.Ours = IndexDate, b.url, a.date.String(), b.date.String()
			d.theirs.date, d.ours.date = a.date, b.date
		default:
			continue
		}
		found = append(found, d)
	}
	for _, p := range ours.pages {
		if theirs.files[p] == nil && !theirs.failed {
			found = append(found, Difference{
				Facet: ExtraSitemap, URL: ours.files[p].url, Sitemap: p.sitemap, Theirs: "not named", Ours: "named", file: p.n,
			})
		}
	}
	return found
}

// placeFacet is a facet of where an address is listed.
type placeFacet struct {
	facet Facet
	same  func(theirs, ours place) bool
	texts func(theirs, ours place) (string, string)
}

var placeFacets = []placeFacet{
	{Page, func(a, b place) bool { return a.page == b.page }, func(a, b place) (string, string) {
		return "page " + strconv.Itoa(a.page), "page " + strconv.Itoa(b.page)
	}},
	{LastMod, func(a, b place) bool { return a.date.Same(b.date) }, func(a, b place) (string, string) { return a.date.String(), b.date.String() }},
	extraFacet(Images, func(x *live.Extra) (locs []string) {
		for _, m := range x.Images {
			locs = append(locs, m.Loc)
		}
		return locs
	}),
	extraFacet(ImageTitles, func(x *live.Extra) (all []string) {
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
	extraFacet(News, func(x *live.Extra) []string { return x.News }),
	extraFacet(Videos, func(x *live.Extra) []string { return x.Videos }),
	extraFacet(Alternates, func(x *live.Extra) []string { return x.Alternates }),
}

// extraFacet is the facet of a list of an entry's, whose order says nothing to a crawler.
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

// lines takes records of several lines apart.
func lines(list []string) (all []string) {
	for _, s := range list {
		all = append(all, strings.Split(s, "\n")...)
	}
	return all
}

const maxShown = 3

// few says in few words what a list has oftener than another one.
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

// named says where a listing has an entry, and its date.
func (k key) named(l *Listing) string {
	p := l.places[k]
	text := k.sitemap + ", page " + strconv.Itoa(p.page)
	if !p.date.IsZero() {
		text += ", lastmod " + p.date.String()
	}
	return text
}

// strayPercent matches a percent sign that begins no escape.
var strayPercent = regexp.MustCompile(`%($|[^0-9A-Fa-f]|[0-9A-Fa-f]($|[^0-9A-Fa-f]))`)

// spelling reduces an address to what its spellings have in common: scheme, user, fragment and
// "www." do not count, escapes are resolved, and so is a slash at the end.
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
