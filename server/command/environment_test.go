package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/sample"
)

// A copy for tests lists nothing at level spec, whichever plugin is named, unless the operator says that it is production.
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
			if _, stdout, _ := runCommand(t, "export", "--config", config, "--csv"); (strings.Count(stdout, "\n") > 2) != tt.listed {
				t.Errorf("export: %.500s", stdout)
			}
			if code, stdout, _ := runCommand(t, "check", "--config", config); tt.listed == strings.Contains(stdout, "the environment is") && !strings.Contains(tt.rule, "plugin") {
				t.Errorf("check: %d %.2000s", code, stdout)
			}
		})
	}
}
