package catalog

import (
	"regexp"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// Files is the address scheme of plugins whose index is sitemap.xml and that have no files of types: here these are
// post-sitemap.xml, post-sitemap2.xml. Where there are no permalinks a query names the file.
type Files struct {
	TypeNames
	Query string         // the variable of that query
	Bare  string         // its value for the index
	Also  string         // another such value; "": there is none
	Index *regexp.Regexp // paths that the plugin takes for its index
	Gone  *regexp.Regexp // files of the plugin whose entries are here in the files of types; nil: it has none
}

const (
	indexFile = "sitemap.xml"
	styleFile = "sitemap.xsl"
)

// File implements seo.URLs.
func (Files) File(name string, page, _ int) string {
	if name == seo.IndexName {
		return indexFile
	}
	return PageFile(name, page)
}

// URL implements seo.URLs: below home and, with index permalinks, below index.php/.
func (f Files) URL(b seo.Base, file string) string {
	switch {
	case b.Pretty:
		return b.Front + file
	case file == indexFile:
		file = f.Bare
	}
	return b.Home + "/?" + f.Query + "=" + file
}

// XSL implements seo.URLs.
func (f Files) XSL(b seo.Base, _ urlset.DocumentKind) string {
	return f.URL(seo.Base{Home: b.Folder(), Front: b.Folder() + strings.TrimPrefix(b.Front, b.Home), Pretty: b.Pretty}, styleFile)
}

var listForm = regexp.MustCompile(`^([^/]+?)-sitemap([0-9]*)\.xml$`)

// Parse implements seo.URLs.
func (f Files) Parse(r seo.Request) seo.Resource {
	file, byQuery, ok := f.asked(&r)
	if !ok || !r.ReachesWordPress() {
		return seo.Resource{}
	}
	redirect := func(name string) seo.Resource {
		at := seo.Base{Front: "/", Pretty: r.Pretty}
		if r.Index {
			at.Front = "/index.php/"
		}
		return seo.Resource{Kind: seo.Redirect, Name: name, Location: f.URL(at, f.File(name, 1, 1))}
	}
	switch {
	case f.Index.MatchString(file):
		return seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1, ByQuery: byQuery}
	case file == styleFile:
		return seo.Resource{Kind: seo.Stylesheet, Name: "main"}
	case f.Gone != nil && f.Gone.MatchString(file):
		return redirect(seo.IndexName)
	}
	m := listForm.FindStringSubmatch(file)
	switch {
	case m == nil, m[1] == seo.IndexName, IsOtherFormat(m[1]): // those have addresses of their own
		return seo.Resource{}
	case m[2] == "0", m[2] == "1":
		return redirect(m[1])
	}
	return seo.Resource{Kind: seo.Sitemap, Name: m[1], Page: PageOf(m[2]), ByQuery: byQuery}
}

// asked is the file that a request names, by its path or, where there are no permalinks, by its query.
func (f Files) asked(r *seo.Request) (file string, byQuery, ok bool) {
	switch rest := php.URLDecode(r.Rest); {
	case r.Index:
		file, ok = strings.CutPrefix(rest, "index.php/")
		return file, false, ok
	case r.Pretty, !r.Plain && rest != "":
		return rest, false, true
	case rest != "" && rest != "index.php":
		return "", false, false
	}
	if file = r.Vars()[f.Query]; file == f.Bare || f.Also != "" && file == f.Also {
		file = indexFile
	}
	return file, true, file != ""
}
