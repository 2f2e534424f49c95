package server

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/announce"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
)

// What the admin listener tells: the state of all sites in the terms of packages admin and
// metrics. Nothing here waits for a database or changes anything.

// described is a catalog that knows its types. Those that stand in for one that cannot be read
// do not.
type described interface {
	Site() *wp.Site
	Types() []catalog.Count
	Skipped() map[seo.Verdict]int
	Unsettled() []registry.Unknown
}

// summary describes a site.
func (w *install) summary(before admin.Point) admin.Summary {
	state := w.Snapshot()
	s := admin.Summary{
		Name:     w.Config.Name,
		Home:     string(w.Config.Home),
		Blogs:    len(state.Blogs),
		Ready:    state.Ready(),
		Restored: state.FromStateOnly(),
		Since:    state.Since,
		Failures: state.Failures,
		Read:     w.refresher.TrueAt(state),
		Warnings: w.Counted.Warnings.Load(),
		Upstream: w.Counted.UpstreamErrors.Load(),
	}
	if state.Err != nil {
		s.Error = state.Err.Error()
	}
	s.Alarm, s.Alarmed, s.Alarms = w.refresher.Alarmed()
	s.Clash, _, s.Displaced = w.server.owners.Summary(w.Config.Name)
	s.URLs, s.Files = state.Size()
	if !before.At.IsZero() {
		s.Before, s.From = &before.URLs, before.At
	}
	if len(state.Blogs) > 0 {
		s.Home = state.Blogs[0].Home
	}
	s.Badges = w.badges(state, s.Clash != "")
	for _, b := range state.Blogs {
		s.Active = s.Active || b.Catalog == nil || b.Active()
		i := slices.IndexFunc(b.Readings, func(r site.Reading) bool { return r.Kind == site.AuditReading })
		if i < 0 {
			continue
		}
		r := describeReading(b.Readings[i])
		if s.Audit != nil { // of a network: all of its blogs together
			r.Took, r.Queries = r.Took+s.Audit.Took, r.Queries+s.Audit.Queries
			if s.Audit.At.After(r.At) {
				r.At = s.Audit.At
			}
		}
		s.Audit = &r
	}
	for _, e := range w.Crawls.Engines() {
		s.Fetches += e.Fetches()
		if last := e.Last(); e.Engine != crawler.Other && last.After(s.Crawled) {
			s.Crawled, s.Crawler = last, e.Engine.Title()
		}
	}
	return s
}

// badges are what a person should know of a site beside how well it is.
func (w *install) badges(state *site.Snapshot, clash bool) []string {
	all := []string{}
	add := func(badge string) {
		if !slices.Contains(all, badge) {
			all = append(all, badge)
		}
	}
	if clash {
		add("clash")
	}
	for _, b := range state.Blogs {
		core, _ := b.Catalog.(interface{ FromPlugin() bool })
		switch o := &b.Outline; {
		case b.Catalog == nil:
		case o.Rival != "":
			add("another plugin: " + o.Rival)
		case !o.Active:
			add("off")
		case o.Private:
			add("private")
		case core != nil && !core.FromPlugin():
			add("core")
		}
	}
	return all
}

func describeReading(r site.Reading) admin.Reading {
	return admin.Reading{
		At:      r.At,
		Kind:    string(r.Kind),
		Reason:  r.Reason,
		Took:    r.Took,
		Queries: r.Queries,
		Touched: r.Touched,
		Before:  r.Before,
		After:   r.After,
		Error:   r.Err,
	}
}

// fleet describes everything.
func (s *Server) fleet() *admin.Fleet {
	version, _ := metrics.Version()
	reload := s.LastReload()
	copies := s.pages.Stats()["sitemaps"]
	f := &admin.Fleet{
		Now: s.now(), Started: s.begun, Version: version,
		Reload: admin.Reload{At: reload.At, Error: reload.Error, Good: reload.Good},
		Copies: admin.Copies{Count: copies.Count, Bytes: copies.Bytes, Limit: copies.Limit},
		Sites:  []admin.Summary{},
	}
	if s.store != nil {
		st := s.store.Stats()
		f.State = &admin.State{
			Files:   st.Files,
			Queued:  st.Queued,
			Bytes:   st.Bytes,
			Limit:   st.Limit,
			Damaged: st.Damaged,
			Shared:  st.Shared,
			Redis:   st.Redis,
			Leads:   st.Leads,
			Error:   st.Error,
		}
	}
	first := s.history.First()
	for _, w := range s.running() {
		f.Sites = append(f.Sites, w.summary(first[w.Config.Name]))
	}
	return f
}

// page describes one site, with one of its blogs: the first where id is 0 or none's.
func (w *install) page(id int64) *admin.Site {
	s := w.server
	points := s.history.Of(w.Config.Name)
	var first admin.Point
	if len(points) > 0 {
		first = points[0]
	}
	p := &admin.Site{
		Summary: w.summary(first), Now: s.now(), Points: points, Verified: s.settings().VerifyCrawlers,
	}
	for _, set := range w.Config.Effective() {
		p.Settings = append(p.Settings, admin.Fact{Key: set.Key, Value: set.Value, Source: set.Source})
	}
	if p.Alarm != "" {
		p.Accept = "/sites/" + w.Config.Name + "/accept"
	}
	report := w.Crawls.Report()
	p.Visitors = report.Visitors
	for _, e := range report.Engines {
		p.Engines = append(p.Engines, admin.Engine{
			Title: e.Engine.Title(), Verified: e.Verified.Fetches, Unverified: e.Unverified.Fetches, Spoof: e.Spoofed.Fetches,
			NotModified: e.NotModified(), Failed: e.Verified.Failed + e.Unverified.Failed, Last: e.Last(), Verifiable: e.Engine.Verifiable(),
		})
	}
	for _, d := range report.Days {
		n := 0
		for _, fetches := range d.Fetches {
			n += fetches
		}
		p.Days = append(p.Days, admin.Day{Date: d.Date, Fetches: n})
	}
	for _, f := range report.Fetches {
		verdict := ""
		if f.Engine.Verifiable() {
			verdict = f.Verdict.String()
		}
		p.Recent = append(p.Recent, admin.Fetch{
			At: f.At, Engine: f.Engine.Title(), Verdict: verdict, Sitemap: fetchedName(f), Status: f.Status, Bytes: f.Bytes,
		})
	}
	p.IndexNow = w.announced()
	state := w.Snapshot()
	var shown *site.Blog
	for _, b := range state.Blogs {
		if shown == nil || b.ID == id && id != 0 {
			shown = b
		}
	}
	for _, b := range state.Blogs {
		link := admin.BlogLink{ID: b.ID, Home: b.Home, URLs: site.ListedURLs(b.Outline.Files), Current: b == shown}
		if b.Err != nil {
			link.Error = b.Err.Error()
		}
		p.Others = append(p.Others, link)
	}
	if shown != nil {
		p.Blog = w.describeBlog(shown, report.Sitemaps)
	}
	return p
}

// fetchedName is a sitemap as crawlers know it, as far as the log tells.
func fetchedName(f crawler.Fetch) string {
	name := f.Sitemap
	switch {
	case name == "":
		return "not read yet"
	case name == seo.IndexName:
		name = "index"
	case f.Page > 1:
		name += " " + strconv.Itoa(f.Page)
	}
	if f.Blog > 1 {
		name += fmt.Sprintf(" (blog %d)", f.Blog)
	}
	return name
}

// announced sums up what the blogs of a site have announced, nil where IndexNow is off.
func (w *install) announced() *admin.IndexNow {
	if w.Config.IndexNow.Key == "" {
		return nil
	}
	n := &admin.IndexNow{}
	sums := map[string]int64{}
	for _, a := range w.announcer.Fares(w.Site) {
		n.Waiting += a.Waiting
		if a.Last.After(n.Last) {
			n.Last, n.Word = a.Last, a.Reason
		}
		count(sums, a)
	}
	for _, result := range announceResults {
		n.Results = append(n.Results, admin.Count{What: result, N: int(sums[result])})
	}
	return n
}

// announceResults are what may come of an address that is to be announced.
var announceResults = []string{"sent", "refused", "dropped"}

func count(sums map[string]int64, a announce.Fares) {
	sums["sent"] += a.Sent
	sums["refused"] += a.Refused
	sums["dropped"] += a.Dropped + a.Foreign
}

func (w *install) describeBlog(b *site.Blog, fetched []crawler.Fetch) *admin.Blog {
	d := &admin.Blog{ID: b.ID, Home: b.Home, Read: b.Built, Warnings: b.Warnings, Held: b.HeldBy}
	if b.Err != nil {
		d.Error = b.Err.Error()
	}
	switch {
	case b.Catalog == nil:
		d.What = "Nothing could be read yet."
	case !b.Outline.Active:
		d.What = "No sitemaps are made here, every address is left to the upstream: " + b.Outline.Why + "."
	case b.Outline.Private:
		d.What = "The sitemaps of " + b.Outline.Plugin + ", as " + b.Outline.Why + ". The site asks search engines to stay away (blog_public is 0)."
	default:
		d.What = "The sitemaps of " + b.Outline.Plugin + ", compat level " + w.Config.Compat + ", as " + b.Outline.Why + "."
	}
	for i, r := range b.Readings {
		d.Readings = append(d.Readings, describeReading(r))
		if i == len(b.Readings)-1 && r.Before == 0 {
			d.Readings[i].Reason = "first reading"
		}
	}
	type page struct {
		name string
		page int
	}
	copies := map[page]*pages.Page{}
	w.server.pages.InMemory(w.Site, func(key pages.Key, c *pages.Page) {
		if key.Blog == b.Key() {
			copies[page{key.Name, key.Page}] = c
		}
	})
	crawled := map[page]crawler.Fetch{}
	for _, f := range fetched {
		at := page{f.Sitemap, max(1, f.Page)}
		if f.Blog == b.ID && f.Engine != crawler.Other && f.At.After(crawled[at].At) {
			crawled[at] = f
		}
	}
	for _, f := range slices.Concat(b.Outline.Files, b.Outline.Others) {
		file := admin.File{Name: cmp.Or(f.Filename, f.Name), URL: f.URL, Entries: f.Entries, LastMod: f.LastMod}
		if c := copies[page{f.Name, f.Page}]; c != nil {
			file.Bytes, file.Packed, file.Made = c.Length(), c.Packed(), c.Built()
		}
		if c := crawled[page{f.Name, f.Page}]; !c.At.IsZero() {
			file.Crawled, file.Crawler = c.At, c.Engine.Title()
		}
		d.Files = append(d.Files, file)
	}
	if c, ok := b.Catalog.(described); ok {
		describeTypes(d, c)
	}
	return d
}

func describeTypes(d *admin.Blog, c described) {
	listed := map[string]int{}
	for _, n := range c.Types() {
		listed[n.Name] = n.URLs
	}
	reg := c.Site().Registry()
	add := func(kind, name string, public bool, t admin.Type) {
		t.Kind, t.Name, t.Public = kind, name, public
		t.URLs, t.Listed = listed[name], listed[name] > 0
		d.Types = append(d.Types, t)
	}
	for _, t := range reg.PostTypes {
		var facts []admin.Fact
		for _, f := range t.Facts() {
			facts = append(facts, admin.Fact{Key: f.Key, Value: f.Words, Source: string(f.Source)})
		}
		add("post type", t.Name, t.Public, admin.Type{Facts: facts})
	}
	for _, t := range reg.Taxonomies {
		var facts []admin.Fact
		for _, f := range t.Facts() {
			facts = append(facts, admin.Fact{Key: f.Key, Value: f.Words, Source: string(f.Source)})
		}
		add("taxonomy", t.Name, t.Public, admin.Type{Facts: facts})
	}
	slices.SortStableFunc(d.Types, func(a, b admin.Type) int { return cmp.Compare(b.URLs, a.URLs) })
	for _, u := range c.Unsettled() {
		d.Unknown = append(d.Unknown, admin.Unknown{Kind: u.Kind, Name: u.Name, Rows: u.Rows, Why: u.Why})
	}
	skipped := c.Skipped()
	for _, rule := range slices.Sorted(maps.Keys(skipped)) {
		if n := skipped[rule]; n > 0 {
			d.LeftOut = append(d.LeftOut, admin.Count{What: rule.String(), N: n})
		}
	}
}

// snapshot is what Prometheus is told.
func (s *Server) snapshot() metrics.Snapshot {
	reload := s.LastReload()
	snap := metrics.Snapshot{
		Process: &s.counted, Copies: s.pages.Stats(),
		Reload: metrics.Reload{OK: reload.Error == "", Good: reload.Good}, Lost: s.crawlers.Lost(),
	}
	snap.Connections.Open, snap.Connections.Waiting = s.limiter.Connections()
	if s.store != nil {
		st := s.store.Stats()
		snap.State = &st
	}
	now := s.now()
	for _, w := range s.running() {
		state := w.Snapshot()
		install := metrics.SiteSnapshot{
			Shared:  s.shared != nil,
			Name:    w.Config.Name,
			Counted: w.Counted,
			Ready:   state.Ready(),
			Up:      state.Opened && state.Err == nil,
			Blogs:   len(state.Blogs),
			Age:     -1,
			Engines: w.Crawls.Engines(),
		}
		why, _, _ := w.refresher.Alarmed()
		install.Alarmed = why != ""
		_, install.Clashes, _ = s.owners.Summary(w.Config.Name)
		install.URLs, _ = state.Size()
		if at := w.refresher.TrueAt(state); !at.IsZero() {
			install.Age = max(0, now.Sub(at))
		}
		for _, b := range state.Blogs {
			if i := slices.IndexFunc(b.Readings, func(r site.Reading) bool { return r.Kind == site.AuditReading }); i >= 0 {
				install.Took += b.Readings[i].Took
			}
		}
		install.InUse, install.Idle = w.refresher.Connections()
		if w.Config.IndexNow.Key != "" {
			install.IndexNow = map[string]int64{"sent": 0, "refused": 0, "dropped": 0}
			for _, a := range w.announcer.Fares(w.Site) {
				count(install.IndexNow, a)
				install.Waiting += a.Waiting
			}
		}
		snap.Sites = append(snap.Sites, install)
	}
	return snap
}

// historyName is the note of a site's last day in the folder state.
const (
	historyName = "history"
	historySave = 6 // points from one writing of it to the next
)

func historyNote(site string) store.Note { return store.Note{Site: site, Name: historyName} }

// keepHistory adds to the history of all sites until ctx ends, and keeps it in the folder state.
func (s *Server) keepHistory(ctx context.Context) {
	for _, w := range s.running() {
		s.recall(w)
	}
	beat := time.NewTicker(admin.Every)
	defer beat.Stop()
	// The first point as soon as there is something to count.
	for _, w := range s.running() {
		select {
		case <-w.FirstAttempt():
		case <-w.retired.Done():
		case <-beat.C:
		case <-ctx.Done():
			return
		}
	}
	for n := 1; ; n++ {
		s.point()
		if n%historySave == 0 {
			s.saveHistory()
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			s.saveHistory()
			return
		}
	}
}

func (s *Server) saveHistory() {
	if s.store == nil {
		return
	}
	for _, w := range s.running() {
		s.store.SaveNote(historyNote(w.Config.Name), s.history.Of(w.Config.Name), nil)
	}
}

// recall begins the history of a site with what was kept of it.
func (s *Server) recall(w *install) {
	var points []admin.Point
	if s.store == nil {
		return
	}
	if _, ok := s.store.Note(historyNote(w.Config.Name), &points); ok {
		s.history.Begin(w.Config.Name, points)
	}
}

// point adds one of every site that was read.
func (s *Server) point() {
	now := s.now()
	points := map[string]admin.Point{}
	for _, w := range s.running() {
		state := w.Snapshot()
		p := admin.Point{At: now, Build: w.Slowest()}
		p.URLs, _ = state.Size()
		p.Fetches, p.NotModified = w.Counted.Since()
		if !state.Opened && !state.Restored {
			p = admin.Point{} // nothing to tell
		}
		points[w.Config.Name] = p
	}
	s.history.Add(points)
}
