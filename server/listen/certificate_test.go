package listen

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// name is the name of the certificate a client would get.
func (c *Certificate) name(t *testing.T) string {
	t.Helper()
	pair, err := c.Config().GetCertificate(&tls.ClientHelloInfo{})
	wptest.Must(t, err)
	return pair.Leaf.DNSNames[0]
}

func TestCertificateFollowsItsFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := wptest.WriteCertificate(t, dir, "one")
	c, err := LoadCertificate(cert, key)
	wptest.Must(t, err)
	for _, test := range []struct {
		rule   string
		change func()
		want   string
		said   bool // it is another one
		wrong  string
	}{
		{"nothing changes", func() {}, "one", false, ""},
		{"written in place", func() { wptest.WriteCertificate(t, dir, "two") }, "two", true, ""},
		{"the key is not there yet", func() {
			next, _ := wptest.Certificate(t, "three", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
			wptest.Must(t, os.WriteFile(cert, next, 0o600))
		}, "two", false, "private key does not match"},
		{"a file is missing", func() { wptest.Must(t, os.Remove(key)) }, "two", false, "no such file"},
		{"what is no PEM", func() { wptest.Must(t, os.WriteFile(key, []byte("x"), 0o600)) }, "two", false, "failed to find"},
		{"a good pair at last", func() { wptest.WriteCertificate(t, dir, "four") }, "four", true, ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			test.change()
			changed, err := c.Reload()
			expect.Equal(t, c.name(t), test.want, "is in force")
			if changed != test.said || (err != nil) != (test.wrong != "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("changed %t, error %v, want %q", changed, err, test.wrong)
			}
		})
	}
}

func TestCertificateEndsSoon(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	for _, test := range []struct {
		rule string
		life time.Duration
		at   time.Duration // since the start
		want bool
	}{
		{"enough time", 90 * day, 75 * day, false},
		{"two weeks before the end", 90 * day, 77 * day, true},
		{"the end", 90 * day, 91 * day, true},
		{"a short-lived one is young", 6 * day, 3 * day, false},
		{"… until its last third", 6 * day, 5 * day, true},
	} {
		dir := t.TempDir()
		cert, key := wptest.Certificate(t, "a.test", start, start.Add(test.life))
		wptest.Must(t, os.WriteFile(filepath.Join(dir, "c"), cert, 0o600))
		wptest.Must(t, os.WriteFile(filepath.Join(dir, "k"), key, 0o600))
		c, err := LoadCertificate(filepath.Join(dir, "c"), filepath.Join(dir, "k"))
		wptest.Must(t, err)
		end, soon := c.End(start.Add(test.at))
		expect.Equal(t, end, start.Add(test.life), test.rule)
		expect.Equal(t, soon, test.want, test.rule)
	}
}

func TestCertificateThatCannotBeUsedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	cert, _ := wptest.WriteCertificate(t, dir, "a.test")
	other := t.TempDir()
	_, key := wptest.WriteCertificate(t, other, "b.test")
	for rule, files := range map[string][2]string{
		"not there": {filepath.Join(dir, "nowhere"), key}, "not a pair": {cert, key}, "a folder": {dir, key},
	} {
		if _, err := LoadCertificate(files[0], files[1]); err == nil || !strings.Contains(err.Error(), "belong together") {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
