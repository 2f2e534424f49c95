package admin

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Chart is a small drawing of numbers over time, with a table of the numbers for those who cannot see it.
type Chart struct {
	ID     string // of its title and description in the page
	Title  string
	Text   string // what there is to see, in a sentence
	Bars   bool
	Path   string // of the line, or of the bars
	Area   string // below the line
	Ticks  []Tick // of the values
	Labels []Tick // of the time
	Rows   []ChartRow
}

// Tick is a mark at an axis.
type Tick struct {
	At   float64 // pixels
	Text string
}

// ChartRow is a number in the table beside a chart.
type ChartRow struct {
	At    string
	Value string
}

// Size of a chart in its own units, with room for marks, as in pages.html.
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

// form is what the numbers of a chart are.
type form uint8

const (
	line  form = iota // a level
	peaks             // the highest of a while
	sums              // of a while
)

// leastSamples is how many numbers a chart takes to show anything.
const leastSamples = 3

// newChart draws numbers; show prints one of them. Too few numbers make none.
func newChart(id, title string, samples []sample, form form, layout string, show func(float64) string) *Chart {
	if len(samples) < leastSamples {
		return nil
	}
	bars := form != line
	c := &Chart{ID: id, Title: title, Bars: bars}
	least, most, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, s := range samples {
		least, most, sum = min(least, s.v), max(most, s.v), sum+s.v
	}
	first, last := samples[0], samples[len(samples)-1]
	span := max(1, last.at.Sub(first.at))
	switch form {
	case line:
		c.Text = fmt.Sprintf("from %s to %s, now %s", show(least), show(most), show(last.v))
	case peaks:
		c.Text = show(most) + " at most"
	case sums:
		c.Text = fmt.Sprintf("%s in all, %s at most", show(sum), show(most))
	}
	if bars || most-least >= least/4 { // a level far from zero would be a flat line
		least = 0
	}
	low, high := scale(least, most)
	y := func(v float64) float64 {
		return chartTop + (chartHeight-chartTop-chartBottom)*(1-(v-low)/(high-low))
	}
	slots := float64(len(samples))
	width := chartWidth - chartLeft - chartRight
	x := func(i int, s sample) float64 {
		if bars {
			return chartLeft + width*(float64(i)+0.5)/slots
		}
		return chartLeft + width*float64(s.at.Sub(first.at))/float64(span)
	}
	var path strings.Builder
	ground := y(low)
	for i, s := range samples {
		switch at := x(i, s); {
		case bars && s.v > 0:
			half := max(0.5, width/slots*0.4)
			fmt.Fprintf(&path, "M%.1f %.1fV%.1fH%.1fV%.1fZ", at-half, ground, y(s.v), at+half, ground)
		case bars:
		case i == 0:
			fmt.Fprintf(&path, "M%.1f %.1f", at, y(s.v))
		default:
			fmt.Fprintf(&path, "L%.1f %.1f", at, y(s.v))
		}
		c.Rows = append(c.Rows, ChartRow{s.at.UTC().Format(layout), show(s.v)})
	}
	c.Path = path.String()
	if !bars {
		c.Area = fmt.Sprintf("%sL%.1f %.1fL%.1f %.1fZ", c.Path, x(len(samples)-1, last), ground, chartLeft, ground)
	}
	for _, v := range []float64{low, (low + high) / 2, high} {
		c.Ticks = append(c.Ticks, Tick{y(v), show(v)})
	}
	c.Labels = []Tick{{x(0, first), first.at.UTC().Format(layout)}, {x(len(samples)-1, last), last.at.UTC().Format(layout)}}
	return c
}

// scale returns the lowest and the highest tick for numbers: round ones, with a round one in the middle.
func scale(least, most float64) (low, high float64) {
	step := nice(max(most-least, most/1000) / 2)
	low = math.Floor(least/step) * step
	if least == most {
		low = max(0, low-step)
	}
	for high = low + 2*step; high < most; high += 2 * step {
	}
	return low, high
}

// nice is a round number not below v: 1, 2 or 5 times a power of ten.
func nice(v float64) float64 {
	if v <= 0 {
		return 0.5
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*p*(1+1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// charts returns the charts of a site.
func charts(s *SitePage) []*Chart {
	var urls, build, fetches, days []sample
	for i, p := range s.Points {
		urls = append(urls, sample{p.At, float64(p.URLs)})
		if i > 0 || p.Build > 0 || p.Fetches > 0 {
			build = append(build, sample{p.At, p.Build.Seconds()})
			fetches = append(fetches, sample{p.At, float64(p.Fetches)})
		}
	}
	for _, d := range s.Crawls.Days {
		days = append(days, sample{d.Date, float64(d.N)})
	}
	whole := func(v float64) string {
		if v == math.Trunc(v) {
			return count(int(v))
		}
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	seconds := func(v float64) string { return duration(time.Duration(v * float64(time.Second))) }
	const moments = "2006-01-02 15:04"
	return slices.DeleteFunc([]*Chart{
		newChart("chart-urls", "URLs", urls, line, moments, whole),
		newChart("chart-build", "Longest read or render", build, peaks, moments, seconds),
		newChart("chart-fetches", "Sitemaps fetched, by anyone", fetches, sums, moments, whole),
		newChart("chart-days", "Fetches by robots per day", days, sums, "2006-01-02", whole),
	}, func(c *Chart) bool { return c == nil })
}
