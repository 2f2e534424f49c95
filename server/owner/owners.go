// Package owner decides which site a host belongs to. A site can name any host in its database: by mistake, on purpose, or as a
// copy of another site. So a host belongs to one site. Another site gets a path of the host only if the operator names the host
// for both.
//
// The configuration decides first, by hosts or home. If it does not name the host, the site that had the host before keeps it;
// the store remembers that site. If no site had the host, and only one site claims it, that site gets the host. If none of these
// rules decides, the sitemaps of the host are answered with 503, so that the web server asks PHP instead. An error in the log
// says which line to write into the configuration.
//
// Start reading at Owners.Table, then at turn.settle.
package owner

import (
	"cmp"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/wp/php"
)

// nameOf returns a host without www, because both forms have the same owner. It removes every www. If it removed only one, a site
// at www.www.a.test would be remembered at www.a.test, and from there take a.test.
func nameOf(host string) string {
	for strings.HasPrefix(host, "www.") {
		host = host[len("www."):]
	}
	return host
}

// identity identifies a site, even after it was renamed.
type identity struct {
	Name   string
	Source string // see config.Site.Identity
	Found  bool   `json:",omitempty"` // [[discover]] found the site; such a site may be missing for a moment, while its files are deployed
}

// claim is the set of a site's places at a host, from its database or from the configuration.
type claim struct {
	site   *site.Site
	places []place
	named  bool // the configuration names the host
	alive  bool // at least one blog there is neither archived nor deleted
	unread bool // the site was not read since the start; it claims the host because the store remembers it as the owner
}

// place is the host and the path of a blog.
type place struct {
	host string
	route.Mount
}

// Owners remembers which site owns which host. It is safe for concurrent use.
type Owners struct {
	log *slog.Logger

	mu     sync.Mutex
	of     map[string]identity // the owner of each host, by host without www
	last   *turn
	logged map[string]bool   // the keys of the conflicts of the last turn
	dirty  bool              // the notes may differ from what is stored
	stored map[string]string // the stored notes as JSON, by site
	saving store.Saving      // the number Store.Saving when they were stored; if it has changed, the store has lost them
}

// mostMissing is how many hosts are remembered for discovered sites that are missing.
const mostMissing = 10_000

// New returns an Owners in which no host has an owner.
func New(log *slog.Logger) *Owners {
	return &Owners{log: log, of: map[string]identity{}, last: &turn{}, stored: map[string]string{}}
}

// turn is one pass that settles every claimed host once. Its maps are by host, without www.
type turn struct {
	*Owners
	byName    map[string]*site.Site
	bySource  map[string]*site.Site
	unread    []string     // sites whose hosts are not known
	untried   []*site.Site // the sites of unread whose first reading may still come soon
	names     []string     // the claimed hosts, in the order of the sites
	claims    map[string][]claim
	homes     map[string][]place
	hosts     map[string][]route.Mount // the table, by host
	conflicts []conflict
}

// Table decides which site owns each host now, remembers it, logs new conflicts, and returns the routing table that follows.
func (o *Owners) Table(sites []*site.Site, now time.Time) *route.Table {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(sites) // the maps get their size at once, because this function is called often: after the reading of any site
	t := &turn{
		Owners: o, byName: make(map[string]*site.Site, n), bySource: make(map[string]*site.Site, n),
		claims: make(map[string][]claim, n), homes: map[string][]place{}, hosts: make(map[string][]route.Mount, n),
	}
	o.last = t
	var only *route.Mount
	var fallback *site.Site
	var opening []*site.Site
	for _, s := range slices.SortedStableFunc(slices.Values(sites), func(a, b *site.Site) int { return cmp.Compare(a.Rank, b.Rank) }) {
		t.enter(s, now)
		mounts := route.MountsOf(s)
		if len(mounts) == 0 || s.Snapshot().FromStateOnly() {
			opening = append(opening, s)
		}
		t.claim(s, mounts)
		if len(sites) == 1 {
			fallback = s
			if len(mounts) == 1 && len(s.Config.Hosts) == 0 && !mounts[0].Network {
				only = &mounts[0].Mount
			}
		}
	}
	t.claimRemembered()
	for _, name := range t.names {
		t.settle(name)
	}
	t.settleHomes()
	t.forgetLeft()
	t.logConflicts()
	return route.NewTable(t.hosts, only, fallback, opening)
}

// enter registers a site under its name and its source. It records whether the hosts of the site are known.
func (t *turn) enter(s *site.Site, now time.Time) {
	t.byName[s.Config.Name] = s
	if t.bySource[s.Identity] == nil {
		t.bySource[s.Identity] = s
	}
	if s.Placed() {
		return
	}
	t.unread = append(t.unread, s.Config.Name)
	if !s.Snapshot().Tried() && now.Before(s.Began.Add(site.FirstTimeout)) {
		t.untried = append(t.untried, s)
	}
}

// claim records the places of a site's blogs. If two blogs have the same place, only the first counts.
func (t *turn) claim(s *site.Site, mounts []route.HostedMount) {
	taken := map[place]bool{}
	for _, m := range mounts {
		if m.Home != "" {
			name := nameOf(m.Home)
			t.homes[name] = append(t.homes[name], place{m.Home, m.Mount})
		}
		for _, host := range m.Hosts {
			at := place{host, route.Mount{Path: folded(m.Path)}}
			switch {
			case !taken[at]:
				taken[at] = true
				t.add(s, place{host, m.Mount})
			case !m.Gone:
				t.addConflict(conflict{
					kind: sameAddress, claimants: []string{s.Config.Name}, host: host, path: m.Path,
					hint: "give one of the two blogs another address in WordPress",
				})
			}
		}
	}
}

// claimRemembered records the remembered hosts of sites that have not been read since the start.
func (t *turn) claimRemembered() {
	for name, by := range t.of {
		if s := t.site(by); s != nil && !s.Placed() {
			for _, host := range []string{name, "www." + name} {
				t.add(s, place{host, route.Mount{Site: s}})
			}
			t.claims[name][len(t.claims[name])-1].unread = true
		}
	}
}

func (t *turn) add(s *site.Site, p place) {
	name := nameOf(p.host)
	claims := t.claims[name]
	if claims == nil {
		t.names = append(t.names, name)
	}
	if len(claims) == 0 || claims[len(claims)-1].site != s {
		claims = append(claims, claim{site: s})
		t.claims[name] = claims
	}
	c := &claims[len(claims)-1]
	c.places = append(c.places, p)
	c.named = c.named || slices.Contains(s.Config.HostNames(), config.Host(p.host))
	c.alive = c.alive || !p.Gone
}

// site returns the configured site that a remembered owner means, even if the site was renamed. It returns nil if there is no such
// site.
func (t *turn) site(by identity) *site.Site {
	s := t.byName[by.Name]
	if s != nil && s.Identity == by.Source {
		return s
	}
	if same := t.bySource[by.Source]; same != nil {
		return same
	}
	if s != nil && by.Found && !strings.HasPrefix(by.Source, s.Config.WPConfig+" ") { // another install has the name of the owner now
		return nil
	}
	return s
}

// settle decides which site gets a claimed host. A wrong site would serve its sitemaps at the host of another one, so a
// claim alone is not enough if there is any doubt.
func (t *turn) settle(name string) {
	claims := t.claims[name]
	named := slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return !c.named })
	candidates := slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return !c.alive })
	if len(candidates) == 0 {
		candidates = claims
	}
	remembered, isRemembered := t.of[name]
	before := t.site(remembered) // the site that had the host before; nil if the configuration does not have the site now
	owner := slices.IndexFunc(claims, func(c claim) bool { return c.site == before })
	switch {
	case len(named) > 0 && owner >= 0 && !claims[owner].named && !slices.ContainsFunc(named, claim.whole):
		// The configuration gives only paths of the host to others, so the owner keeps the rest.
		t.serve(append(named, claims[owner]))
		t.addRestUnnamed(claims[owner], named)
	case len(named) > 0:
		// The operator's word decides. Of several named sites, the one with the shortest home has the root of the host.
		first := slices.MinFunc(named, func(a, b claim) int { return cmp.Compare(len(a.site.Config.Home), len(b.site.Config.Home)) })
		t.take(name, first.site)
		t.serve(named)
		t.addNotGranted(claims, named, first.site)
	case owner >= 0:
		// A newcomer cannot take a host by a claim: anybody can write one into a database.
		t.serve(claims[owner : owner+1])
		t.addDispute(conflict{kind: displaced, owner: before.Config.Name}, claims)
	case isRemembered && (before != nil || remembered.Found):
		// The owner claims the host no longer, or is missing. That may be a mistake or a deployment, so nobody inherits the host.
		t.contest(claims, nil)
		t.addDispute(conflict{kind: ownerMissing, other: remembered.Name}, claims)
	case len(t.untried) > 0:
		// A site that is still being read may claim the host too. Until then it is not known that there is only one.
		t.contest(claims, t.untried)
	case len(candidates) == 1:
		// Nobody contradicts the only claim of a live blog.
		t.take(name, candidates[0].site)
		t.serve(candidates)
	default:
		// Several sites claim a host that no site had before. Any choice would be a guess.
		t.contest(claims, nil)
		t.addDispute(conflict{kind: contested}, claims)
	}
}

// whole reports whether the configuration gives a site a whole host, and not only a path of it.
func (c claim) whole() bool { return c.named && c.site.Config.Home.Path() == "" }

// serve adds the places of sites to the routing table. If several sites share a host, a path belongs to the site whose configured
// home is the path or the nearest folder above it.
func (t *turn) serve(sites []claim) {
	homes := map[string]*site.Site{}
	for _, c := range sites {
		home := ""
		if c.named {
			home = c.site.Config.Home.Path()
		}
		homes[folded(home)] = c.site
	}
	for _, c := range sites {
		for _, p := range c.places {
			by := nearest(homes, folded(p.Path))
			if len(sites) > 1 && by != c.site {
				t.addPath(p, c.site, by)
				continue
			}
			t.hosts[p.host] = append(t.hosts[p.host], p.Mount)
		}
	}
}

// nearest returns the site whose home is the given path, or the nearest folder above it. homes has the sites by the paths of
// their homes. nearest returns nil if there is no such site.
func nearest(homes map[string]*site.Site, path string) *site.Site {
	for {
		if s := homes[path]; s != nil || path == "" {
			return s
		}
		path = path[:max(0, strings.LastIndexByte(path, '/'))]
	}
}

// contest adds the hosts of claims to the table as undecided: they belong to no site yet. await are the sites that must be read
// before a decision. If no reading would help to decide, await is nil.
func (t *turn) contest(claims []claim, await []*site.Site) {
	c := &route.Contest{Await: await}
	for _, claim := range claims {
		c.Sites = append(c.Sites, claim.site)
	}
	for _, claim := range claims {
		for _, p := range claim.places {
			if t.hosts[p.host] == nil {
				t.hosts[p.host] = []route.Mount{{Contest: c}}
			}
		}
	}
}

// settleHomes routes the host of each site's home to the site, if the site's configuration does not name that host. It skips a host
// that has an owner, that a site claims, or that is the home of two sites. It skips all hosts while a site is not read yet, because
// that site may claim them. The site does not become the owner of the host: it may be a copy, which has the original's home in its database.
func (t *turn) settleHomes() {
	for name, places := range t.homes {
		_, held := t.of[name]
		other := func(p place) bool { return p.Site != places[0].Site }
		if held || len(t.claims[name]) > 0 || len(t.untried) > 0 || slices.ContainsFunc(places, other) {
			continue
		}
		for _, p := range places {
			t.hosts[p.host] = append(t.hosts[p.host], p.Mount)
		}
	}
}

// take records that a host belongs to a site.
func (t *turn) take(name string, s *site.Site) {
	by := identity{s.Config.Name, s.Identity, s.Config.Discovered()}
	if t.of[name] != by {
		t.of[name] = by
		t.dirty = true
	}
}

// forgetLeft forgets the owners of hosts that nobody claims. These sites have left the host or the configuration. A discovered
// site that is missing stays the owner, up to mostMissing hosts, because it may come back.
func (t *turn) forgetLeft() {
	missing := 0
	for _, name := range slices.Sorted(maps.Keys(t.of)) {
		if len(t.claims[name]) > 0 {
			continue
		}
		if by := t.of[name]; by.Found && t.site(by) == nil && missing < mostMissing { // the site may come back
			missing++
			continue
		}
		delete(t.of, name)
		t.dirty = true
	}
}

// folded returns a path in the form in which paths are compared, without differences in letter case and in the spelling of
// escapes. An escaped slash stays escaped.
func folded(path string) string {
	folders := strings.Split(path, "/")
	for i, f := range folders {
		folders[i] = url.PathEscape(strings.ToLower(php.URLDecode(f)))
	}
	return strings.Join(folders, "/")
}
