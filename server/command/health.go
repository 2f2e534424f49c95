package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"wpsitemapd/server/config"
)

// healthTimeout is how long the daemon may take to say that it is well.
const healthTimeout = 4 * time.Second

func healthCommand() *command {
	var config string
	var ready bool
	return &command{
		name:     "health",
		synopsis: "--config FILE [--ready]",
		summary:  "asks a running daemon whether it is well",
		about: `Asks the daemon that runs with this configuration on this machine, at its admin listener, whether the process responds,
or with --ready whether every site has something to serve. A container without a shell can run it as its health check.

It needs admin in the configuration, with an address or a Unix socket.`,
		exits:   "it is not well, or does not answer",
		example: "wpsitemapd health --config /etc/wpsitemapd.toml",
		flags: []option{
			configOption(&config),
			switchOption("ready", "WPSITEMAPD_READY", "Ask whether every site has something to serve.", &ready),
		},
		run: func(ctx context.Context, p *program, _ []string) error {
			cfg, err := loadConfig(config)
			if err != nil {
				return err
			}
			path := "/healthz"
			if ready {
				path = "/readyz?all"
			}
			answer, err := askAdmin(ctx, cfg, path)
			if err == nil {
				_, err = fmt.Fprintln(p.stdout, answer)
			}
			return err
		},
	}
}

// askAdmin asks the admin listener of the daemon that runs with a configuration.
func askAdmin(ctx context.Context, cfg *config.Config, path string) (answer string, err error) {
	client, address := adminClient(cfg)
	if client == nil {
		return "", usagef("the configuration gives admin no address that can be asked")
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(r)
	if err != nil {
		return "", fmt.Errorf("the daemon does not answer at %s: %w", address, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	switch answer = strings.TrimSpace(string(body)); {
	case err != nil:
		return "", fmt.Errorf("the answer of %s breaks off: %w", address, err)
	case resp.StatusCode != http.StatusOK:
		return "", fmt.Errorf("the daemon is not well: %s", answer)
	}
	return answer, nil
}
