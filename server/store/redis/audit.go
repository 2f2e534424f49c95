package redis

import (
	"path/filepath"
	"time"

	"wpsitemapd/server/store"
)

// auditName is the note that it is written as.
const auditName = "audit"

func auditPath(site string) string { return filepath.Join(site, auditName+store.NoteSuffix) }

// writtenAudit is the value of that note.
type writtenAudit struct {
	Sum   string
	Side  uint64    `json:",string"`
	Began time.Time // by the clock of Redis
	Next  time.Duration
}

// foundAudit is one as it was read last.
type foundAudit struct {
	text string
	store.Audit
}

// clock is what the clock of a server has shown between two moments of this process. Clocks of machines differ; the
// time it gives for an event is too early by as long as the answer took, never too late.
type clock struct{ shown, before, after time.Time }

func (c clock) there(here time.Time) time.Time { return c.shown.Add(here.Sub(c.after)) }
func (c clock) here(there time.Time) time.Time { return c.before.Add(there.Sub(c.shown)) }

// There turns a moment of this process into one by the clock of Redis, as it is the same for all; ok is
// false while that is not known. Here turns it back, into one of another process.
func (r *Store) There(site string, here time.Time) (there time.Time, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.clocks[store.SiteDir(site)]
	return c.there(here), ok
}

// Here is the reverse of There.
func (r *Store) Here(site string, there time.Time) (here time.Time, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.clocks[store.SiteDir(site)]
	return c.here(there), ok
}

// SaveAudit publishes an audit to the other processes, as soon and as long as this one holds the lease.
func (r *Store) SaveAudit(site string, a store.Audit) {
	n := store.Note{Site: site, Name: auditName}
	j := store.NoteJob(n, nil, nil)
	j.Encode = func() ([]byte, error) {
		began, ok := r.There(site, a.Began) // known to who holds the lease
		if !ok {
			return nil, errBusy
		}
		return store.EncodeNote(n, writtenAudit{a.Sum, a.Side, began.UTC(), a.Next}, nil)
	}
	r.saveRecord(j)
}

// Audit returns the last published audit of a site; ok is false where there is none, or Redis does not answer.
func (r *Store) Audit(site string) (a store.Audit, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.audits[store.SiteDir(site)]
	return found.Audit, ok && r.up
}

// Elsewhere reports whether another process holds the lease of a site.
func (r *Store) Elsewhere(site string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.leases[store.SiteDir(site)]
	return r.up && l.token != "" && l.until.IsZero() && time.Since(l.seen) < r.Lease
}

// audited takes up the audit of a site as it is written, "" for none.
func (r *Store) audited(dir, text string) {
	r.mu.Lock()
	c, name, same := r.clocks[dir], r.names[dir], r.audits[dir].text == text
	if text == "" {
		delete(r.audits, dir)
	}
	r.mu.Unlock()
	if same || text == "" {
		return
	}
	n := store.Note{Site: name, Name: auditName}
	var w writtenAudit
	if _, ok := store.ReadNote(func(_, _ string, decode func([]byte) error) bool { return decode([]byte(text)) == nil }, n, &w); !ok {
		r.Note(n, &w) // Note drops what is damaged
		return
	}
	began := c.here(w.Began)
	if began.After(time.Now()) {
		return // the clock of Redis was put back
	}
	r.mu.Lock()
	r.audits[dir] = foundAudit{text, store.Audit{Sum: w.Sum, Side: w.Side, Began: began, Next: w.Next}}
	r.mu.Unlock()
	if r.Audited != nil {
		r.Audited(name)
	}
}
