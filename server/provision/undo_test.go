package provision

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// undo takes back what init has done, and returns what it prints.
func undo(t *testing.T, m Machine) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := (&Setup{Machine: m, Yes: true, Out: &out}).Undo(t.Context())
	return out.String(), err
}

// If nginx refuses its configuration with our part, the configuration stays unchanged.
func TestWebServerThatRefusesStaysAsItWas(t *testing.T) {
	m, dir := machine(t)
	root := filepath.Join(dir, "www")
	blocks := fmt.Sprintf("server { listen 127.0.0.1:1; root %s; location @wpsitemap { return 404; } }\n", root)
	nginx(t, &m, dir, blocks)
	s := &Setup{Machine: m, Yes: true}
	s.record = &record{path: s.recordPath()}
	w := s.webServers(t.Context())[0]
	w.kind.text = "nonsense;"
	before := contents(t, filepath.Join(dir, "etc"))
	if err := s.include(t.Context(), w, w.blocks); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("%v", err)
	}
	expect.Same(t, before, contents(t, filepath.Join(dir, "etc")))
}

// If a file of nginx changes between the question and the answer, it stays unchanged: the include might land in another block.
func TestWebServerThatChangesMeanwhile(t *testing.T) {
	m, dir := machine(t)
	root := filepath.Join(dir, "www")
	nginx(t, &m, dir, fmt.Sprintf("server { listen 127.0.0.1:1; root %s; }\n", root))
	s := &Setup{Machine: m, Yes: true}
	s.record = &record{path: s.recordPath()}
	w := s.webServers(t.Context())[0]
	write(t, w.blocks[0].file, "# empty\n")
	before := contents(t, filepath.Join(dir, "etc"))
	if err := s.include(t.Context(), w, w.blocks); err == nil || !strings.Contains(err.Error(), w.blocks[0].file+" has changed since it was read: run init again") {
		t.Errorf("%v", err)
	}
	expect.Same(t, before, contents(t, filepath.Join(dir, "etc")))
}

// A file that an administrator has changed since is kept as a copy, and everything else is undone.
func TestUndoKeepsWhatWasChanged(t *testing.T) {
	m, dir := machine(t)
	wordpress(t, filepath.Join(dir, "www"), "https://www.example.com")
	setUp(t, &Setup{Machine: m, Yes: true}, filepath.Join(dir, "www"))
	changed := text(t, m.Config) + "# mine\n"
	write(t, m.Config, changed)
	write(t, m.Config+".old", "another")
	if _, err := undo(t, m); err == nil || !strings.Contains(err.Error(), "that file exists: move it away") || text(t, m.Config) != changed {
		t.Fatalf("%v", err)
	}
	wptest.Must(t, os.Remove(m.Config+".old"))
	out, err := undo(t, m)
	if err != nil || exists(m.Config) || exists((&Setup{Machine: m}).recordPath()) {
		t.Fatalf("%v\n%s", err, out)
	}
	expect.Equal(t, text(t, m.Config+".old"), changed)
	expect.Contains(t, out, "Somebody has changed "+m.Config)
}

// A copied block includes our part, too. Nothing is undone before that line is removed, because nginx could not start.
func TestUndoNamesOtherIncludes(t *testing.T) {
	m, dir := machine(t)
	root := filepath.Join(dir, "www")
	wordpress(t, root, "https://www.example.com")
	nginx(t, &m, dir, fmt.Sprintf("server {\n    listen 127.0.0.1:1;\n    root %s;\n}\n", root))
	setUp(t, &Setup{Machine: m, Yes: true})
	first, second := filepath.Join(dir, "etc/nginx/sites-enabled/default"), filepath.Join(dir, "etc/nginx/sites-enabled/second")
	write(t, second, strings.ReplaceAll(text(t, first), "127.0.0.1:1", "127.0.0.1:2"))
	before := contents(t, filepath.Join(dir, "etc"))
	if _, err := undo(t, m); err == nil || !strings.Contains(err.Error(), second+":2,") {
		t.Errorf("%v", err)
	}
	expect.Same(t, before, contents(t, filepath.Join(dir, "etc")))
	wptest.Must(t, os.Remove(second))
	if out, err := undo(t, m); err != nil || strings.Contains(text(t, first), "include") || exists(m.Config) {
		t.Errorf("%v\n%s%s", err, out, text(t, first))
	}
}

// A web server keeps everything if its configuration has a mistake, or would have one without our part: the files, the daemon's
// configuration and its account.
func TestUndoLeavesAWebServerThatCanStart(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Alone(t, dsn)
	m, dir := machine(t)
	root := filepath.Join(dir, "www")
	write(t, filepath.Join(root, "wp-config.php"), wpConfig(t, tenant(t, dsn), ""))
	nginx(t, &m, dir, fmt.Sprintf("server {\n    listen 127.0.0.1:1;\n    root %s;\n}\n", root))
	without := accounts(t, dsn)
	setUp(t, &Setup{Machine: m, Yes: true})
	block, with := filepath.Join(dir, "etc/nginx/sites-enabled/default"), accounts(t, dsn)
	fine := text(t, block)
	write(t, block, strings.Replace(fine, "root ", "nonsense;\n    root ", 1))
	before := contents(t, filepath.Join(dir, "etc"))
	if _, err := undo(t, m); err == nil || !strings.Contains(err.Error(), "nginx has a mistake, correct it first") {
		t.Errorf("%v", err)
	}
	expect.Same(t, before, contents(t, filepath.Join(dir, "etc")))
	expect.Same(t, with, accounts(t, dsn))
	write(t, block, fine)
	// refuses every configuration that does not have our part
	stubborn := filepath.Join(dir, "nginx")
	write(t, stubborn, "#!/bin/sh\ncase $* in *-t*) grep -q wpsitemapd-locations "+block+" || { echo refused; exit 1; } ;; esac\n"+
		"exec "+m.Nginx[0]+" \"$@\"\n")
	wptest.Must(t, os.Chmod(stubborn, 0o755))
	whole := m.Nginx[0]
	m.Nginx[0] = stubborn
	before = contents(t, filepath.Join(dir, "etc"))
	if _, err := undo(t, m); err == nil || !strings.Contains(err.Error(), "nginx stays as it was") {
		t.Errorf("%v", err)
	}
	expect.Same(t, before, contents(t, filepath.Join(dir, "etc")))
	expect.Same(t, with, accounts(t, dsn))
	m.Nginx[0] = whole
	if out, err := undo(t, m); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	expect.Same(t, without, accounts(t, dsn))
	if out, err := exec.Command(m.Nginx[0], append(m.Nginx[1:], "-t")...).CombinedOutput(); err != nil {
		t.Errorf("nginx: %s", out)
	}
}

// A step that fails stays in the record, and so does the account. A command that fails a second time does not stay.
func TestSecondUndoFinishes(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Alone(t, dsn)
	m, dir := machine(t)
	write(t, filepath.Join(dir, "www/wp-config.php"), wpConfig(t, tenant(t, dsn), ""))
	without := accounts(t, dsn)
	setUp(t, &Setup{Machine: m, Yes: true})
	r, err := readRecord((&Setup{Machine: m}).recordPath())
	wptest.Must(t, err)
	wptest.Must(t, r.add(deed{Undo: []string{filepath.Join(dir, "no-such-program")}}))
	with := accounts(t, dsn)
	if _, err := undo(t, m); err == nil || !strings.Contains(err.Error(), "no-such-program") || exists(m.Config) {
		t.Errorf("%v", err)
	}
	expect.Same(t, with, accounts(t, dsn))
	out, err := undo(t, m)
	if err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), "It failed twice") || exists(r.path) {
		t.Errorf("%v\n%s", err, out)
	}
	expect.Same(t, without, accounts(t, dsn))
}

// Without systemd, init notices a running daemon: it does not ask to start one, and --undo asks to stop it first.
func TestRunningDaemonIsSeen(t *testing.T) {
	m, dir := machine(t)
	root := filepath.Join(dir, "www")
	wordpress(t, root, "https://www.example.com")
	out := setUp(t, &Setup{Machine: m, Yes: true}, root)
	expect.Parts(t, out, "start the daemon: wpsitemapd serve", "then find out whether crawlers get")
	expect.Contains(t, text(t, m.Config), fmt.Sprintf("state       = %q", m.State))
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			http.NotFound(w, r)
		}
	}))
	defer daemon.Close()
	address := strings.TrimPrefix(daemon.URL, "http://")
	write(t, m.Config, strings.Replace(text(t, m.Config), "admin       = \"127.0.0.1:9", "admin       = \""+address+"\" # \"9", 1))
	out = setUp(t, &Setup{Machine: m, Yes: true}, root)
	expect.Contains(t, out, "A daemon runs already")
	if strings.Contains(out, "start the daemon: ") {
		t.Error(out)
	}
	if _, err := undo(t, m); err == nil || !strings.Contains(err.Error(), "the daemon runs: stop it") || !exists(m.Config) {
		t.Errorf("%v", err)
	}
}
