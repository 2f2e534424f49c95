package admin

import (
	"context"
	"errors"
	"strings"
	"testing"

	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The addresses of the files that the daemon makes are explained too. A redirect is followed to the file.
func TestOwnFilesAreExplained(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	const toIndex = "This URL redirects to https://example.test/sitemap_index.xml."
	const toPosts = "This URL redirects to https://example.test/post-sitemap.xml."
	for _, tt := range []struct{ uri, object, rule, notes string }{
		{"/sitemap_index.xml", "sitemap index", "listed", ""},
		{"/sitemap.xml", "sitemap index", "listed", toIndex},
		{"/wp-sitemap.xml", "sitemap index", "listed", toIndex},
		{"/post-sitemap.xml", "sitemap post, page 1", "listed", ""},
		{"/post-sitemap1.xml", "sitemap post, page 1", "listed", toPosts},
		{"/wp-sitemap-posts-post-1.xml", "sitemap post, page 1", "listed", toPosts},
		{"/post-sitemap7.xml", "sitemap post, page 7", "behind the last page", ""},
		{"/post-sitemap.xml.gz", "sitemap post, page 1", "listed", "This URL is the compressed form of the sitemap."},
		{"/sitemap_index.html", "sitemap index", "listed", "This URL is the HTML view of the sitemap."},
		{"/robots.txt", "robots.txt", "file", ""},
		{"/main-sitemap.xsl", "stylesheet of the sitemaps", "file", ""},
		{"/?sitemap=nothing&sitemap_n=1", "sitemap nothing, page 1", "type not known to be public", "The site itself answers this URL."},
		{"/nothing-sitemap.xml", "sitemap nothing, page 1", "type not known to be public", "The site itself answers this URL."},
	} {
		for _, address := range []string{tt.uri, "https://example.test" + tt.uri} {
			x, err := ts.Explainer.Explain(t.Context(), address, "")
			wptest.Must(t, err)
			expect.Equal(t, strings.Join([]string{x.Site, x.Home, x.URL, x.Object, x.Rule, strings.Join(x.Notes, " ")}, "|"),
				strings.Join([]string{"basic", "https://example.test", address, tt.object, tt.rule, tt.notes}, "|"))
			expect.Equal(t, x.Blog, 1)
			expect.Equal(t, len(x.Versions) > 0, true, "versions")
		}
	}
}

// While only cached pages are served, nobody knows what a new page would list. The explanation says why.
func TestNothingIsKnownOfCachedPages(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	known := ts.blog()
	for _, tt := range []struct {
		change func(*site.Blog)
		want   string // "" for a usual explanation
	}{
		{func(*site.Blog) {}, ""},
		{func(b *site.Blog) { b.HeldBy = "9 of 10 are gone" }, "because most URLs of the site are missing in its database (9 of 10 are gone)."},
		{func(b *site.Blog) { b.Err = errors.New("connection refused") }, "because its database cannot be read (connection refused)."},
		{func(b *site.Blog) { b.Err = site.ErrNotReadYet }, "because its database has not been read since the start."},
	} {
		b := *known
		tt.change(&b)
		ts.install.Publish(ts.install.Snapshot().With(1, []*site.Blog{&b}))
		for _, uri := range []string{"/noindex-2/", "/sitemap_index.xml"} {
			x, err := ts.Explainer.Explain(t.Context(), uri, "")
			wptest.Must(t, err)
			expect.Equal(t, x.Unknown, tt.want != "", uri, tt.want)
			expect.Contains(t, x.Because, tt.want, uri)
		}
	}
	sitetest.Alter(ts.install.Site, 1, func(b *site.Blog) { b.Err, b.Catalog = nil, nil })
	_, err := ts.Explainer.Explain(t.Context(), "/noindex-2/", "")
	expect.Equal(t, errors.Is(err, ErrNotRead), true, err)
}

// Where no blog answers, the explanation or the error says why not. If a database could not be read, that is the reason.
func TestNoBlogAtAddress(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	s, other := ts.install.Site, &site.Site{}
	other.Config.Name = "other"
	mounts := map[string][]route.Mount{
		"gone.test":    {{Site: s, Path: "old", Gone: true}},
		"contest.test": {{Contest: &route.Contest{Sites: []*site.Site{s, other}}}},
	}
	failed := errors.New("connection refused")
	explained := func(address string, failed error) (*Explained, error) {
		return (&Explainer{
			Table: func(context.Context, string) (*route.Table, error) {
				return route.NewTable(mounts, nil, nil, nil), failed
			},
			Sites: ts.Explainer.Sites, Pages: ts.Pages,
		}).Explain(t.Context(), address, "")
	}
	x, err := explained("https://gone.test/old/x/", nil)
	wptest.Must(t, err)
	expect.Equal(t, x.Rule+" "+x.URL+" "+x.Evidence[0].Of, "site gone https://gone.test/old/x/ gone.test/old")
	expect.Equal(t, x.Listing(), "out")
	_, err = explained("https://contest.test/", failed)
	expect.Contains(t, err.Error(), "the sites basic, other claim this host")
	_, err = explained("https://elsewhere.test/", nil)
	expect.Equal(t, errors.Is(err, ErrNoSite), true, err)
	expect.Contains(t, err.Error(), "contest.test, gone.test")
	_, err = explained("https://elsewhere.test/", failed)
	expect.Equal(t, err, failed)

	s.Publish(new(site.Snapshot))
	_, err = explained("/x/", nil)
	expect.Equal(t, errors.Is(err, ErrNotRead), true, err)
	mounts["unread.test"] = []route.Mount{{Site: s}}
	_, err = explained("https://unread.test/x/", nil)
	expect.Equal(t, errors.Is(err, ErrNotRead), true, err)
	_, err = explained("https://unread.test/x/", failed)
	expect.Equal(t, err, failed)
}

// A URL below a network's blog that was never read is answered by the first blog, as WordPress does.
func TestPathWithoutBlog(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	table := route.NewTable(map[string][]route.Mount{"example.test": {{Site: ts.install.Site, Path: "blog"}}}, nil, nil, nil)
	ts.Explainer.Table = func(context.Context, string) (*route.Table, error) { return table, nil }
	x, err := ts.Explainer.Explain(t.Context(), "example.test/noindex-2/", "")
	wptest.Must(t, err)
	expect.Equal(t, x.Object+" "+x.Address, "post 121 https://example.test/noindex-2/")
	x, err = ts.Explainer.Explain(t.Context(), "example.test/sitemap_index.xml", "")
	wptest.Must(t, err)
	expect.Equal(t, x.Rule == "listed", false, "no sitemap is served there, but", x.Object)
}

// ReadBlog reads a blog again for each explanation. Its error ends the explanation.
func TestExplainReadsBlog(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	var failed error
	read := 0
	ts.Explainer.ReadBlog = func(ctx context.Context, s *site.Site, b *site.Blog) (*site.Blog, explain.Pages, error) {
		read++
		return b, ts.Explainer.servedPages(s, b), failed
	}
	x, err := ts.Explainer.Explain(t.Context(), "/noindex-2/", "basic")
	wptest.Must(t, err)
	expect.Equal(t, x.Listing(), "in")
	failed = errors.New("connection refused")
	_, err = ts.Explainer.Explain(t.Context(), "/noindex-2/", "basic")
	expect.Equal(t, err, failed)
	expect.Equal(t, read, 2)
}
