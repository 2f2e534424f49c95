package server

import (
	"cmp"
	"slices"

	"wpsitemapd/server/route"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
)

// newRoutes collects the stands of every site. Where several claim one place o tells whose it is.
func newRoutes(workers []*worker, o *ownership) *route.Table {
	mounts := map[string][]route.Mount{}
	var only *route.Mount
	var fallback *site.Site
	var opening []*site.Site
	workers = slices.SortedStableFunc(slices.Values(workers), func(a, b *worker) int { return cmp.Compare(a.Rank, b.Rank) })
	claims := map[hostPath][]claim{}
	var places []hostPath // in the order of the sites
	add := func(p hostPath, c claim) {
		if slices.ContainsFunc(claims[p], func(other claim) bool { return other.worker == c.worker }) {
			o.sayFirst(p, c.worker.Config.Name, c.worker.Config.Name) // two blogs of a network
			return
		}
		if claims[p] == nil {
			places = append(places, p)
		}
		claims[p] = append(claims[p], c)
	}
	remembered := o.remembered()
	for _, w := range workers {
		stands := route.MountsOf(w.Site)
		if len(stands) == 0 || w.Snapshot().FromStateOnly() {
			opening = append(opening, w.Site)
		}
		for _, s := range stands {
			for _, host := range s.Hosts {
				add(hostPathOf(host, s.Path), claim{worker: w, Mount: s.Mount, named: slices.Contains(w.Config.HostNames(), config.Host(host))})
			}
		}
		if p, _, sure := w.guess(); len(stands) == 0 && p.host != "" && remembered[p] != w {
			add(p, claim{worker: w, Mount: route.Mount{Site: w.Site, Path: p.path}, unread: true, weak: !sure})
		}
		if len(workers) == 1 {
			fallback = w.Site
			if len(stands) == 1 && len(w.Config.Hosts) == 0 && (stands[0].Blog == nil || !stands[0].Blog.Network) {
				only = &stands[0].Mount
			}
		}
	}
	for p, w := range remembered {
		add(p, claim{worker: w, Mount: route.Mount{Site: w.Site, Path: p.path}, unread: true})
	}
	for _, p := range places {
		if s, ok := o.settle(p, claims[p]); ok {
			mounts[p.host] = append(mounts[p.host], s)
		}
	}
	o.end(claims)
	return route.NewTable(mounts, only, fallback, opening)
}
