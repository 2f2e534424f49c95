package faults

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

// allFaults lists them. Of those with breaks and mends the first happens, then nothing for a while, then the second.
func allFaults() []fault {
	kill, term := func(s *scene) { s.daemon.kill() }, func(s *scene) { s.daemon.stop() }
	return slices.Concat([]fault{
		{
			name: "database killed (kill -9)", quick: true, database: true, unaided: true,
			breaks: func(s *scene) { s.site.editInPlace(); s.db.kill() }, mends: func(s *scene) { s.db.Start() },
		},
		{name: "database of a network of 1,000 blogs killed", database: true, prepare: besideNetwork, do: networkKilled},
		{
			name: "database stopped (SIGSTOP)", quick: true, database: true, lasts: hang,
			breaks: func(s *scene) { s.db.Signal(syscall.SIGSTOP) }, mends: func(s *scene) { s.db.Signal(syscall.SIGCONT) },
		},
		{
			name: "database restarted", database: true, unaided: true,
			do: func(s *scene) { s.site.editInPlace(); s.db.Stop(); s.db.Start() },
		},
		{
			name: "connections refused", quick: true, database: true, unaided: true,
			breaks: func(s *scene) { s.link.Set(wptest.Refusing); s.edit() }, mends: heal,
		},
		{name: "answers cut off in the middle", quick: true, database: true, do: func(s *scene) {
			s.link.Set(wptest.Cutting)
			for range 3 {
				s.edit()
				rest(s, hold/3)
			}
			heal(s)
		}},
		{
			name: "answers slow as a trickle", database: true,
			breaks: func(s *scene) { s.link.Set(wptest.Crawling); s.edit() }, mends: heal,
		},
		{name: "max_connections reached", database: true, do: maxConnections},
		{
			name: "password changed, and changed back", database: true,
			breaks: func(s *scene) { s.setPassword("rotated") }, mends: func(s *scene) { s.setPassword(password) },
		},
		{
			name: "password changed, then in the configuration", database: true,
			breaks: func(s *scene) { s.setPassword("rotated") },
			mends:  func(s *scene) { s.daemon.configure(s.configuration("rotated")) },
		},
		{name: "table locked by ALTER", database: true, do: lockedByAlter},
		{name: "table dropped and restored", quick: true, database: true, do: dropped},
		{
			name: "daemon started without database", quick: true, database: true,
			breaks: func(s *scene) { s.kept(); s.daemon.stop(); s.link.Set(wptest.Refusing); s.daemon.start() }, mends: heal,
		},
		{
			name: "daemon's clock a day ahead, and back", prepare: (*scene).fakeClock,
			do: func(s *scene) { s.jump(24 * time.Hour) },
		},
		{name: "no descriptors left", prepare: func(s *scene) { s.daemon.openFiles = 48 }, do: noDescriptors},
		{name: "state read-only", do: readOnly},
		{
			name: "everything in state corrupted", quick: true, database: true,
			breaks: func(s *scene) { s.kept(); s.daemon.stop(); s.link.Set(wptest.Refusing); s.corrupt(); s.daemon.start() }, mends: heal,
		},
		{
			name:   "PHP site gone",
			breaks: func(s *scene) { s.expectPHP(false); s.upstream.Set(wptest.Refusing); s.edit() },
			mends:  func(s *scene) { s.upstream.Set(wptest.Passing); s.phpBack() },
		},
		{
			name: "PHP site hangs", lasts: hang,
			breaks: func(s *scene) { s.expectPHP(false); s.upstream.Set(wptest.Silent); s.edit() },
			mends:  func(s *scene) { s.upstream.Set(wptest.Passing); s.phpBack() },
		},
		{name: "daemon killed (kill -9) while it reads", do: func(s *scene) { s.endReading(kill) }},
		{name: "daemon ended (SIGTERM) while it reads", do: func(s *scene) { s.endReading(term) }},
		{name: "daemon killed (kill -9) while it writes", quick: true, do: func(s *scene) { s.endWriting(kill) }},
		{name: "daemon ended (SIGTERM) while it writes", do: func(s *scene) { s.endWriting(term) }},
		{name: "daemon killed in its first reading ever", do: firstReading},
	}, redisFaults())
}

// heal has the link to the database pass again.
func heal(s *scene) { s.link.Set(wptest.Passing) }

// setPassword changes the daemon's password and ends its connections.
func (s *scene) setPassword(password string) {
	s.Helper()
	s.db.exec("ALTER USER '" + s.site.schema + "'@'127.0.0.1' IDENTIFIED BY '" + password + "'")
	s.db.disconnect(s.site.schema)
}

func maxConnections(s *scene) {
	before := s.db.number("SELECT @@max_connections")
	s.db.exec("SET GLOBAL max_connections = 10", "CREATE USER 'hog'@'127.0.0.1'")
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.Logger = "hog", "tcp", s.db.address(), &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	wptest.Must(s, err)
	var hogs []interface{ Close() error }
	for range 3 { // the daemon may be the first to take what it has lost
		s.db.disconnect(s.site.schema)
		for {
			conn, err := connector.Connect(s.Context())
			if my, ok := errors.AsType[*mysql.MySQLError](err); ok && my.Number == 1040 {
				break
			}
			wptest.Must(s, err)
			hogs = append(hogs, conn)
		}
	}
	s.edit()
	rest(s, hold)
	s.db.exec(fmt.Sprint("SET GLOBAL max_connections = ", before))
	for _, conn := range hogs {
		conn.Close()
	}
	s.db.exec("DROP USER 'hog'@'127.0.0.1'")
}

// lockedByAlter has an ALTER TABLE wait for somebody who reads the table, and everybody who
// comes later wait for that.
func lockedByAlter(s *scene) {
	ctx := s.Context()
	reader, err := s.site.conn.BeginTx(ctx, nil)
	wptest.Must(s, err)
	defer reader.Rollback()
	var one int
	wptest.Must(s, reader.QueryRowContext(ctx, "SELECT 1 FROM wp_posts LIMIT 1").Scan(&one))
	altered := make(chan error, 1)
	go func() {
		altered <- s.site.try("ALTER TABLE wp_posts ADD COLUMN sooner_or_later INT, ALGORITHM=COPY")
	}()
	wptest.Eventually(s, "ALTER TABLE waits", func() bool {
		return s.db.number("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'ALTER TABLE%' AND STATE LIKE 'Waiting%'") > 0
	})
	rest(s, hang)
	wptest.Must(s, reader.Rollback())
	wptest.Must(s, <-altered)
}

// dropped drops the posts and restores them as mysqldump's scripts do.
func dropped(s *scene) {
	ctx := s.Context()
	s.site.exec("CREATE TABLE backup LIKE wp_posts", "INSERT INTO backup SELECT * FROM wp_posts", "DROP TABLE wp_posts",
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (100, 'tells', 'of a write')") // so that the site is read meanwhile
	rest(s, hold)
	s.site.exec("CREATE TABLE wp_posts LIKE backup")
	rest(s, hold)
	conn, err := s.site.conn.Conn(ctx)
	wptest.Must(s, err)
	defer conn.Close()
	run := func(statement string) {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			s.Fatal(err)
		}
	}
	run("LOCK TABLES wp_posts WRITE, backup READ")
	run("INSERT INTO wp_posts SELECT * FROM backup WHERE ID % 2 = 0")
	rest(s, hold)
	run("INSERT INTO wp_posts SELECT * FROM backup WHERE ID % 2 = 1")
	run("UNLOCK TABLES")
}

// noDescriptors opens connections until the daemon can take no more, and open nothing else.
func noDescriptors(s *scene) {
	s.expectPHP(false)
	var conns []net.Conn
	defer func() {
		for _, conn := range conns {
			conn.Close()
		}
	}()
	for range 2 * s.daemon.openFiles {
		conn, err := net.DialTimeout("tcp", s.daemon.address, time.Second)
		if err != nil {
			break
		}
		conns = append(conns, conn)
	}
	wptest.Eventually(s, "the daemon has no descriptors left", func() bool {
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.daemon.proc.Cmd.Process.Pid))
		return err == nil && len(open) >= s.daemon.openFiles-1
	})
	s.db.disconnect(s.site.schema) // it has to connect again, and cannot
	s.edit()
	rest(s, hold)
	for _, conn := range conns {
		conn.Close()
	}
	conns = nil
	s.phpBack()
}

// phpBack waits until pages of PHP come through again.
func (s *scene) phpBack() {
	s.Helper()
	wptest.Eventually(s, "pages of PHP come through", s.visitor.well)
	s.expectPHP(true)
}

// readOnly lets the site change while nothing can be written, mends that, and starts a daemon from what has been written then.
func readOnly(s *scene) {
	s.kept()
	s.daemon.stop()
	mode := func(folders, files os.FileMode) {
		err := filepath.WalkDir(s.daemon.state(), func(path string, e os.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				return os.Chmod(path, folders)
			}
			return errors.Join(err, os.Chmod(path, files))
		})
		wptest.Must(s, err)
	}
	mode(0o555, 0o444)
	s.daemon.start()
	for range 3 {
		s.await(s.edit())
		rest(s, hold/3)
	}
	if m := s.daemon.metrics(); m["wpsitemapd_state_writable"] != 0 && m["wpsitemapd_state_queued_blobs"] == 0 {
		s.Error("the daemon could write all the while")
	}
	s.site.supersede()
	mode(0o700, 0o600)
	s.kept()
	s.daemon.kill()
	s.link.Set(wptest.Refusing)
	s.daemon.start()
	rest(s, time.Second)
	heal(s)
}

// corrupt damages all files of the folder state, in several ways. Nothing is left to serve from.
func (s *scene) corrupt() {
	s.Helper()
	for i, path := range s.daemon.files() {
		data, err := os.ReadFile(path)
		wptest.Must(s, err)
		switch i % 3 {
		case 0:
			rand.Read(data)
		case 1:
			data = append(data, "and more"...)
		case 2:
			data = data[:len(data)/2]
		}
		wptest.Must(s, os.WriteFile(path, data, 0o600))
	}
	s.forget()
}

// empty removes all files of the folder state.
func (s *scene) empty() {
	s.Helper()
	for _, path := range s.daemon.files() {
		wptest.Must(s, os.Remove(path))
	}
	s.forget()
}

// forget says that no copy of anything exists any more.
func (s *scene) forget() {
	s.checker.forget()
	s.mu.Lock()
	s.robots = false
	s.mu.Unlock()
}

// endReading ends the daemon in the middle of reading the database; the next one has to do with the copies for a while.
func (s *scene) endReading(end func(*scene)) {
	s.kept()
	for range 3 {
		s.link.Set(wptest.Crawling)
		before := s.link.Carried()
		s.edit()
		wptest.Eventually(s, "the database is read", func() bool { return s.link.Carried() > before+2000 })
		s.startWithCopies(end)
	}
}

// endWriting ends the daemon when it has begun to write a copy.
func (s *scene) endWriting(end func(*scene)) {
	s.kept()
	caught, enough := 0, 1
	if everything {
		enough = 3
	}
	for try := 0; caught < enough && try < 40; try++ {
		before := s.daemon.logged()
		s.edit()
		if within(s.Context(), 3*time.Second, func() bool { return s.daemon.logged() != before }) {
			caught++
		}
		s.startWithCopies(end)
	}
	if caught == 0 {
		s.Error("the daemon was never caught in a write")
	}
}

// startWithCopies ends the daemon, and starts another one that has no database for a while.
func (s *scene) startWithCopies(end func(*scene)) {
	s.Helper()
	end(s)
	s.link.Set(wptest.Refusing)
	s.daemon.start()
	rest(s, hold/3)
	heal(s)
	s.settle()
	s.kept()
}

// firstReading kills the daemon before it has ever read the site, with nothing in state.
func firstReading(s *scene) {
	s.daemon.stop()
	s.empty()
	for range 3 {
		s.link.Set(wptest.Crawling)
		before := s.link.Carried()
		s.daemon.start()
		wptest.Eventually(s, "the database is read", func() bool { return s.link.Carried() > before+500 })
		s.daemon.kill()
	}
	heal(s)
	s.daemon.start()
}
