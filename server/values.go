package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Secret is a text that never reaches a log, an error or a status page: whatever prints it
// prints stars. Reveal is the one way to its value.
type Secret string

const stars = "***"

// Reveal returns the value itself.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) masked() string {
	if s == "" {
		return ""
	}
	return stars
}

// String, GoString, Format, MarshalText and LogValue all print stars.
func (s Secret) String() string                { return s.masked() }
func (s Secret) GoString() string              { return strconv.Quote(s.masked()) }
func (s Secret) MarshalText() ([]byte, error)  { return []byte(s.masked()), nil }
func (s Secret) LogValue() slog.Value          { return slog.StringValue(s.masked()) }
func (s Secret) Format(f fmt.State, verb rune) { fmt.Fprint(f, s.masked()) }

// Address is a TCP address to listen on, "host:port"; "" means none.
type Address string

func (a *Address) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "" {
		*a = ""
		return nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return errors.New(`must be host:port, such as "127.0.0.1:8080"`)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return errors.New("the port must be a number from 0 to 65535")
	} else if n == 0 && port != "0" {
		return errors.New("the port must be written as a plain number")
	}
	if strings.ContainsAny(host, "/ ") {
		return errors.New("the part before the port must be a host name or an IP address")
	}
	*a = Address(s)
	return nil
}

// Upstream is the address of the PHP site: scheme and host, without a path. The zero value
// means that there is none.
type Upstream struct{ url *url.URL }

func (u *Upstream) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		u.url = nil
		return nil
	}
	v, err := url.Parse(string(text))
	switch {
	case err != nil, v.Scheme != "http" && v.Scheme != "https", v.Hostname() == "":
		return errors.New(`must be an address such as "http://127.0.0.1:8081"`)
	case v.User != nil:
		return errors.New("must not hold a user or a password")
	case v.Path != "" && v.Path != "/", v.RawQuery != "", v.Fragment != "":
		return errors.New("must be scheme, host and port only: paths are passed on as they come")
	}
	u.url = &url.URL{Scheme: v.Scheme, Host: v.Host}
	return nil
}

// URL returns the address, nil when there is none. It must not be changed.
func (u Upstream) URL() *url.URL { return u.url }

func (u Upstream) String() string {
	if u.url == nil {
		return ""
	}
	return u.url.String()
}

// Home is a public address without a slash at the end, or "".
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

// host and path return the parts requests are routed by: the host name in lower case, and
// the path without slashes at its ends.
func (h Home) host() string { host, _ := splitHome(string(h)); return host }
func (h Home) path() string { _, path := splitHome(string(h)); return path }

// Host is a host name in lower case, without port.
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
	case strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }):
		return errors.New("must be written in its ASCII form (xn--…)")
	}
	*h = Host(s)
	return nil
}

// Pattern is a regular expression that prints back as it was written.
type Pattern struct{ *regexp.Regexp }

func (p *Pattern) UnmarshalText(text []byte) error {
	re, err := regexp.Compile(string(text))
	if err != nil {
		return fmt.Errorf("is not a valid pattern: %w", err)
	}
	p.Regexp = re
	return nil
}

// Duration is a time span written with its unit, such as "30s" or "5m".
type Duration struct{ time.Duration }

func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New(`must be a duration with its unit, such as "30s" or "5m"`)
	}
	d.Duration = v
	return nil
}

func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
