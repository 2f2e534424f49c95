package changes

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/writes"
)

// One account looks for the databases of others, of which it reads no row. What it does not see, or sees no more, is polled
// by its own account, and no write is missed.
func TestOneAccountWatchesOthers(t *testing.T) {
	dsns := []string{wptest.Load(t, wptest.MariaDB, "basic"), wptest.Load(t, wptest.MariaDB, "basic")}
	var accounts []string
	create := func(account string) {
		accounts = append(accounts, account)
		wptest.Exec(t, dsns[0], "CREATE USER '"+account+"'@'%' IDENTIFIED BY 'read-only'")
		t.Cleanup(func() { wptest.Exec(t, dsns[0], "DROP USER '"+account+"'@'%'") })
	}
	var schemas []string
	for i, dsn := range dsns {
		cfg, err := mysql.ParseDSN(dsn)
		wptest.Must(t, err)
		schemas = append(schemas, strings.ReplaceAll(cfg.DBName, "_", `\_`))
		create(cfg.DBName + "_own")
		wptest.Exec(t, dsn, "GRANT SELECT ON `"+schemas[i]+"`.* TO '"+accounts[i]+"'@'%'")
	}
	create(strings.TrimSuffix(accounts[0], "_own") + "_w")
	wptest.Exec(t, dsns[0], "GRANT REFERENCES ON `"+schemas[0]+"`.* TO '"+accounts[2]+"'@'%'")
	watching, err := mysql.ParseDSN(dsns[0])
	wptest.Must(t, err)
	watching.DBName = "" // the rights to the database that a connection uses change with its next one
	f := newFeed(t)
	f.Watch = func(context.Context, string) (*writes.Database, error) {
		return open(t, watching.FormatDSN(), accounts[2], "wp_"), nil
	}
	seen := f.Join(t.Context(), open(t, dsns[0], accounts[0], "wp_"), time.Second)
	hidden := f.Join(t.Context(), open(t, dsns[1], accounts[1], "wp_"), time.Second)
	if by, own := polledBy(seen), polledBy(hidden); by != "the account that watches" || own != accounts[1] {
		t.Errorf("the one that is seen is polled by %s, the one that is not by %s", by, own)
	}
	expectTold(t, dsns[0], seen, "wp_posts")
	expectTold(t, dsns[1], hidden, "wp_posts")
	wptest.Exec(t, dsns[0], "REVOKE REFERENCES ON `"+schemas[0]+"`.* FROM '"+accounts[2]+"'@'%'")
	wptest.Eventually(t, "its own account polls", func() bool { return polledBy(seen) == accounts[0] })
	expectTold(t, dsns[0], seen, "wp_posts")
	seen.Leave()
	hidden.Leave()
	if len(f.accounts) > 0 {
		t.Errorf("nothing is polled, and there are %d pollers", len(f.accounts))
	}
}

// An account of a dsn that has a right to the databases of others polls those, too, until it has it no more or leaves. One of a
// wp-config.php never does, nor one at another server behind the same address.
func TestNamedAccountPollsOthers(t *testing.T) {
	t.Parallel()
	one, two := wptest.Load(t, wptest.MariaDB, "basic"), wptest.Load(t, wptest.MariaDB, "basic")
	schemas := make([]string, 2)
	for i, dsn := range []string{one, two} {
		cfg, err := mysql.ParseDSN(dsn)
		wptest.Must(t, err)
		schemas[i] = cfg.DBName
	}
	wide, narrow := schemas[0]+"_w", schemas[1]+"_n"
	grant := func(account, schema string) {
		wptest.Exec(t, one, "GRANT SELECT ON `"+strings.ReplaceAll(schema, "_", `\_`)+"`.* TO '"+account+"'@'%'")
	}
	for _, account := range []string{wide, narrow} {
		wptest.Exec(t, one, "CREATE USER '"+account+"'@'%' IDENTIFIED BY 'read-only'")
		t.Cleanup(func() { wptest.Exec(t, one, "DROP USER '"+account+"'@'%'") })
		grant(account, schemas[1])
	}
	grant(wide, schemas[0])
	for _, tt := range []struct {
		name                  string
		fromConfig, elsewhere bool
		by                    string
	}{{"a dsn", false, false, wide}, {"a wp-config.php", true, false, narrow}, {"another server", false, true, narrow}} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFeed(t)
			other := f.Join(t.Context(), open(t, two, narrow, "wp_"), time.Second)
			db := open(t, one, wide, "wp_")
			db.Named = !tt.fromConfig
			if tt.elsewhere {
				db.Instance = "elsewhere"
			}
			named := f.Join(t.Context(), db, time.Second)
			looked := named.Current()
			wptest.Eventually(t, "all tables were polled again", func() bool { return named.Current().Sub(looked) > 2*time.Second })
			if by := polledBy(other); by != tt.by {
				t.Fatalf("polled by %s, want %s", by, tt.by)
			}
			expectTold(t, two, other, "wp_posts")
			if tt.by == narrow {
				return
			}
			named.Leave()
			wptest.Eventually(t, "the account has left", func() bool { return polledBy(other) == narrow })
			expectTold(t, two, other, "wp_posts")
			other.Leave()

			named, other = f.Join(t.Context(), db, time.Second), f.Join(t.Context(), open(t, two, narrow, "wp_"), time.Second)
			wptest.Eventually(t, "the account polls", func() bool { return polledBy(other) == wide })
			wptest.Exec(t, one, "REVOKE SELECT ON `"+strings.ReplaceAll(schemas[1], "_", `\_`)+"`.* FROM '"+wide+"'@'%'")
			wptest.Eventually(t, "the account sees nothing", func() bool { return polledBy(other) == narrow })
			expectTold(t, two, other, "wp_posts")
			expectTold(t, one, named, "wp_posts")
			grant(wide, schemas[1])
		})
	}
}

// polledBy is the account that polls a database.
func polledBy(s *Subscription) string {
	if of := s.poller.Load().account; !of.watches {
		return of.user
	}
	return "the account that watches"
}

// expectTold expects that a write is told.
func expectTold(t *testing.T, dsn string, s *Subscription, table string) {
	t.Helper()
	for s.Take() != nil {
		time.Sleep(1100 * time.Millisecond) // until nothing more is told of what was before
	}
	wptest.Exec(t, dsn, "UPDATE "+table+" SET menu_order = menu_order + 1")
	wptest.Eventually(t, "the write is told", func() bool { return s.Take() != nil })
}
