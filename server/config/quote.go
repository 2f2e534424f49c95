package config

import (
	"strconv"
	"strings"
)

// Quote returns a text as a TOML string in which ${ begins no variable.
func Quote(text string) string { return strconv.Quote(strings.ReplaceAll(text, "${", "$${")) }

// Key returns a name as a part of a TOML key.
func Key(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || name == "" {
		return Quote(name)
	}
	return name
}
