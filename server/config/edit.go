package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var header = regexp.MustCompile(`^\s*\[`)

// With returns the text of a configuration with a key of a [[site]] set, in one of its tables or, for "", among its own keys.
// Comments and the order of lines stay. It fails where no [[site]] of that name is written there.
func With(text, site, table, key, value, comment string) (string, error) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	own := regexp.MustCompile(`^\s*name\s*=\s*["']` + regexp.QuoteMeta(site) + `["']\s*(#.*)?$`)
	named := slices.IndexFunc(lines, own.MatchString)
	begin, end := named, named+1
	for begin >= 0 && !header.MatchString(lines[begin]) {
		begin--
	}
	if begin < 0 || !strings.HasPrefix(strings.TrimSpace(lines[begin]), "[[site]]") {
		return "", fmt.Errorf("no [[site]] of the name %s is written in the file", site)
	}
	for end < len(lines) && (!header.MatchString(lines[end]) || strings.HasPrefix(strings.TrimLeft(lines[end], " \t["), "site.")) {
		end++
	}
	line := key + " = " + value
	if comment != "" {
		line += " # " + strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, comment)
	}
	at := begin
	if table != "" {
		at = slices.IndexFunc(lines[begin:end], func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "[site."+table+"]") })
		if at < 0 {
			for end > begin+1 && strings.TrimSpace(lines[end-1]) == "" {
				end--
			}
			return strings.Join(slices.Insert(lines, end, "", "[site."+table+"]", line), "\n") + "\n", nil
		}
		at += begin
	}
	is := regexp.MustCompile(`^\s*` + regexp.QuoteMeta(key) + `\s*=`)
	for i := at + 1; i < end && !header.MatchString(lines[i]); i++ {
		if is.MatchString(lines[i]) {
			lines[i] = line
			return strings.Join(lines, "\n") + "\n", nil
		}
	}
	return strings.Join(slices.Insert(lines, at+1, line), "\n") + "\n", nil
}
