package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/sample"
)

// database is a site that was loaded.
type database struct {
	name, version string
	posts, listed int
	cfg           *mysql.Config // of the account that may do everything
	db            *sql.DB
	account       string // that only reads, and is the daemon's
	config        string // file for wpsitemapd
}

const accountPassword = "read-only" // of a private server

func open(cfg *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// load creates a site of so many posts, unless it is there from another run.
func (b *bench) load(ctx context.Context, posts int) (*database, error) {
	cfg, err := mysql.ParseDSN(b.dsn)
	if err != nil {
		return nil, err
	}
	cfg.InterpolateParams = true
	cfg.MaxAllowedPacket = 0
	cfg.Params = map[string]string{"sql_mode": "''"} // WordPress' own defaults are dates of zero
	admin, err := open(cfg)
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	size := sample.Size{Posts: posts, Content: b.content, Meta: b.meta}
	d := &database{name: "wpsitemapd_bench_" + strconv.Itoa(posts), posts: posts, listed: size.Listed(), account: "wpsitemapd_bench"}
	if err := admin.QueryRowContext(ctx, "SELECT VERSION()").Scan(&d.version); err != nil {
		return nil, err
	}
	d.cfg = cfg.Clone()
	d.cfg.DBName = d.name
	if d.db, err = open(d.cfg); err != nil {
		return nil, err
	}
	if err := b.writeConfig(d, "", ""); err != nil {
		return nil, err
	}
	var made string
	mark := fmt.Sprintf("%+v", size)
	if b.keep &&
		d.db.QueryRowContext(ctx, "SELECT option_value FROM wp_options WHERE option_name = 'made_by_bench'").Scan(&made) == nil &&
		made == mark {
		return d, nil
	}
	progress(fmt.Sprintf("loading %d posts", posts))
	began := time.Now()
	account := "'" + d.account + "'@'localhost'"
	if cfg.Net != "unix" {
		account = "'" + d.account + "'@'%'"
	}
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + d.name,
		"CREATE DATABASE " + d.name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci",
		"DROP USER IF EXISTS " + account,
		"CREATE USER " + account + " IDENTIFIED BY '" + accountPassword + "'",
		"GRANT SELECT ON `wpsitemapd\\_bench\\_%`.* TO " + account,
	} {
		if _, err := admin.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	for _, statement := range sample.SiteSchema(sample.MariaDB, "wp_") {
		if _, err := d.db.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	if err := sample.Bulk(ctx, d.db, sample.MariaDB, size); err != nil {
		return nil, err
	}
	if _, err := d.db.ExecContext(ctx,
		"INSERT INTO wp_options (option_name, option_value, autoload) VALUES ('made_by_bench', ?, 'off')", mark); err != nil {
		return nil, err
	}
	for _, table := range []string{"posts", "postmeta", "term_relationships", "terms", "term_taxonomy"} {
		if _, err := d.db.ExecContext(ctx, "ANALYZE TABLE wp_"+table); err != nil {
			return nil, err
		}
	}
	syscall.Sync() // else the system would go on writing beside what is measured, and delay the files of an export
	progress(fmt.Sprintf("loaded in %v", time.Since(began).Round(time.Second)))
	return d, nil
}

func (b *bench) drop(d *database) {
	if !b.keep {
		d.db.Exec("DROP DATABASE " + d.name)
	}
	d.db.Close()
}

// writeConfig writes the configuration that export and the daemon read; listen and upstream may be "".
func (b *bench) writeConfig(d *database, listen, upstream string) error {
	cfg := d.cfg.Clone()
	cfg.User, cfg.Passwd = d.account, accountPassword
	text := ""
	if listen != "" {
		text = fmt.Sprintf("listen = %q\n", listen)
	}
	text += fmt.Sprintf("[[site]]\nname = \"bench\"\ndsn = %q\n", cfg.FormatDSN())
	if upstream != "" {
		text += fmt.Sprintf("upstream = %q\n", upstream)
	}
	d.config = filepath.Join(b.dir, d.name+".toml")
	return os.WriteFile(d.config, []byte(text), 0o600)
}

// bareLoop reads what an export has to read, on one connection, and does nothing with it: ids
// and dates of all posts, then slug, dates and content in batches of 1,000 by primary key.
func bareLoop(dsn string) error {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return err
	}
	cfg.InterpolateParams = true
	db, err := open(cfg)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	rows, err := db.Query("SELECT ID, post_date, post_date_gmt, post_modified, post_modified_gmt FROM wp_posts " +
		"WHERE post_type = 'post' AND post_status = 'publish'")
	if err != nil {
		return err
	}
	var ids []int64
	var columns [4]sql.RawBytes
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &columns[0], &columns[1], &columns[2], &columns[3]); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for len(ids) > 0 {
		n := min(1000, len(ids))
		query := []byte("SELECT post_name, post_date, post_modified_gmt, post_content FROM wp_posts WHERE ID IN (")
		for i, id := range ids[:n] {
			if i > 0 {
				query = append(query, ',')
			}
			query = strconv.AppendInt(query, id, 10)
		}
		rows, err := db.Query(string(append(query, ')')))
		if err != nil {
			return err
		}
		for rows.Next() {
			if err := rows.Scan(&columns[0], &columns[1], &columns[2], &columns[3]); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}
