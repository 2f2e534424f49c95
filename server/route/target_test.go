package route

import (
	"fmt"
	"testing"
)

// Whoever asks with ever new addresses takes no more than so much memory.
func TestTargetsAreBounded(t *testing.T) {
	var all targets
	for i := range 3 * mostTargets {
		all.keep(requested{"a.test", fmt.Sprint("/post-sitemap.xml?", i)}, new(Target))
		if len(all.kept) > mostTargets {
			t.Fatalf("%d targets", len(all.kept))
		}
	}
	if all.get(requested{"a.test", fmt.Sprint("/post-sitemap.xml?", 3*mostTargets-1)}) == nil {
		t.Error("the last one is forgotten")
	}
}
