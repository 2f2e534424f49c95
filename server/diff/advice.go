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

// advise gives each group of unexplained differences the lines of configuration that may explain them. Nobody has tried the lines:
// the operator adds what is true of the site, and compares again.
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
		case OnlyOurs:
			g.Add = append(g.Add, s.linesOfObjects(g, theirs)...)
		case OnlyTheirs, Address:
			if origin, own := s.otherOrigin(g); origin != "" {
				g.Add = append(g.Add, "home = "+config.Quote(origin+own.Path))
			}
		}
	}
}

// typeOf returns the type that a sitemap lists, and its table in the configuration. The type is nil if none of that name is registered.
func (s *side) typeOf(name string) (t *registry.Type, table string) {
	if t := s.catalog.Blog.Registry().PostType(name); t != nil {
		return t, "[site.post_type." + config.Key(name) + "]\n"
	}
	return s.catalog.Blog.Registry().Taxonomy(name), "[site.taxonomy." + config.Key(name) + "]\n"
}

// linesOfType returns what may explain a group of differences in the sitemap of one type, "" for nothing.
func (s *side) linesOfType(g *Group, name string, theirs *Listing) string {
	t, table := s.typeOf(name)
	if t == nil {
		return ""
	}
	switch facet := Facet(g.What); {
	case facet == ExtraSitemap && theirs.sizes[name] == 0:
		return table + "exclude = true"
	case facet == MissingSitemap && s.listing.sizes[name] == 0 && len(t.LeftOutOf) > 0:
		return table + "exclude = false"
	case facet == MissingSitemap && s.listing.sizes[name] == 0 && t.Public:
		return table + "viewable = true"
	case facet == MissingSitemap && s.listing.sizes[name] == 0:
		return table + "public = true"
	case facet == OnlyTheirs && s.listing.sizes[name] > 0:
		if slug := s.slugOf(g, name); slug != t.Slug {
			return table + "slug = " + config.Quote(cmp.Or(slug, "/"))
		}
	}
	return ""
}

// slugOf returns what most of the URLs of a sitemap begin with, behind home and the front of the permalinks.
func (s *side) slugOf(g *Group, name string) (slug string) {
	front, _, _ := strings.Cut(strings.TrimPrefix(s.catalog.Blog.Settings().Permalinks.Structure, "/"), "%")
	count := map[string]int{}
	for _, d := range g.Examples {
		if rest, below := strings.CutPrefix(d.URL, s.catalog.Blog.Home()); below && d.Sitemap == name {
			rest, _, _ = strings.Cut(rest, "?")
			dir := strings.Trim(path.Dir("/"+strings.Trim(rest, "/")), "/")
			dir = strings.TrimPrefix(dir, front)
			if count[dir]++; count[dir] > count[slug] {
				slug = dir
			}
		}
	}
	return slug
}

// linesOfObjects returns what excludes the objects that only ours list, except those of types that they do not list at all.
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

// otherOrigin returns scheme and host of their URLs if the first of them differs from home, and our home; "" if it does not.
func (s *side) otherOrigin(g *Group) (origin string, home *url.URL) {
	home, err := url.Parse(s.catalog.Blog.Home())
	if err != nil {
		return "", nil
	}
	u, err := url.Parse(g.Examples[0].URL)
	if err != nil || u.Host == "" || u.Scheme == home.Scheme && u.Host == home.Host {
		return "", nil
	}
	return u.Scheme + "://" + u.Host, home
}
