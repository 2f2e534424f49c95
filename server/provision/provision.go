// Package provision sets up a machine on which the program is installed, so that the program serves sitemaps. It finds
// installs of WordPress, creates accounts that may read their databases, and writes the configuration, the service's groups
// and the web server's include. It records what it does, and can undo that.
package provision

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"wpsitemapd/docs/deploy"
	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/wp"
)

// Machine holds the places of a machine's files and programs.
type Machine struct {
	Config         string   // path of the configuration
	Nginx, Apache  []string // the commands that control the web servers
	ApacheProgram  []string // the program Apache itself; the command may make folders before it runs the program
	Enmod, Dismod  string   // commands that switch Apache's modules on and off
	Systemd, Units string   // a folder that exists if systemd runs, and the folder of the administrator's units
	Sites          []string // folders below which sites usually are
	Sockets        []string // sockets of database servers, in folders of their packages
	State          string   // the folder for pages, if systemd makes none
}

// ThisMachine returns the layout that distributions use, with the configuration at a path.
func ThisMachine(path string) Machine {
	apache := []string{"apachectl"}
	program := apache
	if exists("/etc/apache2/envvars") { // Debian's apachectl reads this file, makes folders and runs the same command
		program = []string{"sh", "-c", `. /etc/apache2/envvars && exec apache2 "$@"`, "apache2"}
	}
	return Machine{
		Config: path, Nginx: []string{"nginx"}, Apache: apache, ApacheProgram: program, Enmod: "a2enmod", Dismod: "a2dismod",
		Systemd: "/run/systemd/system", Units: "/etc/systemd/system", Sites: []string{"/var/www", "/srv", "/usr/share/nginx/html", "/home/*"},
		Sockets: wp.DatabaseSockets, State: "/var/lib/wpsitemapd",
	}
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// run runs a command and returns its output. An error holds the last lines of the output.
func (m *Machine) run(ctx context.Context, command ...string) (string, error) {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		err = fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, strings.Join(lines[max(0, len(lines)-2):], " "))
	}
	return string(out), err
}

// Setup is a run of init.
type Setup struct {
	Machine
	Yes, DryRun bool
	In          io.Reader // answers questions
	Out         io.Writer
	// Check, Diff and Public run the commands check, diff and check --public. Each prints its report, and returns an error if
	// it finds trouble.
	Check, Diff, Public func(context.Context) error

	record  *record
	listen  string // the address where the daemon listens
	answers *bufio.Scanner
	todo    []string            // what the administrator still has to do
	admins  []*wp.Administrator // of the database servers that let root in; nil: no server was asked yet
	refused error               // why a server does not let root in
}

var errNothing = errors.New("no install of WordPress was found: name its folder")

// Run sets up the installs in and below folders. If folders is empty, Run searches where sites usually are. It asks the
// administrator before each step.
func (s *Setup) Run(ctx context.Context, folders []string) error {
	var err error
	if s.record, err = readRecord(s.recordPath()); err != nil {
		return fmt.Errorf("the record of an earlier init cannot be read: %w", err)
	}
	cfg, err := s.existing()
	if err != nil {
		return err
	}
	if len(folders) == 0 {
		folders = s.Sites
	}
	defer func() {
		for _, a := range s.admins {
			a.Close()
		}
	}()
	installs := s.find(ctx, folders, cfg)
	if len(installs) == 0 {
		s.printLeft()
		return errNothing
	}
	servers := slices.DeleteFunc(s.webServers(ctx), func(w *webServer) bool {
		if w.failed != nil {
			s.left("the configuration of %s cannot be read: %v", w.name, w.failed)
		}
		return w.failed != nil
	})
	for _, in := range installs {
		for _, w := range servers {
			if in.blocks == nil {
				in.blocks = w.serving(in.file)
			}
		}
	}
	if installs = s.withoutCopies(installs); len(installs) == 0 {
		s.printLeft()
		return errNothing
	}
	s.show(installs)
	for _, step := range []func() error{
		func() error { return s.accounts(ctx, installs) },
		func() error { return s.configure(ctx, installs, cfg) },
		func() error { s.examine(ctx, installs); return nil },
		func() error { return s.service(ctx, installs) },
		func() error { return s.webIncludes(ctx, installs, servers) },
		func() error { s.askPublic(ctx); return nil },
	} {
		if err := cmp.Or(step(), ctx.Err()); err != nil {
			return err
		}
	}
	s.printLeft()
	return nil
}

// askPublic offers to run check --public if a daemon can answer. If none can, the check becomes a task for the administrator.
func (s *Setup) askPublic(ctx context.Context) {
	const todo = "look at what stands between crawlers and the sitemaps: wpsitemapd check --public"
	if !exists(s.Systemd) && !s.daemonRuns(ctx) {
		s.left("then %s --config %s", todo, s.Config)
		return
	}
	if s.agreed("Ask for the sitemaps at the public address?") {
		s.have(ctx, s.Public, todo)
	}
}

// daemonRuns reports whether a daemon answers at the admin listener of the configuration.
func (s *Setup) daemonRuns(ctx context.Context) bool {
	cfg, err := config.Load(s.Config)
	if err != nil {
		return false
	}
	for _, a := range cfg.Admin {
		network, address := a.Dial()
		if network == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
		defer cancel()
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}}}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/healthz", nil)
		if err != nil {
			continue
		}
		if resp, err := client.Do(r); err == nil {
			resp.Body.Close()
			return resp.StatusCode == http.StatusOK
		}
	}
	return false
}

// aliveTimeout is how long a daemon may take to answer.
const aliveTimeout = 4 * time.Second

// recordPath returns the path of the record, beside the configuration.
func (s *Setup) recordPath() string { return strings.TrimSuffix(s.Config, ".toml") + ".init.json" }

// existing loads the configuration. It returns nil without an error if the file is missing, or is still as the package has
// installed it.
func (s *Setup) existing() (*config.Config, error) {
	s.listen = deploy.Listen
	text, err := os.ReadFile(s.Config)
	if errors.Is(err, os.ErrNotExist) || err == nil && string(text) == deploy.Config {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(s.Config)
	if err != nil {
		return nil, err
	}
	for _, a := range cfg.Listen { // where the web server reaches the daemon
		if network, address := a.Dial(); network == "tcp" {
			s.listen = address
			return cfg, nil
		}
	}
	s.left("listen is no TCP address: correct the address in the web server's include")
	return cfg, nil
}

func (s *Setup) say(format string, args ...any) {
	fmt.Fprintln(s.Out, report.Printable(fmt.Sprintf(format, args...)))
}

// left adds a task to the list of what the administrator still has to do. printLeft prints that list.
func (s *Setup) left(format string, args ...any) {
	s.todo = append(s.todo, fmt.Sprintf(format, args...))
}

// have runs a command of this program. If the command finds trouble, have adds todo to the tasks of the administrator.
func (s *Setup) have(ctx context.Context, command func(context.Context) error, todo string) {
	if command(ctx) != nil {
		s.left("%s --config %s", todo, s.Config)
	}
}

// do runs a command. It records the command together with undo, the command that undoes it.
func (s *Setup) do(ctx context.Context, command, undo []string) error {
	if _, err := s.run(ctx, command...); err != nil {
		return err
	}
	return s.record.add(deed{Do: command, Undo: undo})
}

// agreed asks the administrator a question and reports whether the answer is yes. It returns false in a dry run, and true if
// s.Yes is set.
func (s *Setup) agreed(question string) bool {
	switch {
	case s.DryRun:
		return false
	case s.Yes:
		return true
	}
	if s.answers == nil {
		s.answers = bufio.NewScanner(s.In)
	}
	fmt.Fprintf(s.Out, "%s [Y/n] ", question)
	if !s.answers.Scan() {
		return false
	}
	answer := strings.ToLower(strings.TrimSpace(s.answers.Text()))
	return answer == "" || answer == "y" || answer == "yes"
}

// show prints the installs that were found.
func (s *Setup) show(installs []*install) {
	s.say("Found %s:", report.Count(len(installs), "install"))
	rows := [][]string{}
	for _, in := range installs {
		home := cmp.Or(in.home, "(its database has the home)")
		at := "no block of a web server"
		if len(in.blocks) > 0 {
			at = in.blocks[0].String()
		}
		rows = append(rows, []string{in.name, home, in.file, strings.Join(in.versions, ", "), at})
	}
	report.Table(s.Out, "  ", rows)
}

// examine runs check. If an install is new, it also offers to run diff, because another program still serves the sitemaps of
// that install.
func (s *Setup) examine(ctx context.Context, installs []*install) {
	if s.DryRun {
		return
	}
	s.have(ctx, s.Check, "put right what check has found: wpsitemapd check")
	anew := slices.ContainsFunc(installs, func(in *install) bool { return !in.configured })
	if anew && s.agreed("Compare with what the site serves now? That takes a request or two a second.") {
		s.have(ctx, s.Diff, "look at what diff has found: wpsitemapd diff")
	}
}

// webIncludes makes the web servers include our file in the blocks that serve the installs. It asks the administrator first.
func (s *Setup) webIncludes(ctx context.Context, installs []*install, servers []*webServer) error {
	var serving []block
	for _, in := range installs {
		serving = append(serving, in.blocks...)
		if in.blocks == nil {
			s.left("%s: no web server's block with its root was found; docs/operator/deploy.md has what to add to it", in.file)
		}
	}
	for _, w := range servers {
		var blocks []block
		for _, b := range w.blocks {
			if !slices.Contains(serving, b) {
				continue
			}
			if b.robots {
				s.left("%s has a location for /robots.txt, which wins: name the sitemaps in that file, or remove the location", b)
			}
			if !b.ours {
				blocks = append(blocks, b)
			}
		}
		if len(blocks) == 0 {
			continue
		}
		s.say("\n%s: the file %s, and this line in", w.name, w.snippet)
		for _, b := range blocks {
			s.say("  %s", b)
		}
		s.say("    %s", w.include)
		if len(w.needs) > 0 {
			s.say("  The modules %s are enabled.", strings.Join(w.needs, ", "))
		}
		if !s.agreed("Write it, and reload " + w.name + "?") {
			continue
		}
		if err := s.include(ctx, w, blocks); err != nil {
			return fmt.Errorf("%s stays as it was: %w", w.name, err)
		}
	}
	return nil
}

// printLeft prints what the administrator still has to do. It is the last step of a run.
func (s *Setup) printLeft() {
	if s.DryRun {
		s.say("\nNothing was changed.")
	}
	if len(s.todo) > 0 {
		s.say("\nLeft to do:")
		for _, text := range s.todo {
			report.Hanging(s.Out, "  - ", report.Printable(text))
		}
	}
	if len(s.record.Deeds) > 0 {
		s.say("\nTo take all of this back: wpsitemapd init --undo --config %s", s.Config)
	}
}
