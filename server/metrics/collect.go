package metrics

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/store"
	"wpsitemapd/wp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"wpsitemapd/server/crawler"
)

// Snapshot is the state of the daemon at the moment of a scrape.
type Snapshot struct {
	Process *Process
	Sites   []SiteSnapshot
	Copies  map[string]Copies // by cache
	Waiting int               // statements that wait for a connection
	Reload  Reload
	State   *store.Stats // nil: pages are cached in memory only
}

// SiteSnapshot is the state of a site.
type SiteSnapshot struct {
	Name      string
	Counted   *SiteCounts
	Ready     bool
	Up        bool // the last attempt to read the site succeeded
	Alarmed   bool // the loss guard holds a loss
	Conflicts int  // hosts that another site claims too
	URLs      int
	Blogs     int
	Installed []wp.Installed // WordPress and the SEO plugins of all blogs, each version once
	Age       time.Duration  // time since the site was known to be up to date; negative: it never was
	Took      time.Duration  // how long the last full scan took
	InUse     int            // connections to its database
	Idle      int            // open connections that are not in use
	Engines   []crawler.EngineReport
	IndexNow  *Announcements // nil: the site announces nothing
}

// Announcements counts what a site has announced by IndexNow since the start.
type Announcements struct {
	Waiting int
	Sent    int64 // addresses that were accepted
	Refused int64 // addresses that were refused
	Dropped int64 // addresses that are not below home, or for which a batch had no room
	Status  int   // HTTP status of the last answer; 0: none
	Last    time.Time
	Reason  string // why the last request was not accepted; "": it was
}

// Copies says how much a cache of pages holds.
type Copies struct {
	Count                   int
	Bytes, Limit, Evictions int64
}

// Reload describes the last reload of the configuration.
type Reload struct {
	OK   bool      // the file as it was last read is in force
	Good time.Time // when the configuration in force was read
}

// all are the descriptions of all metrics.
var all []*prometheus.Desc

// desc describes a metric. A name ends in its unit, or in _total if the number only grows.
func desc(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc("wpsitemapd_"+name, help, labels, nil)
	all = append(all, d)
	return d
}

// bounds are the buckets of durations in seconds. Answers from memory take microseconds, PHP takes tenths of a second, and full
// scans of big sites take minutes.
var bounds = []float64{0.0005, 0.0025, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 120, 600}

// histogram describes a histogram of durations by kind. It returns a function that makes such a histogram.
func histogram(name, help string) func() *prometheus.HistogramVec {
	const label = "kind"
	desc(name, help, label)
	opts := prometheus.HistogramOpts{Namespace: "wpsitemapd", Name: name, Help: help, Buckets: bounds}
	return func() *prometheus.HistogramVec { return prometheus.NewHistogramVec(opts, []string{label}) }
}

var (
	requests = desc("requests_total",
		"Answers to requests, by their kind and the class of their status; class 0xx: the client went away before.",
		"site", "kind", "status")
	sent        = desc("response_bytes_total", "Bytes of bodies sent.", "site", "kind")
	notModified = desc("not_modified_total", "Answers with 304: the client had the document already.", "site", "kind")
	stray       = desc("stray_requests_total", "Answers to requests for hosts that belong to no site.", "status")
	answerTime  = histogram("request_duration_seconds", "Time from a request's header to the end of its answer.")

	lookups = desc("page_lookups_total",
		"Requests for sitemaps that found a fresh cached page (hit), or had to make one or wait for one (miss).", "site", "result")
	staleSent = desc("stale_responses_total", "Answers with an older cached page, because no newer one could be made in time.", "site")
	copies    = desc("cached_pages", "Cached pages in memory.", "cache")
	copyBytes = desc("cached_pages_bytes", "Memory held by cached pages, compressed.", "cache")
	evictions = desc("page_evictions_total", "Cached pages that were removed to make room for other pages.", "cache")
	siteWork  = desc("work_total", "Pages rendered and catalogs read (delta: changes only, full_scan: everything), by result.", "site", "kind", "result")
	workTime  = histogram("work_duration_seconds", "Time to render a page (render) or to read a catalog (delta, full_scan).")
	urls      = desc("urls", "URLs in all sitemaps of the site.", "site")
	installed = desc("installed_info", "1, with the versions of WordPress and the SEO plugins of the site's blogs; empty if not known.",
		"site", "software", "version")
	blogs    = desc("blogs", "Blogs of the site: 1, or those of its network.", "site")
	ready    = desc("site_ready", "1 if every blog of the site has something to serve.", "site")
	up       = desc("site_up", "1 if the last attempt to read the site from its database went well.", "site")
	age      = desc("data_age_seconds", "Time since the site was last known to be up to date. Absent until it was read once.", "site")
	scanTook = desc("last_full_scan_duration_seconds", "Time the last full scan of the site took.", "site")
	alarmed  = desc("collapse_alarm",
		"1 while most of a site's URLs are missing in its database and older cached pages are served until that is confirmed.", "site")
	alarms    = desc("collapse_alarms_total", "How often most of a site's URLs were missing.", "site")
	conflicts = desc("host_conflict", "Hosts that the site and another site claim, so one of the two sites is not served there.", "site")
	queries   = desc("database_queries_total", "Statements sent to the site's database.", "site", "result")
	queryTime = desc("database_query_seconds_total", "Time for statements and for reading their rows.", "site")
	conns     = desc("database_connections", "Connections to the site's database.", "site", "state")
	connQueue = desc("database_connections_waiting", "Statements that wait, because all connections to their server are in use.")
	polls     = desc("polls_total", "Polls of a database account for tables that were written.", "result")
	pollTime  = desc("poll_seconds_total", "Time spent on polls.")
	upErrors  = desc("upstream_errors_total", "Requests that the upstream did not answer.", "site")
	crawls    = desc("crawler_fetches_total", "Sitemaps fetched by search engines and other robots: verified by DNS, unverified, or "+
		"spoofed by somebody else. Kept across restarts if state is set.", "site", "engine", "verdict")
	crawls304 = desc("crawler_not_modified_total", "Sitemaps fetched by robots and answered with 304; see wpsitemapd_crawler_fetches_total.",
		"site", "engine", "verdict")
	announced  = desc("indexnow_urls_total", "URLs announced by IndexNow, by result.", "site", "result")
	announcing = desc("indexnow_waiting_urls", "URLs that wait to be announced.", "site")
	logged     = desc("log_messages_total", "Warnings and errors in the log.", "level")
	reloadOK   = desc("config_last_reload_successful", "1 if the last attempt to read the configuration succeeded.")
	reloadTime = desc("config_last_reload_success_timestamp_seconds", "When the configuration in force was read.")
	reloads    = desc("config_reloads_total", "Attempts to read the configuration again.", "result")
	keptBytes  = desc("state_bytes", "Size of everything in state.")
	keptQueue  = desc("state_queued_blobs", "Cached pages, records and notes that wait to be written to state.")
	keptWrites = desc("state_writes_total", "Writes to state, by result: ok, failed, or missed because there was no room.", "result")
	keptBad    = desc("state_damaged_blobs_total", "Damaged entries of state that were dropped.")
	keptUp     = desc("state_writable", "1 if cached pages can be written to state at the moment.")
	buildInfo  = desc("build_info", "1, with the version that the program was built from.", "version", "revision", "goversion")
)

// collector turns a snapshot into metrics at each scrape.
type collector struct{ snapshot func() Snapshot }

func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range all {
		ch <- d
	}
}

func (c collector) Collect(ch chan<- prometheus.Metric) {
	s := c.snapshot()
	e := emitter(ch)
	for i := range s.Sites {
		e.site(&s.Sites[i])
	}
	p := s.Process
	for class := range p.Stray {
		if n := p.Stray[class].Load(); n > 0 {
			e.count(stray, n, classNames[class])
		}
	}
	for _, h := range slices.Concat(p.answers[:], p.works[:]) {
		ch <- h
	}
	for name, c := range s.Copies {
		e.gauge(copies, float64(c.Count), name)
		e.gauge(copyBytes, float64(c.Bytes), name)
		e.count(evictions, c.Evictions, name)
	}
	e.gauge(connQueue, float64(s.Waiting))
	e.results(polls, p.Polls.Load(), p.PollFails.Load())
	e.counter(pollTime, p.PollTime.load())
	e.count(logged, p.Warnings.Load(), "warn")
	e.count(logged, p.Errors.Load(), "error")
	e.truth(reloadOK, s.Reload.OK)
	if !s.Reload.Good.IsZero() {
		e.gauge(reloadTime, float64(s.Reload.Good.UnixMilli())/1000)
	}
	e.results(reloads, p.Reloads.Load(), p.ReloadFails.Load())
	if st := s.State; st != nil {
		e.gauge(keptBytes, float64(st.Bytes))
		e.gauge(keptQueue, float64(st.Queued))
		e.count(keptWrites, int64(st.Written), "ok")
		e.count(keptWrites, int64(st.Failed), "failed")
		e.count(keptWrites, int64(st.Missed), "missed")
		e.count(keptBad, int64(st.Damaged))
		e.truth(keptUp, st.Error == "")
	}
	built := CurrentBuild()
	e.gauge(buildInfo, 1, built.Version, built.Revision, built.Go)
}

var classNames = [classes]string{"0xx", "1xx", "2xx", "3xx", "4xx", "5xx"}

type emitter chan<- prometheus.Metric

func (e emitter) gauge(d *prometheus.Desc, v float64, labels ...string) {
	e <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func (e emitter) truth(d *prometheus.Desc, v bool, labels ...string) {
	n := 0.0
	if v {
		n = 1
	}
	e.gauge(d, n, labels...)
}

func (e emitter) counter(d *prometheus.Desc, v float64, labels ...string) {
	e <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
}

func (e emitter) count(d *prometheus.Desc, n int64, labels ...string) {
	e.counter(d, float64(n), labels...)
}

// results counts attempts as ok or error.
func (e emitter) results(d *prometheus.Desc, n, failed int64, labels ...string) {
	e.count(d, n-failed, append(slices.Clone(labels), "ok")...)
	e.count(d, failed, append(slices.Clone(labels), "error")...)
}

func (e emitter) site(s *SiteSnapshot) {
	c, name := s.Counted, s.Name
	for k := range kinds {
		answered := false
		for class := range classes {
			n := c.requests[k][class].Load()
			answered = answered || n > 0
			// If a counter appears only with its first event, rates do not show that event.
			if n > 0 || k == Sitemap && (class == 2 || class == 5) {
				e.count(requests, n, name, k.String(), classNames[class])
			}
		}
		if answered || k == Sitemap {
			e.count(sent, c.bytes[k].Load(), name, k.String())
			e.count(notModified, c.notModified[k].Load(), name, k.String())
		}
	}
	e.count(lookups, c.Hits.Load(), name, "hit")
	e.count(lookups, c.Misses.Load(), name, "miss")
	e.count(staleSent, c.Stale.Load(), name)
	for w := range works {
		e.count(siteWork, c.done[w].Load(), name, w.String(), "ok")
		e.count(siteWork, c.failed[w].Load(), name, w.String(), "error")
	}
	e.gauge(urls, float64(s.URLs), name)
	for _, is := range s.Installed {
		e.gauge(installed, 1, name, is.Name, cmp.Or(is.Range, string(is.Version)))
	}
	e.gauge(blogs, float64(s.Blogs), name)
	e.truth(ready, s.Ready, name)
	e.truth(up, s.Up, name)
	if s.Age >= 0 {
		e.gauge(age, s.Age.Seconds(), name)
	}
	if s.Took > 0 {
		e.gauge(scanTook, s.Took.Seconds(), name)
	}
	e.truth(alarmed, s.Alarmed, name)
	e.count(alarms, c.Alarms.Load(), name)
	e.gauge(conflicts, float64(s.Conflicts), name)
	failed := c.QueryErrors.Load()
	e.results(queries, max(failed, c.Queries.Load()), failed, name)
	e.counter(queryTime, c.QueryTime.load(), name)
	e.gauge(conns, float64(s.InUse), name, "in_use")
	e.gauge(conns, float64(s.Idle), name, "idle")
	e.count(upErrors, c.UpstreamErrors.Load(), name)
	for _, r := range s.Engines {
		for v := range crawler.Verdicts {
			if of := r.Of(v); of.Fetches > 0 {
				e.count(crawls, of.Fetches, name, r.Engine.String(), v.String())
				e.count(crawls304, of.NotModified, name, r.Engine.String(), v.String())
			}
		}
	}
	if n := s.IndexNow; n != nil {
		e.count(announced, n.Sent, name, "sent")
		e.count(announced, n.Refused, name, "refused")
		e.count(announced, n.Dropped, name, "dropped")
		e.gauge(announcing, float64(n.Waiting), name)
	}
}

// scrapes is how many scrapes are answered at the same time.
const scrapes = 3

// Handler answers scrapes with the metrics of the daemon, of Go and of the process. It calls snapshot at every scrape.
func Handler(snapshot func() Snapshot) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collector{snapshot}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{MaxRequestsInFlight: scrapes, Timeout: 30 * time.Second})
}

// Names returns the names of the daemon's own metrics.
func Names() []string {
	names := make([]string, len(all))
	for i, d := range all {
		_, rest, _ := strings.Cut(d.String(), `fqName: "`)
		names[i], _, _ = strings.Cut(rest, `"`)
	}
	return names
}
