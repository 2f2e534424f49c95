package db

import (
	"context"
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
		{"too many connections", server(1040), meaning{unreachable: true}},
		{"it stops", server(1053), meaning{unreachable: true}},
		{"a locked table", server(1205), meaning{unreachable: true}},
		{"silence", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, meaning{unreachable: true}},
		{"out of time", context.DeadlineExceeded, meaning{unreachable: true, late: true}},
		{"out of time at MariaDB", server(1969), meaning{late: true}},
		{"out of time at MySQL", server(3024), meaning{late: true}},
		{"a connection that broke", mysql.ErrInvalidConn, meaning{unreachable: true}},
		{"the end of the daemon", context.Canceled, meaning{}},
	} {
		got := meaning{LoginRefused(tt.err), Denied(tt.err), MissingTable(tt.err), MissingIndex(tt.err), Unreadable(tt.err), Unreachable(tt.err), OutOfTime(tt.err)}
		expect.Equal(t, got, tt.want, tt.name)
	}
}
