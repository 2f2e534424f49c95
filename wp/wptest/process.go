package wptest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a program that is killed with all its children at the end of the test.
type Process struct {
	Cmd   *exec.Cmd
	out   *Buffer
	ended chan struct{}
}

// starter starts all processes on one thread that never ends. The kernel kills a child when the thread that started it ends
// (Pdeathsig), and Go may end its threads at any time.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// Launch starts a program in its own process group and appends its output to out.
func Launch(t testing.TB, out *Buffer, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Cmd: cmd, out: out, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, out
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig, cmd.SysProcAttr.Setpgid = syscall.SIGKILL, true
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	Must(t, <-started)
	go func() {
		_ = cmd.Wait() // Code returns how the process ended
		close(p.ended)
	}()
	t.Cleanup(p.Kill)
	return p
}

// Signal sends the process a signal. After SIGSTOP the process accepts data but does not answer.
func (p *Process) Signal(s syscall.Signal) { _ = p.Cmd.Process.Signal(s) }

// Kill kills the process, also a stopped one, with all its children.
func (p *Process) Kill() {
	_ = syscall.Kill(-p.Cmd.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// Stop asks the process to end and waits until it has ended.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	p.Signal(syscall.SIGTERM)
	p.Code(t)
}

// Code waits until the process has ended and returns its exit code, -1 if a signal ended it.
func (p *Process) Code(t testing.TB) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(Patience):
		t.Errorf("%s does not end\n%s", p.Cmd.Path, p.out.End())
		p.Kill()
	}
	return p.Cmd.ProcessState.ExitCode()
}

// Running reports whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Servant returns the account for child processes if the test runs as root: database servers refuse to run as root, and root may
// write everywhere. It returns nil if the test is not root; children then use its account.
func Servant(t testing.TB) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	Must(t, err)
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	Must(t, errors.Join(err1, err2))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// Give makes the servant the owner of a path and everything below it.
func Give(t testing.TB, path string) {
	t.Helper()
	who := Servant(t)
	if who == nil {
		return
	}
	Must(t, filepath.WalkDir(path, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, int(who.Uid), int(who.Gid)))
	}))
}

// Folder makes a folder that every user can read and that is removed at the end of the test. Its path is short enough for a
// socket.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "wpsitemapd.")
	Must(t, errors.Join(err, os.Chmod(dir, 0o755)))
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Program returns the path of the first of several programs that is installed. If none is, the test is skipped. If the
// environment variable required has the value "required", as in .ci/run, the test fails instead.
func Program(t testing.TB, required string, names ...string) string {
	t.Helper()
	NeedsServer(t)
	for _, name := range names {
		for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
				return path
			}
		}
	}
	Missing(t, required, names[0])
	return ""
}

// Missing skips a test because something is not installed, or fails it; see Program.
func Missing(t testing.TB, required, what string) {
	t.Helper()
	if os.Getenv(required) == "required" {
		t.Fatalf("%s is not installed, and %s requires it", what, required)
	}
	t.Skipf("%s is not installed", what)
}

// Buffer collects what a log or a program writes to it. It is safe for concurrent use.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns everything that was written.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// End returns the last 4,000 bytes that were written.
func (b *Buffer) End() string {
	s := b.String()
	return s[max(0, len(s)-4000):]
}

// Count returns how often a text occurs in what was written.
func (b *Buffer) Count(text string) int { return strings.Count(b.String(), text) }

var givenPorts sync.Map

// FreePort returns a free port of loopback, for a program that cannot report which port it chose. The port is below those that
// the kernel chooses, and no other test of the process gets it.
func FreePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue
		}
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port of loopback is free")
	return ""
}
