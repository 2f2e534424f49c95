package wp

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
)

// Of several databases the first that answers is read, and a better one is noticed.
func TestReplicas(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	first, second, third := wptest.NewDoor(t, dsn), wptest.NewDoor(t, dsn), wptest.NewDoor(t, dsn)
	source := Source{Name: "shop", DSN: first.DSN, Replicas: []string{second.DSN, third.DSN}}

	_, err := Open(t.Context(), source)
	checkError(t, err, "site shop", "is the server running")
	if !db.Unreachable(err) {
		t.Errorf("not taken for unreachable: %v", err)
	}

	third.Open()
	n := open(t, source)
	if n.place != 2 || n.Preferred() {
		t.Errorf("place %d", n.place)
	}
	if _, err := n.ReadBlogs(t.Context()); err != nil {
		t.Error(err)
	}
	if n.BetterAnswers(t.Context()) {
		t.Error("nothing better is there")
	}
	second.Open()
	if !n.BetterAnswers(t.Context()) {
		t.Error("the second answers again")
	}
	if n = open(t, source); n.place != 1 {
		t.Errorf("place %d", n.place)
	}
	first.Open()
	if !n.BetterAnswers(t.Context()) {
		t.Error("the first answers again")
	}
	if n = open(t, source); !n.Preferred() || n.BetterAnswers(t.Context()) {
		t.Errorf("place %d", n.place)
	}
}

// What hangs is not waited for while there are others.
func TestReplicaAfterOneThatHangs(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "hang.sock"))
	wptest.Must(t, err)
	defer l.Close() // it accepts nothing, and the kernel answers for it
	ctx, cancel := context.WithTimeout(t.Context(), wptest.Patience)
	defer cancel()
	n, err := Open(ctx, Source{Name: "shop", DSN: fmt.Sprintf("u@unix(%s)/x", l.Addr()), Replicas: []string{wptest.Load(t, wptest.MariaDB, "basic")}})
	wptest.Must(t, err)
	defer n.Close()
	if n.Preferred() {
		t.Errorf("place %d", n.place)
	}
}

// A replica that does not follow its source is read only where nothing else answers.
func TestReplicaThatLags(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	// Configured and never started: what it is behind is not known.
	upToDate := open(t, Source{DSN: dsn, Replicas: []string{wptest.Load(t, wptest.SQLite, "basic")}})
	if upToDate.BetterAnswers(t.Context()) {
		t.Error("it is the first and does not lag")
	}
	follow := "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'nobody'"
	if !wptest.IsMariaDB(t, dsn) {
		follow = "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = 1, SOURCE_USER = 'nobody'"
	}
	wptest.Exec(t, dsn, follow)
	if !upToDate.BetterAnswers(t.Context()) {
		t.Error("it has come to lag, and another does not")
	}
	defer wptest.Exec(t, dsn, "RESET REPLICA ALL")
	n := open(t, Source{DSN: dsn, Replicas: []string{dsn}})
	if !n.behind || n.place != 0 {
		t.Errorf("behind: %t, place %d", n.behind, n.place)
	}
	if n.BetterAnswers(t.Context()) {
		t.Error("all lag")
	}
	if lags, err := n.db.Lags(t.Context()); !lags || err != nil {
		t.Errorf("lags: %t, %v", lags, err)
	}
	// Without the right to ask it is taken for up to date.
	n = open(t, Source{DSN: wptest.ReadOnlyDSN(t, dsn), Replicas: []string{dsn}})
	if n.behind || n.place != 0 {
		t.Errorf("without the right: behind %t, place %d", n.behind, n.place)
	}
	file := wptest.Load(t, wptest.SQLite, "basic")
	n = open(t, Source{DSN: dsn, Replicas: []string{file}})
	if n.behind || n.place != 1 {
		t.Errorf("with another one that does not lag: behind %t, place %d", n.behind, n.place)
	}
}
