package config

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"wpsitemapd/wp"
)

// siteOnly are the keys of [[discover]] whose value must contain {name}. Without {name}, every install would get the same
// value. If wp_config names one file, {name} is not needed.
var siteOnly = []string{"name", "dsn", "dsn_file", "home", "hosts"}

// mostNotes bounds how many skipped or renamed installs the warnings of a section name.
const mostNotes = 20

// ofName is the placeholder for the name of an install. ofHomeHost is a placeholder of earlier versions, which was removed.
const (
	ofName     = "{name}"
	ofHomeHost = "{home_host}"
)

// discover reads a [[discover]] and searches for its installs.
func (c *Config) discover(t *table, base Site, dir string) *discovery {
	d := &discovery{table: t, line: t.lines.line(t.path), base: base.clone(), dir: dir}
	d.base.Name, d.base.DSN, d.base.DSNFile, d.base.Home, d.base.Hosts = "", "", "", "", nil
	d.base.WPConfig = ""
	search := d.search()
	d.readOwn()
	d.checkSection(search)
	if search == nil {
		return d
	}
	c.Searches = append(c.Searches, search)
	if t.alone {
		return d
	}
	found := search.Find()
	d.installs = found.Found
	for _, pattern := range found.Unmatched {
		c.Unmatched = append(c.Unmatched, c.warn(d, "nothing matches %s: correct wp_config, or let the user of the daemon read the folders", pattern))
	}
	if found.Stopped != "" {
		c.partial = append(c.partial, search)
		c.Unmatched = append(c.Unmatched, c.warn(d, "%s: write a narrower pattern, or skip folders", found.Stopped))
	}
	return d
}

// warn adds a warning about a [[discover]] and returns its text.
func (c *Config) warn(d *discovery, format string, args ...any) string {
	// the name of a folder may contain any character
	c.Warnings = append(c.Warnings, strings.Map(oneLine, fmt.Sprintf("[[discover]] in line %d: ", d.line)+fmt.Sprintf(format, args...)))
	return c.Warnings[len(c.Warnings)-1]
}

// addFound adds a site for every install that the searches have found. It skips an install if a [[site]] names the same
// wp-config.php.
func (c *Config) addFound(sections []*discovery) {
	c.nameFound(sections)
	for _, d := range sections {
		notes := c.add(d)
		for _, text := range notes[:min(len(notes), mostNotes)] {
			c.warn(d, "%s", text)
		}
		if more := len(notes) - mostNotes; more > 0 {
			c.warn(d, "%d more installs were treated the same way", more)
		}
		if d.alone {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(d.own)) {
			if !d.used[name] {
				c.Unmatched = append(c.Unmatched, c.warn(d, "no install of the name %q was found for [discover.site.%s]", name, name))
			}
		}
	}
}

// KeepFound takes installs over from before, the last configuration, if a search that would find them has ended early.
// Without this, anybody who fills a folder could end a search, and so remove other people's sites.
func (c *Config) KeepFound(before *Config) {
	for _, site := range before.Sites {
		sought := func(s *Search) bool { return s.matches(site.WPConfig) }
		same := func(s Site) bool { return s.WPConfig == site.WPConfig || s.Name == site.Name }
		if !site.Discovered() || !slices.ContainsFunc(c.partial, sought) || slices.ContainsFunc(c.Sites, same) {
			continue
		}
		if _, err := os.Lstat(site.WPConfig); err == nil {
			c.Sites = append(c.Sites, site)
		}
	}
}

// discovery is one [[discover]].
type discovery struct {
	*table
	line     int
	base     Site
	dir      string
	own      map[string]*table // the tables [discover.site.NAME]; the keys are names
	used     map[string]bool
	installs []Found
}

// search reads the keys that say where to look for installs. It returns nil if they are missing or wrong.
func (d *discovery) search() *Search {
	s := &Search{}
	add := func(list *[]string, relative bool) func(string) error {
		return func(text string) error {
			if text == "" {
				return nil
			}
			if !relative {
				text = absolute(text, d.dir)
			}
			*list = append(*list, text)
			return checkPattern(text)
		}
	}
	failed, given := len(d.found), d.holds("wp_config")
	d.textOrTexts("wp_config", func() {}, add(&s.Patterns, false))
	d.textOrTexts("skip", func() {}, add(&s.Skip, true))
	d.textOrTexts("db_hosts", func() {}, func(text string) error {
		d.base.DBHosts = append(d.base.DBHosts, text)
		return wp.CheckServer(text)
	})
	if d.alone && given && len(d.found) == failed {
		return s // variables may be set later
	}
	if len(s.Patterns) == 0 && len(d.found) == failed {
		d.fail("wp_config", nil, "a discover section needs wp_config, a pattern such as /var/www/*/wp-config.php")
	}
	if len(s.Patterns) == 0 || len(d.found) > failed {
		return nil
	}
	return s
}

// readOwn reads the tables [discover.site.NAME], and reports their mistakes.
func (d *discovery) readOwn() {
	d.own, d.used = map[string]*table{}, map[string]bool{}
	d.each("site", func(e *table, name string) {
		for _, key := range []string{"name", "wp_config"} {
			if v, ok := e.values[key]; ok {
				delete(e.values, key)
				e.fail(key, v, "cannot be set here: the pattern of [[discover]] finds it")
			}
		}
		d.own[name] = e
		scratch := d.base.clone() // reports mistakes whether or not there is such an install
		scratch.lay(e, d.problems, d.dir, "name", "wp_config")
	})
}

// lay reads the keys of a table into the site. The table itself keeps them. The message about an unknown key may propose a
// similar key, but never one of the keys in not.
func (s *Site) lay(of *table, p *problems, dir string, not ...string) {
	t := &table{problems: p, path: of.path, section: of.section, values: maps.Clone(of.values), known: slices.Clone(of.known), written: s.written}
	s.decode(t, dir)
	t.known = slices.DeleteFunc(t.known, func(key string) bool { return slices.Contains(not, key) })
	t.finish()
}

// checkSection reports mistakes in the keys that all installs share.
func (d *discovery) checkSection(search *Search) {
	one := search != nil && search.oneFile()
	for _, key := range siteOnly {
		if v, ok := d.values[key]; ok && !one && !uses(v, ofName) && !uses(v, ofHomeHost) {
			delete(d.values, key)
			if key == "dsn" {
				v = Secret(stars)
			}
			d.fail(key, v, "would be the same for every install that is found. Set it in a [[site]] or below [discover.site.NAME], "+
				"or write it with "+ofName)
		}
	}
	scratch := d.base.clone()
	d.pattern = true
	scratch.lay(d.table, d.problems, d.dir, siteOnly...)
	d.pattern = false
}

// uses reports whether a value contains a placeholder such as {name}. The variable ${name} does not count.
func uses(v any, placeholder string) bool {
	return anyText(v, func(s string) bool { return strings.Contains(strings.ReplaceAll(s, "$"+placeholder, ""), placeholder) })
}

// add adds the installs of a section. The notes say which installs are skipped or renamed, and why.
func (c *Config) add(d *discovery) (notes []string) {
	taken, hosts := map[string]bool{}, map[Host][]int{}
	for i, s := range c.Sites {
		taken[s.Name] = true
		for _, h := range s.HostNames() {
			hosts[h] = append(hosts[h], i)
		}
	}
	for _, f := range d.installs {
		site, why := d.site(f, f.Name)
		if why != "" {
			notes = append(notes, fmt.Sprintf("%s is skipped: %s", f.File, why))
			continue
		}
		if taken[site.Name] {
			notes = append(notes, fmt.Sprintf("%s is skipped: another site has the name %s", f.File, site.Name))
			continue
		}
		if host := c.hostOfAnother(site, hosts); host != "" && !d.ownHost(f.Name) {
			notes = append(notes, fmt.Sprintf("%s is skipped: its [[discover]] gives it the host %s, which another site has. To "+
				"serve it, set hosts in [discover.site.%s]", f.File, host, Key(f.Name)))
			continue
		}
		for _, h := range site.HostNames() {
			hosts[h] = append(hosts[h], len(c.Sites))
		}
		if f.Name != f.plain {
			notes = append(notes, fmt.Sprintf("%s is called %s: another install has the name %s", f.File, site.Name, f.plain))
		}
		d.used[f.Name], taken[site.Name] = true, true
		c.Sites = append(c.Sites, *site)
	}
	return notes
}

// hostOfAnother returns a host of s that another site with the same path has, or "". hosts maps each host to the sites that
// have it, as indexes in Sites.
func (c *Config) hostOfAnother(s *Site, hosts map[Host][]int) Host {
	for _, h := range s.HostNames() {
		if slices.ContainsFunc(hosts[h], func(i int) bool { return !s.apart(c.Sites[i]) }) {
			return h
		}
	}
	return ""
}

// ownHost reports whether [discover.site.NAME] sets the host of an install. The operator has then written that host, so an
// install is not skipped because another site has it.
func (d *discovery) ownHost(name string) bool {
	own := d.own[name]
	return own != nil && (own.values["hosts"] != nil || own.values["home"] != nil)
}

// site returns the configured site for an install, or the reason why the install cannot be a site.
func (d *discovery) site(f Found, name string) (*Site, string) {
	s := d.base.clone()
	s.WPConfig, s.Within, s.line = f.File, f.Within, d.line
	scratch := &problems{lines: d.lines, name: name}
	s.lay(d.table, scratch, d.dir)
	if s.Name == "" {
		s.Name = name
	}
	if own := d.own[name]; own != nil {
		s.lay(own, scratch, d.dir)
	}
	if len(scratch.found) > 0 {
		return nil, scratch.found[0].String()
	}
	return &s, ""
}

// oneLine replaces a control character by a question mark. Such a character could end a line or control a terminal.
func oneLine(r rune) rune {
	if unicode.IsControl(r) {
		return '?'
	}
	return r
}
