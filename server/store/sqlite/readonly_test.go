package sqlite

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A file that can only be read still gives pages. Anything else at its place gives none.
func TestOpenForReading(t *testing.T) {
	t.Parallel()
	b := opened(t)
	path := filepath.Join(b.dir, fileName)
	f := openReadOnly(t.Context(), path)
	if f == nil {
		t.Fatal("the file was not opened")
	}
	defer f.Close()
	var rows int
	wptest.Must(t, f.QueryRow("SELECT count(*) FROM blobs").Scan(&rows))
	expect.Equal(t, rows, 2)
	if _, err := f.Exec("DELETE FROM blobs"); err == nil {
		t.Error("it was opened for writing, too")
	}

	other, open := filepath.Join(t.TempDir(), fileName), filepath.Join(t.TempDir(), "open")
	wptest.Must(t, os.WriteFile(other, []byte(strings.Repeat("no database ", 1000)), fileMode))
	wptest.Must(t, os.Mkdir(open, 0o700))
	copied, err := os.ReadFile(path)
	wptest.Must(t, err)
	wptest.Must(t, os.WriteFile(filepath.Join(open, fileName), copied, fileMode))
	wptest.Must(t, os.Chmod(open, 0o777))
	for rule, path := range map[string]string{
		"nothing": path + ".missing", "a folder": b.dir, "another file": other, "a folder that others can write to": filepath.Join(open, fileName),
	} {
		if f := openReadOnly(t.Context(), path); f != nil {
			t.Errorf("%s was opened", rule)
			f.Close()
		}
	}
}

// If the file can only be read, pages are still found, and each write says why it fails. The file is written again as soon as it can be.
func TestWritesToAFileOpenForReading(t *testing.T) {
	t.Parallel()
	b := opened(t)
	path, elsewhere := filepath.Join(b.dir, fileName), filepath.Join(t.TempDir(), "elsewhere")
	wptest.Must(t, b.close())
	wptest.Must(t, os.Rename(path, elsewhere))
	wptest.Must(t, os.Symlink(elsewhere, path)) // is not followed for writing
	three := store.Blob{Name: store.Name{Kind: "page", Site: "a", Key: "three"}, Version: "v"}
	err := b.Save(t.Context(), three, []byte("333"))
	expect.Equal(t, errors.Is(err, syscall.ELOOP), true, err)
	expect.Equal(t, uses(t, b), "map[one:24 two:24]")
	data, err := b.Load(t.Context(), store.Name{Kind: "page", Site: "a", Key: "one"})
	expect.Equal(t, string(data), "one", err)
	wptest.Must(t, os.Remove(path))
	wptest.Must(t, os.Rename(elsewhere, path))
	wptest.Must(t, b.Save(t.Context(), three, []byte("333")))
	expect.Equal(t, uses(t, b), "map[one:24 three:0 two:24]")
}

// A write that fails because the file cannot be written makes the next one open it again.
func TestFailedWritesAreNoted(t *testing.T) {
	t.Parallel()
	b := opened(t)
	f := b.file.Load()
	_, err := f.Exec("PRAGMA query_only = 1")
	wptest.Must(t, err)
	err = b.write(t.Context(), func(f *file) error {
		for range maxConns { // whichever connection has the pragma
			if _, err := f.Exec("DELETE FROM blobs"); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil || !b.broken.Load() || b.damaged.Load() {
		t.Errorf("%v, broken %v, damaged %v", err, b.broken.Load(), b.damaged.Load())
	}
}

func TestDamagedFileIsMovedAside(t *testing.T) {
	t.Parallel()
	b := &blobs{dir: t.TempDir()}
	b.log, _ = logTo()
	path := filepath.Join(b.dir, fileName)
	wptest.Must(t, b.moveAside(path))
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".damaged"} {
		wptest.Must(t, os.WriteFile(name, []byte(filepath.Ext(name)), fileMode))
	}
	var log *wptest.Buffer
	b.log, log = logTo()
	wptest.Must(t, b.moveAside(path))
	expect.Equal(t, strings.Contains(log.String(), "is damaged; it was moved aside"), true, log)
	entries, err := os.ReadDir(b.dir)
	wptest.Must(t, err)
	text, err := os.ReadFile(path + ".damaged")
	expect.Equal(t, string(text), ".sqlite", err)
	expect.Equal(t, len(entries), 1, entries)

	wptest.Must(t, os.MkdirAll(path+"-wal/in the way", 0o700))
	expect.Equal(t, b.moveAside(path) != nil, true)
	wptest.Must(t, os.RemoveAll(path+"-wal"))
	wptest.Must(t, os.WriteFile(path, nil, fileMode))
	wptest.Must(t, os.Remove(path+".damaged"))
	wptest.Must(t, os.MkdirAll(path+".damaged/in the way", 0o700))
	expect.Equal(t, b.moveAside(path) != nil, true)
}

func logTo() (*slog.Logger, *wptest.Buffer) {
	var log wptest.Buffer
	return slog.New(slog.NewTextHandler(&log, nil)), &log
}

func TestFileIsARegularOne(t *testing.T) {
	t.Parallel()
	b := &blobs{dir: t.TempDir(), log: slog.New(slog.DiscardHandler)}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	path := filepath.Join(b.dir, fileName)
	wptest.Must(t, os.WriteFile(elsewhere, nil, fileMode))
	wptest.Must(t, os.Symlink(elsewhere, path))
	if f, err := b.openWritable(context.Background(), path); err == nil {
		f.Close()
		t.Error("a link was followed")
	}
}
