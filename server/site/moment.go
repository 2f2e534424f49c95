package site

import "time"

// A Moment is a time by the clock of the process. It orders events. All other times in this package are by the clock of
// the sites, which --as-of replaces.
type Moment struct{ time.Time }

// Now returns the current moment.
func Now() Moment { return Moment{time.Now()} }

// Ago returns the time since m.
func (m Moment) Ago() time.Duration { return time.Since(m.Time) }

// Before reports whether m is before o.
func (m Moment) Before(o Moment) bool { return m.Time.Before(o.Time) }
