// Package owner decides which site a host and path belong to. An install that is copied, as staging is from production, has the
// address of the original in its database until somebody changes it there. It must never be served in the place of the
// original. So the configuration decides, by hosts or home; else the site that had the address before, which is remembered
// beyond the end of the process where there is a store; else the only site that claims it. Where none of these tells, the
// sitemaps of the address are 503, which web servers hand to PHP, and an alarm names the line to write.
//
// Start reading at Owners.Table, then at turn.settle.
package owner

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// address identifies a blog: a host, and a path in lower case without slashes at its ends.
type address struct{ Host, Path string }

func addressOf(host, path string) address { return address{host, strings.ToLower(path)} }

// identity distinguishes a site from others, also once it has another name.
type identity struct {
	Name   string
	Source string // see config.Site.Identity
	Found  bool   `json:",omitempty"` // by [[discover]]: where it is missing, its files may be under deployment
}

// holding records which site owns an address.
type holding struct {
	by identity
	// unread are the sites whose addresses were not known when it was taken: one of them may have had it before. nil: it is remembered.
	unread []string
}

// claim is a site that has an address by its database or configuration.
type claim struct {
	route.Mount
	named  bool // the configuration names the host
	unread bool // the database has not been read; the site is remembered there
}

// Owners remembers which site owns which address. It is safe for concurrent use.
type Owners struct {
	log *slog.Logger

	mu     sync.Mutex
	of     map[address]holding
	last   *turn
	logged map[string]bool   // conflicts that last
	dirty  bool              // something is to be stored
	stored map[string]string // notes by site
	saving store.Saving      // under which they are stored
}

// New returns owners of nothing.
func New(log *slog.Logger) *Owners {
	return &Owners{log: log, of: map[address]holding{}, last: &turn{}, stored: map[string]string{}}
}

// turn settles every address that is claimed once.
type turn struct {
	*Owners
	byName    map[string]*site.Site
	bySource  map[string]*site.Site
	unread    []string     // sites whose addresses are not known
	untried   []*site.Site // those of them that may be read any moment
	addresses []address    // that are claimed, in the order of the sites
	claims    map[address][]claim
	homes     map[address][]route.Mount
	conflicts []conflict
}

// Table returns the routing table of some sites as they are known now.
func (o *Owners) Table(sites []*site.Site, now time.Time) *route.Table {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(sites) // of thousands a table is made for each that is read
	t := &turn{
		Owners: o, byName: make(map[string]*site.Site, n), bySource: make(map[string]*site.Site, n),
		claims: make(map[address][]claim, n), homes: map[address][]route.Mount{},
	}
	o.last = t
	hosts := make(map[string][]route.Mount, n)
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
	for _, at := range t.addresses {
		hosts[at.Host] = append(hosts[at.Host], t.settle(at))
	}
	for at, mounts := range t.homes {
		// A copy of a site has the original's home in its database: it must neither be served there nor be remembered.
		if _, held := o.of[at]; len(mounts) == 1 && len(t.claims[at]) == 0 && !held && len(t.untried) == 0 {
			hosts[at.Host] = append(hosts[at.Host], mounts[0])
		}
	}
	for at, h := range o.of {
		switch {
		case len(t.claims[at]) == 0:
			t.forget(at)
		case len(t.unread) == 0 && h.unread != nil: // a site that had it before has claimed it by now
			o.of[at] = holding{by: h.by}
		}
	}
	t.logConflicts()
	return route.NewTable(hosts, only, fallback, opening)
}

// enter notes who a site is, and whether its addresses are known.
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

// claim notes the addresses of a site.
func (t *turn) claim(s *site.Site, mounts []route.HostedMount) {
	for _, m := range mounts {
		if m.Home != "" {
			at := addressOf(m.Home, m.Path)
			t.homes[at] = append(t.homes[at], m.Mount)
		}
		for _, host := range m.Hosts {
			t.add(addressOf(host, m.Path), claim{Mount: m.Mount, named: slices.Contains(s.Config.HostNames(), config.Host(host))})
		}
	}
}

// claimRemembered notes the addresses of sites that have not been read since the start.
func (t *turn) claimRemembered() {
	for at, h := range t.of {
		if s := t.site(h.by); s != nil && !s.Placed() && s.Identity == h.by.Source {
			t.add(at, claim{Mount: route.Mount{Site: s, Path: at.Path}, unread: true})
		}
	}
}

func (t *turn) add(at address, c claim) {
	if slices.ContainsFunc(t.claims[at], func(other claim) bool { return other.Site == c.Site }) { // two blogs of a network
		t.note(conflict{
			at: at, what: "is that of two blogs of site " + c.Site.Config.Name, hint: "give one of them another address in WordPress",
		})
		return
	}
	if t.claims[at] == nil {
		t.addresses = append(t.addresses, at)
	}
	t.claims[at] = append(t.claims[at], c)
}

// site returns the site that an owner is by now, nil where it is not in the configuration.
func (t *turn) site(by identity) *site.Site {
	same := t.bySource[by.Source]
	if s := t.byName[by.Name]; s != nil && (same == nil || s.Identity == by.Source) {
		return s
	}
	return same
}

// settle returns who has an address that is claimed.
func (t *turn) settle(at address) route.Mount {
	claims := living(t.claims[at])
	if i := slices.IndexFunc(claims, func(c claim) bool { return c.named }); i >= 0 {
		t.take(at, claims[i]) // the operator's configuration settles that others claim it, too
		return claims[i].Mount
	}
	if h, held := t.of[at]; held {
		by := t.site(h.by)
		i := slices.IndexFunc(claims, func(c claim) bool { return c.Site == by })
		early := slices.ContainsFunc(claims, func(c claim) bool { return c.Site != by && slices.Contains(h.unread, c.Site.Config.Name) })
		switch {
		case i >= 0 && !early:
			t.conflict(at, claims, by, "")
			return claims[i].Mount
		case i < 0 && (by != nil || h.by.Found):
			t.conflict(at, claims, nil, h.by.Name)
			return contested(claims, nil)
		}
		t.forget(at)
	}
	if len(t.untried) > 0 {
		return contested(claims, t.untried)
	}
	candidates := claims
	if len(claims) > 1 { // what the configuration names comes before what was found
		candidates = slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return c.Site.Config.Discovered() })
	}
	if len(candidates) != 1 {
		t.conflict(at, claims, nil, "")
		return contested(claims, nil)
	}
	t.take(at, candidates[0])
	t.conflict(at, claims, candidates[0].Site, "")
	return candidates[0].Mount
}

// living returns the claims but those of archived and deleted blogs where somebody else's lives.
func living(claims []claim) []claim {
	gone := func(c claim) bool { return c.Gone }
	if !slices.ContainsFunc(claims, gone) {
		return claims
	}
	if alive := slices.DeleteFunc(slices.Clone(claims), gone); len(alive) > 0 {
		return alive
	}
	return claims
}

// contested is the mount of an address whose owner is not known.
func contested(claims []claim, await []*site.Site) route.Mount {
	c := &route.Contest{Await: await}
	for _, claim := range claims {
		c.Sites = append(c.Sites, claim.Site)
	}
	return route.Mount{Path: claims[0].Path, Contest: c}
}

// take records that an address belongs to a site.
func (t *turn) take(at address, c claim) {
	by := identity{c.Site.Config.Name, c.Site.Identity, c.Site.Config.Discovered()}
	if t.of[at].by != by {
		t.of[at] = holding{by, t.unread}
		t.dirty = true
	}
}

func (o *Owners) forget(at address) {
	delete(o.of, at)
	o.dirty = true
}
