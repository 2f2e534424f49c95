package objects

import "slices"

// A Tree holds the term_ids of the children of terms, by term_id. It is nil if the taxonomy is no tree.
type Tree map[int64][]int64

// Below returns the term_ids below id at any depth and adds them to seen. It skips terms that are in seen already,
// with the terms below them.
func (t Tree) Below(id int64, seen map[int64]bool) []int64 {
	var below []int64
	for open := slices.Clone(t[id]); len(open) > 0; {
		child := open[len(open)-1]
		open = open[:len(open)-1]
		if !seen[child] {
			seen[child] = true
			below = append(below, child)
			open = append(open, t[child]...)
		}
	}
	return below
}

// MarkInUse sets InUse of the terms of a taxonomy. A term is in use if it has objects or, in a tree, if a term below it
// has objects.
func (t Tree) MarkInUse(terms []*TermRow) {
	parents := map[int64][]int64{}
	for parent, children := range t {
		for _, child := range children {
			parents[child] = append(parents[child], parent)
		}
	}
	var open []int64
	for _, r := range terms {
		if r.Count > 0 && len(parents[r.ID]) > 0 {
			open = append(open, r.ID)
		}
	}
	above := map[int64]bool{} // the ancestors of terms with objects
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		for _, parent := range parents[id] {
			if !above[parent] {
				above[parent] = true
				open = append(open, parent)
			}
		}
	}
	for _, r := range terms {
		r.InUse = r.Count > 0 || above[r.ID]
	}
}
