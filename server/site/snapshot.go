// Package site contains what is known of an install at one moment. Its refresher makes these values, and all other code
// only reads them. A Snapshot is the state of the whole install; a Blog is one home URL in it. Start with snapshot.go.
package site

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/wp"
)

// A Snapshot is the immutable state of an install at one moment. The refresher of the install publishes it.
type Snapshot struct {
	Blogs    []*Blog      // sorted by id
	Gone     []wp.BlogRow // archived, deleted and spam blogs
	Restored bool         // Blogs and Gone come from the store.
	Opened   bool         // the database was read at least once
	Err      error        // why the last attempt failed; nil: it succeeded
	Since    time.Time    // the time since which every attempt has had the outcome of the last one; zero: no attempt was made
	Failures int          // failed attempts since the start
}

// Blog returns the blog with a key; nil if there is none.
func (s *Snapshot) Blog(key string) *Blog {
	number, _, _ := strings.Cut(key, " ")
	id, _ := strconv.ParseInt(number, 10, 64) // 0 if key is not valid
	for _, b := range s.Of(id) {
		if b.Key() == key {
			return b
		}
	}
	return nil
}

// Of returns the blogs with an id: one for every language that has its own home.
func (s *Snapshot) Of(id int64) []*Blog {
	from, to := s.places(id)
	return s.Blogs[from:to:to]
}

// With returns a copy of the snapshot in which blogs replaces all blogs whose id is id.
func (s *Snapshot) With(id int64, blogs []*Blog) *Snapshot {
	from, to := s.places(id)
	next := *s
	next.Blogs = slices.Concat(s.Blogs[:from], blogs, s.Blogs[to:])
	return &next
}

func (s *Snapshot) places(id int64) (from, to int) {
	from, _ = slices.BinarySearchFunc(s.Blogs, id, func(b *Blog, id int64) int { return cmp.Compare(b.ID, id) })
	for to = from; to < len(s.Blogs) && s.Blogs[to].ID == id; to++ {
	}
	return from, to
}

// SamePlaces reports whether the routing table may stay if o replaces s. Both must have the same blogs at the same hosts and paths, the
// same blogs that are gone, and the same results of Known, FromStateOnly and Tried.
func (s *Snapshot) SamePlaces(o *Snapshot) bool {
	same := func(a, b *Blog) bool {
		return a == b || a.Key() == b.Key() && a.Address.Path == b.Address.Path && a.Network == b.Network && slices.Equal(a.Hosts, b.Hosts)
	}
	return s.Known() == o.Known() && s.FromStateOnly() == o.FromStateOnly() && s.Tried() == o.Tried() &&
		slices.Equal(s.Gone, o.Gone) && slices.EqualFunc(s.Blogs, o.Blogs, same)
}

// FromStateOnly reports whether only the store says which blogs there are. There may be other blogs by now.
func (s *Snapshot) FromStateOnly() bool { return s.Restored && !s.Opened }

// Known reports whether the database or the store has told which blogs there are.
func (s *Snapshot) Known() bool { return s.Opened || s.Restored }

// Tried reports whether somebody has tried to read the database, successfully or not.
func (s *Snapshot) Tried() bool { return s.Opened || !s.Since.IsZero() }

// Ready reports whether every blog has a catalog. It ignores blogs of a network whose settings cannot be read, such as
// half-created ones.
func (s *Snapshot) Ready() bool {
	return s.Known() && !slices.ContainsFunc(s.Blogs, func(b *Blog) bool { return !b.Known() && !b.Unreadable })
}

// Held reports whether at least one blog is served from its stored pages only.
func (s *Snapshot) Held() bool {
	return slices.ContainsFunc(s.Blogs, func(b *Blog) bool { return b.HeldBy != "" })
}

// Serving says what visitors get while the database cannot be read.
func (s *Snapshot) Serving() string {
	if slices.ContainsFunc(s.Blogs, (*Blog).Known) {
		return "cached pages"
	}
	return "503 for sitemaps"
}

// collapseLeast is how many objects a site or a type must lose at least for an alarm. On a small site, a few deletions
// are already half of the objects.
const collapseLeast = 10

// Fell reports whether a number fell by more than a share, and by at least collapseLeast.
func Fell(before, now int, share float64) bool {
	return before-now >= collapseLeast && float64(before-now) > share*float64(before)
}
