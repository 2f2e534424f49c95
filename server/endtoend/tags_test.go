package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A build without the binlog and without Redis works, is without the modules behind them, and says what it lacks.
func TestBuildTags(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil && name == "go" {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	deps, all := run("go", "list", "-deps", "-tags", "nobinlog,noredis", "."), run("go", "list", "-deps", ".")
	for _, module := range []string{"go-mysql-org", "pingcap", "shopspring", "redis/go-redis"} {
		if strings.Contains(deps, module) || !strings.Contains(all, module) {
			t.Errorf("%s: the tags make no difference", module)
		}
	}
	program := filepath.Join(t.TempDir(), "wpsitemapd")
	run("go", "build", "-tags", "nobinlog,noredis", "-o", program, ".")
	config := filepath.Join(t.TempDir(), "a.toml")
	site := "[[site]]\nname = \"a\"\ndsn = \"sqlite:/nowhere\"\n"
	for text, want := range map[string]string{
		site + "changes = \"binlog\"\n": `site "a": changes = "binlog", but this program was built without it (tag nobinlog): ` +
			`its tables are polled every second instead`,
		"state = \"redis://127.0.0.1\"\n" + site: `must be a folder: this program was built without Redis (tag noredis)`,
	} {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := run(program, "check", "--config", config); !strings.Contains(out, want) {
			t.Errorf("check says\n%s", out)
		}
	}
}
