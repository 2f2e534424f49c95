package changes

import (
	"maps"
	"slices"
	"time"
)

// A Set is a change set: which tables of one database were written. A nil *Set says that none was.
type Set struct {
	Tables      map[string]bool // in full and in lower case; nil: it is not known which
	Blogs       []int64         // further blogs of a network that have published something
	MaybeRepeat bool            // perhaps nothing was written since the change set before
	Settled     time.Time       // a reading that begins later sees all of it
}

// Anything returns the change set of a database of which any table may have been written before a moment.
func Anything(settled time.Time) *Set { return &Set{Settled: settled} }

// Merge returns a change set with the writes of both. It may change a, never b.
func Merge(a, b *Set) *Set {
	switch {
	case b == nil:
		return a
	case a == nil:
		clone := *b
		clone.Tables, clone.Blogs = maps.Clone(b.Tables), slices.Clone(b.Blogs)
		return &clone
	}
	a.MaybeRepeat = a.MaybeRepeat && b.MaybeRepeat
	if b.Settled.After(a.Settled) {
		a.Settled = b.Settled
	}
	for _, id := range b.Blogs {
		if !slices.Contains(a.Blogs, id) {
			a.Blogs = append(a.Blogs, id)
		}
	}
	if a.Tables == nil || b.Tables == nil {
		a.Tables = nil
	} else {
		maps.Copy(a.Tables, b.Tables)
	}
	return a
}

// Anywhere reports whether any table may have been written.
func (s *Set) Anywhere() bool { return s != nil && s.Tables == nil }

// Covers reports whether every table that another set names is one of this one's.
func (s *Set) Covers(o *Set) bool {
	switch {
	case s.Anywhere() || o.Nothing():
		return true
	case s == nil || o.Anywhere():
		return false
	}
	for name := range o.Tables {
		if !s.Tables[name] {
			return false
		}
	}
	return true
}

// TableNames returns the tables that were written, in full and in lower case, as far as they are known.
func (s *Set) TableNames() []string {
	if s == nil {
		return nil
	}
	return slices.Collect(maps.Keys(s.Tables))
}

// Nothing reports whether none of the tables was written that are looked at.
func (s *Set) Nothing() bool { return s != nil && s.Tables != nil && len(s.Tables) == 0 }
