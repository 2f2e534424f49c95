package server

import (
	"context"
	"log/slog"
	"time"

	"wpsitemapd/server/site"
)

// panicPause is how long background work rests after a panic.
const panicPause = 10 * time.Second

// background runs work in a goroutine until work returns or ctx ends. When the daemon stops, it waits for the
// goroutine. A panic in work is logged and counted, and work starts again after panicPause.
func (s *Server) background(ctx context.Context, log *slog.Logger, work func(context.Context)) {
	s.tasks.Go(func() {
		for site.Guard(log, func() error { work(ctx); return nil }) != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(panicPause):
			}
		}
	})
}
