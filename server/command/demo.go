package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"wpsitemapd/server"
	"wpsitemapd/server/config"
	"wpsitemapd/wp/sample"
)

func demoCommand() *command {
	listen := "127.0.0.1:0"
	return &command{
		name:     "demo",
		synopsis: "[--listen ADDRESS]",
		summary:  "a sample site, without configuration or database server",
		about: `Creates a sample WordPress site in an embedded SQLite database in a temporary folder, serves its sitemaps by the daemon
itself, and prints addresses to open. Ctrl-C ends it and removes the folder.`,
		exits:   "the site cannot be created or served",
		example: "wpsitemapd demo --listen 127.0.0.1:8080",
		flags: []option{{
			name: "listen", value: "ADDRESS", env: "WPSITEMAPD_LISTEN", initial: "127.0.0.1:0, a free port",
			help: "Where to serve, host:port.",
			set:  func(v string) error { listen = v; return nil },
		}},
		run: func(ctx context.Context, p *program, _ []string) error { return demo(ctx, p, listen) },
	}
}

func demo(ctx context.Context, p *program, listen string) (err error) {
	// The site's own address stands in its database, so the port must be known before.
	address, home, err := freeAddress(listen)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "wpsitemapd-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	database := filepath.Join(dir, ".ht.sqlite")
	if err := sample.Create(ctx, database, home); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("creating the sample site: %w", err)
	}
	file := filepath.Join(dir, "wpsitemapd.toml")
	text := fmt.Sprintf("listen = %s\nadmin = \"\"\ndrain = \"0s\"\nlog_level = \"warn\"\n\n[[site]]\nname = \"demo\"\ndsn = %s\n",
		strconv.Quote(address), strconv.Quote("sqlite:"+database))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	cfg, err := config.Load(file)
	if err != nil {
		return err
	}
	s := server.New(cfg, server.Logger(cfg, p.stderr))
	s.Ready = func(_, _ []net.Addr) {
		fmt.Fprintf(p.stdout, "The Saltwick Gazette, a sample site, is served in the manner of a real one. Open\n\n"+
			"  %[1]s/sitemap_index.xml   the index\n"+
			"  %[1]s/post-sitemap.xml    its posts\n"+
			"  %[1]s/robots.txt          what crawlers read first\n\n"+
			"Ctrl-C ends it and removes its files.\n", home)
	}
	return s.Run(ctx)
}

// freeAddress turns an address with port 0 into one with a port that is free now, and
// returns the address of a site there.
func freeAddress(listen string) (address, home string, err error) {
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return "", "", err
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		return "", "", err
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", "", err
	}
	address = net.JoinHostPort(host, port)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return address, "http://" + net.JoinHostPort(host, port), nil
}
