// Package owner decides which site a host belongs to. An install that is copied, as staging is from production, has the
// address of the original in its database until somebody changes it there. It must never be served
// in the place of the original. So the site that a place belongs to is remembered, beyond the end
// of the process where there is a store, and keeps it whatever comes later and in whatever order
// sites are read. It loses it to a site whose hosts or home in the configuration name it, and to
// others some time after it has left the configuration or is elsewhere.
//
// Where nothing is remembered a [[site]] comes before what [[discover]] has found, and of the
// latter the one that was there first by the signs of its files. While that is not decided no
// sitemap of the place is served. Start reading at Owners.Table, then
// at Owners.settle.
package owner

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"wpsitemapd/server/route"

	"wpsitemapd/server/site"

	"wpsitemapd/server/config"
)

// Place is the address of a blog: a host, and a path in lower case without slashes at its ends.
type Place struct{ Host, Path string }

// PlaceOf is the place of a host and a path.
func PlaceOf(host, path string) Place { return Place{host, strings.ToLower(path)} }

// identity distinguishes a site from others, also once it has another name or another place on disk.
type identity struct {
	Name   string
	Source string // see config.Site.Identity
	File   string `json:",omitempty"` // wp-config.php of an install that [[discover]] has found
}

func identityOf(site *config.Site) identity {
	o := identity{Name: site.Name, Source: site.Identity()}
	if site.Discovered() {
		o.File = site.WPConfig
	}
	return o
}

// leftForGood reports whether a site that is not in the configuration was taken out of it. One whose
// files are missing may be under deployment.
func (o identity) leftForGood() bool {
	if o.File == "" {
		return true
	}
	_, err := os.Stat(o.File)
	return err == nil
}

// holding is that a place belongs to a site.
type holding struct {
	by    identity
	since time.Time
	// absent are the sites that had not been read by then. When one of them turns up there it is
	// no newcomer: it may have had the place before.
	absent []string
	until  time.Time // the site has left it and loses it then; zero: it has not
}

// claim is that a site has a place.
type claim struct {
	route.Mount
	named  bool // the configuration names the host
	unread bool // its files say so, or what is remembered: its database has not been read
	weak   bool // only a folder's name says so, or something of that kind
}

// clash is a place that more than one site claims.
type clash struct {
	place  Place
	owner  string   // "": that is not decided
	others []string // sites that claim it and do not have it
}

// Owners remembers what belongs to whom. It is safe for concurrent use.
type Owners struct {
	mu      sync.Mutex
	of      map[Place]*holding
	clashes map[string][]clash // by site
	log     *slog.Logger
	told    map[string]bool // what was logged
	changed chan struct{}   // holds one signal: something belongs to somebody else
	dirty   bool            // kept is behind
	kept    map[string]keptNote
	wrote   map[string]string // notes in the store, by site

	// of the last turn
	now     time.Time
	sites   []*site.Site
	byName  map[string]*site.Site
	sources map[string][]*site.Site
	unread  map[string]bool // sites whose hosts nothing shows
	untried []*site.Site    // of these, those that may be read any moment
	rivals  map[Place][]string
	lines   []*hostLine
	due     time.Time // when something changes by itself; zero: never

	patience time.Duration // with a site whose files are missing
}

// hostLine is one line of the log on all places with the same message.
type hostLine struct {
	level        slog.Level
	message, key string
	attrs        []any
	places       int
}

// New returns owners of nothing.
func New(log *slog.Logger) *Owners {
	return &Owners{of: map[Place]*holding{}, log: log, told: map[string]bool{}, wrote: map[string]string{}, changed: make(chan struct{}, 1)}
}

// begin starts a turn, in which every place that is claimed is settled once.
func (o *Owners) begin(sites []*site.Site, now time.Time) {
	o.sites, o.now, o.due = sites, now, time.Time{}
	o.byName, o.sources = map[string]*site.Site{}, map[string][]*site.Site{}
	o.unread, o.untried = map[string]bool{}, nil
	o.clashes, o.rivals, o.lines = map[string][]clash{}, map[Place][]string{}, nil
	if len(sites) > 0 {
		o.patience = 0
	}
	for _, w := range sites {
		o.byName[w.Config.Name] = w
		o.sources[w.Config.Identity()] = append(o.sources[w.Config.Identity()], w)
		o.patience = max(o.patience, w.Config.Confirm)
		if w.Placed() {
			continue
		}
		o.unread[w.Config.Name] = true
		if trial := w.Began.Add(site.FirstPatience); !w.Snapshot().Tried() && now.Before(trial) {
			o.untried = append(o.untried, w)
			o.wake(trial)
		}
	}
}

// wake has the next turn come no later than at a time.
func (o *Owners) wake(at time.Time) {
	if o.due.IsZero() || at.Before(o.due) {
		o.due = at
	}
}

// site returns the site that an owner is by now, nil where it is not in the configuration.
func (o *Owners) site(by identity) *site.Site {
	same := o.sources[by.Source]
	if w := o.byName[by.Name]; w != nil && (len(same) == 0 || slices.Contains(same, w)) {
		return w
	}
	if len(same) > 0 {
		return same[0]
	}
	return nil
}

// remembered are the places of sites that have not been read since the start.
func (o *Owners) remembered() map[Place]*site.Site {
	places := map[Place]*site.Site{}
	if len(o.unread) == 0 {
		return places
	}
	for p, h := range o.of {
		if w := o.site(h.by); w != nil && o.unread[w.Config.Name] && w.Config.Identity() == h.by.Source {
			places[p] = w
		}
	}
	return places
}

// settle returns who has a place that is claimed.
func (o *Owners) settle(p Place, claims []claim) (route.Mount, bool) {
	claims = living(claims)
	if i := slices.IndexFunc(claims, func(c claim) bool { return c.named }); i >= 0 {
		o.take(p, claims[i], nil) // the operator's configuration settles that others claim it, too
		return claims[i].Mount, true
	}
	if h := o.of[p]; h != nil {
		by := o.site(h.by)
		if i := slices.IndexFunc(claims, func(c claim) bool { return c.Site == by }); i >= 0 {
			h.until = time.Time{}
			before := slices.DeleteFunc(slices.Clone(claims), func(c claim) bool {
				return c.Site != by && (c.unread || !slices.Contains(h.absent, c.Site.Config.Name))
			})
			if len(before) == 1 { // the others came later
				if known := func(name string) bool { return !o.unread[name] }; slices.ContainsFunc(h.absent, known) {
					h.absent = slices.DeleteFunc(slices.Clone(h.absent), known)
					o.change()
				}
				o.clash(p, claims, by)
				return claims[i].Mount, true
			}
			return o.award(p, claims, before)
		}
		if o.keeps(h, by) {
			o.say(slog.LevelWarn, "a host is kept for the site that had it and is gone", p,
				claimants(claims), "had", h.by.Name, "until", h.until.Round(time.Second),
				"hint", "nothing if it comes back; to give the host to another site now, set hosts of that")
			return o.contested(claims, nil)
		}
		delete(o.of, p)
		o.change()
		if len(claims) > 0 {
			o.say(slog.LevelWarn, "the site that had a host has left it, another one has it now",
				p, claimants(claims), "had", h.by.Name, "hint", "see that it is the right one")
		}
	}
	return o.award(p, claims, o.candidates(claims))
}

// living leaves out archived and deleted blogs where somebody else's lives.
func living(claims []claim) []claim {
	if !slices.ContainsFunc(claims, func(c claim) bool { return !c.Gone }) {
		return claims
	}
	return slices.DeleteFunc(claims, func(c claim) bool { return c.Gone })
}

// keeps reports whether a site that has left its place keeps it for the moment.
func (o *Owners) keeps(h *holding, by *site.Site) bool {
	if h.until.IsZero() {
		h.until = o.now
		switch {
		case by != nil && by.Config.HostNames() == nil: // it may be back after a mistake
			h.until = o.now.Add(by.Config.Confirm)
		case by == nil && !h.by.leftForGood():
			h.until = o.now.Add(o.patience)
		}
	}
	if !o.now.Before(h.until) {
		return false
	}
	o.wake(h.until)
	return true
}

// candidates are the claims to choose from where nothing is remembered: of sites that were read, and for a while of
// those whose wp-config.php names the place. Names of folders count where there is nothing else.
func (o *Owners) candidates(claims []claim) []claim {
	read, sure, weak := []claim{}, []claim{}, []claim{}
	for _, c := range claims {
		switch end := c.Site.Began.Add(c.Site.Config.Confirm); {
		case !c.unread:
			read = append(read, c)
		case c.weak:
			weak = append(weak, c)
		case o.now.Before(end):
			o.wake(end)
			sure = append(sure, c)
		default:
			weak = append(weak, c)
		}
	}
	if all := append(read, sure...); len(all) > 0 {
		return all
	}
	return weak
}

// award gives a place that nobody has, or that was not had before all candidates were read.
func (o *Owners) award(p Place, claims, candidates []claim) (route.Mount, bool) {
	if len(candidates) == 0 {
		return route.Mount{}, false
	}
	if o.of[p] == nil && !candidates[0].unread && len(o.untried) > 0 {
		return o.contested(claims, o.untried)
	}
	i := first(p.Host, candidates)
	if i < 0 {
		if o.of[p] != nil {
			delete(o.of, p)
			o.change()
		}
		if !candidates[0].unread { // else all are guesses
			o.clash(p, claims, nil)
		}
		return o.contested(claims, nil)
	}
	winner := candidates[i]
	o.clash(p, claims, winner.Site)
	if !winner.unread {
		o.take(p, winner, o.unread)
	}
	return winner.Mount, true
}

// first returns which of some claims is that of the site that was there first, -1 where that is not known.
func first(host string, candidates []claim) int {
	if len(candidates) == 1 {
		return 0
	}
	var configured []int // those of [[site]]
	installs := make([]*site.Files, 0, len(candidates))
	for i, c := range candidates {
		if !c.Site.Config.Discovered() {
			configured = append(configured, i)
		}
		installs = append(installs, c.Site.Files())
	}
	switch len(configured) {
	case 0:
		return oldest(host, installs)
	case 1:
		return configured[0]
	}
	of := make([]*site.Files, len(configured))
	for i, c := range configured {
		of[i] = installs[c]
	}
	if i := oldest(host, of); i >= 0 {
		return configured[i]
	}
	return configured[0] // the order in which the operator wrote them
}

// take notes that a place belongs to a site.
func (o *Owners) take(p Place, c claim, absent map[string]bool) {
	by := identityOf(&c.Site.Config)
	if h := o.of[p]; h != nil && h.by == by && h.absent == nil {
		h.until = time.Time{}
		return
	}
	o.of[p] = &holding{by: by, since: time.Now(), absent: slices.Sorted(maps.Keys(absent))}
	o.change()
}

func (o *Owners) change() {
	o.dirty = true
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

// contested is the state of a place whose owner is not known.
func (o *Owners) contested(claims []claim, await []*site.Site) (route.Mount, bool) {
	if len(claims) == 0 {
		return route.Mount{}, false
	}
	c := &route.Contest{Await: await}
	for _, claim := range claims {
		c.Sites = append(c.Sites, claim.Site)
	}
	return route.Mount{Path: claims[0].Path, Contest: c}, true
}

func claimants(claims []claim) []string {
	var list []string
	for _, c := range claims {
		list = append(list, c.Site.Config.Name)
	}
	return list
}

// clash notes that several sites claim a place, which has an owner or none yet. Claims of sites
// that were not read are no more than guesses.
func (o *Owners) clash(p Place, claims []claim, by *site.Site) {
	c := clash{place: p}
	for _, claim := range claims {
		switch {
		case claim.Site == by:
			c.owner = by.Config.Name
		case !claim.unread || by == nil:
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
	o.rivals[p] = all
	for _, name := range all {
		o.clashes[name] = append(o.clashes[name], c)
	}
	if by == nil {
		o.say(slog.LevelError, "several sites claim one address and nothing tells whose it is: its sitemaps are answered with 503",
			p, c.others, "hint", clashHint)
		return
	}
	for _, other := range c.others {
		o.sayFirst(p, c.owner, other)
	}
}

const clashHint = "set hosts or home of one of them"

// sayFirst logs that the first of two keeps a place.
func (o *Owners) sayFirst(p Place, first, second string) {
	o.say(slog.LevelError, "two sites claim one address, the first keeps it", p, nil, "first", first, "second", second, "hint", clashHint)
}

// say has a line logged for all places with the same message, once as long as it holds.
func (o *Owners) say(level slog.Level, message string, p Place, sites []string, attrs ...any) {
	if sites != nil {
		attrs = append([]any{"sites", strings.Join(sites, " ")}, attrs...)
	}
	key := message + fmt.Sprint(attrs...)
	if i := slices.IndexFunc(o.lines, func(l *hostLine) bool { return l.key == key }); i >= 0 {
		o.lines[i].places++
		return
	}
	o.lines = append(o.lines, &hostLine{level, message, key, append([]any{"host", p.Host, "path", "/" + p.Path}, attrs...), 1})
}

// end ends a turn: what belongs to sites that are gone, and nobody claims, is forgotten in time.
func (o *Owners) end(claimed map[Place][]claim) {
	for p, h := range o.of {
		if len(claimed[p]) == 0 && !o.keeps(h, o.site(h.by)) {
			delete(o.of, p)
			o.change()
		}
	}
	told := map[string]bool{}
	for _, l := range o.lines {
		told[l.key] = true
		if o.told[l.key] {
			continue
		}
		if l.places > 1 {
			l.attrs = append(l.attrs, "addresses", l.places)
		}
		o.log.Log(context.Background(), l.level, l.message, l.attrs...)
	}
	if !maps.Equal(o.told, told) { // others claim what is somebody's
		o.change()
	}
	o.told = told
}

// Summary says which addresses of a site others claim, too, how many they are, and whether it is not served at one of them.
func (o *Owners) Summary(name string) (text string, places int, displaced bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.summary(name)
}

func (o *Owners) summary(name string) (text string, places int, displaced bool) {
	all := o.clashes[name]
	if len(all) == 0 {
		return "", 0, false
	}
	c := all[0]
	if i := slices.IndexFunc(all, func(c clash) bool { return c.owner != name }); i >= 0 {
		c, displaced = all[i], true
	}
	var others []string
	for _, other := range append([]string{c.owner}, c.others...) {
		if other != name && other != "" {
			others = append(others, other)
		}
	}
	text = fmt.Sprintf("%s/%s is claimed by site %s, too", c.place.Host, c.place.Path, strings.Join(others, " and site "))
	switch c.owner {
	case "":
		text += ", and nothing tells whose it is: its sitemaps are answered with 503"
	case name:
		text += ", and stays with this one"
	default:
		text += ", and belongs to " + c.owner + ": this site is not served there"
	}
	if len(all) > 1 {
		text += fmt.Sprintf("; so are %d more addresses", len(all)-1)
	}
	return text + "; " + clashHint, len(all), displaced
}
