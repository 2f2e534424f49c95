package refresh

import "wpsitemapd/wp/db"

// result is how a full scan has ended.
type result uint8

// The results.
const (
	nothingRead result = iota // no blog was read
	someRead                  // blogs were read, and others failed
	allRead                   // all was read that was to be read
)

// mostSilent blogs in a row whose database does not answer cut a scan of a network short.
const mostSilent = 3

// tally counts what becomes of the blogs that a full scan tries.
type tally struct {
	network bool
	tried   int
	read    int // of a network a blog counts that its database answers for, also with an error
	silent  int // in a row
	failed  []error
	cut     bool // the database has stopped answering
}

// note counts one blog.
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

// result is that of the scan. A network of which no blog was due was read: its list was.
func (t *tally) result() result {
	switch {
	case t.read == 0 && (t.tried > 0 || !t.network):
		return nothingRead
	case len(t.failed) > 0:
		return someRead
	}
	return allRead
}
