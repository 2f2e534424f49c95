package route

import (
	"regexp"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/php"
)

// gzipEnd is what follows the address of a sitemap whose compressed file is asked for.
const gzipEnd = ".gz"

// textForm is the address of a text sitemap; page 1 has no number.
var textForm = regexp.MustCompile(`^sitemap([2-9]|[1-9][0-9]{1,8})?\.txt$`)

// format is the route of a sitemap in another format, of which there is no form by query
// variables and none with a slash at its end. A compressed file is ours
// exactly when its sitemap is.
func (a Scheme) format(uri, rest string) Resource {
	path, _, _ := strings.Cut(uri, "?")
	if path = php.URLDecode(path); strings.HasSuffix(path, "/") || strings.Contains(path, "?") {
		return Resource{}
	}
	rest = strings.Trim(strings.TrimPrefix(php.URLDecode(rest), "index.php/"), "/")
	if rest == catalog.AtomName || rest == catalog.RSSName {
		return Resource{Kind: Sitemap, Name: rest, Page: 1}
	}
	if m := textForm.FindStringSubmatch(rest); m != nil {
		return Resource{Kind: Sitemap, Name: catalog.TextName, Page: catalog.PageOf(m[1])}
	}
	path, ok := strings.CutSuffix(path, ".xml"+gzipEnd)
	if !ok || !a.Gzip || !a.paths() {
		return Resource{}
	}
	a.Plain = false // WordPress would not know this address with a slash either
	to := a.xml(path+".xml", strings.TrimSuffix(rest, gzipEnd))
	switch {
	case to.Kind == Sitemap && !to.ByQuery:
		to.Packed, to.Unowned = true, ""
		return to
	case to.Kind == Redirect && to.Name != "":
		to.Location += gzipEnd
		return to
	}
	return Resource{}
}
