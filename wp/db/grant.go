package db

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// quote returns a text as a literal of a statement.
func quote(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'" }

// CreateUser returns the statement that creates an account with a password, unless the account exists.
func CreateUser(account, password string) string {
	return fmt.Sprintf("CREATE USER IF NOT EXISTS %s IDENTIFIED BY %s;", QuoteAccount(account), quote(password))
}

// QuoteAccount returns an account, user@host, as statements name it.
func QuoteAccount(account string) string {
	user, host := SplitAccount(account)
	if host == "" {
		return quote(user)
	}
	return quote(user) + "@" + quote(host)
}

// SplitAccount splits user@host. If the text names only a user, host is "".
func SplitAccount(account string) (user, host string) {
	i := strings.LastIndexByte(account, '@')
	if i < 0 {
		return account, ""
	}
	return account[:i], account[i+1:]
}

// GrantTable returns the statement that gives an account a right to a table.
func GrantTable(right, schema, table, account string) string {
	return fmt.Sprintf("GRANT %s ON `%s`.`%s` TO %s;", right, strings.ReplaceAll(schema, "`", "``"), table, QuoteAccount(account))
}

// GrantWatch returns the statement that lets an account see which tables a database has and when they are written.
// The account may not read them.
func GrantWatch(schema, account string) string {
	name := strings.NewReplacer("`", "``", "_", `\_`, "%", `\%`).Replace(schema) // unescaped, _ and % match other characters
	return fmt.Sprintf("GRANT REFERENCES ON `%s`.* TO %s;", name, QuoteAccount(account))
}

// deniedTable matches the table in a refusal of the server. Some versions write the name of the database before the
// table.
var deniedTable = regexp.MustCompile("(?:for|in) table [`'](?:[^`']+[`']\\.[`'])?([^`'.]+)[`']")

// cure adds a GRANT statement to an error, if the error says that the account may not read a table. It returns any
// other error unchanged.
func (d *DB) cure(err error) error {
	my, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok || !Denied(err) {
		return err
	}
	m := deniedTable.FindStringSubmatch(my.Message)
	if m == nil || d.right == nil {
		return err
	}
	return fmt.Errorf("%w: run as an administrator of the database: %s", err, GrantTable(d.right(m[1]), d.Schema, m[1], d.Account))
}
