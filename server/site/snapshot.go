// Package site has what is known of an install at one moment: values that its refresher makes and everybody else reads.
// Snapshot is the whole, Blog one home URL in it. Start with snapshot.go.
package site

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/wp"
)

// A Snapshot is the immutable state of an install at one moment, published by its refresher.
type Snapshot struct {
	Blogs    []*Blog      // in the order of their ids
	Gone     []wp.BlogRow // archived, deleted and spam blogs
	Restored bool         // Blogs and Gone are from the store.
	Opened   bool         // The database has been read at least once.
	Err      error        // Err is why the last attempt failed; nil after a good one.
	Since    time.Time    // Since is when Err began, or being well.
	Failures int          // Failures are the attempts that failed since the start.
}

// Blog returns the blog of a key, nil where there is none.
func (s *Snapshot) Blog(key string) *Blog {
	number, _, _ := strings.Cut(key, " ")
	id, _ := strconv.ParseInt(number, 10, 64) // 0 of what is no key
	for _, b := range s.Of(id) {
		if b.Key() == key {
			return b
		}
	}
	return nil
}

// Of returns the blogs of an id, one for every language with a home of its own.
func (s *Snapshot) Of(id int64) []*Blog {
	from, to := s.places(id)
	return s.Blogs[from:to:to]
}

// With returns the snapshot with other blogs of an id.
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

// SamePlaces reports whether routes to the blogs of two snapshots are the same.
func (s *Snapshot) SamePlaces(o *Snapshot) bool {
	same := func(a, b *Blog) bool {
		return a == b || a.Key() == b.Key() && a.Address.Path == b.Address.Path && a.Network == b.Network && slices.Equal(a.Hosts, b.Hosts)
	}
	return s.Known() == o.Known() && s.FromStateOnly() == o.FromStateOnly() && s.Tried() == o.Tried() &&
		slices.Equal(s.Gone, o.Gone) && slices.EqualFunc(s.Blogs, o.Blogs, same)
}

// FromStateOnly reports whether the blogs are those that were remembered: there may be others by now.
func (s *Snapshot) FromStateOnly() bool { return s.Restored && !s.Opened }

// Known reports whether it is known which blogs there are, from the database or from the store.
func (s *Snapshot) Known() bool { return s.Opened || s.Restored }

// Tried reports whether the database was read, or could not be.
func (s *Snapshot) Tried() bool { return s.Opened || !s.Since.IsZero() }

// Ready reports whether every blog has a catalog. A blog of a network whose settings cannot be read, such as one that was
// half created, has none, and keeps nothing from being served.
func (s *Snapshot) Ready() bool {
	return s.Known() && !slices.ContainsFunc(s.Blogs, func(b *Blog) bool { return !b.Known() && !b.Unreadable })
}

// Held reports whether a blog is served from its stored pages alone.
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

// CollapseLeast is how many addresses must be lost for an alarm, by a site or a type: on a small site a few deletions are
// half of it.
const CollapseLeast = 10

// Fell reports whether so large a part of a number is gone that it is no everyday change.
func Fell(before, now int, share float64) bool {
	return before-now >= CollapseLeast && float64(before-now) > share*float64(before)
}
