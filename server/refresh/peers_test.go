package refresh

import (
	"testing"
	"time"

	"wpsitemapd/server/changes"
)

func TestWhichFullReadsAreLeft(t *testing.T) {
	now := time.Now()
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	for name, c := range map[string]struct {
		do   func(*Plan)
		left bool
	}{
		"the one whose time has come": {func(p *Plan) { p.regular = now }, true},
		"the one after an edit that a delta found": {func(p *Plan) {
			p.EndDelta(Delta{Event: &changes.Event{}, Began: now, Found: true, Urgent: true}, now, 0)
		}, true},
		"not the one for what no delta has found": {
			func(p *Plan) { p.EndDelta(Delta{Event: &changes.Event{}, Began: now, Urgent: true}, now, 0) }, false,
		},
		"not the one that a change in settings asks for": {func(p *Plan) { p.ReadSoon(now) }, false},
		"the one on the beat of a site without deltas":   {func(p *Plan) { p.beat = now; p.Next(now, nil) }, true},
		"not the one for a write to such a site": {func(p *Plan) {
			p.event = &changes.Event{}
			p.Next(now, func(*changes.Event) []string { return nil })
		}, false},
		"the next one after one's own": {func(p *Plan) { p.ReadSoon(now); p.EndFullRead(now, now, 0, true, time.Hour); p.regular = now }, true},
	} {
		p := Plan{Refresh: time.Minute, regular: at(3600)}
		c.do(&p)
		if p.own == c.left {
			t.Errorf("%s: left %v", name, !p.own)
		}
	}
	for name, c := range map[string]struct {
		do   func(*Plan)
		sees bool
	}{
		"nothing happened since":       {func(*Plan) {}, true},
		"it began before one's own":    {func(p *Plan) { p.EndFullRead(at(11), at(12), time.Second, true, time.Hour) }, false},
		"it is the one taken over":     {func(p *Plan) { p.confirmed(at(10)) }, false},
		"it began after what was told": {func(p *Plan) { p.Tell(&changes.Event{Settled: at(9)}) }, true},
		"it may have missed what was":  {func(p *Plan) { p.Tell(&changes.Event{Settled: at(11)}) }, false},
	} {
		p := Plan{Refresh: time.Minute}
		p.EndFullRead(at(0), at(1), time.Second, true, time.Hour)
		c.do(&p)
		if p.sees(at(10)) != c.sees {
			t.Errorf("%s: %v", name, !c.sees)
		}
	}
}
