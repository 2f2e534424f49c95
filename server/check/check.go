// Package check reads the sites of a configuration as the daemon would. It reports what it found and what is wrong. Start reading
// at Check.Run.
package check

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/registry"
)

// A Check holds the options of Run, which examines the sites of a configuration.
type Check struct {
	AsOf   time.Time    // zero: now
	Log    *slog.Logger // gets what the daemon would log
	Err    io.Writer    // gets progress
	Public bool         // request each blog's sitemaps at its public address, too
	Pages  int          // how many pages of each blog to request; 0: none
	Rate   float64      // requests a second
	Agent  string
	// Tokens are sent with the requests of Public, by site, so that the daemon does not count these requests as fetches by
	// crawlers.
	Tokens map[string]string
}

// Run examines sites of a configuration. It returns an error only if ctx ends.
func (c *Check) Run(ctx context.Context, cfg *config.Config, sites []config.Site) (*Report, error) {
	r := &Report{Sites: []*SiteReport{}}
	for _, text := range cfg.Warnings {
		if slices.Contains(cfg.Unmatched, text) {
			r.Errors = append(r.Errors, text+". Correct the pattern, or remove the section")
		} else {
			r.Warnings = append(r.Warnings, text)
		}
	}
	if location := cfg.State.Reveal(); location != "" {
		if backend, err := config.Store(location); err == nil {
			if text := backend.Probe(ctx, location); text != "" { // the store cannot be used
				r.Errors = append(r.Errors, text)
			}
		}
	}
	r.OK = len(r.Errors) == 0
	upstreams, read := map[string]string{}, map[string][]*site.Blog{}
	progress, began := report.NewProgress(c.Err), time.Now()
	defer progress.Clear()
	for i := range sites {
		if len(sites) > 1 {
			progress.Of(i, len(sites), "site", began)
		}
		var s *SiteReport
		err := site.Guard(slog.Default(), func() error {
			s = c.site(ctx, &sites[i])
			return nil
		})
		if err != nil {
			s = &SiteReport{Name: sites[i].Name, Blogs: []*BlogReport{}, Errors: strings.Split(err.Error(), "\n")}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, b := range s.Blogs {
			read[s.Name] = append(read[s.Name], site.Unread(site.Blog{Home: b.Home, Hosts: b.hosts}, nil))
		}
		s.noteHosts(&sites[i])
		home := string(sites[i].Home)
		if len(s.Blogs) > 0 {
			home = s.Blogs[0].Home
		}
		s.trouble(troubleOf(ctx, upstreams, &sites[i], home, c.Agent))
		r.Sites = append(r.Sites, s)
	}
	table, conflicts := owner.Preview(cfg, read)
	for _, s := range r.Sites {
		for _, b := range s.Blogs {
			b.noteRedirected(table)
		}
		s.trouble(conflicts[s.Name])
		r.OK = r.OK && s.OK
	}
	return r, nil
}

// site reads one site, and returns the report about it.
func (c *Check) site(ctx context.Context, s *config.Site) *SiteReport {
	r := &SiteReport{Name: s.Name, Blogs: []*BlogReport{}}
	progress, began := report.NewProgress(c.Err), time.Now()
	defer progress.Clear()
	n, books, err := site.Blogs(ctx, s, progress.Settings(began))
	if n == nil {
		r.Errors = []string{err.Error()}
		return r
	}
	defer n.Close()
	if err == nil {
		books, _, err = site.Inquire(ctx, n, books, c.Rate)
	}
	r.OK = err == nil
	if err != nil {
		r.Errors = strings.Split(err.Error(), "\n")
	}
	began = time.Now()
	for i, book := range books {
		if len(books) > 1 {
			progress.Of(i, len(books), "blog", began)
		}
		b := c.blog(ctx, s, book)
		if err := b.noteNamed(ctx, s, book.Blog, len(books) > 1); err != nil {
			b.Warnings = append(b.Warnings, err.Error())
		}
		r.OK = r.OK && b.good()
		r.Blogs = append(r.Blogs, b)
	}
	return r
}

// blog reads one blog, and returns the report about it.
func (c *Check) blog(ctx context.Context, s *config.Site, book *address.Book) *BlogReport {
	blog := book.Blog
	b := &BlogReport{
		ID: blog.BlogID(), Home: blog.Home(), Compat: s.Compat, hosts: blog.Hosts(),
		Sitemaps: []sizeReport{}, LeftOut: map[string]int{}, Types: []typeReport{},
		Warnings: slices.Clone(blog.Warnings()), Versions: blog.Installed(),
	}
	b.noteTypes(book)
	found, err := site.Build(ctx, s, book, site.Clock(c.AsOf), c.Log, false)
	if err != nil {
		b.Error = err.Error()
		return b
	}
	b.noteUnsettled(found, blog.Registry())
	if n := found.LeftOut[seo.AddressUnknown]; n > 0 {
		b.Troubles = append(b.Troubles, fmt.Sprintf("no sitemap lists %s, whose URLs are not known. If a plugin filters these "+
			"URLs, run Tools, SEO data optimization in Yoast SEO, which stores them. If url of their type names a term that they "+
			"lack, give them the term", report.Count(n, "object")))
	}
	b.Active = found.FromPlugin()
	if found.Active() {
		b.Plugin = found.Plugin()
	}
	if notice := found.Whose.Notice(); notice != "" {
		b.Warnings = append(b.Warnings, notice)
	}
	if text, err := objects.Mojibake(ctx, blog); err != nil {
		b.Warnings = append(b.Warnings, err.Error())
	} else if text != "" {
		b.Warnings = append(b.Warnings, fmt.Sprintf("texts seem to be read in the wrong character set, for example %q: set "+
			"wp_config, whose DB_CHARSET then applies, or add charset=latin1 to dsn", text))
	}
	if text := homeWarning(b.Home, blog.Settings().SiteURL); text != "" && s.Home == "" {
		b.Warnings = append(b.Warnings, text)
	}
	if err := b.noteSizes(ctx, found); err != nil {
		b.Error = err.Error()
		return b
	}
	b.noteNews(found, found.Rules.Options.Now().Unix())
	for rule, n := range found.LeftOut {
		if n > 0 {
			b.LeftOut[rule.String()] = n
		}
	}
	if found.Active() {
		c.noteRobots(ctx, b, s, blog, found)
	}
	if c.Public && found.Active() {
		if b.Public, err = c.public(ctx, blog, found, c.Tokens[s.Name]); err != nil {
			b.Error = err.Error()
		}
	}
	if c.Pages > 0 && found.Active() {
		if b.Fetch, err = c.fetch(ctx, s, blog, found); err != nil {
			b.Error = err.Error()
		}
	}
	return b
}

// noteTypes adds what is known of each type.
func (b *BlogReport) noteTypes(book *address.Book) {
	for _, t := range book.Blog.Registry().Types() {
		one := typeReport{Kind: t.Kind(), Name: t.Name, Public: t.Public, Excluded: book.Blog.Excludes(t), Facts: t.Facts()}
		one.noteAddressing(book.Addressing(t))
		if link := book.StoredArchive(t.Name); link != "" && !t.Taxonomy {
			one.Addresses += "; yoast_indexable has the address of the archive: " + link
		}
		b.Types = append(b.Types, one)
	}
}

// noteUnsettled reports the types about which something is open: whether they are public, or what their addresses are. A type
// without a rewrite rule only causes a warning.
func (b *BlogReport) noteUnsettled(found *sitemap.Catalog, types *registry.Registry) {
	var inner []string
	for _, u := range found.Unsettled() {
		switch {
		case u.Elsewhere:
			b.Troubles = append(b.Troubles, u.Why)
		case types.PostType(u.Name) == nil && types.Taxonomy(u.Name) == nil: // no rewrite rule knows it
			inner = append(inner, u.Name)
		default:
			b.Unknown = append(b.Unknown, unknown{Kind: u.Kind, Name: u.Name, Rows: u.Rows, Why: u.Why, Add: linesToAdd(u)})
		}
	}
	if len(inner) > 0 {
		b.Warnings = append(b.Warnings, "these types have no rewrite rule in WordPress, so they count as not public and have no sitemap: "+
			strings.Join(inner, ", ")+". If visitors can see one of them, set public = true in [site.post_type.NAME] or [site.taxonomy.NAME]")
	}
}

// noteSizes adds the size of each sitemap. It renders the sitemaps of posts with several parts, because the catalog does not
// know how many parts a post has.
func (b *BlogReport) noteSizes(ctx context.Context, found *sitemap.Catalog) error {
	parts := map[string]int{}
	for _, f := range found.Files() {
		if !f.Parted || f.Elsewhere {
			continue
		}
		doc, err := found.Render(ctx, f.Name, f.Page)
		if err != nil {
			return fmt.Errorf("%s cannot be made: %w", f.Filename, err)
		}
		parts[f.Name] += doc.Parts
	}
	for _, n := range found.Types() {
		b.Sitemaps = append(b.Sitemaps, sizeReport{n.Name, n.Pages, n.URLs + parts[n.Name], ""})
	}
	return nil
}
