package catalog

import (
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
)

// Changes says for people which settings of a blog have changed that decide about whole sitemaps; "" for none.
func (o *Outline) Changes(before *Outline) string {
	var texts []string
	say := func(applies bool, text string, names ...string) {
		if applies {
			texts = append(texts, text+strings.Join(names, ", "))
		}
	}
	gained, dropped := without(o.Plugins, before.Plugins), without(before.Plugins, o.Plugins)
	if before.Plugins == nil { // a record of another version does not tell
		gained, dropped = nil, nil
	}
	var unknown, off []string
	for _, f := range before.Files {
		switch of := f.Of; {
		case f.Name == seo.IndexName || slices.Contains(before.Timed, f.Name) || slices.Contains(unknown, of) || slices.Contains(off, of):
		case !slices.Contains(before.Off, of) && slices.Contains(o.Off, of):
			off = append(off, of)
		case o.Active && f.Of != "" && before.Plugin == o.Plugin && !slices.Contains(o.Types, of):
			unknown = append(unknown, of)
		}
	}
	plugins := before.Plugin != o.Plugin || before.Active != o.Active || len(unknown) > 0
	say(before.Active && !o.Active, "there are no sitemaps any more: switched off, or search engines are asked to stay away (blog_public)")
	say(o.Active && before.Active && before.Plugin != o.Plugin, "the sitemaps of "+before.Plugin+" are off, those of "+o.Plugin+" answer")
	say(o.Active && !before.Private && o.Private, "search engines are asked to stay away (blog_public)")
	say(before.Private && !o.Private, "search engines are welcome again")
	say(len(off) > 0, "not indexed or switched off: ", off...)
	say(len(unknown) > 0, "no public post type or taxonomy any more: ", unknown...)
	say(plugins && len(dropped) > 0, "deactivated: ", dropped...)
	say(plugins && len(gained) > 0, "activated: ", gained...)
	return strings.Join(texts, "; ")
}

// without returns what of a is not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return slices.Contains(b, name) })
}
