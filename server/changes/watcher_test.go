package changes

import (
	"context"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/writes"
)

// One account looks for the databases of others, of which it reads no row. What it does not see, or sees no more, is polled
// by its own account, and no write is missed.
func TestOneAccountWatchesOthers(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	schema, host := cfg.DBName, "@'%'"
	accounts := []string{schema + "_1", schema + "_2", schema + "_w"}
	wptest.Exec(t, dsn, "CREATE TABLE a_posts LIKE wp_posts", "CREATE TABLE b_posts LIKE wp_posts",
		"INSERT INTO a_posts SELECT * FROM wp_posts", "INSERT INTO b_posts SELECT * FROM wp_posts")
	for i, account := range accounts {
		wptest.Exec(t, dsn, "CREATE USER '"+account+"'"+host+" IDENTIFIED BY 'read-only'")
		t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER '"+account+"'"+host) })
		switch i {
		case 0:
			wptest.Exec(t, dsn, "GRANT SELECT ON `"+schema+"`.a_posts TO '"+account+"'"+host)
		case 1:
			wptest.Exec(t, dsn, "GRANT SELECT ON `"+schema+"`.b_posts TO '"+account+"'"+host)
		case 2:
			wptest.Exec(t, dsn, "GRANT REFERENCES ON `"+schema+"`.a_posts TO '"+account+"'"+host)
		}
	}
	f := newFeed(t)
	f.Watch = func(context.Context, string) (*writes.Database, error) { return open(t, dsn, accounts[2], "wp_"), nil }
	seen := f.Join(t.Context(), open(t, dsn, accounts[0], "a_"), time.Second)
	hidden := f.Join(t.Context(), open(t, dsn, accounts[1], "b_"), time.Second)
	if by, own := polledBy(seen), polledBy(hidden); by != "the account that watches" || own != accounts[1] {
		t.Errorf("the one that is seen is polled by %s, the one that is not by %s", by, own)
	}
	expectTold(t, dsn, seen, "a_posts")
	expectTold(t, dsn, hidden, "b_posts")
	wptest.Exec(t, dsn, "REVOKE REFERENCES ON `"+schema+"`.a_posts FROM '"+accounts[2]+"'"+host)
	wptest.Eventually(t, "its own account polls", func() bool { return polledBy(seen) == accounts[0] })
	expectTold(t, dsn, seen, "a_posts")
	seen.Leave()
	hidden.Leave()
	if len(f.accounts) > 0 {
		t.Errorf("nothing is polled, and there are %d pollers", len(f.accounts))
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
