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

// problem is one mistake in a configuration.
type problem struct {
	Line    int    // 0: unknown
	Section string // the section with the mistake, such as `site "example"`; "": the top of the file
	Key     string // as written in the file
	Value   string // as written in the file, secrets as stars; "" if it does not help
	Message string
}

func (p problem) String() string {
	key := p.Key
	if key != "" && p.Value != "" {
		key += " = " + p.Value
	}
	return strings.Join(slices.DeleteFunc([]string{p.Section, key, p.Message}, func(part string) bool { return part == "" }), ": ")
}

// Error lists all problems of a configuration file.
type Error struct {
	File     string
	Problems []problem
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

// problems collects all mistakes, so that an operator sees them at once.
type problems struct {
	lines    lineIndex
	found    []problem
	top      []string // the keys of the top of the file
	warnings []string // about what is not a mistake
	alone    bool     // read no other file, and accept variables that are not set
	pattern  bool     // the table is a [[discover]], and each install fills its placeholders later
	name     string   // of the install whose section is read; "" for other sections
}

// password matches a configuration that contains a password: in an address, or as the token.
var password = regexp.MustCompile(
	`(?m)^[^#\n]*(?:\badmin_token[ \t]*=[ \t]*["'][^"'$]|["'](?:\w+://)?[^"'/@:\s]*:[^"'/@$\s][^"'@$\s]*@)`)

// noteFile warns if every user of the machine can write a file, or can read a file that holds a password.
func (p *problems) noteFile(path string, secret bool) {
	info, err := os.Stat(path)
	switch {
	case err != nil || !info.Mode().IsRegular():
	case info.Mode().Perm()&0o002 != 0:
		p.warnings = append(p.warnings, fmt.Sprintf(
			"every user of this machine can write %s, and so decide what the daemon reads and where it sends requests: only root should", path))
	case secret && info.Mode().Perm()&0o004 != 0:
		p.warnings = append(p.warnings, fmt.Sprintf(
			"every user of this machine can read the password in %s: only root and the daemon's user or group should", path))
	}
}

// secretKeys are the keys whose values no message shows.
var secretKeys = []string{"dsn", "key", "admin_token", "state"}

// userInfo matches the part of an address that may contain a password.
var userInfo = regexp.MustCompile(`://[^/@]*@`)

// asWritten formats a value for a message, nearly as the file has it. It returns "" for a table.
func asWritten(v any) string {
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
			parts[i] = asWritten(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

// retired maps each removed key to what the operator can do instead. Keys of a site are written without "site.".
var retired = map[string]string{
	"brotli": settled, "changes": settled, "collapse_wait": settled, "indexnow.rate": settled, "warm": settled,
	"extra.select": "this key was removed: write the rows into a CSV file by a cron job, and name the file by file = \"/path/tours.csv\"",
	"upstream_ca": "this key was removed: delete the line, and set SSL_CERT_FILE in the environment of the daemon to the file of the " +
		"certificate authorities",
}

const settled = "this key was removed, and its value is fixed now: delete the line"

// Retired returns what the operator can do instead of a removed key. It returns "" for any other key. path includes the
// tables around the key.
func Retired(path string) string {
	for key, instead := range retired {
		if strings.HasSuffix("."+path, "."+key) {
			return instead
		}
	}
	return ""
}

// unknown returns the message about an unknown key.
func (t *table) unknown(key string) string {
	if instead := Retired(t.header(key)); instead != "" {
		return instead
	}
	if t.path != "" && slices.Contains(t.top, key) {
		return "belongs at the top of the file, above the first [section]"
	}
	near := nearest(key, t.known)
	if i := slices.IndexFunc(t.known, func(k string) bool { return strings.HasSuffix(k, "_"+key) }); near == "" && i >= 0 {
		near = t.known[i] // for prefix, that is table_prefix
	}
	if near != "" {
		return "unknown key, did you mean " + near + "?"
	}
	if t.path == "" {
		return "unknown key; the keys of a site belong below [[site]] or [defaults]"
	}
	return "unknown key"
}

// nearest returns the known word that is at most two edits away, or "".
func nearest(word string, known []string) string {
	best, distance := "", min(3, len(word)/2+1)
	if len(word) > 64 { // no known word is that long
		return ""
	}
	for _, k := range known {
		if d := levenshtein.ComputeDistance(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// syntaxMessage returns what is wrong in a line that is not TOML. It does not quote the line, which may contain a secret.
func syntaxMessage(message string) string {
	if strings.HasPrefix(message, "expected value") || strings.HasPrefix(message, "Invalid") {
		message = "the value is missing, or a text lacks its quotes"
	}
	return "not valid TOML: " + message
}
