package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wpsitemapd/wp/wptest"
)

// install writes the wp-config.php of an install that [[discover]] finds.
func (s *scene) install(name, address, schema, more string) {
	s.Helper()
	dir := filepath.Join(s.daemon.dir, "www", name)
	wptest.Must(s, os.MkdirAll(dir, 0o755))
	text := fmt.Sprintf("<?php\ndefine('DB_HOST', '%s');\ndefine('DB_NAME', '%s');\ndefine('DB_USER', '%s');\n"+
		"define('DB_PASSWORD', '%s');\n$table_prefix = 'wp_';\n%s", address, schema, s.site.schema, password, more)
	s.daemon.write(filepath.Join("www", name, "wp-config.php"), text)
	give(s, filepath.Join(s.daemon.dir, "www"))
}

// discovered finds the site of the suite by a pattern instead of naming it in the configuration.
func discovered(s *scene) {
	s.install("client3", s.link.address, s.site.schema, "")
	s.daemon.configure(fmt.Sprintf("[[discover]]\nwp_config = %q\ndb_hosts = \"127.0.0.1:*\"\nupstream = %q\nupstream_timeout = \"3s\"\n"+
		"page_size = %d\n", filepath.Join(s.daemon.dir, "www", "*", "wp-config.php"), "http://"+s.upstream.address, s.site.pageSize))
}

// copiedInstall adds a copy of the install, with its address but other posts, in a folder that sorts before it. The
// daemon is restarted beside it, with the database of the original and without.
func copiedInstall(s *scene) time.Time {
	s.kept()
	schema := s.site.schema + "_copy"
	s.db.exec("CREATE DATABASE `"+schema+"`", "GRANT SELECT ON `"+schema+"`.* TO '"+s.site.schema+"'@'127.0.0.1'")
	for _, table := range s.tables() {
		s.db.exec(fmt.Sprintf("CREATE TABLE `%s`.`%s` LIKE `%s`.`%[2]s`", schema, table, s.site.schema),
			fmt.Sprintf("INSERT INTO `%s`.`%s` SELECT * FROM `%s`.`%[2]s`", schema, table, s.site.schema))
	}
	s.db.exec("UPDATE `" + schema + "`.wp_posts SET post_name = CONCAT('staging-', post_name)")
	s.install("aaa-copy", loopback(s.db.port), schema, "") // past the link: it can be read when the original cannot
	conflict := fmt.Sprintf("wpsitemapd_host_conflict{site=%q}", "client3")
	told := func() bool { return s.daemon.metrics()[conflict] > 0 }
	until(s, "the conflict is told", told)
	for _, m := range []mode{passing, refusing} {
		s.kept()
		s.daemon.stop()
		s.link.set(m)
		s.daemon.start()
		until(s, "the conflict is told after a restart", told)
		rest(s, hold/2)
	}
	s.link.set(passing)
	return time.Now()
}

// tables returns the tables of the site.
func (s *scene) tables() (names []string) {
	s.Helper()
	rows, err := s.db.root.QueryContext(s.Context(), "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?", s.site.schema)
	wptest.Must(s, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		wptest.Must(s, rows.Scan(&name))
		names = append(names, name)
	}
	wptest.Must(s, rows.Err())
	return names
}
