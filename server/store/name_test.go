package store

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	texts := []string{
		"a", "A", "a.b", "a%2eb", "..", ".", "", "/", "ä", strings.Repeat("x", 100), strings.Repeat("x", 101), strings.Repeat("x", 102),
		strings.Repeat("ü", 100), "a~b", "new", "lock",
	}
	seen := map[string]string{}
	for _, text := range texts {
		name := safe(text)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %q", text, other, name)
		}
		seen[name] = text
		if len(name) > 160 || strings.ContainsAny(name, "/.\x00") || name == "" {
			t.Errorf("%q becomes %q", text, name)
		}
	}
	if BlogDir("a", "1 https://a.test") == BlogDir("a", "1 https://b.test") {
		t.Error("a blog that moved is the same one")
	}
	if len(slices.Collect(maps.Keys(seen))) != len(texts) {
		t.Error("names are lost")
	}
}
