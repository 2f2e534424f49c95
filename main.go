// Command wpsitemapd serves the XML sitemaps of WordPress sites straight from their
// databases, without running PHP.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"wpsitemapd/server/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from then on a second signal ends the program at once
	os.Exit(command.Run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}
