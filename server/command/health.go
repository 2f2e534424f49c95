package command

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"wpsitemapd/server/report"
)

// healthTimeout is how long the daemon may take to answer.
const healthTimeout = 4 * time.Second

func healthCommand() *command {
	var config string
	var ready bool
	return &command{
		name:     "health",
		synopsis: "--config FILE [--ready]",
		summary:  "asks a running daemon whether it is well",
		about: `Asks the daemon that runs with this configuration on this machine, at its admin listener, whether the process responds.
With --ready, asks whether every site has something to serve. A container without a shell can run it as its health check.

It needs admin in the configuration, with an address or a Unix socket.`,
		exits:   "the daemon is not well, or does not answer",
		example: "wpsitemapd health --config /etc/wpsitemapd.toml",
		flags: []option{
			configOption(&config),
			switchOption("ready", "Ask whether every site has something to serve.", &ready),
		},
		run: func(ctx context.Context, p *program, _ []string) error {
			cfg, err := loadConfig(config)
			if err != nil {
				return err
			}
			daemon := newRunning(cfg, healthTimeout)
			if daemon == nil {
				return usagef("health asks the admin listener: set admin in the configuration to an address or a Unix socket")
			}
			daemon.token = "" // these paths need no token
			path := "/healthz"
			if ready {
				path = "/readyz?all"
			}
			status, body, err := daemon.ask(ctx, http.MethodGet, path, nil)
			switch answer := report.Printable(strings.TrimSpace(string(body))); { // anybody may listen there while no daemon runs
			case status == 0:
				return fmt.Errorf("the daemon does not answer at %s: %w", daemon.address, err)
			case err != nil:
				return fmt.Errorf("the answer of %s breaks off: %w", daemon.address, err)
			case status != http.StatusOK:
				return fmt.Errorf("the daemon is not well: %s", answer)
			default:
				_, err = fmt.Fprintln(p.stdout, answer)
				return err
			}
		},
	}
}
