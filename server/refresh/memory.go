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
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// rememberEvery is how old the stored record of an unchanged blog may become.
const rememberEvery = 10 * time.Minute

// siteRecord is the stored record of a whole site.
type siteRecord struct {
	Source   string       // identifies its database
	Settings string       // hash of the settings that the site was read with, see config.Site.Listing
	Blogs    []string     // keys of the blogs, in order
	Gone     []wp.BlogRow `json:"GoneBlogs"`
}

// BlogRecord contains what is needed to route requests to a blog and to serve its cached pages without its database.
// Every blog whose catalog was built has a record. Most fields are explained at the fields of site.Blog with the same names.
// Sitemaps is the Outline of the blog.
type BlogRecord struct {
	ID         int64
	Home       string
	Hosts      []string
	Network    bool
	Plain      bool
	Robots     []int64
	Apart      bool
	RobotsText string
	WebRoots   []string
	Routed     string
	Sitemaps   catalog.Outline `json:"Outline"`
	Built      time.Time       // when the catalog was built
	Asked      time.Time       `json:",omitzero"` // when somebody last asked for its sitemaps; zero: unknown
}

// memory knows which records of a site the store contains.
type memory struct {
	site      *siteRecord
	siteSaved store.Saving
	blogs     map[string]kept // the stored records, by the key of the blog
}

// kept says which record of a blog the store contains.
type kept struct {
	generation uint64 // of the catalog that the record describes; 0: an earlier process saved the record
	built      time.Time
	saved      store.Saving
}

// Restore returns what a store contains of a site; nil if nothing can be served from it. It remembers which records
// there are. configChanged reports whether the record was made with another configuration.
func (m *memory) Restore(to *site.Site, from *store.Store) (restored *site.Snapshot, configChanged bool) {
	of, remembered, saved := &to.Config, new(siteRecord), from.Saving()
	if !from.Site(of.Name, remembered) || remembered.Source != of.Identity() {
		return nil, false
	}
	restored = &site.Snapshot{Restored: true, Gone: remembered.Gone}
	for _, key := range remembered.Blogs {
		if r := new(BlogRecord); from.Blog(of.Name, key, r) {
			m.blogs[key] = kept{built: r.Built, saved: saved}
			restored.Blogs = append(restored.Blogs, RememberedBlog(r))
			for _, f := range r.Sitemaps.Files {
				to.NoteParts(key, f.Name, f.Page, f.Parts)
			}
			continue
		}
		// Only the address of this blog is known. It is kept so that requests for the blog do not reach another one.
		id, home, _ := strings.Cut(key, " ")
		number, _ := strconv.ParseInt(id, 10, 64)
		host, _ := weburl.Split(home)
		place := site.Blog{ID: number, Home: home, Hosts: []string{host}}
		restored.Blogs = append(restored.Blogs, site.Unread(place, site.ErrNotReadYet))
	}
	configChanged = remembered.Settings != of.Listing()
	if len(m.blogs) == 0 {
		return nil, configChanged
	}
	m.site, m.siteSaved = remembered, saved
	return restored, configChanged
}

func RememberedBlog(r *BlogRecord) *site.Blog {
	known := site.Blog{
		ID: r.ID, Home: r.Home, Hosts: r.Hosts, Network: r.Network, Plain: r.Plain, Robots: r.Robots, Apart: r.Apart,
		RobotsText: r.RobotsText, WebRoots: r.WebRoots, Routed: r.Routed, Plugin: sitemap.PluginNamed(r.Sitemaps.Plugin),
	}
	b := site.Remembered(known, r.Sitemaps, r.Built)
	b.AskedAt(r.Asked)
	return b
}

// Remember saves the records of a site that have changed.
func (m *memory) Remember(s *site.Site, now *site.Snapshot, in *store.Store) {
	of := &s.Config
	record := &siteRecord{Source: of.Identity(), Settings: of.Listing(), Gone: now.Gone}
	for _, b := range now.Blogs {
		record.Blogs = append(record.Blogs, b.Key())
		if b.Resident() && b.Err == nil && b.HeldBy == "" { // the stored record of any other blog is as good as a new one
			m.rememberBlog(s, b, in)
		}
	}
	// saved after the blogs, so that every blog it names has a record
	saving := in.Saving()
	if (m.siteSaved != saving || !reflect.DeepEqual(m.site, record)) && in.SaveSite(of.Name, record.Blogs, record) {
		m.site, m.siteSaved = record, saving
		maps.DeleteFunc(m.blogs, func(key string, _ kept) bool { return now.Blog(key) == nil })
	}
}

func (m *memory) rememberBlog(s *site.Site, b *site.Blog, to *store.Store) {
	before, saving := m.blogs[b.Key()], to.Saving()
	if before.saved == saving && before.generation == b.Generation && b.Built.Sub(before.built) < rememberEvery {
		return
	}
	r := recordOf(s, b)
	if to.SaveBlog(s.Config.Name, b.Key(), &r.Sitemaps, r) {
		m.blogs[b.Key()] = kept{b.Generation, b.Built, saving}
	}
}

func recordOf(s *site.Site, b *site.Blog) *BlogRecord {
	r := &BlogRecord{
		ID: b.ID, Home: b.Home, Hosts: b.Hosts, Network: b.Network, Plain: b.Plain, Robots: b.Robots, Apart: b.Apart,
		RobotsText: b.RobotsText, WebRoots: b.WebRoots, Routed: b.Routed, Sitemaps: b.Outline, Built: b.Built,
	}
	o := &r.Sitemaps
	o.Title, o.Rival, o.Sizes, o.Installed = "", "", nil, nil // the record does not need these
	o.Files = slices.Clone(o.Files)
	for i := range o.Files {
		f := &o.Files[i]
		f.Parts = s.Parts(b.Key(), f.Name, f.Page)
	}
	if asked := b.Asked(); asked != 0 {
		r.Asked = time.Unix(0, asked).UTC()
	}
	return r
}
