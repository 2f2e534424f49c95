package listen

import (
	"bytes"
	"crypto/tls"
	"log/slog"
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
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	version := func(name string) (cert, key []byte) {
		return wptest.Certificate(t, name, time.Now().Add(-time.Hour), time.Now().Add(90*24*time.Hour))
	}
	put := func(folder, name string) {
		wptest.Must(t, os.MkdirAll(at(folder), 0o755))
		wptest.WriteCertificate(t, at(folder), name)
	}
	relink := func(target, link string) {
		wptest.Must(t, os.Symlink(target, at("new")))
		wptest.Must(t, os.Rename(at("new"), at(link)))
	}
	put("one", "one")
	tests := []struct {
		rule   string
		change func()
		want   string
		log    string // a fragment; "": nothing is logged
	}{
		{"nothing changes", func() {}, "one", ""},
		{"written in place", func() { put("one", "two") }, "two", "certificate reloaded"},
		{"the link of a folder switched, as Kubernetes does", func() {
			put("data-5", "five")
			relink("data-5", "..data")
			for _, f := range []string{"tls.crt", "tls.key"} {
				wptest.Must(t, os.Remove(at("one", f)))
				wptest.Must(t, os.Symlink("../..data/"+f, at("one", f)))
			}
		}, "five", "certificate reloaded"},
		{"the key is not there yet", func() {
			cert, _ := version("seven")
			wptest.Must(t, os.WriteFile(at("data-5", "tls.crt"), cert, 0o600))
		}, "five", ""},
		{"… and does not come", func() {}, "five", "the new certificate cannot be used"},
		{"… which is told once", func() {}, "five", ""},
		{"a file is missing", func() { wptest.Must(t, os.Remove(at("data-5", "tls.key"))) }, "five", ""},
		{"… for good", func() {}, "five", "no such file"},
		{"what is no PEM", func() { wptest.Must(t, os.WriteFile(at("data-5", "tls.key"), []byte("x"), 0o600)) }, "five", ""},
		{"… stays", func() {}, "five", "the new certificate cannot be used"},
		{"a good pair at last", func() { put("data-5", "eight") }, "eight", "certificate reloaded"},
	}
	var log bytes.Buffer
	c, err := LoadCertificate(at("one", "tls.crt"), at("one", "tls.key"), time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	wptest.Must(t, err)
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			log.Reset()
			test.change()
			c.reload()
			expect.Equal(t, c.name(t), test.want, "is in force")
			if !strings.Contains(log.String(), test.log) || test.log == "" && log.Len() > 0 {
				t.Errorf("log %q, want %q", &log, test.log)
			}
		})
	}
}

func TestExpiryIsWarnedOf(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	tests := []struct {
		rule string
		life time.Duration
		at   time.Duration // since the start
		want string
	}{
		{"enough time", 90 * day, 75 * day, ""},
		{"two weeks before the end", 90 * day, 77 * day, "ends soon"},
		{"once a day only", 90 * day, 77*day + time.Hour, ""},
		{"the next day", 90 * day, 78*day + time.Hour, "ends soon"},
		{"the end", 90 * day, 90 * day, "has expired"},
		{"a short-lived one is young", 6 * day, 3 * day, ""},
		{"… until its last third", 6 * day, 5 * day, "ends soon"},
	}
	var log bytes.Buffer
	var c *Certificate
	var life time.Duration
	now := start
	for _, test := range tests {
		if life != test.life {
			life = test.life
			dir := t.TempDir()
			cert, key := wptest.Certificate(t, "a.test", start, start.Add(life))
			wptest.Must(t, os.WriteFile(filepath.Join(dir, "c"), cert, 0o600))
			wptest.Must(t, os.WriteFile(filepath.Join(dir, "k"), key, 0o600))
			now = start
			var err error
			c, err = LoadCertificate(filepath.Join(dir, "c"), filepath.Join(dir, "k"),
				func() time.Time { return now }, slog.New(slog.NewTextHandler(&log, nil)))
			wptest.Must(t, err)
		}
		log.Reset()
		now = start.Add(test.at)
		c.reload()
		if !strings.Contains(log.String(), test.want) || test.want == "" && log.Len() > 0 {
			t.Errorf("%s: log %q, want %q", test.rule, &log, test.want)
		}
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
		if _, err := LoadCertificate(files[0], files[1], time.Now, slog.New(slog.DiscardHandler)); err == nil ||
			!strings.Contains(err.Error(), "certificate: ") {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
