package admin

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
)

// This file puts together what the pages show, from snapshots. No function here waits for a database or changes anything.

// fleet returns the state of all sites.
func (v *View) fleet() *Fleet {
	f := &Fleet{
		Now: v.Now(), Started: v.Started, Version: metrics.CurrentBuild().Version, Reload: v.Reloaded(),
		Copies: v.Pages.Stats(), State: v.storeStats(), Sites: []Summary{},
	}
	for _, i := range v.Installs() {
		f.Sites = append(f.Sites, v.summary(i))
	}
	return f
}

// summary returns the row about a site.
func (v *View) summary(i Install) Summary {
	now := i.Snapshot()
	s := Summary{
		Name:     i.Config.Name,
		Home:     string(i.Config.Home),
		Blogs:    len(now.Blogs),
		Ready:    now.Ready(),
		Restored: now.FromStateOnly(),
		Since:    now.Since,
		Failures: now.Failures,
		Read:     i.Refresher.TrueAt(now),
		Warnings: i.Counted.Warnings.Load(),
		Upstream: i.Counted.UpstreamErrors.Load(),
	}
	if now.Err != nil {
		s.Error = now.Err.Error()
	}
	s.Alarm, s.Alarmed, s.Alarms = i.Refresher.Alarmed()
	s.Conflict, s.conflicts, s.Displaced = v.Owners.Summary(i.Config.Name)
	s.URLs, s.parts, s.Files = i.Size()
	// The history does not count later parts of posts, because their number grows while pages are rendered.
	if before := i.Counted.History.First(); !before.At.IsZero() {
		before.URLs += s.parts
		s.Before, s.From = &before.URLs, before.At
	}
	if len(now.Blogs) > 0 {
		s.Home = now.Blogs[0].Home
	}
	s.Public = v.lastPublic(i.Config.Name)
	s.Badges = badges(now, s.Conflict != "")
	for _, b := range now.Blogs {
		s.Active = s.Active || !b.Known() || b.Active()
	}
	s.FullScan = lastFullScan(now.Blogs)
	engines := i.Crawls.Engines()
	for _, e := range engines {
		s.Fetches += e.Own().Fetches
	}
	s.Crawled, s.Crawler = lastCrawl(engines)
	return s
}

// lastFullScan returns the last full scan of a site: the durations and queries of all blogs together, and the latest time. It
// returns nil if there was none.
func lastFullScan(blogs []*site.Blog) *site.Reading {
	var last *site.Reading
	for _, b := range blogs {
		r, ok := b.LastFullScan()
		if !ok {
			continue
		}
		if last != nil {
			r.Took, r.Queries = r.Took+last.Took, r.Queries+last.Queries
			if last.At.After(r.At) {
				r.At = last.At
			}
		}
		last = &r
	}
	return last
}

// lastCrawl returns the last fetch by a verified search engine and its name. If there is none, it returns the last fetch by an
// unverified one. The time is zero if no search engine has fetched anything.
func lastCrawl(engines []crawler.EngineReport) (at time.Time, by string) {
	var verified time.Time
	for _, e := range engines {
		switch last := e.Verified.Last; {
		case e.Engine == crawler.Other: // not a search engine
		case last.After(verified):
			at, by, verified = last, e.Engine.Title(), last
		case verified.IsZero() && e.Own().Last.After(at):
			at, by = e.Own().Last, e.Engine.Unverified()
		}
	}
	return at, by
}

// badges returns what a person should know about a site beside its level.
func badges(now *site.Snapshot, conflict bool) []string {
	all := []string{}
	add := func(badge string) {
		if !slices.Contains(all, badge) {
			all = append(all, badge)
		}
	}
	if conflict {
		add("conflict")
	}
	for _, b := range now.Blogs {
		switch o := &b.Outline; {
		case !b.Known():
		case o.Rival != "":
			add("another plugin: " + o.Rival)
		case !o.Active:
			add("off")
		case o.Private:
			add("private")
		case b.Catalog != nil && !b.Catalog.FromPlugin():
			add("core")
		}
	}
	return all
}

// site returns the content of the page about a site. The page shows the blog with this id, or the first blog if no blog has
// it. id is 0 if the request names no blog.
func (v *View) site(i Install, id int64) *sitePage {
	s := &sitePage{
		Summary: v.summary(i), Now: v.Now(), Points: i.Counted.History.Points(), Verified: v.Config().VerifyCrawlers, Settings: i.Config.Effective(),
		Crawls: i.Crawls.Report(), Others: i.Snapshot().Blogs, Listed: i.ListedURLs,
		Poll: i.Refresher.Poll(), IndexNow: i.announcements(),
	}
	for n := range s.Points { // Points has returned a copy
		s.Points[n].URLs += s.parts
	}
	var shown *site.Blog
	for _, b := range s.Others {
		if shown == nil || b.ID == id && id != 0 {
			shown = b
		}
	}
	if shown != nil {
		s.Blog = v.blog(i, shown, s.Crawls.Fetches)
		s.Report = v.lastSurvey(i, shown)
	}
	return s
}

// blog describes one blog of a site. fetched are the latest fetches of the site's sitemaps by crawlers.
func (v *View) blog(i Install, b *site.Blog, fetched []crawler.Fetch) *blog {
	d := &blog{Blog: b, Readings: slices.Clone(b.Readings)}
	if n := len(d.Readings); n > 0 && d.Readings[n-1].Before == 0 {
		d.Readings[n-1].Reason = "first full scan"
	}
	switch {
	case !b.Known():
		d.What = "The blog could not be read yet."
	case !b.Outline.Active:
		d.What = "wpsitemapd makes no sitemaps for this blog: " + b.Outline.Why + "."
	case b.Outline.Private:
		d.What = "The sitemaps follow the rules of " + b.Outline.Plugin + ": " + b.Outline.Why +
			". They are empty, because the site asks search engines to stay away (blog_public is 0), or because its environment is not production."
	default:
		d.What = "The sitemaps follow the rules of " + b.Outline.Plugin + " at compat level " + i.Config.Compat + ": " + b.Outline.Why + "."
	}
	if installed := b.Outline.Installed; len(installed) > 0 {
		d.What += " Installed: " + sitemap.VersionText(installed) + "."
	}
	cached := map[filePage]*pages.Page{}
	v.Pages.InMemory(i.Site, func(key store.Key, c *pages.Page) {
		if key.Blog == b.Key() {
			cached[filePage{key.Name, key.Page}] = c
		}
	})
	crawled := lastFetches(b, fetched)
	for _, f := range slices.Concat(b.Outline.Files, b.Outline.Others) {
		f.Entries = i.URLs(b, &f)
		file := file{File: f, Fetch: crawled[filePage{f.Name, f.Page}]}
		if c := cached[filePage{f.Name, f.Page}]; c != nil {
			file.Bytes, file.Packed, file.Made = c.Length(), c.Packed(), c.Built()
		}
		d.Files = append(d.Files, file)
	}
	if b.Catalog != nil {
		d.types(b.Catalog)
	}
	return d
}

// filePage names a sitemap file of a blog.
type filePage struct {
	name string
	page int
}

// lastFetches returns the last successful fetch of each file of a blog by a verified search engine. For a file that none has
// fetched, it returns the last fetch by a client that claims to be a search engine and is not known to lie.
func lastFetches(b *site.Blog, fetched []crawler.Fetch) map[filePage]crawler.Fetch {
	last := map[filePage]crawler.Fetch{}
	for _, f := range fetched {
		at := filePage{f.Sitemap, max(1, f.Page)}
		if f.Blog == b.ID && f.Engine != crawler.Other && f.Verdict != crawler.Spoofed && f.Status < 400 {
			before := last[at]
			if f.Verdict == before.Verdict && f.At.After(before.At) || f.Verdict == crawler.Verified && before.Verdict != crawler.Verified {
				last[at] = f
			}
		}
	}
	return last
}

// types adds the types that the catalog knows, and how many objects each rule leaves out.
func (d *blog) types(c *sitemap.Catalog) {
	listed := map[string]int{}
	for _, n := range c.Types() {
		listed[n.Name] = n.URLs
	}
	for _, t := range c.Rules.Blog.Registry().Types() {
		d.Types = append(d.Types, Type{t.Kind(), t.Name, listed[t.Name], t.Public, t.Facts()})
	}
	slices.SortStableFunc(d.Types, func(a, b Type) int { return cmp.Compare(b.URLs, a.URLs) })
	d.Unknown = c.Unsettled()
	d.LeftOut = map[string]int{}
	for rule, n := range c.LeftOut {
		if n > 0 {
			d.LeftOut[rule.String()] += n
		}
	}
}

// engineOf returns the name of the search engine that made a fetch. The name begins with "unverified" if the client may have
// lied about its name.
func engineOf(f crawler.Fetch) string {
	if f.Verdict == crawler.Verified {
		return f.Engine.Title()
	}
	return f.Engine.Unverified()
}

// fetchedName returns the name of the sitemap that a crawler fetched, or "not read yet" if the log does not have the name.
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

// announcements returns the state of the site's announcements, or nil if the site announces nothing.
func (i *Install) announcements() *metrics.Announcements {
	if i.Config.IndexNow.Key == "" {
		return nil
	}
	state := i.Announcer.State()
	return &state
}

// storeStats returns the numbers of the store, or nil if pages are cached in memory only.
func (v *View) storeStats() *store.Stats {
	kept := v.Store()
	if kept == nil {
		return nil
	}
	stats := kept.Stats()
	return &stats
}

// metrics returns the numbers for Prometheus.
func (v *View) metrics() metrics.Snapshot {
	reload := v.Reloaded()
	all := metrics.Snapshot{
		Process: v.Process, Copies: map[string]metrics.Copies{"sitemaps": v.Pages.Stats()}, State: v.storeStats(),
		Reload: metrics.Reload{OK: reload.Error == "", Good: reload.Good},
	}
	_, all.Waiting = v.Limiter.Connections()
	at := v.Now()
	for _, i := range v.Installs() {
		now, of := i.Snapshot(), v.summary(i)
		s := metrics.SiteSnapshot{
			Name: of.Name, Counted: i.Counted, Ready: of.Ready, Up: now.Opened && now.Err == nil, Alarmed: of.Alarm != "", Conflicts: of.conflicts,
			URLs: of.URLs, Blogs: of.Blogs, Age: -1, Engines: i.Crawls.Engines(), IndexNow: i.announcements(),
		}
		if !of.Read.IsZero() {
			s.Age = max(0, at.Sub(of.Read))
		}
		if of.FullScan != nil {
			s.Took = of.FullScan.Took
		}
		for _, b := range now.Blogs {
			for _, is := range b.Outline.Installed {
				if is.Source = ""; !slices.Contains(s.Installed, is) {
					s.Installed = append(s.Installed, is)
				}
			}
		}
		s.InUse, s.Idle = i.Refresher.Connections()
		all.Sites = append(all.Sites, s)
	}
	return all
}
