package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// exposure is the most that systemd-analyze security may find in the unit: 2.0 of 10, which it
// calls OK.
const exposure = "20"

func TestUnit(t *testing.T) {
	analyze := wptest.Program(t, required, "systemd-analyze")
	self, err := os.Executable() // the unit is checked for a program that is there
	wptest.Must(t, err)
	dir := wptest.Folder(t)
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

// TestInstallation runs the installation for systemd into a folder: on a machine without wpsitemapd, and on one where it
// is configured already, of which nothing may be lost. The unit that is there then is one, and the service may read
// what only it may read.
func TestInstallation(t *testing.T) {
	analyze := wptest.Program(t, required, "systemd-analyze")
	script, err := filepath.Abs(filepath.Join(root, "docs", "deploy", "install-systemd.sh"))
	wptest.Must(t, err)
	self, err := os.Executable()
	wptest.Must(t, err)
	stubs := wptest.Folder(t) // of what would change the machine
	for _, name := range []string{"groupadd", "chgrp", "systemctl"} {
		write(t, filepath.Join(stubs, name), "#!/bin/sh\necho "+name+" \"$@\" >> \"$CALLS\"\n")
		wptest.Must(t, os.Chmod(filepath.Join(stubs, name), 0o755))
	}
	for _, test := range []struct {
		rule, config, account string
	}{{"a new machine", "", ""}, {"one that is configured", "# mine, with a password\n", "me:mine@tcp(db)/x\n"}} {
		t.Run(test.rule, func(t *testing.T) {
			dir := wptest.Folder(t)
			config, account, unit := filepath.Join(dir,
				"etc/wpsitemapd.toml"), filepath.Join(dir, "etc/wpsitemapd.dsn"), filepath.Join(dir, "etc/systemd/system/wpsitemapd.service")
			wantConfig, wantAccount := deployed(t, "wpsitemapd.toml"), "sitemaps:secret@unix(/run/mysqld/mysqld.sock)/example\n"
			if test.config != "" {
				write(t, config, test.config) // for everybody, as an editor leaves it
				write(t, account, test.account)
				wantConfig, wantAccount = test.config, test.account
			}
			calls := filepath.Join(dir, "calls")
			for range 2 { // the second time nothing changes
				cmd := exec.Command("sh", script, self)
				cmd.Env = append(os.Environ(), "DESTDIR="+dir, "CALLS="+calls, "PATH="+stubs+":"+os.Getenv("PATH"))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			for path, want := range map[string]struct {
				text string
				mode os.FileMode
			}{config: {wantConfig, 0o640}, account: {wantAccount, 0o600}, unit: {deployed(t, "wpsitemapd.service"), 0o644}} {
				text, err := os.ReadFile(path)
				info, statErr := os.Stat(path)
				if err != nil || statErr != nil || string(text) != want.text || info.Mode().Perm() != want.mode {
					t.Errorf("%s: %v, %v\n%s", path, err, info.Mode(), text)
				}
			}
			called, err := os.ReadFile(calls)
			wptest.Must(t, err)
			expect.Parts(t, string(called), "groupadd --system --force sitemaps\n", "chgrp sitemaps "+config+"\n", "systemctl daemon-reload\n")
			text := deployed(t, "wpsitemapd.service", "/usr/local/bin/wpsitemapd", filepath.Join(dir, "usr/local/bin/wpsitemapd"))
			expect.Contains(t, text, "\nSupplementaryGroups=sitemaps\n", "the service is not of the group that may read its configuration")
			write(t, unit, text)
			if out, err := exec.Command(analyze, "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("systemd-analyze verify: %v\n%s", err, out)
			}
		})
	}
}

// TestUnitConfiguration loads the configurations as the unit and the container have them.
func TestUnitConfiguration(t *testing.T) {
	dir := wptest.Folder(t)
	write(t, filepath.Join(dir, "wpsitemapd.dsn"), "sitemaps:a:b/@unix(/run/mysqld/mysqld.sock)/example\n")
	if err := os.Chmod(filepath.Join(dir, "wpsitemapd.dsn"), 0o400); err != nil { // as systemd has it
		t.Fatal(err)
	}
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	t.Setenv("STATE_DIRECTORY", filepath.Join(dir, "state"))
	t.Setenv("SITEMAPS_PASSWORD", "a:b/")
	for name, dsn := range map[string]string{
		"wpsitemapd.toml": "sitemaps:a:b/@unix(/run/mysqld/mysqld.sock)/example",
		"docker.toml":     "sitemaps:a:b/@tcp(db:3306)/wordpress",
	} {
		c, err := config.Load(filepath.Join(root, "docs", "deploy", name))
		wptest.Must(t, err)
		if len(c.Warnings) > 0 || len(c.Sites) != 1 || c.Sites[0].DSN.Reveal() != dsn || c.State == "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// Passwords of docker-compose.yml.
var passwords = []string{"SITEMAPS_PASSWORD=a", "WORDPRESS_PASSWORD=b", "MARIADB_ROOT_PASSWORD=c"}

// TestCompose reads docker-compose.yml with Compose itself, which needs no engine for that.
func TestCompose(t *testing.T) {
	compose := wptest.Program(t, required, "docker-compose")
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
	lint := wptest.Program(t, required, "yamllint")
	files, err := filepath.Glob(filepath.Join(root, "docs", "deploy", "*.yml"))
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
		wptest.Must(t, err)
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

// Builds name one patch version of Go, and a checkout of a workflow leaves no credentials for what runs afterwards.
func TestBuildsArePinned(t *testing.T) {
	read := func(name ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{root}, name...)...))
		wptest.Must(t, err)
		return string(text)
	}
	m := regexp.MustCompile(`(?m)^toolchain go(\d+\.\d+\.\d+)$`).FindStringSubmatch(read("go.mod"))
	if m == nil {
		t.Fatal("go.mod names no toolchain")
	}
	for _, text := range []string{read("Dockerfile"), read(".github", "workflows", "ci.yml"), read(".github", "workflows", "release.yml")} {
		for _, image := range regexp.MustCompile(`golang:\S+`).FindAllString(text, -1) {
			if !strings.HasPrefix(image, "golang:"+m[1]+"-bookworm") {
				t.Errorf("the image %s is not Go %s", image, m[1])
			}
		}
		checkouts := strings.Count(text, "uses: actions/checkout@")
		expect.Equal(t, strings.Count(text, "persist-credentials: false"), checkouts, "checkouts without credentials")
	}
	expect.Parts(t, deployed(t, "wpsitemapd.service"), "\nIPAddressDeny=any\nIPAddressAllow=localhost ")
}
