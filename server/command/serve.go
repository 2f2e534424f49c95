package command

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"wpsitemapd/server"
)

func serveCommand() *command {
	var config string
	var now func() time.Time
	return &command{
		name:     "serve",
		synopsis: "--config FILE [--as-of TIME]",
		summary:  "the daemon; also what runs without a command",
		about: `Serves the sitemaps of every site in the configuration and passes what is not a sitemap to the site's upstream.

A site whose database cannot be read does not keep the others from being served: it is tried again with growing pauses, and what was read before is served meanwhile. The log goes to standard error.

SIGTERM and SIGINT end it: requests under way are finished first. A second signal ends it at once. SIGHUP does nothing but a line in the log; restart it after a change of the configuration.`,
		exits:   "it cannot listen, or had to stop",
		example: "wpsitemapd serve --config /etc/wpsitemapd.toml",
		flags:   []option{configOption(&config), asOfOption(&now)},
		run: func(ctx context.Context, p *program, _ []string) error {
			cfg, err := loadConfig(config)
			if err != nil {
				return err
			}
			log := cfg.Logger(p.stderr)
			defer answerHangUp(log)()
			s := server.New(cfg, log)
			s.Now = now
			return s.Run(ctx)
		},
	}
}

// answerHangUp keeps SIGHUP from ending the daemon, until the returned function is called.
func answerHangUp(log *slog.Logger) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-signals:
				log.Warn("SIGHUP is ignored: restart the daemon to read its configuration again")
			case <-ended:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(ended)
	}
}
