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
	hosts := map[string][]route.Mount{}
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
	homes := map[Place][]route.Mount{}
	remembered := o.remembered()
	for _, s := range sites {
		mounts := route.MountsOf(s)
		if len(mounts) == 0 || s.Snapshot().FromStateOnly() {
			opening = append(opening, s)
		}
		for _, m := range mounts {
			if m.Home != "" {
				p := PlaceOf(m.Home, m.Path)
				homes[p] = append(homes[p], m.Mount)
			}
			for _, host := range m.Hosts {
				add(PlaceOf(host, m.Path), claim{Mount: m.Mount, named: slices.Contains(s.Config.HostNames(), config.Host(host))})
			}
		}
		if p, _, sure := guess(s.Files()); len(mounts) == 0 && p.Host != "" && remembered[p] != s {
			add(p, claim{Mount: route.Mount{Site: s, Path: p.Path}, unread: true, weak: !sure})
		}
		if len(sites) == 1 {
			fallback = s
			if len(mounts) == 1 && len(s.Config.Hosts) == 0 && (mounts[0].Blog == nil || !mounts[0].Blog.Network) {
				only = &mounts[0].Mount
			}
		}
	}
	for p, s := range remembered {
		add(p, claim{Mount: route.Mount{Site: s, Path: p.Path}, unread: true})
	}
	for _, p := range places {
		if m, ok := o.settle(p, claims[p]); ok {
			hosts[p.Host] = append(hosts[p.Host], m)
		}
	}
	o.end(claims)
	for p, mounts := range homes {
		// a copy of a site has the original's home in its database: it must neither be served there nor be remembered
		if len(mounts) == 1 && len(claims[p]) == 0 && o.of[p] == nil && len(o.untried) == 0 {
			hosts[p.Host] = append(hosts[p.Host], mounts[0])
		}
	}
	return route.NewTable(hosts, only, fallback, opening)
}
