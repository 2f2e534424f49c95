package command

import (
	"context"
	"os"

	"wpsitemapd/server/provision"
)

const aboutInit = `Takes a machine from an installed package to served sitemaps. It looks for WordPress below the folders given.
Without folders, it looks below /var/www, /srv, /usr/share/nginx/html and /home. It shows what it found. Then init takes these
steps, each only if you agree:
- It makes an account of the database, as root by the server's socket. The account may read what sitemaps need, and
  nothing that the account of wp-config.php may not read.
- It writes the configuration, or adds what is missing there.
- It runs check and diff.
- It gives the service the groups that may read wp-config.php, and starts the service.
- It gives the web server one file, and one line in each block that serves a site. The web server tests its new
  configuration and reloads it.
- It runs check --public, which asks at the public address.

A second run changes nothing. --undo takes back what init has done. init keeps a record of that next to the configuration.`

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
