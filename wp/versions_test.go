package wp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/wp/release"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The version in WordPress' own files counts. Several versions share the db_version of the site, which counts without such a file.
func TestVersionByFiles(t *testing.T) {
	const file = "wp-includes/version.php"
	line := func(version string) string {
		return "<?php\n/**\n * @global string $wp_version = '1.0';\n */\n$wp_version = '" + version + "';\n\n$wp_db_version = 61833;\n"
	}
	regular := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o644) }
	}
	for _, c := range []struct {
		name, config, folder string // of WordPress, below that of wp-config.php
		put                  func(path string) error
		says, source         string
	}{
		{"the file", "", "", regular(line("7.0.4")), "WordPress 7.0.4", file},
		{"of ABSPATH", "define('ABSPATH', __DIR__ . '/core/');", "core", regular(line("7.0.4")), "WordPress 7.0.4", file},
		{"of ABSPATH, beside an older one", "define('ABSPATH', __DIR__ . '/core/');", "core", func(path string) error {
			old := filepath.Join(filepath.Dir(path), "../..", file)
			if err := os.MkdirAll(filepath.Dir(old), 0o755); err != nil {
				return err
			}
			return errors.Join(os.WriteFile(old, []byte(line("6.8.1")), 0o644), os.WriteFile(path, []byte(line("7.0.4")), 0o644))
		}, "WordPress 7.0.4", file},
		{"no file", "", "", nil, "WordPress 7.0 or 7.1", "option db_version: 61833"},
		{"no version", "", "", regular(line("<script>")), "WordPress 7.0 or 7.1", "option db_version: 61833"},
		{"not literal", "", "", regular("<?php\n$wp_version = '7.' . '0.4';\n"), "WordPress 7.0 or 7.1", "option db_version: 61833"},
		{"too large", "", "", regular(line("7.0.4") + strings.Repeat("#", mostVersionFile)), "WordPress 7.0 or 7.1", "option db_version: 61833"},
		{"a pipe", "", "", func(path string) error { return syscall.Mkfifo(path, 0o600) }, "WordPress 7.0 or 7.1", "option db_version: 61833"},
		{"a link", "", "", func(path string) error {
			if err := os.WriteFile(path+".txt", []byte(line("7.0.4")), 0o644); err != nil {
				return err
			}
			return os.Symlink(path+".txt", path)
		}, "WordPress 7.0 or 7.1", "option db_version: 61833"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "basic")
			wptest.Exec(t, dsn, "DELETE FROM wp_options WHERE option_name = '"+optionCoreUpdates+"'",
				"REPLACE INTO wp_options (option_name, option_value) VALUES ('db_version', '61833')")
			dir := t.TempDir()
			config := filepath.Join(dir, "wp-config.php")
			wptest.Must(t, os.WriteFile(config, []byte("<?php\n"+c.config+"\n$table_prefix = 'wp_';"), 0o644))
			if path := filepath.Join(dir, c.folder, file); c.put != nil {
				wptest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
				wptest.Must(t, c.put(path))
			}
			is := openSite(t, Source{DSN: dsn, WPConfig: config}).Installed()[0]
			expect.Equal(t, is.String(), c.says)
			expect.Equal(t, is.Source, c.source)
		})
	}
}

// The versions of plugins that store none are those that WordPress saw when it looked for updates.
func TestVersionsOfPlugins(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, storeOption("active_plugins", phpList("wp-seopress-dev/seopress.php", "wordpress-seo/wp-seo.php", "other/other.php")),
		storeOption(optionPluginUpdates, fmt.Sprintf(`a:2:{s:12:"last_checked";i:%d;s:7:"checked";a:3:{`+
			`s:28:"wp-seopress-dev/seopress.php";s:3:"9.1";s:24:"wordpress-seo/wp-seo.php";s:4:"20.1";s:15:"other/other.php";s:1:"1";}}`, time.Now().Unix())))
	b := openSite(t, Source{DSN: dsn})
	expect.Equal(t, b.Version("SEOPress"), "9.1")
	var yoast Installed
	for _, i := range b.Installed() {
		if i.Name == "Yoast SEO" {
			yoast = i
		}
	}
	expect.Equal(t, yoast.Source, "option wpseo[version]", "the version that the plugin has stored comes first")
	as := b.As("SEOPress", "8.0")
	expect.Equal(t, as.Version("SEOPress"), "8.0")
	expect.Equal(t, b.Version("SEOPress"), "9.1", "the blog itself keeps the version")
	expect.Equal(t, as.WordPress(), b.WordPress(), "other versions stay")
	wptest.Exec(t, dsn, "DELETE FROM wp_options WHERE option_name = '"+optionPluginUpdates+"'")
	for _, i := range openSite(t, Source{DSN: dsn}).Installed() {
		if i.Name == "SEOPress" {
			expect.Equal(t, i, Installed{Name: "SEOPress"}, "a version that is not known has no source")
			expect.Equal(t, i.String(), "SEOPress, version not known")
		}
	}
}

// The db_version tells between which versions WordPress is. A newer look for updates is more exact.
func TestWordPressVersion(t *testing.T) {
	for _, tt := range []struct {
		database int64
		checked  string
		want     string
	}{
		{0, "6.8.1", "WordPress, version not known"}, {-5, "", "WordPress, version not known"}, {1, "", "WordPress before 5.5"},
		{48747, "", "WordPress before 5.5"},
		{48748, "", "WordPress 5.5"}, {49752, "", "WordPress 5.6, 5.7 or 5.8"}, {49752, "5.7.2", "WordPress 5.7.2"},
		{49752, "5.5.9", "WordPress 5.6, 5.7 or 5.8"},
		{50000, "", "WordPress 5.6, 5.7 or 5.8"}, {60717, "7.0", "WordPress 7.0"}, {61833, "", "WordPress 7.0 or 7.1"},
		{61834, "", "WordPress, version not known"}, {61834, "7.2", "WordPress 7.2"}, {61834, "6.9", "WordPress, version not known"},
	} {
		expect.Equal(t, wordPressVersion(tt.database, release.Version(tt.checked)).String(), tt.want, tt)
	}
}
