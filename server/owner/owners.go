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
	by       identity
	since    time.Time
	recalled bool // from the store
}

// claim is what a site that has an address by its database or configuration claims.
type claim struct {
	route.Mount
	named  bool // the configuration names the host
	unread bool // the database has not been read; the site is remembered there
}

// Owners remembers which site owns which address. It is safe for concurrent use.
type Owners struct {
	mu        sync.Mutex
	of        map[address]holding
	conflicts map[string][]conflict    // by site
	met       map[*site.Site]time.Time // when the addresses of sites were first known
	log       *slog.Logger
	logged    map[string]bool
	changed   chan struct{} // holds one signal: what is to be stored has changed
	dirty     bool          // that is not stored yet
	wrote     map[string]string

	// Of the last turn.
	sites    []*site.Site
	byName   map[string]*site.Site
	bySource map[string]*site.Site
	rivals   map[address][]string
	untried  []*site.Site // sites whose addresses may be known any moment
	until    time.Time    // they are waited for
}

// New returns owners of nothing.
func New(log *slog.Logger) *Owners {
	return &Owners{of: map[address]holding{}, log: log, wrote: map[string]string{}, changed: make(chan struct{}, 1)}
}

// turn settles every address that is claimed once.
type turn struct {
	*Owners
	now       time.Time
	addresses []address // that are claimed, in the order of the sites
	claims    map[address][]claim
	homes     map[address][]route.Mount
	lines     []*line
}

// Table returns the routing table of some sites as they are known now.
func (o *Owners) Table(sites []*site.Site, now time.Time) *route.Table {
	o.mu.Lock()
	defer o.mu.Unlock()
	sites = slices.SortedStableFunc(slices.Values(sites), func(a, b *site.Site) int { return cmp.Compare(a.Rank, b.Rank) })
	t := o.begin(sites, now)
	hosts := map[string][]route.Mount{}
	var only *route.Mount
	var fallback *site.Site
	var opening []*site.Site
	for _, s := range sites {
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
	t.end()
	return route.NewTable(hosts, only, fallback, opening)
}

func (o *Owners) begin(sites []*site.Site, now time.Time) *turn {
	t := &turn{Owners: o, now: now, claims: map[address][]claim{}, homes: map[address][]route.Mount{}}
	o.sites, o.byName, o.bySource = sites, map[string]*site.Site{}, map[string]*site.Site{}
	o.conflicts, o.rivals, o.untried, o.until = map[string][]conflict{}, map[address][]string{}, nil, time.Time{}
	met := map[*site.Site]time.Time{}
	for _, s := range sites {
		o.byName[s.Config.Name] = s
		if source := s.Config.Identity(); o.bySource[source] == nil {
			o.bySource[source] = s
		}
		if s.Placed() {
			met[s] = now
			if at, known := o.met[s]; known {
				met[s] = at
			}
		} else if trial := s.Began.Add(site.FirstTimeout); !s.Snapshot().Tried() && now.Before(trial) {
			o.untried = append(o.untried, s)
			if o.until.Before(trial) {
				o.until = trial
			}
		}
	}
	o.met = met
	return t
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
		if s := t.site(h.by); s != nil && !s.Placed() && s.Config.Identity() == h.by.Source {
			t.add(at, claim{Mount: route.Mount{Site: s, Path: at.Path}, unread: true})
		}
	}
}

func (t *turn) add(at address, c claim) {
	if slices.ContainsFunc(t.claims[at], func(other claim) bool { return other.Site == c.Site }) { // two blogs of a network
		t.say(slog.LevelError, "two blogs of a network have one address, the first keeps it", at, "site", c.Site.Config.Name,
			"hint", "give one of them another address in WordPress")
		return
	}
	if t.claims[at] == nil {
		t.addresses = append(t.addresses, at)
	}
	t.claims[at] = append(t.claims[at], c)
}

// site returns the site that an owner is by now, nil where it is not in the configuration.
func (o *Owners) site(by identity) *site.Site {
	same := o.bySource[by.Source]
	if s := o.byName[by.Name]; s != nil && (same == nil || s.Config.Identity() == by.Source) {
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
		switch {
		case i >= 0 && !t.contests(claims, h, by):
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
	winner := slices.IndexFunc(claims, func(c claim) bool { return !c.Site.Config.Discovered() })
	if winner >= 0 && slices.ContainsFunc(claims[winner+1:], func(c claim) bool { return !c.Site.Config.Discovered() }) {
		winner = -1
	}
	if len(claims) == 1 {
		winner = 0
	}
	if winner < 0 {
		t.conflict(at, claims, nil, "")
		return contested(claims, nil)
	}
	t.take(at, claims[winner])
	t.conflict(at, claims, claims[winner].Site, "")
	return claims[winner].Mount
}

// living returns the claims but those of archived and deleted blogs where somebody else's lives.
func living(claims []claim) []claim {
	alive := slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return c.Gone })
	if len(alive) == 0 {
		return claims
	}
	return alive
}

// contests reports whether a site claims an address that was in the configuration, but not read yet, when another one took it:
// nothing tells which of the two had it before.
func (t *turn) contests(claims []claim, h holding, by *site.Site) bool {
	return !h.recalled && slices.ContainsFunc(claims, func(c claim) bool {
		met, known := t.met[c.Site]
		return c.Site != by && known && c.Site.Began.Before(h.since) && met.After(h.since)
	})
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
	s := &c.Site.Config
	by := identity{s.Name, s.Identity(), s.Discovered()}
	if t.of[at].by != by {
		t.of[at] = holding{by: by, since: t.now}
		t.change()
	}
}

func (o *Owners) forget(at address) {
	delete(o.of, at)
	o.change()
}

func (o *Owners) change() {
	o.dirty = true
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

// end forgets addresses that nobody claims, and logs what is new.
func (t *turn) end() {
	for at := range t.of {
		if len(t.claims[at]) == 0 {
			t.forget(at)
		}
	}
	t.writeLog()
}
