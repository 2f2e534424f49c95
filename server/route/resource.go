package route

import (
	"slices"
	"strings"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/release"
)

// A Resource says what an address on a blog means. That may be a sitemap, a stylesheet or a redirect of the plugin, or something
// that only this daemon serves, such as an HTML view.
type Resource = seo.Resource

// What an address may be by the rules of the plugin. Upstream means none of its resources.
const (
	Upstream = seo.NoResource // the request goes to the PHP site
	Sitemap  = seo.Sitemap
	Redirect = seo.Redirect
	XSL      = seo.Stylesheet
)

// The resources that the daemon serves in addition to the plugin's.
const (
	CSS       = XSL + 1 + iota // our own stylesheet
	Robots                     // robots.txt
	HTML                       // the HTML view of a sitemap page
	Undecided                  // a sitemap that may or may not exist
	KeyFile                    // the file that proves the IndexNow key
	Network                    // the index of the sitemaps of all blogs of a network
)

// A Scheme says what the addresses of a blog's sitemaps look like.
type Scheme struct {
	Path   string   // Path is the path of home, without slashes at its ends.
	Plain  bool     // Plain means that there is an upstream, whose WordPress has no permalinks and routes query strings only.
	Pretty bool     // Pretty means that there is a permalink structure.
	Index  bool     // Index means that links contain index.php.
	Alone  bool     // Alone means that there is no upstream.
	Chosen bool     // Chosen means that the operator chose the plugin. The index addresses of other plugins redirect to its index.
	URLs   seo.URLs // URLs are the addresses of the plugin.
	HTML   bool     // HTML means that sitemaps have HTML views, see html.go.
	Gzip   bool     // Gzip means that sitemaps have compressed files, see format.go.

	Version release.Version // Version is the version of the plugin at level plugin. "" means the newest rules.
}

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

// Resource returns what a request asks for. uri is the path and query as they were sent. rest is the path below home, without
// slashes at its ends.
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

// xml returns the resource, if the request asks for an XML sitemap, a stylesheet, robots.txt or a redirect. It knows no other
// formats and no HTML views.
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

// paths reports whether sitemaps have paths, and not only queries.
func (a Scheme) paths() bool {
	return !strings.Contains(a.URLs.URL(seo.Base{Pretty: a.Pretty}, a.URLs.File(seo.IndexName, 1, 1)), "?")
}
