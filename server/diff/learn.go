package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
)

// Learning finds the configuration that explains what differs: each candidate is tried by building our side with it, and stays
// where fewer differences are left.

const (
	mostTried   = 60  // candidates, each of which costs a reading of the site
	mostObjects = 200 // ids that are excluded one by one
	mostFirst   = 10  // addresses before the objects of a type: home, an archive, each in some languages
)

// Line is a key of a site in the configuration. Table is below the site's own: post_type.book, exclude; "" for none.
type Line struct{ Table, Key, Value, Reason string }

// Lesson is what was learnt of a site. Before and After count differences that nothing explains.
type Lesson struct {
	Steps         [][]Line // candidates that have explained some
	Before, After int
	Left          []Group // what remains
}

// candidates propose lines, those first that explain most.
var candidates = []func(*attempt) [][]Line{
	(*attempt).otherPlugin, (*attempt).otherHome, (*attempt).types, (*attempt).archives, (*attempt).objects, (*attempt).otherPages,
	(*attempt).otherImages,
}

// Learn compares a site at its level, and tries candidates. with returns the site with more lines in its configuration.
func (d *Run) Learn(ctx context.Context, s *config.Site, with func([]Line) (*config.Site, error)) (*Lesson, error) {
	c, r := NewComparison(), &BlogReport{}
	now, err := d.attempt(ctx, s, c, r, math.MaxInt)
	if err != nil {
		return nil, err
	}
	l := &Lesson{Before: now.open}
	var lines []Line
	tried := map[string]bool{}
	for untried := now.proposed; len(untried) > 0 && len(tried) < mostTried; {
		more := untried[0]
		untried = untried[1:]
		key := fmt.Sprint(more)
		if tried[key] {
			continue
		}
		tried[key] = true
		changed, err := with(append(slices.Clip(lines), more...))
		if err != nil { // it cannot be written there
			continue
		}
		next, err := d.attempt(ctx, changed, c, r, now.open)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && next.open < now.open {
			l.Steps = append(l.Steps, more)
			lines = append(lines, more...)
			now, untried = next, next.proposed
		}
	}
	l.After = now.open
	for _, g := range grouped(now.found, maxExamples) {
		if !g.Known {
			l.Left = append(l.Left, g)
		}
	}
	return l, nil
}

// attempt is our side with a configuration, beside theirs.
type attempt struct {
	*sitemaps
	catalog *sitemap.Catalog // of the site's level
	side    Side
	found   []Difference
	open    int // those of found that nothing explains

	onlyTheirs, onlyOurs map[string][]string // addresses by sitemap
	proposed             [][]Line            // what may be tried next
}

// attempt builds our side in a comparison. Theirs is read where it is not in there yet, and r tells of it. Candidates are proposed where
// some differences are open, and fewer than least.
func (d *Run) attempt(ctx context.Context, s *config.Site, c *Comparison, r *BlogReport, least int) (*attempt, error) {
	n, blogs, err := site.Blogs(ctx, s)
	if n != nil {
		defer n.Close()
	}
	switch {
	case err != nil:
		return nil, err
	case len(blogs) != 1:
		return nil, errors.New("it is a network, and a line of the configuration holds for all of its sites")
	}
	c.Forget(Plugin)
	c.Forget(Spec)
	x, level := &sitemaps{Run: d, ctx: ctx, site: s, blog: blogs[0], c: c, served: r}, seo.Level(s.Compat)
	if err := x.read([]seo.Level{level}); err != nil {
		return nil, err
	}
	if len(r.Failed) > 0 {
		return nil, fmt.Errorf("%d of its sitemaps could not be read, the first of them %s: %s", len(r.Failed), r.Failed[0].URL, r.Failed[0].Error)
	}
	side := d.side(level)
	a := &attempt{sitemaps: x, catalog: x.catalogs[side], side: side, onlyTheirs: map[string][]string{}, onlyOurs: map[string][]string{}}
	x.why.Excluded, x.why.PageSize = nil, 0 // what a line leaves out that they list is no explanation
	a.found = c.Find(side, x.why)
	for _, x := range a.found {
		if x.Cause.Known {
			continue
		}
		a.open++
		switch x.Facet {
		case OnlyTheirs:
			a.onlyTheirs[x.Sitemap] = append(a.onlyTheirs[x.Sitemap], x.URL)
		case OnlyOurs:
			a.onlyOurs[x.Sitemap] = append(a.onlyOurs[x.Sitemap], x.URL)
		}
	}
	if a.open > 0 && a.open < least {
		for _, propose := range candidates {
			a.proposed = append(a.proposed, propose(a)...)
		}
	}
	return a, nil
}

// tables are where a type of a sitemap's name is configured: both where it is not registered.
func (a *attempt) tables(name string) []string {
	post, taxonomy := "post_type."+config.Key(name), "taxonomy."+config.Key(name)
	switch {
	case a.blog.Registry().PostType(name) != nil:
		return []string{post}
	case a.blog.Registry().Taxonomy(name) != nil:
		return []string{taxonomy}
	case name == "author":
		return nil
	}
	return []string{post, taxonomy}
}

func (a *attempt) otherPlugin() [][]Line {
	choice := sitemap.ChoiceOf(a.served.Generator)
	if choice == "" || a.served.Generator == a.catalog.Plugin() {
		return nil
	}
	return [][]Line{{{"", "sitemaps", config.Quote(choice), "the site's sitemaps are those of " + a.served.Generator}}}
}

func (a *attempt) otherHome() [][]Line {
	ours, err := url.Parse(a.blog.Home())
	if err != nil {
		return nil
	}
	for _, x := range a.found {
		if u, err := url.Parse(x.URL); err == nil && (x.Facet == Address || x.Facet == OnlyTheirs) && (u.Scheme != ours.Scheme || u.Host != ours.Host) {
			home := u.Scheme + "://" + u.Host + ours.Path
			return [][]Line{{{"", "home", config.Quote(home), "its URLs begin with " + u.Scheme + "://" + u.Host}}}
		}
	}
	return nil
}

// types are lines for types of which one side lists nothing, or whose addresses are others.
func (a *attempt) types() (all [][]Line) {
	for _, name := range a.c.names {
		theirs, ours := a.c.groups[name].sizes[Theirs], a.c.groups[name].sizes[a.side]
		onlyTheirs, onlyOurs := len(a.onlyTheirs[name]) > 0, len(a.onlyOurs[name]) > 0
		for _, table := range a.tables(name) {
			switch {
			case theirs == 0 && onlyOurs:
				all = append(all, []Line{{table, "exclude", "true", fmt.Sprintf("the site lists none of its %d URLs", ours)}})
			case ours == 0 && onlyTheirs:
				shown := a.shown(name, table, fmt.Sprintf("the site lists %d URLs of it", theirs))
				all = append(all, []Line{shown})
				for _, slug := range a.slugs(name, table) {
					all = append(all, append([]Line{shown}, slug...))
				}
			case onlyTheirs && onlyOurs:
				all = append(all, a.slugs(name, table)...)
			}
		}
	}
	return all
}

// shown is the line by which a type is listed.
func (a *attempt) shown(name, table, reason string) Line {
	switch t := a.blog.Registry().PostType(name); {
	case t != nil && len(t.LeftOutOf) > 0:
		return Line{table, "exclude", "false", reason}
	case t != nil && t.Public:
		return Line{table, "viewable", "true", reason}
	}
	return Line{table, "public", "true", reason}
}

// path is the path of an address below home, without slashes at its ends.
func (a *attempt) path(address string) string {
	rest, _ := strings.CutPrefix(address, a.blog.Home())
	rest, _, _ = strings.Cut(rest, "?")
	return strings.Trim(rest, "/")
}

// slugs are the lines of a type whose addresses begin as most of theirs do.
func (a *attempt) slugs(name, table string) (all [][]Line) {
	count := map[string]int{}
	for _, address := range a.onlyTheirs[name] {
		count[strings.Trim(path.Dir("/"+a.path(address)), "/")]++
	}
	if len(count) == 0 {
		return nil
	}
	most := slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(x, y string) int { return cmp.Compare(count[x], count[y]) })
	line := func(slug string) Line {
		return Line{table, "slug", config.Quote(cmp.Or(slug, "/")), fmt.Sprintf("%d of the site's URLs begin with /%s", count[most], most)}
	}
	front, _, _ := strings.Cut(a.blog.Settings().Permalinks.Structure, "%")
	front = strings.Trim(front, "/")
	if front == "" {
		return [][]Line{{line(most)}}
	}
	if rest, ok := strings.CutPrefix(most, front+"/"); ok {
		all = append(all, []Line{line(rest)})
	}
	return append(all, []Line{line(most), {table, "with_front", "false", "the front of the permalinks does not stand before it"}})
}

func (a *attempt) archives() (all [][]Line) {
	for _, name := range a.c.names {
		t := a.blog.Registry().PostType(name)
		if t == nil || t.BuiltIn {
			continue
		}
		table := a.tables(name)[0]
		for _, address := range a.onlyTheirs[name] {
			if p := a.path(address); p != "" && !strings.HasPrefix(p, t.Slug+"/") {
				all = append(all, []Line{{table, "archive", config.Quote(p), "the site lists " + address}})
				break
			}
		}
		if link, err := a.blog.ArchiveLink(a.ctx, t); err == nil && slices.Contains(a.onlyOurs[name], link) {
			all = append(all, []Line{{table, "archive", "false", "the site does not list " + link}})
		}
	}
	return all
}

func (a *attempt) objects() (all [][]Line) {
	ids := map[string][]int64{"post": a.site.Exclude.PostIDs, "term": a.site.Exclude.TermIDs, "user": a.site.Exclude.UserIDs}
	found := map[string]int{}
	for _, name := range a.c.names {
		if len(a.onlyOurs[name]) > mostObjects {
			continue
		}
		for _, address := range a.onlyOurs[name] {
			x, err := a.catalog.Explain(a.ctx, address)
			if err != nil {
				continue
			}
			of, number, _ := strings.Cut(x.Object, " ")
			kind := ""
			switch {
			case a.blog.Registry().PostType(of) != nil:
				kind = "post"
			case a.blog.Registry().Taxonomy(of) != nil:
				kind = "term"
			case of == "author":
				kind = "user"
			}
			if id, err := strconv.ParseInt(number, 10, 64); err == nil && kind != "" {
				found[kind]++
				ids[kind] = append(slices.Clip(ids[kind]), id)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		if n := found[kind]; n <= mostObjects {
			slices.Sort(ids[kind])
			text := strings.ReplaceAll(fmt.Sprint(slices.Compact(ids[kind])), " ", ", ")
			all = append(all, []Line{{"exclude", kind + "_ids", text, fmt.Sprintf("the site does not list %d of its %ss", n, kind)}})
		}
	}
	return all
}

// otherPages goes by the first of several sitemaps, which may begin with home or an archive: those are not counted as objects.
func (a *attempt) otherPages() [][]Line {
	for _, name := range a.c.names {
		var first []*row
		more := false
		for _, r := range a.c.groups[name].rows {
			switch {
			case r.times[Theirs] == 0:
			case r.places[Theirs].file.page > 1:
				more = true
			default:
				first = append(first, r)
			}
		}
		if !more {
			continue
		}
		slices.SortFunc(first, func(x, y *row) int { return cmp.Compare(x.places[Theirs].at, y.places[Theirs].at) })
		objects := len(first)
		for _, r := range first[:min(len(first), mostFirst)] {
			x, err := a.catalog.Explain(a.ctx, r.loc)
			if r.loc != a.blog.Home()+"/" && (err != nil || strings.HasPrefix(x.Object, name+" ")) {
				break
			}
			objects--
		}
		if objects > 0 && objects != a.site.PageSize {
			return [][]Line{{{"", "page_size", strconv.Itoa(objects), fmt.Sprintf("that many objects are on the first of its %s sitemaps", name)}}}
		}
	}
	return nil
}

func (a *attempt) otherImages() [][]Line {
	for _, x := range a.found {
		if x.Facet != Images || x.theirs.extra == nil || x.ours.extra == nil {
			continue
		}
		theirs, ours := imageLocs(x.theirs.extra.Images), imageLocs(x.ours.extra.Images)
		for _, to := range without(theirs, ours) {
			for _, from := range without(ours, theirs) {
				if f, t := prefixes(from, to); f != "" {
					return [][]Line{{{
						"images", "replace", fmt.Sprintf("{ %s = %s }", config.Quote(f), config.Quote(t)), "its images are there, as " + live.Shorten(to, 200),
					}}}
				}
			}
		}
	}
	return nil
}

// prefixes are what two addresses of one file begin with, "" where they are of two.
func prefixes(a, b string) (string, string) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x)-3 && n < len(y)-3 && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	if n == 0 || len(a) < 8 {
		return "", ""
	}
	return strings.Join(x[:len(x)-n], "/"), strings.Join(y[:len(y)-n], "/")
}
