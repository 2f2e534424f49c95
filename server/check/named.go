package check

import (
	"fmt"
	"maps"
	"slices"

	"wpsitemapd/server/config"
)

// noteNamed warns of types that the configuration alone knows.
func (b *BlogReport) noteNamed(s *config.Site) {
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(s.Overrides.PostTypes)), s.News.PostTypes, s.Video.PostTypes) {
		b.noteType("post type", name, s.Overrides.PostTypes[name].Public)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Overrides.Taxonomies)) {
		b.noteType("taxonomy", name, s.Overrides.Taxonomies[name].Public)
	}
}

// noteType warns of a type that the configuration alone knows, and that lists nothing. public is what it says of the type.
func (b *BlogReport) noteType(kind, name string, public *bool) {
	i := slices.IndexFunc(b.Types, func(t typeReport) bool { return t.Kind == kind && t.Name == name })
	switch {
	case public != nil && !*public: // nothing is expected of it
	case i >= 0 && b.Types[i].Public && b.Types[i].source("public") != "configuration":
	case !slices.ContainsFunc(b.Sitemaps, func(s sizeReport) bool { return s.Name == name && s.URLs > 0 }):
		text := fmt.Sprintf("the configuration names the %s %q, but nothing else says that it is public, and nothing of it is listed: check its name", kind, name)
		if !slices.Contains(b.Warnings, text) {
			b.Warnings = append(b.Warnings, text)
		}
	}
}
