package diff

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/live"
	"wpsitemapd/wp/weburl"
)

// Find returns every difference between theirs and a level with its cause, in no order that matters. why may be nil. Where a file of
// theirs could not be read nothing is missing there.
func (c *Comparison) Find(side Side, why *Why) []Difference {
	f := finder{Comparison: c, side: side}
	for _, name := range c.names {
		f.entries(c.groups[name])
	}
	f.leftovers()
	f.files()
	if why == nil {
		why = &Why{}
	}
	why.explain(side, f.found)
	return f.found
}

// finder is one run of Find.
type finder struct {
	*Comparison
	side  Side
	found []Difference

	onlyTheirs, onlyOurs []*row
}

// add records a difference of an entry, which ours lists as another row where its spelling or its sitemap is another.
func (f *finder) add(facet Facet, theirs, ours *row, theirText, ourText string) {
	f.found = append(f.found, Difference{
		Facet: facet, URL: theirs.loc, Sitemap: theirs.group.name, Theirs: theirText, Ours: ourText,
		row: theirs, group: theirs.group, theirs: theirs.places[Theirs], ours: ours.places[f.side],
	})
}

// files compares which files the indexes name, and the dates of those that both do.
func (f *finder) files() {
	for _, x := range f.list {
		if f.alone != nil && x != f.alone {
			continue
		}
		d := Difference{Sitemap: x.group.name, URL: x.url[f.side], file: x, group: x.group}
		switch theirs, ours := x.has[Theirs], x.has[f.side]; {
		case theirs && ours:
			d.Facet, d.Theirs, d.Ours = IndexDate, x.date[Theirs].String(), x.date[f.side].String()
			d.theirs.date, d.ours.date = x.date[Theirs], x.date[f.side]
			if f.alone != nil || d.theirs.date.Same(d.ours.date) {
				continue
			}
		case theirs == ours || f.failed:
			continue
		case theirs:
			d.Facet, d.URL, d.Theirs, d.Ours = MissingSitemap, x.url[Theirs], "named", "not named"
		default:
			d.Facet, d.Theirs, d.Ours = ExtraSitemap, "not named", "named"
		}
		f.found = append(f.found, d)
	}
}

// entries compares the rows of a group.
func (f *finder) entries(g *group) {
	for _, r := range g.rows {
		theirs, ours := r.times[Theirs], r.times[f.side]
		switch {
		case theirs == ours && ours == 0, !f.compares(r):
		case theirs == 0:
			if !f.failed {
				f.onlyOurs = append(f.onlyOurs, r)
			}
		case ours == 0:
			f.onlyTheirs = append(f.onlyTheirs, r)
		default:
			if theirs != ours && !f.failed {
				f.add(Repeated, r, r, strconv.Itoa(theirs)+"×", strconv.Itoa(ours)+"×")
			}
			f.pair(r, r)
		}
	}
}

// pair compares where an address is listed first on both sides.
func (f *finder) pair(theirRow, ourRow *row) {
	theirs, ours := theirRow.places[Theirs], ourRow.places[f.side]
	for _, x := range placeFacets {
		if !x.same(theirs, ours) {
			theirText, ourText := x.texts(theirs, ours)
			f.add(x.facet, theirRow, ourRow, theirText, ourText)
		}
	}
}

// placeFacet is a facet of where an address is listed.
type placeFacet struct {
	facet Facet
	same  func(theirs, ours place) bool
	texts func(theirs, ours place) (string, string)
}

var placeFacets = []placeFacet{
	{Page, func(a, b place) bool { return a.file == b.file }, func(a, b place) (string, string) { return a.named(), b.named() }},
	{LastMod, func(a, b place) bool { return a.date.Same(b.date) }, func(a, b place) (string, string) { return a.date.String(), b.date.String() }},
	extraFacet(Images, func(x *live.Extra) []string { return imageLocs(x.Images) }),
	extraFacet(ImageTitles, imageTitles),
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
		facet, func(a, b place) bool { return a.extra == b.extra || slices.Equal(list(a), list(b)) },
		func(a, b place) (string, string) { return contrast(list(a), list(b)) },
	}
}

func imageLocs(images []live.Image) []string {
	locs := make([]string, len(images))
	for i, m := range images {
		locs[i] = m.Loc
	}
	return locs
}

func imageTitles(x *live.Extra) []string {
	var all []string
	for _, m := range x.Images {
		if m.Title != "" {
			all = append(all, m.Loc+" title: "+m.Title)
		}
		if m.Caption != "" {
			all = append(all, m.Loc+" caption: "+m.Caption)
		}
	}
	return all
}

// contrast says what two sorted lists have and the other has not, in few words.
func contrast(theirs, ours []string) (string, string) {
	if len(theirs) == 1 && len(ours) == 1 && strings.Contains(theirs[0], "\n") && strings.Contains(ours[0], "\n") {
		return contrast(strings.Split(theirs[0], "\n"), strings.Split(ours[0], "\n")) // two records
	}
	a, b := without(theirs, ours), without(ours, theirs)
	return few(a, len(theirs)), few(b, len(ours))
}

// without returns what a has oftener than b.
func without(a, b []string) []string {
	left := map[string]int{}
	for _, s := range b {
		left[s]++
	}
	var more []string
	for _, s := range a {
		if left[s] > 0 {
			left[s]--
		} else {
			more = append(more, s)
		}
	}
	return more
}

const maxShown = 3

func few(list []string, of int) string {
	switch {
	case of == 0:
		return "none"
	case len(list) == 0:
		return "nothing else"
	}
	var shown []string
	for i, s := range list {
		if i == maxShown {
			shown = append(shown, "and "+strconv.Itoa(len(list)-i)+" more")
			break
		}
		shown = append(shown, live.Shorten(strings.ReplaceAll(s, "\n", ", "), 300))
	}
	return strings.Join(shown, ", ")
}

// leftovers puts together, among what only one side has, other spellings of one address and addresses that are in another sitemap;
// what remains is missing.
func (f *finder) leftovers() {
	f.match(func(r *row) string { return r.group.name + " " + spelling(r.loc) }, func(theirs, ours *row) {
		f.add(Address, theirs, ours, theirs.loc, ours.loc)
		f.pair(theirs, ours)
	})
	f.match(func(r *row) string { return r.loc }, func(theirs, ours *row) {
		f.add(Elsewhere, theirs, ours, theirs.group.name, ours.group.name)
	})
	for _, r := range f.onlyTheirs {
		f.add(OnlyTheirs, r, r, r.places[Theirs].named(), "not listed")
	}
	for _, r := range f.onlyOurs {
		f.add(OnlyOurs, r, r, "not listed", r.places[f.side].named())
	}
}

// match takes out what only one side has, where the other one has a row with the same key.
func (f *finder) match(key func(*row) string, found func(theirs, ours *row)) {
	ours, matched := map[string][]*row{}, map[*row]bool{}
	for _, r := range f.onlyOurs {
		ours[key(r)] = append(ours[key(r)], r)
	}
	f.onlyTheirs = slices.DeleteFunc(f.onlyTheirs, func(r *row) bool {
		same := ours[key(r)]
		if len(same) == 0 {
			return false
		}
		ours[key(r)], matched[same[0]] = same[1:], true
		found(r, same[0])
		return true
	})
	f.onlyOurs = slices.DeleteFunc(f.onlyOurs, func(r *row) bool { return matched[r] })
}

// named is the file name of a place and its date.
func (p place) named() string {
	text := p.file.group.name + ", page " + strconv.Itoa(p.file.page)
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
