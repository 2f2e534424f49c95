package route

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/weburl"
)

// A Target is what the address of a request means: a place on a host, and what is asked for there.
type Target struct {
	Visit
	Resource
	Asked string // Asked is the name of the sitemap as the address has it. If a query names the sitemap, Name may be another.

	meaning *meaning // nil: the meaning is not remembered
}

// meaning is what the address of a listed sitemap means. It is remembered, because crawlers ask for the same addresses again and
// again.
type meaning struct {
	generation uint64 // of the catalog. If the blog has another one now, the meaning is out of date.
	resource   Resource
	asked      string
	header     atomic.Pointer[http.Header]
}

// addressed is the address of a request for a blog. It is the key under which a Table remembers the meaning of the address.
type addressed struct {
	site      *site.Site
	blog, uri string
}

// mostMeanings is how many requested addresses a table remembers with their meanings. Without a bound a client could fill the
// memory, because it can write one address in many ways.
const mostMeanings = 10_000

// Header returns the header fields that prepare makes for the sitemap. They are remembered, and must not be changed.
func (t *Target) Header(prepare func() http.Header) http.Header {
	if t.meaning == nil {
		return prepare()
	}
	if known := t.meaning.header.Load(); known != nil {
		return *known
	}
	header := prepare()
	t.meaning.header.Store(&header)
	return header
}

// Target returns what a request asks for. If the blog has no catalog yet, Target recognises only a key file and the index of a
// network. For any other address it then sets the blog, but no sitemap.
func (t *Table) Target(r *http.Request) *Target {
	path, uri := r.URL.EscapedPath(), URI(r)
	v, rest := t.Find(weburl.Host(r.Host), path)
	to := &Target{Visit: v}
	switch {
	case v.Blog == nil || v.Gone:
	case v.isKeyFile(path):
		to.Kind = KeyFile
	case v.networkPage(rest) > 0:
		to.Kind, to.Page = Network, v.networkPage(rest)
	case v.Blog.Known():
		t.read(to, uri, rest)
	}
	return to
}

// read sets the resource of a target from the address of the request. The blog must have a catalog.
func (t *Table) read(to *Target, uri, rest string) {
	b, at := to.Blog, addressed{to.Site, to.Mount.Key, uri}
	if known, ok := t.meanings.Load(at); ok && known.(*meaning).generation == b.Generation {
		to.meaning = known.(*meaning)
		to.Resource, to.Asked = to.meaning.resource, to.meaning.asked
		return
	}
	to.Resource = to.Visit.resource(uri, rest)
	to.Asked = to.Name
	if to.ByQuery {
		to.Name = b.QueryName(to.Name)
	}
	if to.Kind != Sitemap || strings.Contains(uri, "?") || !b.Lists(to.Name, to.Page) {
		return
	}
	if t.remembered.Add(1) > mostMeanings {
		t.meanings.Clear()
		t.remembered.Store(1)
	}
	to.meaning = &meaning{generation: b.Generation, resource: to.Resource, asked: to.Asked}
	t.meanings.Store(at, to.meaning)
}

// URI returns the path and query of a request as they were sent. If the client sent an absolute URL, its scheme and host are
// removed.
func URI(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}

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
	if to.Kind == Sitemap && b.Undecided(to.Name) {
		switch { // the database does not show whether it exists
		case v.Site.Upstream != nil:
			return Resource{}
		case to.Name != seo.IndexName: // the index is ours, without the sitemaps that are not decided
			return Resource{Kind: Undecided}
		}
	}
	if to.Kind == Sitemap && b.Undecided(seo.IndexName) && v.Site.Upstream != nil && b.Owns(to.Name) && !b.Outline.Has(to.Name) {
		return Resource{} // the index is the upstream's, and may name sitemaps for which there is nothing here
	}
	switch {
	case to.Kind == Sitemap && b.Owns(to.Name):
		return v.renumbered(to)
	case to.Name == "" || to.Kind == XSL || b.Owns(to.Name):
		return to
	case to.Unowned == "":
		return Resource{}
	}
	return Resource{Kind: Redirect, Location: to.Unowned, Found: to.Found}
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
