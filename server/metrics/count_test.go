package metrics

import (
	"errors"
	"runtime/debug"
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
	if s.Queries.Load() != 2 || s.QueryErrors.Load() != 1 || s.QueryTime.load() != 2 {
		t.Errorf("%d of %d, %v s", s.QueryErrors.Load(), s.Queries.Load(), s.QueryTime.load())
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

func TestBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.modified", Value: "true"},
	}}
	expect.Equal(t, buildOf(info), Build{"v1.2.3", "abc123", true, "go1.26.0"})
	expect.Equal(t, buildOf(&debug.BuildInfo{GoVersion: "go1.26.0"}), Build{UnknownVersion, "unknown", false, "go1.26.0"}, "nothing is known")
	t.Cleanup(func() { linked = "" })
	linked = "1.2.4"
	expect.Equal(t, buildOf(info).Version, linked, "the linker's is", "and the program says")
}

func TestHistory(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)
	var h History
	expect.Equal(t, h.First(), Point{}, "there is something at the beginning")
	expect.Equal(t, len(h.Points()), 0, "there is something at the beginning")
	var kept []Point
	for i := range 3 * dayPoints {
		kept = append(kept, Point{At: at.Add(time.Duration(i) * Every), URLs: i, Build: time.Duration(i) * time.Millisecond, Fetches: i * 2})
		h.Add(kept[i], 1)
	}
	points := h.Points()
	if last := points[len(points)-1]; len(points) != dayPoints || last != kept[len(kept)-1] ||
		last.At.Sub(points[0].At) != day || h.First() != points[0] {
		t.Errorf("%d points from %v to %v, first %v", len(points), points[0], last, h.First())
	}
	var again History // begun with what was kept
	again.Begin(kept)
	if got := again.Points(); len(got) != dayPoints || got[dayPoints-1] != kept[len(kept)-1] {
		t.Errorf("begun with %d points", len(got))
	}
	if again.Begin(kept[:1]); len(again.Points()) != dayPoints {
		t.Error("what is there is given up")
	}
	h.Add(Point{At: at.Add(30 * Every), URLs: 7}, 1)
	if points = h.Points(); len(points) != 1 || points[0].URLs != 7 {
		t.Errorf("the clock was set back, and points from the future stay: %v", points)
	}
}

// If there are very many sites, each remembers fewer points, and all together remember no more.
func TestHistoryIsBounded(t *testing.T) {
	for sites, want := range map[int]int{0: dayPoints, 1000: dayPoints, 10_000: 20, 1_000_000: minPoints} {
		var h History
		for i := range 2 * dayPoints {
			h.Add(Point{At: time.Unix(0, 0).Add(time.Duration(i) * Every)}, sites)
		}
		if got := h.Points(); len(got) != want || cap(h.points) > want*5/4 {
			t.Errorf("%d sites: %d points, room for %d, want %d", sites, len(got), cap(h.points), want)
		}
	}
}
