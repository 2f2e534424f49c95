package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
)

// Learning finds the configuration that explains what differs: each candidate is tried by building our side with it, and stays
// where fewer differences are left. What has stayed may propose others: a type that is listed now, at other addresses.

const (
	mostTried   = 60  // candidates, each of which costs a reading of the site
	mostObjects = 200 // ids that are excluded one by one
)

// Line is a key of a site in the configuration. Table is below the site's own: post_type.book, exclude; "" for none.
type Line struct{ Table, Key, Value, Reason string }

// Lesson is what was learnt of a site. Before and After count differences that nothing explains.
type Lesson struct {
	Steps         [][]Line // candidates that have explained some
	Before, After int
	Left          []Group // what remains
}

// Learn compares a site at its level, and tries candidates. with returns the site with more lines in its configuration.
func (d *Run) Learn(ctx context.Context, s *config.Site, with func([]Line) (*config.Site, error)) (*Lesson, error) {
	x := &sitemaps{Run: d, ctx: ctx, served: &BlogReport{}}
	now, err := x.attempt(s)
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
		next, err := x.attempt(changed)
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
	*side
	site                 *config.Site
	theirs               *Listing
	generator            string              // of theirs
	open                 int                 // differences that nothing explains
	onlyTheirs, onlyOurs map[string][]string // addresses by sitemap
	proposed             [][]Line            // what may be tried next
}

// attempt compares a site with theirs, which is read the first time.
func (x *sitemaps) attempt(s *config.Site) (*attempt, error) {
	n, blogs, err := site.Blogs(x.ctx, s)
	if n != nil {
		defer n.Close()
	}
	switch {
	case err != nil:
		return nil, err
	case len(blogs) != 1:
		return nil, errors.New("it is a network, and a line of the configuration holds for all of its sites")
	}
	tried := *x
	tried.site, tried.blog, tried.learns = s, blogs[0], true
	sides, err := tried.compare([]seo.Level{seo.Level(s.Compat)})
	if x.theirs = tried.theirs; err != nil {
		return nil, err
	}
	if failed := x.served.Failed; len(failed) > 0 {
		return nil, fmt.Errorf("%d of its sitemaps could not be read, the first of them %s: %s", len(failed), failed[0].URL, failed[0].Error)
	}
	a := &attempt{
		side: sides[seo.Level(s.Compat)], site: s, theirs: x.theirs, generator: x.served.Generator,
		onlyTheirs: map[string][]string{}, onlyOurs: map[string][]string{},
	}
	a.open = unexplainedOf(a.found)
	for _, d := range a.found {
		switch {
		case d.Cause.Known:
		case d.Facet == OnlyTheirs:
			a.onlyTheirs[d.Sitemap] = append(a.onlyTheirs[d.Sitemap], d.URL)
		case d.Facet == OnlyOurs:
			a.onlyOurs[d.Sitemap] = append(a.onlyOurs[d.Sitemap], d.URL)
		}
	}
	a.proposed = a.candidates(x.ctx)
	return a, nil
}

// candidates are lines that may explain something, those first that explain most.
func (a *attempt) candidates(ctx context.Context) (all [][]Line) {
	propose := func(table, key, value, reason string, args ...any) {
		all = append(all, []Line{{table, key, value, fmt.Sprintf(reason, args...)}})
	}
	if choice := sitemap.ChoiceOf(a.generator); choice != "" && a.generator != a.catalog.Plugin() {
		propose("", "sitemaps", config.Quote(choice), "the site's sitemaps are those of %s", a.generator)
	}
	if origin := a.otherOrigin(); origin != "" {
		_, path := a.origin()
		propose("", "home", config.Quote(origin+path), "its URLs begin with %s", origin)
	}
	names := slices.Sorted(maps.Keys(a.theirs.sizes))
	for name := range a.listing.sizes {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		theirs, ours := a.theirs.sizes[name], a.listing.sizes[name]
		for _, table := range a.tables(name) {
			slug, n := a.mostBegin(name)
			slugs := Line{table, "slug", config.Quote(cmp.Or(slug, "/")), fmt.Sprintf("%d of the site's URLs begin with /%s", n, slug)}
			switch {
			case theirs == 0 && len(a.onlyOurs[name]) > 0:
				propose(table, "exclude", "true", "the site lists none of its %d URLs", ours)
			case ours == 0 && len(a.onlyTheirs[name]) > 0:
				key, value := a.shownBy(name)
				propose(table, key, value, "the site lists %d URLs of it", theirs)
				all = append(all, []Line{all[len(all)-1][0], slugs})
			case len(a.onlyTheirs[name]) > 0 && len(a.onlyOurs[name]) > 0:
				all = append(all, []Line{slugs})
			}
		}
		a.archives(ctx, name, propose)
	}
	a.objects(names, propose)
	return all
}

// tables are where a type of a sitemap's name is configured: both where it is not registered.
func (a *attempt) tables(name string) []string {
	post, taxonomy := "post_type."+config.Key(name), "taxonomy."+config.Key(name)
	switch {
	case a.catalog.Blog.Registry().PostType(name) != nil:
		return []string{post}
	case a.catalog.Blog.Registry().Taxonomy(name) != nil:
		return []string{taxonomy}
	case name == "author":
		return nil
	}
	return []string{post, taxonomy}
}

// origin is the scheme and the host of home, and its path.
func (a *attempt) origin() (origin, path string) {
	u, err := url.Parse(a.catalog.Blog.Home())
	if err != nil {
		return "", ""
	}
	return u.Scheme + "://" + u.Host, u.Path
}

// otherOrigin is the origin of theirs, where it is not that of home.
func (a *attempt) otherOrigin() string {
	ours, _ := a.origin()
	for _, d := range a.found {
		if u, err := url.Parse(d.URL); err == nil && (d.Facet == Address || d.Facet == OnlyTheirs) && u.Scheme+"://"+u.Host != ours {
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}

// shownBy is the key by which a type is listed, and its value.
func (a *attempt) shownBy(name string) (key, value string) {
	switch t := a.catalog.Blog.Registry().PostType(name); {
	case t != nil && len(t.LeftOutOf) > 0:
		return "exclude", "false"
	case t != nil && t.Public:
		return "viewable", "true"
	}
	return "public", "true"
}

// path is the path of an address below home, without slashes at its ends.
func (a *attempt) path(address string) string {
	rest, _ := strings.CutPrefix(address, a.catalog.Blog.Home())
	rest, _, _ = strings.Cut(rest, "?")
	return strings.Trim(rest, "/")
}

// mostBegin is what most of the addresses of a type begin with that only they have, behind the front of the permalinks, and the number
// of those.
func (a *attempt) mostBegin(name string) (slug string, n int) {
	count := map[string]int{}
	for _, address := range a.onlyTheirs[name] {
		count[strings.Trim(path.Dir("/"+a.path(address)), "/")]++
	}
	for begin := range count {
		if count[begin] > n || count[begin] == n && begin < slug {
			slug, n = begin, count[begin]
		}
	}
	front, _, _ := strings.Cut(a.catalog.Blog.Settings().Permalinks.Structure, "%")
	if front = strings.TrimPrefix(front, "/"); front != "" {
		slug = strings.TrimPrefix(slug, front)
	}
	return slug, n
}

// archives proposes the archive of a post type.
func (a *attempt) archives(ctx context.Context, name string, propose func(table, key, value, reason string, args ...any)) {
	t := a.catalog.Blog.Registry().PostType(name)
	if t == nil || t.BuiltIn {
		return
	}
	table := "post_type." + config.Key(name)
	for _, address := range a.onlyTheirs[name] {
		if p := a.path(address); p != "" && !strings.HasPrefix(p, t.Slug+"/") {
			propose(table, "archive", config.Quote(p), "the site lists %s", address)
			break
		}
	}
	if link, err := a.catalog.Blog.ArchiveLink(ctx, t); err == nil && slices.Contains(a.onlyOurs[name], link) {
		propose(table, "archive", "false", "the site does not list %s", link)
	}
}

// objects proposes to exclude single objects.
func (a *attempt) objects(names []string, propose func(table, key, value, reason string, args ...any)) {
	ids := map[string][]int64{"post": a.site.Exclude.PostIDs, "term": a.site.Exclude.TermIDs, "user": a.site.Exclude.UserIDs}
	found := map[string]int{}
	for _, d := range a.found {
		if d.Facet != OnlyOurs || d.Cause.Known || len(a.onlyOurs[d.Sitemap]) > mostObjects {
			continue
		}
		of, number, _ := strings.Cut(d.object, " ")
		kind := ""
		switch {
		case a.catalog.Blog.Registry().PostType(of) != nil:
			kind = "post"
		case a.catalog.Blog.Registry().Taxonomy(of) != nil:
			kind = "term"
		case of == "author":
			kind = "user"
		}
		if id, err := strconv.ParseInt(number, 10, 64); err == nil && kind != "" {
			found[kind]++
			ids[kind] = append(slices.Clip(ids[kind]), id)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		if n := found[kind]; n <= mostObjects {
			slices.Sort(ids[kind])
			text := strings.ReplaceAll(fmt.Sprint(slices.Compact(ids[kind])), " ", ", ")
			propose("exclude", kind+"_ids", text, "the site does not list %d of its %ss", n, kind)
		}
	}
}
