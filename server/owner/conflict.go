package owner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/server/site"
)

// conflict is an address that more than one site claims, or one that does not own it.
type conflict struct {
	address address
	owner   string   // "": none of those that claim it
	had     string   // the owner that is missing, or elsewhere
	others  []string // sites that claim it and are not served there
	hint    string
}

// conflict notes that sites claim an address that belongs to by, to none of them (nil), or to one that is missing (had).
func (t *turn) conflict(at address, claims []claim, by *site.Site, had string) {
	c := conflict{address: at, had: had, hint: lineToWrite(at.Host, claims)}
	for _, claim := range claims {
		switch {
		case claim.Site == by:
			c.owner = by.Config.Name
		case !claim.unread:
			c.others = append(c.others, claim.Site.Config.Name)
		}
	}
	if len(c.others) == 0 {
		return
	}
	for _, name := range append(c.others, c.owner) {
		t.conflicts[name] = append(t.conflicts[name], c)
	}
	others := strings.Join(c.others, " ")
	switch {
	case by != nil:
		t.alarm("several sites claim one address, the one that had it keeps it", at, c.hint, "owner", c.owner, "others", others)
	case had != "":
		t.alarm("another site claims an address whose owner is missing or has left it: its sitemaps are answered with 503",
			at, c.hint, "owner", had, "others", others)
	default:
		t.alarm("several sites claim one address and nothing tells whose it is: its sitemaps are answered with 503", at, c.hint, "others", others)
	}
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

// alarm is one line of the log on all addresses with the same message.
type alarm struct {
	message   string
	attrs     []any
	at        address // the first
	addresses int
	hint      string
}

func (a *alarm) key() string { return a.message + fmt.Sprint(a.attrs...) }

// alarm has a line logged for all addresses with the same message and attributes, once as long as it holds.
func (t *turn) alarm(message string, at address, hint string, attrs ...any) {
	a := &alarm{message, attrs, at, 1, hint}
	if i := slices.IndexFunc(t.alarms, func(other *alarm) bool { return other.key() == a.key() }); i >= 0 {
		t.alarms[i].addresses++
		return
	}
	t.alarms = append(t.alarms, a)
}

// logAlarms logs the alarms that the turn before did not have.
func (t *turn) logAlarms() {
	logged := map[string]bool{}
	for _, a := range t.alarms {
		logged[a.key()] = true
		if t.logged[a.key()] {
			continue
		}
		attrs := append([]any{"host", a.at.Host, "path", "/" + a.at.Path}, a.attrs...)
		if a.addresses > 1 {
			attrs = append(attrs, "addresses", a.addresses)
		}
		t.log.Error(a.message, append(attrs, "hint", a.hint)...)
	}
	if !maps.Equal(t.logged, logged) { // who claims what is stored, too
		t.change()
	}
	t.logged = logged
}

// Summary says which addresses of a site others claim, too, how many they are, and whether it is not served at one of them.
func (o *Owners) Summary(name string) (text string, addresses int, displaced bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.last.conflicts[name]
	if len(all) == 0 {
		return "", 0, false
	}
	c := all[0]
	if i := slices.IndexFunc(all, func(c conflict) bool { return c.owner != name }); i >= 0 {
		c, displaced = all[i], true
	}
	at := c.address.Host + "/" + c.address.Path
	others := slices.DeleteFunc(append([]string{c.owner}, c.others...), func(other string) bool { return other == name || other == "" })
	switch {
	case c.had != "":
		text = fmt.Sprintf("%s belongs to site %s, which is missing or has left it: its sitemaps are answered with 503", at, c.had)
	case c.owner == "":
		text = fmt.Sprintf("%s is claimed by site %s, too, and nothing tells whose it is: its sitemaps are answered with 503",
			at, strings.Join(others, " and site "))
	case c.owner == name:
		text = fmt.Sprintf("%s is claimed by site %s, too, and stays with this one", at, strings.Join(others, " and site "))
	default:
		text = fmt.Sprintf("%s is claimed by site %s, too, and belongs to %s: this site is not served there",
			at, strings.Join(others, " and site "), c.owner)
	}
	if len(all) > 1 {
		text += fmt.Sprintf("; so are %d more addresses", len(all)-1)
	}
	return text + "; " + c.hint, len(all), displaced
}
