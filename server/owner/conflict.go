package owner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/site"
)

// This file describes the conflicts of a turn. All its functions but Summary run while Owners.mu is locked.

// A conflictKind says what is wrong with a host.
type conflictKind uint8

const (
	contested     conflictKind = iota // several sites claim a host that no site had before
	ownerMissing                      // a site claims a host whose owner is missing or claims it no longer
	displaced                         // a site claims a host that another site had before
	notGranted                        // a site claims a path of a host that the configuration gives to other sites
	pathOfAnother                     // a blog is at a path that the configuration gives to another site
	pathOfNone                        // a blog is at a path that the configuration gives to no site
	restUnnamed                       // a site had the host before, but the configuration gives only paths of it, to other sites
	sameAddress                       // two blogs of one site have the same address
)

// A conflict says what is wrong with a host. If the same is wrong with several hosts of the same sites, they are one conflict.
type conflict struct {
	kind      conflictKind
	claimants []string // the sites that claim the host beside its owner; restUnnamed: the owner
	owner     string   // the site that is served there; "" if none is
	other     string   // ownerMissing: the owner; restUnnamed: a site that the configuration names
	host      string   // the first of the hosts
	path      string   // the path of one blog at that host
	hosts     map[string]bool
	hint      string // which line to write into the configuration
	key       string // the kind and the sites
}

// sentence says what is wrong. Its subject is a host. No sentence contains the host, so that one sentence describes several hosts.
func (c *conflict) sentence() string {
	claimants := strings.Join(c.claimants, " and site ")
	switch c.kind {
	case contested:
		return fmt.Sprintf("is claimed by site %s, and the configuration does not say which of them has it. Until it does, the "+
			"sitemaps of the host are answered with 503", claimants)
	case ownerMissing:
		return fmt.Sprintf("is claimed by site %s, but belongs to site %s, which is missing or has left it. The sitemaps of the "+
			"host are answered with 503",
			claimants, c.other)
	case displaced:
		return fmt.Sprintf("is claimed by site %s, too, but belongs to site %s, which is served there", claimants, c.owner)
	case notGranted:
		return fmt.Sprintf("is claimed by site %s, but the configuration gives the host to site %s", claimants, c.owner)
	case pathOfAnother:
		return fmt.Sprintf("belongs to site %s, but site %s claims it, too", c.owner, claimants)
	case pathOfNone:
		return fmt.Sprintf("belongs to no site of the configuration, but site %s has a blog there", claimants)
	case restUnnamed:
		return fmt.Sprintf("has paths that the configuration gives to site %s. Site %s keeps the rest of the host only because it "+
			"had the host before",
			c.other, c.owner)
	case sameAddress:
		return "is the address of two blogs of site " + claimants
	}
	return ""
}

// addConflict adds a conflict of a host. Conflicts of one kind between the same sites count as one conflict of several hosts, so
// that the log names them once.
func (t *turn) addConflict(c conflict) {
	c.key = fmt.Sprint(c.kind, c.claimants, c.owner, " ", c.other)
	i := slices.IndexFunc(t.conflicts, func(other conflict) bool { return other.key == c.key })
	if i < 0 {
		c.hosts = map[string]bool{}
		i, t.conflicts = len(t.conflicts), append(t.conflicts, c)
	}
	t.conflicts[i].hosts[c.host] = true
}

// addDispute completes and adds a conflict of a host that sites claim without the help of the configuration. It adds nothing
// unless a site other than the owner claims the host and was read.
func (t *turn) addDispute(c conflict, claims []claim) {
	losers := slices.DeleteFunc(slices.Clone(claims), func(l claim) bool { return l.unread || l.site.Config.Name == c.owner })
	if len(losers) == 0 {
		return
	}
	for _, l := range losers {
		c.claimants = append(c.claimants, l.site.Config.Name)
	}
	at := losers[0].places[0]
	c.host, c.path, c.hint = at.host, at.Path, disputeHint(at.host, claims)
	t.addConflict(c)
}

// addNotGranted records that sites claim paths of a host that the configuration gives to other sites, those in named. If a
// named site has a blog at the path, that is no conflict, because a copy of the named site claims the same paths. owner is the
// site that has the host.
func (t *turn) addNotGranted(claims, named []claim, owner *site.Site) {
	if !owner.Snapshot().Known() {
		return
	}
	settled := map[string]bool{}
	for _, c := range named {
		for _, p := range c.places {
			settled[folded(p.Path)] = true
		}
	}
	for _, c := range claims {
		i := slices.IndexFunc(c.places, func(p place) bool { return !p.Gone && !settled[folded(p.Path)] })
		if c.named || c.unread || i < 0 {
			continue
		}
		at := c.places[i]
		t.addConflict(conflict{
			kind: notGranted, claimants: []string{c.site.Config.Name}, owner: owner.Config.Name, host: at.host, path: at.Path,
			hint: fmt.Sprintf("to share the host, write %s in %s. If the site should not be there, correct its address in WordPress",
				lineToShare(at), section(c.site)),
		})
	}
}

// addRestUnnamed records that the site of rest keeps what is left of a host only because it had the host before. The
// configuration gives paths of the host to the sites in named.
func (t *turn) addRestUnnamed(rest claim, named []claim) {
	name, host := rest.site.Config.Name, rest.places[0].host
	if rest.unread {
		return
	}
	t.addConflict(conflict{
		kind: restUnnamed, claimants: []string{name}, owner: name, other: named[0].site.Config.Name, host: host,
		hint: fmt.Sprintf("write hosts = [%q] in %s", host, section(rest.site)),
	})
}

// addPath records that a blog of site s is at a path that the configuration gives to site owner, or to no site if owner is nil.
func (t *turn) addPath(at place, s, owner *site.Site) {
	c := conflict{
		kind: pathOfNone, claimants: []string{s.Config.Name}, host: at.host, path: at.Path,
		hint: "give the blog an address below home of " + section(s),
	}
	if owner != nil {
		c.kind, c.owner = pathOfAnother, owner.Config.Name
	}
	t.addConflict(c)
}

// section returns the header of a site's section in the configuration.
func section(s *site.Site) string {
	if s.Config.Discovered() {
		return "[discover.site." + s.Config.Name + "]"
	}
	return "[[site]] " + s.Config.Name
}

// disputeHint returns a hint: the line for the configuration that gives a host to one of the sites. If one site is at the root of
// the host and another at a path, it adds the lines by which they share the host.
func disputeHint(host string, claims []claim) string {
	var sections []string
	var root, below *place
	for _, c := range claims {
		sections = append(sections, section(c.site))
		for _, p := range c.places {
			switch {
			case p.Gone:
			case p.Path == "" && root == nil:
				root = &p
			case p.Path != "" && below == nil:
				below = &p
			}
		}
	}
	hint := fmt.Sprintf("write hosts = [%q] in the section of the site that should have the host: %s", host, strings.Join(sections, " or "))
	if root == nil || below == nil || root.Site == below.Site {
		return hint
	}
	return fmt.Sprintf("%s; to share it, write %s in %s and %s in %s",
		hint, lineToShare(*root), section(root.Site), lineToShare(*below), section(below.Site))
}

// lineToShare returns the line for the configuration that gives a site its place on a host that several sites share.
func lineToShare(at place) string {
	if at.Path == "" {
		return fmt.Sprintf("hosts = [%q]", at.host)
	}
	scheme := "https://"
	if b := at.Site.Snapshot().Blog(at.Key); b != nil && strings.HasPrefix(b.Home, "http://") {
		scheme = "http://"
	}
	return fmt.Sprintf("home = %q", scheme+at.host+"/"+at.Path)
}

// logConflicts logs the conflicts that the previous turn did not have.
func (t *turn) logConflicts() {
	logged := map[string]bool{}
	for _, c := range t.conflicts {
		if logged[c.key] = true; t.logged[c.key] {
			continue
		}
		attrs := []any{"host", c.host, "path", "/" + c.path, "conflict", c.sentence(), "hosts", len(c.hosts), "hint", c.hint}
		switch c.kind {
		case sameAddress:
			t.log.Error("two blogs of a network have the same address; the first one keeps it", attrs...)
		case pathOfNone:
			t.log.Error("a blog is at a path that the configuration gives to no site", attrs...)
		case restUnnamed:
			t.log.Error("a site keeps the rest of a host only because it had the host before", attrs...)
		default:
			t.log.Error("several sites claim one host", attrs...)
		}
	}
	t.dirty = t.dirty || !maps.Equal(t.logged, logged) // the notes contain the claims, too
	t.logged = logged
}

// Summary returns the text of a site's most important conflict: one at a host where the site is not served, if there is one.
// hosts is the number of hosts in conflict. isDisplaced reports whether the site is not served at one of them. Two blogs of one
// site with the same address do not count.
func (o *Owners) Summary(name string) (text string, hosts int, isDisplaced bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := map[string]bool{}
	for _, c := range o.last.conflicts {
		if c.kind == sameAddress || c.owner != name && !slices.Contains(c.claimants, name) {
			continue
		}
		if away := c.owner != name; text == "" || away && !isDisplaced {
			text = fmt.Sprintf("%s/%s %s; %s", c.host, c.path, c.sentence(), c.hint)
			isDisplaced = isDisplaced || away
		}
		maps.Copy(all, c.hosts)
	}
	if len(all) > 1 {
		text += fmt.Sprintf("; %d more hosts are in conflict, too", len(all)-1)
	}
	return text, len(all), isDisplaced
}
