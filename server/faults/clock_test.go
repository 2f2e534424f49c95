package faults

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// A Go program asks the kernel for the time itself, so that no library can be slipped in
// between, and the kernel has one wall clock for the whole machine. To have the clock of the
// daemon jump while it runs, and all of the daemon see it, the suite builds it with a standard
// library in which time.Now adds a number of seconds from a file that is shared with the suite
// (go build -overlay). Nothing else differs from the program people run; monotonic time goes on
// as it does when a real clock is set.

const clockVariable = "WPSITEMAPD_FAULTS_CLOCK"

const clockSource = `package time

import (
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

var jump struct {
	once    sync.Once
	seconds *atomic.Int64
}

func jumped() int64 {
	jump.once.Do(func() {
		path, ok := syscall.Getenv("` + clockVariable + `")
		if !ok {
			return
		}
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			panic(err)
		}
		page, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
		if err != nil {
			panic(err)
		}
		jump.seconds = (*atomic.Int64)(unsafe.Pointer(&page[0]))
	})
	if jump.seconds == nil {
		return 0
	}
	return jump.seconds.Load()
}
`

// What of time.Now is replaced, and by what.
const (
	clockBefore = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	clockAfter  = clockBefore + "\tsec += jumped()\n"
)

func timeSource() (path, text string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", "", err
	}
	path = filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	b, err := os.ReadFile(path)
	return path, string(b), err
}

// noClock says why the daemon's clock cannot jump.
func noClock(t *testing.T) string {
	_, text, err := timeSource()
	switch {
	case err != nil:
		return "Go's own sources are not at hand: " + err.Error()
	case strings.Count(text, clockBefore) != 1:
		t.Errorf("time.Now of this Go looks different: adapt clockBefore")
	}
	return ""
}

// fakeClock has the daemon run with a clock that can jump.
func (s *scene) fakeClock() {
	s.Helper()
	path, text, err := timeSource()
	wptest.Must(s, err)
	dir := builds.dir // the same names for every build, so that Go need not compile all again
	files := map[string]string{
		filepath.Join(dir, "time.go"): strings.Replace(text, clockBefore, clockAfter, 1),
		filepath.Join(dir, "jump.go"): clockSource,
	}
	for name, text := range files {
		wptest.Must(s, os.WriteFile(name, []byte(text), 0o600))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		path: filepath.Join(dir, "time.go"), filepath.Join(filepath.Dir(path), "jump.go"): filepath.Join(dir, "jump.go"),
	}})
	wptest.Must(s, err)
	wptest.Must(s, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	s.daemon.program = build(s, "-overlay", filepath.Join(dir, "overlay.json"))
	s.daemon.env = append(s.daemon.env, clockVariable+"="+filepath.Join(s.daemon.dir, "clock"))
	s.daemon.write("clock", string(make([]byte, 8)))
}

// setClock lets the daemon's clock differ from ours.
func (s *scene) setClock(by time.Duration) {
	s.Helper()
	f, err := os.OpenFile(filepath.Join(s.daemon.dir, "clock"), os.O_WRONLY, 0)
	wptest.Must(s, err)
	defer f.Close()
	if _, err := f.Write(binary.NativeEndian.AppendUint64(nil, uint64(int64(by/time.Second)))); err != nil {
		s.Fatal(err)
	}
}

// jump sets the daemon's clock, and back while the daemon is not running and again while it is.
// Every time edits are seen as soon as ever.
func (s *scene) jump(by time.Duration) {
	s.Helper()
	s.kept()
	s.setClock(by)
	s.seen("after the jump")
	s.kept()
	rest(s, hold)
	s.daemon.stop()
	s.setClock(0)
	s.daemon.start() // its copies are of another time
	s.seen("after a start with the clock as it was")
	s.kept()
	s.setClock(by)
	s.seen("after the second jump")
	if !strings.Contains(s.daemon.out.String(), "time="+time.Now().Add(by).Format("2006-01-02")) {
		s.Error("the daemon's log does not show that its clock has jumped")
	}
	s.setClock(0)
}

// faketime returns the library that lies to MariaDB about the time, "" where it is not
// installed.
func faketime() string {
	paths, err := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
	if err != nil || len(paths) == 0 {
		return ""
	}
	return paths[0]
}

func noFaketime(*testing.T) string {
	if faketime() == "" {
		return "libfaketime is not installed"
	}
	return ""
}

// clockFile holds what the database's clock differs by, as faketime takes it.
var clockFile string

// jumpingDatabase is a database whose clock can be set.
func jumpingDatabase(t *testing.T) *database {
	t.Helper()
	dir := folder(t)
	clockFile = filepath.Join(dir, "clock")
	writeClock(t, "+0")
	d := newDatabase(t, "LD_PRELOAD="+faketime(), "FAKETIME_TIMESTAMP_FILE="+clockFile, "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1")
	return d
}

func writeClock(t testing.TB, text string) {
	t.Helper()
	wptest.Must(t, os.WriteFile(clockFile, []byte(text+"\n"), 0o644))
}

// jumpDatabase sets the database's clock a day ahead and, after a while, back.
func jumpDatabase(s *scene) {
	before := s.db.number("SELECT UNIX_TIMESTAMP()")
	writeClock(s, "+1d")
	after := s.db.number("SELECT UNIX_TIMESTAMP()")
	if jumped := time.Duration(after-before) * time.Second; jumped < 23*time.Hour {
		s.Fatalf("the database's clock went on by %v", jumped)
	}
	for range 3 {
		s.seen("after the jump")
		rest(s, hold/3)
	}
	writeClock(s, "+0")
}
