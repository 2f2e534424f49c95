package servertest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // driver "sqlite"

	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
)

var Noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func zip(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	wptest.Must(t, w.Close())
	return b.Bytes()
}

// StoredPage returns a stored page whose body contains its key.
func StoredPage(t testing.TB, site, blog, name string, page int) *store.PageRecord {
	t.Helper()
	body := []byte(fmt.Sprintf("<%s %s %s %d>", site, blog, name, page) + strings.Repeat(" entry", 200))
	return &store.PageRecord{
		Key: store.Key{Site: site, Blog: blog, Name: name, Page: page}, Hash: fmt.Sprintf("%x", sha256.Sum256(body))[:24], Version: "f1",
		Modified: Noon.Add(-time.Hour), Built: Noon, Body: body, Gzipped: zip(t, body),
	}
}

const BlogKey = "1 https://a.test"

// Outline returns the outline of the blog BlogKey with a number of pages of posts.
func Outline(pages int) *catalog.Outline {
	o := &catalog.Outline{
		Active: true,
		Index:  "https://a.test/sitemap_index.xml",
		Others: []catalog.File{{Name: catalog.TextName, Page: 1}},
		Owned:  []string{"1", "post"},
		Open:   []string{"news"},
		Files:  []catalog.File{{Name: "1", Page: 1}},
	}
	for page := range pages {
		o.Files = append(o.Files, catalog.File{Name: "post", Page: page + 1, Entries: 1000, LastMod: Noon})
	}
	return o
}

// OpenStore opens a store for the sites of a configuration. The store works until the end of the test, or until stop is called.
func OpenStore(t testing.TB, backend store.Backend, location string, opt store.Options, sites ...string) (s *store.Store, stop func()) {
	t.Helper()
	s, err := store.New(backend, location, opt)
	wptest.Must(t, err)
	_ = s.Open() // Stats shows the error
	s.Retain(sites)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(stop)
	return s, stop
}

// Written waits until the store has written everything.
func Written(t testing.TB, s *store.Store) {
	t.Helper()
	wptest.Eventually(t, "all is written", func() bool { return s.Stats().Queued == 0 })
}

// ObeyStore tests what every kind of store promises. The store at location must be empty.
func ObeyStore(t *testing.T, backend store.Backend, location string) {
	t.Helper()
	open := func() store.Blobs {
		b, shown, err := backend.Open(location, slog.New(slog.DiscardHandler))
		if err != nil || shown == "" || backend.Kind().Place == "" || backend.Kind().Beat == 0 {
			t.Fatal(shown, err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	ctx := t.Context()
	b := open()
	if usage, err := b.Stats(ctx, []string{"a", "b"}); err != nil || usage["a"].Blobs != 0 {
		t.Fatal(usage, err)
	}
	names := []store.Name{
		{Kind: "page", Site: "a", Blog: BlogKey, Key: "post 1"}, {Kind: "page", Site: "a", Blog: BlogKey, Key: "post 2"},
		{Kind: "page", Site: "a", Blog: "2 https://ä.test/\"'{}*", Key: "x y 1"}, {Kind: "blog", Site: "a", Blog: BlogKey}, {Kind: "site", Site: "a"},
		{Kind: "page", Site: "a {b}:*'", Blog: BlogKey, Key: "post 1"},
	}
	bytesOf := func(i, turn int) []byte { return fmt.Appendf(nil, "%d %d \x00\xff\n", i, turn) }
	for turn := range 2 { // the second turn replaces the blobs of the first
		for i, n := range names {
			if data, err := b.Load(ctx, n); err != nil || (data == nil) != (turn == 0) {
				t.Errorf("%v: %q, %v", n, data, err)
			}
			wptest.Must(t, b.Save(ctx, store.Blob{Name: n, Version: fmt.Sprint(turn)}, bytesOf(i, turn)))
		}
	}
	wptest.Must(t, b.Close())
	b = open() // as another process would find it
	usage, err := b.Stats(ctx, []string{"a", "b", "a {b}:*'"})
	if err != nil || usage["a"].Blobs != 5 || usage["a"].Bytes < 5 || usage["a {b}:*'"].Blobs != 1 || usage["b"].Blobs != 0 {
		t.Error(usage, err)
	}
	for i, n := range names {
		if data, err := b.Load(ctx, n); err != nil || !bytes.Equal(data, bytesOf(i, 1)) {
			t.Errorf("%v: %q, %v", n, data, err)
		}
	}
	listed := func() (names []store.Name) {
		all, err := b.List(ctx, "a")
		wptest.Must(t, err)
		for _, found := range all {
			if found.Version != "" && found.Version != "1" || found.Size != 0 && found.Size != int64(len(bytesOf(0, 1))) {
				t.Errorf("%+v", found)
			}
			names = append(names, found.Name)
		}
		return names
	}
	if got := listed(); len(got) != 5 || !slices.Contains(got, names[2]) || slices.Contains(got, names[5]) {
		t.Errorf("listed: %v", got)
	}
	wptest.Must(t, b.Delete(ctx, []store.Name{names[0], names[2], {Kind: "page", Site: "a", Key: "never 1"}}))
	if got := listed(); len(got) != 3 || slices.Contains(got, names[0]) || slices.Contains(got, names[2]) {
		t.Errorf("listed: %v", got)
	}
	mine, err := b.Claim(ctx, "a", "text", "me", time.Minute)
	again, err2 := b.Claim(ctx, "a", "text", "me", time.Minute)
	if !mine || !again || err != nil || err2 != nil {
		t.Error("a claim is refused", err, err2)
	}
	if others, err := b.Claim(ctx, "a", "text", "another", time.Minute); err != nil || others != !backend.Kind().Shared {
		t.Error("a claim is another's", others, err)
	}
}

// SQL opens the SQLite file in the folder of a store directly.
func SQL(t testing.TB, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "pages-"+store.Version+".sqlite")+"?_pragma=busy_timeout(10000)")
	wptest.Must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// ChangeBlobs runs a statement in the SQLite file of a store, and returns how many rows it changed.
func ChangeBlobs(t testing.TB, dir, statement string, args ...any) int64 {
	t.Helper()
	result, err := SQL(t, dir).Exec(statement, args...)
	wptest.Must(t, err)
	n, err := result.RowsAffected()
	wptest.Must(t, err)
	return n
}
