package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/report"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// runCommand runs a command.
func runCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, func(string) string { return "" }, &out, &errs)
	return code, out.String(), errs.String()
}

// printed returns what a command prints, and fails the test if the command fails.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := runCommand(t, args...)
	if code != done {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout
}

// reported returns what a command prints as JSON.
func reported[T any](t *testing.T, args ...string) (code int, found T, stderr string) {
	t.Helper()
	code, stdout, stderr := runCommand(t, args...)
	if err := json.Unmarshal([]byte(stdout), &found); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	return code, found, stderr
}

// writeConfig writes a configuration and returns its path.
func writeConfig(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "wpsitemapd.toml")
	writeTo(t, path, text)
	return path
}

func writeTo(t *testing.T, path, text string) {
	t.Helper()
	wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestHelpTellsEverything(t *testing.T) {
	var overview bytes.Buffer
	printOverview(&overview, commands())
	for _, c := range commands() {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			c.printHelp(&b)
			help := b.String()
			want := []string{"wpsitemapd " + c.name + " - " + c.summary, "Usage:\n  wpsitemapd " +
				c.name, "Exit codes:\n  0  done\n", "Example:\n  wpsitemapd " + c.name}
			for _, o := range c.flags {
				if o.env == "" || o.help == "" {
					t.Errorf("--%s has no variable or no help", o.name)
				}
				want = append(want, "  --"+o.name, o.env)
				expect.Contains(t, c.synopsis, "--"+o.name, "the usage does not name --", o.name)
			}
			expect.Parts(t, help, want...)
			for line := range strings.Lines(help) {
				if utf8.RuneCountInString(line) > report.Width+6 {
					t.Errorf("a line of %d characters: %s", utf8.RuneCountInString(line), line)
				}
			}
			expect.Contains(t, overview.String(), c.summary, "the overview does not name", c.name)
		})
	}
}

func TestVersionLine(t *testing.T) {
	got, want := versionLine(metrics.Build{Version: "v1.2.3", Revision: "abc123", Modified: true, Go: "go1.26.0"}),
		"wpsitemapd v1.2.3, commit abc123 with changes, go1.26.0 "
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for number, want := range map[string]string{"v1.2.4": "wpsitemapd/1.2.4 (diff,", metrics.UnknownVersion: "wpsitemapd/devel (diff,"} {
		if got := userAgent("diff", number); !strings.HasPrefix(got, want) {
			t.Errorf("User-Agent %q", got)
		}
	}
}

func TestFreeAddress(t *testing.T) {
	for _, test := range []struct{ rule, listen, host string }{
		{"loopback", "127.0.0.1:0", "http://127.0.0.1:"},
		{"every address is visited by loopback", "0.0.0.0:0", "http://127.0.0.1:"},
		{"no address either", ":0", "http://127.0.0.1:"},
		{"a name stays", "localhost:0", "http://localhost:"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			address, home, err := freeAddress(test.listen)
			if err != nil || !strings.HasPrefix(home, test.host) || strings.HasSuffix(address, ":0") {
				t.Errorf("%q, %q, %v", address, home, err)
			}
		})
	}
}

func TestHangUpReloads(t *testing.T) {
	reloads := make(chan struct{}, 1)
	stop := onHangUp(func() { reloads <- struct{}{} })
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	wptest.Must(t, err)
	wptest.Must(t, self.Signal(syscall.SIGHUP))
	select {
	case <-reloads:
	case <-time.After(wptest.Patience):
		t.Error("SIGHUP did not reload")
	}
}

// Texts of a site cannot control the terminal they are printed on.
func TestPrintedTextsSteerNoTerminal(t *testing.T) {
	var b strings.Builder
	p := &program{stdout: &b}
	wptest.Must(t, p.print(said("site a\n  \x1b[31mred\u009b2J\u202eesrever\r über 大\n"), false))
	expect.Equal(t, b.String(), "site a\n  ?[31mred?2J?esrever? über 大\n")
}

type said string

func (s said) Text() string { return string(s) }

// A test copy of a site lists nothing at level spec, no matter which plugin is chosen, unless the operator declares it
// to be production.
func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	database := filepath.Join(dir, ".ht.sqlite")
	if err := sample.Create(t.Context(), database, "https://www.example.com"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rule, constant string
		keys           []string
		listed         bool
	}{
		{"none is told", "", nil, true},
		{"production", "production", nil, true},
		{"one that WordPress does not know", "qa", nil, true},
		{"staging", "staging", nil, false},
		{"development", "development", nil, false},
		{"staging, with Rank Math, which lists private sites", "staging", []string{`sitemaps = "rankmath"`}, false},
		{"staging, with WordPress' own sitemaps", "staging", []string{`sitemaps = "core"`}, false},
		{"staging at level plugin", "staging", []string{`compat = "plugin"`}, true},
		{"staging that the operator calls production", "staging", []string{`environment = "production"`}, true},
		{"a copy that says nothing", "", []string{`environment = "staging"`}, false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "wp-config.php")
			text := "<?php\n$table_prefix = 'wp_';\n"
			if tt.constant != "" {
				text += fmt.Sprintf("define('WP_ENVIRONMENT_TYPE', '%s');\n", tt.constant)
			}
			writeTo(t, file, text)
			config := siteOf(t, append(tt.keys, fmt.Sprintf("wp_config = %q\ndsn = %q", file, "sqlite:"+database))...)
			_, stdout, stderr := runCommand(t, "left-out", "--config", config, "--rule", "not production")
			if got := !strings.Contains(stdout, "not production"); got != tt.listed || strings.Contains(stderr, "panic") {
				t.Errorf("listed: %v\n%.2000s%s", got, stdout, stderr)
			}
			out := t.TempDir()
			_, stdout, _ = runCommand(t, "export", "--config", config, "--out", out)
			if files, _ := filepath.Glob(filepath.Join(out, "*sitemap*.xml")); (len(files) > 1) != tt.listed {
				t.Errorf("export: %v\n%.500s", files, stdout)
			}
			if code, stdout, _ := runCommand(t, "check", "--config", config); tt.listed == strings.Contains(stdout, "the environment is") &&
				!strings.Contains(tt.rule, "plugin") {
				t.Errorf("check: %d %.2000s", code, stdout)
			}
		})
	}
}
