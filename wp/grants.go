package wp

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
)

// Grant is a right to a table that an account needs.
type Grant struct {
	Right string // SELECT, or SELECT of some columns
	Table string // in full
}

// Grants is what an account needs to read a network.
type Grants struct {
	Schema  string // "" for a SQLite file, which knows no accounts
	Account string // the one that the source names, as the server knows it: user@host
	Refused error  // why it cannot log in
	// Password is the one by which it was refused.
	Password string
	Tables   []Grant
	// Unseen are tables that only some sites have, where no account of the source can see whether they are there. The
	// blogs of a network are not known then.
	Unseen []Grant
	Lister string // the account that has looked which tables there are; "" where none could

	server *mysql.Config // of the account; nil for SQLite
}

// To is the statement that gives a right to an account.
func (g *Grants) To(account string, r Grant) string {
	return db.GrantTable(r.Right, g.Schema, r.Table, account)
}

// ReadGrants finds out what the account of a source needs. If there is a wp-config.php, its account looks, which sees all
// tables. A source without DSN needs nothing that the account of wp-config.php may not read: its people have chosen the
// names of the database and of the tables.
func ReadGrants(ctx context.Context, src Source) (*Grants, error) {
	n, err := prepare(ctx, src)
	if err != nil {
		return nil, err
	}
	g, err := n.whoReads(ctx)
	if err != nil || g.Schema == "" {
		return g, err
	}
	lookers := []string{src.DSN}
	if src.DSN != "" && src.WPConfig != "" {
		lookers = []string{"", src.DSN}
	}
	for _, dsn := range lookers {
		looker := *n
		if err = looker.connect(ctx, dsn); err != nil {
			continue
		}
		defer looker.Close()
		if looker.db.Schema == g.Schema {
			g.Lister = looker.db.Account
			return g, looker.list(ctx, g, src.DSN == "")
		}
	}
	if src.DSN == "" {
		return nil, err
	}
	if db.Code(err) != db.CodeSchema && !db.LoginRefused(err) {
		return nil, err
	}
	n.assume(g, map[string]bool{}, []string{n.base}, false)
	return g, nil
}

// ReadWatchGrants finds out which account watches by dsn.
func ReadWatchGrants(ctx context.Context, dsn string, limit *db.Limiter) (*Grants, error) {
	n := &Network{source: Source{Name: "[watch]", DSN: dsn, Limit: limit}}
	return n.whoReads(ctx)
}

// ToWatch is the statement that lets an account see when tables of the database are written, and no row of them.
func (g *Grants) ToWatch(account string) string { return db.GrantWatch(g.Schema, account) }

// deniedHost finds the host of an account that may not log in, as the server sees it.
var deniedHost = regexp.MustCompile(`'@'([^']+)'`)

// whoReads connects without a database, which an account without any right to it cannot open, and asks who that is.
func (n *Network) whoReads(ctx context.Context) (*Grants, error) {
	name, _, cfg, err := n.where(n.source.DSN)
	if err != nil {
		return nil, fmt.Errorf("site %s: %w", n.source.Name, err)
	}
	if cfg == nil {
		return &Grants{}, nil
	}
	g := &Grants{Schema: cfg.DBName, server: cfg.Clone()}
	cfg.DBName = ""
	d, err := db.OpenMySQL(ctx, cfg, db.Options{Limiter: n.source.Limit, Observe: n.source.Observe})
	switch {
	case err == nil:
		g.Account = d.Account
		return g, d.Close()
	case db.LoginRefused(err):
		host := "localhost"
		if m := deniedHost.FindStringSubmatch(err.Error()); m != nil {
			host = m[1]
		}
		g.Account, g.Refused, g.Password = cfg.User+"@"+host, err, cfg.Passwd
		return g, nil
	}
	return nil, fmt.Errorf("site %s: cannot open the database (%s): %w%s", n.source.Name, name, err, hint(err))
}

const (
	sqlTablesNamed = `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (?)`
	// sqlNoTable is refused where the account does not see all tables; else there is no such table.
	sqlNoTable = "SELECT 1 FROM `wp_no_table_of_wordpress`"
	// sqlMayRead is refused if the account may not read a table, or one of the columns.
	sqlMayRead = "SELECT columns_of_it FROM `wp_table_of_wordpress` LIMIT 0"
)

// tablesNamed is how many tables are looked up by one statement.
const tablesNamed = 1000

// list looks which of the declared tables there are, and takes those that the account of n may read if readable is set.
func (n *Network) list(ctx context.Context, g *Grants, readable bool) error {
	sees := readable || !db.Denied(n.query(ctx, sqlNoTable, nil, ignoreRow))
	prefixes := []string{n.base}
	switch err := n.inspect(ctx); {
	case err != nil && !db.Denied(err):
		return err
	case err == nil && n.multisite:
		blogs, err := n.Blogs(ctx)
		if err != nil && !db.Denied(err) {
			return err
		}
		for _, b := range blogs {
			if p := n.blogPrefix(b.ID); !slices.Contains(prefixes, p) {
				prefixes = append(prefixes, p)
			}
		}
	}
	var names []string
	n.eachTable(prefixes, func(name string, _ Table) { names = append(names, name) })
	there := map[string]bool{}
	for some := range slices.Chunk(names, tablesNamed) {
		err := n.query(ctx, sqlTablesNamed, []any{g.Schema, some}, db.Rows1(func(name string) { there[name] = true }))
		if err != nil {
			return fmt.Errorf("site %s: looking which tables there are: %w%s", n.source.Name, err, hint(err))
		}
	}
	var failed error
	n.eachTable(prefixes, func(name string, t Table) {
		if readable && there[name] {
			may, err := n.mayRead(ctx, name, t)
			there[name], failed = may, cmp.Or(failed, err)
		}
	})
	n.assume(g, there, prefixes, sees)
	return failed
}

func ignoreRow(*sql.Rows) error { return nil }

// mayRead reports whether the server lets the account of n read what is needed of a table.
func (n *Network) mayRead(ctx context.Context, name string, t Table) (bool, error) {
	columns := cmp.Or(strings.Join(t.Columns, ", "), "*")
	err := n.db.Query(ctx, db.NewTables("columns_of_it", columns, "wp_table_of_wordpress", name), sqlMayRead, nil, ignoreRow)
	if db.Unreadable(err) {
		return false, nil
	}
	return err == nil, err
}

// assume adds the rights to tables that are there, and unless all tables can be seen to those that any WordPress has.
func (n *Network) assume(g *Grants, there map[string]bool, prefixes []string, sees bool) {
	n.eachTable(prefixes, func(name string, t Table) {
		grant := Grant{rightOf(t), name}
		switch {
		case there[name], !sees && slices.Contains(anyWordPress, t.Name):
			g.Tables = append(g.Tables, grant)
		case !sees:
			g.Unseen = append(g.Unseen, grant)
		}
	})
}

// anyWordPress are tables without which there is no WordPress.
var anyWordPress = []string{"posts", "postmeta", "terms", "term_taxonomy", "term_relationships", "options", "users", "usermeta"}

// eachTable calls fn for every declared table, with its full name: those of a network once, others for each prefix.
func (n *Network) eachTable(prefixes []string, fn func(name string, t Table)) {
	users, usermeta, _ := n.sharedUsers()
	for i, prefix := range prefixes {
		for _, t := range n.declared.Tables {
			switch {
			case t.Network && i > 0:
			case t.Name == "users":
				fn(users, t)
			case t.Name == "usermeta":
				fn(usermeta, t)
			default:
				fn(prefix+t.Name, t)
			}
		}
	}
}

// rightTo is the right that an account needs to a table by its full name.
func (n *Network) rightTo(table string) string {
	right := "SELECT"
	n.eachTable([]string{n.base}, func(name string, t Table) {
		if name == table {
			right = rightOf(t)
		}
	})
	return right
}

func rightOf(t Table) string {
	if t.Columns == nil {
		return "SELECT"
	}
	return "SELECT (" + strings.Join(t.Columns, ", ") + ")"
}
