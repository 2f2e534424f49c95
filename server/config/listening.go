package config

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/listen"
	"wpsitemapd/server/proxy"
)

// Listening says how the daemon is reached.
type Listening struct {
	Listen     []listen.Address `restart:"listen"` // where sitemaps are served, and other requests are passed to the upstream
	Admin      []listen.Address `restart:"admin"`  // for status page, metrics and health; empty: off
	AdminToken Secret           // what a client must send to see and change things at Admin; "": only this machine may
	// AdminTokenFile is the absolute path of the file with AdminToken; "": the configuration contains it.
	AdminTokenFile string
	SocketMode     fs.FileMode   `restart:"socket_mode"`              // of Unix sockets
	TLSCert        string        `toml:"tls_cert" restart:"tls_cert"` // absolute path; "": no TLS
	TLSKey         string        `toml:"tls_key" restart:"tls_key"`
	H2C            bool          `toml:"h2c" restart:"h2c"`    // HTTP/2 without TLS
	Drain          time.Duration `toml:"drain" bounds:"0s 1h"` // how long a stop waits for work under way
	Trusted        proxy.Trust   // front servers that may name the client
}

// NeedsRestart returns the keys that differ in next and take effect only after a restart. Fields for such keys have the tag
// restart.
func (c *Config) NeedsRestart(next *Config) (keys []string) {
	now, then := reflect.ValueOf(c).Elem(), reflect.ValueOf(next).Elem()
	for _, f := range reflect.VisibleFields(now.Type()) {
		key := f.Tag.Get("restart")
		if key != "" && !reflect.DeepEqual(now.FieldByIndex(f.Index).Interface(), then.FieldByIndex(f.Index).Interface()) {
			keys = append(keys, key)
		}
	}
	return keys
}

var modeForm = regexp.MustCompile(`^0?[0-7]{3}$`)

func (l *Listening) decode(t *table, dir string) {
	t.fields(l)
	for key, list := range map[string]*[]listen.Address{"listen": &l.Listen, "admin": &l.Admin} {
		t.textOrTexts(key, func() { *list = nil }, func(text string) error { return addAddress(list, text) })
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
	t.list("trusted_proxies", func() { l.Trusted = proxy.Trust{} }, textSetter(l.Trusted.Add))
}

// leastToken is the least length of a token in bytes. It is long, because anybody may try to guess the token over the network.
const leastToken = 16

// decodeToken reads admin_token, or the file that admin_token_file names.
func (l *Listening) decodeToken(t *table, dir string) {
	isSet := t.holds("admin_token", "admin_token_file")
	given, ok := t.secret("admin_token", dir)
	if ok {
		l.AdminToken, l.AdminTokenFile = given.value, given.file
	}
	token := l.AdminToken.Reveal()
	if token != "" && (len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })) {
		t.fail(given.key, l.AdminToken,
			"must have at least %d letters, digits or signs, and no spaces: for example the output of openssl rand -hex 24", leastToken)
	}
	if t.alone && isSet && token == "" {
		l.AdminToken = stars // stands for the token, which is not read
	}
}

// addAddress adds an address to a list, unless the text is "".
func addAddress(list *[]listen.Address, text string) error {
	var a listen.Address
	err := a.UnmarshalText([]byte(text))
	switch {
	case err != nil || a == "":
		return err
	case slices.ContainsFunc(*list, a.Clashes):
		return errors.New("is listed twice, or an address before it includes it")
	}
	*list = append(*list, a)
	return nil
}

// validate checks rules about several keys, and returns warnings.
func (l *Listening) validate(t *table) (warnings []string) {
	failed := func(key string) bool {
		return slices.ContainsFunc(t.found, func(p problem) bool { return strings.HasPrefix(p.Key, key) })
	}
	if len(l.Listen) == 0 && !failed("listen") {
		t.fail("listen", "", "must not be empty")
	}
	for _, a := range l.Admin {
		if slices.ContainsFunc(l.Listen, a.Clashes) {
			t.fail("admin", string(a), "must differ from listen; an address without a host includes every address with its port")
		}
		if l.AdminToken == "" && !a.Local() && !failed("admin_token") {
			t.fail("admin", string(a), "can be reached from other machines: set admin_token or admin_token_file, too")
		}
	}
	switch {
	case l.TLSCert != "" && l.TLSKey == "":
		t.fail("tls_cert", nil, "needs tls_key, too")
	case l.TLSCert == "" && l.TLSKey != "":
		t.fail("tls_key", nil, "needs tls_cert, too")
	case l.TLSCert != "" && !t.alone:
		if _, err := tls.LoadX509KeyPair(l.TLSCert, l.TLSKey); err != nil {
			// not an error: while the certificate is renewed, the files may not match for a moment
			warnings = append(warnings, fmt.Sprintf("tls_cert: the certificate cannot be used: %v", err))
		}
	}
	return warnings
}

// UpstreamOptions returns the options of the proxy to the site's upstream.
func (s *Site) UpstreamOptions() proxy.Options {
	return proxy.Options{Upstream: s.Upstream, Timeout: s.UpstreamTimeout}
}
