package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
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
