package faults

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// fakeClock has the daemon run with a clock that can jump.
func (s *scene) fakeClock() {
	s.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	wptest.Must(s, err)
	folder := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	text, err := os.ReadFile(filepath.Join(folder, "time.go"))
	wptest.Must(s, err)
	if strings.Count(string(text), clockBefore) != 1 {
		s.Fatal("time.Now of this Go looks different: adapt clockBefore")
	}
	overlay := map[string]map[string]string{"Replace": {}}
	for name, text := range map[string]string{"time.go": strings.Replace(string(text), clockBefore, clockAfter, 1), "jump.go": clockSource} {
		path := filepath.Join(builds.dir, name) // the same for every build, so that Go need not compile all again
		wptest.Must(s, os.WriteFile(path, []byte(text), 0o600))
		overlay["Replace"][filepath.Join(folder, name)] = path
	}
	list, err := json.Marshal(overlay)
	wptest.Must(s, err)
	wptest.Must(s, os.WriteFile(filepath.Join(builds.dir, "overlay.json"), list, 0o600))
	s.daemon.program = build(s, "-overlay", filepath.Join(builds.dir, "overlay.json"))
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
