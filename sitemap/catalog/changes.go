package catalog

import (
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
)

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

// Expected returns two numbers that show whether objects were lost since before, an earlier outline. was
// counts the objects of before, without types that settings or a removed plugin leave out now. is counts
// the objects of o, and adds by how much Ruled has grown.
func (o *Outline) Expected(before *Outline) (was, is int) {
	if o.Private {
		return 0, 0
	}
	other := before.Plugin != o.Plugin
	plugins := other || before.Plugins != nil && !slices.Equal(before.Plugins, o.Plugins)
	was = before.objects(func(of string) bool {
		switch {
		case slices.Contains(o.Off, of), plugins && !slices.Contains(o.Types, of):
			return false
		case other: // each plugin has its own rules for authors and attachments
			return of != "author" && of != "attachment"
		}
		return true
	})
	return was, o.Objects() + max(0, o.Ruled-before.Ruled)
}

// Changes describes for people which setting removed or replaced whole sitemaps since before, an earlier outline.
// It returns "" if no setting has.
func (o *Outline) Changes(before *Outline) string {
	switch {
	case before.Active && !o.Active:
		return "there are no sitemaps any more: switched off, or search engines are asked to stay away (blog_public)"
	case before.Active && before.Plugin != o.Plugin:
		return "the sitemaps of " + before.Plugin + " are off, those of " + o.Plugin + " answer"
	case o.Private && !before.Private:
		return "search engines are asked to stay away (blog_public)"
	}
	var off, left []string
	for _, f := range before.Files {
		names := &off
		if slices.Contains(o.Left, f.Name) {
			names = &left
		}
		gone := slices.Contains(o.Off, f.Of) || o.Active && !slices.Contains(o.Types, f.Of)
		if gone && f.Of != "" && !slices.Contains(before.Off, f.Of) && !slices.Contains(*names, f.Of) {
			*names = append(*names, f.Of)
		}
	}
	var said []string
	if len(off) > 0 {
		said = append(said, "not indexed, switched off, or not public any more: "+strings.Join(off, ", "))
	}
	if len(left) > 0 {
		said = append(said, "left to the site, as check says why: "+strings.Join(left, ", "))
	}
	return strings.Join(said, "; ")
}
