package provision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/docs/deploy"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// systemd gives a machine a program systemctl that knows one unit. asked returns the verbs that it was called with since the last call of
// asked. is sets whether the unit is active, whether it is enabled, and whether it starts.
func systemd(t *testing.T, m *Machine, dir string) (asked func() string, is func(active, enabled, starts bool)) {
	t.Helper()
	log, state := filepath.Join(dir, "asked"), filepath.Join(dir, "state-of-unit")
	write(t, filepath.Join(dir, "bin/systemctl"), fmt.Sprintf(`#!/bin/sh
echo "$*" >> %s
case "$1" in show) echo 4711 ;; daemon-reload|enable|disable) ;; *) grep -q " $1 " %s ;; esac
`, log, state))
	wptest.Must(t, os.Chmod(filepath.Join(dir, "bin/systemctl"), 0o755))
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	m.Systemd = dir
	asked = func() string {
		verbs, _ := os.ReadFile(log)
		_ = os.Remove(log)
		return strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(string(verbs)), " "+unit, ""), "\n", ", ")
	}
	return asked, func(active, enabled, starts bool) {
		text := " "
		for verb, set := range map[string]bool{"is-active": active, "is-enabled": enabled, "restart": starts} {
			if set {
				text += verb + " "
			}
		}
		write(t, state, text)
	}
}

// The service is started with the groups that may read the installs, if the administrator agrees. If all is as it should be, nothing is done.
func TestServiceIsStarted(t *testing.T) {
	m, dir := machine(t)
	asked, is := systemd(t, &m, dir)
	wptest.Must(t, os.Chmod(filepath.Dir(dir), 0o755)) // go test's own is for its user alone
	file := filepath.Join(dir, "www/wp-config.php")
	write(t, file, "<?php\n")
	wptest.Must(t, os.Chmod(file, 0o640))
	group, err := user.LookupGroupId(strconv.Itoa(os.Getegid()))
	wptest.Must(t, err)
	var out bytes.Buffer
	start := func(answer string) *Setup {
		s := &Setup{Machine: m, In: strings.NewReader(answer + "\n"), Out: &out}
		s.record, err = readRecord(s.recordPath())
		wptest.Must(t, err)
		wptest.Must(t, s.service(t.Context(), []*install{{file: file}}))
		return s
	}
	path := filepath.Join(m.Units, "wpsitemapd.service.d/init.conf")
	is(false, false, true)
	start("n")
	expect.Equal(t, asked(), "is-active, is-enabled", "without agreement")
	expect.Equal(t, exists(path), false)
	expect.Contains(t, out.String(), "SupplementaryGroups="+group.Name)

	start("y")
	expect.Equal(t, asked(), "is-active, is-enabled, daemon-reload, enable, restart")
	want := "# Written by wpsitemapd init.\n[Service]\n# Only these groups may read wp-config.php.\nSupplementaryGroups=" + group.Name + "\n"
	expect.Equal(t, text(t, path), want)

	is(true, true, true)
	start("y")
	expect.Equal(t, asked(), "is-active, is-enabled", "all is as it should be")
	is(false, true, false)
	s := start("y")
	expect.Equal(t, asked(), "is-active, is-enabled, restart", "it has stopped")
	expect.Contains(t, strings.Join(s.todo, "\n"), "the service does not start")
	is(true, true, true)
	write(t, path, "[Service]\n# mine\n")
	start("y")
	expect.Equal(t, asked(), "is-active, is-enabled, daemon-reload, restart", "its groups have changed")
	expect.Equal(t, text(t, path), want)

	undone, err := undo(t, m)
	wptest.Must(t, err)
	expect.Equal(t, asked(), "daemon-reload, disable --now, daemon-reload", undone)
	expect.Equal(t, exists(path), false)
	expect.Equal(t, text(t, path+".old"), "[Service]\n# mine\n")
}

// A daemon that runs under systemd is not an obstacle: its port is free for its new configuration.
func TestPortOfService(t *testing.T) {
	m, dir := machine(t)
	s := &Setup{Machine: m}
	expect.Equal(t, s.mainProcess(t.Context()), 0, "without systemd")
	_, is := systemd(t, &s.Machine, dir)
	is(true, true, true)
	expect.Equal(t, s.mainProcess(t.Context()), 4711)
}

// The service may read home folders only if an install is there. It needs no drop-in file for installs that everybody may read.
func TestDropInFile(t *testing.T) {
	t.Parallel()
	m, dir := machine(t)
	wptest.Must(t, os.Chmod(filepath.Dir(dir), 0o755))
	file, bedrock := filepath.Join(dir, "www/wp-config.php"), filepath.Join(dir, "rock/web/wp-config.php")
	write(t, file, "<?php\n")
	write(t, bedrock, "<?php\n")
	write(t, filepath.Join(dir, "rock/config/application.php"), "<?php\n")
	write(t, filepath.Join(dir, "rock/.env"), "DB_NAME=x\n")
	for _, tt := range []struct {
		rule string
		file string
		mode os.FileMode // of the files
		want []string
		left string
	}{
		{"everybody may read it", file, 0o644, nil, ""},
		{"its group may read it", file, 0o640, []string{"SupplementaryGroups="}, ""},
		{"only its owner may read it", file, 0o600, nil, "no group lets the service read " + file},
		{"the settings of Bedrock", bedrock, 0o600, nil, "no group lets the service read " + filepath.Join(dir, "rock/.env")},
		{"the settings of Bedrock, for a group", bedrock, 0o640, []string{"SupplementaryGroups="}, ""},
		{"a home folder", "/home/nobody-of-this-name/www/wp-config.php", 0, []string{"ProtectHome=read-only"}, "no group lets the service read /home/"},
	} {
		if tt.mode != 0 {
			wptest.Must(t, os.Chmod(file, tt.mode))
			wptest.Must(t, os.Chmod(filepath.Join(dir, "rock/.env"), tt.mode))
		}
		s := &Setup{Machine: m}
		got := s.dropIn([]*install{{file: tt.file}, {file: tt.file}})
		expect.Parts(t, got, tt.want...)
		expect.Equal(t, strings.Count(got, "="), len(tt.want), tt.rule, got)
		expect.Equal(t, strings.Count(got, " "+groupName(os.Getegid())), 0, tt.rule, "a group twice")
		expect.Contains(t, strings.Join(s.todo, "\n"), tt.left, tt.rule)
		expect.Equal(t, len(s.todo) > 0, tt.left != "", tt.rule, s.todo)
	}
	expect.Equal(t, groupName(1<<30), "1073741824", "a group without a name")
}

// An empty answer is yes, because the question shows that. The end of the input is no.
func TestAnswersOfAdministrator(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"\n": true, "y\n": true, " YES \n": true, "Yes": true, "n\n": false, "no\n": false, "yep\n": false, "": false} {
		var out bytes.Buffer
		s := &Setup{In: strings.NewReader(answer), Out: &out}
		expect.Equal(t, s.agreed("Do it?"), want, answer)
		expect.Equal(t, out.String(), "Do it? [Y/n] ", answer)
	}
	s := &Setup{In: strings.NewReader("n\ny\nn\n"), Out: new(bytes.Buffer)}
	expect.Equal(t, fmt.Sprint(s.agreed("a"), s.agreed("b"), s.agreed("c")), "false true false")
	expect.Equal(t, (&Setup{Yes: true}).agreed("a"), true)
	expect.Equal(t, (&Setup{Yes: true, DryRun: true}).agreed("a"), false)
}

// At the end, the administrator reads what is left to do and how to take everything back.
func TestWhatIsLeft(t *testing.T) {
	t.Parallel()
	m, _ := machine(t)
	printed := func(s *Setup) string {
		var out bytes.Buffer
		s.Machine, s.Out = m, &out
		s.printLeft()
		return out.String()
	}
	expect.Equal(t, printed(&Setup{record: new(record)}), "")
	expect.Equal(t, printed(&Setup{record: new(record), DryRun: true}), "\nNothing was changed.\n")
	s := &Setup{Machine: m, record: &record{Deeds: []deed{{}}}}
	s.have(t.Context(), func(context.Context) error { return nil }, "look at nothing")
	s.have(t.Context(), func(context.Context) error { return errors.New("trouble") }, "correct it: wpsitemapd check")
	expect.Equal(t, strings.Join(s.todo, "\n"), "correct it: wpsitemapd check --config "+m.Config)
	expect.Parts(t, printed(s), "Left to do:", "  - correct it: wpsitemapd check", "To take all of this back: wpsitemapd init --undo --config "+m.Config)
}

// A port on which another process listens is skipped and named. The daemon's own port is free for its new configuration.
func TestFreeAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	pid, name := listener(port)
	expect.Equal(t, pid, os.Getpid())
	expect.Equal(t, name != "" && strings.HasPrefix(filepath.Base(os.Args[0]), name), true, name)
	address, taken := freeAddress(port, 0)
	expect.Equal(t, address != l.Addr().String(), true, address)
	expect.Equal(t, strings.HasPrefix(taken, fmt.Sprintf("; %d is taken by PID %d (%s)", port, os.Getpid(), name)), true, taken)
	address, taken = freeAddress(port, os.Getpid())
	expect.Equal(t, address+taken, l.Addr().String(), "the port of the daemon")
	l.Close()
	address, taken = freeAddress(port, 0)
	expect.Equal(t, address+taken, l.Addr().String(), "a free port")
	pid, _ = listener(port)
	expect.Equal(t, pid, 0, "nobody listens")
}

// A configuration as the package has installed it counts as none. The web server's include leads to the daemon's TCP address.
func TestExistingConfiguration(t *testing.T) {
	t.Parallel()
	const site = "[[site]]\nname = \"a\"\ndsn = \"sqlite:/nowhere\"\n"
	for _, tt := range []struct {
		rule, text         string
		known              bool
		listen, left, fail string
	}{
		{"none", "", false, deploy.Listen, "", ""},
		{"the package's", deploy.Config, false, deploy.Listen, "", ""},
		{"a TCP address", "listen = \"127.0.0.1:8088\"\n" + site, true, "127.0.0.1:8088", "", ""},
		{"a socket and a TCP address", "listen = [\"unix:/run/a.sock\", \"127.0.0.1:8089\"]\n" + site, true, "127.0.0.1:8089", "", ""},
		{"a socket", "listen = \"unix:/run/a.sock\"\n" + site, true, deploy.Listen, "listen in the configuration is no TCP address", ""},
		{"a mistake", "listen = 7\n" + site, false, "", "", "listen"},
	} {
		m, _ := machine(t)
		if tt.text != "" {
			write(t, m.Config, tt.text)
		}
		s := &Setup{Machine: m}
		cfg, err := s.existing()
		if tt.fail != "" {
			expect.Equal(t, err != nil && strings.Contains(err.Error(), tt.fail), true, tt.rule, err)
			continue
		}
		wptest.Must(t, err)
		expect.Equal(t, cfg != nil, tt.known, tt.rule)
		expect.Equal(t, s.listen, tt.listen, tt.rule)
		expect.Contains(t, strings.Join(s.todo, " "), tt.left, tt.rule)
		expect.Equal(t, len(s.todo) > 0, tt.left != "", tt.rule)
	}
	m, _ := machine(t)
	wptest.Must(t, os.MkdirAll(m.Config, 0o755))
	_, err := (&Setup{Machine: m}).existing()
	expect.Equal(t, err != nil, true, "a folder")
}
