package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Some tests need another process. For these, the test binary starts itself again. Its environment says what to do, and
// with which store.
const (
	childTask  = "STATE_TEST_TASK"
	childWhere = "STATE_TEST_DIR"
)

// task returns what child has started the process for; "" means to run the tests. where returns the location of the store.
func task() string  { return os.Getenv(childTask) }
func where() string { return os.Getenv(childWhere) }

// child returns the command that starts the test binary again for a task.
func child(t *testing.T, task, where string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	wptest.Must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childTask+"="+task, childWhere+"="+where)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestMain(m *testing.M) {
	switch task() {
	case "":
		os.Exit(m.Run())
	case "write":
		writeForEver(where())
	case "no space":
		// A file cannot have more bytes, as on a disk that is full.
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 200 << 10, Max: 200 << 10}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		saveSome(where())
	case "save":
		saveSome(where())
	}
}

func TestObeys(t *testing.T) { servertest.ObeyStore(t, Backend, t.TempDir()) }

// patient is the store of this package for a slow machine: a read has much time.
type patient struct{ store.Backend }

func (p patient) Kind() store.Kind {
	k := p.Backend.Kind()
	k.Timeout = wptest.Patience
	return k
}

// open is a store in a folder, with what it logs.
func open(t *testing.T, dir string) (s *store.Store, stop func(), log *wptest.Buffer) {
	t.Helper()
	log = &wptest.Buffer{}
	s, stop = servertest.OpenStore(t, patient{Backend}, dir, store.Options{Limit: 1 << 30, Log: slog.New(slog.NewTextHandler(log, nil))}, "a")
	return s, stop, log
}

// pageOf returns the content of page n at one time: many bytes that must belong together.
func pageOf(page, turn int) *store.PageRecord {
	body := bytes.Repeat(fmt.Appendf(nil, "page %d turn %d\n", page, turn), 3000)
	return &store.PageRecord{
		Key: store.Key{Site: "a", Blog: servertest.BlogKey, Name: "post", Page: page}, Hash: fmt.Sprint(page, " ", turn),
		Built: servertest.Noon, Body: body,
	}
}

const childPages = 5

// writeForEver writes the same pages over and over until the process is killed.
func writeForEver(dir string) {
	s, err := store.New(Backend, dir, store.Options{Limit: 1 << 30, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	_ = s.Open()
	go s.Run(context.Background())
	for turn := 1; ; turn++ {
		for page := range childPages {
			for !s.SavePage(pageOf(page, turn)) {
				time.Sleep(time.Millisecond)
			}
		}
		for s.Stats().Queued > 0 {
			time.Sleep(100 * time.Microsecond)
		}
		if turn == 1 {
			fmt.Println("writing")
		}
	}
}

// saveSome saves a small and a large page. It prints whether that succeeded and what can be read.
func saveSome(dir string) {
	s, err := store.New(patient{Backend}, dir, store.Options{Limit: 1 << 30, Log: slog.New(slog.NewTextHandler(os.Stdout, nil))})
	if err != nil {
		panic(err)
	}
	_ = s.Open()
	small, large := pageOf(1, 1), pageOf(2, 1)
	small.Body, large.Body = []byte("small"), bytes.Repeat(large.Body, 10)
	s.SavePage(small)
	s.SavePage(large) // both wait before one is written
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx) }()
	for deadline := time.Now().Add(wptest.Patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if stats := s.Stats(); stats.Queued == 0 || stats.Error != "" {
			break
		}
	}
	stats := s.Stats()
	fmt.Printf("error=%v failed=%v small=%v large=%v\n", stats.Error != "", stats.Failed > 0, s.Page(small.Key) != nil, s.Page(large.Key) != nil)
	cancel()
	<-ended
}

// If a process is killed while it writes, each page is complete, either the old one or the new one.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range 12 {
		cmd := child(t, "write", dir)
		out, err := cmd.StdoutPipe()
		wptest.Must(t, err)
		wptest.Must(t, cmd.Start())
		if _, err := out.Read(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round) * 1700 * time.Microsecond)
		wptest.Must(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
		s, stop, log := open(t, dir)
		for page := range childPages {
			p := s.Page(store.Key{Site: "a", Blog: servertest.BlogKey, Name: "post", Page: page})
			if p == nil {
				t.Fatalf("round %d: page %d is not there\n%s", round, page, log)
			}
			var n, turn int
			if _, err := fmt.Sscanf(p.Hash, "%d %d", &n, &turn); err != nil || n != page || !bytes.Equal(p.Body, pageOf(page, turn).Body) {
				t.Fatalf("round %d: page %d is none of its forms", round, page)
			}
		}
		if stats := s.Stats(); stats.Damaged != 0 || stats.Error != "" || stats.Blobs != childPages {
			t.Errorf("%+v\n%s", stats, log)
		}
		stop()
	}
}

// On a full disk the blobs that have room are written, the stored ones stay, and one log line says so.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := child(t, "no space", dir).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	expect.Contains(t, string(out), "error=true failed=true small=true large=false", out)
	expect.Equal(t, strings.Count(string(out), "level=ERROR"), 1, out)
	out, err = child(t, "save", dir).Output()
	expect.Equal(t, err, nil, out)
	expect.Contains(t, string(out), "error=false failed=false small=true large=true", out)
}

// Nobody else can read what is kept.
func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s, _, _ := open(t, dir)
	s.SavePage(pageOf(1, 1))
	servertest.Written(t, s)
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		expect.Equal(t, info.Mode().Perm(), map[bool]fs.FileMode{true: folderMode, false: fileMode}[d.IsDir()], path, "has mode")
		return nil
	})
	if err != nil || files != 4 { // the folder, the file, its log and its index
		t.Error(files, err)
	}
}

// A damaged file is moved aside once, and a new one is made. Damaged pages are never returned.
func TestDamagedFile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, damage := range map[string]func(data []byte) []byte{
		"empty":         func([]byte) []byte { return nil },
		"cut off":       func(data []byte) []byte { return data[:len(data)/2] },
		"its beginning": func(data []byte) []byte { copy(data, "rubbish, rubbish, rubbish"); return data },
		"no database":   func([]byte) []byte { return []byte(strings.Repeat("<html>", 1000)) },
		"goes on":       func(data []byte) []byte { return append(data, "more"...) },
		"every page of the file": func(data []byte) []byte {
			for i := 0; i < len(data); i += 512 {
				data[i+random.IntN(min(512, len(data)-i))] ^= 0x55
			}
			return data
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, stop, _ := open(t, dir)
			for page := range 20 {
				s.SavePage(pageOf(page, 1))
			}
			servertest.Written(t, s)
			stop()
			path := filepath.Join(dir, fileName)
			data, err := os.ReadFile(path)
			wptest.Must(t, err)
			wptest.Must(t, os.WriteFile(path, damage(data), fileMode))
			s, _, log := open(t, dir)
			wptest.Eventually(t, "it works again", func() bool {
				for page := range 20 {
					p := s.Page(pageOf(page, 1).Key)
					if p != nil && !bytes.Equal(p.Body, pageOf(page, 1).Body) && !bytes.Equal(p.Body, pageOf(page, 2).Body) {
						t.Fatalf("page %d is damaged", page)
					}
					s.SavePage(pageOf(page, 2))
				}
				return s.Stats().Queued == 0 && s.Stats().Error == "" && s.Page(pageOf(19, 2).Key) != nil
			})
			if n := log.Count("moved aside"); n > 1 {
				t.Errorf("it is told of %d times\n%s", n, log)
			}
		})
	}
}

// If the folder is removed while the store writes to it, it is made again with everything that is known.
func TestFolderVanishes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	s, _, log := open(t, dir)
	s.SaveSite("a", nil, 1)
	servertest.Written(t, s)
	wptest.Must(t, os.RemoveAll(dir))
	p := pageOf(2, 1)
	s.SavePage(p)
	wptest.Eventually(t, "it is written", func() bool { return s.Stats().Queued == 0 && s.Page(p.Key) != nil })
	if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
}

// Two processes may use the folder at the same time, as when one daemon replaces another.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, _, _ := open(t, dir)
	first.SavePage(pageOf(3, 1))
	servertest.Written(t, first)
	out, err := child(t, "save", dir).Output()
	if err != nil || !strings.Contains(string(out), "error=false failed=false small=true large=true") {
		t.Fatalf("%v\n%s", err, out)
	}
	if first.Page(pageOf(1, 1).Key) == nil || first.Page(pageOf(3, 1).Key) == nil {
		t.Error("pages are lost")
	}
}

// If the folder is read-only, its pages are read, and one log line says so.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	s, stop, _ := open(t, dir)
	large := pageOf(2, 1)
	s.SavePage(large)
	servertest.Written(t, s)
	stop()
	before, err := os.ReadFile(filepath.Join(dir, fileName))
	wptest.Must(t, err)
	cmd := child(t, "save", dir)
	mode := func(folders, files os.FileMode) {
		t.Helper()
		err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			switch {
			case err != nil:
				return err
			case info.IsDir():
				return os.Chmod(path, folders)
			}
			return os.Chmod(path, files)
		})
		wptest.Must(t, err)
	}
	// root may write whatever the mode says, so the child is somebody else then
	folders, files := os.FileMode(0o500), os.FileMode(0o400)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		folders, files = 0o555, 0o444
		for up := dir; up != os.TempDir() && len(up) > 1; up = filepath.Dir(up) {
			wptest.Must(t, os.Chmod(up, 0o755))
		}
		cmd.Path = publicCopy(t, cmd.Path)
	}
	mode(folders, files)
	out, err := cmd.Output()
	mode(0o700, 0o600)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	expect.Contains(t, string(out), "error=true failed=true small=false large=true", out)
	expect.Equal(t, strings.Count(string(out), "level=ERROR"), 1, out)
	if after, err := os.ReadFile(filepath.Join(dir, fileName)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed: %v", err)
	}
}

// publicCopy copies a program to a place where every account can start it.
func publicCopy(t *testing.T, program string) string {
	t.Helper()
	data, err := os.ReadFile(program)
	wptest.Must(t, err)
	f, err := os.CreateTemp("", "state-test-*")
	wptest.Must(t, err)
	t.Cleanup(func() { os.Remove(f.Name()) })
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	wptest.Must(t, f.Chmod(0o755))
	wptest.Must(t, f.Close())
	return f.Name()
}

// A folder into which others can put pages is not used until its rights are corrected, and check reports it.
func TestFolderOfOthersIsRefused(t *testing.T) {
	for _, tt := range []struct {
		mode fs.FileMode
		uid  int
		says string
	}{
		{0o777, os.Geteuid(), "every user of this machine can write to"},
		{0o777 | fs.ModeSticky, os.Geteuid(), "every user of this machine can write to"}, // as /tmp
		{0o755, 12345, "belongs to another user (12345)"},
	} {
		of := func(dir string, mode fs.FileMode, uid int) {
			wptest.Must(t, os.Chmod(dir, mode))
			wptest.Must(t, os.Chown(dir, uid, -1))
		}
		others := tt.uid != os.Geteuid()
		if others && os.Geteuid() != 0 {
			continue // only root can give a folder to somebody else
		}
		dir := t.TempDir()
		wptest.Must(t, writable(dir))
		of(dir, tt.mode, tt.uid)
		if err := writable(dir); !others && (err == nil || !strings.Contains(err.Error(), "choose another folder")) {
			t.Errorf("check says %v", err)
		} else if others && err != nil { // the daemon may have that user
			t.Errorf("root's check says %v", err)
		}
		s, _, _ := open(t, dir)
		p := pageOf(1, 1)
		s.SavePage(p)
		if text := s.Stats().Error; !strings.Contains(text, tt.says) || s.Page(p.Key) != nil {
			t.Fatalf("%q, want %q, or a page was read", text, tt.says)
		}
		of(dir, 0o755, os.Geteuid())
		wptest.Eventually(t, "written once it is mended", func() bool { return s.Page(p.Key) != nil })
	}
}

// If a pipe has the file's name, nothing blocks, and there is no store.
func TestPipeAsFile(t *testing.T) {
	dir := t.TempDir()
	wptest.Must(t, syscall.Mkfifo(filepath.Join(dir, fileName), 0o600))
	b := &blobs{dir: dir, log: slog.New(slog.DiscardHandler)}
	if _, err := b.open(t.Context()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
