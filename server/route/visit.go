package route

import (
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/seo"
)

// A Visit is a mount with the current state of its blog.
type Visit struct {
	Mount
	Blog *site.Blog // Blog is nil if the blog is not known or gone.
}

// visit adds the current state of the blog to a mount.
func (m Mount) visit() Visit {
	if m.Key == "" {
		return Visit{Mount: m}
	}
	return Visit{m, m.Site.Snapshot().Blog(m.Key)}
}

func (v Visit) Scheme() Scheme { return SchemeOf(v.Site, v.Blog) }

// resource returns what an address means on this blog. If the address means a sitemap for which the daemon must not answer, the
// request goes to the upstream.
func (v Visit) resource(uri, rest string) Resource {
	b := v.Blog
	if !b.Active() {
		return Resource{}
	}
	to := v.Scheme().Resource(uri, rest)
	if to.Name == seo.IndexName && to.Kind != XSL {
		to.Page = 1 // the index has one page only
	}
	if to.Kind == Sitemap {
		if instead, withheld := v.withheld(to.Name); withheld {
			return instead
		}
	}
	switch {
	case to.Kind == Sitemap && b.Owns(to.Name):
		return v.renumbered(to)
	case to.Name == "" || to.Kind == XSL || b.Owns(to.Name): // needs no sitemap, or has one
		return to
	case to.Unowned == "":
		return Resource{}
	}
	return Resource{Kind: Redirect, Location: to.Unowned, Found: to.Found}
}

// withheld returns what a request for a sitemap gets instead, if the daemon must not answer it. TestIndexOfTheUpstream has the
// cases.
func (v Visit) withheld(name string) (instead Resource, withheld bool) {
	b, upstream := v.Blog, v.Site.Upstream != nil
	switch {
	case b.Undecided(name) && upstream: // the database does not show whether the sitemap exists, but the upstream knows
		return Resource{}, true
	case b.Undecided(name) && name != seo.IndexName: // the index is ours, without the sitemaps that are not decided
		return Resource{Kind: Undecided}, true
	case b.Undecided(seo.IndexName) && upstream && b.Owns(name) && !b.Outline.Has(name):
		return Resource{}, true // the index is the upstream's, and may name sitemaps for which there is nothing here
	}
	return Resource{}, false
}

// renumbered returns what the address of a sitemap means once the number of its pages is known, see seo.URLs. If it
// would redirect to itself, the request goes to the upstream.
func (v Visit) renumbered(to Resource) Resource {
	size, known := v.Blog.Outline.Sizes[to.Name]
	if !known || size.Page == 0 || to.Packed {
		return to
	}
	switch location, leads := v.Blog.Address.Plugin.URLs.Renumber(to, size.Places, size.Page); {
	case leads && location != "":
		return Resource{Kind: Redirect, Name: to.Name, Location: location, Found: true}
	case leads && v.Site.Upstream != nil:
		return Resource{}
	}
	return to
}

// isKeyFile reports whether a path is the IndexNow key file in the home of the blog.
func (m Mount) isKeyFile(path string) bool {
	indexNow := m.Site.Config.IndexNow
	if indexNow.Key == "" {
		return false
	}
	folder, ok := strings.CutSuffix(path, "/"+indexNow.KeyFile())
	return ok && strings.EqualFold(strings.TrimPrefix(folder, "/"), m.Path)
}

// networkForm matches the address of the index of a network. Page 1 has no number.
var networkForm = regexp.MustCompile(`^network-sitemap([2-9]|[1-9][0-9]{1,3})?\.xml$`)

// networkPage returns which page of the network index a path below the home of the main blog means, 0 for none.
func (v Visit) networkPage(rest string) int {
	if !v.Site.Config.NetworkIndex || !v.Blog.Network || !v.Blog.Outline.Main || v.Blog.Owns("network") {
		return 0
	}
	form := networkForm.FindStringSubmatch(rest)
	if form == nil {
		return 0
	}
	n, _ := strconv.Atoi(form[1])
	return max(1, n)
}
