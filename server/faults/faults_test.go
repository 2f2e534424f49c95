package faults

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

func allFaults() []fault {
	return []fault{
		{name: "database killed (kill -9)", quick: true, database: true, direct: true, unaided: true, do: func(s *scene) time.Time {
			s.site.editInPlace()
			s.db.proc.kill()
			rest(s, hold)
			s.db.start()
			return time.Now()
		}},
		{name: "database of a network of 1,000 blogs killed", database: true, direct: true, prepare: besideNetwork, do: networkKilled},
		{name: "database stopped (SIGSTOP)", quick: true, database: true, direct: true, do: func(s *scene) time.Time {
			s.db.proc.signal(syscall.SIGSTOP)
			rest(s, hang)
			s.db.proc.signal(syscall.SIGCONT)
			return time.Now()
		}},
		{name: "database restarted", database: true, direct: true, unaided: true, do: func(s *scene) time.Time {
			s.site.editInPlace()
			s.db.proc.stop(s)
			s.db.start()
			return time.Now()
		}},
		{name: "connections refused", quick: true, database: true, unaided: true, do: func(s *scene) time.Time {
			s.link.set(refusing)
			s.edit()
			rest(s, hold)
			s.link.set(passing)
			return time.Now()
		}},
		{name: "packets swallowed", database: true, unaided: true, do: func(s *scene) time.Time {
			s.link.set(swallow)
			s.edit()
			rest(s, hang)
			s.link.set(passing)
			return time.Now()
		}},
		{name: "answers cut off in the middle", quick: true, database: true, do: func(s *scene) time.Time {
			s.link.set(cutting)
			for range 3 {
				s.edit()
				rest(s, hold/3)
			}
			s.link.set(passing)
			return time.Now()
		}},
		{name: "answers slow as a trickle", database: true, do: func(s *scene) time.Time {
			s.link.set(crawling)
			s.edit()
			rest(s, hold)
			s.link.set(passing)
			return time.Now()
		}},
		{name: "max_connections reached", database: true, do: maxConnections},
		{name: "password changed, and changed back", database: true, do: func(s *scene) time.Time {
			s.setPassword("rotated")
			rest(s, hold)
			s.setPassword(password)
			return time.Now()
		}},
		{name: "password changed, then in the configuration", database: true, do: func(s *scene) time.Time {
			s.setPassword("rotated")
			rest(s, hold)
			s.daemon.configure(s.configuration(s.link.address, "rotated"))
			return time.Now()
		}},
		{name: "table locked by ALTER", database: true, do: lockedByAlter},
		{name: "table locked by LOCK TABLES", database: true, do: func(s *scene) time.Time {
			ctx := s.Context()
			conn, err := s.site.conn.Conn(ctx)
			wptest.Must(s, err)
			defer conn.Close()
			if _, err := conn.ExecContext(ctx, "LOCK TABLES wp_posts WRITE, wp_options WRITE"); err != nil {
				s.Fatal(err)
			}
			rest(s, hang)
			if _, err := conn.ExecContext(ctx, "UNLOCK TABLES"); err != nil {
				s.Fatal(err)
			}
			return time.Now()
		}},
		{name: "table dropped and restored", quick: true, database: true, do: dropped},
		{name: "daemon started without database", quick: true, database: true, do: func(s *scene) time.Time {
			s.kept()
			s.daemon.stop()
			s.link.set(refusing)
			s.daemon.start()
			rest(s, hold)
			s.link.set(passing)
			return time.Now()
		}},
		{name: "daemon restarted without database and without visits", quick: true, database: true, do: unvisited},
		{name: "copied install, and restarts beside it", quick: true, database: true, prepare: discovered, do: copiedInstall},
		{name: "reload storm", quick: true, do: reloadStorm},
		{
			name: "daemon's clock a day ahead, and back", missing: noClock, prepare: (*scene).fakeClock,
			do: func(s *scene) time.Time { return s.jump(24 * time.Hour) },
		},
		{
			name: "daemon's clock a day behind, and back", missing: noClock, prepare: (*scene).fakeClock,
			do: func(s *scene) time.Time { return s.jump(-24 * time.Hour) },
		},
		{
			name:     "database's clock a day ahead, and back",
			database: true,
			missing:  noFaketime,
			server:   jumpingDatabase,
			do:       func(s *scene) time.Time { return s.jumpDatabase("+1d") },
		},
		{
			name:     "database's clock a day behind, and back",
			database: true,
			missing:  noFaketime,
			server:   jumpingDatabase,
			do:       func(s *scene) time.Time { return s.jumpDatabase("-1d") },
		},
		{name: "no descriptors left", prepare: func(s *scene) { s.daemon.openFiles = 48 }, do: noDescriptors},
		{name: "disk of state full", missing: notRoot, prepare: smallDisk, do: diskFull},
		{name: "state read-only", do: readOnly},
		{name: "copies corrupted", quick: true, database: true, do: corrupted},
		{name: "everything in state corrupted", database: true, do: allCorrupted},
		{name: "PHP site killed (kill -9)", do: func(s *scene) time.Time {
			s.expectPHP(false)
			s.upstream.proc.kill()
			s.edit()
			rest(s, hold)
			s.upstream.start()
			return s.phpBack()
		}},
		{name: "PHP site hangs (SIGSTOP)", do: func(s *scene) time.Time {
			s.expectPHP(false)
			s.upstream.proc.signal(syscall.SIGSTOP)
			s.edit()
			rest(s, hang)
			s.upstream.proc.signal(syscall.SIGCONT)
			return s.phpBack()
		}},
		{name: "daemon killed (kill -9) while it reads", do: func(s *scene) time.Time { return s.endReading(s.daemon.kill) }},
		{name: "daemon ended (SIGTERM) while it reads", do: func(s *scene) time.Time { return s.endReading(s.daemon.stop) }},
		{name: "daemon killed (kill -9) while it writes", quick: true, do: func(s *scene) time.Time { return s.endWriting(s.daemon.kill) }},
		{name: "daemon ended (SIGTERM) while it writes", do: func(s *scene) time.Time { return s.endWriting(s.daemon.stop) }},
		{name: "daemon killed in its first reading ever", do: firstReading},
	}
}

// setPassword changes the daemon's password and ends its connections.
func (s *scene) setPassword(password string) {
	s.Helper()
	s.db.exec("ALTER USER '" + s.site.schema + "'@'127.0.0.1' IDENTIFIED BY '" + password + "'")
	s.db.disconnect(s.site.schema)
}

func maxConnections(s *scene) time.Time {
	before := s.db.number("SELECT @@max_connections")
	s.db.exec("SET GLOBAL max_connections = 10", "CREATE USER 'hog'@'127.0.0.1'")
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.Logger = "hog", "tcp", loopback(s.db.port), &mysql.NopLogger{}
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
	mended := time.Now()
	s.db.exec("DROP USER 'hog'@'127.0.0.1'")
	return mended
}

// lockedByAlter has an ALTER TABLE wait for somebody who reads the table, and everybody who
// comes later wait for that.
func lockedByAlter(s *scene) time.Time {
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
	until(s, "ALTER TABLE waits", func() bool {
		return s.db.number("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'ALTER TABLE%' AND STATE LIKE 'Waiting%'") > 0
	})
	rest(s, hang)
	wptest.Must(s, reader.Rollback())
	wptest.Must(s, <-altered)
	return time.Now()
}

// dropped drops the posts and restores them as mysqldump's scripts do.
func dropped(s *scene) time.Time {
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
	return time.Now()
}

// noDescriptors opens connections until the daemon can take no more, and open nothing else.
func noDescriptors(s *scene) time.Time {
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
	until(s, "the daemon has no descriptors left", func() bool {
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.daemon.proc.cmd.Process.Pid))
		return err == nil && len(open) >= s.daemon.openFiles-1
	})
	s.db.disconnect(s.site.schema) // it has to connect again, and cannot
	s.edit()
	rest(s, hold)
	for _, conn := range conns {
		conn.Close()
	}
	conns = nil
	return s.phpBack()
}

// phpBack returns now, once pages of PHP have come through again.
func (s *scene) phpBack() time.Time {
	s.Helper()
	mended := time.Now()
	until(s, "pages of PHP come through", s.visitor.well)
	s.expectPHP(true)
	return mended
}

func notRoot(*testing.T) string {
	if os.Getuid() != 0 {
		return "only root may mount a small disk"
	}
	return ""
}

// smallDisk puts the folder state on a disk of its own.
func smallDisk(s *scene) {
	wptest.Must(s, syscall.Mount("tmpfs", s.daemon.state(), "tmpfs", 0, "size=8m,mode=0700"))
	s.Cleanup(func() {
		if err := syscall.Unmount(s.daemon.state(), syscall.MNT_DETACH); err != nil {
			s.Error(err)
		}
	})
	give(s, s.daemon.state())
}

func diskFull(s *scene) time.Time {
	s.kept()
	filler := filepath.Join(s.daemon.state(), "filler")
	f, err := os.Create(filler)
	wptest.Must(s, err)
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	f.Close() // or its space would stay taken
	if !errors.Is(err, syscall.ENOSPC) {
		s.Fatal(err)
	}
	return s.unwritable(func() {
		wptest.Must(s, os.Remove(filler))
	})
}

func readOnly(s *scene) time.Time {
	s.kept()
	s.daemon.stop()
	mode := func(path string, dirs, files os.FileMode, owner int) {
		err := filepath.WalkDir(path, func(path string, e os.DirEntry, err error) error {
			switch {
			case err != nil:
			case e.IsDir():
				err = os.Chmod(path, dirs)
			default:
				err = os.Chmod(path, files)
			}
			if err == nil && os.Getuid() == 0 {
				err = os.Lchown(path, owner, -1)
			}
			return err
		})
		wptest.Must(s, err)
	}
	mode(s.daemon.state(), 0o555, 0o444, 0)
	s.daemon.start()
	return s.unwritable(func() {
		owner := 0
		if who := servant(s); who != nil {
			owner = int(who.Uid)
		}
		mode(s.daemon.state(), 0o700, 0o600, owner)
	})
}

// unwritable lets the site change while nothing can be written, mends that, and returns when
// the newest copies are on disk, which a killed daemon has to show.
func (s *scene) unwritable(mend func()) time.Time {
	s.Helper()
	for range 3 {
		s.await(s.edit())
		rest(s, hold/3)
	}
	if m := s.daemon.metrics(); m["wpsitemapd_state_writable"] != 0 && m["wpsitemapd_state_queued_blobs"] == 0 {
		s.Error("the daemon could write all the while")
	}
	s.site.supersede()
	mend()
	mended := time.Now()
	s.kept()
	s.daemon.kill()
	s.link.set(refusing)
	s.daemon.start()
	rest(s, time.Second)
	s.link.set(passing)
	return mended
}

// spoilt returns bytes damaged in one of several ways.
func spoilt(data []byte, way int) []byte {
	switch way % 6 {
	case 0:
		data = data[:len(data)/2]
	case 1:
		data[len(data)/2] ^= 0x10
	case 2:
		data = []byte{}
	case 3:
		rand.Read(data)
	case 4:
		data = append(data, "and more"...)
	case 5:
		data = bytes.ReplaceAll(data, []byte("edition"), []byte("EDITION"))
		data[len(data)-1] ^= 1
	}
	return data
}

// corrupted damages most copies: the others are served while there is no database, and the
// damaged ones never.
func corrupted(s *scene) time.Time {
	s.kept()
	s.daemon.stop()
	s.link.set(refusing)
	copies := s.daemon.copies()
	if len(copies) < len(s.site.paths()) {
		s.Fatalf("stored: %s", copies)
	}
	whole := 0
	for i, key := range copies {
		if i%4 == 3 {
			whole++
			continue
		}
		err := s.daemon.stored(func(db *sql.DB) error {
			var data []byte
			if err := db.QueryRow("SELECT data FROM blobs WHERE key = ?", key).Scan(&data); err != nil {
				return err
			}
			_, err := db.Exec("UPDATE blobs SET data = ? WHERE key = ?", spoilt(data, i), key)
			return err
		})
		wptest.Must(s, err)
	}
	s.checker.forget()
	s.daemon.start()
	until(s, "whole copies are served", func() bool {
		s.checker.mu.Lock()
		defer s.checker.mu.Unlock()
		return len(s.checker.served) == whole
	})
	rest(s, hold)
	s.checker.mu.Lock()
	served := len(s.checker.served)
	s.checker.mu.Unlock()
	if served != whole {
		s.Errorf("%d sitemaps are served, of %d whole copies", served, whole)
	}
	s.link.set(passing)
	return time.Now()
}

// allCorrupted damages the records, too: nothing is left to serve from.
func allCorrupted(s *scene) time.Time {
	s.kept()
	s.daemon.stop()
	s.link.set(refusing)
	for i, path := range s.daemon.files() {
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, spoilt(data, i+3), 0o600)
		}
		wptest.Must(s, err)
	}
	s.checker.forget()
	s.mu.Lock()
	s.robots = false
	s.mu.Unlock()
	s.daemon.start()
	rest(s, hold)
	s.link.set(passing)
	return time.Now()
}

// endReading ends the daemon in the middle of reading the database; the next one has to do
// with the copies for a while.
func (s *scene) endReading(end func()) time.Time {
	s.Helper()
	s.kept()
	for range 3 {
		s.link.set(crawling)
		before := s.link.carriedBytes()
		s.edit()
		until(s, "the database is read", func() bool { return s.link.carriedBytes() > before+2000 })
		end()
		s.link.set(refusing)
		s.daemon.start()
		rest(s, hold/3)
		s.link.set(passing)
		s.settle()
		s.kept()
	}
	return time.Now()
}

// endWriting ends the daemon when it has begun to write a copy.
func (s *scene) endWriting(end func()) time.Time {
	s.Helper()
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
		end()
		s.link.set(refusing)
		s.daemon.start()
		rest(s, hold/3)
		s.link.set(passing)
		s.settle()
		s.kept()
	}
	if caught == 0 {
		s.Error("the daemon was never caught in a write")
	}
	return time.Now()
}

// firstReading kills the daemon before it has ever read the site, with nothing in state.
func firstReading(s *scene) time.Time {
	s.daemon.stop()
	for _, path := range s.daemon.files() {
		wptest.Must(s, os.Remove(path))
	}
	s.checker.forget()
	s.mu.Lock()
	s.robots = false
	s.mu.Unlock()
	for range 3 {
		s.link.set(crawling)
		before := s.link.carriedBytes()
		s.daemon.start()
		until(s, "the database is read", func() bool { return s.link.carriedBytes() > before+500 })
		s.daemon.kill()
	}
	s.link.set(passing)
	s.daemon.start()
	return time.Now()
}

// unvisited has a daemon with nothing in state make its copies while nobody asks for anything, and the next one
// serve them all without the database.
func unvisited(s *scene) time.Time {
	s.daemon.stop()
	for _, path := range s.daemon.files() {
		wptest.Must(s, os.Remove(path))
	}
	s.mu.Lock()
	s.robots = false
	s.mu.Unlock()
	told := s.daemon.whenStarts
	s.daemon.whenStarts = func(bool) {} // so that nobody asks
	s.daemon.start()
	until(s, "every page is made", func() bool {
		return len(s.daemon.copies()) >= len(s.site.paths())
	})
	s.kept()
	s.daemon.stop()
	s.daemon.whenStarts = told
	s.link.set(refusing)
	s.daemon.start()
	rest(s, hold)
	s.link.set(passing)
	return time.Now()
}

// reloadStorm changes the configuration again and again while the site is edited. Afterwards nothing is made anew
// for who asks for what has not changed.
func reloadStorm(s *scene) time.Time {
	end := time.Now().Add(2 * hold)
	for n := 0; n < 36 && time.Now().Before(end); n++ { // more edits would leave too few posts for the last file
		before := s.daemon.metrics()["wpsitemapd_config_reloads_total"]
		s.daemon.configure(s.configuration(s.link.address, password) + fmt.Sprintf("cache_control = \"max-age=%d\"\n", n))
		s.edit()
		until(s, "the configuration is read again", func() bool { return s.daemon.metrics()["wpsitemapd_config_reloads_total"] > before })
	}
	mended := time.Now()
	s.settle()
	misses := fmt.Sprintf(`wpsitemapd_page_lookups_total{result="miss",site=%q}`, s.site.schema)
	until(s, "nothing is made anew", func() bool {
		before := s.daemon.metrics()
		rest(s, time.Second) // in which everything is asked for
		after := s.daemon.metrics()
		return after[misses] > 0 && after[misses] == before[misses] && after["wpsitemapd_page_lookups_total"] > before["wpsitemapd_page_lookups_total"]
	})
	return mended
}
