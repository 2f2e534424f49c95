// Package changes is the feed of writes to WordPress databases: what was written where, from whatever source knows
// it.
//
// A Feed is joined by every open database and answers with a Subscription, from which its owner takes an Event at a
// time. Events come from sources, a package below this one each. The fallback source watches every database; a better
// one, where a database asks for it, reports sooner and more exactly, and meanwhile the fallback only checks it.
// Start reading at Event, then at Feed.Join.
package changes

import (
	"maps"
	"slices"
	"time"
)

// Event is news of writes to one database. A nil *Event is no news.
type Event struct {
	Tables      map[string]bool // that were written, in full and in lower case; nil: it is not known which
	IDs         map[Kind]map[int64]bool
	Detail      Detail
	MaybeRepeat bool      // nothing may have been written since the last event
	Settled     time.Time // whoever reads after this moment sees all of it
}

// Kind is a kind of objects of one blog, which is known by its table of posts.
type Kind struct {
	Posts string // in full, in lower case
	Terms bool   // the ids are term_taxonomy_id, not posts
}

// Detail is how much an event says of its writes. Of two events together the lesser one holds.
type Detail uint8

// The grades of detail.
const (
	Vague    Detail = iota // nothing but tables, or not even those
	Covered                // each write was reported in detail, by this event or by one before
	Complete               // no other posts and terms were written than IDs has
)

// mostIDs is how many ids of a kind an event has. Of more it is vague.
const mostIDs = 500

// Unknown is an event of which nothing is known but that there may have been writes before a moment.
func Unknown(settled time.Time) *Event { return &Event{Settled: settled} }

// Merge returns an event that says what both do. It may change a, never b.
func Merge(a, b *Event) *Event {
	switch {
	case b == nil:
		return a
	case a == nil:
		clone := *b
		clone.Tables, clone.IDs = maps.Clone(b.Tables), nil
		clone.addIDs(b)
		return &clone
	}
	a.MaybeRepeat = a.MaybeRepeat && b.MaybeRepeat
	a.Detail = min(a.Detail, b.Detail)
	if b.Settled.After(a.Settled) {
		a.Settled = b.Settled
	}
	if a.Tables == nil || b.Tables == nil {
		a.Tables = nil
	} else {
		maps.Copy(a.Tables, b.Tables)
	}
	a.addIDs(b)
	return a
}

func (e *Event) addIDs(o *Event) {
	for kind, ids := range o.IDs {
		for id := range ids {
			e.Concern(kind, id)
		}
	}
}

// Concern adds an id.
func (e *Event) Concern(kind Kind, id int64) {
	ids := e.IDs[kind]
	switch {
	case ids[id]:
		return
	case len(ids) >= mostIDs:
		e.Detail = Vague
		return
	case ids == nil:
		ids = map[int64]bool{}
		if e.IDs == nil {
			e.IDs = map[Kind]map[int64]bool{}
		}
		e.IDs[kind] = ids
	}
	ids[id] = true
}

// Full reports whether another row of a table would add nothing to the event.
func (e *Event) Full(table string, kind Kind) bool {
	return e != nil && (e.Tables == nil || e.Tables[table] && e.Detail < Complete && len(e.IDs[kind]) >= mostIDs)
}

// Anywhere reports whether any table may have been written.
func (e *Event) Anywhere() bool { return e != nil && e.Tables == nil }

// AtLeast reports whether there is an event that says that much.
func (e *Event) AtLeast(d Detail) bool { return e != nil && e.Detail >= d }

// TableNames are the tables that were written, in full and in lower case, as far as they are known.
func (e *Event) TableNames() []string {
	if e == nil {
		return nil
	}
	return slices.Collect(maps.Keys(e.Tables))
}
