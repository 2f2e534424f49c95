package provision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// An install is found in and below a folder, by the path of its file, and one folder above, where WordPress also looks for the file. The
// folder above is not used if it is an install of its own.
func TestWPConfigsOfFolders(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	wptest.Must(t, err)
	for _, name := range []string{"a/wp-config.php", "b/c/d/wp-config.php", "e/wp-config.php", "e/public/index.php", "f/wp-config.php", "f/wp-settings.php", "f/blog/index.php", "g/index.php"} {
		write(t, filepath.Join(dir, name), "<?php\n")
	}
	t.Chdir(dir)
	for folders, want := range map[string]string{
		"a": "a", dir + "/a": "a", "a/wp-config.php": "a", "b": "b/c/d", "e/public": "e", "f/blog": "", "g": "", "none": "", "a b a e e/public": "a b/c/d e", "b/c": "b/c/d",
	} {
		var found []string
		for _, file := range wpConfigs(strings.Fields(folders)) {
			found = append(found, strings.TrimSuffix(strings.TrimPrefix(file, dir+"/"), "/wp-config.php"))
		}
		expect.Equal(t, strings.Join(found, " "), want, folders)
	}
}

// What the configuration has already keeps its name there. A path that [[discover]] would take for a pattern is refused.
func TestSiteOfInstall(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	wptest.Must(t, err)
	for _, name := range []string{"a/wp-config.php", "b/wp-config.php", "c[1]/wp-config.php"} {
		write(t, filepath.Join(dir, name), "<?php\n")
	}
	wptest.Must(t, os.Symlink(filepath.Join(dir, "a"), filepath.Join(dir, "link")))
	cfg := &config.Config{Sites: []config.Site{{Name: "other", WPConfig: "/nowhere"}, {Name: "mine", WPConfig: filepath.Join(dir, "link/wp-config.php")}}}
	for _, tt := range []struct {
		name       string
		configured bool
		site       string // "" for an error
	}{{"a", true, "mine"}, {"b", false, "found"}, {"c[1]", false, ""}, {"d", false, ""}} {
		in := &install{file: filepath.Join(dir, tt.name, "wp-config.php")}
		s, err := new(Setup).siteOf(in, cfg)
		expect.Equal(t, in.configured, tt.configured, tt.name)
		expect.Equal(t, err == nil, tt.site != "", tt.name, err)
		if err == nil {
			expect.Equal(t, s.Name, tt.site, tt.name)
			expect.Equal(t, in.name, map[bool]string{true: "mine"}[tt.configured], tt.name)
		}
	}
	in := &install{file: filepath.Join(dir, "a/wp-config.php")}
	_, err = new(Setup).siteOf(in, nil)
	expect.Equal(t, err == nil && !in.configured, true, err)
}

// A new install is compared with what the site serves. What check and diff find becomes a task.
func TestNewInstallsAreExamined(t *testing.T) {
	known, fresh := &install{configured: true}, &install{}
	for _, tt := range []struct {
		rule     string
		dryRun   bool
		answer   string
		installs []*install
		bad      bool
		want     string // the commands that run
		left     int
	}{
		{"a dry run", true, "y", []*install{fresh}, true, "", 0},
		{"nothing is new", false, "y", []*install{known}, true, "check", 1},
		{"one is new", false, "y", []*install{known, fresh}, false, "check diff", 0},
		{"one is new, and there is trouble", false, "y", []*install{fresh}, true, "check diff", 2},
		{"without agreement", false, "n", []*install{fresh}, true, "check", 1},
	} {
		var ran []string
		command := func(name string) func(context.Context) error {
			return func(context.Context) error {
				ran = append(ran, name)
				return map[bool]error{true: errors.New("trouble")}[tt.bad]
			}
		}
		s := &Setup{DryRun: tt.dryRun, In: strings.NewReader(tt.answer + "\n"), Out: new(bytes.Buffer), Check: command("check"), Diff: command("diff")}
		s.examine(t.Context(), tt.installs)
		expect.Equal(t, strings.Join(ran, " "), tt.want, tt.rule)
		expect.Equal(t, len(s.todo), tt.left, tt.rule, s.todo)
	}
}

// The administrator sees each install with its home, its versions and the block of the web server that serves it.
func TestInstallsAreShown(t *testing.T) {
	var out bytes.Buffer
	(&Setup{Out: &out}).show([]*install{
		{name: "a", home: "https://a.test", file: "/a/wp-config.php", versions: []string{"WordPress 6.8", "2 blogs"}, blocks: []*block{{file: "/etc/x", line: 7}, {file: "/etc/y", line: 8}}},
		{name: "b", file: "/b/wp-config.php"},
	})
	expect.Equal(t, strings.Join(strings.Fields(out.String()), " "), "Found 2 installs: a https://a.test /a/wp-config.php WordPress 6.8, 2 blogs /etc/x:7 "+
		"b (its database has the home) /b/wp-config.php no block of a web server")
}

// Of a text that init has added, --undo removes one copy: another is the administrator's. A deed says what undoes it.
func TestUndoOfAddedText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "conf")
	s := &Setup{Out: new(bytes.Buffer)}
	d := deed{File: file, New: "include x;\n"}
	write(t, file, "a\ninclude x;\nb\ninclude x;\n")
	for _, want := range []string{"a\nb\ninclude x;\n", "a\nb\n", "a\nb\n"} {
		wptest.Must(t, d.takeBack(t.Context(), s))
		expect.Equal(t, text(t, file), want)
	}
	wptest.Must(t, os.Remove(file))
	wptest.Must(t, d.takeBack(t.Context(), s)) // somebody has removed the whole file
	for want, d := range map[string]deed{
		"remove /x": {File: "/x", Created: true}, "restore /x": {File: "/x", New: "a"}, "drop the account a@localhost": {Account: "a@localhost"},
		"systemctl disable": {Do: []string{"systemctl", "enable"}, Undo: []string{"systemctl", "disable"}},
	} {
		expect.Equal(t, fmt.Sprint(d), want)
	}
}

// A command that fails says what it printed last.
func TestOutputOfCommands(t *testing.T) {
	m := new(Machine)
	out, err := m.run(t.Context(), "sh", "-c", "echo one; echo two")
	expect.Equal(t, out, "one\ntwo\n")
	wptest.Must(t, err)
	_, err = m.run(t.Context(), "sh", "-c", "echo one; echo two >&2; echo three; exit 7")
	expect.Equal(t, err != nil && strings.HasSuffix(err.Error(), "exit status 7: two three"), true, err)
	_, err = m.run(t.Context(), "/nowhere/x")
	expect.Equal(t, err != nil && strings.HasPrefix(err.Error(), "/nowhere/x: "), true, err)
}
