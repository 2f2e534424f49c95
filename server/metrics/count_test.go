package metrics

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"wpsitemapd/server/indexnow"
)

func TestAnswered(t *testing.T) {
	var s SiteCounts
	for _, status := range []int{200, 206, 304, 404, 503, 0, -1, 99, 600, 100000} {
		s.Answered(Sitemap, status, 10)
	}
	s.Answered(Upstream, 304, -5)
	want := [classes]int64{5, 0, 2, 1, 1, 1}
	for class := range want {
		if got := s.requests[Sitemap][class].Load(); got != want[class] {
			t.Errorf("class %d: %d, want %d", class, got, want[class])
		}
	}
	if s.bytes[Sitemap].Load() != 100 || s.bytes[Upstream].Load() != 0 || s.notModified[Upstream].Load() != 1 {
		t.Error("bytes or 304 of another kind")
	}
	if n, fresh := s.Since(), s.notModified[Sitemap].Load(); n != 10 || fresh != 1 {
		t.Errorf("since the start %d, %d", n, fresh)
	}
	s.Answered(Sitemap, 304, 0)
	if n, fresh := s.Since(), s.notModified[Sitemap].Load(); n != 1 || fresh != 2 {
		t.Errorf("since then %d, %d", n, fresh)
	}
}

func TestStrayedIsBounded(t *testing.T) {
	var p Process
	for _, status := range []int{421, 503, -7, 0, 600, 12345} {
		p.Strayed(status)
	}
	if got := p.Stray[0].Load(); got != 4 {
		t.Errorf("%d without a class", got)
	}
}

func TestSitesOfTheConfiguration(t *testing.T) {
	var s Sites
	a, b := s.Site("a"), s.Site("b")
	a.Queried("", 12, time.Second, nil)
	a.Queried("", 3, time.Second, errors.New("x"))
	if a != s.Site("a") || a.Rows.Load() != 15 || a.QueryErrors.Load() != 1 || a.QueryTime.Load() != 2 {
		t.Errorf("%d rows, %d errors, %v s", a.Rows.Load(), a.QueryErrors.Load(), a.QueryTime.Load())
	}
	if s.Retain([]string{"a"}); s.Site("a") != a || s.Site("b") == b {
		t.Error("not those of the configuration are retained")
	}
}

func TestHistogram(t *testing.T) {
	p := new(Process)
	for _, d := range []time.Duration{time.Microsecond, 10 * time.Millisecond, 11 * time.Millisecond, 500 * time.Second, time.Hour} {
		p.Took(Sitemap, d)
	}
	r := prometheus.NewRegistry()
	r.MustRegister(collector{func() Snapshot { return Snapshot{Process: p} }})
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "wpsitemapd_request_duration_seconds" {
			continue
		}
		for _, m := range f.Metric {
			h := m.GetHistogram()
			if m.Label[0].GetValue() != "sitemap" {
				continue
			}
			counts := map[float64]uint64{}
			for _, b := range h.Bucket {
				counts[b.GetUpperBound()] = b.GetCumulativeCount()
			}
			if h.GetSampleCount() != 5 || counts[0.0005] != 1 || counts[0.01] != 2 || counts[0.05] != 3 || counts[120] != 3 || counts[600] != 4 {
				t.Errorf("%d: %v", h.GetSampleCount(), counts)
			}
			if sum := h.GetSampleSum(); sum < 4100 || sum > 4101 {
				t.Errorf("sum %v", sum)
			}
			return
		}
	}
	t.Error("no histogram")
}

// A snapshot of nothing can be told, and every metric there may be has been described.
func TestCollector(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(collector{func() Snapshot {
		return Snapshot{Process: new(Process), Sites: []SiteSnapshot{
			{Name: "a", Counted: new(SiteCounts), Age: -1},
			{Name: "b", Counted: new(SiteCounts), Took: time.Second, IndexNow: &indexnow.Stats{Sent: 1}},
		}}
	}})
	if _, err := r.Gather(); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, name := range Names() {
		if !strings.HasPrefix(name, "wpsitemapd_") || seen[name] {
			t.Errorf("%q, or twice", name)
		}
		seen[name] = true
	}
}
