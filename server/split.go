package server

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"wpsitemapd/server/site"

	"wpsitemapd/server/store"

	"wpsitemapd/server/config"
)

// Daemons that share a Redis split their work. Catalogs are not handed around, since every daemon has
// its own at any time and keeps it fresh with deltas, which cost little. What costs much is to make sure
// of it by an audit, and one will do for all: the daemon that holds the lease of a site tells of each of
// its audits with a digest of what it has found. Who has the same, has nothing to audit. Who has
// something else audits at once. The same goes for pages: a copy is taken from another daemon if it was made
// of the same, and after all that is known to have changed.
//
// So an audit is left to another only where nobody waits for it, and only for a while. Without Redis, without the
// holder of the lease, or where that one is of another version or configuration, everything is as without others.
const (
	leastGrace = 5 * time.Second // for the result of another, beyond the time the audit was due …
	graceShare = 2               // … or so many times what the last one took
	// doubtPause is before an audit where another's result differs: a change that it has seen may be told
	// here in a moment.
	doubtPause = 3 * time.Second
)

// pace is how long audits and what is split wait. Tests are in a hurry.
type pace struct {
	lease, beat                       time.Duration // 0: those of package state
	firstAudit, lastAudit, auditEvery time.Duration
	grace, doubt                      time.Duration
}

var usualPace = pace{firstAudit: firstAudit, lastAudit: lastAudit, auditEvery: auditEvery, grace: leastGrace, doubt: doubtPause}

// heardOfAudit has a site's worker compare what another process has found.
func (s *Server) heardOfAudit(site string) {
	for _, w := range s.running() {
		if w.Config.Name == site {
			select {
			case w.elsewhere <- struct{}{}:
			default: // told already
			}
		}
	}
}

// tellAudit tells the other processes of an audit, which began at a time, and when the next one is due.
func (w *worker) tellAudit(began time.Time, next time.Duration) {
	now := w.Snapshot()
	if w.server.shared == nil || !w.sound(now) {
		return
	}
	w.side = now.AttachmentsHash()
	w.server.shared.SaveAudit(w.Config.Name, store.Audit{Sum: digestOf(now, &w.Config), Side: w.side, Began: began, Next: next})
}

// claims says whether the site can be read here: who cannot should not have its lease.
func (w *worker) claims(read bool) {
	if w.server.shared != nil {
		w.server.shared.Able(w.Config.Name, read)
	}
}

// sound reports whether what is known of a site is all there is, and not in doubt.
func (w *worker) sound(state *site.Snapshot) bool {
	_, alarmed := w.confirmation()
	return !alarmed && state.Err == nil && !state.FromStateOnly() && !state.Held() && state.Ready()
}

// splits reports whether another process audits the site. well: the last audit here has found all it was to.
func (w *worker) splits(well bool) bool {
	shared := w.server.shared
	return shared != nil && well && shared.Elsewhere(w.Config.Name) && w.sound(w.Snapshot())
}

// grace is how long a result of another is waited for.
func (w *worker) grace() time.Duration { return max(w.server.pace.grace, graceShare*w.took) }

// leaves reports whether an audit that is due is left to another process, whose result is waited for.
func (w *worker) leaves(a *agenda, now time.Time, well bool) bool {
	if a.own || !w.splits(well) {
		return false
	}
	a.own = true // unless it comes
	a.pending, a.latest = now.Add(w.grace()), time.Time{}
	a.regular = later(a.regular, a.pending)
	return true
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// compare deals with what another process has told of its last audit, and returns when it is to be
// asked again at the latest.
func (w *worker) compare(a *agenda, now time.Time, well bool) time.Duration {
	if !w.splits(well) {
		a.doubt = time.Time{}
		return never
	}
	audit, ok := w.server.shared.Audit(w.Config.Name)
	if !ok {
		return never
	}
	// The other one is trusted to come back in time, and half as much again: its turn may come late.
	next := min(audit.Next, 2*max(w.server.pace.lastAudit, beatAudits*w.Config.Refresh))
	if !a.own {
		a.regular = later(a.regular, audit.Began.Add(next+next/2+w.grace()))
	}
	if a.word != nil || !a.sees(audit.Began) {
		a.doubt = time.Time{}
		return never
	}
	if audit.Sum == digestOf(w.Snapshot(), &w.Config) {
		w.takeOver(a, audit)
		a.regular = later(now, audit.Began.Add(next+next/2+w.grace()))
		return never
	}
	if audit.Began.Before(a.found) { // it may be no other, only earlier
		a.doubt = time.Time{}
		return never
	}
	if a.doubt.IsZero() {
		a.doubt = now
	}
	if wait := a.doubt.Add(w.server.pace.doubt).Sub(now); wait > 0 {
		return wait
	}
	w.Log.Debug("another process has found something else, the site is read")
	a.soon(now)
	return never
}

// sees reports whether an audit that began at a time saw all that was told here, and something newer than
// the last one.
func (a *agenda) sees(began time.Time) bool {
	return began.After(a.audited) && !(a.all != nil && began.Before(a.all.Settled))
}

// takeOver does what an audit does that finds what is known.
func (w *worker) takeOver(a *agenda, audit store.Audit) {
	word := a.all
	a.all = nil
	a.over(audit.Began)
	now, at := time.Now(), w.server.now()
	aside := audit.Side != w.side
	w.side = audit.Side
	old := w.Snapshot()
	state := *old
	state.Blogs = make([]*site.Blog, len(old.Blogs))
	for i, b := range old.Blogs {
		next := *b
		next.Built = later(b.Built, at.Add(audit.Began.Sub(now)))
		n := total(census(&b.Outline))
		next.Readings = b.Noted(site.Reading{At: at, Kind: site.SharedReading, Reason: reasonFor(b, word), Before: n, After: n})
		if b.Catalog.Wider() || concerned(b, word, besideRows) || aside && concerned(b, word, []string{"posts"}) || unexplained(&next, b, word) {
			next.RevalidateBefore = now
		}
		next.UnexplainedWrite = false
		state.Blogs[i] = &next
	}
	w.Counted.TakenAudits.Add(1)
	w.Log.Debug("another process has audited the site and found what is known", "ago", now.Sub(audit.Began).Round(time.Millisecond))
	w.change(old, &state)
	w.server.pages.Warm(w.Site)
}

// digestOf is a text for all that an audit of a site finds, and for what it makes of it: the program and the
// configuration.
func digestOf(s *site.Snapshot, site *config.Site) string {
	h := sha256.New()
	opt, _ := OptionsOf(site, nil, nil) // the site is being served
	opt.Exclude.URLs = nil              // in listing
	fmt.Fprintf(h, "%s %q %+v\n", store.Program(), site.Listing(), opt)
	for _, b := range s.Blogs {
		fmt.Fprintf(h, "%q %q %v %v %v %v %q %d %d\n", b.Key(), b.Hosts, b.Network, b.Plain, b.Core, b.Robots, b.RobotsText, b.Fingerprint, b.Catalog.Digest())
	}
	for _, g := range s.Gone {
		fmt.Fprintf(h, "%q %q\n", g.Host, g.Path)
	}
	return hex.EncodeToString(h.Sum(nil))
}
