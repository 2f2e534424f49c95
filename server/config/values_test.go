package config

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Nothing but Reveal prints a secret. An empty one is shown as empty.
func TestSecretPrintsStars(t *testing.T) {
	t.Parallel()
	for secret, want := range map[Secret]string{"sesame": "***", "": ""} {
		text, err := json.Marshal(secret)
		wptest.Must(t, err)
		expect.Equal(t, string(text), `"`+want+`"`)
		for _, form := range []string{"%v", "%s", "%q", "%+v", "%x", "%#v", "%d"} {
			expect.Equal(t, fmt.Sprintf(form, secret), want, form)
		}
		expect.Equal(t, secret.Reveal(), string(secret))
	}
}

// A home is an address of the web, without what does not belong to it.
func TestHome(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "/": "", "https://www.example.com": "https://www.example.com", "http://a.test:8080/blog//": "http://a.test:8080/blog", "https://[::1]/": "https://[::1]",
		"ftp://a.test": "!", "www.example.com": "!", "https://": "!", "https://[": "!", "https://:80/": "!", "https://user@a.test": "!", "https://a.test/?a": "!", "https://a.test/#a": "!",
	} {
		h := Home("before")
		err := h.UnmarshalText([]byte(text))
		expect.Equal(t, err != nil, want == "!", text, err)
		if err == nil {
			expect.Equal(t, string(h), want, text)
		}
	}
	h := Home("https://WWW.Example.com:8443/a/b")
	expect.Equal(t, h.host()+" "+h.Path(), "www.example.com a/b")
}

// A host is a name or an IP address alone, in the form that requests are compared with.
func TestHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"WWW.Example.com.": "www.example.com", "münchen.test": "xn--mnchen-3ya.test", "192.0.2.1": "192.0.2.1", "[2001:DB8::1]": "2001:db8::1", "2001:db8::1": "2001:db8::1",
		"": "!", ".": "!", "[a]": "!", "[2001:db8::1": "!", "a]": "a]", "a.test:80": "!", "https://a.test": "!", "a b": "!", "*.a.test": "!",
	} {
		h := Host("before")
		err := h.UnmarshalText([]byte(text))
		expect.Equal(t, err != nil, want == "!", text, err)
		if err == nil {
			expect.Equal(t, string(h), want, text)
		}
	}
}

// A size has a unit, and is printed in the largest unit that fits.
func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Size{
		"0KB": 0, "1KB": 1 << 10, "500MB": 500 << 20, "2 GB": 2 << 30, "8388607TB": 8388607 << 40, "8388608TB": -1, "-1KB": -1, "1.5GB": -1, "5": -1, "KB": -1, "1kb": -1, "": -1,
	} {
		s := Size(7)
		err := s.UnmarshalText([]byte(text))
		expect.Equal(t, err != nil, want < 0, text, err)
		if err == nil {
			expect.Equal(t, s, want, text)
		}
	}
	for s, want := range map[Size]string{0: "0 bytes", 1: "1 bytes", 1 << 10: "1KB", 3 << 20: "3MB", 1 << 30: "1GB", 1<<30 + 1<<10: "1048577KB", 1025: "1025 bytes",
		math.MaxInt64: "9223372036854775807 bytes"} {
		expect.Equal(t, s.String(), want)
	}
}

// What init and check write into a configuration is read again as it was.
func TestQuotedTexts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"book": "book", "a-b_9": "a-b_9", "": `""`, "a b": `"a b"`, "A": `"A"`, "a.b": `"a.b"`, "${x}": `"$${x}"`} {
		expect.Equal(t, Key(name), want)
	}
	expect.Equal(t, Quote("a\"b${c}"), `"a\"b$${c}"`)
}

// The fingerprint of a wp-config.php follows its content. A file that cannot be read has none.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "wp-config.php")
	expect.Equal(t, Fingerprint(""), "")
	expect.Equal(t, Fingerprint(file), "")
	wptest.Must(t, os.WriteFile(file, []byte("<?php\n"), 0o600))
	first := Fingerprint(file)
	expect.Equal(t, len(first), 64)
	expect.Equal(t, Fingerprint(dir), first, "the folder of the file")
	wptest.Must(t, os.WriteFile(file, []byte("<?php\n\n"), 0o600))
	expect.Equal(t, Fingerprint(file) != first, true)
}

// The identity of a site is its database, not the server or the account. The listing also depends on what decides which URLs are listed.
func TestIdentityOfDatabase(t *testing.T) {
	t.Parallel()
	site := func(change func(*Site)) Site {
		s := DefaultSite()
		s.Name, s.DSN = "a", "user:secret@tcp(db:3306)/shop?charset=utf8"
		change(&s)
		return s
	}
	same := site(func(*Site) {})
	for rule, tt := range map[string]struct {
		change            func(*Site)
		identity, listing bool // whether they are the same
	}{
		"another account":     {func(s *Site) { s.DSN = "other:x@tcp(db2:3306)/shop" }, true, true},
		"another database":    {func(s *Site) { s.DSN = "user:secret@tcp(db:3306)/other" }, false, false},
		"a file":              {func(s *Site) { s.DSN = "sqlite:/a/shop" }, false, false},
		"another prefix":      {func(s *Site) { s.TablePrefix = "x_" }, false, false},
		"another home":        {func(s *Site) { s.Home = "https://b.test" }, false, false},
		"another wp-config":   {func(s *Site) { s.WPConfig = "/x" }, false, false},
		"another size":        {func(s *Site) { s.PageSize = 7 }, true, false},
		"another level":       {func(s *Site) { s.Compat = "plugin" }, true, false},
		"another plugin":      {func(s *Site) { s.Sitemaps = "core" }, true, false},
		"excluded posts":      {func(s *Site) { s.Exclude.PostIDs = []int64{7} }, true, false},
		"another cache limit": {func(s *Site) { s.CacheControl = "x" }, true, true},
	} {
		other := site(tt.change)
		expect.Equal(t, other.Identity() == same.Identity(), tt.identity, rule, "identity")
		expect.Equal(t, other.Listing() == same.Listing(), tt.listing, rule, "listing")
		expect.Equal(t, same.Equal(other), false, rule)
	}
	deep, flat := site(func(s *Site) { s.DSN = "sqlite:/a/x/db" }), site(func(s *Site) { s.DSN = "sqlite:/b/x/db" })
	expect.Equal(t, deep.Identity() == flat.Identity(), false, "two files of one name")
	moved := site(func(s *Site) { s.line = 7 })
	expect.Equal(t, same.Equal(moved), true, "another line of the file")
}

// A variable that a text uses must be set, unless the text has a default. In a list, one of them is enough.
func TestOpenEndedTexts(t *testing.T) {
	t.Setenv("WPSITEMAPD_IS_SET", "x")
	for _, tt := range []struct {
		v    any
		want bool
	}{
		{"plain", false}, {"${WPSITEMAPD_IS_SET}", false}, {"${WPSITEMAPD_IS_NOT_SET}", true}, {"$${WPSITEMAPD_IS_NOT_SET}", false}, {"${", false}, {7, false},
		{[]any{"a", "${WPSITEMAPD_IS_NOT_SET}"}, true}, {[]any{"a", []any{"b"}}, false}, {"${WPSITEMAPD_IS_SET} ${WPSITEMAPD_IS_NOT_SET}", true},
	} {
		expect.Equal(t, openEnded(tt.v), tt.want, tt.v)
	}
}

// A wp-config.php sees no variable that the configuration uses, in whatever order and however often.
func TestHiddenVariables(t *testing.T) {
	t.Parallel()
	c := &Config{Sites: []Site{{Name: "a", WPConfig: "/a"}, {Name: "b"}, {Name: "c", WPConfig: "/c", Within: "/www"}}}
	c.hide("x = \"${ZED} ${ALPHA:-y} $${NOT} ${ZED}\"\ny = \"${MID}\"")
	expect.Equal(t, strings.Join(slices.DeleteFunc(slices.Clone(c.Sites[0].hidden), func(s string) bool { return s == "" }), " "), "ALPHA MID ZED")
	expect.Equal(t, len(c.Sites[1].hidden)+len(c.Sites[2].hidden), 0)
}

// A key that takes effect only after a restart is named if it differs.
func TestKeysThatNeedRestart(t *testing.T) {
	t.Parallel()
	before, after := Default(), Default()
	expect.Equal(t, len(before.NeedsRestart(&after)), 0)
	after.Drain, after.AdminToken = before.Drain+1, "x"
	expect.Equal(t, len(before.NeedsRestart(&after)), 0, "keys that take effect at once")
	after.TLSCert, after.Log = "/x", "json"
	expect.List(t, slices.Sorted(slices.Values(before.NeedsRestart(&after))), []string{"log", "tls_cert"})
}

// A certificate that cannot be used is a warning, because its files may be renewed at this moment. One file without the other is a mistake.
func TestCertificates(t *testing.T) {
	t.Parallel()
	const site = "[[site]]\nname = \"a\"\ndsn = \"sqlite:/x\"\n"
	c, err := Parse("tls_cert = \"cert.pem\"\ntls_key = \"key.pem\"\n"+site, "c.toml", "/nowhere")
	wptest.Must(t, err)
	expect.Equal(t, c.TLSCert+" "+c.TLSKey, "/nowhere/cert.pem /nowhere/key.pem")
	expect.Equal(t, len(c.Warnings) == 1 && strings.HasPrefix(c.Warnings[0], "tls_cert: the certificate cannot be used"), true, c.Warnings)
	for text, want := range map[string]string{"tls_cert = \"x\"\n": "needs tls_key, too", "tls_key = \"x\"\n": "needs tls_cert, too"} {
		_, err := Parse(text+site, "c.toml", "/nowhere")
		expect.Equal(t, err != nil && strings.Contains(err.Error(), want), true, text, err)
	}
	c, err = Parse("socket_mode = \"0640\"\n"+site, "c.toml", "/")
	wptest.Must(t, err)
	expect.Equal(t, c.SocketMode, 0o640)
	for _, mode := range []string{"0888", "640640", "rw", "64"} {
		_, err = Parse("socket_mode = \""+mode+"\"\n"+site, "c.toml", "/")
		expect.Equal(t, err != nil, true, mode)
	}
	for token, want := range map[string]bool{strings.Repeat("x", 16): true, strings.Repeat("x", 15): false, strings.Repeat("~", 16): true, strings.Repeat("x", 16) + " ": false,
		strings.Repeat("x", 16) + "ü": false, strings.Repeat("!", 16): true, strings.Repeat("x", 16) + "\x7f": false} {
		_, err = Parse(fmt.Sprintf("admin_token = %q\n", token)+site, "c.toml", "/")
		expect.Equal(t, err == nil, want, token, err)
	}
}
