package stream

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A build with the tag nobinlog works, is without the modules behind this package, and says
// what it lacks.
func TestWithoutIt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = "../../../.."
		out, err := cmd.CombinedOutput()
		if err != nil && name == "go" {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	deps := run("go", "list", "-deps", "-tags", "nobinlog", ".")
	for _, module := range []string{"go-mysql-org", "pingcap", "shopspring"} {
		if strings.Contains(deps, module) {
			t.Errorf("it depends on %s", module)
		}
	}
	if with := run("go", "list", "-deps", "."); !strings.Contains(with, "go-mysql-org") {
		t.Error("the test would not notice")
	}
	program := filepath.Join(t.TempDir(), "wpsitemapd")
	run("go", "build", "-tags", "nobinlog", "-o", program, ".")
	config := filepath.Join(t.TempDir(), "a.toml")
	text := "[[site]]\nname = \"a\"\ndsn = \"sqlite:/nowhere\"\nchanges = \"binlog\"\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(program, "check", "--config", config); !strings.Contains(out,
		`site "a": changes = "binlog", but this program was built without it (tag nobinlog): its tables are polled every second instead`) {
		t.Errorf("check says\n%s", out)
	}
}
