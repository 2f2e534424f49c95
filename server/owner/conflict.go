package owner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/site"
)

// conflict is a host, or several hosts, that the same sites claim.
type conflict struct {
	what  string // what is wrong
	hint  string // which line to write into the configuration
	host  string // the first of the hosts
	path  string // the path of one blog at that host
	hosts int
	sites []string // the sites that claim the host, including its owner; nil if two blogs of the same site have the same address
	owner string   // the site that is served there; "" for none
}

// conflict records that sites claim the same host. by is its owner, nil if it has none. had is the name of an owner that is
// missing, or "".
func (t *turn) conflict(name string, claims []claim, by *site.Site, had string) {
	var losers []claim
	for _, c := range claims {
		if c.site != by && !c.unread {
			losers = append(losers, c)
		}
	}
	if len(losers) == 0 {
		return
	}
	at := losers[0].places[0]
	c := conflict{host: at.host, path: at.Path, hint: lineToWrite(at.host, claims)}
	for _, loser := range losers {
		c.sites = append(c.sites, loser.site.Config.Name)
	}
	others, whose := strings.Join(c.sites, " and site "), ", and nothing says which of them has it: its sitemaps are answered with 503"
	switch {
	case by != nil:
		c.owner = by.Config.Name
		c.sites = append(c.sites, c.owner)
		whose = ", too, and belongs to " + c.owner + ", which is served there"
	case had != "":
		whose = ", and belongs to site " + had + ", which is missing or has left it: its sitemaps are answered with 503"
	}
	c.what = "is claimed by site " + others + whose
	c.hint += linesToShare(claims)
	t.note(c)
}

// conflictOfElse records that a site claims paths of a host that the configuration gives to other sites. A path at which one of
// these sites has a blog is no conflict, because a copy of that site claims the same paths. by owns the host.
func (t *turn) conflictOfElse(claims, named []claim, by *site.Site) {
	if !by.Snapshot().Known() {
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
		t.note(conflict{
			host: at.host, path: at.Path, sites: []string{c.site.Config.Name, by.Config.Name}, owner: by.Config.Name,
			what: fmt.Sprintf("is claimed by site %s, and belongs to %s by the configuration", c.site.Config.Name, by.Config.Name),
			hint: fmt.Sprintf("to share the host, write %s in %s; else correct its address in WordPress", lineToShare(at), section(c.site)),
		})
	}
}

// conflictOfRest records that a site keeps the rest of a host only because it had the host before. The configuration gives paths
// of that host to other sites.
func (t *turn) conflictOfRest(rest claim, named []claim) {
	name, host := rest.site.Config.Name, rest.places[0].host
	if rest.unread {
		return
	}
	t.note(conflict{
		host: host, sites: []string{name}, owner: name,
		what: fmt.Sprintf("is named by the configuration for site %s only; site %s keeps the rest of the host only as long as that is remembered",
			named[0].site.Config.Name, name),
		hint: fmt.Sprintf("write hosts = [%q] in %s", host, section(rest.site)),
	})
}

// conflictOfPath records that a blog of site s is at a path that the configuration gives to site by, or to no site if by is nil.
func (t *turn) conflictOfPath(at place, s, by *site.Site) {
	c := conflict{host: at.host, path: at.Path, sites: []string{s.Config.Name}}
	c.what = "belongs to no site by the configuration, and is claimed by site " + s.Config.Name
	if by != nil {
		c.owner = by.Config.Name
		c.sites = append(c.sites, c.owner)
		c.what = "belongs to site " + c.owner + ", and is claimed by site " + s.Config.Name
	}
	c.hint = "give the blog an address below the home that the configuration has in " + section(s)
	t.note(c)
}

// note adds a conflict. Conflicts with the same text count as one conflict of several hosts, so that the log names them once.
func (t *turn) note(c conflict) {
	i := slices.IndexFunc(t.conflicts, func(other conflict) bool { return other.what == c.what })
	if i < 0 {
		i, t.conflicts = len(t.conflicts), append(t.conflicts, c)
	}
	t.conflicts[i].hosts++
}

// section returns the header of a site's section in the configuration.
func section(s *site.Site) string {
	if s.Config.Discovered() {
		return "[discover.site." + s.Config.Name + "]"
	}
	return "[[site]] " + s.Config.Name
}

// lineToWrite returns a hint: the line for the configuration that gives a host to one of the sites.
func lineToWrite(host string, claims []claim) string {
	var sections []string
	for _, c := range claims {
		sections = append(sections, section(c.site))
	}
	return fmt.Sprintf("write hosts = [%q] in the section of the site that has it: %s", host, strings.Join(sections, " or "))
}

// linesToShare returns the configuration lines that let two sites share a host, if one site is at its root and the other at a
// path. It returns "" for any other claims.
func linesToShare(claims []claim) string {
	at := func(root bool) (at place, ok bool) {
		for _, c := range claims {
			for _, p := range c.places {
				if !p.Gone && (p.Path == "") == root {
					return p, true
				}
			}
		}
		return place{}, false
	}
	root, some := at(true)
	below, others := at(false)
	if !some || !others || root.Site == below.Site {
		return ""
	}
	return fmt.Sprintf("; to share it, write %s in %s and %s in %s", lineToShare(root), section(root.Site), lineToShare(below), section(below.Site))
}

// lineToShare returns the line for the configuration that gives a site this place of a shared host.
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
		if logged[c.what] = true; t.logged[c.what] {
			continue
		}
		attrs := []any{"host", c.host, "path", "/" + c.path, "conflict", c.what, "hosts", c.hosts, "hint", c.hint}
		if len(c.sites) > 0 {
			t.log.Error("several sites claim one host", attrs...)
		} else {
			t.log.Error("two blogs of a network have one address, the first keeps it", attrs...)
		}
	}
	t.dirty = t.dirty || !maps.Equal(t.logged, logged) // the notes contain the claims, too
	t.logged = logged
}

// Summary returns the text of a site's most important conflict: one at a host where the site is not served, if there is one.
// hosts is the number of hosts in conflict. displaced reports whether the site is not served at one of them.
func (o *Owners) Summary(name string) (text string, hosts int, displaced bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.last.conflicts {
		if !slices.Contains(c.sites, name) {
			continue
		}
		if away := c.owner != name; text == "" || away && !displaced {
			text = fmt.Sprintf("%s/%s %s; %s", c.host, c.path, c.what, c.hint)
			displaced = displaced || away
		}
		hosts += c.hosts
	}
	if hosts > 1 {
		text += fmt.Sprintf("; %d more hosts are in conflict, too", hosts-1)
	}
	return text, hosts, displaced
}
