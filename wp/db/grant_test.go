package db

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest/expect"
)

// Statements quote what people choose: names of accounts and databases, and passwords.
func TestGrantStatements(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{QuoteAccount("ann@localhost"), "'ann'@'localhost'"}, {QuoteAccount("ann"), "'ann'"}, {QuoteAccount("ann@"), "'ann'"},
		{QuoteAccount("a@b@%"), "'a@b'@'%'"},
		{QuoteAccount("@localhost"), "''@'localhost'"},
		{CreateUser(`a'b@%`, `it's \a`), `CREATE USER IF NOT EXISTS 'a''b'@'%' IDENTIFIED BY 'it''s \\a';`},
		{GrantTable("SELECT (ID)", "my`db", "wp_posts", "a@b"), "GRANT SELECT (ID) ON `my``db`.`wp_posts` TO 'a'@'b';"},
		{GrantWatch("my_d`b%", "a@b"), "GRANT REFERENCES ON `my\\_d``b\\%`.* TO 'a'@'b';"},
	} {
		expect.Equal(t, tt.got, tt.want)
	}
}

// A refusal to read a table says which right is missing.
func TestCure(t *testing.T) {
	right := func(table string) string { return "SELECT of " + table }
	d := &DB{Schema: "shop", Account: "a@b", right: right}
	for _, tt := range []struct {
		of    *DB
		err   error
		grant string
	}{
		{d, &mysql.MySQLError{Number: 1142, Message: "SELECT command denied to user 'a'@'b' for table 'wp_posts'"}, "wp_posts"},
		{d, &mysql.MySQLError{Number: 1142, Message: "SELECT command denied to user 'a'@'b' for table `shop`.`wp_terms`"}, "wp_terms"},
		{d, &mysql.MySQLError{Number: 1143, Message: "SELECT command denied to user 'a'@'b' for column 'ID' in table 'wp_users'"}, "wp_users"},
		{d, &mysql.MySQLError{Number: 1142, Message: "denied"}, ""},
		{d, &mysql.MySQLError{Number: 1146, Message: "Table 'shop.wp_posts' doesn't exist for table 'wp_posts'"}, ""},
		{d, errors.New("for table 'wp_posts'"), ""},
		{&DB{Schema: "shop"}, &mysql.MySQLError{Number: 1142, Message: "SELECT command denied to user 'a'@'b' for table 'wp_posts'"}, ""},
	} {
		got := tt.of.cure(tt.err)
		if !errors.Is(got, tt.err) {
			t.Errorf("%v has become %v", tt.err, got)
		}
		want := fmt.Sprintf("GRANT SELECT of %[1]s ON `shop`.`%[1]s` TO 'a'@'b';", tt.grant)
		expect.Equal(t, strings.Contains(got.Error(), want), tt.grant != "", got)
		expect.Equal(t, got == tt.err, tt.grant == "", got)
	}
}
