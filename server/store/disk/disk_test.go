package disk

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/internal/capture"
	"wpsitemapd/server/internal/storetest"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
)

// testStore is an open store. run sets it to work until stop, or the end of the test.
type testStore struct {
	*Store
	t    *testing.T
	log  *capture.Buffer
	stop func()
}

func openStore(t *testing.T, dir string) *testStore {
	t.Helper()
	log := &capture.Buffer{}
	s := &testStore{Store: &Store{Dir: dir, Limit: 1 << 30, Log: slog.New(slog.NewTextHandler(log, nil))}, t: t, log: log}
	s.Open()
	return s
}

func (s *testStore) run() {
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	s.stop = func() { cancel(); <-ended }
	s.t.Cleanup(s.stop)
}

// settled waits until everything is on disk.
func (s *testStore) settled(files int) {
	s.t.Helper()
	storetest.Until(s.t, fmt.Sprint(files, " files"), func() bool { stats := s.Stats(); return stats.Queued == 0 && stats.Files == files })
}

func mustEncode(t testing.TB, c *store.Copy) []byte {
	t.Helper()
	data, err := store.EncodeCopy(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWhatIsSavedIsThereAfterTheStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "below", "state")
	s := openStore(t, dir)
	s.run()
	site := &store.Site{
		Name:     "a",
		Source:   "db wp_",
		Settings: "s",
		Blogs:    []string{storetest.BlogKey, "2 https://b.test"},
		Gone:     []store.Place{{Host: "c.test", Path: "gone"}},
	}
	blog, c := storetest.Blog(2), storetest.Copy(t, "a", storetest.BlogKey, "post", 2)
	if !s.SaveSite(site) || !s.SaveBlog(blog) || !s.Save(c) {
		t.Fatal("not taken")
	}
	s.stop() // and what waits is written

	s = openStore(t, dir)
	gotSite, blogs := s.Site("a")
	if diff := cmp.Diff(site, gotSite); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]*store.Blog{blog}, blogs); diff != "" { // the other was never built
		t.Error(diff)
	}
	if diff := cmp.Diff(c, s.Copy(c.Key)); diff != "" {
		t.Error(diff)
	}
	if got := s.Copy(store.Key{Site: "a", Blog: storetest.BlogKey, Name: "post", Page: 3}); got != nil {
		t.Errorf("a page nobody saved: %+v", got)
	}
	if other, blogs := s.Site("b"); other != nil || blogs != nil {
		t.Errorf("a site nobody saved: %+v", other)
	}

	// nobody else can read it
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if stats := s.Stats(); stats.Damaged != 0 || stats.Error != "" {
		t.Errorf("%+v", stats)
	}
}

// A file that is not whole, or not what its name says, is dropped, told of once and counted.
func TestDamagedFilesAreDropped(t *testing.T) {
	want := storetest.Copy(t, "a", storetest.BlogKey, "post", 1)
	path := filepath.Join(sitesName, store.BlogDir("a", storetest.BlogKey), store.CopyName("post", 1))
	data := mustEncode(t, want)
	random := rand.New(rand.NewPCG(1, 2))
	damages := map[string]func(path string) error{
		"empty":   func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"cut off": func(p string) error { return os.WriteFile(p, data[:len(data)/2], 0o600) },
		"goes on": func(p string) error { return os.WriteFile(p, append(slices.Clone(data), "more"...), 0o600) },
		"of another page": func(p string) error {
			return os.WriteFile(p, mustEncode(t, storetest.Copy(t, "b", storetest.BlogKey, "post", 1)), 0o600)
		},
		"of a version to come": func(p string) error {
			return os.WriteFile(p, storetest.Seal("wpsitemapd state 9 copy\n", `{}`, ""), 0o600)
		},
		"no copy at all":  func(p string) error { return os.WriteFile(p, []byte("<html>"), 0o600) },
		"a folder":        func(p string) error { return os.MkdirAll(filepath.Join(p, "x"), 0o700) },
		"a pipe":          func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"a link outwards": func(p string) error { return os.Symlink("/etc/passwd", p) },
	}
	for range 20 {
		at := random.IntN(len(data))
		damages[fmt.Sprintf("byte %d", at)] = func(p string) error {
			changed := slices.Clone(data)
			changed[at] ^= 4
			return os.WriteFile(p, changed, 0o600)
		}
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := damage(file); err != nil {
				t.Fatal(err)
			}
			s := openStore(t, dir)
			s.run()
			storetest.Until(t, "the folder is seen", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.files != nil })
			for range 3 {
				if got := s.Copy(want.Key); got != nil {
					t.Fatalf("returned: %+v", got)
				}
			}
			if _, err := os.Lstat(file); err == nil && name != "a folder" && name != "a link outwards" {
				t.Error("it is still there")
			}
			if stats := s.Stats(); stats.Damaged != 1 && name != "a link outwards" || stats.Files != 0 && name != "a folder" || stats.Bytes != 0 {
				t.Errorf("%+v", stats)
			}
			if name == "a folder" { // that nobody of ours has made
				return
			}
			if !s.Save(want) {
				t.Fatal("not taken")
			}
			s.settled(1)
			if got := s.Copy(want.Key); got == nil || got.Hash != want.Hash {
				t.Errorf("saved anew: %+v", got)
			}
		})
	}
}

// What is damaged is not served by who may only read either, and told of once.
func TestDamagedFilesOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	writer := openStore(t, dir)
	writer.run()
	c := storetest.Copy(t, "a", storetest.BlogKey, "post", 1)
	writer.Save(c)
	writer.settled(1)
	file := filepath.Join(dir, sitesName, store.BlogDir("a", storetest.BlogKey), store.CopyName("post", 1))
	reader := openStore(t, dir)
	if reader.Copy(c.Key) == nil {
		t.Fatal("not read")
	}
	if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if reader.Copy(c.Key) != nil {
			t.Fatal("returned")
		}
	}
	if stats := reader.Stats(); stats.Damaged != 1 || reader.log.Count("corrupt file") != 1 {
		t.Errorf("%+v", stats)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("removed by who may only read: %v", err)
	}
}

func TestQueue(t *testing.T) {
	s := openStore(t, t.TempDir())
	first, second := storetest.Copy(t, "a", storetest.BlogKey, "post", 1), storetest.Copy(t, "a", storetest.BlogKey, "post", 1)
	second.Hash = "second"
	if !s.Save(first) || !s.Save(second) {
		t.Fatal("not taken")
	}
	if stats := s.Stats(); stats.Queued != 1 {
		t.Errorf("a later copy does not take the place of the earlier one: %+v", stats)
	}
	large := &store.Copy{Key: store.Key{Site: "a", Name: "large"}, Body: make([]byte, store.MaxQueue/2)}
	for i := range 4 {
		large.Page = i
		taken := s.Save(large)
		if want := i < 1; taken != want {
			t.Errorf("large copy %d is taken: %v", i, taken)
		}
	}
	if stats := s.Stats(); stats.Missed != 3 || s.waiting.Bytes() > store.MaxQueue {
		t.Errorf("%+v", stats)
	}
	s.run()
	s.settled(2)
	if got := s.Copy(first.Key); got.Hash != "second" {
		t.Errorf("written: %s", got.Hash)
	}
	if s.waiting.Bytes() != 0 || s.waiting.Len() != 0 {
		t.Errorf("%d bytes and %d jobs still count", s.waiting.Bytes(), s.waiting.Len())
	}
}

// A copy that is on disk is not written again, not even by the next process.
func TestWrittenOnce(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		s := openStore(t, dir)
		s.run()
		c := storetest.Copy(t, "a", storetest.BlogKey, "post", 1)
		for range 3 {
			s.Save(c)
			s.settled(1)
		}
		if stats := s.Stats(); stats.Written != 1-i {
			t.Errorf("process %d wrote %d times", i, stats.Written)
		}
		s.stop()
	}
}

func TestPruning(t *testing.T) {
	s := openStore(t, t.TempDir())
	s.run()
	other := "2 https://a.test/two"
	for page := range 3 {
		s.Save(storetest.Copy(t, "a", storetest.BlogKey, "post", page+1))
	}
	s.Save(storetest.Copy(t, "a", storetest.BlogKey, "1", 1))
	s.Save(storetest.Copy(t, "a", storetest.BlogKey, "news", 1))
	s.Save(storetest.Copy(t, "a", storetest.BlogKey, catalog.TextName, 1))
	s.Save(storetest.Copy(t, "a", storetest.BlogKey, store.RobotsName, 0))
	s.Save(storetest.Copy(t, "a", other, "post", 1))
	s.settled(8)
	s.SaveBlog(storetest.Blog(1))
	s.settled(7) // two pages less, the record more
	for page, want := range map[int]bool{1: true, 2: false, 3: false} {
		if got := s.Copy(store.Key{Site: "a", Blog: storetest.BlogKey, Name: "post", Page: page}) != nil; got != want {
			t.Errorf("page %d is there: %v", page, got)
		}
	}
	for _, name := range []string{"1", "news", catalog.TextName} {
		if s.Copy(store.Key{Site: "a", Blog: storetest.BlogKey, Name: name, Page: 1}) == nil {
			t.Errorf("%s is gone", name)
		}
	}
	s.SaveSite(&store.Site{Name: "a", Blogs: []string{storetest.BlogKey}})
	s.settled(7)
	if s.Copy(store.Key{Site: "a", Blog: other, Name: "post", Page: 1}) != nil {
		t.Error("a blog that is gone is still there")
	}
	if _, err := s.root.Stat(store.BlogDir("a", other)); err == nil {
		t.Error("and its folder")
	}
	if stats := s.Stats(); stats.Pruned != 3 {
		t.Errorf("%+v", stats)
	}
}

// Where the limit is reached copies of sites out of the configuration go first, then those
// written longest ago, then indexes; records stay.
func TestLimit(t *testing.T) {
	s := openStore(t, t.TempDir())
	s.run()
	s.SaveBlog(storetest.Blog(3))
	s.Save(storetest.Copy(t, "a", storetest.BlogKey, "1", 1))
	for i := range 3 {
		s.Save(storetest.Copy(t, "a", storetest.BlogKey, "post", i+1))
		s.settled(3 + i)
		time.Sleep(2 * time.Millisecond)
	}
	s.Save(storetest.Copy(t, "b", "1 https://b.test", "post", 1))
	s.settled(6)
	s.Retain([]string{"a"})
	one := s.Stats().Bytes / 7
	there := func() (names []string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for dir, files := range s.files {
			for name := range files {
				names = append(names, store.TopDir(dir)+" "+name)
			}
		}
		slices.Sort(names)
		return names
	}
	left := slices.Clone(there())
	for _, goes := range []string{"b post.1.copy", "a post.1.copy", "a post.2.copy", "a post.3.copy", "a 1.1.copy"} {
		s.mu.Lock()
		s.Limit = s.held - 1
		s.Limit += s.Limit / 19 // room to spare counts
		s.mu.Unlock()
		s.makeRoom(s.Limit / 18)
		if i := slices.Index(left, goes); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
		if got := there(); !slices.Equal(got, left) {
			t.Fatalf("after %s went %q are there, want %q (one is about %d bytes of %d)", goes, got, left, one, s.Limit)
		}
	}
	if s.makeRoom(2 * s.Limit) {
		t.Error("room for more than the limit")
	}
	s.Limit = 100
	s.Save(storetest.Copy(t, "a", storetest.BlogKey, "post", 9))
	storetest.Until(t, "counted", func() bool { return s.Stats().Missed == 1 })
}

func TestSitesOutOfTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	s := &testStore{Store: &Store{Dir: dir, Limit: 1 << 30, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}, t: t}
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	s.run()
	for _, site := range []string{"a", "b"} {
		s.SaveSite(&store.Site{Name: site, Blogs: []string{storetest.BlogKey}})
		s.Save(storetest.Copy(t, site, storetest.BlogKey, "post", 1))
	}
	s.settled(4)
	s.Retain([]string{"a"})
	s.forget()
	s.settled(4)
	now = now.Add(6 * 24 * time.Hour)
	s.forget()
	s.settled(4)
	s.Retain([]string{"a", "b"}) // it came back
	s.forget()
	s.Retain([]string{"a"})
	now = now.Add(6 * 24 * time.Hour)
	s.forget()
	s.settled(4)
	now = now.Add(2 * 24 * time.Hour)
	s.forget()
	s.settled(2)
	if _, err := s.root.Stat("b"); err == nil {
		t.Error("its folder is still there")
	}
	if s.Copy(store.Key{Site: "a", Blog: storetest.BlogKey, Name: "post", Page: 1}) == nil {
		t.Error("the other site's copies went too")
	}
}

// Files of somebody else are left alone; those that were never finished are removed.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, sitesName, "a", "1-x")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	keep := []string{filepath.Join(folder, "notes.txt"), filepath.Join(dir, sitesName, "index.html"), filepath.Join(dir, "wp-config.php")}
	for _, p := range append(slices.Clone(keep), filepath.Join(folder, "post.1.copy.new"), filepath.Join(folder, "post.1.copy")) {
		if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := openStore(t, dir)
	s.run()
	s.settled(1)
	for _, p := range keep {
		if _, err := os.Stat(p); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "post.1.copy.new")); err == nil {
		t.Error("an unfinished file is still there")
	}
	if s.log.Count("foreign files") != 1 {
		t.Error("nobody is told of the others")
	}
}

// The folder has one writer; the next takes over when it ends.
func TestTwoStoresOnOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := openStore(t, dir), openStore(t, dir)
	first.run()
	c := storetest.Copy(t, "a", storetest.BlogKey, "post", 1)
	first.Save(c)
	first.settled(1)
	second.run()
	storetest.Until(t, "the second knows it", func() bool { return second.Stats().Shared })
	if second.Copy(c.Key) == nil {
		t.Error("the second cannot read")
	}
	c2 := storetest.Copy(t, "a", storetest.BlogKey, "post", 2)
	second.Save(c2)
	if first.Copy(c2.Key) != nil || second.Stats().Written != 0 {
		t.Error("both write")
	}
	first.stop()
	storetest.Until(t, "the second writes", func() bool { return second.Stats().Written == 1 && !second.Stats().Shared })
	if second.Copy(c2.Key) == nil || second.Copy(c.Key) == nil {
		t.Error("copies are lost")
	}
	for _, text := range []string{"another process writes to the state folder", "this process writes to the state folder now"} {
		if n := second.log.Count(text); n != 1 {
			t.Errorf("%q is logged %d times", text, n)
		}
	}
}

// A folder that was removed while it is written to is made again.
func TestFolderVanishes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	s := openStore(t, dir)
	s.run()
	s.Save(storetest.Copy(t, "a", storetest.BlogKey, "post", 1))
	s.settled(1)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	c := storetest.Copy(t, "a", "2 https://a.test/b", "post", 2)
	s.Save(c)
	storetest.Until(t, "it is written", func() bool { return s.Stats().Queued == 0 && s.Copy(c.Key) != nil })
	if s.log.Count("level=ERROR") != 1 || s.log.Count("can be written again") != 1 {
		t.Error(s.log.String())
	}
}

// A folder into which others can put pages is not used until that is mended.
func TestFolderOfOthersIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil, mend func(dir string) error
		says        string
		needsRoot   bool
	}{
		"everybody can write to it": {func(d string) error {
			return os.Chmod(d,
				0o777)
		}, func(d string) error { return os.Chmod(d, 0o755) }, "every user of this machine can write to", false},
		"everybody can write to it, as to /tmp": {func(d string) error {
			return os.Chmod(d,
				0o777|os.ModeSticky)
		}, func(d string) error { return os.Chmod(d, 0o700) }, "every user of this machine can write to", false},
		"everybody can write to the folder in it": {func(d string) error {
			if err := os.Mkdir(filepath.Join(d, sitesName), 0o700); err != nil {
				return err
			}
			return os.Chmod(filepath.Join(d, sitesName), 0o707)
		}, func(d string) error { return os.Chmod(filepath.Join(d, sitesName), 0o700) }, "every user of this machine can write to", false},
		"it is another user's": {func(d string) error {
			return os.Chown(d, 12345,
				-1)
		}, func(d string) error { return os.Chown(d, 0, -1) }, "belongs to another user (12345)", true},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.needsRoot && os.Geteuid() != 0 {
				t.Skip("only root can give a folder to somebody else")
			}
			dir := t.TempDir()
			c := storetest.Copy(t, "a", "1 https://a.test", "post", 1)
			before := &Store{Dir: dir, Limit: 1 << 20}
			if err := Writable(dir); err != nil {
				t.Errorf("check refuses it before: %v", err)
			}
			if err := tt.spoil(dir); err != nil {
				t.Fatal(err)
			}
			if err := Writable(dir); !tt.needsRoot && (err == nil || !strings.Contains(err.Error(), "choose another folder")) {
				t.Errorf("check says %v", err)
			} else if tt.needsRoot && err != nil { // the daemon may have that user
				t.Errorf("root's check says %v", err)
			}
			if err := before.Open(); err == nil || !strings.Contains(err.Error(), tt.says) || before.Stats().Error == "" {
				t.Fatalf("%v, want %q", err, tt.says)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); before.Run(ctx) }()
			defer func() { stop(); <-ended }()
			before.Save(c)
			if before.Copy(c.Key) != nil {
				t.Error("a copy was read from it")
			}
			if err := tt.mend(dir); err != nil {
				t.Fatal(err)
			}
			storetest.Until(t, "written once it is mended", func() bool { return before.Copy(c.Key) != nil })
		})
	}
}
