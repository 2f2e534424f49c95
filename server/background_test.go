package server

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/wp/wptest"
)

// A panic in background work costs one turn of it, and never the daemon.
func TestBackgroundWorkOutlivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var log wptest.Buffer
		var turns atomic.Int32
		s := &Server{}
		s.background(ctx, slog.New(slog.NewTextHandler(&log, nil)), func(ctx context.Context) {
			if turns.Add(1) < 3 {
				panic("odd data")
			}
			<-ctx.Done()
		})
		synctest.Wait()
		if turns.Load() != 1 {
			t.Errorf("%d turns without a pause", turns.Load())
		}
		time.Sleep(3 * panicPause)
		synctest.Wait()
		if n := strings.Count(log.String(), "internal error"); turns.Load() != 3 || n != 2 {
			t.Errorf("%d turns, %d panics are logged\n%s", turns.Load(), n, &log)
		}
		stop()
		s.tasks.Wait()
	})
}
