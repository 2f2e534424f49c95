package command

import (
	"context"
	"os"

	"wpsitemapd/server/provision"
)

const aboutInit = `Takes a machine from an installed package to served sitemaps. It looks for WordPress below the folders given, else
below /var/www, /srv, /usr/share/nginx/html and /home, and shows what it found. Then, each step only if you agree:

An account of the database is made, as root by the server's socket. It may read what sitemaps need, and nothing that the
account of wp-config.php may not read. The configuration is written, or what it lacks is added to it. check and diff run. The
service gets the groups that it needs to read wp-config.php, and is started. The web server gets one file and one line in
each block that serves a site, tests that, and is reloaded; then
check --public asks at the public address.

A second run changes nothing. --undo takes back what init has done, by the record it keeps beside the configuration.`

func initCommand() *command {
	var file string
	var undo bool
	s := &provision.Setup{In: os.Stdin}
	return &command{
		name:     "init",
		synopsis: "[FOLDER ...] [--config FILE] [--yes | --dry-run] [--undo]",
		summary:  "sets up a machine step by step, or takes that back",
		about:    aboutInit,
		exits:    "no install was found, or a step failed",
		example:  "wpsitemapd init /var/www/html",
		args:     true,
		flags: []option{
			configOption(&file),
			switchOption("yes", "Agree to every step.", &s.Yes),
			switchOption("dry-run", "Print every step, connect nowhere and change nothing.", &s.DryRun),
			switchOption("undo", "Take back what init has done.", &undo),
		},
		run: func(ctx context.Context, p *program, folders []string) error {
			if file == "" {
				file = DefaultConfig
			}
			s.Machine, s.Out = provision.ThisMachine(file), p.stdout
			if undo {
				return s.Undo(ctx)
			}
			another := func(name string, args ...string) func(context.Context) error {
				return func(ctx context.Context) error {
					return find(commands(), name).parseAndRun(ctx, p, append(args, "--config", file))
				}
			}
			s.Check, s.Diff = another("check"), another("diff", "--rate", "20")
			s.Public = another("check", "--public", "--rate", "10")
			return s.Run(ctx, folders)
		},
	}
}
