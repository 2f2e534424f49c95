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
	"slices"
	"strings"

	"wpsitemapd/server/report"
	"wpsitemapd/wp"
)

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
			s.left("the configuration of %s cannot be read: %v", w.kind.name, w.failed)
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
		func() error { return s.configure(ctx, installs, cfg) },       // with the new accounts
		func() error { s.examine(ctx, installs); return nil },         // by check and diff, which read the configuration
		func() error { return s.service(ctx, installs) },              // a daemon with that configuration
		func() error { return s.webIncludes(ctx, installs, servers) }, // sends requests to the daemon
		func() error { s.askPublic(ctx); return nil },                 // what visitors get now
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
	const todo = "find out whether crawlers get the sitemaps: wpsitemapd check --public"
	if !exists(s.Systemd) && !s.daemonRuns(ctx) {
		s.left("then %s --config %s", todo, s.Config)
		return
	}
	if s.agreed("Ask for the sitemaps at the public address?") {
		s.have(ctx, s.Public, todo)
	}
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
	s.have(ctx, s.Check, "correct what check has found: wpsitemapd check")
	anew := slices.ContainsFunc(installs, func(in *install) bool { return !in.configured })
	if anew && s.agreed("Compare with the sitemaps that the site serves now? The comparison sends one or two requests a second.") {
		s.have(ctx, s.Diff, "look at what diff has found: wpsitemapd diff")
	}
}
