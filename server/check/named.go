package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/wp"
)

// mostNamed limits how many ids of one configuration key, such as exclude.post_ids, are looked up in the database.
const mostNamed = 1000

// noteNamed warns of types that only the configuration names, and of ids in the configuration that do not exist. For a network it
// looks up no ids, because they may belong to any of its blogs.
func (b *BlogReport) noteNamed(ctx context.Context, s *config.Site, blog *wp.Blog, network bool) error {
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(s.Overrides.PostTypes)), s.News.PostTypes, s.Video.PostTypes) {
		b.noteType("post type", name, s.Overrides.PostTypes[name].Public)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Overrides.Taxonomies)) {
		b.noteType("taxonomy", name, s.Overrides.Taxonomies[name].Public)
	}
	if network {
		return nil
	}
	for _, list := range []struct {
		key  string
		ids  []int64
		read func(context.Context, []int64) (map[int64]string, error)
	}{
		{"exclude.post_ids", s.Exclude.PostIDs, blog.PostTitles},
		{"exclude.term_ids", s.Exclude.TermIDs, blog.TermNames},
		{"exclude.user_ids", s.Exclude.UserIDs, blog.UserNames},
		{"news.exclude_terms", s.News.ExcludeTerms, blog.TermNames},
	} {
		ids := list.ids[:min(len(list.ids), mostNamed)]
		found, err := list.read(ctx, ids)
		if err != nil {
			return err
		}
		var missing []string
		for _, id := range ids {
			if _, ok := found[id]; !ok {
				missing = append(missing, fmt.Sprint(id))
			}
		}
		if len(missing) > 0 {
			b.warnOnce("%s names ids that the database does not have. Correct or remove them: %s", list.key, strings.Join(missing, ", "))
		}
	}
	return nil
}

// noteType warns of a type that only the configuration names and that lists nothing. public is what the configuration says
// about the type; nil means that it says nothing.
func (b *BlogReport) noteType(kind, name string, public *bool) {
	i := slices.IndexFunc(b.Types, func(t typeReport) bool { return t.Kind == kind && t.Name == name })
	switch {
	case public != nil && !*public: // the type is meant to list nothing
	case i >= 0 && b.Types[i].Public && b.Types[i].source("public") != "configuration":
	case !slices.ContainsFunc(b.Sitemaps, func(s sizeReport) bool { return s.Name == name && s.URLs > 0 }):
		b.warnOnce("the configuration names the %s %q, but no sitemap lists anything of it, and no other source says that it is "+
			"public: check the name", kind, name)
	}
}

func (b *BlogReport) warnOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.Warnings, text) {
		b.Warnings = append(b.Warnings, text)
	}
}
