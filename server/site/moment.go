package site

import "time"

// A Moment is a time by the clock of the process, which says what happened before what. Every other time of this package is by
// the clock of the sites, which --as-of replaces.
type Moment struct{ time.Time }

// Now is the present moment.
func Now() Moment { return Moment{time.Now()} }

// Ago is the time since then.
func (m Moment) Ago() time.Duration { return time.Since(m.Time) }

// Before reports whether a moment is before another one.
func (m Moment) Before(o Moment) bool { return m.Time.Before(o.Time) }
