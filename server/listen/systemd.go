package listen

import (
	"context"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// The states for Notify, see sd_notify(3).
const (
	Ready     = daemon.SdNotifyReady
	Reloading = daemon.SdNotifyReloading
	Stopping  = daemon.SdNotifyStopping
)

// Notify tells systemd a state of the daemon. Without NOTIFY_SOCKET, it does nothing.
func Notify(state string, log *slog.Logger) {
	if state == Reloading { // units of Type=notify-reload need the time
		state += "\n" + daemon.SdNotifyMonotonicUsec()
	}
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd cannot be notified", "state", state, "reason", err,
			"hint", "check NotifyAccess and whether the notify socket can be reached")
	}
}

// Watch pings systemd's watchdog twice in every WatchdogSec until ctx ends. It pings only if turns returns nil in time. If the
// unit has no watchdog, it does nothing.
func Watch(ctx context.Context, turns func(context.Context) error, log *slog.Logger) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("the unit's watchdog setting cannot be used", "reason", err, "hint", "check WatchdogSec in the unit")
	}
	if interval <= 0 || err != nil {
		return
	}
	beat := time.NewTicker(interval / 2)
	defer beat.Stop()
	for {
		attempt, cancel := context.WithTimeout(ctx, interval/2)
		err := turns(attempt)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			Notify(daemon.SdNotifyWatchdog, log)
		default:
			log.Error("the daemon hangs; the watchdog is not pinged", "reason", err,
				"hint", "systemd restarts the daemon; report it with this log entry")
		}
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
	}
}
