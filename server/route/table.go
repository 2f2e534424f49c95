// Package route says which blog, and which of its resources, a host and a path mean. Start with table.go for the blog and
// resource.go for what is asked of it.
package route

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"wpsitemapd/server/site"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/weburl"
)

// A Mount is one place on a host where a blog is. It does not change when the blog is read again.
type Mount struct {
	Site    *site.Site
	Path    string   // Path is the path of home, without slashes at its ends.
	Key     string   // Key names the blog, see site.Snapshot.Blog; "" while it is not known, and for blogs that are gone.
	Gone    bool     // Gone blogs are archived, deleted or spam; WordPress answers 410.
	Contest *Contest // It is not known whose the place is, and Site is nil.
	Unnamed bool     // Nobody has the host, and Site is the only one there is.
	Moved   bool     // Nobody has the host, which differs from one of Site in www alone. The blog is known, and at another host.
}

// A Visit is a mount with its blog as it is now.
type Visit struct {
	Mount
	Blog *site.Blog // Blog is nil while it is not known, and for blogs that are gone.
}

// visit loads the blog of a mount.
func (m Mount) visit() Visit {
	if m.Key == "" {
		return Visit{Mount: m}
	}
	return Visit{m, m.Site.Snapshot().Blog(m.Key)}
}

// Scheme is how the sitemaps of the blog are addressed.
func (v Visit) Scheme() Scheme { return SchemeOf(v.Site, v.Blog) }

// A Contest is who claims a place while it is not known whose it is.
type Contest struct {
	Sites []*site.Site
	Await []*site.Site // Await are those that may claim it, too, and have not been tried yet.
}

// A HostedMount is a mount and the hosts it answers.
type HostedMount struct {
	Mount
	Hosts   []string
	Network bool // The blog is one of a network.
	// Home is the host of home where the configuration names other hosts: it is served, too, unless another site has it.
	Home string
}

// MountsOf returns where the blogs of a site are; before the database is read only what the configuration says.
func MountsOf(of *site.Site) []HostedMount {
	known := of.Snapshot()
	var configured []string
	for _, h := range of.Config.HostNames() {
		configured = append(configured, string(h))
	}
	if !known.Known() {
		if len(configured) == 0 {
			return nil
		}
		return []HostedMount{{Mount: Mount{Site: of, Path: of.Config.Home.Path()}, Hosts: configured}}
	}
	var all []HostedMount
	shared := true // all blogs on the same hosts: the path distinguishes them
	for _, b := range known.Blogs {
		m := HostedMount{Mount: Mount{Site: of, Path: b.Address.Path, Key: b.Key()}, Network: b.Network}
		for _, h := range b.Hosts {
			m.Hosts = append(m.Hosts, weburl.Host(h))
		}
		all = append(all, m)
		shared = shared && slices.Equal(m.Hosts, all[0].Hosts)
	}
	for i := range all {
		switch {
		case of.Config.Hosts == nil:
		case shared:
			all[i].Hosts = configured
			if host, _ := weburl.Split(known.Blogs[i].Home); !slices.Contains(configured, host) {
				all[i].Home = host
			}
		default: // a network on several hosts: only those listed
			all[i].Hosts = slices.DeleteFunc(all[i].Hosts, func(h string) bool { return !slices.Contains(configured, h) })
		}
	}
	for _, g := range known.Gone {
		hosts := []string{g.Host}
		if of.Config.Hosts != nil && shared {
			hosts = configured
		}
		all = append(all, HostedMount{Mount: Mount{Site: of, Path: g.Path, Gone: true}, Hosts: hosts})
	}
	return all
}

// A Table says which blog a request is for. It is built anew where the hosts or paths of a site change, and never altered, but for
// what it remembers of addresses.
type Table struct {
	hosts map[string]*places
	// only serves every host, as WordPress itself does: the configuration has a single site without hosts, which is no network.
	only *places
	// fallback takes what no host matches when there is but one site.
	fallback *site.Site
	// Opening are the sites whose hosts are not known yet.
	Opening []*site.Site

	meanings   sync.Map // by addressed: *meaning
	remembered atomic.Int64
}

// places are the mounts of a host.
type places struct {
	at      []place // in the order of their homes
	deepest int     // folders in the longest path
	any     Mount   // the one with the shortest path
}

type place struct {
	home
	Mount
}

// home is the path of a mount, decoded and in lower case.
type home struct {
	folders int
	path    string
}

func homeOf(path string) home {
	h := home{path: strings.ToLower(php.URLDecode(path))}
	if path != "" {
		h.folders = 1 + strings.Count(path, "/")
	}
	return h
}

// compare orders homes.
func (h home) compare(o home) int {
	return cmp.Or(cmp.Compare(h.folders, o.folders), cmp.Compare(h.path, o.path))
}

func placesOf(mounts []Mount) *places {
	p := &places{at: make([]place, 0, len(mounts))}
	for i, m := range mounts {
		h := homeOf(m.Path)
		p.at = append(p.at, place{h, m})
		p.deepest = max(p.deepest, h.folders)
		if i == 0 || len(m.Path) <= len(p.any.Path) {
			p.any = m
		}
	}
	slices.SortStableFunc(p.at, func(a, b place) int { return a.home.compare(b.home) }) // the first of one home has it
	return p
}

// find returns the mount with the longest path that a path is below, and the rest of that.
func (p *places) find(path string) (m Mount, rest string, ok bool) {
	ends := []int{0} // of so many folders
	for i := 0; len(ends) <= p.deepest && path != ""; i++ {
		if i == len(path) || path[i] == '/' {
			ends = append(ends, i)
		}
		if i == len(path) {
			break
		}
	}
	for _, end := range slices.Backward(ends) {
		if i, known := slices.BinarySearchFunc(p.at, homeOf(path[:end]), func(at place, h home) int { return at.home.compare(h) }); known {
			m := p.at[i].Mount
			rest, ok := cutHomePath(path, m.Path)
			return m, rest, ok
		}
	}
	return Mount{}, "", false
}

// NewTable returns a table of the mounts of each host.
func NewTable(hosts map[string][]Mount, only *Mount, fallback *site.Site, opening []*site.Site) *Table {
	t := &Table{hosts: make(map[string]*places, len(hosts)), fallback: fallback, Opening: opening}
	for host, mounts := range hosts {
		t.hosts[host] = placesOf(mounts)
	}
	if only != nil {
		t.only = placesOf([]Mount{*only})
	}
	return t
}

// SomeHosts names hosts there are, for messages.
func (t *Table) SomeHosts() string {
	var hosts []string
	for host := range t.hosts {
		hosts = append(hosts, host)
	}
	slices.Sort(hosts)
	const most = 10
	switch {
	case len(hosts) == 0:
		return ""
	case len(hosts) > most:
		return fmt.Sprintf("; it has %s and %d more", strings.Join(hosts[:most], ", "), len(hosts)-most)
	}
	return "; it has " + strings.Join(hosts, ", ")
}

// Unplaced returns the sites of which no host is known, else those that may have more hosts.
func (t *Table) Unplaced() []*site.Site {
	none := slices.DeleteFunc(slices.Clone(t.Opening), (*site.Site).Placed)
	if len(none) > 0 {
		return none
	}
	return t.Opening
}

// ShareUpstream reports whether the sites have an upstream, and all of them the same.
func ShareUpstream(sites []*site.Site) bool {
	return len(sites) > 0 && !slices.ContainsFunc(sites, func(w *site.Site) bool {
		return w.Upstream == nil || !reflect.DeepEqual(w.Config.Upstream, sites[0].Config.Upstream)
	})
}

// Find returns where a host and an escaped path lead, and what of the path is left behind the blog's home, without slashes at
// the ends. Where no blog is, Site is still the one the host belongs to, if there is one.
func (t *Table) Find(host, path string) (v Visit, rest string) {
	path = strings.Trim(path, "/")
	if places := cmp.Or(t.hosts[host], t.only); places != nil {
		if m, rest, ok := places.find(path); ok {
			return m.visit(), rest
		}
		return Visit{Mount: Mount{Site: places.any.Site, Contest: places.any.Contest}}, ""
	}
	if places := t.hosts[WithOrWithoutWWW(host)]; places != nil {
		if m, rest, ok := places.find(path); ok {
			v := m.visit()
			v.Moved = v.Blog != nil && weburl.HostOf(v.Blog.Home) != host
			return v, rest
		}
	}
	return Visit{Mount: Mount{Site: t.fallback, Unnamed: t.fallback != nil}}, ""
}

// WithOrWithoutWWW is a host with www in front of it, or without if it has that.
func WithOrWithoutWWW(host string) string {
	if short, ok := strings.CutPrefix(host, "www."); ok {
		return short
	}
	return "www." + host
}

// cutHomePath removes the path of home from a request's, both without slashes at the ends.
// As in WordPress letter case does not matter.
func cutHomePath(path, home string) (rest string, ok bool) {
	if home == "" {
		return path, true
	}
	end := 0
	for range strings.Count(home, "/") + 1 {
		if end >= len(path) {
			return "", false
		}
		i := strings.IndexByte(path[end+1:], '/')
		if i < 0 {
			end = len(path)
		} else {
			end += 1 + i
		}
	}
	if !strings.EqualFold(php.URLDecode(path[:end]), php.URLDecode(home)) {
		return "", false
	}
	return strings.Trim(path[end:], "/"), true
}
