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

// Find returns every difference between theirs and a level with its cause, in no order that matters. why may be nil. Entries of
// groups of which a file could not be read count only where both sides are known.
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

	onlyTheirs, onlyOurs []missing
}

// missing is a row that one side lacks in a group.
type missing struct {
	g *group
	r *row
}

// add records a difference of an entry. theirs and ours are where it is listed.
func (f *finder) add(facet Facet, m missing, theirs, ours place, theirText, ourText string) *Difference {
	f.found = append(f.found, Difference{
		Facet: facet, URL: m.r.loc, Sitemap: m.g.name, Theirs: theirText, Ours: ourText, row: m.r, group: m.g, theirs: theirs, ours: ours,
	})
	return &f.found[len(f.found)-1]
}

// files compares which files the indexes name, and the dates of those that both do.
func (f *finder) files() {
	for _, x := range f.list {
		g := f.groups[x.group]
		d := Difference{Sitemap: g.name, URL: x.url[f.side], file: x, group: g}
		switch theirs, ours := x.has[Theirs], x.has[f.side]; {
		case theirs && ours:
			d.Facet, d.Theirs, d.Ours = IndexDate, x.date[Theirs].String(), x.date[f.side].String()
			d.theirs.date, d.ours.date = x.date[Theirs], x.date[f.side]
			if d.theirs.date.Same(d.ours.date) {
				continue
			}
		case theirs == ours || f.unsure(g):
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
	unsure := f.unsure(g)
	for _, r := range g.rows {
		m, theirs, ours := missing{g, r}, r.places[Theirs], r.places[f.side]
		switch {
		case len(theirs) == 0 && len(ours) == 0:
			continue
		case len(theirs) == 0:
			if !unsure {
				f.onlyOurs = append(f.onlyOurs, m)
			}
			continue
		case len(ours) == 0:
			f.onlyTheirs = append(f.onlyTheirs, m)
			continue
		case len(theirs) != len(ours) && !unsure:
			f.add(Repeated, m, theirs[0], ours[0], times(len(theirs)), times(len(ours)))
		}
		for _, p := range pairs(theirs, ours) {
			f.pair(m, p[0], p[1])
		}
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// pairs puts together what is on the same page first.
func pairs(theirs, ours []place) [][2]place {
	if len(theirs) == 1 && len(ours) == 1 {
		return [][2]place{{theirs[0], ours[0]}}
	}
	var pairs [][2]place
	rest := slices.Clone(ours)
	for _, want := range []func(a, b place) bool{
		func(a, b place) bool { return a.file == b.file && a.date.Same(b.date) && a.extra.Equal(b.extra) },
		func(a, b place) bool { return a.file == b.file },
		func(place, place) bool { return true },
	} {
		theirs = slices.DeleteFunc(slices.Clone(theirs), func(a place) bool {
			i := slices.IndexFunc(rest, func(b place) bool { return want(a, b) })
			if i < 0 {
				return false
			}
			pairs = append(pairs, [2]place{a, rest[i]})
			rest = slices.Delete(rest, i, i+1)
			return true
		})
	}
	return pairs
}

// pair compares one time that an address is listed on both sides.
func (f *finder) pair(m missing, theirs, ours place) {
	var like [sides]*place
	for _, side := range []Side{Plugin, Then} {
		if side != f.side && len(m.r.places[side]) > 0 {
			like[side] = &pairs([]place{theirs}, m.r.places[side])[0][1]
		}
	}
	add := func(facet Facet, theirText, ourText string) {
		f.add(facet, m, theirs, ours, theirText, ourText).like = like
	}
	if theirs.file != ours.file {
		add(Page, f.named(theirs), f.named(ours))
	}
	if !theirs.date.Same(ours.date) {
		add(LastMod, theirs.date.String(), ours.date.String())
	}
	if theirs.extra.Equal(ours.extra) {
		return
	}
	for _, facet := range extraFacets {
		if a, b := each(theirs.extra, facet.of), each(ours.extra, facet.of); !slices.Equal(a, b) {
			theirText, ourText := contrast(a, b)
			add(facet.facet, theirText, ourText)
		}
	}
}

// extraFacet is a facet of what an entry has beside its date.
type extraFacet struct {
	facet Facet
	of    func(*live.Extra) []string
}

// extraFacets are the facets of what an entry has beside its date, each as a sorted list: the
// order of images or videos says nothing to a crawler.
var extraFacets = []extraFacet{
	{Images, func(x *live.Extra) []string { return imageLocs(x.Images) }},
	{ImageTitles, imageTitles},
	{News, func(x *live.Extra) []string { return fields(x.News) }},
	{Videos, func(x *live.Extra) (all []string) {
		for _, v := range x.Videos {
			all = append(all, strings.Join(fields(v), "\n"))
		}
		return all
	}},
	{Alternates, func(x *live.Extra) (all []string) {
		for _, a := range x.Alternates {
			all = append(all, a.Language+" "+a.Href)
		}
		return all
	}},
}

// each returns what an entry has of a facet, nothing where it has no extensions.
func each(x *live.Extra, of func(*live.Extra) []string) []string {
	if x == nil {
		return nil
	}
	all := of(x)
	slices.Sort(all)
	return all
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

func fields(list []live.Field) []string {
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = f.Name + ": " + f.Value
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
	text := ""
	for i, s := range list {
		if i == maxShown {
			text += ", and " + strconv.Itoa(len(list)-i) + " more"
			break
		}
		if i > 0 {
			text += ", "
		}
		text += live.Shorten(strings.ReplaceAll(s, "\n", ", "), 300)
	}
	return text
}

// leftovers puts together, among what only one side has, other spellings of one address and addresses that are in another sitemap;
// what remains is missing.
func (f *finder) leftovers() {
	bySpelling, byLoc, matched := map[string][]missing{}, map[string]missing{}, map[*row]bool{}
	for _, m := range f.onlyOurs {
		key := m.g.name + " " + spelling(m.r.loc)
		bySpelling[key] = append(bySpelling[key], m)
	}
	f.onlyTheirs = slices.DeleteFunc(f.onlyTheirs, func(m missing) bool {
		key := m.g.name + " " + spelling(m.r.loc)
		same := bySpelling[key]
		if len(same) == 0 {
			return false
		}
		bySpelling[key] = same[1:]
		matched[same[0].r] = true
		theirs, ours := m.r.places[Theirs], same[0].r.places[f.side]
		f.add(Address, m, theirs[0], ours[0], m.r.loc, same[0].r.loc)
		for _, p := range pairs(theirs, ours) {
			f.pair(m, p[0], p[1])
		}
		return true
	})
	for _, m := range f.onlyOurs {
		if !matched[m.r] {
			byLoc[m.r.loc] = m
		}
	}
	for _, m := range f.onlyTheirs {
		theirs := m.r.places[Theirs][0]
		if other, ok := byLoc[m.r.loc]; ok && other.g != m.g && !matched[other.r] {
			matched[other.r] = true
			f.add(Elsewhere, m, theirs, other.r.places[f.side][0], m.g.name, other.g.name)
			continue
		}
		f.add(OnlyTheirs, m, theirs, place{}, f.named(theirs), "not listed")
	}
	for _, m := range f.onlyOurs {
		if !matched[m.r] {
			ours := m.r.places[f.side][0]
			f.add(OnlyOurs, m, place{}, ours, "not listed", f.named(ours))
		}
	}
}

// named is the file name of a place and its date.
func (f *finder) named(p place) string {
	x := f.list[p.file]
	text := x.group + ", page " + strconv.Itoa(x.page)
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
