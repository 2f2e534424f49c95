package changes

import (
	"testing"
	"time"
)

// A merged change set has the writes of both, and knows no more than the one that knows less.
func TestMerge(t *testing.T) {
	posts := func() *Set { return &Set{Tables: map[string]bool{"wp_posts": true}, MaybeRepeat: true} }
	terms := &Set{Tables: map[string]bool{"wp_terms": true}, Settled: time.Unix(1, 0)}
	if s := Merge(posts(), terms); len(s.Tables) != 2 || s.MaybeRepeat || !s.Settled.Equal(terms.Settled) {
		t.Errorf("%+v", s)
	}
	if s := Merge(Merge(nil, posts()), nil); !s.MaybeRepeat || s.Anywhere() {
		t.Errorf("%+v", s)
	}
	if s := Merge(posts(), &Set{}); !s.Anywhere() || s.TableNames() != nil {
		t.Errorf("%+v", s)
	}
	if terms.Tables["wp_posts"] {
		t.Error("the second change set was altered")
	}
	if s := (*Set)(nil); s.Anywhere() {
		t.Error("nothing was written, and it says anything was")
	}
}
