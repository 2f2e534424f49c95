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
	Right string // SELECT, or SELECT with a list of columns
	Table string // full name
}

// Grants lists what an account needs to read a network.
type Grants struct {
	Schema  string // name of the database; "" for a SQLite file, which has no accounts
	Account string // the account of the source, as the server names it: user@host
	Refused error  // why the account cannot log in; nil if it can
	// Password is the password that the server refused.
	Password string
	Tables   []Grant
	// Unseen are tables that only some sites have. It is empty if an account of the source can see whether they exist. If
	// no account can, the blogs of a network are not known either.
	Unseen []Grant
	Lister string // the account that listed the tables; "" if none could

	server *mysql.Config // server of the account; nil for SQLite
}

// To returns the statement that gives a right to an account.
func (g *Grants) To(account string, r Grant) string {
	return db.GrantTable(r.Right, g.Schema, r.Table, account)
}

// ReadGrants finds out what the account of a source needs. If there is a wp-config.php, its account lists the tables,
// because it sees all of them.
//
// For a source without DSN, the result has only tables that the account of wp-config.php may read, because the people
// of the site have chosen the names of the database and its tables.
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
	if !db.SchemaDenied(err) && !db.LoginRefused(err) {
		return nil, err
	}
	n.assume(g, map[string]bool{}, []string{n.base}, false)
	return g, nil
}

// ReadWatchGrants returns the name of the account in dsn, the DSN of [watch]. The result lists no tables.
func ReadWatchGrants(ctx context.Context, dsn string, limit *db.Limiter) (*Grants, error) {
	n := &Network{source: Source{Name: "[watch]", DSN: dsn, Limit: limit}}
	return n.whoReads(ctx)
}

// ToWatch returns the statement that lets an account see when tables of the database are written, but no row of them.
func (g *Grants) ToWatch(account string) string { return db.GrantWatch(g.Schema, account) }

// deniedHost finds the host of an account in the server's message that the account may not log in.
var deniedHost = regexp.MustCompile(`'@'([^']+)'`)

// whoReads connects without naming a database, and returns the name of the account. An account without any right to
// the database could not open it. If the server refuses the account, whoReads returns the reason in Refused and no
// error.
func (n *Network) whoReads(ctx context.Context) (*Grants, error) {
	at, err := n.where(n.source.DSN)
	if err != nil {
		return nil, fmt.Errorf("site %s: %w", n.source.Name, err)
	}
	cfg := at.cfg
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
	return nil, fmt.Errorf("site %s: cannot open the database (%s): %w%s", n.source.Name, at.text, err, hint(err))
}

const (
	sqlTablesNamed = `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (?)`
	// sqlNoTable is denied if the account does not see all tables. Otherwise it fails because the table does not
	// exist.
	sqlNoTable = "SELECT 1 FROM `wp_no_table_of_wordpress`"
	// sqlMayRead is denied if the account may not read the table or one of the columns.
	sqlMayRead = "SELECT columns_of_it FROM `wp_table_of_wordpress` LIMIT 0"
)

// tablesNamed is how many tables one statement looks up.
const tablesNamed = 1000

// list finds the declared tables that exist and adds them to g. If readable is set, it adds only the tables that the
// account of n may read.
func (n *Network) list(ctx context.Context, g *Grants, readable bool) error {
	sees := readable || !db.Denied(n.query(ctx, sqlNoTable, nil, ignoreRow))
	prefixes := []string{n.base}
	switch err := n.inspect(ctx); {
	case err != nil && !db.Denied(err):
		return err
	case err == nil && n.multisite:
		blogs, err := n.blogs(ctx)
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

// mayRead reports whether the account of n may read the needed columns of a table.
func (n *Network) mayRead(ctx context.Context, name string, t Table) (bool, error) {
	columns := cmp.Or(strings.Join(t.Columns, ", "), "*")
	err := n.db.Query(ctx, db.NewTables("columns_of_it", columns, "wp_table_of_wordpress", name), sqlMayRead, nil, ignoreRow)
	if db.Unreadable(err) {
		return false, nil
	}
	return err == nil, err
}

// assume adds to g a right to each table in there, the set of the tables that were found. sees reports whether the account sees
// every table of the database. If sees is false, a table that was not found may still exist: assume adds a right to it if every
// WordPress has it, and adds it to Unseen if not.
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

// anyWordPress are the tables that every WordPress has.
var anyWordPress = []string{"posts", "postmeta", "terms", "term_taxonomy", "term_relationships", "options", "users", "usermeta"}

// eachTable calls fn for every declared table with its full name. It calls fn once for a table of the network, and for
// each prefix for any other table.
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

// rightTo returns the right that an account needs to a table, given by its full name.
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
