package catalog

import (
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
)

// Objects counts the posts, terms and authors in the sitemaps of their types. News, videos and archives are made of the same objects.
func (o *Outline) Objects() int { return o.objects(func(string) bool { return true }) }

// objects counts the objects of some types.
func (o *Outline) objects(counts func(of string) bool) (n int) {
	for _, f := range o.Files {
		if f.Name != seo.IndexName && f.Of != "" && counts(f.Of) {
			n += f.Entries
		}
	}
	return n
}

// Expected returns how many objects of the outline before settings still let be listed, and how many of them are still there,
// listed or left out by a rule. Types that settings leave out now are not expected, nor those that went with a plugin.
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
		case other: // plugins have rules of their own for these
			return of != "author" && of != "attachment"
		}
		return true
	})
	return was, o.Objects() + max(0, o.Ruled-before.Ruled)
}

// Changes says for people which setting of a blog has changed that decides about whole sitemaps; "" for none.
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
