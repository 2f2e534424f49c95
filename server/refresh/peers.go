package refresh

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/refresh/guard"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// graceShare has the result of the leader waited for as long as so many full reads take.
const graceShare = 2

// peers are the other daemons that share a store with this one, and so its work. Catalogs are not handed around, since every
// daemon has its own at any time and keeps it fresh with deltas, which cost little. What costs much is to make sure of it by
// a full read, and one will do for all: the leader, which holds the lease of a site, tells of each of its full reads with a
// digest of what it has found. A daemon whose digest matches skips its own full read; one whose digest differs reads the site
// after a short pause.
//
// So a full read is left to the leader only where nobody waits for it, and only for a while. Without a shared store, without
// a leader, or where that one is of another version or configuration, everything is as without others.
type peers struct {
	site        *site.Site
	daemon      *Daemon
	attachments uint64 // hash of the attachments that the last full read saw, here or elsewhere
}

// shared is the store as one that is shared, nil where it is not.
func (p *peers) shared() store.Sharing {
	shared, _ := p.daemon.Store().(store.Sharing)
	return shared
}

// able says whether the site can be read here: who cannot should not have its lease.
func (p *peers) able(read bool) {
	if shared := p.shared(); shared != nil {
		shared.Able(p.site.Config.Name, read)
	}
}

// grace is how long a result of the leader is waited for, where a full read takes so long.
func (p *peers) grace(took time.Duration) time.Duration {
	return max(p.daemon.Pace().Grace, graceShare*took)
}

// tellPeers publishes a full read, which began at a time, to the other daemons, and when the next one is due.
func (r *Refresher) tellPeers(began time.Time) {
	now := r.site.Snapshot()
	shared := r.peers.shared()
	if shared == nil || !r.consistent(now) {
		return
	}
	r.peers.attachments = now.AttachmentsHash()
	audit := store.Audit{Sum: r.peers.digest(now), Side: r.peers.attachments, Began: began, Next: r.plan.regular.Sub(began)}
	shared.SaveAudit(r.site.Config.Name, audit)
}

// consistent reports whether what is known of a site is all there is, and not in doubt.
func (r *Refresher) consistent(now *site.Snapshot) bool {
	_, alarmed := r.guard.NextConfirmation()
	return !alarmed && now.Err == nil && !now.FromStateOnly() && !now.Held() && now.Ready()
}

// hasLeader reports whether another daemon reads the site for this one.
func (r *Refresher) hasLeader() bool {
	shared := r.peers.shared()
	return shared != nil && r.reads.well && shared.Elsewhere(r.site.Config.Name) && r.consistent(r.site.Snapshot())
}

// leaveToLeader reports whether a full read that is due is left to the leader, whose result is waited for.
func (r *Refresher) leaveToLeader(now time.Time) bool {
	return r.hasLeader() && r.plan.Defer(now.Add(r.peers.grace(r.reads.took)))
}

// compareWithLeader compares with what the leader has published of its last full read, and returns the time until it
// is to be asked again at the latest.
func (r *Refresher) compareWithLeader(now time.Time) time.Duration {
	if !r.hasLeader() {
		r.plan.NoDoubt()
		return never
	}
	audit, ok := r.peers.shared().Audit(r.site.Config.Name)
	if !ok {
		return never
	}
	// The leader is trusted to come back in time, and half as much again: its turn may come late.
	next := min(audit.Next, 2*max(r.daemon.Pace().LastRead, beatsPerRead*r.site.Config.Refresh))
	expected := audit.Began.Add(next + next/2 + r.peers.grace(r.reads.took))
	r.plan.Trust(expected)
	switch {
	case !r.plan.Comparable(audit.Began):
		r.plan.NoDoubt()
	case audit.Sum == r.peers.digest(r.site.Snapshot()):
		r.take(audit, r.plan.Take(audit.Began, now, expected))
	default:
		if wait := r.plan.Doubt(audit.Began, now, r.daemon.Pace().Doubt); wait > 0 {
			return wait
		}
		r.site.Log.Debug("another process has found something else, the site is read")
		r.plan.ReadSoon(now)
	}
	return never
}

// take does what a full read of an event does that finds what is known.
func (r *Refresher) take(audit store.Audit, event *changes.Event) {
	now, at := site.Now(), r.daemon.Now()
	otherAttachments := audit.Side != r.peers.attachments
	r.peers.attachments = audit.Side
	old := r.site.Snapshot()
	taken := *old
	taken.Blogs = make([]*site.Blog, len(old.Blogs))
	for i, b := range old.Blogs {
		next := *b
		next.Built = later(b.Built, at.Add(audit.Began.Sub(now.Time)))
		n := guard.Count(&b.Outline)
		next.Readings = b.Noted(site.Reading{At: at, Kind: site.SharedReading, Reason: reason(event, b), Before: n, After: n})
		attachments := otherAttachments && concerns(event, b, postTables)
		if b.Catalog.Wider() || concerns(event, b, pageTables()) || attachments || unexplained(event, &next, b) {
			next.RevalidateBefore = now
		}
		next.UnexplainedWrite = false
		taken.Blogs[i] = &next
	}
	r.site.Counted.TakenAudits.Add(1)
	r.site.Log.Debug("another process has audited the site and found what is known", "ago", now.Sub(audit.Began).Round(time.Millisecond))
	r.publish(old, &taken)
	r.tell.Pages()
}

// digest is a text for all that a full read of the site finds, and for what is made of it: the program and the configuration.
func (p *peers) digest(now *site.Snapshot) string {
	h := sha256.New()
	opt, _ := site.OptionsOf(&p.site.Config, nil, nil) // the site is being served
	opt.Exclude.URLs = nil                             // in Listing
	fmt.Fprintf(h, "%s %q %+v\n", store.Program(), p.site.Config.Listing(), opt)
	for _, b := range now.Blogs {
		fmt.Fprintf(h, "%q %q %v %v %v %v %q %d %d\n",
			b.Key(), b.Hosts, b.Network, b.Plain, b.Address.Plugin.Name, b.Robots, b.RobotsText, b.Fingerprint, b.Catalog.Digest())
	}
	for _, g := range now.Gone {
		fmt.Fprintf(h, "%q %q\n", g.Host, g.Path)
	}
	return hex.EncodeToString(h.Sum(nil))
}
