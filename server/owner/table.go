package owner

import (
	"cmp"
	"slices"
	"time"

	"wpsitemapd/server/route"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
)

// Table is the routing table of some sites as they are known now. Where several claim one place it is that of its owner.
func (o *Owners) Table(sites []*site.Site, now time.Time) *route.Table {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begin(sites, now)
	mounts := map[string][]route.Mount{}
	var only *route.Mount
	var fallback *site.Site
	var opening []*site.Site
	sites = slices.SortedStableFunc(slices.Values(sites), func(a, b *site.Site) int { return cmp.Compare(a.Rank, b.Rank) })
	claims := map[Place][]claim{}
	var places []Place // in the order of the sites
	add := func(p Place, c claim) {
		if slices.ContainsFunc(claims[p], func(other claim) bool { return other.Site == c.Site }) {
			o.sayFirst(p, c.Site.Config.Name, c.Site.Config.Name) // two blogs of a network
			return
		}
		if claims[p] == nil {
			places = append(places, p)
		}
		claims[p] = append(claims[p], c)
	}
	remembered := o.remembered()
	for _, w := range sites {
		stands := route.MountsOf(w)
		if len(stands) == 0 || w.Snapshot().FromStateOnly() {
			opening = append(opening, w)
		}
		for _, s := range stands {
			for _, host := range s.Hosts {
				add(PlaceOf(host, s.Path), claim{Mount: s.Mount, named: slices.Contains(w.Config.HostNames(), config.Host(host))})
			}
		}
		if p, _, sure := guess(w.Files()); len(stands) == 0 && p.Host != "" && remembered[p] != w {
			add(p, claim{Mount: route.Mount{Site: w, Path: p.Path}, unread: true, weak: !sure})
		}
		if len(sites) == 1 {
			fallback = w
			if len(stands) == 1 && len(w.Config.Hosts) == 0 && (stands[0].Blog == nil || !stands[0].Blog.Network) {
				only = &stands[0].Mount
			}
		}
	}
	for p, w := range remembered {
		add(p, claim{Mount: route.Mount{Site: w, Path: p.Path}, unread: true})
	}
	for _, p := range places {
		if s, ok := o.settle(p, claims[p]); ok {
			mounts[p.Host] = append(mounts[p.Host], s)
		}
	}
	o.end(claims)
	return route.NewTable(mounts, only, fallback, opening)
}
