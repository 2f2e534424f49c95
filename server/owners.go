package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/route"

	"wpsitemapd/server/site"

	"wpsitemapd/server/store"
	"wpsitemapd/server/stores"

	"wpsitemapd/server/config"
)

// Which site a host belongs to. An install that is copied, as staging is from production, has the
// address of the original in its database until somebody changes it there. It must never be served
// in the place of the original. So the site that a place belongs to is remembered, beyond the end
// of the process where there is a store, and keeps it whatever comes later and in whatever order
// sites are read. It loses it to a site whose hosts or home in the configuration name it, and to
// others some time after it has left the configuration or stands elsewhere.
//
// Where nothing is remembered a [[site]] comes before what [[discover]] has found, and of the
// latter the one that was there first by the signs of its files. While that is not decided no
// sitemap of the place is served.

// hostPath is where a blog stands: a host, and a path in lower case without slashes at its ends.
type hostPath struct{ host, path string }

func hostPathOf(host, path string) hostPath { return hostPath{host, strings.ToLower(path)} }

// owner tells a site from others, also once it has another name or another place on disk.
type owner struct {
	Name   string
	Source string // see Site.source
	File   string `json:",omitempty"` // wp-config.php of an install that [[discover]] has found
}

func ownerOf(site *config.Site) owner {
	o := owner{Name: site.Name, Source: site.Identity()}
	if site.Discovered() {
		o.File = site.WPConfig
	}
	return o
}

// leftForGood reports whether a site that is not in the configuration was taken out of it. One whose
// files are missing may be under deployment.
func (o owner) leftForGood() bool {
	if o.File == "" {
		return true
	}
	_, err := os.Stat(o.File)
	return err == nil
}

// holding is that a place belongs to a site.
type holding struct {
	by    owner
	since time.Time
	// absent are the sites that had not been read by then. When one of them turns up there it is
	// no newcomer: it may have had the place before.
	absent []string
	until  time.Time // the site does not stand there any more and loses it then; zero: it does
}

// claim is that a site stands at a place.
type claim struct {
	route.Mount
	worker *worker
	named  bool // the configuration names the host
	unread bool // its files tell, or what is remembered: its database has not been read
	weak   bool // only a folder's name tells, or something of that kind
}

// clash is a place that more than one site claims.
type clash struct {
	place  hostPath
	owner  string   // "": that is not decided
	others []string // sites that claim it and do not have it
}

// ownership remembers what belongs to whom. It is guarded by Server.publishing.
type ownership struct {
	of      map[hostPath]*holding
	clashes map[string][]clash // by site
	log     *slog.Logger
	told    map[string]bool // what was logged
	changed chan struct{}   // holds one word: something belongs to somebody else
	dirty   bool            // kept is behind
	kept    map[string]keptNote
	wrote   map[string]string // notes in the store, by site

	// of the last turn
	now     time.Time
	workers []*worker
	byName  map[string]*worker
	sources map[string][]*worker
	unread  map[string]bool // sites whose hosts nothing tells
	untried []*site.Site    // of these, those that may be read any moment
	rivals  map[hostPath][]string
	lines   []*hostLine
	due     time.Time // when something changes by itself; zero: never

	patience time.Duration // with a site whose files are missing
}

// hostLine is one line of the log on all places about which the same is to be told.
type hostLine struct {
	level        slog.Level
	message, key string
	attrs        []any
	places       int
}

func newOwnership(log *slog.Logger) *ownership {
	return &ownership{of: map[hostPath]*holding{}, log: log, told: map[string]bool{}, wrote: map[string]string{}, changed: make(chan struct{}, 1)}
}

// begin starts a turn, in which every place that is claimed is settled once.
func (o *ownership) begin(workers []*worker, now time.Time) {
	o.workers, o.now, o.due = workers, now, time.Time{}
	o.byName, o.sources = map[string]*worker{}, map[string][]*worker{}
	o.unread, o.untried = map[string]bool{}, nil
	o.clashes, o.rivals, o.lines = map[string][]clash{}, map[hostPath][]string{}, nil
	if len(workers) > 0 {
		o.patience = 0
	}
	for _, w := range workers {
		o.byName[w.Config.Name] = w
		o.sources[w.Config.Identity()] = append(o.sources[w.Config.Identity()], w)
		o.patience = max(o.patience, w.Config.Confirm)
		if w.Placed() {
			continue
		}
		o.unread[w.Config.Name] = true
		if trial := w.Began.Add(site.FirstPatience); !w.Snapshot().Tried() && now.Before(trial) {
			o.untried = append(o.untried, w.Site)
			o.wake(trial)
		}
	}
}

// wake has the next turn come no later than at a time.
func (o *ownership) wake(at time.Time) {
	if o.due.IsZero() || at.Before(o.due) {
		o.due = at
	}
}

// worker returns the site that an owner is by now, nil where it is not in the configuration.
func (o *ownership) worker(by owner) *worker {
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
func (o *ownership) remembered() map[hostPath]*worker {
	places := map[hostPath]*worker{}
	if len(o.unread) == 0 {
		return places
	}
	for p, h := range o.of {
		if w := o.worker(h.by); w != nil && o.unread[w.Config.Name] && w.Config.Identity() == h.by.Source {
			places[p] = w
		}
	}
	return places
}

// settle returns who stands at a place that is claimed.
func (o *ownership) settle(p hostPath, claims []claim) (route.Mount, bool) {
	claims = living(claims)
	if i := slices.IndexFunc(claims, func(c claim) bool { return c.named }); i >= 0 {
		o.take(p, claims[i], nil) // that others claim it, too, is settled by the operator's word
		return claims[i].Mount, true
	}
	if h := o.of[p]; h != nil {
		by := o.worker(h.by)
		if i := slices.IndexFunc(claims, func(c claim) bool { return c.worker == by }); i >= 0 {
			h.until = time.Time{}
			before := slices.DeleteFunc(slices.Clone(claims), func(c claim) bool {
				return c.worker != by && (c.unread || !slices.Contains(h.absent, c.worker.Config.Name))
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
			o.say(slog.LevelWarn, "a host is kept for the site that had it and is gone", p, claimants(claims), "had", h.by.Name, "until", h.until.Round(time.Second),
				"hint", "nothing if it comes back; to give the host to another site now, set hosts of that")
			return o.contested(claims, nil)
		}
		delete(o.of, p)
		o.change()
		if len(claims) > 0 {
			o.say(slog.LevelWarn, "the site that had a host has left it, another one has it now", p, claimants(claims), "had", h.by.Name, "hint", "see that it is the right one")
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

// keeps reports whether a site that does not stand at its place keeps it for the moment.
func (o *ownership) keeps(h *holding, by *worker) bool {
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

// candidates are the claims to choose from where nothing is remembered: of sites that were read,
// and for a while of those whose wp-config.php tells as much. What folders are called counts where
// there is nothing else.
func (o *ownership) candidates(claims []claim) []claim {
	read, sure, weak := []claim{}, []claim{}, []claim{}
	for _, c := range claims {
		switch end := c.worker.Began.Add(c.worker.Config.Confirm); {
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
func (o *ownership) award(p hostPath, claims, candidates []claim) (route.Mount, bool) {
	if len(candidates) == 0 {
		return route.Mount{}, false
	}
	if o.of[p] == nil && !candidates[0].unread && len(o.untried) > 0 {
		return o.contested(claims, o.untried)
	}
	i := first(p.host, candidates)
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
	o.clash(p, claims, winner.worker)
	if !winner.unread {
		o.take(p, winner, o.unread)
	}
	return winner.Mount, true
}

// first returns which of some claims is that of the site that was there first, -1 where that
// cannot be told.
func first(host string, candidates []claim) int {
	if len(candidates) == 1 {
		return 0
	}
	var configured []int // those of [[site]]
	installs := make([]*signs, 0, len(candidates))
	for i, c := range candidates {
		if !c.worker.Config.Discovered() {
			configured = append(configured, i)
		}
		installs = append(installs, c.worker.signs.Load())
	}
	switch len(configured) {
	case 0:
		return oldest(host, installs)
	case 1:
		return configured[0]
	}
	of := make([]*signs, len(configured))
	for i, c := range configured {
		of[i] = installs[c]
	}
	if i := oldest(host, of); i >= 0 {
		return configured[i]
	}
	return configured[0] // the order in which the operator wrote them
}

// take notes that a place belongs to a site.
func (o *ownership) take(p hostPath, c claim, absent map[string]bool) {
	by := ownerOf(&c.worker.Config)
	if h := o.of[p]; h != nil && h.by == by && h.absent == nil {
		h.until = time.Time{}
		return
	}
	o.of[p] = &holding{by: by, since: time.Now(), absent: slices.Sorted(maps.Keys(absent))}
	o.change()
}

func (o *ownership) change() {
	o.dirty = true
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

// contested is the stand of a place of which it is not known whose it is.
func (o *ownership) contested(claims []claim, await []*site.Site) (route.Mount, bool) {
	if len(claims) == 0 {
		return route.Mount{}, false
	}
	c := &route.Contest{Await: await}
	for _, claim := range claims {
		c.Sites = append(c.Sites, claim.worker.Site)
	}
	return route.Mount{Path: claims[0].Path, Contest: c}, true
}

func claimants(claims []claim) []string {
	var list []string
	for _, c := range claims {
		list = append(list, c.worker.Config.Name)
	}
	return list
}

// clash notes that several sites claim a place, which has an owner or none yet. Claims of sites
// that were not read are no more than guesses.
func (o *ownership) clash(p hostPath, claims []claim, by *worker) {
	c := clash{place: p}
	for _, claim := range claims {
		switch {
		case claim.worker == by:
			c.owner = by.Config.Name
		case !claim.unread || by == nil:
			c.others = append(c.others, claim.worker.Config.Name)
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
		o.say(slog.LevelError, "several sites claim one address and nothing tells whose it is: its sitemaps are answered with 503", p, c.others, "hint", clashHint)
		return
	}
	for _, other := range c.others {
		o.sayFirst(p, c.owner, other)
	}
}

const clashHint = "set hosts or home of one of them"

// sayFirst tells that the first of two keeps a place.
func (o *ownership) sayFirst(p hostPath, first, second string) {
	o.say(slog.LevelError, "two sites claim one address, the first keeps it", p, nil, "first", first, "second", second, "hint", clashHint)
}

// say has a line logged for all places of which the same is to be told, once as long as it holds.
func (o *ownership) say(level slog.Level, message string, p hostPath, sites []string, attrs ...any) {
	if sites != nil {
		attrs = append([]any{"sites", strings.Join(sites, " ")}, attrs...)
	}
	key := message + fmt.Sprint(attrs...)
	if i := slices.IndexFunc(o.lines, func(l *hostLine) bool { return l.key == key }); i >= 0 {
		o.lines[i].places++
		return
	}
	o.lines = append(o.lines, &hostLine{level, message, key, append([]any{"host", p.host, "path", "/" + p.path}, attrs...), 1})
}

// end ends a turn: what belongs to sites that are gone, and nobody claims, is forgotten in time.
func (o *ownership) end(claimed map[hostPath][]claim) {
	for p, h := range o.of {
		if len(claimed[p]) == 0 && !o.keeps(h, o.worker(h.by)) {
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

// hostsNote is what is kept for a site: whose the places are that it has or claims.
type hostsNote struct{ Holdings []heldPlaces }

type heldPlaces struct {
	By     owner
	Since  time.Time
	Absent []string `json:",omitempty"`
	Places []store.Place
}

const hostsName = "hosts"

// keptNote is a note with its text.
type keptNote struct {
	hostsNote
	text string
}

// notes are what is to be kept for each site.
func (o *ownership) notes() map[string]hostsNote {
	type key struct {
		site, by string
		since    time.Time
		absent   string
	}
	groups := map[key]*heldPlaces{}
	for p, h := range o.of {
		sites := o.rivals[p]
		if w := o.worker(h.by); w != nil && !slices.Contains(sites, w.Config.Name) {
			sites = append(slices.Clone(sites), w.Config.Name)
		}
		for _, site := range sites {
			k := key{site, h.by.Name, h.since, strings.Join(h.absent, " ")}
			if groups[k] == nil {
				groups[k] = &heldPlaces{By: h.by, Since: h.since, Absent: h.absent}
			}
			groups[k].Places = append(groups[k].Places, store.Place{Host: p.host, Path: p.path})
		}
	}
	notes := map[string]hostsNote{}
	for k, g := range groups {
		slices.SortFunc(g.Places, func(a, b store.Place) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Path, b.Path)) })
		n := notes[k.site]
		n.Holdings = append(n.Holdings, *g)
		notes[k.site] = n
	}
	for _, n := range notes {
		slices.SortFunc(n.Holdings, func(a, b heldPlaces) int {
			return cmp.Or(cmp.Compare(a.By.Name, b.By.Name), a.Since.Compare(b.Since), slices.Compare(a.Absent, b.Absent))
		})
	}
	return notes
}

// recall takes in what was kept for a site. Of two notes on a place the later one holds.
func (o *ownership) recall(n hostsNote) {
	for _, held := range n.Holdings {
		for _, p := range held.Places {
			at := hostPathOf(p.Host, p.Path)
			if before := o.of[at]; before == nil || before.since.Before(held.Since) {
				o.of[at] = &holding{by: held.By, since: held.Since, absent: slices.Clone(held.Absent)}
			}
		}
	}
}

// recallOwners begins with what was remembered of whose the places of some sites are. What an
// earlier version has kept of a site tells as much, where it is the only one.
func (s *Server) recallOwners(workers []*worker) {
	if s.store == nil {
		return
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	var unnoted []*worker
	for _, w := range workers {
		var n hostsNote
		if _, ok := s.store.Note(store.Note{Site: w.Config.Name, Name: hostsName}, &n); ok {
			s.owners.recall(n)
		} else if w.Snapshot().Restored {
			unnoted = append(unnoted, w)
		}
	}
	several := map[hostPath]bool{}
	for _, w := range unnoted {
		for _, st := range route.MountsOf(w.Site) {
			for _, host := range st.Hosts {
				p := hostPathOf(host, st.Path)
				if h := s.owners.of[p]; h == nil {
					s.owners.of[p] = &holding{by: ownerOf(&w.Config)}
				} else if h.since.IsZero() && h.by.Name != w.Config.Name {
					several[p] = true
				}
			}
		}
	}
	for p := range several {
		delete(s.owners.of, p)
	}
}

// keepOwners writes down whose the places are, and gives them away when their time has come, until
// ctx ends.
func (s *Server) keepOwners(ctx context.Context) {
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	told := false
	for {
		select {
		case <-ctx.Done():
			s.saveOwners()
			return
		case <-beat.C:
		case <-s.owners.changed:
		}
		s.publishing.Lock()
		due := s.owners.due
		if !told && len(s.owners.untried) == 0 {
			s.owners.tellUnread()
			told = true
		}
		s.publishing.Unlock()
		if !due.IsZero() && time.Now().After(due) {
			s.publish()
		}
		s.saveOwners()
	}
}

// tellUnread tells of which sites the hosts are not known after the start.
func (o *ownership) tellUnread() {
	var guessed, unknown []string
	for _, w := range o.workers {
		if !o.unread[w.Config.Name] || len(o.workers) == 1 {
			continue
		}
		if p, from, _ := w.guess(); p.host != "" {
			guessed = append(guessed, fmt.Sprintf("%s: %s by %s", w.Config.Name, p.host, from))
		} else {
			unknown = append(unknown, w.Config.Name)
		}
	}
	const do = "see to their databases; to be independent of them set hosts or home of these sites, or state"
	if len(guessed) > 0 {
		o.log.Warn("hosts are guessed until the databases are read: their sitemaps are answered with 503, the rest goes to the upstream", "sites", strings.Join(guessed, ", "), "hint", do)
	}
	if len(unknown) > 0 {
		o.log.Warn("nothing tells the hosts of sites until their databases are read: what is no sitemap goes to the upstream that they share, else nowhere",
			"sites", strings.Join(unknown, " "), "hint", do)
	}
}

// saveOwners writes the notes that have changed and that this process writes.
func (s *Server) saveOwners() {
	if s.store == nil {
		return
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	o := s.owners
	if o.dirty {
		o.dirty, o.kept = false, map[string]keptNote{}
		for site, n := range o.notes() {
			text, err := json.Marshal(n)
			if err == nil { // of these types always
				o.kept[site] = keptNote{n, string(text)}
			}
		}
	}
	for site, n := range o.kept {
		if o.wrote[site] != n.text && s.store.Writes(site) && s.store.SaveNote(store.Note{Site: site, Name: hostsName}, n.hostsNote, nil) {
			o.wrote[site] = n.text
		}
	}
}

// clashed sums up the addresses of a site that others claim, too, see ownership.summary.
func (s *Server) clashed(site string) (text string, places int, displaced bool) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	return s.owners.summary(site)
}

// summary tells of the addresses of a site that others claim, too, and whether it is not served at one
// of them.
func (o *ownership) summary(site string) (text string, places int, displaced bool) {
	all := o.clashes[site]
	if len(all) == 0 {
		return "", 0, false
	}
	c := all[0]
	if i := slices.IndexFunc(all, func(c clash) bool { return c.owner != site }); i >= 0 {
		c, displaced = all[i], true
	}
	var others []string
	for _, other := range append([]string{c.owner}, c.others...) {
		if other != site && other != "" {
			others = append(others, other)
		}
	}
	text = fmt.Sprintf("%s/%s is claimed by site %s, too", c.place.host, c.place.path, strings.Join(others, " and site "))
	switch c.owner {
	case "":
		text += ", and nothing tells whose it is: its sitemaps are answered with 503"
	case site:
		text += ", and stays with this one"
	default:
		text += ", and belongs to " + c.owner + ": this site is not served there"
	}
	if len(all) > 1 {
		text += fmt.Sprintf("; so are %d more addresses", len(all)-1)
	}
	return text + "; " + clashHint, len(all), displaced
}

// ReadBlog is a blog as its database has it.
type ReadBlog struct {
	Home  string
	Hosts []string
}

// Clashes tells of every site that shares an address with another one what a daemon would make of
// it, by what was read of their blogs. It looks into the folder state and changes nothing there.
func Clashes(ctx context.Context, c *config.Config, read map[string][]ReadBlog) map[string]string {
	s := &Server{config: c, log: slog.New(slog.DiscardHandler)}
	s.owners = newOwnership(s.log)
	for i, install := range c.Sites {
		w := &worker{Site: site.New(install, s.log), server: s}
		w.Rank = uint64(i)
		now := &site.Snapshot{Opened: read[install.Name] != nil}
		for _, b := range read[install.Name] {
			now.Blogs = append(now.Blogs, site.Unread(site.Settings{Home: b.Home, Hosts: b.Hosts}, nil))
		}
		w.Publish(now)
		w.signs.Store(readSigns(ctx, &install))
		s.workers = append(s.workers, w)
	}
	if _, err := os.Stat(c.State); c.State != "" && err == nil {
		kept, err := stores.Open(c.State, store.Options{Log: s.log})
		if err == nil && kept.Open() == nil {
			s.store = kept
			s.recallOwners(s.workers)
		}
	}
	s.publish()
	clashes := map[string]string{}
	for _, site := range c.Sites {
		if text, n, _ := s.owners.summary(site.Name); n > 0 {
			clashes[site.Name] = text
		}
	}
	return clashes
}
