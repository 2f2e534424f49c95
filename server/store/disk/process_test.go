package disk

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/internal/storetest"
	"wpsitemapd/server/store"
)

func TestMain(m *testing.M) {
	switch storetest.Task() {
	case "":
		os.Exit(m.Run())
	case "write":
		writeForEver(storetest.Where())
	case "no space":
		// Files beyond 4096 bytes cannot be written, as on a disk that is full.
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		saveSome(storetest.Where())
	case "save":
		saveSome(storetest.Where())
	}
}

// pageOf is what the page of a number holds at a time: many bytes that must belong together.
func pageOf(page, turn int) *store.Copy {
	body := bytes.Repeat(fmt.Appendf(nil, "page %d turn %d\n", page, turn), 3000)
	return &store.Copy{
		Key: store.Key{Site: "a", Blog: storetest.BlogKey, Name: "post", Page: page}, Hash: fmt.Sprint(page, " ", turn),
		Built: storetest.Noon, Body: body,
	}
}

const childPages = 5

// writeForEver writes the same pages over and over until the process is killed.
func writeForEver(dir string) {
	s := &Store{Dir: dir, Limit: 1 << 30, Log: slog.New(slog.DiscardHandler)}
	s.Open()
	go s.Run(context.Background())
	for turn := 1; ; turn++ {
		for page := range childPages {
			for !s.Save(pageOf(page, turn)) {
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

// saveSome saves a small and a large copy, and prints how that went and what can be read.
func saveSome(dir string) {
	s := &Store{Dir: dir, Limit: 1 << 30, Log: slog.New(slog.NewTextHandler(os.Stdout, nil))}
	s.Open()
	small, large := pageOf(1, 1), pageOf(2, 1)
	small.Body = []byte("small")
	s.Save(large)
	s.Save(small) // both wait before one is written
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	for deadline := time.Now().Add(3 * lockEvery); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if stats := s.Stats(); stats.Queued == 0 || stats.Shared || stats.Error != "" && stats.Failed > 1 { // the second failure comes after what fits
			break
		}
	}
	stats := s.Stats()
	fmt.Printf("error=%v failed=%v small=%v large=%v shared=%v\n", stats.Error != "",
		stats.Failed > 0, s.Copy(small.Key) != nil, s.Copy(large.Key) != nil, stats.Shared)
	cancel()
	<-ended
}

// A process that is killed while it writes leaves each page whole, in one of its forms.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unfinished := 0
	for round := range 12 {
		cmd := storetest.Child(t, "write", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round) * 1700 * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		left, err := filepath.Glob(filepath.Join(dir, sitesName, "*", "*", "*"+store.NewSuffix))
		if err != nil {
			t.Fatal(err)
		}
		unfinished += len(left)
		s := openStore(t, dir)
		for page := range childPages {
			c := s.Copy(store.Key{Site: "a", Blog: storetest.BlogKey, Name: "post", Page: page})
			if c == nil {
				t.Fatalf("round %d: page %d is not there", round, page)
			}
			var n, turn int
			if _, err := fmt.Sscanf(c.Hash, "%d %d", &n, &turn); err != nil || n != page || !bytes.Equal(c.Body, pageOf(page, turn).Body) {
				t.Fatalf("round %d: page %d is none of its forms", round, page)
			}
		}
		if stats := s.Stats(); stats.Damaged != 0 {
			t.Errorf("%+v", stats)
		}
		s.run()
		s.settled(childPages)
		s.stop()
		if left, _ := filepath.Glob(filepath.Join(dir, sitesName, "*", "*", "*"+store.NewSuffix)); len(left) > 0 {
			t.Errorf("still there: %q", left)
		}
	}
	t.Logf("%d files were unfinished when their process was killed", unfinished)
}

// Two processes: the second reads what the first wrote, and writes nothing.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := openStore(t, dir)
	first.run()
	first.Save(pageOf(2, 1))
	first.settled(1)
	out, err := storetest.Child(t, "save", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "error=false failed=false small=false large=true shared=true") ||
		!strings.Contains(string(out), "another process writes to the state folder") {
		t.Errorf("%s", out)
	}
}

// On a disk without space what there is room for is written, the old copies stay, and one
// line tells of it.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := storetest.Child(t, "no space", dir).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(string(out), "error=true failed=true small=true large=false") || strings.Count(string(out), "level=ERROR") != 1 {
		t.Errorf("%s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, sitesName, "*", "*", "*"+store.NewSuffix)); len(left) > 0 {
		t.Errorf("unfinished files take the space that is left: %q", left)
	}
}

// A folder that may not be written is read, and one line tells of it.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	first := openStore(t, dir)
	first.run()
	first.Save(pageOf(2, 1))
	first.settled(1)
	first.stop()
	file := filepath.Join(dir, sitesName, store.BlogDir("a", storetest.BlogKey), store.CopyName("post", 2))
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, lock := range []bool{true, false} {
		if !lock {
			if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := storetest.Child(t, "save", dir)
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
			if err != nil {
				t.Fatal(err)
			}
		}
		// root may write whatever the mode says, so the child is somebody else then
		folders, files := os.FileMode(0o500), os.FileMode(0o400)
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			folders, files = 0o555, 0o444
			for up := dir; up != os.TempDir() && len(up) > 1; up = filepath.Dir(up) {
				if err := os.Chmod(up, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd.Path = publicCopy(t, cmd.Path)
		}
		mode(folders, files)
		out, err := cmd.Output()
		mode(0o700, 0o600)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if !strings.Contains(string(out), "error=true failed=false small=false large=true") || strings.Count(string(out), "level=ERROR") != 1 {
			t.Errorf("with a lock file %v: %s", lock, out)
		}
		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the copy has changed: %v", err)
		}
	}
}

// publicCopy puts a program where every account can start it.
func publicCopy(t *testing.T, program string) string {
	t.Helper()
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.CreateTemp("", "state-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(f.Name()) })
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Chmod(0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
