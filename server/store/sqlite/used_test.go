package sqlite

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// opened returns an open file of blobs with two pages that were used a day ago.
func opened(t *testing.T) *blobs {
	t.Helper()
	b := &blobs{dir: t.TempDir(), log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { b.Close() })
	for _, key := range []string{"one", "two"} {
		wptest.Must(t, b.Save(t.Context(), store.Blob{Name: store.Name{Kind: "page", Site: "a", Key: key}, Version: "v"}, []byte(key)))
	}
	_, err := b.file.Load().Exec("UPDATE blobs SET used = ?", time.Now().Add(-24*time.Hour).UnixMilli())
	wptest.Must(t, err)
	return b
}

// uses returns how many hours ago each page was used.
func uses(t *testing.T, b *blobs) string {
	t.Helper()
	all, err := b.List(t.Context(), "a")
	wptest.Must(t, err)
	hours := map[string]int{}
	for _, blob := range all {
		hours[blob.Key] = int(time.Since(blob.Used).Hours())
		expect.Equal(t, fmt.Sprint(blob.Version, blob.Size), "v3", blob.Key)
	}
	return fmt.Sprint(hours)
}

// The use of a page is recorded later, with others, so that reading writes nothing. It decides which page has to make room.
func TestUseIsRecorded(t *testing.T) {
	t.Parallel()
	b := opened(t)
	expect.Equal(t, uses(t, b), "map[one:24 two:24]")
	data, err := b.Load(t.Context(), store.Name{Kind: "page", Site: "a", Key: "one"})
	wptest.Must(t, err)
	expect.Equal(t, string(data), "one")
	expect.Equal(t, uses(t, b), "map[one:24 two:24]")
	expect.Equal(t, len(b.used), 1)
	_, err = b.Stats(t.Context(), nil)
	wptest.Must(t, err)
	expect.Equal(t, uses(t, b), "map[one:0 two:24]")
	expect.Equal(t, len(b.used), 0)
	_, err = b.Load(t.Context(), store.Name{Kind: "page", Site: "a", Key: "one"})
	wptest.Must(t, err)
	expect.Equal(t, len(b.used), 0, "a use within the hour")
	b.used = map[int64]bool{}
	for id := range int64(maxUsed) {
		b.used[-id-1] = true
	}
	_, err = b.Load(t.Context(), store.Name{Kind: "page", Site: "a", Key: "two"})
	wptest.Must(t, err)
	expect.Equal(t, len(b.used), maxUsed, "more are not remembered")
	missing, err := b.Load(t.Context(), store.Name{Kind: "page", Site: "a", Key: "three"})
	expect.Equal(t, missing == nil && err == nil, true, "a page that is not there is no error:")
}

// A file that is not open, or cannot be opened, is an error of each method but Claim.
func TestClosedFile(t *testing.T) {
	t.Parallel()
	b := opened(t)
	wptest.Must(t, b.Close())
	_, err := b.Load(t.Context(), store.Name{})
	expect.Equal(t, err, errNotOpen)
	_, err = b.List(t.Context(), "")
	expect.Equal(t, err, errNotOpen)
	usage, err := b.Stats(t.Context(), nil)
	wptest.Must(t, err)
	expect.Equal(t, usage["a"], store.Usage{Blobs: 2, Bytes: 6}, "Stats opens it again")
	first, err := b.Claim(t.Context(), "a", "x", "y", time.Minute)
	expect.Equal(t, first && err == nil, true)
	wptest.Must(t, b.Delete(t.Context(), []store.Name{{Kind: "page", Site: "a", Key: "one"}, {Kind: "page", Site: "a", Key: "none"}}))
	usage, err = b.Stats(t.Context(), nil)
	wptest.Must(t, err)
	expect.Equal(t, usage["a"], store.Usage{Blobs: 1, Bytes: 3})
	wptest.Must(t, b.Delete(t.Context(), nil))
}

// The file is opened again if it was replaced. After an error that says that it is damaged or cannot be written, it is opened again, too.
func TestFileIsOpenedAgain(t *testing.T) {
	t.Parallel()
	b := opened(t)
	reopened := func() bool {
		t.Helper()
		before := b.file.Load()
		_, err := b.Stats(t.Context(), nil)
		wptest.Must(t, err)
		return b.file.Load() != before
	}
	expect.Equal(t, reopened(), false)
	b.broken.Store(true)
	expect.Equal(t, reopened(), true, "it could not be written")
	expect.Equal(t, b.broken.Load(), false)
	expect.Equal(t, reopened(), false)
	path := filepath.Join(b.dir, fileName)
	wptest.Must(t, os.Rename(path, path+".away"))
	wptest.Must(t, os.WriteFile(path, nil, fileMode))
	expect.Equal(t, reopened(), true, "it was replaced")
	b.damaged.Store(true)
	expect.Equal(t, reopened(), true, "it is damaged")
	expect.Equal(t, b.damaged.Load(), false)
	_, err := os.Stat(path + ".damaged")
	expect.Equal(t, err, nil)
	for err, want := range map[error]string{nil: "false false", errNotOpen: "false false"} {
		expect.Equal(t, b.note(err), err)
		expect.Equal(t, fmt.Sprint(b.broken.Load(), " ", b.damaged.Load()), want)
	}
	expect.Equal(t, code(errNotOpen), 0)
	_, err = b.file.Load().Exec("nonsense")
	expect.Equal(t, code(fmt.Errorf("writing: %w", err)), sqlite3.SQLITE_ERROR)
}

// check says before the start whether pages can be kept in a folder. It looks at the folder above if there is none yet.
func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	wptest.Must(t, os.WriteFile(file, nil, 0o600))
	open := filepath.Join(dir, "open")
	wptest.Must(t, os.Mkdir(open, 0o700))
	wptest.Must(t, os.Chmod(open, 0o777))
	for path, want := range map[string]bool{
		dir: true, filepath.Join(dir, "a/b/c"): true, file: false, filepath.Join(file, "x"): false, open: false, filepath.Join(open, "mine"): true,
	} {
		err := writable(path)
		expect.Equal(t, err == nil, want, path, err)
		expect.Equal(t, Backend.Probe(t.Context(), path) == "", want, path)
	}
	expect.Equal(t, Backend.Holds(dir), false)
	b := opened(t)
	expect.Equal(t, Backend.Holds(b.dir), true)
}
