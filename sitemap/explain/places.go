package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// This file finds the sitemap pages that list an object.

// places returns the sitemap pages that list an object.
func (e *explainer) places(t *thing) ([]Place, error) {
	var all []Place
	address := e.x.Address
	for _, l := range e.Current() {
		add := func(page int, lastmod int64) {
			p := Place{
				Sitemap: l.Name, Page: page, File: e.URL(l.Name, page), LastMod: e.lastmod(lastmod),
				withheld: l.Withheld, indexed: l.Indexed && page <= max(1, len(l.Dates)),
			}
			if !slices.ContainsFunc(all, func(o Place) bool { return o.File == p.File }) {
				all = append(all, p)
			}
		}
		for i, f := range append(slices.Clip(l.First), l.After...) {
			page := 1
			if i < l.FirstPlaces() {
				page = i/l.Size + 1
			}
			if t.kind == seo.KindPost && f.PostID == t.Post.ID || f.PostID == 0 && address != "" && e.spelling(f.Loc) == address {
				add(page, f.LastMod)
			}
		}
		if err := e.languageTerms(l, address, add); err != nil {
			return nil, err
		}
		holds := e.holds(l, t)
		if holds == nil {
			continue
		}
		if of, ok := l.Content.(catalog.OfRows); ok {
			rows, err := of.RowsOf(e.ctx, t.Post.ID)
			if err != nil {
				return nil, err
			}
			holds = func(id int64) bool { return slices.Contains(rows, id) }
		}
		for i, p := range l.Places {
			if p.Verdict == seo.Listed && holds(p.ID) {
				lastmod := p.Date.Unix()
				if l.Explained.Dateless {
					lastmod = wp.NoTime
				}
				add((i+l.FirstPlaces())/l.Size+1, lastmod)
			}
		}
		for i := range l.Tail {
			if holds(l.Tail[i].ID) {
				add(1, wp.NoTime)
				e.note("It is on every page of the sitemap %s.", l.Name)
			}
		}
	}
	return all, nil
}

// languageTerms adds the places of an address in a list of Polylang's languages. These are terms of an
// unregistered taxonomy, and each has the home URL of its language.
func (e *explainer) languageTerms(l *catalog.List, address string, add func(page int, lastmod int64)) error {
	if l.Kind != seo.KindTerm || l.Of == "" || address == "" || e.Rules.Blog.Registry().Taxonomy(l.Of) != nil {
		return nil
	}
	found, err := l.Locate(e.ctx, slices.Collect(l.Places.Listed()))
	for _, u := range found.URLs {
		i := slices.IndexFunc(l.Places, func(p catalog.Place) bool { return p.ID == u.Object })
		if i < 0 || e.spelling(u.Loc) != address {
			continue
		}
		add(i/l.Size+1, l.Places[i].Date.Unix())
	}
	return err
}

// holds returns a function that reports whether an id in the list l is the id of t. It returns nil if the
// list cannot contain t.
func (e *explainer) holds(l *catalog.List, t *thing) func(id int64) bool {
	equals := func(want int64) func(int64) bool { return func(id int64) bool { return id == want } }
	switch {
	case t.kind == seo.KindPost && (l.Kind == seo.KindOther || e.isPostList(l, t.of)),
		t.kind == seo.KindTerm && l.Kind == seo.KindTerm && (l.Of == t.of || slices.Contains(l.TermsOf, t.of)),
		t.kind == seo.KindUser && l.Kind == seo.KindUser:
		return equals(t.id)
	case t.kind == seo.KindTerm && slices.Contains(l.TermsOf, t.of): // beside posts, see catalog.List.TermsOf
		return equals(-t.id)
	}
	return nil
}

// isPostList reports whether a list belongs to a post type.
func (e *explainer) isPostList(l *catalog.List, postType string) bool {
	return l.Kind == seo.KindPost && strings.EqualFold(l.Of, postType) // the collation may ignore case
}

// ofRows reports whether the objects of a list are rows of a plugin's table.
func ofRows(l *catalog.List) bool {
	_, ok := l.Content.(catalog.OfRows)
	return ok
}

// lastmod formats a date as a sitemap does. It returns "" for wp.NoTime.
func (e *explainer) lastmod(seconds int64) string {
	if seconds == wp.NoTime {
		return ""
	}
	return time.Unix(seconds, 0).In(cmp.Or(e.Dress.Zone, time.UTC)).Format("2006-01-02T15:04:05-07:00")
}
