package site

import (
	"errors"
	"io/fs"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/config"
)

// A site whose turn has not come may be anybody's for as long as one whose server does not answer.
func TestHopeful(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	refused := &Snapshot{Since: began, Err: syscall.ECONNREFUSED}
	for name, tt := range map[string]struct {
		known *Snapshot
		after time.Duration
		want  bool
	}{
		"not tried":          {&Snapshot{}, FirstTimeout, true},
		"not tried for long": {&Snapshot{}, 10 * time.Minute, false},
		"no answer":          {refused, 9 * time.Minute, true},
		"none for long":      {refused, 10 * time.Minute, false},
		"it answers":         {&Snapshot{Since: began, Err: errors.New("access denied")}, 0, false},
		"no file":            {&Snapshot{Since: began, Err: &fs.PathError{Err: syscall.ENOENT}}, 0, false},
	} {
		s := New(config.Site{Confirm: 10 * time.Minute}, slog.New(slog.DiscardHandler))
		s.Began = began
		s.Publish(tt.known)
		if got := s.Hopeful(began.Add(tt.after)); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
