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

// Equal reports whether two readings of the configuration give the same site. It compares every key and the content of
// wp-config.php.
func (s Site) Equal(other Site) bool {
	s.line, other.line = 0, 0
	s.written, other.written = nil, nil
	return reflect.DeepEqual(s, other)
}

// Fingerprint is a hash of a wp-config.php. It changes if the content changes, and is "" if the file cannot be read.
func Fingerprint(path string) string {
	if path == "" {
		return ""
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "wp-config.php")
	}
	text, err := wpconfig.ReadRegular(path) // the people of the site may put a pipe there
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Identity identifies the database of a site. The configuration may give the name of a site to another database. The identity
// then differs, and the stored pages of the old site are not served. The server and the account are not part of the identity.
func (s *Site) Identity() string {
	database := s.DSN.Reveal()
	if !strings.HasPrefix(database, "sqlite:") {
		database = database[strings.LastIndexByte(database, '/')+1:]
		database, _, _ = strings.Cut(database, "?")
	}
	return strings.Join([]string{s.WPConfig, database, s.TablePrefix, string(s.Home)}, " ")
}

// Listing is a hash of the settings that decide which addresses are listed. It contains no password.
func (s *Site) Listing() string {
	text, _ := json.Marshal(struct { // this never fails
		Source    string
		Sitemaps  string
		Compat    string
		PageSize  int
		Overrides registry.Overrides
		Exclude   seo.Exclude
	}{s.Identity(), s.Sitemaps, s.Compat, s.PageSize, s.Overrides, s.Exclude})
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
