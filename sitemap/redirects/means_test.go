package redirects

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Ids that no object can have are skipped. A number may also be a name.
func TestMeansOfNumbers(t *testing.T) {
	m := (&Rules{}).Means(nil)
	for _, text := range []string{"", "0", "-3", "1", "17"} {
		m.text(text)
	}
	if diff := cmp.Diff([]int64{1, 17}, slices.Sorted(maps.Keys(m.Posts))); diff != "" || !maps.Equal(m.Posts, m.Terms) {
		t.Errorf("%v, %v: want (-), got (+):\n%s", m.Posts, m.Terms, diff)
	}
	if !m.Slugs["17"] || m.Slugs[""] {
		t.Errorf("%v", m.Slugs)
	}
}
