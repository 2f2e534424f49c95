package config

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/listen"
	"wpsitemapd/server/proxy"
)

// Address is one place to listen.
type Address = listen.Address

// Listening is how the daemon is reached. All of it but Drain and Trusted is taken at the
// start.
type Listening struct {
	Listen     []Address     // sitemaps and proxy
	Admin      []Address     // status page, metrics and health; empty is off
	AdminToken Secret        // who has it may see and change things there; "" admits only this machine
	SocketMode fs.FileMode   // of Unix sockets
	TLSCert    string        `toml:"tls_cert"` // absolute; "": no TLS
	TLSKey     string        `toml:"tls_key"`
	H2C        bool          `toml:"h2c"`                  // HTTP/2 without TLS
	Drain      time.Duration `toml:"drain" bounds:"0s 1h"` // for what is under way when stopping
	Trusted    proxy.Trust   // front servers
}

// DefaultListening has the values of the keys that a file does not set.
func DefaultListening() Listening {
	l := Listening{Listen: []Address{"127.0.0.1:8080"}, SocketMode: 0o660, Drain: 30 * time.Second}
	for _, word := range []string{"loopback", "private"} {
		_ = l.Trusted.Add(word) // both are known
	}
	return l
}

// NeedsRestart names the keys that differ in another configuration and are only read at the start.
func (c *Config) NeedsRestart(next *Config) []string {
	var keys []string
	for _, key := range []struct {
		name string
		same bool
	}{
		{"listen", slices.Equal(c.Listen, next.Listen)},
		{"admin", slices.Equal(c.Admin, next.Admin)},
		{"socket_mode", c.SocketMode == next.SocketMode},
		{"tls_cert", c.TLSCert == next.TLSCert},
		{"tls_key", c.TLSKey == next.TLSKey},
		{"h2c", c.H2C == next.H2C},
		{"state", c.State == next.State && c.StateAddress == next.StateAddress},
		{"state_size", c.StateSize == next.StateSize},
		{"watch", slices.Equal(c.Watch, next.Watch)},
		{"log", c.Log == next.Log},
		{"log_level", c.LogLevel == next.LogLevel},
	} {
		if !key.same {
			keys = append(keys, key.name)
		}
	}
	return keys
}

var modeForm = regexp.MustCompile(`^0?[0-7]{3}$`)

func (l *Listening) decode(t *table, dir string) {
	t.fields(l)
	for key, list := range map[string]*[]Address{"listen": &l.Listen, "admin": &l.Admin} {
		t.texts(key, true, func() { *list = nil }, func(text string) error { return addAddress(list, text) })
	}
	for i, a := range l.Admin {
		l.Admin[i] = a.OnLoopback()
	}
	l.decodeToken(t, dir)
	t.text("socket_mode", func(text string) error {
		n, err := strconv.ParseUint(text, 8, 32)
		if err != nil || !modeForm.MatchString(text) {
			return errors.New(`must be an octal mode in quotes, such as "0660"`)
		}
		l.SocketMode = fs.FileMode(n)
		return nil
	})
	l.TLSCert, l.TLSKey = absolute(l.TLSCert, dir), absolute(l.TLSKey, dir)
	t.texts("trusted_proxies", false, func() { l.Trusted = proxy.Trust{} }, l.Trusted.Add)
}

// leastToken is the least length of a token in bytes: anybody may try to guess it over the network, without limit.
const leastToken = 16

// decodeToken reads admin_token, or admin_token_file and the file it names.
func (l *Listening) decodeToken(t *table, dir string) {
	key, failed := "admin_token", len(t.found)
	given := t.holds("admin_token", "admin_token_file")
	if t.holds("admin_token") && t.holds("admin_token_file") {
		t.fail("admin_token_file", nil, "is set beside admin_token: one of them is enough")
	}
	t.text(key, func(s string) error { l.AdminToken = Secret(s); return nil })
	if path, text, ok := t.file("admin_token_file", dir, "the value of admin_token"); ok {
		key, l.AdminToken = "admin_token_file", Secret(text)
		t.noteFile(absolute(path, dir))
	}
	token := l.AdminToken.Reveal()
	if token != "" && len(t.found) == failed &&
		(len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })) {
		t.fail(key, l.AdminToken,
			"must have at least %d letters, digits or signs, and no spaces: for example the output of openssl rand -hex 24", leastToken)
	}
	if t.alone && given && token == "" {
		l.AdminToken = stars // the one that is not looked at
	}
}

// addAddress adds an address to listen at, unless it is "".
func addAddress(list *[]Address, text string) error {
	var a Address
	err := a.UnmarshalText([]byte(text))
	switch {
	case err != nil || a == "":
		return err
	case slices.ContainsFunc(*list, a.Same):
		return errors.New("is listed twice")
	}
	*list = append(*list, a)
	return nil
}

// validate checks what concerns more than one key, and returns warnings.
func (l *Listening) validate(p *problems) (warnings []string) {
	add := func(key, value, message string) {
		p.found = append(p.found, Problem{Line: p.lines.line(key), Key: key, Value: value, Message: message})
	}
	failed := func(key string) bool {
		return slices.ContainsFunc(p.found, func(p Problem) bool { return strings.HasPrefix(p.Key, key) })
	}
	if len(l.Listen) == 0 && !failed("listen") {
		add("listen", `""`, "must not be empty")
	}
	for _, a := range l.Admin {
		if slices.ContainsFunc(l.Listen, a.Same) {
			add("admin", written(string(a)), "must differ from listen")
		}
		if l.AdminToken == "" && !a.Local() && !failed("admin_token") {
			add("admin", written(string(a)), "can be reached from other machines: that needs admin_token or admin_token_file")
		}
	}
	switch {
	case l.TLSCert != "" && l.TLSKey == "":
		add("tls_cert", "", "needs tls_key beside it")
	case l.TLSCert == "" && l.TLSKey != "":
		add("tls_key", "", "needs tls_cert beside it")
	case l.TLSCert != "" && !p.alone:
		if _, err := tls.LoadX509KeyPair(l.TLSCert, l.TLSKey); err != nil {
			// no error: while it is renewed the files may not match for a moment
			warnings = append(warnings, fmt.Sprintf("tls_cert: the certificate cannot be used: %v", err))
		}
	}
	return warnings
}

// Upstream is the address of a PHP site.
type Upstream = proxy.Upstream

// UpstreamOptions says how a site's upstream is reached.
func (s *Site) UpstreamOptions() proxy.Options {
	return proxy.Options{Upstream: s.Upstream, CA: s.UpstreamCA, Timeout: s.UpstreamTimeout}
}
