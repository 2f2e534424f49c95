package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest/expect"
)

// What an error means decides whether a table is read without its plugin, a statement without its index, or a site later.
func TestErrors(t *testing.T) {
	server := func(number uint16) error { return fmt.Errorf("reading: %w", &mysql.MySQLError{Number: number}) }
	type meaning struct{ login, denied, table, index, unreadable, unreachable, late bool }
	for _, tt := range []struct {
		name string
		err  error
		want meaning
	}{
		{"none", nil, meaning{}},
		{"wrong password", server(1045), meaning{login: true}},
		{"no password", server(1698), meaning{login: true}},
		{"denied table", server(1142), meaning{denied: true, unreadable: true}},
		{"denied column", server(1143), meaning{denied: true, unreadable: true}},
		{"no table", server(1146), meaning{table: true, unreadable: true}},
		{"no table of SQLite", errors.New("SQL logic error: no such table: wp_posts (1)"), meaning{table: true, unreadable: true}},
		{"no column", server(1054), meaning{unreadable: true}},
		{"no column of SQLite", errors.New("SQL logic error: no such column: a (1)"), meaning{unreadable: true}},
		{"a server that speaks like SQLite", &mysql.MySQLError{Number: 1064, Message: "no such table"}, meaning{}},
		{"no index", server(1176), meaning{index: true}},
		{"no number, but the text of SQLite", errors.New("no such file"), meaning{}},
		{"too many connections", server(1040), meaning{unreachable: true}},
		{"too many connections of the account", server(1203), meaning{unreachable: true}},
		{"too many statements of the account", server(1226), meaning{unreachable: true}},
		{"it stops", server(1053), meaning{unreachable: true}},
		{"it has stopped", server(1077), meaning{unreachable: true}},
		{"it stops at once", server(1079), meaning{unreachable: true}},
		{"it has ended the connection", server(1927), meaning{unreachable: true}},
		{"it takes no such statement now", server(1290), meaning{unreachable: true}},
		{"it only reads now", server(1836), meaning{unreachable: true}},
		{"it is offline", server(3032), meaning{unreachable: true}},
		{"a mistake in the statement", server(1064), meaning{}},
		{"an answer that was cut", errors.New("reading: unexpected EOF"), meaning{unreachable: true}},
		{"a connection that cannot be used", driver.ErrBadConn, meaning{unreachable: true}},
		{"a locked table", server(1205), meaning{unreachable: true}},
		{"silence", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, meaning{unreachable: true}},
		{"out of time", context.DeadlineExceeded, meaning{unreachable: true, late: true}},
		{"out of time at MariaDB", server(1969), meaning{late: true}},
		{"out of time at MySQL", server(3024), meaning{late: true}},
		{"a connection that broke", mysql.ErrInvalidConn, meaning{unreachable: true}},
		{"the end of the daemon", context.Canceled, meaning{}},
	} {
		got := meaning{LoginRefused(tt.err), Denied(tt.err), MissingTable(tt.err), MissingIndex(tt.err), Unreadable(tt.err), Unreachable(tt.err),
			OutOfTime(tt.err)}
		expect.Equal(t, got, tt.want, tt.name)
	}
	for _, tt := range []struct {
		is     func(error) bool
		number uint16
	}{{SchemaDenied, 1044}, {MissingSchema, 1049}, {Ended, 1317}} {
		if !tt.is(server(tt.number)) || tt.is(server(tt.number+1)) || tt.is(nil) {
			t.Errorf("the number %d is not what it means", tt.number)
		}
	}
}
