package refresh

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp/weburl"
)

// rememberEvery is how long the record of a blog that does not change may be behind.
const rememberEvery = 10 * time.Minute

// memory knows what a store remembers of a site. The zero value knows nothing.
type memory struct {
	site  *store.SiteRecord
	blogs map[string]*kept // by key
}

// kept says which record of a blog the store has.
type kept struct {
	generation uint64 // of the catalog whose record it is
	built      time.Time
}

// Restore returns what a store remembers of a site, nil where there is nothing to serve from. It knows the records then.
// configChanged reports whether the site had another configuration.
func (m *memory) Restore(to *site.Site, from *store.Store) (restored *site.Snapshot, configChanged bool) {
	of := &to.Config
	remembered, records := from.Site(of.Name)
	if remembered == nil || remembered.Source != of.Identity() {
		return nil, false
	}
	restored = &site.Snapshot{Restored: true}
	for _, g := range remembered.Gone {
		restored.Gone = append(restored.Gone, site.Gone{Host: g.Host, Path: g.Path})
	}
	m.blogs = map[string]*kept{}
	byKey := map[string]*store.BlogRecord{}
	for _, r := range records {
		byKey[r.Key] = r
	}
	for _, key := range remembered.Blogs {
		if r := byKey[key]; r != nil {
			b := RememberedBlog(r)
			m.blogs[key] = &kept{built: r.Built}
			restored.Blogs = append(restored.Blogs, b)
			continue
		}
		// Nothing is known of it but its address, so that requests for it do not end elsewhere.
		id, home, _ := strings.Cut(key, " ")
		number, _ := strconv.ParseInt(id, 10, 64)
		host, _ := weburl.Split(home)
		settings := site.Facts{ID: number, Home: home, Hosts: []string{host}}
		restored.Blogs = append(restored.Blogs, site.Unread(settings, site.ErrNotReadYet))
	}
	configChanged = remembered.Settings != of.Listing()
	if len(m.blogs) == 0 {
		return nil, configChanged
	}
	m.site = remembered
	for _, r := range records {
		for _, f := range r.Sitemaps.Files {
			to.NoteParts(r.Key, f.Name, f.Page, f.Parts)
		}
	}
	return restored, configChanged
}

// RememberedBlog is the blog of a record.
func RememberedBlog(r *store.BlogRecord) *site.Blog {
	b := site.Remembered(site.Facts{
		ID:         r.ID,
		Home:       r.Home,
		Hosts:      r.Hosts,
		Network:    r.Network,
		Plain:      r.Plain,
		Plugin:     sitemap.PluginNamed(r.Sitemaps.Plugin),
		Robots:     r.Robots,
		Apart:      r.Apart,
		RobotsText: r.RobotsText,
		WebRoots:   r.WebRoots,
		Routed:     r.Routed,
	}, r.Sitemaps, r.Built)
	b.AskedAt(r.Asked)
	return b
}

// Remember has the records of a site written where they changed.
func (m *memory) Remember(s *site.Site, now *site.Snapshot, in *store.Store) {
	of := &s.Config
	record := &store.SiteRecord{Name: of.Name, Source: of.Identity(), Settings: of.Listing()}
	for _, g := range now.Gone {
		record.Gone = append(record.Gone, store.Place{Host: g.Host, Path: g.Path})
	}
	for _, b := range now.Blogs {
		record.Blogs = append(record.Blogs, b.Key())
		if b.Catalog != nil && b.Resident() && b.Err == nil && b.HeldBy == "" { // else what is remembered of it is as good
			m.rememberBlog(s, b, in)
		}
	}
	// after its blogs: a blog that it names has a record
	if !reflect.DeepEqual(m.site, record) && in.SaveSite(record) {
		m.site = record
		maps.DeleteFunc(m.blogs, func(key string, _ *kept) bool { return now.Blog(key) == nil })
	}
}

func (m *memory) rememberBlog(s *site.Site, b *site.Blog, to *store.Store) {
	before := m.blogs[b.Key()]
	if before != nil && before.generation == b.Generation && b.Built.Sub(before.built) < rememberEvery {
		return
	}
	r := recordOf(s, b)
	if to.SaveBlog(r) {
		if m.blogs == nil {
			m.blogs = map[string]*kept{}
		}
		m.blogs[r.Key] = &kept{generation: b.Generation, built: r.Built}
	}
}

func recordOf(s *site.Site, b *site.Blog) *store.BlogRecord {
	outline := b.Outline
	outline.Title, outline.Rival, outline.Sizes, outline.Installed = "", "", nil, nil // not kept
	outline.Files = slices.Clone(outline.Files)
	r := &store.BlogRecord{
		Site:       s.Config.Name,
		Key:        b.Key(),
		ID:         b.ID,
		Home:       b.Home,
		Hosts:      b.Hosts,
		Network:    b.Network,
		Plain:      b.Plain,
		Robots:     b.Robots,
		Apart:      b.Apart,
		RobotsText: b.RobotsText,
		WebRoots:   b.WebRoots,
		Routed:     b.Routed,
		Sitemaps:   outline,
		Built:      b.Built,
	}
	if asked := b.Asked(); asked != 0 {
		r.Asked = time.Unix(0, asked).UTC()
	}
	for i := range r.Sitemaps.Files {
		f := &r.Sitemaps.Files[i]
		f.Parts = s.Parts(r.Key, f.Name, f.Page)
	}
	return r
}
