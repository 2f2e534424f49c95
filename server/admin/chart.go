package admin

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// chart is a small drawing of numbers over time. Rows holds the same numbers in a table, for people who cannot see the
// drawing.
type chart struct {
	ID     string // the prefix of the ids of its title and description
	Title  string
	Text   string // the content in one sentence
	Bars   bool
	Path   string // SVG path of the line, or of the bars
	Ticks  []tick // on the axis of values
	Labels []tick // on the axis of time
	Rows   []chartRow
}

// tick is a mark on an axis.
type tick struct {
	At   float64 // pixels
	Text string
}

// chartRow is a number in the table beside a chart.
type chartRow struct {
	At    string
	Value string
}

// The size of a chart and its margins in its own units, as in pages.html.
const (
	chartWidth  = 480.0
	chartHeight = 140.0
	chartLeft   = 52.0
	chartRight  = 8.0
	chartTop    = 10.0
	chartBottom = 22.0
)

// sample is one number of a chart.
type sample struct {
	at time.Time
	v  float64
}

// form is the kind of numbers in a chart.
type form uint8

const (
	line  form = iota // a level at each time
	peaks             // the highest value of each interval
	sums              // the sum over each interval
)

// leastSamples is the least number of samples that make a chart.
const leastSamples = 3

// moments is the layout of a time in a chart.
const moments = "2006-01-02 15:04"

// newChart returns a chart of samples, or nil if there are too few. show formats a number.
func newChart(id, title string, samples []sample, form form, show func(float64) string) *chart {
	if len(samples) < leastSamples {
		return nil
	}
	c := &chart{ID: id, Title: title, Bars: form != line}
	low, high, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, s := range samples {
		low, high, sum = min(low, s.v), max(high, s.v), sum+s.v
	}
	first, last := samples[0], samples[len(samples)-1]
	switch form {
	case line:
		c.Text = fmt.Sprintf("from %s to %s, now %s", show(low), show(high), show(last.v))
	case peaks:
		c.Text = show(high) + " at most"
	case sums:
		c.Text = fmt.Sprintf("%s in all, %s at most", show(sum), show(high))
	}
	if c.Bars || high-low >= low/4 { // start at 0, unless a level far above 0 would then be a flat line
		low = 0
	}
	if high == low {
		high++
	}
	slot := (chartWidth - chartLeft - chartRight) / float64(len(samples))
	x := func(i int) float64 {
		if c.Bars {
			return chartLeft + slot*(float64(i)+0.5)
		}
		return chartLeft + slot*float64(len(samples))*float64(samples[i].at.Sub(first.at))/float64(max(1, last.at.Sub(first.at)))
	}
	y := func(v float64) float64 {
		return chartTop + (chartHeight-chartTop-chartBottom)*(1-(v-low)/(high-low))
	}
	var path strings.Builder
	for i, s := range samples {
		switch {
		case !c.Bars:
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], x(i), y(s.v))
		case s.v > 0:
			fmt.Fprintf(&path, "M%.1f %.1fV%.1fH%.1fV%.1fZ", x(i)-0.4*slot, y(0), y(s.v), x(i)+0.4*slot, y(0))
		}
		c.Rows = append(c.Rows, chartRow{s.at.UTC().Format(moments), show(s.v)})
	}
	c.Path = path.String()
	c.Ticks = []tick{{y(low), show(low)}, {y(high), show(high)}}
	c.Labels = []tick{{x(0), first.at.UTC().Format(moments)}, {x(len(samples) - 1), last.at.UTC().Format(moments)}}
	return c
}

// charts returns the charts about a site.
func charts(s *sitePage) []*chart {
	var urls, build, fetches []sample
	for i, p := range s.Points {
		urls = append(urls, sample{p.At, float64(p.URLs)})
		if i > 0 || p.Build > 0 || p.Fetches > 0 {
			build = append(build, sample{p.At, p.Build.Seconds()})
			fetches = append(fetches, sample{p.At, float64(p.Fetches)})
		}
	}
	whole := func(v float64) string { return count(int(v)) }
	seconds := func(v float64) string { return duration(time.Duration(v * float64(time.Second))) }
	return slices.DeleteFunc([]*chart{
		newChart("chart-urls", "URLs", urls, line, whole),
		newChart("chart-build", "Longest read or render", build, peaks, seconds),
		newChart("chart-fetches", "Sitemaps fetched, by anyone", fetches, sums, whole),
	}, func(c *chart) bool { return c == nil })
}
