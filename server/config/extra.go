package config

import (
	"regexp"

	"wpsitemapd/sitemap/seo"
)

// mostExtra is how many sitemaps an operator may add to a site.
const mostExtra = 50

// extraName matches the name of a sitemap that the operator adds. It has no digits, because a page number may follow it in a
// file name.
var extraName = regexp.MustCompile(`^[a-z]{1,20}(?:-[a-z]{1,20}){0,3}$`)

var sitemapURL = regexp.MustCompile(`^https?://[^/?#@\s]+/[^#\s]*$`)

// decodeExtra reads the sitemaps that the operator adds. If a site adds any, they replace the sitemaps that the defaults add.
func (s *Site) decodeExtra(t *table, dir string) {
	var all []seo.Extra
	names := map[string]bool{}
	for _, e := range t.subs("extra") {
		var keys seo.Extra
		file, url := e.holds("file"), e.holds("url") // asked before fields, which takes the keys
		e.fields(&keys)
		switch {
		case !extraName.MatchString(keys.Name):
			e.fail("name", keys.Name, "must be words of a-z with - between them, at most 4: it is part of extra-NAME-sitemap.xml")
		case names[keys.Name]:
			e.fail("name", keys.Name, "is the name of another [[site.extra]] of this site")
		case file == url && !e.holds("select"):
			e.fail("", nil, "must have either file, a list of URLs, or url, a sitemap of another program")
		case keys.URL != "" && !sitemapURL.MatchString(keys.URL):
			e.fail("url", keys.URL, `must be the URL of a sitemap, such as "https://www.example.com/docs/sitemap.xml"`)
		}
		names[keys.Name] = true
		keys.File = absolute(keys.File, dir)
		all = append(all, keys)
		e.finish()
	}
	if len(all) > mostExtra {
		t.fail("extra", nil, "this site has %d, and %d are the most", len(all), mostExtra)
	}
	if all != nil {
		s.Extra = all
	}
}
