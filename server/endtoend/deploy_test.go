package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/server"
)

// exposure is the most that systemd-analyze security may find in the unit: 2.0 of 10, which it
// calls OK.
const exposure = "20"

func TestUnit(t *testing.T) {
	analyze := program(t, required, "systemd-analyze")
	self, err := os.Executable() // the unit is checked for a program that is there
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t)
	service, socket := filepath.Join(dir, "wpsitemapd.service"), filepath.Join(dir, "wpsitemapd.socket")
	write(t, service, deployed(t, "wpsitemapd.service", "/usr/local/bin/wpsitemapd", self))
	write(t, socket, deployed(t, "wpsitemapd.socket"))
	for _, args := range [][]string{
		{"verify", service, socket},
		{"security", "--no-pager", "--offline=true", "--threshold=" + exposure, service},
	} {
		out, err := exec.Command(analyze, args...).CombinedOutput()
		if err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestUnitConfiguration loads the configurations as the unit and the container have them.
func TestUnitConfiguration(t *testing.T) {
	dir := folder(t)
	write(t, filepath.Join(dir, "dsn"), "sitemaps:a:b/@unix(/run/mysqld/mysqld.sock)/example\n")
	if err := os.Chmod(filepath.Join(dir, "dsn"), 0o400); err != nil { // as systemd has it
		t.Fatal(err)
	}
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	t.Setenv("STATE_DIRECTORY", filepath.Join(dir, "state"))
	t.Setenv("SITEMAPS_PASSWORD", "a:b/")
	for name, dsn := range map[string]string{
		"wpsitemapd.toml": "sitemaps:a:b/@unix(/run/mysqld/mysqld.sock)/example",
		"docker.toml":     "sitemaps:a:b/@tcp(db:3306)/wordpress",
	} {
		c, err := server.LoadConfig(filepath.Join(root, "testdata", "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Warnings) > 0 || len(c.Sites) != 1 || c.Sites[0].DSN.Reveal() != dsn || c.State == "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// Passwords of docker-compose.yml.
var passwords = []string{"SITEMAPS_PASSWORD=a", "WORDPRESS_PASSWORD=b", "MARIADB_ROOT_PASSWORD=c"}

// TestCompose reads docker-compose.yml with Compose itself, which needs no engine for that.
func TestCompose(t *testing.T) {
	compose := program(t, required, "docker-compose")
	for _, test := range []struct {
		rule string
		env  []string
		ok   bool
	}{{"with every password", passwords, true}, {"without one", passwords[1:], false}} {
		t.Run(test.rule, func(t *testing.T) {
			cmd := exec.Command(compose, "--file", filepath.Join(root, "docker-compose.yml"), "config", "--quiet")
			cmd.Env = append(os.Environ(), test.env...)
			if out, err := cmd.CombinedOutput(); (err == nil) != test.ok {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	lint := program(t, required, "yamllint")
	files, err := filepath.Glob(filepath.Join(root, "testdata", "deploy", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	rules := "{extends: default, rules: {line-length: {max: 130}, document-start: disable}}"
	out, err := exec.Command(lint, append([]string{"--strict", "-d", rules, filepath.Join(root, "docker-compose.yml")}, files...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

var (
	mounted = regexp.MustCompile(`(?m)^ +- \./(\S+?):`)
	copied  = regexp.MustCompile(`(?m)^COPY ([^-\n].*) \S+$`)
)

// TestContainerFiles looks whether what the containers are given is there.
func TestContainerFiles(t *testing.T) {
	for file, form := range map[string]*regexp.Regexp{"docker-compose.yml": mounted, "Dockerfile": copied} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		found := form.FindAllStringSubmatch(string(text), -1)
		if len(found) < 2 {
			t.Errorf("%s names %q", file, found)
		}
		for _, m := range found {
			for _, name := range strings.Fields(m[1]) {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	}
}
