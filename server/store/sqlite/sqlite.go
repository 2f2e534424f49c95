// Package sqlite is a store in a folder: one SQLite file.
//
// The file is in WAL mode, so that readers and the one writer do not wait for each other. If the process is killed, nothing is
// lost that was written before. If SQLite finds the file damaged, the file is moved aside, and a new one is made. If the folder
// is read-only, the store reads the file and writes nothing.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"wpsitemapd/server/store"
)

const (
	fileName   = "pages-" + store.Version + ".sqlite"
	folderMode = 0o700
	fileMode   = 0o600
	maxConns   = 4               // connections to the file
	idleConn   = time.Minute     // how long a connection stays open unused
	busyTime   = 5 * time.Second // how long a write waits for another process that writes
	usedEvery  = time.Hour       // the use of a blob is recorded at most once in this time
	maxUsed    = 10_000          // uses that wait to be recorded
)

// schema is the table of blobs. The index blob_facts has all columns but data, so that listing blobs reads no data.
const schema = `CREATE TABLE IF NOT EXISTS blobs (
	id INTEGER PRIMARY KEY,
	kind TEXT NOT NULL, site TEXT NOT NULL, blog TEXT NOT NULL, key TEXT NOT NULL,
	version TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS blob_names ON blobs (site, blog, kind, key);
CREATE INDEX IF NOT EXISTS blob_facts ON blobs (site, blog, kind, key, version, size, used)`

const (
	selectBlob = `SELECT id, used, data FROM blobs WHERE site = ? AND blog = ? AND kind = ? AND key = ?`
	upsertBlob = `INSERT INTO blobs (site, blog, kind, key, version, size, used, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (site, blog, kind, key) DO UPDATE SET version = excluded.version, size = excluded.size, used = excluded.used, data = excluded.data`
	deleteBlob  = `DELETE FROM blobs WHERE site = ? AND blog = ? AND kind = ? AND key = ?`
	updateUsed  = `UPDATE blobs SET used = ? WHERE id = ?`
	selectFacts = `SELECT site, blog, kind, key, version, size, used FROM blobs INDEXED BY blob_facts`
	selectUsage = `SELECT site, count(*), sum(size) FROM blobs INDEXED BY blob_facts GROUP BY site`
)

// Backend is a store in a folder. The location is the path of the folder.
var Backend store.Backend = backend{}

type backend struct{}

func (backend) Kind() store.Kind {
	return store.Kind{Place: "on disk", Timeout: 2 * time.Second, Beat: time.Minute}
}

func (backend) Check(string) error { return nil }

func (backend) Probe(_ context.Context, dir string) string {
	if err := writable(dir); err != nil {
		return fmt.Sprintf("state %s cannot be written: %v; let the user that runs the daemon write there, and run check as that user", dir, err)
	}
	return ""
}

func (backend) Open(dir string, log *slog.Logger) (store.Blobs, string, error) {
	return &blobs{dir: dir, log: log}, dir, nil
}

func (backend) Holds(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileName))
	return err == nil
}

// blobs keeps blobs in a SQLite file.
type blobs struct {
	dir string
	log *slog.Logger

	opening sync.Mutex
	file    atomic.Pointer[file] // nil: not open
	broken  atomic.Bool          // the file must be opened again
	damaged atomic.Bool          // the file must be moved aside

	mu   sync.Mutex
	used map[int64]bool // rows whose use is to be recorded
}

type file struct {
	*sql.DB
	info     os.FileInfo
	readOnly error // why the file cannot be written; nil: it can
}

var errNotOpen = errors.New("the file is not open")

// Load returns the bytes of a blob, nil if there is none.
func (b *blobs) Load(ctx context.Context, n store.Name) (data []byte, err error) {
	f := b.file.Load()
	if f == nil {
		return nil, errNotOpen
	}
	var id, used int64
	err = f.QueryRowContext(ctx, selectBlob, n.Site, n.Blog, n.Kind, n.Key).Scan(&id, &used, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err == nil && time.Since(time.UnixMilli(used)) > usedEvery {
		b.mu.Lock()
		if b.used == nil {
			b.used = map[int64]bool{}
		}
		if len(b.used) < maxUsed {
			b.used[id] = true
		}
		b.mu.Unlock()
	}
	return data, b.note(err)
}

func (b *blobs) Save(ctx context.Context, blob store.Blob, data []byte) error {
	return b.write(ctx, func(f *file) error {
		_, err := f.ExecContext(ctx, upsertBlob, blob.Site, blob.Blog, blob.Kind, blob.Key, blob.Version, len(data), time.Now().UnixMilli(), data)
		return err
	})
}

// Delete removes blobs. The file keeps its size, and later blobs fill the free space.
func (b *blobs) Delete(ctx context.Context, names []store.Name) error {
	var rows [][]any
	for _, n := range names {
		rows = append(rows, []any{n.Site, n.Blog, n.Kind, n.Key})
	}
	return b.write(ctx, func(f *file) error { return f.each(ctx, deleteBlob, rows) })
}

// List returns the blobs of a site, or of all sites for "".
func (b *blobs) List(ctx context.Context, site string) (all []store.Blob, err error) {
	f := b.file.Load()
	if f == nil {
		return nil, errNotOpen
	}
	query, args := selectFacts, []any{}
	if site != "" {
		query, args = query+" WHERE site = ?", append(args, site)
	}
	rows, err := f.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, b.note(err)
	}
	defer rows.Close()
	for rows.Next() {
		var blob store.Blob
		var used int64
		if err := rows.Scan(&blob.Site, &blob.Blog, &blob.Kind, &blob.Key, &blob.Version, &blob.Size, &used); err != nil {
			return nil, b.note(err)
		}
		blob.Used = time.UnixMilli(used)
		all = append(all, blob)
	}
	return all, b.note(rows.Err())
}

// Stats returns the usage of all sites. It opens the file if necessary.
func (b *blobs) Stats(ctx context.Context, _ []string) (map[string]store.Usage, error) {
	f, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	if f.readOnly == nil {
		b.writeUsed(ctx, f)
	}
	rows, err := f.QueryContext(ctx, selectUsage)
	if err != nil {
		return nil, b.note(err)
	}
	defer rows.Close()
	usage := map[string]store.Usage{}
	for rows.Next() {
		var site string
		var u store.Usage
		if err := rows.Scan(&site, &u.Blobs, &u.Bytes); err != nil {
			return nil, b.note(err)
		}
		usage[site] = u
	}
	return usage, b.note(rows.Err())
}

// writeUsed records which blobs were loaded. If that fails, they are not recorded.
func (b *blobs) writeUsed(ctx context.Context, f *file) {
	b.mu.Lock()
	used := b.used
	b.used = nil
	b.mu.Unlock()
	var rows [][]any
	for id := range used {
		rows = append(rows, []any{time.Now().UnixMilli(), id})
	}
	_ = f.each(ctx, updateUsed, rows)
}

// each runs a statement once for each row of arguments, in one transaction.
func (f *file) each(ctx context.Context, statement string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	tx, err := f.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, args := range rows {
		if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Claim always returns true, because a folder belongs to one daemon.
func (b *blobs) Claim(context.Context, string, string, string, time.Duration) (bool, error) {
	return true, nil
}

func (b *blobs) Close() error {
	b.opening.Lock()
	defer b.opening.Unlock()
	return b.close()
}

func (b *blobs) close() error {
	if f := b.file.Swap(nil); f != nil {
		return f.Close()
	}
	return nil
}

func (b *blobs) write(ctx context.Context, do func(*file) error) error {
	f, err := b.open(ctx)
	if err == nil {
		err = f.readOnly
	}
	if err != nil {
		return err
	}
	err = do(f)
	if code(err) == sqlite3.SQLITE_FULL { // the log may hold space that the file needs
		_, _ = f.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return b.note(err)
}

// note remembers that the file is damaged or can no longer be written. It returns err.
func (b *blobs) note(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		b.damaged.Store(true)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		b.broken.Store(true)
	}
	return err
}

// code returns SQLite's code of an error, 0 if it has none.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// open returns the open file. It opens the file again if the file was damaged, removed or replaced, or could not be written.
func (b *blobs) open(ctx context.Context) (*file, error) {
	b.opening.Lock()
	defer b.opening.Unlock()
	path := filepath.Join(b.dir, fileName)
	if f := b.file.Load(); f != nil {
		info, err := os.Stat(path)
		if err == nil && os.SameFile(info, f.info) && f.readOnly == nil && !b.damaged.Load() && !b.broken.Load() {
			return f, nil
		}
		_ = b.close()
	}
	b.broken.Store(false)
	var f *file
	var err error
	if !b.damaged.Load() {
		f, err = b.openWritable(ctx, path)
		_ = b.note(err)
	}
	if b.damaged.Load() {
		if err = b.moveAside(path); err == nil {
			b.damaged.Store(false)
			f, err = b.openWritable(ctx, path)
		}
	}
	if err != nil {
		if f = openReadOnly(ctx, path); f == nil {
			return nil, err
		}
		f.readOnly = err
	}
	b.file.Store(f)
	return f, nil
}

func (b *blobs) openWritable(ctx context.Context, path string) (*file, error) {
	if err := os.MkdirAll(b.dir, folderMode); err != nil {
		return nil, err
	}
	if err := ownFolder(b.dir, false); err != nil {
		return nil, err
	}
	// SQLite gives the files beside this one the same mode.
	made, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, fileMode)
	if err != nil {
		return nil, err
	}
	info, err := made.Stat()
	made.Close()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	db, err := connect(path, url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTime.Milliseconds()), "journal_mode(wal)", "synchronous(normal)",
		"wal_autocheckpoint(256)", "journal_size_limit(1048576)", "cache_size(-512)",
	}})
	if err == nil {
		if _, err = db.ExecContext(ctx, schema); err != nil {
			db.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return &file{DB: db, info: info}, nil
}

// openReadOnly opens a database file for reading, or returns nil if the file cannot be read. If the write-ahead log cannot be
// used, the file is opened without the log, and so without the last writes.
func openReadOnly(ctx context.Context, path string) *file {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || ownFolder(filepath.Dir(path), false) != nil { // opening a pipe would block
		return nil
	}
	for _, values := range []url.Values{{"mode": {"ro"}}, {"mode": {"ro"}, "immutable": {"1"}}} {
		db, err := connect(path, values)
		if err != nil {
			continue
		}
		if _, err = db.ExecContext(ctx, "SELECT 1 FROM blobs LIMIT 1"); err == nil {
			return &file{DB: db, info: info}
		}
		db.Close()
	}
	return nil
}

func connect(path string, values url.Values) (*sql.DB, error) {
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: values.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	db.SetConnMaxIdleTime(idleConn)
	return db, nil
}

// moveAside renames a damaged file. It replaces an earlier damaged file.
func (b *blobs) moveAside(path string) error {
	aside := path + ".damaged"
	if err := os.Rename(path, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	b.log.Error("the file of cached pages is damaged; it was moved aside, and a new one is made", "state", b.dir, "file", aside,
		"hint", "if this repeats, check the disk; the file can be deleted")
	return nil
}

// ownFolder returns an error if other users could put pages into a folder for the daemon to serve. That is so if every user can
// write to it, or if it belongs to a user who is neither root nor this user. If asRoot is set, any user may own the folder,
// because the daemon may run as that user.
func ownFolder(path string, asRoot bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("every user of this machine can write to %s, and could change what is served: take that right away "+
			"(chmod o-w), or choose another folder", path)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() && !asRoot {
		return fmt.Errorf("%s belongs to another user (%d), who could change what is served: choose another folder", path, owner.Uid)
	}
	return nil
}

// mayWrite is the access(2) mode W_OK|X_OK, the right to make files in a folder.
const mayWrite = 2 | 1

// writable returns why this user cannot, or must not, keep pages in a folder. It returns nil if nothing prevents it. It changes
// nothing: if the folder does not exist, it looks at the first folder above that does. If this user is root, any user may own the
// folder, because the daemon may run as that user.
func writable(dir string) error {
	info, err := os.Stat(dir)
	there := true
	for errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		dir, there = filepath.Dir(dir), false
		info, err = os.Stat(dir)
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", dir)
	}
	if err == nil && there {
		err = ownFolder(dir, os.Geteuid() == 0)
	}
	if err != nil {
		return err
	}
	if err := syscall.Access(dir, mayWrite); err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}
