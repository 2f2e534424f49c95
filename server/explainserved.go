package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/refresh/guard"
	"wpsitemapd/server/refresh/memory"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/stores"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
)

// What explain says holds for what is served. Where that is not what the database says now (a loss alarm holds, the
// database cannot be read), the stored pages are searched: those in memory, then those that outlive the process.

// MarshalJSON writes what nobody knows as null, since neither true nor false is right.
func (x Explained) MarshalJSON() ([]byte, error) {
	type plain Explained // without this method
	var value any = plain(x)
	if x.Explanation != nil && x.Unknown {
		value = struct {
			plain
			In *bool `json:"in"`
		}{plain: plain(x)}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // addresses are to be read; who embeds it escapes it
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (x *Explained) UnmarshalJSON(text []byte) error {
	type plain Explained
	if err := json.Unmarshal(text, (*plain)(x)); err != nil {
		return err
	}
	var known struct {
		In *bool `json:"in"`
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	if x.Explanation != nil {
		x.Unknown = known.In == nil
	}
	return nil
}

// searching is a catalog that knows why, and looks into pages as they are handed to it.
type searching interface {
	ExplainIn(ctx context.Context, address string, pages explain.Pages) (*explain.Explanation, error)
}

// explainIn asks a catalog about an address, with the pages that are served.
func explainIn(ctx context.Context, c explaining, address string, pages explain.Pages) (*explain.Explanation, error) {
	if c, ok := c.(searching); ok && pages != nil {
		return c.ExplainIn(ctx, address, pages)
	}
	return c.Explain(ctx, address)
}

// storedPages hands out the stored pages of a blog, and tells when they were made.
func (s *Server) storedPages(of *site.Site, b *site.Blog, made map[string]time.Time) explain.Pages {
	return func(_ context.Context, f catalog.File) ([]byte, error) {
		page := s.pages.Peek(of, b, f.Name, f.Page)
		if page == nil {
			return nil, nil
		}
		made[f.URL] = page.Built()
		return page.Plain(), nil
	}
}

// servedPages hands out the pages of a blog as a request would get them now.
func (s *Server) servedPages(of *site.Site, b *site.Blog) explain.Pages {
	return func(ctx context.Context, f catalog.File) ([]byte, error) {
		page, err := s.pages.Served(ctx, of, b, f.Name, f.Page)
		if err != nil {
			return nil, err
		}
		return page.Plain(), nil
	}
}

// servedFrom says why a blog is served from its stored pages alone; "" where it is not.
func servedFrom(b *site.Blog) string {
	switch {
	case b.HeldBy != "":
		return "most of the site is gone from its database (" + b.HeldBy + ")"
	case b.Err != nil && errors.Is(b.Err, site.ErrNotReadYet):
		return site.ErrNotReadYet.Error()
	case b.Err != nil:
		return "its database cannot be read (" + b.Err.Error() + ")"
	}
	return ""
}

// fromStored brings an explanation in line with the stored pages. x is what the database says, nil where it says nothing.
func (p place) fromStored(ctx context.Context, s *Server, of *site.Site, b *site.Blog, x *explain.Explanation, why string) (*explain.Explanation, error) {
	addresses := []string{p.address}
	if x == nil {
		x = &explain.Explanation{Evidence: []seo.Evidence{}}
	} else if x.Address != "" {
		addresses = append(addresses, x.Address)
	}
	made := map[string]time.Time{}
	search, err := explain.SearchPages(ctx, b.Outline.Files, s.storedPages(of, b, made), addresses...)
	if err != nil {
		return nil, err
	}
	says := x.Rule
	alarm := seo.Evidence{Source: "wpsitemapd", Value: why}
	switch {
	case search.File.Name != "":
		at := made[search.File.URL].UTC().Format(copyTime)
		x.StandsIn(search.File, search.Found)
		x.Address = cmp.Or(x.Address, search.Found.Loc)
		if search.Found.Image {
			x.Address = p.address
		}
		x.Rule, x.Evidence = seo.Listed.String(), []seo.Evidence{{Source: search.File.URL, Value: "copy of " + at}, alarm}
		x.Because = fmt.Sprintf("It is served from a copy of %s, because %s.", at, why)
		if says != "" && says != x.Rule {
			x.Notes = append(x.Notes, "By the database as it is now: "+says+".")
		}
	case search.Missing > 0:
		x.SayUnknown(fmt.Sprintf("Only copies are served, because %s; it is in none of the %d that are stored, and of %d there is no copy to search.",
			why, search.Searched, search.Missing), alarm)
	default:
		if says == "" || x.In || x.Unknown || x.NotSettled() {
			*x = explain.Explanation{Object: x.Object, Address: x.Address, Notes: x.Notes, Rule: ruleNotStored, Evidence: []seo.Evidence{}}
			x.Because = "It is in none of the copies that are served."
		}
		x.Evidence = append(x.Evidence, alarm)
		x.Notes = append(x.Notes, fmt.Sprintf("Only copies are served, because %s; all %d were searched.", why, search.Searched))
	}
	return x, nil
}

// ruleNotStored is the rule of what no stored page holds, where only those are served and the database does not tell why.
const ruleNotStored = "not in the stored pages"

// sitemapFromStored adds to what is known of a sitemap that it is served from a copy, or has none.
func (s *Server) sitemapFromStored(of *site.Site, b *site.Blog, x *explain.Explanation, why string) {
	i := slices.IndexFunc(b.Outline.Files, func(f catalog.File) bool { return f.URL == x.URL })
	if i < 0 {
		return
	}
	f := b.Outline.Files[i]
	if !x.In { // the database has lost it
		x.StandsIn(f, explain.Found{})
		x.Rule, x.Because, x.Evidence = seo.Listed.String(), "The index that is served names it.", []seo.Evidence{{Source: "wpsitemapd", Value: why}}
	}
	if c := s.pages.Peek(of, b, f.Name, f.Page); c != nil {
		x.Notes = append(x.Notes, fmt.Sprintf("It is served from a copy of %s, because %s.", c.Built().UTC().Format(copyTime), why))
		return
	}
	x.Notes = append(x.Notes, fmt.Sprintf("There is no copy of it, and it is answered with 503, because %s.", why))
}

// copyTime is how the time of a copy is told.
const copyTime = "2006-01-02 15:04 UTC"

// rivals are the other sites that claim the place of a blog.
func (s *Server) rivals(at route.Mount, host string) []string {
	var names []string
	for _, w := range s.running() {
		if w.Site == at.Site {
			continue
		}
		for _, o := range route.MountsOf(w.Site) {
			if slices.Contains(o.Hosts, host) && strings.EqualFold(o.Path, at.Path) {
				names = append(names, w.Config.Name)
				break
			}
		}
	}
	return names
}

// openStored has the explainer read the folder of stored pages, if there is one. It writes nothing there.
func (e *Explainer) openStored(dir string) {
	if dir == "" || !stores.Holds(dir) {
		return // nothing was stored, or it is not for this account
	}
	kept, err := stores.Open(dir, store.Options{Limit: 1, Log: slog.New(slog.DiscardHandler)})
	if err == nil && kept.Open() == nil {
		e.server.store = kept
		e.server.pages.UseStore(kept)
	}
}

// stored returns a blog as it was remembered, nil where nothing is.
func (e *Explainer) stored(of *site.Site, key string) (*site.Blog, *store.Site) {
	if e.server.store == nil {
		return nil, nil
	}
	site, blogs := e.server.store.Site(of.Config.Name)
	if site == nil || site.Source != of.Config.Identity() {
		return nil, nil
	}
	for _, r := range blogs {
		if r.Key == key {
			return memory.Blog(r), site
		}
	}
	return nil, nil
}

// held returns the blog as a running daemon serves it while it does not believe what the database says now: most of
// what it has remembered is gone. It is nil where nothing is held.
func (e *Explainer) held(of *site.Site, b *site.Blog, c site.Catalog) *site.Blog {
	before, site := e.stored(of, b.Key())
	if before == nil || of.Config.Collapse == 0 || site.Settings != of.Config.Listing() {
		return nil
	}
	now := c.Outline()
	why := guard.Loss(&before.Outline, &now, of.Config.Collapse)
	if why == "" {
		return nil
	}
	return before.HeldFor(why)
}

// pages hands out the pages of a catalog, which are made once and kept as far as there is room.
func (e *Explainer) pages(of *site.Site, b *site.Blog, c site.Catalog) explain.Pages {
	return func(ctx context.Context, f catalog.File) ([]byte, error) {
		return e.server.pages.Remember(ctx, of, b, c, f.Name, f.Page)
	}
}
