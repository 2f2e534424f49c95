package owner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/site"
)

// conflict is one address, or several, that the same sites claim.
type conflict struct {
	what      string  // what is the matter
	hint      string  // the line to write
	at        address // the first
	addresses int
	sites     []string // that claim it, and the one that is served there; none where two blogs of one site do
	owner     string   // the one that is served there; "" for none
}

// conflict notes that sites claim an address that belongs to by, to none of them (nil), or to one that is missing (had).
func (t *turn) conflict(at address, claims []claim, by *site.Site, had string) {
	c := conflict{at: at, hint: lineToWrite(at.Host, claims)}
	for _, claim := range claims {
		if claim.Site != by && !claim.unread {
			c.sites = append(c.sites, claim.Site.Config.Name)
		}
	}
	if len(c.sites) == 0 {
		return
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
	t.note(c)
}

// note has a conflict logged, once as long as it holds and for all addresses of the same sites.
func (t *turn) note(c conflict) {
	i := slices.IndexFunc(t.conflicts, func(other conflict) bool { return other.what == c.what })
	if i < 0 {
		i, t.conflicts = len(t.conflicts), append(t.conflicts, c)
	}
	t.conflicts[i].addresses++
}

// lineToWrite says what to write into the configuration to give a host to one of some sites.
func lineToWrite(host string, claims []claim) string {
	var sections []string
	for _, c := range claims {
		section := "[[site]] " + c.Site.Config.Name
		if c.Site.Config.Discovered() {
			section = "[discover.site." + c.Site.Config.Name + "]"
		}
		sections = append(sections, section)
	}
	return fmt.Sprintf("write hosts = [%q] in the section of the site that has it: %s", host, strings.Join(sections, " or "))
}

// logConflicts logs the conflicts that the turn before did not have.
func (t *turn) logConflicts() {
	logged := map[string]bool{}
	for _, c := range t.conflicts {
		if logged[c.what] = true; t.logged[c.what] {
			continue
		}
		attrs := []any{"host", c.at.Host, "path", "/" + c.at.Path, "conflict", c.what, "addresses", c.addresses, "hint", c.hint}
		if len(c.sites) > 0 {
			t.log.Error("several sites claim one address", attrs...)
		} else {
			t.log.Error("two blogs of a network have one address, the first keeps it", attrs...)
		}
	}
	t.dirty = t.dirty || !maps.Equal(t.logged, logged) // who claims what is stored, too
	t.logged = logged
}

// Summary says which addresses of a site others claim, too, how many they are, and whether it is not served at one of them.
func (o *Owners) Summary(name string) (text string, addresses int, displaced bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.last.conflicts {
		if !slices.Contains(c.sites, name) {
			continue
		}
		if away := c.owner != name; text == "" || away && !displaced {
			text = fmt.Sprintf("%s/%s %s; %s", c.at.Host, c.at.Path, c.what, c.hint)
			displaced = displaced || away
		}
		addresses += c.addresses
	}
	if addresses > 1 {
		text += fmt.Sprintf("; so are %d more addresses", addresses-1)
	}
	return text, addresses, displaced
}
