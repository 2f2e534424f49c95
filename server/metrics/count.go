// Package metrics counts what the daemon does, for Prometheus.
//
// While a request waits, counting takes a few atomic additions and nothing else. Names, labels and sums are made at a scrape.
// Each site holds its own numbers, so that they end when the site leaves the configuration.
//
// Labels are bounded by the configuration and by lists in the code: sites, kinds, classes of status, search engines and results.
// Nothing that a client sends becomes a label.
package metrics

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// AnswerKind is the kind of an answer to a request.
type AnswerKind uint8

// The kinds of answers.
const (
	Other      AnswerKind = iota // a plain sentence, such as that a site is not known
	Upstream                     // passed on to the PHP site
	Sitemap                      // in any format
	HTML                         // an HTML view
	Robots                       // robots.txt
	Stylesheet                   // CSS or XSLT
	Redirect
	KeyFile // the IndexNow key file
	kinds
)

var kindNames = [kinds]string{"other", "upstream", "sitemap", "html", "robots", "stylesheet", "redirect", "keyfile"}

func (k AnswerKind) String() string { return kindNames[k] }

// Work is a kind of work that the daemon does to make answers.
type Work uint8

const (
	Render   Work = iota // a page was rendered
	Delta                // a catalog was brought up to date
	FullScan             // a catalog was read from scratch
	works
)

var workNames = [works]string{"render", "delta", "full_scan"}

func (w Work) String() string { return workNames[w] }

// classes is the number of status classes: 1xx to 5xx, and 0 if the client went away before the answer.
const classes = 6

// seconds is a sum of durations.
type seconds struct{ n atomic.Int64 }

func (s *seconds) add(d time.Duration) { s.n.Add(int64(d)) }

func (s *seconds) load() float64 { return time.Duration(s.n.Load()).Seconds() }

// SiteCounts counts what happens at one site. The zero value is ready for use. It is safe for concurrent use.
type SiteCounts struct {
	requests    [kinds][classes]atomic.Int64
	bytes       [kinds]atomic.Int64
	notModified [kinds]atomic.Int64

	Hits, Misses atomic.Int64 // requests for sitemaps that found a fresh cached page, and requests that did not
	Stale        atomic.Int64 // answers with a stale page

	done, failed [works]atomic.Int64

	Queries, QueryErrors atomic.Int64
	QueryTime            seconds

	UpstreamErrors   atomic.Int64
	Loops            atomic.Int64 // requests that were passed on and came back
	Alarms           atomic.Int64 // alarms that the loss guard has raised
	Warnings, Errors atomic.Int64 // lines of the log

	told    atomic.Int64 // the number of requests at the last call of Since
	History History
}

// Answered counts an answer. The status is 0 if there was no answer.
func (s *SiteCounts) Answered(k AnswerKind, status int, bytes int64) {
	class := status / 100
	if class < 0 || class >= classes {
		class = 0
	}
	s.requests[k][class].Add(1)
	if bytes > 0 {
		s.bytes[k].Add(bytes)
	}
	if status == 304 {
		s.notModified[k].Add(1)
	}
}

// Since returns how many sitemaps were requested since the last call of Since.
func (s *SiteCounts) Since() int {
	n := int64(0)
	for class := range classes {
		n += s.requests[Sitemap][class].Load()
	}
	return int(n - s.told.Swap(n))
}

// Worked counts a piece of work as done, or as failed if err is not nil.
func (s *SiteCounts) Worked(w Work, err error) {
	if err != nil {
		s.failed[w].Add(1)
	} else {
		s.done[w].Add(1)
	}
}

// Queried counts a statement. It has the form of wp.Source.Observe.
func (s *SiteCounts) Queried(_ string, _ int, took time.Duration, err error) {
	s.Queries.Add(1)
	s.QueryTime.add(took)
	if err != nil {
		s.QueryErrors.Add(1)
	}
}

// Process counts what belongs to no site. NewProcess makes one.
type Process struct {
	Stray            [classes]atomic.Int64 // answers to requests for a host without a site
	Polls, PollFails atomic.Int64          // polls of database accounts
	PollTime         seconds
	Warnings, Errors atomic.Int64 // lines of the log
	Reloads          atomic.Int64
	ReloadFails      atomic.Int64
	answers          [kinds]prometheus.Histogram
	works            [works]prometheus.Histogram
}

// Polled counts a poll of a database account.
func (p *Process) Polled(took time.Duration, failed bool) {
	p.Polls.Add(1)
	p.PollTime.add(took)
	if failed {
		p.PollFails.Add(1)
	}
}

// Strayed counts an answer to a request for a host without a site.
func (p *Process) Strayed(status int) {
	if status < 0 || status >= 100*classes {
		status = 0
	}
	p.Stray[status/100].Add(1)
}

// NewProcess returns a Process with all numbers at zero.
func NewProcess() *Process {
	p, answers, done := new(Process), answerTime(), workTime()
	for k := range kinds {
		p.answers[k] = answers.WithLabelValues(k.String()).(prometheus.Histogram)
	}
	for w := range works {
		p.works[w] = done.WithLabelValues(w.String()).(prometheus.Histogram)
	}
	return p
}

// Took records how long an answer took.
func (p *Process) Took(k AnswerKind, d time.Duration) { p.answers[k].Observe(d.Seconds()) }

// Worked records how long a piece of work took.
func (p *Process) Worked(w Work, d time.Duration) { p.works[w].Observe(d.Seconds()) }
