package faults

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

// database is a MariaDB of the suite's own: faults stop, kill and starve it.
type database struct {
	*wptest.Server
	t    testing.TB // that uses it
	root *sql.DB    // over the socket, past every fault of the network
}

// newDatabase starts a server that keeps what was committed when it is killed.
func newDatabase(t testing.TB) *database {
	t.Helper()
	d := &database{t: t, Server: wptest.OwnServer(t,
		"--innodb-flush-log-at-trx-commit=1", "--innodb-doublewrite=ON", "--skip-log-bin", "--max-connections=120")}
	if d.MySQL {
		t.Skip("these faults are tried with MariaDB")
	}
	d.root = d.open("")
	t.Cleanup(func() { d.root.Close() })
	d.exec("SET GLOBAL log_warnings = 0")
	return d
}

// open opens a schema, or none for "".
func (d *database) open(schema string) *sql.DB {
	d.t.Helper()
	cfg, err := mysql.ParseDSN(d.DSN)
	wptest.Must(d.t, err)
	cfg.DBName, cfg.Logger, cfg.InterpolateParams, cfg.Params = schema, &mysql.NopLogger{}, true, map[string]string{"sql_mode": "''"}
	connector, err := mysql.NewConnector(cfg)
	wptest.Must(d.t, err)
	return sql.OpenDB(connector)
}

// kill ends the server at once.
func (d *database) kill() {
	d.Signal(syscall.SIGKILL)
	d.Stop()
}

func (d *database) address() string { return loopback(strconv.Itoa(d.Port)) }

func (d *database) exec(statements ...string) {
	d.t.Helper()
	for _, s := range statements {
		if _, err := d.root.ExecContext(d.t.Context(), s); err != nil {
			d.t.Fatalf("%v\nin: %.300s", err, s)
		}
	}
}

// number returns one a query asks for.
func (d *database) number(query string) (n int) {
	d.t.Helper()
	if err := d.root.QueryRowContext(d.t.Context(), query).Scan(&n); err != nil {
		d.t.Fatalf("%v\nin: %s", err, query)
	}
	return n
}

// disconnect ends every connection of an account.
func (d *database) disconnect(account string) {
	d.t.Helper()
	rows, err := d.root.QueryContext(d.t.Context(), "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = ?", account)
	wptest.Must(d.t, err)
	defer rows.Close()
	for rows.Next() {
		var id int64
		wptest.Must(d.t, rows.Scan(&id))
		_, _ = d.root.ExecContext(d.t.Context(), fmt.Sprint("KILL ", id)) // it may have gone by itself
	}
	wptest.Must(d.t, rows.Err())
}

// password is the password of the daemon's account. The account has the name of its site's schema and may read all of it.
const password = "as-it-was"

// newSite fills a schema with a site of the suite's own and returns it.
func (d *database) newSite(schema, host string, posts, pageSize int) *site {
	d.t.Helper()
	s := &site{db: d, conn: d.open(schema), schema: schema, home: "https://" + host, pageSize: pageSize}
	d.t.Cleanup(func() { s.conn.Close() })
	d.exec("CREATE DATABASE `"+schema+"` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci",
		"GRANT SELECT ON `"+schema+"`.* TO '"+schema+"'@'127.0.0.1' IDENTIFIED BY '"+password+"'")
	s.exec(wptest.SiteSchema(wptest.MariaDB, "wp_")...)
	roles := `a:1:{s:6:"author";a:2:{s:4:"name";s:6:"Author";s:12:"capabilities";a:2:{s:10:"edit_posts";b:1;s:7:"level_2";b:1;}}}`
	options := [][2]string{
		{"siteurl", s.home}, {"home", s.home}, {"blogname", "Faults"}, {"blog_charset", "UTF-8"}, {"blog_public", "1"},
		{"permalink_structure", "/%postname%/"}, {"show_on_front", "posts"}, {"page_on_front", "0"}, {"page_for_posts", "0"},
		{"default_category", "1"}, {"active_plugins", `a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}`}, {"wpseo", `a:1:{s:18:"enable_xml_sitemap";b:1;}`},
		{"wp_user_roles", roles},
	}
	for _, o := range options {
		s.exec(fmt.Sprintf("INSERT INTO wp_options (option_name, option_value, autoload) VALUES ('%s', '%s', 'on')", o[0], o[1]))
	}
	s.exec("INSERT INTO wp_users (ID, user_login, user_nicename, display_name) VALUES (1, 'ann', 'ann', 'Ann')",
		`INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}'), (1, 'wp_user_level', '2')`)
	for i := range terms {
		s.exec(fmt.Sprintf("INSERT INTO wp_terms (term_id, name, slug) VALUES (%d, 'Term %[1]d', 'term-%[1]d')", i+1),
			fmt.Sprintf("INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count) VALUES (%d, %[1]d, 'category', '', %d)",
				i+1, posts/terms))
	}
	var rows, relations []string
	for i := range posts + pages {
		p := post{id: int64(100 + i), kind: "post", number: i, modified: begin.Add(time.Duration(i) * time.Minute)}
		if i >= posts {
			p.kind = "page"
		}
		s.posts = append(s.posts, p)
		rows = append(rows, fmt.Sprintf("(%d, 1, '%[2]s', '%[2]s', '%[2]s', '%[2]s', '%[3]s', '%[4]s', '%[4]s', 'publish', '%[5]s')",
			p.id, p.modified.Format(sqlTime), content, p.slug(), p.kind))
		if p.kind == "post" {
			relations = append(relations, fmt.Sprintf("(%d, %d)", p.id, i%terms+1))
		}
	}
	s.exec("INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_content, "+
		"post_title, post_name, post_status, post_type) VALUES "+strings.Join(rows, ", "),
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES "+strings.Join(relations, ", "))
	s.next = begin.Add(24 * time.Hour)
	s.remember()
	return s
}
