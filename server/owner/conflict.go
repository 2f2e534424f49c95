package owner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/site"
)

// conflict is one host, or several, that the same sites claim.
type conflict struct {
	what  string // what is the matter
	hint  string // the line to write
	host  string // the first
	path  string // of a blog there
	hosts int
	sites []string // that claim it, and the one that is served there; none if two blogs of one site do
	owner string   // the one that is served there; "" for none
}

// conflict notes that sites claim a host that belongs to by, to none of them (nil), or to one that is missing (had).
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
	others, whose := strings.Join(c.sites, " and site "), ", and nothing tells whose it is: its sitemaps are answered with 503"
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

// conflictOfElse notes that sites claim paths of a host that the configuration gives to others. That somebody claims the places of
// these, too, as a copy does, is settled by the configuration.
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

// conflictOfRest notes that a site keeps the rest of a host, of which the configuration gives paths to others, as it had it before.
func (t *turn) conflictOfRest(rest claim, named []claim) {
	name, host := rest.site.Config.Name, rest.places[0].host
	if rest.unread {
		return
	}
	t.note(conflict{
		host: host, sites: []string{name}, owner: name,
		what: fmt.Sprintf("is named by the configuration for site %s alone; site %s keeps the rest of it only while that is remembered",
			named[0].site.Config.Name, name),
		hint: fmt.Sprintf("write hosts = [%q] in %s", host, section(rest.site)),
	})
}

// conflictOfPath notes that a blog of a site is on a path of a host which the configuration gives to another site, or to none (nil).
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

// note adds a conflict, which is logged once as long as it holds and for all hosts of the same sites.
func (t *turn) note(c conflict) {
	i := slices.IndexFunc(t.conflicts, func(other conflict) bool { return other.what == c.what })
	if i < 0 {
		i, t.conflicts = len(t.conflicts), append(t.conflicts, c)
	}
	t.conflicts[i].hosts++
}

// section is the part of the configuration that is about one site.
func section(s *site.Site) string {
	if s.Config.Discovered() {
		return "[discover.site." + s.Config.Name + "]"
	}
	return "[[site]] " + s.Config.Name
}

// lineToWrite says what to write into the configuration to give a host to one of some sites.
func lineToWrite(host string, claims []claim) string {
	var sections []string
	for _, c := range claims {
		sections = append(sections, section(c.site))
	}
	return fmt.Sprintf("write hosts = [%q] in the section of the site that has it: %s", host, strings.Join(sections, " or "))
}

// linesToShare says what to write if one of some sites has a host and another one a path of it; "" if they have not.
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

// lineToShare is the line by which the operator gives a site a path of another site's host.
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

// logConflicts logs the conflicts that the turn before did not have.
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
	t.dirty = t.dirty || !maps.Equal(t.logged, logged) // who claims what is stored, too
	t.logged = logged
}

// Summary says which hosts of a site others claim, too, how many they are, and whether it is not served at one of them.
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
		text += fmt.Sprintf("; so are %d more hosts", hosts-1)
	}
	return text, hosts, displaced
}
