package faults

import (
	"context"
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

	"wpsitemapd/wp/wptest"
)

// process is a child of the suite.
type process struct {
	cmd   *exec.Cmd
	out   *wptest.Buffer
	ended chan struct{}
}

// starter starts all children, since the kernel ends a child with the thread that started it
// (Pdeathsig), and Go ends threads as it likes.
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

// launch starts a program that ends with the test, whatever happens. Its output is added to out.
func launch(t testing.TB, out *wptest.Buffer, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, out: out, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, out
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	wptest.Must(t, <-started)
	go func() {
		_ = cmd.Wait() // how it ended is asked elsewhere
		close(p.ended)
	}()
	t.Cleanup(func() { p.kill() })
	return p
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// kill ends the process at once, also a stopped one.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// stop asks the process to end, and waits for it.
func (p *process) stop(t testing.TB) {
	t.Helper()
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Errorf("%s does not end", p.cmd.Path)
		p.kill()
	}
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// servant is the account that children run as where the suite is root: mariadbd refuses to run
// as root, and root may write where nobody may. nil: as the suite does.
func servant(t testing.TB) *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	wptest.Must(t, err)
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	wptest.Must(t, errors.Join(err1, err2))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// give makes a path, and what is below it, the servant's.
func give(t testing.TB, path string) {
	t.Helper()
	who := servant(t)
	if who == nil {
		return
	}
	err := filepath.WalkDir(path, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, int(who.Uid), int(who.Gid)))
	})
	wptest.Must(t, err)
}

// folder makes a folder of the servant's whose path is short enough for a socket.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "faults.")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	wptest.Must(t, err)
	give(t, dir)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func loopback(port string) string { return "127.0.0.1:" + port }

// until waits for something to become true.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !within(t.Context(), patience, ok) {
		t.Fatalf("%s: not after %v", what, patience)
	}
}

func within(ctx context.Context, limit time.Duration, ok func() bool) bool {
	for end := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// rest lets a fault last.
func rest(t testing.TB, d time.Duration) { pause(t.Context(), d) }

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
