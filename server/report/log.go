package report

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"wpsitemapd/server/config"
)

// A line of the log is one event. Text from clients, databases and files is cleaned before it is logged. No character in it ends
// a line, moves the cursor of a terminal, or changes the direction of writing. Long text is cut.
//
// These are the limits of what is logged.
const (
	maxLogged      = 4 << 10 // bytes of a value
	maxLoggedStack = 32 << 10
)

// NewLogger returns a logger in the configured format.
func NewLogger(c *config.Config, w io.Writer) *slog.Logger {
	opt := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: cleanAttr}
	if c.Log == "json" {
		return slog.New(slog.NewJSONHandler(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}

func cleanAttr(_ []string, a slog.Attr) slog.Attr {
	limit := maxLogged
	a.Key = Printable(a.Key)
	if a.Key == "stack" {
		limit = maxLoggedStack
	}
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(Printable(Clip(v.String(), limit)))
	case slog.KindAny:
		switch v := v.Any().(type) {
		case error:
			a.Value = slog.StringValue(Printable(Clip(v.Error(), limit)))
		case *slog.Source, slog.Level, nil:
		case []string:
			a.Value = slog.StringValue(Printable(Clip(strings.Join(v, " "), limit)))
		default:
			a.Value = slog.StringValue(Printable(Clip(fmt.Sprint(v), limit)))
		}
	}
	return a
}

// Clip cuts a text that is longer than limit bytes. It does not split a character, so the result may be shorter than limit.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// CountedLogger returns a logger that writes to log, and counts warnings and errors. It also counts those that the level of log
// suppresses.
func CountedLogger(log *slog.Logger, warnings, errors *atomic.Int64) *slog.Logger {
	return slog.New(tally{log.Handler(), warnings, errors})
}

type tally struct {
	slog.Handler
	warnings, errors *atomic.Int64
}

func (t tally) Handle(ctx context.Context, r slog.Record) error {
	switch {
	case r.Level >= slog.LevelError:
		t.errors.Add(1)
	case r.Level >= slog.LevelWarn:
		t.warnings.Add(1)
	}
	if !t.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return t.Handler.Handle(ctx, r)
}

// Enabled reports whether a record is wanted: the log writes its level, or the record is a warning or an error, which are
// counted.
func (t tally) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || t.Handler.Enabled(ctx, level)
}

func (t tally) WithAttrs(attrs []slog.Attr) slog.Handler {
	t.Handler = t.Handler.WithAttrs(attrs)
	return t
}

func (t tally) WithGroup(name string) slog.Handler {
	t.Handler = t.Handler.WithGroup(name)
	return t
}
