package wptest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a program that ends with the test, whatever happens, and all that it has started with it.
type Process struct {
	Cmd   *exec.Cmd
	out   *Buffer
	ended chan struct{}
}

// starter starts all processes, since the kernel ends a child with the thread that started it (Pdeathsig), and Go ends threads as
// it likes.
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

// Launch starts a program in a process group of its own. Its output is added to out.
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
		_ = cmd.Wait() // how it ended is asked elsewhere
		close(p.ended)
	}()
	t.Cleanup(p.Kill)
	return p
}

// Signal sends the process a signal: after SIGSTOP it takes what is sent and says nothing.
func (p *Process) Signal(s syscall.Signal) { _ = p.Cmd.Process.Signal(s) }

// Kill ends the process at once, also a stopped one, with all its children.
func (p *Process) Kill() {
	_ = syscall.Kill(-p.Cmd.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// Stop asks the process to end, and waits for it.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	p.Signal(syscall.SIGTERM)
	p.Code(t)
}

// Code waits for the end, and returns the exit code, -1 after a signal.
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

// Servant is the account that children run as where the test is root's: database servers refuse to run as root, and root may write
// where nobody may. nil: as the test does.
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

// Give makes a path, and what is below it, the servant's.
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

// Folder makes a folder that every user can read, whose path is short enough for a socket. It goes with the test.
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

// Program returns the path of the first program that is installed, of several names. Where none is, the test is skipped, or fails
// if the environment variable required is "required", as in .ci/run.
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

// Missing skips a test for want of something, or fails it, see Program.
func Missing(t testing.TB, required, what string) {
	t.Helper()
	if os.Getenv(required) == "required" {
		t.Fatalf("%s is not installed, and %s requires it", what, required)
	}
	t.Skipf("%s is not installed", what)
}
