package redirects

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Ids that no object can have are not asked for; a number may be a name, too.
func TestMeansOfNumbers(t *testing.T) {
	m := &means{slugs: map[string]bool{}, posts: map[int64]bool{}, terms: map[int64]bool{}}
	for _, text := range []string{"", "0", "-3", "1", "17"} {
		m.text(text)
	}
	if diff := cmp.Diff([]int64{1, 17}, slices.Sorted(maps.Keys(m.posts))); diff != "" || !maps.Equal(m.posts, m.terms) {
		t.Errorf("%v, %v: want (-), got (+):\n%s", m.posts, m.terms, diff)
	}
	if !m.slugs["17"] || m.slugs[""] {
		t.Errorf("%v", m.slugs)
	}
}
