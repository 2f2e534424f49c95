package db

import (
	"testing"

	"wpsitemapd/wp/wptest"
)

// A server is asked over a connection of its own: that all others are busy means nothing.
func TestAnswersWhileBusy(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	door := wptest.NewDoor(t, dsn)
	door.Open()
	n := open(t, door.DSN, Options{})
	for range maxConns {
		conn, err := n.conns.Conn(t.Context())
		wptest.Must(t, err)
		defer conn.Close()
	}
	if !n.Answers(t.Context()) {
		t.Error("it is taken for silent")
	}
	door.Shut()
	if n.Answers(t.Context()) {
		t.Error("it is not taken for silent")
	}
	if n = open(t, wptest.Load(t, wptest.SQLite, "basic"), Options{}); !n.Answers(t.Context()) {
		t.Error("a file answers")
	}
}
