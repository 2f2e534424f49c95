package writes

import (
	"maps"
	"slices"
	"time"
)

// A Set is a change set: which tables of one database were written. A nil *Set means that no table was written.
type Set struct {
	Tables      map[string]bool // full names in lower case; nil: any table may have been written
	Blogs       []int64         // other blogs of a network that have published something
	MaybeRepeat bool            // perhaps nothing was written since the previous change set
	Settled     time.Time       // a reading that begins after this time sees all of these writes
}

// Anything returns the change set of a database in which any table may have been written before settled.
func Anything(settled time.Time) *Set { return &Set{Settled: settled} }

// Merge returns a change set with the writes of both a and b. It may change a, but not b.
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

// Anywhere reports whether any table may have been written, because the tables are not known.
func (s *Set) Anywhere() bool { return s != nil && s.Tables == nil }

// Covers reports whether s contains every table of o.
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

// TableNames returns the full names in lower case of the tables that were written. It returns nil if they are not known.
func (s *Set) TableNames() []string {
	if s == nil {
		return nil
	}
	return slices.Collect(maps.Keys(s.Tables))
}

// Nothing reports whether the set is known to contain no table.
func (s *Set) Nothing() bool { return s != nil && s.Tables != nil && len(s.Tables) == 0 }
