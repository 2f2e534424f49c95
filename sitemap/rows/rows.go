package rows

import (
	"maps"
	"slices"

	"wpsitemapd/sitemap/redirects"
	"wpsitemapd/wp/objects"
)

// Rows are the narrow rows from which a catalog was made; a post takes 40 bytes. A catalog that takes
// deltas keeps its rows.
type Rows struct {
	// A full scan reads these, and a delta replaces what has changed.
	Posts       map[string][]Post // by post type, in the order of ids
	users       []int64           // ids of the authors of posts; Post.author is an index of this slice
	numbers     map[int64]uint32  // index in users, by user id
	Terms       map[string]*Terms
	Authors     map[int64]Author     // every user that was judged
	editors     []int64              // users that are listed even without posts; nil if an author needs posts
	Recent      map[string][]Article // recent posts, by post type
	unreachable unreachable
	// redirected holds the objects that redirect rules can match. It is nil until FindRedirected has run.
	redirected *redirects.Means

	// Deltas count what they change, so that cached pages become stale.
	Changes map[string]uint32 // how often, by post type, a delta changed links of posts whose rows did not change
	Touched map[int64]uint16  // number of deltas that involved a post, by post id

	// The next delta starts with these.
	marks   objects.Marks
	decided map[int64]uint64 // hashes of the meta that decides about a post, by post; nil if there are too many
	due     int64            // when the next scheduled post becomes due, in Unix seconds; noDue if none is scheduled
	// DatesUnread reports whether the last delta after a write to the posts did not read the index type_status_date. A later delta
	// must read it. A delta that does not know which tables were written always reads it.
	DatesUnread bool
}

func newRows() Rows {
	return Rows{
		Posts: map[string][]Post{}, numbers: map[int64]uint32{}, Terms: map[string]*Terms{},
		Authors: map[int64]Author{}, Changes: map[string]uint32{}, Touched: map[int64]uint16{}, Recent: map[string][]Article{}, due: noDue,
	}
}

// number returns the index of a user in f.users. It adds the user if f.users does not contain the user.
func (f *Rows) number(user int64) uint32 {
	n, ok := f.numbers[user]
	if !ok {
		n = uint32(len(f.users))
		f.users = append(f.users, user)
		f.numbers[user] = n
	}
	return n
}

// clone returns a copy that a delta may change while a catalog still uses f. A delta replaces some fields as a whole: the posts of
// a type, decided, unreachable and redirected. clone does not copy these.
func (f *Rows) clone() Rows {
	c := *f
	c.Posts, c.numbers, c.Terms = maps.Clone(f.Posts), maps.Clone(f.numbers), maps.Clone(f.Terms)
	c.Authors, c.Changes, c.Touched = maps.Clone(f.Authors), maps.Clone(f.Changes), maps.Clone(f.Touched)
	c.users = slices.Clip(f.users)
	c.Recent = make(map[string][]Article, len(f.Recent))
	for name, articles := range f.Recent {
		c.Recent[name] = slices.Clone(articles)
	}
	return c
}
