package catalog

import (
	"slices"
	"strings"
)

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
	var off []string
	for _, f := range before.Files {
		left := slices.Contains(o.Off, f.Of) || o.Active && !slices.Contains(o.Types, f.Of)
		if left && f.Of != "" && !slices.Contains(before.Off, f.Of) && !slices.Contains(off, f.Of) {
			off = append(off, f.Of)
		}
	}
	if len(off) == 0 {
		return ""
	}
	return "not indexed, switched off, or not public any more: " + strings.Join(off, ", ")
}
