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
	ctx, stop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop()
		<-signals // a second signal ends the program at once
		os.Exit(1)
	}()
	os.Exit(command.Run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}
