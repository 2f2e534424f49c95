package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
)

// Explainer explains why a URL is in the sitemaps or not. It is safe for concurrent use if its functions are.
type Explainer struct {
	// Table returns a routing table with the sites that may have a host. Its error says why some of them cannot be read.
	Table func(ctx context.Context, host string) (*route.Table, error)
	Sites func() []*site.Site
	Pages *pages.Pages
	// ReadBlog reads a blog from its database. It returns the blog, and a function that returns its pages. If ReadBlog is nil,
	// Explain uses the blog and the pages that the daemon serves now.
	ReadBlog func(context.Context, *site.Site, *site.Blog) (*site.Blog, explain.Pages, error)
}

// Explain returns what an address is, and why it is in the sitemaps or not. The scheme may be missing. If the host is missing,
// site names the site, and "" means the only site. The errors that callers tell apart are explain.ErrAddress, ErrNoSite and
// ErrNotRead. If Table failed, its error replaces the last two.
func (e *Explainer) Explain(ctx context.Context, address, site string) (*Explained, error) {
	p, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	routes, failed := e.Table(ctx, p.host)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := e.explain(ctx, routes, p, site)
	if errors.Is(err, ErrNoSite) || errors.Is(err, ErrNotRead) {
		return nil, cmp.Or(failed, err) // the address may belong to a site that could not be opened
	}
	return x, err
}

// explain looks up the blog of an address in the routing table, as a request does. Then it explains the address by the
// catalog of the blog.
func (e *Explainer) explain(ctx context.Context, routes *route.Table, p place, name string) (*Explained, error) {
	if p.host == "" {
		s, err := p.meant(e.Sites(), name)
		if err != nil {
			return nil, err
		}
		if len(s.Snapshot().Blogs) == 0 {
			return nil, fmt.Errorf("%s: %w", s.Config.Name, ErrNotRead)
		}
		p.complete(s.Snapshot().Blogs[0].Home)
	}
	path, _, _ := strings.Cut(p.uri, "?")
	at, rest := routes.Find(p.host, path)
	if b := at.Blog; b != nil && !b.Resident() && e.ReadBlog == nil { // a blog of a network, and not in memory
		waiting, cancel := context.WithTimeout(ctx, site.FirstTimeout)
		at.Site.Await(waiting, b.ID)
		cancel()
		if routes, err := e.Table(ctx, p.host); err == nil {
			at, rest = routes.Find(p.host, path)
		}
	}
	switch {
	case at.Gone:
		x := &explain.Explanation{
			URL: p.asked, Rule: "site gone", Because: "WordPress has marked the blog at this address as archived, deleted or spam, " +
				"so it has no sitemaps.",
			Evidence: []seo.Evidence{{Source: "wp_blogs", Value: "archived, spam or deleted", Of: p.host + "/" + at.Path}},
		}
		return &Explained{Site: at.Site.Config.Name, Explanation: x}, nil
	case at.Contest != nil:
		var names []string
		for _, s := range at.Contest.Sites {
			names = append(names, s.Config.Name)
		}
		return nil, fmt.Errorf("%s: the sites %s claim this host. Run wpsitemapd check, and write the line that it prints into the configuration",
			p.asked, strings.Join(names, ", "))
	case at.Site == nil:
		return nil, fmt.Errorf("%s: %w%s", p.asked, ErrNoSite, routes.SomeHosts())
	}
	b := at.Blog
	if blogs := at.Site.Snapshot().Blogs; b == nil && len(blogs) > 0 { // no blog has this path: the first blog answers
		b, rest = blogs[0], ""
	}
	if b == nil {
		return nil, fmt.Errorf("%s: %w", at.Site.Config.Name, ErrNotRead)
	}
	p.complete(b.Home)
	pages := e.servedPages(at.Site, b)
	if e.ReadBlog != nil {
		var err error
		if b, pages, err = e.ReadBlog(ctx, at.Site, b); err != nil {
			return nil, err
		}
	}
	x, err := e.ask(ctx, p, at, rest, b, pages)
	if err != nil {
		return nil, err
	}
	x.URL = p.asked
	return &Explained{Site: at.Site.Config.Name, Blog: b.ID, Home: b.Home, Versions: b.Outline.Installed, Explanation: x}, nil
}

// ask explains an address by the catalog of a blog. If the daemon serves only cached pages of the blog, the explanation says
// that the answer is unknown. If the object has changed and the catalog does not list it yet, ask also searches the pages that are
// served, which may be older.
func (e *Explainer) ask(
	ctx context.Context, p place, at route.Visit, rest string, b *site.Blog, pages explain.Pages,
) (*explain.Explanation, error) {
	a := route.SchemeOf(at.Site, b)
	to := a.Resource(p.uri, rest)
	why := servedFrom(b)
	switch {
	case why != "":
		x := &explain.Explanation{}
		x.SayUnknown("Only cached pages are served, because "+why+".", seo.Evidence{Source: "wpsitemapd", Value: why})
		return x, nil
	case b.Catalog == nil:
		return nil, fmt.Errorf("%s: %w", at.Site.Config.Name, ErrNotRead)
	case at.Blog != nil && to.Kind != route.Upstream && b.Active():
		return explainRoute(b, a, to), nil
	}
	x, err := e.askDatabase(ctx, b, p.address(), pages)
	if err != nil || x.Rule != explain.RuleChanged || !b.Active() {
		return x, err
	}
	search, err := explain.SearchPages(ctx, b.Outline.Files, pages, p.address())
	if err == nil && search.Listed() {
		x.IsIn(search.File, search.Found)
		x.Rule, x.Because = seo.Listed.String(), "The sitemap that is served lists it. That sitemap is older than the last change."
	}
	return x, err
}

// askDatabase explains an address by the database of a blog. If a daemon cannot do that within databaseTime, the explanation says that
// the answer is unknown.
func (e *Explainer) askDatabase(ctx context.Context, b *site.Blog, address string, pages explain.Pages) (*explain.Explanation, error) {
	if e.ReadBlog != nil {
		return b.Catalog.ExplainIn(ctx, address, pages)
	}
	bounded, cancel := context.WithTimeout(ctx, databaseTime)
	defer cancel()
	x, err := b.Catalog.ExplainIn(bounded, address, pages)
	if err != nil && ctx.Err() == nil && !errors.Is(err, explain.ErrAddress) {
		x = &explain.Explanation{}
		x.SayUnknown("Its database does not answer now, so only cached pages are served.", seo.Evidence{Source: "database", Value: err.Error()})
		return x, nil
	}
	return x, err
}

// servedFrom returns why the daemon serves only cached pages of a blog. It returns "" if the daemon also renders new pages.
func servedFrom(b *site.Blog) string {
	switch {
	case b.HeldBy != "":
		return "most URLs of the site are missing in its database (" + b.HeldBy + ")"
	case errors.Is(b.Err, site.ErrNotReadYet):
		return site.ErrNotReadYet.Error()
	case b.Err != nil:
		return "its database cannot be read (" + b.Err.Error() + ")"
	}
	return ""
}

// servedPages returns a function that returns the pages of a blog as a request would get them now.
func (e *Explainer) servedPages(of *site.Site, b *site.Blog) explain.Pages {
	return func(ctx context.Context, f catalog.File) ([]byte, error) {
		page, err := e.Pages.Served(ctx, of, b, f.Name, f.Page)
		if err != nil {
			return nil, err
		}
		return page.Plain(), nil
	}
}

// explainRoute explains the address of a file that the daemon makes: a sitemap, its HTML view, robots.txt or a stylesheet.
func explainRoute(b *site.Blog, a route.Scheme, to route.Resource) *explain.Explanation {
	var notes []string
	for range 3 { // a redirect may lead to another redirect
		if to.Kind == route.Redirect && to.Name != "" && !b.Owns(to.Name) { // only a sitemap that exists has redirects to it
			to.Kind = route.Sitemap
		}
		if to.Name != "" && to.Kind == route.Sitemap && to.Unowned != "" && !b.Owns(to.Name) {
			to = route.Resource{Kind: route.Redirect, Location: to.Unowned}
		}
		if to.Kind != route.Redirect {
			break
		}
		location := to.Location
		notes = append(notes, "This URL redirects to "+b.Home+location+".")
		base := ""
		if b.Address.Path != "" {
			base = "/" + b.Address.Path
		}
		path, _, _ := strings.Cut(location, "?")
		to = a.Resource(base+location, strings.Trim(path, "/"))
	}
	var x *explain.Explanation
	switch to.Kind {
	case route.Sitemap, route.HTML:
		x = b.Catalog.ExplainSitemap(to.Name, max(1, to.Page))
		if to.Kind == route.HTML {
			notes = append(notes, "This URL is the HTML view of the sitemap.")
		}
		if to.Packed {
			notes = append(notes, "This URL is the compressed form of the sitemap.")
		}
	case route.Robots:
		x = ownFile("robots.txt")
	default:
		x = ownFile("stylesheet of the sitemaps")
	}
	x.Notes = append(notes, x.Notes...)
	return x
}

func ownFile(what string) *explain.Explanation {
	return &explain.Explanation{Object: what, Rule: "file", Because: "wpsitemapd itself answers this URL. No page or post has it.",
		Evidence: []seo.Evidence{}}
}
