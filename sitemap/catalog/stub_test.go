package catalog

import (
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// plainURLs is an address scheme for tests.
type plainURLs struct{}

func (plainURLs) Name(_ seo.ObjectKind, of string) string  { return of }
func (plainURLs) File(name string, page, _ int) string     { return fmt.Sprintf("%s-%d.xml", name, page) }
func (plainURLs) URL(b seo.Base, file string) string       { return b.Front + file }
func (plainURLs) Parse(seo.Request) seo.Resource           { return seo.Resource{} }
func (plainURLs) XSL(seo.Base, urlset.DocumentKind) string { return "/style.xsl" }

// catalogOf returns a catalog of some lists.
func catalogOf(t *testing.T, opt seo.Options, lists ...*List) *Catalog {
	t.Helper()
	blog := new(wp.Blog)
	blog.Settings().Home = "https://a.test"
	opt.Log, opt.Now = slog.New(slog.NewTextHandler(io.Discard, nil)), time.Now
	c := New(seo.NewRules(blog, opt, nil, &seo.Decisions{}), "a plugin", plainURLs{}, Dress{Encoding: urlset.Plugin}, true)
	c.Lists = lists
	return c
}
