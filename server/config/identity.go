package config

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wpconfig"
)

// Equal reports whether two readings of the configuration mean the same site: every key, and
// the content of its wp-config.php.
func (s Site) Equal(other Site) bool {
	s.line, other.line = 0, 0
	s.written, other.written = nil, nil
	return reflect.DeepEqual(s, other)
}

// Fingerprint is a hash of the wp-config.php, by which a change is noticed; "" when there is none to read.
func Fingerprint(path string) string {
	if path == "" {
		return ""
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "wp-config.php")
	}
	text, err := wpconfig.ReadRegular(path) // a site's own people may put a pipe there
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Identity identifies the database of a site: when a name in the configuration is given to another site, the stored
// pages of the first are not served for it. The server and the account may change.
func (s *Site) Identity() string {
	database := s.DSN.Reveal()
	if !strings.HasPrefix(database, "sqlite:") {
		database = database[strings.LastIndexByte(database, '/')+1:]
		database, _, _ = strings.Cut(database, "?")
	}
	return strings.Join([]string{s.WPConfig, database, s.TablePrefix, string(s.Home)}, " ")
}

// Listing sums up what of a site's configuration decides which addresses are listed. It holds
// no password.
func (s *Site) Listing() string {
	text, _ := json.Marshal(struct { // which always encodes
		Source    string
		Sitemaps  string
		Compat    string
		PageSize  int
		Overrides registry.Overrides
		Exclude   seo.Exclude
	}{s.Identity(), s.Sitemaps, s.Compat, s.PageSize, s.Overrides, s.Exclude})
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
