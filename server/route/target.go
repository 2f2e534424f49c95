package route

import (
	"net/http"
	"strings"
	"sync/atomic"

	"wpsitemapd/server/site"
	"wpsitemapd/wp/weburl"
)

// A Target is what the address of a request means: a place on a host, and what is asked for there.
type Target struct {
	Visit
	Resource
	Asked string // Asked is the name of the sitemap as the address has it. If a query names the sitemap, Name may be another.

	meaning *meaning // nil: the meaning is not remembered
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
		t.mean(to, uri, rest)
	}
	return to
}

// mean sets the resource of a target to what the address of the request means. The blog must have a catalog. The meaning is
// remembered only if the catalog lists the sitemap: clients can make up any number of other addresses.
func (t *Table) mean(to *Target, uri, rest string) {
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
	if to.Kind == Sitemap && !strings.Contains(uri, "?") && b.Lists(to.Name, to.Page) {
		to.meaning = &meaning{generation: b.Generation, resource: to.Resource, asked: to.Asked}
		t.remember(at, to.meaning)
	}
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
// memory, because it can write the address of a listed sitemap in many ways, such as with slashes at its end.
const mostMeanings = 10_000

// remember remembers a meaning. If there are too many, it forgets all others: what is asked for often comes back at once.
func (t *Table) remember(at addressed, m *meaning) {
	if t.remembered.Add(1) > mostMeanings {
		t.meanings.Clear()
		t.remembered.Store(1)
	}
	t.meanings.Store(at, m)
}

// Header returns the header fields that prepare makes for the sitemap. They are remembered with the meaning, and must not be
// changed.
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

// URI returns the path and query of a request as they were sent. If the client sent an absolute URL, its scheme and host are
// removed.
func URI(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}
