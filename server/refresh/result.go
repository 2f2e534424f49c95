package refresh

import "wpsitemapd/wp/db"

// result is how a full scan ended.
type result uint8

// The results.
const (
	nothingRead result = iota // no blog was read
	someRead                  // some blogs were read, others failed
	allRead                   // everything due was read
)

// mostSilent is how many blogs in a row may get no answer from their database before the scan of a network ends.
const mostSilent = 3

// tally counts the results of a full scan, blog by blog.
type tally struct {
	network bool
	tried   int
	read    int // blogs whose database answered; in a network, an error is an answer too
	silent  int // blogs in a row whose database did not answer
	failed  []error
	cut     bool // the scan must end, because the database does not answer any more
}

// note counts the result of one blog.
func (t *tally) note(err error) {
	t.tried++
	t.silent++
	if err == nil || t.network && !db.Unreachable(err) {
		t.read, t.silent = t.read+1, 0
	}
	if err != nil {
		t.failed = append(t.failed, err)
	}
	t.cut = t.network && t.silent == mostSilent
}

// result returns the result of the scan. If no blog of a network was due, everything was read.
func (t *tally) result() result {
	switch {
	case t.read == 0 && (t.tried > 0 || !t.network):
		return nothingRead
	case len(t.failed) > 0:
		return someRead
	}
	return allRead
}
