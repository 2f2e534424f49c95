package owner

import (
	"context"
	"fmt"
	"log/slog"
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
	all := c.others
	if by != nil {
		all = append([]string{c.owner}, all...)
	}
	t.rivals[at] = all
	for _, name := range all {
		t.conflicts[name] = append(t.conflicts[name], c)
	}
	others := strings.Join(c.others, " ")
	switch {
	case by != nil:
		t.say(slog.LevelError, "several sites claim one address, the one that had it keeps it", at, "owner", c.owner, "others", others, "hint", c.hint)
	case had != "":
		t.say(slog.LevelError, "another site claims an address whose owner is missing or has left it: its sitemaps are answered with 503",
			at, "owner", had, "others", others, "hint", c.hint)
	default:
		t.say(slog.LevelError, "several sites claim one address and nothing tells whose it is: its sitemaps are answered with 503",
			at, "others", others, "hint", c.hint)
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

// line is one line of the log on all addresses with the same message.
type line struct {
	level     slog.Level
	message   string
	key       string
	attrs     []any
	addresses int
}

// say has a line logged for all addresses with the same message, once as long as it holds.
func (t *turn) say(level slog.Level, message string, at address, attrs ...any) {
	key := message + fmt.Sprint(attrs[:len(attrs)-2]...) // the hint names the host
	if i := slices.IndexFunc(t.lines, func(l *line) bool { return l.key == key }); i >= 0 {
		t.lines[i].addresses++
		return
	}
	t.lines = append(t.lines, &line{level, message, key, append([]any{"host", at.Host, "path", "/" + at.Path}, attrs...), 1})
}

// writeLog logs the lines that the turn before did not have.
func (t *turn) writeLog() {
	logged := map[string]bool{}
	for _, l := range t.lines {
		logged[l.key] = true
		if t.logged[l.key] {
			continue
		}
		if l.addresses > 1 {
			l.attrs = append(l.attrs, "addresses", l.addresses)
		}
		t.log.Log(context.Background(), l.level, l.message, l.attrs...)
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
	all := o.conflicts[name]
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
