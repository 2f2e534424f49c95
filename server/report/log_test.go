package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest/expect"
)

// injected is where clients, databases and files write.
var injected = "a\r\nlevel=ERROR msg=forged\x1b[2J\x9b31m\u202egnp\u2066\x00\x7f\u0085\u2028\"} {\xff\U000e0041"

// Whatever is logged, one event stays one line of printable characters.
func TestLogsCannotBeForged(t *testing.T) {
	for _, form := range []string{"text", "json"} {
		var b bytes.Buffer
		log := NewLogger(&config.Config{Log: form}, &b)
		log.With("site", injected).Error(injected, "reason", errors.New(injected), "text", injected, "list", []string{injected},
			"other", struct{ A string }{injected}, "group", slog.GroupValue(slog.String("in", injected)), injected, 1)
		line := b.String()
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
			t.Errorf("%s: not one line: %q", form, line)
		}
		for _, r := range strings.TrimSuffix(line, "\n") {
			if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
				t.Errorf("%s: %q is in %q", form, r, line)
				break
			}
		}
		if form == "json" {
			var v map[string]any
			if err := json.Unmarshal([]byte(line), &v); err != nil || v["level"] != "ERROR" || v["text"] != Printable(injected) {
				t.Errorf("%v: %v", v, err)
			}
		}
	}
}

func TestLoggedTextsAreBounded(t *testing.T) {
	long := strings.Repeat("ä", 100_000)
	for _, form := range []string{"text", "json"} {
		var b bytes.Buffer
		NewLogger(&config.Config{Log: form}, &b).Info(long, "text", long, "reason", errors.New(long), "stack", long)
		if n := b.Len(); n > 3*maxLogged+maxLoggedStack+1000 || n < 3*maxLogged {
			t.Errorf("%s: %d bytes", form, n)
		}
		expect.Contains(t, b.String(), "ä…", form, "not cut between characters")
	}
}

// Only a text that is too long is cut, and no character is split.
func TestClip(t *testing.T) {
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"äöü", 6, "äöü"}, {"äöü", 5, "äö…"}, {"äöü", 4, "äö…"}, {"ä", 1, "…"}, {"\x80\x80", 1, "…"}} {
		expect.Equal(t, Clip(tt.text, tt.limit), tt.want, tt.text, tt.limit)
	}
}

// Warnings and errors are counted even if the log does not write them.
func TestCountedLogger(t *testing.T) {
	for _, tt := range []struct {
		level slog.Level
		lines string
	}{{slog.LevelDebug, "dbg info warn err"}, {slog.LevelInfo, "info warn err"}, {slog.LevelError, "err"}, {slog.LevelError + 1, ""}} {
		var b bytes.Buffer
		var warnings, failures atomic.Int64
		log := CountedLogger(NewLogger(&config.Config{Log: "json", LogLevel: tt.level}, &b), &warnings, &failures).With("site", "a").WithGroup("g")
		log.Debug("dbg", "n", 1)
		log.Info("info", "n", 1)
		log.Warn("warn", "n", 1)
		log.Log(t.Context(), slog.LevelWarn+1, "warn", "n", 1)
		log.Error("err", "n", 1)
		expect.Equal(t, warnings.Load(), 2, tt.level)
		expect.Equal(t, failures.Load(), 1, tt.level)
		var seen []string
		for line := range strings.Lines(b.String()) {
			var v struct {
				Msg, Site string
				G         struct{ N int }
			}
			if err := json.Unmarshal([]byte(line), &v); err != nil || v.Site != "a" || v.G.N != 1 {
				t.Errorf("%s: %v", line, err)
			}
			if len(seen) == 0 || seen[len(seen)-1] != v.Msg {
				seen = append(seen, v.Msg)
			}
		}
		expect.Equal(t, strings.Join(seen, " "), tt.lines, tt.level)
	}
}
