package metrics

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"wpsitemapd/wp/wptest/expect"
)

func TestAnswered(t *testing.T) {
	var s SiteCounts
	for _, status := range []int{200, 206, 304, 404, 503, 0, -1, 99, 600, 100000} {
		s.Answered(Sitemap, status, 10)
	}
	s.Answered(Upstream, 304, -5)
	want := [classes]int64{5, 0, 2, 1, 1, 1}
	for class := range want {
		expect.Equal(t, s.requests[Sitemap][class].Load(), want[class], "class", class)
	}
	if s.bytes[Sitemap].Load() != 100 || s.bytes[Upstream].Load() != 0 || s.notModified[Upstream].Load() != 1 {
		t.Error("bytes or 304 of another kind")
	}
	expect.Equal(t, s.Since(), 10)
	expect.Equal(t, s.notModified[Sitemap].Load(), 1)
	s.Answered(Sitemap, 304, 0)
	expect.Equal(t, s.Since(), 1)
	expect.Equal(t, s.notModified[Sitemap].Load(), 2)
	var p Process // answers of no site
	for _, status := range []int{421, 503, -7, 0, 600, 12345} {
		p.Strayed(status)
	}
	expect.Equal(t, p.Stray[0].Load(), 4, "without a class")
}

func TestQueried(t *testing.T) {
	var s SiteCounts
	s.Queried("", 12, time.Second, nil)
	s.Queried("", 3, time.Second, errors.New("x"))
	if s.Queries.Load() != 2 || s.Rows.Load() != 15 || s.QueryErrors.Load() != 1 || s.QueryTime.Load() != 2 {
		t.Errorf("%d of %d with %d rows, %v s", s.QueryErrors.Load(), s.Queries.Load(), s.Rows.Load(), s.QueryTime.Load())
	}
}

// Everything there may be is described and can be told, with the kinds that nothing has happened of.
func TestCollector(t *testing.T) {
	p := NewProcess()
	p.Took(Sitemap, 11*time.Millisecond)
	p.Worked(Render, time.Hour)
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(collector{func() Snapshot {
		return Snapshot{Process: p, Sites: []SiteSnapshot{
			{Name: "a", Counted: new(SiteCounts), Age: -1},
			{Name: "b", Counted: new(SiteCounts), Took: time.Second, IndexNow: &Announcements{Sent: 1}},
		}}
	}})
	families, err := r.Gather()
	if err != nil {
		t.Error(err)
	}
	sums := map[string][]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			if h := m.GetHistogram(); h != nil {
				sums[f.GetName()] = append(sums[f.GetName()], h.GetSampleSum())
			}
		}
	}
	want := map[string][]float64{"wpsitemapd_request_duration_seconds": {0, 0, 0, 0, 0, 0.011, 0, 0}, "wpsitemapd_work_duration_seconds": {0, 0, 3600}}
	if diff := cmp.Diff(want, sums); diff != "" { // by their names
		t.Error(diff)
	}
	seen := map[string]bool{}
	for _, name := range Names() {
		if !strings.HasPrefix(name, "wpsitemapd_") || seen[name] {
			t.Errorf("%q, or twice", name)
		}
		seen[name] = true
	}
}
