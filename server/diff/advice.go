package diff

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/registry"
)

// advise adds lines of configuration to each group of unexplained differences. These lines may explain the differences,
// but nobody has tried them. The operator adds the lines that are true of the site, and compares again.
func (s *side) advise(groups []Group, theirs *Listing) {
	for i := range groups {
		g := &groups[i]
		if g.Known {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(g.Sitemaps)) {
			if lines := s.linesOfType(g, name, theirs); lines != "" {
				g.Add = append(g.Add, lines)
			}
		}
		switch Facet(g.What) {
		case onlyOurs:
			g.Add = append(g.Add, s.linesOfObjects(g, theirs)...)
		case onlyTheirs, otherForm:
			if origin, own := s.otherOrigin(g); origin != "" {
				g.Add = append(g.Add, "home = "+config.Quote(origin+own.Path))
			}
		}
	}
}

// typeOf returns the type that a sitemap lists, and the header of its table in the configuration. The type is nil if no
// type of that name is registered.
func (s *side) typeOf(name string) (t *registry.Type, table string) {
	if t := s.catalog.Rules.Blog.Registry().PostType(name); t != nil {
		return t, "[site.post_type." + config.Key(name) + "]\n"
	}
	return s.catalog.Rules.Blog.Registry().Taxonomy(name), "[site.taxonomy." + config.Key(name) + "]\n"
}

// linesOfType returns lines of configuration that may explain the differences in the sitemap of one type; "" if there are none.
func (s *side) linesOfType(g *Group, name string, theirs *Listing) string {
	t, table := s.typeOf(name)
	if t == nil {
		return ""
	}
	switch facet := Facet(g.What); {
	case facet == extraSitemap && theirs.sizes[name] == 0:
		return table + "exclude = true"
	case facet == missingSitemap && s.listing.sizes[name] == 0 && len(t.LeftOutOf) > 0:
		return table + "exclude = false"
	case facet == missingSitemap && s.listing.sizes[name] == 0 && t.Public:
		return table + "viewable = true"
	case facet == missingSitemap && s.listing.sizes[name] == 0:
		return table + "public = true"
	case facet == onlyTheirs && s.listing.sizes[name] > 0:
		if lines := s.linesOfSlug(g, t, name, theirs); lines != "" {
			return table + lines
		}
	}
	return ""
}

// linesOfSlug returns the line that sets the slug of a type. With this slug, the daemon lists all examples of g, which only
// the site lists now. If the site lists the archive of the type at the archive's present URL, a second line keeps that URL.
// linesOfSlug returns "" if g has no example of this sitemap below home, if no slug explains all examples, or if the site lists another
// object with the present slug.
func (s *side) linesOfSlug(g *Group, t *registry.Type, name string, theirs *Listing) string {
	front, _, _ := strings.Cut(strings.TrimPrefix(s.catalog.Rules.Blog.Settings().Permalinks.Structure, "/"), "%")
	home := s.catalog.Rules.Blog.Home() + "/"
	missing, slug := commonFolder(g.Examples, name, home, front)
	lines, listed := "slug = "+config.Quote(cmp.Or(slug, "/")), map[string]bool{} // our URLs with that slug
	for _, k := range s.listing.order {
		start, rest, ok := cutSlug(k.loc, home, front, t.Slug)
		if !ok || k.sitemap != name {
			continue
		}
		_, stays := theirs.places[k]
		switch {
		case stays && strings.Trim(rest, "/") == "" && t.HasArchive:
			lines += "\narchive = " + config.Quote(t.ArchiveSlug)
		case stays:
			return ""
		default:
			listed[start+strings.TrimPrefix(slug+rest, "/")] = true
		}
	}
	if len(missing) == 0 || slices.ContainsFunc(missing, func(loc string) bool { return !listed[loc] }) {
		return ""
	}
	return lines
}

// cutSlug returns what is before and after the slug of a type in the URL of one of its objects. start is home, with front if the URL
// has it. rest begins with a slash, or is "". cutSlug returns false if the URL does not have the slug there.
func cutSlug(loc, home, front, slug string) (start, rest string, ok bool) {
	path, ok := strings.CutPrefix(loc, home)
	if !ok {
		return "", "", false
	}
	start = home
	if after, has := strings.CutPrefix(path, front); has {
		start, path = home+front, after
	}
	rest, ok = strings.CutPrefix("/"+path, strings.TrimRight("/"+slug, "/"))
	return start, rest, ok && (rest == "" || rest[0] == '/')
}

// commonFolder returns the example URLs of a sitemap that are below home, and the folder that most of these URLs are in. The
// folder does not contain front, the fixed text at the start of the permalinks.
func commonFolder(examples []Difference, sitemap, home, front string) (urls []string, folder string) {
	count := map[string]int{}
	for _, d := range examples {
		rest, below := strings.CutPrefix(d.URL, home)
		if !below || d.Sitemap != sitemap {
			continue
		}
		urls = append(urls, d.URL)
		rest, _, _ = strings.Cut(rest, "?")
		dir := strings.TrimPrefix(strings.Trim(path.Dir("/"+strings.Trim(rest, "/")), "/"), front)
		if count[dir]++; count[dir] > count[folder] {
			folder = dir
		}
	}
	return urls, folder
}

// linesOfObjects returns lines that exclude the objects that only our sitemaps list. It skips an object if the site
// does not have the sitemap of its type at all.
func (s *side) linesOfObjects(g *Group, theirs *Listing) (lines []string) {
	ids := map[string][]string{}
	for _, d := range g.Examples {
		of, id, _ := strings.Cut(d.object, " ")
		t, _ := s.typeOf(of)
		switch {
		case theirs.sizes[d.Sitemap] == 0 || id == "":
		case of == "author":
			ids["user_ids"] = append(ids["user_ids"], id)
		case t != nil && t.Taxonomy:
			ids["term_ids"] = append(ids["term_ids"], id)
		case t != nil:
			ids["post_ids"] = append(ids["post_ids"], id)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ids)) {
		lines = append(lines, fmt.Sprintf("[site.exclude]\n%s = [%s]", key, strings.Join(ids[key], ", ")))
	}
	return lines
}

// otherOrigin returns the origin of the first example URL (scheme and host), and our home. It returns "" and nil if
// our home has the same origin.
func (s *side) otherOrigin(g *Group) (origin string, home *url.URL) {
	home, err := url.Parse(s.catalog.Rules.Blog.Home())
	if err != nil {
		return "", nil
	}
	u, err := url.Parse(g.Examples[0].URL)
	if err != nil || u.Host == "" || u.Scheme == home.Scheme && u.Host == home.Host {
		return "", nil
	}
	return u.Scheme + "://" + u.Host, home
}
