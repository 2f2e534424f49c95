package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"wpsitemapd/server"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
)

func serveCommand() *command {
	var from setup
	var asOf time.Time
	return &command{
		name:     "serve",
		synopsis: "[--config FILE | --wp FOLDER [--upstream URL] [--listen ADDRESS] [--admin ADDRESS]] [--as-of TIME]",
		summary:  "the daemon; also what runs without a command",
		about: `Serves the sitemaps of every site in the configuration. Whatever is not a sitemap goes to the site's upstream.

With --wp one install is served and no configuration is needed: its wp-config.php names the database. Without --upstream,
all other URLs are answered with 404.

A site whose database cannot be read does not affect the others. The daemon retries with growing pauses and serves what
it read before. The log goes to standard error.

The configuration is read again when its file changes, when a wp-config.php changes, appears or vanishes, and on SIGHUP.
Sites that did not change keep their connections and pages. A configuration with a mistake changes nothing and is
logged. Changes of addresses, sockets, paths of certificates, state and the log need a restart.

SIGTERM and SIGINT stop the daemon. It takes no new connections; requests under way go on for up to drain (30 seconds).
A second signal ends the daemon at once. The daemon tells systemd when it is ready, reloads or stops, and serves the watchdog of systemd.`,
		exits:   "the daemon cannot listen, or had to stop",
		example: "wpsitemapd serve --config /etc/wpsitemapd.toml",
		flags: append(from.options(),
			textOption("listen", "ADDRESS", "127.0.0.1:8080", "With --wp, where to serve.", &from.listen),
			textOption("admin", "ADDRESS", "off", "With --wp, where the status page is, such as :9090.", &from.admin),
			asOfOption(&asOf),
		),
		run: func(ctx context.Context, p *program, _ []string) error {
			cfg, err := from.load()
			if err != nil {
				return err
			}
			_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // a core dump would contain passwords
			log := report.NewLogger(cfg, p.stderr)
			s := server.New(cfg, log)
			if !asOf.IsZero() {
				s.Now = site.Clock(asOf)
			}
			s.Watch, s.Load = from.watched(), from.reload
			defer onHangUp(func() { _ = s.Reload(ctx) })() // Reload logs its errors
			return s.Run(ctx)
		},
	}
}

// onHangUp calls reload on SIGHUP until the returned function is called.
func onHangUp(reload func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-signals:
				reload()
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
