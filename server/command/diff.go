package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/diff"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

func diffCommand() *command {
	d := &differ{rate: defaultRate}
	var config, site string
	var asJSON bool
	return &command{
		name:     "diff",
		synopsis: "--config FILE [--site NAME] [--live URL] [--compat both|spec|plugin] [--rate N] [--as-of TIME] [--json]",
		summary:  "compares our sitemaps with those the site serves now",
		about: `Fetches the sitemap index that a site serves now and every sitemap it names, and compares each entry with ours: address,
lastmod, images, news, video, translations, the page it is on, the dates of the index. The order within a sitemap does
not count. The site's upstream is asked where there is one, else its public address.

Differences are grouped by cause, the largest group first. Known ones are meant, such as differences between the levels
of compat and what the configuration excludes, or pass by themselves, such as a change made meanwhile. All others are
unexplained: look into them before the switch. A verdict for each level ends the report.

A sitemap that cannot be fetched or read in full is reported, and none of its addresses count as missing; there is no
verdict then. Sitemaps that seem to come from a cache are asked for once more, past it. One request is made after the
other, at most --rate a second, and Retry-After is respected.`,
		exits:   "unexplained differences, or something could not be read",
		example: "wpsitemapd diff --config /etc/wpsitemapd.toml --site example --compat spec",
		flags: []option{
			configOption(&config), siteOption(&site),
			{
				name: "live", value: "URL", env: "WPSITEMAPD_LIVE", initial: "sitemap_index.xml below the site's home, through its upstream",
				help: "Address of the sitemap index, or of a single sitemap, to compare with. The sitemaps it names are asked for at " +
					"the same place, with the host that they name. Where its host is not that of home, as with a copy of the site, " +
					"its addresses are compared as if they were home's.",
				set: func(v string) error {
					u, err := url.Parse(v)
					if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
						return errors.New("must be an address such as https://www.example.com/sitemap_index.xml")
					}
					d.live = u
					return nil
				},
			},
			{
				name: "compat", value: "LEVEL", env: "WPSITEMAPD_DIFF_COMPAT", initial: "both",
				help: "The level to compare at: spec, plugin or both, whatever the configuration says.",
				set: func(v string) error {
					if v != "both" && v != string(seo.SpecLevel) && v != string(seo.PluginLevel) {
						return errors.New("must be both, spec or plugin")
					}
					d.compat = v
					return nil
				},
			},
			rateOption(&d.rate), asOfOption(&d.now),
			switchOption("json", "WPSITEMAPD_JSON", "Print the report as one JSON object.", &asJSON),
		},
		run: func(ctx context.Context, p *program, _ []string) error {
			_, sites, err := loadSites(config, site)
			if err != nil {
				return err
			}
			if d.live != nil && len(sites) > 1 {
				return usagef("--live is the address of one site: give --site NAME too")
			}
			d.program = p
			r := &diffReport{OK: true, Sites: []*siteDiff{}}
			for i := range sites {
				s, err := d.site(ctx, &sites[i])
				if err != nil {
					return err
				}
				r.OK = r.OK && s.OK
				r.Sites = append(r.Sites, s)
			}
			if err := p.print(r, asJSON); err != nil || r.OK {
				return err
			}
			return errTrouble
		},
	}
}

// defaultRate is in requests a second.
const defaultRate = 2.0

func rateOption(rate *float64) option {
	return option{
		name: "rate", value: "N", env: "WPSITEMAPD_RATE", initial: "2",
		help: "Requests a second to the site, at most.",
		set: func(v string) error {
			n, err := strconv.ParseFloat(v, 64)
			if err != nil || !(n >= 0.01 && n <= 1000) { // NaN is no number either
				return errors.New("must be a number from 0.01 to 1000")
			}
			*rate = n
			return nil
		},
	}
}

// userAgent says who asks, and in whose name.
func userAgent(command string) string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && moduleVersion(info) != "" {
		version = strings.TrimPrefix(moduleVersion(info), "v")
	}
	return "wpsitemapd/" + version + " (" + command + ", run by the site's operator)"
}

// newCrawler returns one that asks for the addresses of a blog through the site's upstream,
// or at its public address.
func newCrawler(s *config.Site, blog *wp.Site, command string, rate float64) *diff.Crawler {
	c := &diff.Crawler{UserAgent: userAgent(command), Rate: rate, Route: diff.Public(hostsOf(blog))}
	if up := s.Upstream.URL(); up != nil {
		c.Route, c.Transport = diff.ThroughUpstream(up, hostsOf(blog)), new(proxy.Pool).Transport(s.UpstreamOptions())
	}
	return c
}

func hostsOf(blog *wp.Site) []string {
	return append(slices.Clone(blog.Hosts()), weburl.HostPort(weburl.Authority(blog.Home())))
}

// differ compares sites. It is one run of the command.
type differ struct {
	*program
	live   *url.URL // nil: each site's own index
	compat string   // "" and "both": both levels
	rate   float64
	now    func() time.Time
}

// diffReport is what diff found; its JSON form is for programs.
type diffReport struct {
	OK    bool        `json:"ok"` // nothing unexplained, and everything was read
	Sites []*siteDiff `json:"sites"`
}

type siteDiff struct {
	Name   string      `json:"name"`
	OK     bool        `json:"ok"`
	Errors []string    `json:"errors,omitempty"`
	Blogs  []*blogDiff `json:"blogs"`
}

type blogDiff struct {
	ID        int64        `json:"id"`
	Home      string       `json:"home"`
	Live      string       `json:"live,omitempty"` // address of their index
	OK        bool         `json:"ok"`
	Error     string       `json:"error,omitempty"`
	Notes     []string     `json:"notes,omitempty"`
	Generator string       `json:"generator,omitempty"` // of theirs
	Requests  int          `json:"requests"`
	Sitemaps  int          `json:"sitemaps"` // of theirs
	URLs      int          `json:"urls"`
	Failed    []failedFile `json:"failed,omitempty"`
	Levels    []*levelDiff `json:"levels"`
}

// failedFile is one of theirs that could not be read.
type failedFile struct {
	URL   string `json:"url"`
	Error string `json:"error"`
}

type levelDiff struct {
	Level       string      `json:"level"`
	URLs        int         `json:"urls"` // of ours
	NotCompared int         `json:"not_compared"`
	Unexplained int         `json:"unexplained"`
	Known       int         `json:"known"`
	Safe        bool        `json:"safe"` // to switch
	Verdict     string      `json:"verdict"`
	Groups      []diffGroup `json:"groups"`
}

// diffGroup is all differences of one kind with one cause.
type diffGroup struct {
	What     string         `json:"what"`
	Cause    string         `json:"cause"`
	Why      string         `json:"why"`
	Known    bool           `json:"known"`
	Count    int            `json:"count"`
	Sitemaps map[string]int `json:"sitemaps"`
	Examples []diffExample  `json:"examples"`
}

type diffExample struct {
	URL     string `json:"url"`
	Sitemap string `json:"sitemap"`
	Theirs  string `json:"theirs"`
	Ours    string `json:"ours"`
	Detail  string `json:"detail,omitempty"`
}

// These are how many examples of a group are shown.
const (
	maxExamples     = 100
	maxTextExamples = 5
)

// site compares the blogs of one site. An error is one of usage, or the end of ctx.
func (d *differ) site(ctx context.Context, s *config.Site) (*siteDiff, error) {
	r := &siteDiff{Name: s.Name, Blogs: []*blogDiff{}}
	n, err := wp.Open(ctx, site.SourceOf(s))
	if err != nil {
		r.Errors = []string{err.Error()}
		return r, ctx.Err()
	}
	defer n.Close()
	blogs, err := n.Sites(ctx)
	r.OK = err == nil
	if err != nil {
		r.Errors = strings.Split(err.Error(), "\n")
	}
	if d.live != nil && len(blogs) > 0 {
		if blogs, err = blogOf(blogs, d.live); err != nil {
			return nil, err
		}
	}
	for _, blog := range blogs {
		b := d.blog(ctx, s, blog)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.OK = r.OK && b.OK
		r.Blogs = append(r.Blogs, b)
	}
	return r, nil
}

// blogOf chooses the blog of an address: the only one, or that with the longest home before it.
func blogOf(blogs []*wp.Site, live *url.URL) ([]*wp.Site, error) {
	if len(blogs) == 1 {
		return blogs, nil
	}
	var best *wp.Site
	var homes []string
	for _, b := range blogs {
		homes = append(homes, b.Home())
		_, home, _ := strings.Cut(b.Home(), "://")
		if strings.HasPrefix(live.Host+live.Path, home+"/") && (best == nil || len(b.Home()) > len(best.Home())) {
			best = b
		}
	}
	if best == nil {
		return nil, usagef("--live %s is below the home of none of the network's sites: %s", live, strings.Join(homes, ", "))
	}
	return []*wp.Site{best}, nil
}

func (d *differ) levels() []seo.Level {
	switch d.compat {
	case string(seo.SpecLevel):
		return []seo.Level{seo.SpecLevel}
	case string(seo.PluginLevel):
		return []seo.Level{seo.PluginLevel}
	}
	return []seo.Level{seo.SpecLevel, seo.PluginLevel}
}

var sides = map[string]diff.Side{string(seo.SpecLevel): diff.Spec, string(seo.PluginLevel): diff.Plugin}

// blog compares one blog.
func (d *differ) blog(ctx context.Context, s *config.Site, blog *wp.Site) *blogDiff {
	r := &blogDiff{ID: blog.BlogID(), Home: blog.Home(), Levels: []*levelDiff{}}
	fail := func(format string, args ...any) *blogDiff {
		r.Error = fmt.Sprintf(format, args...)
		return r
	}
	why := &diff.Why{PageSize: s.PageSize}
	if d.now == nil {
		why.Read = time.Now()
	}
	why.Excluded = func(name string) bool { return blog.TypeExcluded(name) || blog.TaxonomyExcluded(name) }
	c := diff.NewComparison()
	catalogs := map[diff.Side]*sitemap.Catalog{}
	for _, level := range []seo.Level{seo.PluginLevel, seo.SpecLevel} {
		if d.compat == string(seo.PluginLevel) && string(level) != d.compat {
			continue // the other way round, plugin shows what is known about spec
		}
		catalog, err := d.catalog(ctx, s, blog, level)
		if err != nil {
			return fail("%v", err)
		}
		if !catalog.Active() {
			r.OK = true
			r.Notes = append(r.Notes, "there is nothing to compare, since no sitemap is served here: "+catalog.Whose.Why())
			return r
		}
		catalogs[sides[string(level)]] = catalog
		if err := addOurs(ctx, c, sides[string(level)], catalog); err != nil {
			return fail("%v", err)
		}
	}
	if e := s.Exclude; len(e.PostIDs)+len(e.TermIDs)+len(e.UserIDs)+len(e.URLs) > 0 { // to find what it leaves out
		whole := *s
		whole.Exclude = config.Exclude{}
		catalog, err := d.catalog(ctx, &whole, blog, seo.PluginLevel)
		if err == nil {
			err = addOurs(ctx, c, diff.Whole, catalog)
		}
		if err != nil {
			return fail("%v", err)
		}
	}

	t := d.target(s, blog, catalogs[diff.Plugin])
	r.Live = t.start
	if err := d.crawl(ctx, s, &t, c, r); err != nil {
		return fail("%v", err)
	}
	why.Foreign = r.Generator != "" && r.Generator != catalogs[diff.Plugin].Plugin()
	if p := sitemap.PluginNamed(catalogs[diff.Plugin].Plugin()); p != nil {
		why.Copies = p.Copies
	}
	why.Explain = func(side diff.Side, loc string) (diff.Reason, bool) {
		x, err := catalogs[side].Explain(ctx, loc)
		if err != nil {
			return diff.Reason{}, false // an address that is none, or a database that is gone
		}
		return reasonOf(x, loc), true
	}
	r.OK = len(r.Failed) == 0
	for _, level := range d.levels() {
		l := summarize(string(level), c, why, len(r.Failed), r.Sitemaps)
		r.OK = r.OK && l.Safe
		r.Levels = append(r.Levels, l)
	}
	return r
}

// reasonOf is an explanation in the terms of a comparison.
func reasonOf(x *explain.Explanation, loc string) diff.Reason {
	var evidence []string
	for _, e := range x.Evidence {
		text := e.Source + " is " + e.Value
		if e.Of != "" && e.Of != x.Object {
			text += " (" + e.Of + ")"
		}
		evidence = append(evidence, text)
	}
	if x.Address != "" && x.Address != loc {
		evidence = append(evidence, "its address is "+x.Address)
	}
	return diff.Reason{
		Object: x.Object, Listed: x.In, Rule: x.Rule, Operator: x.Rule == seo.OperatorExcluded.String(),
		Evidence: strings.Join(evidence, ", "), LastMod: x.LastModFrom,
	}
}

func (d *differ) catalog(ctx context.Context, s *config.Site, blog *wp.Site, level seo.Level) (*sitemap.Catalog, error) {
	opt, err := site.OptionsOf(s, d.now, slog.New(slog.DiscardHandler)) // what cannot be written is a difference
	if err != nil {
		return nil, err
	}
	opt.Compat, opt.AllPages = level, true
	c, err := sitemap.Build(ctx, blog, opt)
	if err != nil {
		return nil, fmt.Errorf("level %s: %w", string(level), err)
	}
	return c, nil
}

// addOurs renders every sitemap of a level and reads it as theirs are read.
func addOurs(ctx context.Context, c *diff.Comparison, side diff.Side, ours *sitemap.Catalog) error {
	for _, f := range ours.Files() {
		if f.Name == seo.IndexName {
			continue
		}
		c.Name(side, f.URL, diff.DateOf(f.LastMod))
		if f.Elsewhere {
			continue
		}
		doc, err := ours.Render(ctx, f.Name, f.Page)
		if errors.Is(err, catalog.ErrNotFound) { // the clock moved on
			continue
		}
		if err != nil {
			return err
		}
		parsed, err := diff.Parse(doc.Body)
		if err != nil {
			return fmt.Errorf("%s, which is ours: %w", f.Filename, err)
		}
		c.Add(side, f.URL, parsed.Entries)
	}
	return nil
}

// target is where a crawl begins, and how its addresses are to be read.
type target struct {
	crawler    *diff.Crawler
	start      string
	address    func(loc string) string // to ask for
	from, to   string                  // begin of addresses that is replaced; "" for none
	public     string                  // the start with the public host, where another place is asked for it; "" for none
	translated bool
	asked      map[string]string // addresses of theirs by ours, where they differ
	where      string            // the target, and the key or flag that says so
}

func (d *differ) target(s *config.Site, blog *wp.Site, c *sitemap.Catalog) target {
	t := target{crawler: newCrawler(s, blog, "diff", d.rate), asked: map[string]string{}, where: whereAsked(s)}
	switch {
	case d.live != nil:
		t.start = d.live.String()
		t.where = "--live " + d.live.String()
		t.crawler.Transport = nil
		t.crawler.Route = diff.Public(append(hostsOf(blog), d.live.Host))
		home, err := url.Parse(blog.Home())
		if err == nil && !slices.ContainsFunc(hostsOf(blog), func(h string) bool { return strings.EqualFold(h, d.live.Host) }) {
			t.from, t.to = d.live.Scheme+"://"+d.live.Host+"/", home.Scheme+"://"+home.Host+"/"
			t.public = t.ours(t.start)
			t.crawler.Route = diff.At(d.live, hostsOf(blog))
		}
	default:
		t.start = c.URL(seo.IndexName, 1)
		if blog.Settings().Permalinks.Structure == "" && !strings.Contains(t.start, "?") { // no path leads to it
			t.start = blog.Home() + "/?sitemap=" + seo.IndexName
		}
	}
	if u, err := url.Parse(t.start); err == nil && u.Query().Get("sitemap") == seo.IndexName {
		// Without permalinks the index names addresses that lead nowhere.
		t.address = func(loc string) string {
			name, page := diff.SplitName(loc)
			q := url.Values{"sitemap": {name}}
			if page > 1 {
				q.Set("sitemap_n", strconv.Itoa(page))
			}
			at := *u
			at.RawQuery = q.Encode()
			return at.String()
		}
	}
	return t
}

// crawl reads theirs into a comparison. It fails where not even a first sitemap can be read.
func (d *differ) crawl(ctx context.Context, s *config.Site, t *target, c *diff.Comparison, r *blogDiff) error {
	defer clearLine(d.stderr)
	t.crawler.Log = func(format string, args ...any) {
		clearLine(d.stderr)
		fmt.Fprintf(d.stderr, "site %s: %s\n", s.Name, fmt.Sprintf(format, args...))
	}
	generators := map[string]int{}
	known := map[string]bool{}
	home := homeSeen{home: strings.TrimSuffix(r.Home, "/"), site: s.Name}
	if t.public != "" && !t.isSitemap(ctx, t.start) && t.isSitemap(ctx, t.public) { // the place knows the site by its public name only
		t.start = t.public
	}
	err := t.crawler.Crawl(ctx, t.start, t.address, func(f diff.Source, done, total int) error {
		if isTerminal(d.stderr) {
			fmt.Fprintf(d.stderr, "\r\x1b[K%s: %d of %d sitemaps read", s.Name, done, total)
		}
		loc := t.ours(f.URL)
		switch {
		case f.Err != nil && f.Parent == "":
			return t.startError(f)
		case f.Err != nil:
			r.Sitemaps++
			r.Failed = append(r.Failed, failedFile{f.URL, t.explain(f.Err).Error()})
			c.Name(diff.Theirs, loc, f.LastMod)
			c.Fail(loc)
			return nil
		}
		generators[f.File.Generator]++
		for _, n := range f.File.Notes {
			if !known[n] {
				known[n] = true
				r.Notes = append(r.Notes, f.URL+": "+n)
			}
		}
		if f.File.Index {
			return nil
		}
		r.Sitemaps++
		for i := range f.File.Entries {
			home.see(f.File.Entries[i].Loc)
			t.translate(&f.File.Entries[i])
		}
		if loc != f.URL {
			t.asked[loc] = f.URL
		}
		c.Name(diff.Theirs, loc, f.LastMod)
		c.Add(diff.Theirs, loc, f.File.Entries)
		if f.Parent == "" {
			c.Keep(loc)
		}
		return nil
	})
	r.Requests = t.crawler.Requests
	if err != nil {
		return err
	}
	if t.translated {
		r.Notes = append(r.Notes, fmt.Sprintf("addresses below %s are compared as if they were below %s", t.from, t.to))
	}
	if advice := home.advice(r.ID); advice != "" {
		r.Notes = append(r.Notes, advice)
	}
	if generators[diff.Ours] > 0 {
		return fmt.Errorf("the sitemaps at %s come from wpsitemapd itself: give --live, or set upstream, to where PHP answers", t.start)
	}
	for _, name := range slices.Sorted(maps.Keys(generators)) {
		if generators[name] > generators[r.Generator] || r.Generator == "" {
			r.Generator = name
		}
	}
	err = t.refresh(ctx, c, r)
	r.Requests, r.URLs = t.crawler.Requests, c.URLs(diff.Theirs)
	return err
}

// maxRefreshed is how many files are asked for a second time at most.
const maxRefreshed = 50

// refresh asks once more, past the caches before the site, for sitemaps of which a copy seems to be older than our
// data. Caches tell copies apart by the query string, which WordPress ignores.
func (t *target) refresh(ctx context.Context, c *diff.Comparison, r *blogDiff) error {
	older, outdated := c.Older()
	if len(older) > maxRefreshed || len(older) == 0 && !outdated {
		return nil
	}
	marked := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			return address
		}
		q := u.Query()
		q.Set("wpsitemapd", strconv.FormatInt(time.Now().Unix(), 36))
		u.RawQuery = q.Encode()
		return u.String()
	}
	if index, err := t.crawler.Read(ctx, marked(t.start)); err == nil && index.Index {
		for _, e := range index.Entries {
			if loc := t.ours(e.Loc); c.Has(diff.Theirs, loc) {
				c.Name(diff.Theirs, loc, e.LastMod)
			}
		}
	}
	var replaced []string
	for _, loc := range older {
		at := t.theirs(loc)
		if t.address != nil {
			at = t.address(at)
		}
		f, err := t.crawler.Read(ctx, marked(at))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || f.Index {
			continue // what was read first counts
		}
		for i := range f.Entries {
			t.translate(&f.Entries[i])
		}
		if c.Replace(loc, f.Entries) {
			replaced = append(replaced, loc)
		}
	}
	if len(replaced) > 0 {
		r.Notes = append(r.Notes, "a cache before the site serves older copies, and fresh ones were compared instead, of "+strings.Join(replaced, ", "))
	}
	return ctx.Err()
}

// theirs turns ours around.
func (t *target) theirs(loc string) string { return cmp.Or(t.asked[loc], loc) }

// isSitemap reports whether a sitemap is at an address.
func (t *target) isSitemap(ctx context.Context, address string) bool {
	a, err := t.crawler.Get(ctx, address, diff.MaxPage)
	return err == nil && a.Status == http.StatusOK && bytes.Contains(a.Body[:min(len(a.Body), 4096)], []byte("http://www.sitemaps.org/schemas/sitemap/"))
}

// whereAsked says what requests to a site go to, and the key that says so.
func whereAsked(s *config.Site) string {
	if up := s.Upstream.URL(); up != nil {
		return "upstream " + up.Redacted() + " of site " + s.Name
	}
	return "the public address of site " + s.Name + ", which has no upstream"
}

// explain adds what could not be reached, and the key or flag to check.
func (t *target) explain(err error) error {
	if !diff.IsUnreachable(err) {
		return err
	}
	return fmt.Errorf("%s cannot be reached: %w", t.where, err)
}

// startError is why a crawl could not begin, with what to do about it.
func (t *target) startError(f diff.Source) error {
	hint := "check that the site answers there"
	status, isStatus := errors.AsType[*diff.StatusError](f.Err)
	_, isNet := errors.AsType[net.Error](f.Err)
	switch {
	case isStatus && (status.Status == http.StatusNotFound || status.Status == http.StatusGone):
		hint = "where its index is elsewhere, give --live URL"
	case errors.Is(f.Err, diff.ErrNotASitemap):
		hint = "it is no sitemap; give --live URL where the index is elsewhere"
	case diff.IsUnreachable(f.Err) || isNet:
		hint = "check that a web server listens there"
		if strings.HasPrefix(t.where, "upstream ") {
			hint = "check upstream in the configuration and that PHP's web server listens there, or give --live URL"
		}
		return fmt.Errorf("%s: %s does not answer: %w; %s", f.URL, t.where, f.Err, hint)
	}
	return fmt.Errorf("%s: %w; %s", f.URL, f.Err, hint)
}

// ours is an address of theirs as ours would be.
func (t *target) ours(loc string) string {
	if rest, ok := strings.CutPrefix(loc, t.from); ok && t.from != "" {
		return t.to + rest
	}
	return loc
}

func (t *target) translate(e *diff.Entry) {
	if t.from == "" {
		return
	}
	if loc := t.ours(e.Loc); loc != e.Loc {
		e.Loc, t.translated = loc, true
	}
	if e.Extra == nil {
		return
	}
	for i := range e.Extra.Images {
		e.Extra.Images[i].Loc = t.ours(e.Extra.Images[i].Loc)
	}
	for i := range e.Extra.Alternates {
		e.Extra.Alternates[i].Href = t.ours(e.Extra.Alternates[i].Href)
	}
	for _, video := range e.Extra.Videos {
		for i := range video {
			video[i].Value = t.ours(video[i].Value)
		}
	}
}

// summarize groups the differences of a level, the largest groups first.
func summarize(level string, c *diff.Comparison, why *diff.Why, failed, sitemaps int) *levelDiff {
	side := sides[level]
	l := &levelDiff{Level: level, URLs: c.URLs(side), NotCompared: c.Unknown(side), Groups: []diffGroup{}}
	type key struct {
		facet diff.Facet
		cause string
	}
	at := map[key]int{}
	for _, d := range c.Find(side, why) {
		k := key{d.Facet, d.Cause.ID}
		i, ok := at[k]
		if !ok {
			i = len(l.Groups)
			at[k] = i
			l.Groups = append(l.Groups,
				diffGroup{What: string(d.Facet), Cause: d.Cause.ID, Why: d.Cause.Text, Known: d.Cause.Known, Sitemaps: map[string]int{}})
		}
		g := &l.Groups[i]
		g.Count++
		g.Sitemaps[d.Sitemap]++
		if len(g.Examples) < maxExamples {
			g.Examples = append(g.Examples, diffExample{d.URL, d.Sitemap, d.Theirs, d.Ours, d.Detail})
		}
		if d.Cause.Known {
			l.Known++
		} else {
			l.Unexplained++
		}
	}
	slices.SortStableFunc(l.Groups, func(a, b diffGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What), cmp.Compare(a.Cause, b.Cause))
	})
	l.Safe = failed == 0 && l.Unexplained == 0
	switch {
	case failed > 0:
		l.Verdict = fmt.Sprintf("no verdict: %d of %s could not be read; among the rest %s", failed, count(sitemaps, "sitemap"), l.counts())
	case l.Unexplained > 0:
		l.Verdict = "not yet safe to switch: " + l.counts()
	case l.Known > 0:
		l.Verdict = "safe to switch: " + l.counts()
	default:
		l.Verdict = "safe to switch: no differences"
	}
	return l
}

func (l *levelDiff) counts() string {
	return count(l.Unexplained, "unexplained difference") + ", " + count(l.Known, "known one")
}

// text is the report for people.
func (r *diffReport) text() string {
	var b strings.Builder
	for i, s := range r.Sites {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "site %s\n", s.Name)
		for _, e := range s.Errors {
			fmt.Fprintf(&b, "  TROUBLE: %s\n", nameless(s.Name, e))
		}
		for _, blog := range s.Blogs {
			blog.print(&b)
		}
	}
	return b.String()
}

func (b *blogDiff) print(w io.Writer) {
	fmt.Fprintf(w, "  %s (blog %d)\n", b.Home, b.ID)
	if b.Error != "" {
		fmt.Fprintf(w, "    TROUBLE: %s\n", b.Error)
	} else if b.Live != "" {
		fmt.Fprintf(w, "    compared with %s, written by %s: %s with %s\n", b.Live,
			cmp.Or(b.Generator, "an unknown program"), count(b.Sitemaps, "sitemap"), count(b.URLs, "URL"))
	}
	for _, n := range b.Notes {
		fmt.Fprintf(w, "    note: %s\n", n)
	}
	for _, f := range b.Failed {
		fmt.Fprintf(w, "    TROUBLE: %s: %s\n", f.URL, f.Error)
	}
	for _, l := range b.Levels {
		fmt.Fprintf(w, "\n    level %s, %s\n", l.Level, count(l.URLs, "URL"))
		for _, known := range []bool{false, true} {
			for _, g := range l.Groups {
				if g.Known == known {
					g.print(w)
				}
			}
		}
		if l.NotCompared > 0 {
			fmt.Fprintf(w, "      %s of ours not compared: they may be in a sitemap that could not be read\n", count(l.NotCompared, "URL"))
		}
		fmt.Fprintf(w, "    level %s: %s\n", l.Level, l.Verdict)
	}
}

func (g *diffGroup) print(w io.Writer) {
	var in []string
	for _, name := range slices.Sorted(maps.Keys(g.Sitemaps)) {
		in = append(in, fmt.Sprintf("%s in the sitemap %s", number(g.Sitemaps[name]), name))
	}
	kind := "known"
	if !g.Known {
		kind = "UNEXPLAINED"
	}
	fmt.Fprintf(w, "      %s %s: %s (%s)\n        %s\n", number(g.Count), kind, g.What, g.Why, strings.Join(in, ", "))
	if g.Known {
		return // they are in the JSON
	}
	for i, e := range g.Examples {
		if i == maxTextExamples {
			fmt.Fprintf(w, "        … and %s more\n", number(g.Count-i))
			break
		}
		fmt.Fprintf(w, "        %s\n          theirs: %s\n          ours:   %s\n", e.URL, e.Theirs, e.Ours)
		if e.Detail != "" {
			fmt.Fprintf(w, "          %s\n", e.Detail)
		}
	}
}
