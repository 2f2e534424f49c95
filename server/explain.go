package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"wpsitemapd/server/config"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/weburl"
)

// Explained is what is known of an address, with the site it belongs to. Its JSON form is that
// of wpsitemapd explain --json.
type Explained struct {
	Site string `json:"site"` // by its name in the configuration
	Blog int64  `json:"blog"` // of a network; 1 for a single site, 0 for one that is gone
	Home string `json:"home,omitempty"`
	*explain.Explanation
}

// ErrNoSite says that no site of the configuration has the host of an address.
var ErrNoSite = errors.New("no site of the configuration has this host")

// ErrNotRead says that the site of an address has not been read yet, so that nothing is known.
var ErrNotRead = errors.New("the site has not been read yet")

// explaining is a catalog that knows why. Those that stand in for one that cannot be read do not.
type explaining interface {
	Explain(ctx context.Context, address string) (*explain.Explanation, error)
	ExplainSitemap(name string, page int) *explain.Explanation
}

// Explain tells of an address what it is and why it stands in the sitemaps or does not, as
// they are served now. Errors are explain.ErrAddress, ErrNoSite, ErrNotRead, and those of the
// database.
func (s *Server) Explain(ctx context.Context, address string) (*Explained, error) {
	p, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	return p.explain(ctx, s, func(of *site.Site, b *site.Blog) (source, error) {
		return source{catalog: b.Catalog, blog: b, pages: s.servedPages(of, b)}, nil
	})
}

// source is what an explanation rests on.
type source struct {
	catalog site.Catalog  // as the database says
	blog    *site.Blog    // as it is served
	pages   explain.Pages // as they are served
}

// place is an address as routing takes it.
type place struct {
	address, host, uri string
}

func splitAddress(address string) (place, error) {
	address = strings.TrimSpace(address)
	scheme, rest, ok := strings.Cut(address, "://")
	if scheme = strings.ToLower(scheme); !ok || scheme != "http" && scheme != "https" {
		return place{}, fmt.Errorf("%q is %w: it has to begin with http:// or https://", address, explain.ErrAddress)
	}
	rest, _, _ = strings.Cut(rest, "#")
	i := strings.IndexAny(rest, "/?")
	if i < 0 {
		i = len(rest)
	}
	p := place{address: address, host: weburl.Host(rest[strings.LastIndexByte(rest[:i], '@')+1 : i]), uri: rest[i:]}
	if p.host == "" {
		return place{}, fmt.Errorf("%q is %w: it names no host", address, explain.ErrAddress)
	}
	if !strings.HasPrefix(p.uri, "/") {
		p.uri = "/" + p.uri
	}
	return p, nil
}

// explain finds the blog of an address as a request's is found, and asks its catalog.
func (p place) explain(ctx context.Context, s *Server, sourceOf func(*site.Site, *site.Blog) (source, error)) (*Explained, error) {
	routes := s.front.Table()
	path, _, _ := strings.Cut(p.uri, "?")
	at, rest := routes.Find(p.host, path)
	switch {
	case at.Gone:
		x := &explain.Explanation{
			URL: p.address, Rule: "site gone", Because: "The blog that stood here is archived, deleted or spam, and is answered with 410.",
			Evidence: []seo.Evidence{{Source: "wp_blogs", Value: "archived, spam or deleted", Of: p.host + "/" + at.Path}},
		}
		return &Explained{Site: at.Site.Config.Name, Explanation: x}, nil
	case at.Site == nil:
		return nil, fmt.Errorf("%s: %w%s", p.address, ErrNoSite, routes.SomeHosts())
	}
	b := at.Blog
	if blogs := at.Site.Snapshot().Blogs; b == nil && len(blogs) > 0 { // below no home: the first tells so
		b, rest = blogs[0], ""
	}
	if b == nil {
		return nil, fmt.Errorf("%s: %w", at.Site.Config.Name, ErrNotRead)
	}
	src, err := sourceOf(at.Site, b)
	if err != nil {
		return nil, err
	}
	x, err := p.ask(ctx, s, at, rest, src)
	if err != nil {
		return nil, err
	}
	x.URL = p.address
	for _, name := range s.rivals(at, p.host) {
		x.Notes = append(x.Notes,
			fmt.Sprintf("Two sites claim this place: %s, which keeps it, and %s. Set hosts or home of one of them.", at.Site.Config.Name, name))
	}
	return &Explained{Site: at.Site.Config.Name, Blog: b.ID, Home: b.Home, Explanation: x}, nil
}

// ask answers from a source: by what the database says, and by the stored pages where those are all that is served.
func (p place) ask(ctx context.Context, s *Server, at route.Mount, rest string, src source) (*explain.Explanation, error) {
	b, why := src.blog, servedFrom(src.blog)
	known, ok := src.catalog.(explaining)
	a := route.SchemeOf(at.Site, b)
	to := a.Resource(p.uri, rest)
	ours := at.Blog != nil && to.Kind != route.Upstream && src.catalog != nil && src.catalog.Active()
	switch {
	case !ok && why == "":
		return nil, fmt.Errorf("%s: %w", at.Site.Config.Name, ErrNotRead)
	case !ok && (ours || !b.Outline.Active):
		return s.unreadable(at.Site, b, to, why), nil
	case !ok:
		return p.fromStored(ctx, s, at.Site, b, nil, why)
	case ours:
		x := explainRoute(src.catalog, known, b, a, to)
		if why != "" {
			s.sitemapFromStored(at.Site, b, x, why)
		}
		return x, nil
	}
	x, err := explainIn(ctx, known, p.address, src.pages)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, explain.ErrAddress), err != nil && why == "":
		return nil, err
	case err != nil:
		x = nil
	}
	if why == "" && !x.NotSettled() || !src.catalog.Active() {
		return x, nil
	}
	if why == "" { // it may stand in a page that was made before the catalog
		search, err := explain.SearchPages(ctx, b.Outline.Files, src.pages, p.address)
		if err == nil && search.File.Name != "" {
			x.StandsIn(search.File, search.Found)
			x.Rule, x.Because = seo.Listed.String(), "It stands in the page that is served, which was made before the last change."
		}
		return x, err
	}
	return p.fromStored(ctx, s, at.Site, b, x, why)
}

// unreadable is what is known of a sitemap, or of a site without sitemaps, that was remembered and cannot be read.
func (s *Server) unreadable(of *site.Site, b *site.Blog, to route.Resource, why string) *explain.Explanation {
	x := &explain.Explanation{Evidence: []seo.Evidence{}}
	for _, f := range b.Outline.Files {
		if f.Name == to.Name && f.Page == max(1, to.Page) {
			x.URL, x.Object = f.URL, "sitemap "+f.Filename
			s.sitemapFromStored(of, b, x, why)
			return x
		}
	}
	x.SayUnknown("Only copies are served, because " + why + ", and they do not tell about this address.")
	return x
}

// explainRoute explains an address that is answered here.
func explainRoute(c site.Catalog, known explaining, b *site.Blog, a route.Scheme, to route.Resource) *explain.Explanation {
	var notes []string
	for range 3 { // redirects may lead to another one
		if to.Name != "" && to.Kind == route.Sitemap && to.Unowned != "" && !c.Owns(to.Name) {
			to = route.Resource{Kind: route.Redirect, Location: to.Unowned}
		}
		if to.Kind != route.Redirect {
			break
		}
		location := to.Location
		notes = append(notes, "It redirects to "+b.Home+location+".")
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
		x = known.ExplainSitemap(to.Name, max(1, to.Page))
		if to.Kind == route.HTML {
			notes = append(notes, "This is its form for people.")
		}
		if to.Packed {
			notes = append(notes, "This is its compressed form.")
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
	return &explain.Explanation{Object: what, Rule: "file", Because: "It is answered by wpsitemapd, and is no page.", Evidence: []seo.Evidence{}}
}

// An Explainer explains addresses of the sites of a configuration without serving them. It opens
// the databases that may have an address when it is asked, reads a catalog once, and keeps both.
// It is safe for concurrent use.
type Explainer struct {
	server *Server

	mu       sync.Mutex
	opened   map[*worker]error // nil: it has been read
	networks []site.Database
	catalogs map[*site.Blog]func() (site.Catalog, error)
	log      *slog.Logger
}

// explainOpens is how many databases are opened at a time.
const explainOpens = 8

// NewExplainer returns an explainer. now may be nil, for the clock. The log is told of what concerns the databases that
// are opened, and of no other site.
func NewExplainer(c *config.Config, now func() time.Time, log *slog.Logger) *Explainer {
	s := New(c, slog.New(slog.DiscardHandler)) // clashes are told with the addresses that they concern
	s.Now = now
	for _, w := range s.workers {
		w.Log = log.With("site", w.Config.Name)
	}
	e := &Explainer{server: s, opened: map[*worker]error{}, catalogs: map[*site.Blog]func() (site.Catalog, error){}, log: log}
	if now == nil { // what is stored is of the time that the clock shows
		e.openStored(c.State)
	}
	return e
}

// Close closes the databases.
func (e *Explainer) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, n := range e.networks {
		n.Close()
	}
	e.networks = nil
}

// Explain is Server.Explain, for the sites as they were when it was first asked for one of their addresses.
func (e *Explainer) Explain(ctx context.Context, address string) (*Explained, error) {
	p, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	failed := e.open(ctx, p.host)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := p.explain(ctx, e.server, func(of *site.Site, b *site.Blog) (source, error) { return e.source(ctx, of, b) })
	if errors.Is(err, ErrNoSite) || errors.Is(err, ErrNotRead) {
		return nil, cmp.Or(failed, err) // it may be one of those
	}
	return x, err
}

// open reads the sites that may have a host.
func (e *Explainer) open(ctx context.Context, host string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(explainOpens)
	asked := false
	for _, w := range e.server.workers {
		hosts := w.Config.Hosts
		if _, done := e.opened[w]; done || hosts != nil && len(e.server.workers) > 1 && !slices.Contains(hosts, config.Host(host)) {
			continue
		}
		asked = true
		group.Go(func() error {
			n, err := e.read(ctx, w)
			if err != nil && ctx.Err() == nil && w.refresher.Restore() { // the stored pages can be searched
				for _, b := range w.Snapshot().Blogs {
					b.Err = err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			e.opened[w] = err
			if n != nil {
				e.networks = append(e.networks, n)
			}
			return nil
		})
	}
	group.Wait()
	if asked {
		e.server.publish()
	}
	var errs []error
	for _, w := range e.server.workers {
		if err := e.opened[w]; err != nil {
			errs = append(errs, err)
			if ctx.Err() != nil {
				delete(e.opened, w)
			}
		}
	}
	return errors.Join(errs...)
}

// read reads the settings of a site's blogs.
func (e *Explainer) read(ctx context.Context, w *worker) (site.Database, error) {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	var n site.Database
	err := w.Guard(func() (err error) {
		if n, err = e.server.open(ctx, w.Config, e.server.now, w.Log); err != nil {
			return err
		}
		blogs, gone, err := n.Read(ctx)
		if err != nil && len(blogs) == 0 {
			return err
		}
		state := &site.Snapshot{Opened: true, Gone: gone, Err: err}
		for _, b := range blogs {
			state.Blogs = append(state.Blogs, site.Unread(b, nil))
		}
		w.Publish(state)
		return nil
	})
	return n, err
}

// source is the catalog of a blog, or what was stored of it where the database cannot be read or has lost most of it.
func (e *Explainer) source(ctx context.Context, of *site.Site, b *site.Blog) (source, error) {
	if b.Catalog != nil { // it was stored, and is all there is
		return source{catalog: b.Catalog, blog: b}, nil
	}
	c, err := e.catalog(ctx, b)
	if err != nil {
		if before, _ := e.stored(of, b.Key()); before != nil && ctx.Err() == nil {
			before.Err = err
			return source{catalog: before.Catalog, blog: before}, nil
		}
		return source{}, err
	}
	if held := e.held(of, b, c); held != nil {
		return source{catalog: c, blog: held, pages: e.server.storedPages(of, held, map[string]time.Time{})}, nil
	}
	now := *b
	now.Catalog, now.Outline = c, c.Outline()
	return source{catalog: c, blog: &now, pages: e.pages(of, b, c)}, nil
}

// catalog builds the catalog of a blog once.
func (e *Explainer) catalog(ctx context.Context, b *site.Blog) (site.Catalog, error) {
	e.mu.Lock()
	build := e.catalogs[b]
	if build == nil {
		build = sync.OnceValues(func() (site.Catalog, error) {
			ctx, cancel := context.WithTimeout(ctx, site.BuildTimeout)
			defer cancel()
			return b.Build(ctx, nil)
		})
		e.catalogs[b] = build
	}
	e.mu.Unlock()
	c, err := build()
	if err != nil { // not for ever
		e.mu.Lock()
		delete(e.catalogs, b)
		e.mu.Unlock()
	}
	return c, err
}
