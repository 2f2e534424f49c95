// Package route says which blog a host and a path mean, and which resource of that blog. Start with table.go for the blog, and
// with resource.go for the resource.
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

// A Table says which blog a request is for. It does not change, except for the meanings that it remembers. It is replaced if the
// hosts or paths of a site change.
type Table struct {
	hosts map[string]*places
	// only serves every host, as WordPress does. It is set if the only site has no configured hosts and is not a network.
	only *places
	// fallback gets the requests that no host matches. It is set if there is only one site.
	fallback *site.Site
	// Opening are the sites whose hosts are not known yet.
	Opening []*site.Site

	meanings   sync.Map // values of type *meaning, by keys of type addressed
	remembered atomic.Int64
}

// places are the mounts of a host.
type places struct {
	at      []place // sorted by home
	deepest int     // the number of folders in the longest path
	any     Mount   // the mount with the shortest path
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

// compare orders homes by the number of folders, then by path.
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
	slices.SortStableFunc(p.at, func(a, b place) int { return a.home.compare(b.home) }) // of several mounts with one home, the first wins
	return p
}

// find returns the mount with the longest path that contains the given path, and the rest of the given path.
func (p *places) find(path string) (m Mount, rest string, ok bool) {
	if p.deepest == 0 && len(p.at) > 0 { // there is only a blog at the root, as on most hosts
		return p.at[0].Mount, path, true
	}
	ends := []int{0} // ends[n] is where the first n folders end
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

// NewTable returns a table of the mounts of each host. For the other arguments, see the fields of Table; only may be nil.
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

// SomeHosts returns the end of a message that names at most ten of the hosts. It returns "" if there are none.
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

// Unplaced returns the sites without a known host. If every site has one, it returns the sites that may have more hosts.
func (t *Table) Unplaced() []*site.Site {
	none := slices.DeleteFunc(slices.Clone(t.Opening), (*site.Site).Placed)
	if len(none) > 0 {
		return none
	}
	return t.Opening
}

// ShareUpstream reports whether all of the sites have the same upstream. It is false for no sites.
func ShareUpstream(sites []*site.Site) bool {
	return len(sites) > 0 && !slices.ContainsFunc(sites, func(w *site.Site) bool {
		return w.Upstream == nil || !reflect.DeepEqual(w.Config.Upstream, sites[0].Config.Upstream)
	})
}

// Find returns where a host and an escaped path lead. rest is the part of the path below the blog's home, without slashes at
// its ends. If there is no blog at the path, v.Site is the site that has the host, or nil.
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
			v.Moved, v.Unnamed = v.Blog != nil && weburl.HostOf(v.Blog.Home) != host, t.fallback != nil
			return v, rest
		}
	}
	return Visit{Mount: Mount{Site: t.fallback, Unnamed: t.fallback != nil}}, ""
}

// WithOrWithoutWWW removes www. from a host, or adds it if the host has none.
func WithOrWithoutWWW(host string) string {
	if short, ok := strings.CutPrefix(host, "www."); ok {
		return short
	}
	return "www." + host
}

// cutHomePath removes the path of home from the path of a request. Both have no slashes at their ends. As in WordPress, letter
// case does not matter.
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
