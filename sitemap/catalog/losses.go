package catalog

import (
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
)

// This file compares two outlines of a blog: whether objects were lost, and which settings explain that whole sitemaps are gone.
// The guard of the daemon uses it (server/refresh/lossguard.go).

// Objects counts the entries in the sitemaps of post types, taxonomies and authors. News, videos and
// archives consist of the same objects and do not count.
func (o *Outline) Objects() int { return o.objects(func(string) bool { return true }) }

// objects counts the entries in the sitemaps of those types for which counts returns true.
func (o *Outline) objects(counts func(of string) bool) (n int) {
	for _, f := range o.Files {
		if f.Name != seo.IndexName && f.Of != "" && counts(f.Of) {
			n += f.Entries
		}
	}
	return n
}

// Expected compares the outline with before, an earlier one, to show whether objects were lost that no setting explains. was is
// the number of objects in before, now the number in o plus the growth of Ruled. The same types count on both sides:
//
//   - A type that settings leave out now does not count, nor one that went with a plugin.
//   - If another plugin makes the sitemaps, authors and attachments do not count, because each plugin has rules of its own for them.
func (o *Outline) Expected(before *Outline) (was, now int) {
	if o.Private {
		return 0, 0
	}
	other := before.Plugin != o.Plugin
	plugins := other || before.Plugins != nil && !slices.Equal(before.Plugins, o.Plugins)
	counts := func(of string) bool {
		switch {
		case slices.Contains(o.Off, of), plugins && !slices.Contains(o.Types, of):
			return false
		case other:
			return of != "author" && of != "attachment"
		}
		return true
	}
	return before.objects(counts), o.objects(counts) + max(0, o.Ruled-before.Ruled)
}

// Cause says for people which setting removed or replaced whole sitemaps since before, an earlier outline. It returns "" if no
// setting has.
func (o *Outline) Cause(before *Outline) string {
	switch {
	case before.Active && !o.Active:
		return "there are no sitemaps any more: switched off, or search engines are asked to stay away (blog_public), or the " +
			"environment is not production"
	case before.Active && before.Plugin != o.Plugin:
		return "the sitemaps of " + before.Plugin + " are off, those of " + o.Plugin + " answer"
	case o.Private && !before.Private:
		return "search engines are asked to stay away (blog_public), or the environment is not production"
	}
	var off, left []string // types whose sitemaps are gone, each once
	for _, f := range before.Files {
		switch {
		case !o.dropped(f.Of, before) || slices.Contains(off, f.Of) || slices.Contains(left, f.Of):
		case slices.Contains(o.Left, f.Name):
			left = append(left, f.Of)
		default:
			off = append(off, f.Of)
		}
	}
	var causes []string
	if len(off) > 0 {
		causes = append(causes, "not indexed, switched off, or not public any more: "+strings.Join(off, ", "))
	}
	if len(left) > 0 {
		causes = append(causes, "left to the site (check says why): "+strings.Join(left, ", "))
	}
	return strings.Join(causes, "; ")
}

// dropped reports whether a type is out of the sitemaps now, but was not off before.
func (o *Outline) dropped(of string, before *Outline) bool {
	out := slices.Contains(o.Off, of) || o.Active && !slices.Contains(o.Types, of)
	return of != "" && out && !slices.Contains(before.Off, of)
}
