package writes

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

// One account polls the databases of other accounts and reads no row of them. A database that it does not see, or no
// longer sees, is polled by its own account. No write is missed.
func TestOneAccountWatchesOthers(t *testing.T) {
	t.Parallel()
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
	watching.DBName = "" // the next connection to a database has the new rights
	f := newFeed(t)
	f.opt.Watch = func(context.Context, string) (*Database, error) {
		return openAs(t, watching.FormatDSN(), accounts[2], "wp_"), nil
	}
	seen := f.Join(t.Context(), openAs(t, dsns[0], accounts[0], "wp_"), time.Second)
	hidden := f.Join(t.Context(), openAs(t, dsns[1], accounts[1], "wp_"), time.Second)
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

// polledBy returns the account that polls a database.
func polledBy(s *Subscription) string {
	if of := s.poller.Load().account; !of.watches {
		return of.user
	}
	return "the account that watches"
}

// expectTold expects that a write is reported.
func expectTold(t *testing.T, dsn string, s *Subscription, table string) {
	t.Helper()
	for s.Take() != nil {
		time.Sleep(1100 * time.Millisecond) // until no earlier write is reported any more
	}
	wptest.Exec(t, dsn, "UPDATE "+table+" SET menu_order = menu_order + 1")
	wptest.Eventually(t, "the write is told", func() bool { return s.Take() != nil })
}
