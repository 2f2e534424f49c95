package changes

import "testing"

// Of more ids than an event has room for it is vague.
func TestManyIDs(t *testing.T) {
	kind := Kind{Posts: "wp_posts"}
	var e *Event
	for i := range int64(mostIDs + 1) {
		e = Merge(e, &Event{Detail: Complete, IDs: map[Kind]map[int64]bool{kind: {i: true}}})
	}
	if e.Detail != Vague || len(e.IDs[kind]) != mostIDs {
		t.Errorf("%v, %d ids", e.Detail, len(e.IDs[kind]))
	}
}

// What two events say together.
func TestMerge(t *testing.T) {
	posts := func() *Event {
		return &Event{Tables: map[string]bool{"wp_posts": true}, Detail: Complete, MaybeRepeat: true}
	}
	terms := &Event{Tables: map[string]bool{"wp_terms": true}, Detail: Covered}
	if e := Merge(posts(), terms); len(e.Tables) != 2 || e.Detail != Covered || e.MaybeRepeat {
		t.Errorf("%+v", e)
	}
	if e := Merge(Merge(nil, posts()), nil); !e.AtLeast(Complete) || !e.MaybeRepeat || e.Anywhere() {
		t.Errorf("%+v", e)
	}
	if e := Merge(posts(), &Event{}); !e.Anywhere() || e.AtLeast(Covered) || e.TableNames() != nil {
		t.Errorf("%+v", e)
	}
	if terms.Tables["wp_posts"] {
		t.Error("the second event is changed")
	}
	if e := (*Event)(nil); e.Anywhere() || e.AtLeast(Covered) {
		t.Error("no event says something")
	}
}
