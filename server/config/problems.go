package config

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
)

// Problem is one mistake in a configuration.
type Problem struct {
	Line    int    // 0: not known
	Section string // whose mistake it is, such as `site "example"`; "" for the top of the file
	Key     string // as written in the file
	Value   string // as written in the file, secrets as stars; "" when it does not help
	Message string
}

func (p Problem) String() string {
	key := p.Key
	if key != "" && p.Value != "" {
		key += " = " + p.Value
	}
	return strings.Join(slices.DeleteFunc([]string{p.Section, key, p.Message}, func(part string) bool { return part == "" }), ": ")
}

// Error lists every problem of a configuration file.
type Error struct {
	File     string
	Problems []Problem
}

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.File
		if p.Line > 0 {
			lines[i] += fmt.Sprintf(":%d", p.Line)
		}
		lines[i] += ": " + p.String()
	}
	return strings.Join(lines, "\n")
}

// problems collects what is wrong, so that an operator sees all of it at once.
type problems struct {
	lines    lineIndex
	found    []Problem
	top      []string // keys of the top of the file
	warnings []string // about what is no mistake
	alone    bool     // no other file is looked at, and variables may be set later
	pattern  bool     // it is a section that each install it finds fills
	fill     func(text string) (string, error)
}

// password matches a configuration that holds one: an address with it, or the token.
var password = regexp.MustCompile(
	`(?m)^[^#\n]*(?:\badmin_token[ \t]*=[ \t]*["'][^"'$]|["'](?:\w+://)?[^"'/@:\s]*:[^"'/@$\s][^"'@$\s]*@)`)

// noteFile warns of a file with a password that every user of the machine may read.
func (p *problems) noteFile(path string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 {
		p.warnings = append(p.warnings, fmt.Sprintf(
			"every user of this machine can read the password in %s: only root and the daemon's user or group should", path))
	}
}

// secretKeys are those whose values no message shows, not even as they were written.
var secretKeys = []string{"dsn", "key", "admin_token", "state"}

// userInfo matches the part of an address that holds a password.
var userInfo = regexp.MustCompile(`://[^/@]*@`)

// written prints a value about as it is in the file.
func written(v any) string {
	switch v := v.(type) {
	case nil, map[string]any, []map[string]any:
		return ""
	case Secret:
		return fmt.Sprintf("%q", stars)
	case string:
		return fmt.Sprintf("%q", userInfo.ReplaceAllString(v, "://"+stars+"@"))
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = written(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

// retired are the keys that an earlier version knew, without the table of the site, each with what to do instead.
var retired = map[string]string{
	"brotli": settled, "changes": settled, "collapse_wait": settled, "indexnow.rate": settled, "warm": settled,
	"extra.select": "this key is no more: write the rows into a CSV file by a cron job, and name the file by file = \"/path/tours.csv\"",
	"upstream_ca":  "this key is no more: SSL_CERT_FILE in the environment of the daemon names the file of the authorities",
}

const settled = "this key is no more, and what it set is settled: take the line out"

// Retired returns what to do instead of a key that an earlier version knew, with the tables around it; "" for others.
func Retired(path string) string {
	for key, instead := range retired {
		if strings.HasSuffix("."+path, "."+key) {
			return instead
		}
	}
	return ""
}

// unknown is the message about a key that nobody asked for.
func (t *table) unknown(key string) string {
	if instead := Retired(t.header(key)); instead != "" {
		return instead
	}
	if t.path != "" && slices.Contains(t.top, key) {
		return "belongs at the top of the file, above the first [section]"
	}
	if near := nearest(key, t.known); near != "" {
		return "unknown key, did you mean " + near + "?"
	}
	if t.path == "" {
		return "unknown key; those of a site belong below [[site]] or [defaults]"
	}
	return "unknown key"
}

// nearest returns the known word at most two edits away, or "".
func nearest(word string, known []string) string {
	best, distance := "", min(3, len(word)/2+1)
	if len(word) > 64 { // no known word is near it
		return ""
	}
	for _, k := range known {
		if d := levenshtein.ComputeDistance(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// syntaxMessage says what is wrong in a line that is not TOML, without what is written there, which may be a secret.
func syntaxMessage(message string) string {
	if strings.HasPrefix(message, "expected value") || strings.HasPrefix(message, "Invalid") {
		message = "there is no value, or a text lacks its quotes"
	}
	return "not valid TOML: " + message
}
