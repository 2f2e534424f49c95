package sitemap

import (
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// plainURLs is an address scheme for tests.
type plainURLs struct{}

func (plainURLs) Name(_ Kind, of string) string     { return of }
func (plainURLs) File(name string, page int) string { return fmt.Sprintf("%s-%d.xml", name, page) }
func (plainURLs) URL(b Base, file string) string    { return b.Front + file }
func (plainURLs) XSL(Base, urlset.Kind) string      { return "/style.xsl" }

// catalogOf returns a catalog of some lists.
func catalogOf(t *testing.T, opt Options, lists ...*list) *Catalog {
	t.Helper()
	site := new(wp.Site)
	site.Settings().Home = "https://a.test"
	opt.Log, opt.Now = slog.New(slog.NewTextHandler(io.Discard, nil)), time.Now
	c := NewCatalog(NewRules(site, opt, nil, &Decisions{}), "a plugin", plainURLs{}, Dress{Encoding: urlset.Plugin}, true)
	c.lists = lists
	return c
}
