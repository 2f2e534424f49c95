package wptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Server is a private MariaDB server, or a MySQL server within .ci/engine, that the test may break. It listens on a socket and,
// with TLS, on a port of loopback. It ends with the test.
type Server struct {
	MySQL bool // the server is MySQL, not MariaDB

	t    testing.TB
	dir  string
	args []string

	daemon string
	proc   *Process
	DSN    string // of root on the socket, without a database
	Port   int
}

// OwnServer starts a server with additional options. If its programs are not installed, the test is skipped, or fails if CI=true.
func OwnServer(t testing.TB, options ...string) *Server {
	t.Helper()
	NeedsServer(t)
	dir := Folder(t)
	port, err := strconv.Atoi(FreePort(t))
	Must(t, err)
	s := &Server{t: t, dir: dir, Port: port, DSN: "root@unix(" + dir + "/s.sock)/"}
	cert, key := Certificate(t, "localhost", time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour))
	Must(t, errors.Join(os.WriteFile(dir+"/cert.pem", cert, 0o600), os.WriteFile(dir+"/key.pem", key, 0o600)))
	s.MySQL = strings.HasPrefix(os.Getenv("WPSITEMAPD_TEST_ENGINE"), "mysql-")
	places := []string{"--no-defaults", "--datadir=" + dir + "/data", "--tmpdir=" + dir}
	if s.MySQL {
		s.daemon = program(t, "mysqld")
		s.run(s.daemon, append(places, "--initialize-insecure")...)
		s.args = append(places, "--mysqlx=OFF", "--innodb-redo-log-capacity=16M", "--skip-log-bin")
	} else {
		s.daemon = program(t, "mariadbd")
		s.run(program(t, "mariadb-install-db"), append(places, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")...)
		s.args = append(places, "--innodb-log-file-size=16M")
	}
	s.args = append(append(s.args,
		"--socket="+dir+"/s.sock", "--pid-file="+dir+"/pid",
		"--bind-address=127.0.0.1", "--port="+strconv.Itoa(s.Port), "--ssl-cert="+dir+"/cert.pem", "--ssl-key="+dir+"/key.pem",
		"--skip-name-resolve", "--performance-schema=off", "--innodb-buffer-pool-size=64M",
		"--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=OFF", "--innodb-flush-method=nosync", "--key-buffer-size=1M",
	), options...)
	s.Start()
	t.Cleanup(s.Stop)
	return s
}

func program(t testing.TB, name string) string {
	t.Helper()
	for _, path := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(path); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no ", name)
	}
	t.Skip("needs ", name)
	return ""
}

// Load creates a database with the tables of a site, like the function Load.
func (s *Server) Load(t testing.TB, seed ...string) string {
	t.Helper()
	return load(t, MariaDB, s.DSN, seed)
}

// prepare returns a command of the server, with the account of Servant.
func (s *Server) prepare(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	Give(s.t, s.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: Servant(s.t), Pdeathsig: syscall.SIGTERM}
	return cmd
}

func (s *Server) run(name string, args ...string) {
	s.t.Helper()
	if out, err := s.prepare(name, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// Start starts the server and waits until it answers. It also restarts a stopped server.
func (s *Server) Start(options ...string) {
	s.t.Helper()
	var log Buffer
	s.proc = Launch(s.t, &log, s.prepare(s.daemon, append(s.args, options...)...))
	db, err := sql.Open("mysql", s.DSN)
	Must(s.t, err)
	defer db.Close()
	for deadline := time.Now().Add(Patience); ; time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := db.PingContext(ctx)
		cancel()
		if err == nil {
			return
		}
		if !s.proc.Running() {
			s.t.Fatalf("%s: %s", s.daemon, &log)
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s does not answer: %v", s.daemon, err)
		}
	}
}

// Signal sends the server a signal. After SIGSTOP the server accepts data but does not answer.
func (s *Server) Signal(sig syscall.Signal) { s.proc.Signal(sig) }

func (s *Server) Stop() { s.proc.Stop(s.t) }

// Certificate returns the file of the server's self-signed certificate for localhost.
func (s *Server) Certificate() string { return filepath.Join(s.dir, "cert.pem") }

// Grant gives the account of ReadOnlyDSN a right on all databases.
func (s *Server) Grant(t testing.TB, dsn, right string) {
	t.Helper()
	Exec(t, s.DSN+"mysql", fmt.Sprintf("GRANT %s ON *.* TO %s", right, accountOf(t, dsn)))
}

// accountOf returns the account of a DSN from ReadOnlyDSN, in SQL.
func accountOf(t testing.TB, dsn string) string {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	Must(t, err)
	host := "localhost"
	if cfg.Net != "unix" {
		host = "%"
	}
	return "'" + cfg.User + "'@'" + host + "'"
}
