package catalog

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest/expect"
)

// Indexes of a network are as long as the protocol allows. They name no index, no private blog and no
// invalid URL.
func TestRenderNetwork(t *testing.T) {
	blog := func(n int, private bool) *Outline {
		o := &Outline{Private: private, Files: []File{{Name: seo.IndexName, URL: "https://a.test/sitemap_index.xml"}}}
		for i := range n {
			o.Files = append(o.Files, File{Name: "post", URL: fmt.Sprintf("https://a.test/post-sitemap%d.xml", i)})
		}
		return o
	}
	bad := &Outline{Files: []File{{Name: "post", URL: "nowhere"}}}
	indexes, refused := RenderNetwork(slices.Values([]*Outline{blog(30_000, false), blog(7, true), bad, blog(20_001, false)}))
	var got []int
	for _, body := range indexes {
		got = append(got, strings.Count(string(body), "<sitemap>"))
		if strings.Contains(string(body), "index.xml") {
			t.Error("an index is named")
		}
	}
	expect.List(t, got, []int{50_000, 1})
	expect.Equal(t, refused, 1)
}

// plainURLs is an address scheme for tests.
type plainURLs struct{ TypeNames }

func (plainURLs) Name(_ seo.ObjectKind, of string) string  { return of }
func (plainURLs) File(name string, page, _ int) string     { return fmt.Sprintf("%s-%d.xml", name, page) }
func (plainURLs) URL(b seo.Base, file string) string       { return b.Front + file }
func (plainURLs) Parse(seo.Request) seo.Resource           { return seo.Resource{} }
func (u plainURLs) Named(string) seo.URLs                  { return u }
func (plainURLs) XSL(seo.Base, urlset.DocumentKind) string { return "/style.xsl" }

// catalogOf returns a catalog of some lists.
func catalogOf(t *testing.T, opt seo.Options, lists ...*List) *Catalog {
	t.Helper()
	blog := new(wp.Blog)
	blog.Settings().Home = "https://a.test"
	return catalogOn(&address.Book{Blog: blog}, opt, lists...)
}

// catalogOn returns a catalog of some lists of a blog.
func catalogOn(book *address.Book, opt seo.Options, lists ...*List) *Catalog {
	opt.Log, opt.Now = slog.New(slog.NewTextHandler(io.Discard, nil)), time.Now
	c := New(seo.NewRules(book, opt, nil, seo.PluginDecisions{}), "a plugin", plainURLs{}, Dress{Encoding: urlset.Plugin}, true)
	c.base.Front = "https://a.test/"
	c.Lists = lists
	return c
}
