package route

import (
	"slices"
	"strings"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/release"
)

// A Resource is what an address below a home means, to the plugin or beside it.
type Resource = seo.Resource

// What may be asked for of a plugin's.
const (
	Upstream = seo.NoResource // not ours by its address
	Sitemap  = seo.Sitemap
	Redirect = seo.Redirect
	XSL      = seo.Stylesheet
)

// What may be asked for beside it.
const (
	CSS       = XSL + 1 + iota // our own stylesheet
	Robots                     // robots.txt
	HTML                       // name and page, as HTML
	Undecided                  // a sitemap of which nobody knows whether it exists
	KeyFile                    // the file that proves the key of IndexNow
	Network                    // an index of the sitemaps of all blogs of a network
)

// A Scheme is how the sitemaps of a blog are addressed.
type Scheme struct {
	Path   string   // Path is the path of home, without slashes at its ends.
	Plain  bool     // There is no permalink structure: WordPress routes no paths, only query strings.
	Pretty bool     // There is one.
	Index  bool     // Its links go through index.php.
	Alone  bool     // There is no upstream.
	Chosen bool     // The operator has chosen whose sitemaps these are: the indexes of other plugins lead to theirs.
	URLs   seo.URLs // URLs are the plugin's.
	HTML   bool     // Sitemaps have pages for people, see html.go.
	Gzip   bool     // Sitemaps have compressed files, see format.go.

	Version release.Version // Version is the plugin's at level plugin, else that of the newest rules.
}

// SchemeOf is the scheme of a blog of a site.
func SchemeOf(of *site.Site, b *site.Blog) Scheme {
	a := Scheme{
		Path:   b.Address.Path,
		Plain:  b.Address.Plain && of.Upstream != nil,
		Pretty: !b.Address.Plain,
		Index:  strings.HasSuffix(b.Outline.Base.Front, "/index.php/"),
		URLs:   b.URLs(),
		Alone:  of.Upstream == nil,
		Chosen: b.Outline.Chosen,
		HTML:   of.Config.HTML,
		Gzip:   of.Config.Formats.Gzip,
	}
	for _, is := range b.Outline.Installed {
		if is.Name == b.Address.Plugin.Name && of.Config.Compat == string(seo.PluginLevel) {
			a.Version = is.Version
		}
	}
	return a
}

// Resource says what a request asks for. uri is the request as it came, path and query; rest is its path below home without
// slashes at the ends.
func (a Scheme) Resource(uri, rest string) Resource {
	none := Resource{}
	if to := a.xml(uri, rest); to != none {
		return to
	}
	if to := a.format(uri, rest); to != none {
		return to
	}
	return a.html(uri, rest)
}

// xml is Resource for everything but the other formats and pages for people.
func (a Scheme) xml(uri, rest string) Resource {
	to := a.URLs.Parse(seo.Request{
		URI: uri, Rest: rest, Path: a.Path, Pretty: a.Pretty, Index: a.Index, Plain: a.Plain, Alone: a.Alone, Gzip: a.Gzip,
		Version: a.Version,
	})
	if to.Kind != Upstream {
		return to
	}
	base := ""
	if a.Path != "" {
		base = "/" + a.Path
	}
	switch path, _, _ := strings.Cut(uri, "?"); {
	case path == base+catalog.CSSPath:
		return Resource{Kind: CSS}
	case a.Path == "" && path == "/robots.txt":
		return Resource{Kind: Robots}
	case a.Chosen && strings.HasPrefix(path, base+"/") && slices.Contains(seo.IndexFiles, strings.TrimPrefix(path, base+"/")):
		at := seo.Base{Front: "/", Pretty: a.Pretty}
		return Resource{Kind: Redirect, Name: seo.IndexName, Location: a.URLs.URL(at, a.URLs.File(seo.IndexName, 1, 1))}
	}
	return Resource{}
}

// paths reports whether sitemaps have addresses of their own, and not only such by queries.
func (a Scheme) paths() bool {
	return !strings.Contains(a.URLs.URL(seo.Base{Pretty: a.Pretty}, a.URLs.File(seo.IndexName, 1, 1)), "?")
}
