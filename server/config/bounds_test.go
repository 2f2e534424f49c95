package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The time and memory for refusing a large configuration full of mistakes are in proportion to its size.
func TestConfigsBeyondBounds(t *testing.T) {
	many := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, text, want string }{
		{"too large a file", "# " + strings.Repeat("x", maxConfig), "is larger than"},
		{"50,000 unknown keys", many(50_000, "k%d = 1\n"), "unknown key"},
		{"50,000 dotted keys of two parts", many(50_000, "a%d.b = 1\n"), "unknown key"},
		{"10,000 sites without anything", strings.Repeat("[[site]]\n", 10_000), "every site needs a name"},
		{"10,000 sites of one name and host", strings.Repeat("[[site]]\nname='a'\ndsn='u@/d'\nhosts=['a.test']\n", 10_000), "has the same name"},
		{"a very long key", strings.Repeat("x", 1<<20) + " = 1\n", "unknown key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.toml")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Load(path)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.300v, want %q", err, tt.want)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > 1<<30 {
				t.Errorf("%d MB were needed for %d KB", made>>20, len(tt.text)>>10)
			}
		})
	}
}
