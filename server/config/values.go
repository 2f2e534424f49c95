package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"

	"wpsitemapd/wp/weburl"
)

// Secret is a text that must not appear in a log, an error or a status page. Everything that prints it prints stars. Only Reveal
// returns the value.
type Secret string

const stars = "***"

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) masked() string {
	if s == "" {
		return ""
	}
	return stars
}

// Format and MarshalText print stars. All of fmt uses Format; JSON and logs use MarshalText.
func (s Secret) Format(f fmt.State, verb rune) { fmt.Fprint(f, s.masked()) }
func (s Secret) MarshalText() ([]byte, error)  { return []byte(s.masked()), nil }

// Home is a public address without a slash at its end, or "".
type Home string

func (h *Home) UnmarshalText(text []byte) error {
	s := strings.TrimRight(string(text), "/")
	if s == "" {
		*h = ""
		return nil
	}
	v, err := url.Parse(s)
	if err != nil || v.Scheme != "http" && v.Scheme != "https" || v.Hostname() == "" {
		return errors.New(`must be the site's address, such as "https://www.example.com"`)
	}
	if v.User != nil || v.RawQuery != "" || v.Fragment != "" {
		return errors.New("must not hold a user, a query string or a fragment")
	}
	*h = Home(s)
	return nil
}

// host and Path return the parts that requests are routed by: the host name in lower case, and the path without slashes at its
// ends.
func (h Home) host() string { host, _ := weburl.Split(string(h)); return host }
func (h Home) Path() string { _, path := weburl.Split(string(h)); return path }

// Host is a host name in lower case, without a port. International names are in punycode.
type Host string

func (h *Host) UnmarshalText(text []byte) error {
	s := strings.TrimSuffix(strings.ToLower(string(text)), ".")
	switch {
	case s == "":
		return errors.New("must not be empty")
	case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]"):
		s = s[1 : len(s)-1]
		if net.ParseIP(s) == nil {
			return errors.New("is not an IPv6 address")
		}
	case net.ParseIP(s) != nil:
	case strings.ContainsAny(s, "/:@?# \t"):
		return errors.New("must be a host name alone, without scheme, port or path")
	case strings.Contains(s, "*"):
		return errors.New("patterns are not supported: write every host name")
	case !weburl.IsASCII(s):
		ascii, err := weburl.ASCII(s)
		if err != nil {
			return errors.New("is not a valid international host name")
		}
		s = ascii
	}
	*h = Host(s)
	return nil
}

// Size is a number of bytes. It is written with a unit, such as "500MB" or "1GB".
type Size int64

// sizeUnits are the units of a Size, the largest first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}}

func (s *Size) UnmarshalText(text []byte) error {
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(string(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err == nil && n >= 0 && n <= math.MaxInt64/u.bytes {
			*s = Size(n * u.bytes)
			return nil
		}
	}
	return errors.New(`must be a whole number with its unit, such as "500MB" or "1GB"`)
}

func (s Size) String() string {
	for _, u := range sizeUnits {
		if s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + " bytes"
}

// Quote returns a text as a TOML string in which ${ begins no variable.
func Quote(text string) string { return strconv.Quote(strings.ReplaceAll(text, "${", "$${")) }

// Key returns a name as a part of a TOML key.
func Key(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || name == "" {
		return Quote(name)
	}
	return name
}
