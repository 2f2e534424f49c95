package refresh

import (
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
	site  *store.Site
	blogs map[string]*store.Blog // by key
}

// Restore returns what a store remembers of a site, nil where there is nothing to serve from. It knows the records then.
// configChanged reports whether the site had another configuration.
func (m *memory) Restore(to *site.Site, kept *store.Store) (restored *site.Snapshot, configChanged bool) {
	of := &to.Config
	remembered, records := kept.Site(of.Name)
	if remembered == nil || remembered.Source != of.Identity() {
		return nil, false
	}
	restored = &site.Snapshot{Restored: true}
	for _, g := range remembered.Gone {
		restored.Gone = append(restored.Gone, site.Gone{Host: g.Host, Path: g.Path})
	}
	served := 0
	for _, key := range remembered.Blogs {
		i := slices.IndexFunc(records, func(r *store.Blog) bool { return r.Key == key })
		if i >= 0 {
			restored.Blogs = append(restored.Blogs, RememberedBlog(records[i]))
			served++
			continue
		}
		// Nothing is known of it but its address, so that requests for it do not end elsewhere.
		id, home, _ := strings.Cut(key, " ")
		number, _ := strconv.ParseInt(id, 10, 64)
		host, _ := weburl.Split(home)
		settings := site.Settings{ID: number, Home: home, Hosts: []string{host}}
		restored.Blogs = append(restored.Blogs, site.Unread(settings, site.ErrNotReadYet))
	}
	configChanged = remembered.Settings != of.Listing()
	if served == 0 {
		return nil, configChanged
	}
	m.site, m.blogs = remembered, map[string]*store.Blog{}
	for _, r := range records {
		m.blogs[r.Key] = r
		for _, f := range r.Sitemaps.Files {
			to.NoteParts(r.Key, f.Name, f.Page, f.Parts)
		}
	}
	return restored, configChanged
}

// RememberedBlog is the blog of a record.
func RememberedBlog(r *store.Blog) *site.Blog {
	return site.Remembered(site.Settings{
		ID:         r.ID,
		Home:       r.Home,
		Hosts:      r.Hosts,
		Network:    r.Network,
		Plain:      r.Plain,
		Plugin:     sitemap.PluginNamed(r.Sitemaps.Plugin),
		Robots:     r.Robots,
		RobotsText: r.RobotsText,
		WebRoots:   r.WebRoots,
		Routed:     r.Routed,
	}, r.Sitemaps, r.Built)
}

// Remember has the records of a site written where they changed.
func (m *memory) Remember(s *site.Site, now *site.Snapshot, kept *store.Store) {
	of := &s.Config
	record := &store.Site{Name: of.Name, Source: of.Identity(), Settings: of.Listing()}
	for _, g := range now.Gone {
		record.Gone = append(record.Gone, store.Place{Host: g.Host, Path: g.Path})
	}
	for _, b := range now.Blogs {
		record.Blogs = append(record.Blogs, b.Key())
		if b.Catalog != nil && b.Err == nil && b.HeldBy == "" { // else what is remembered of it is as good
			m.rememberBlog(recordOf(s, b), kept)
		}
	}
	// after its blogs: a blog that it names has a record
	if !reflect.DeepEqual(m.site, record) && kept.SaveSite(record) {
		m.site = record
		for key := range m.blogs {
			if !slices.Contains(record.Blogs, key) {
				delete(m.blogs, key)
			}
		}
	}
}

func (m *memory) rememberBlog(r *store.Blog, kept *store.Store) {
	if before := m.blogs[r.Key]; before != nil && r.Built.Sub(before.Built) < rememberEvery {
		same := *r
		same.Built = before.Built
		if reflect.DeepEqual(&same, before) {
			return
		}
	}
	if kept.SaveBlog(r) {
		if m.blogs == nil {
			m.blogs = map[string]*store.Blog{}
		}
		m.blogs[r.Key] = r
	}
}

func recordOf(s *site.Site, b *site.Blog) *store.Blog {
	outline := b.Outline
	outline.Title, outline.Rival, outline.Sizes, outline.Installed = "", "", nil, nil // not kept
	outline.Files = slices.Clone(outline.Files)
	r := &store.Blog{
		Site:       s.Config.Name,
		Key:        b.Key(),
		ID:         b.ID,
		Home:       b.Home,
		Hosts:      b.Hosts,
		Network:    b.Network,
		Plain:      b.Plain,
		Robots:     b.Robots,
		RobotsText: b.RobotsText,
		WebRoots:   b.WebRoots,
		Routed:     b.Routed,
		Sitemaps:   outline,
		Built:      b.Built,
	}
	for i := range r.Sitemaps.Files {
		f := &r.Sitemaps.Files[i]
		f.Parts = s.Parts(r.Key, f.Name, f.Page)
	}
	return r
}
