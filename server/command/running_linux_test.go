package command

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"syscall"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// Whoever listens at the admin address while the daemon does not run gets no token, unless it is an account of the system.
func TestTokenForTheDaemonAlone(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	for account, want := range map[uintptr]bool{0: true, 1000: false} {
		runtime.LockOSThread() // whose sockets have another account for a moment
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, account, 0, 0)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0)
		runtime.UnlockOSThread()
		wptest.Must(t, err)
		got := ""
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("Authorization")
		})}}
		s.Start()
		cfg, err := config.Parse("admin = \""+l.Addr().String()+"\"\nadmin_token = \"a-long-enough-token\"\n[[site]]\nname = \"a\"\ndsn = \"sqlite:/x\"\n", "c", "/")
		wptest.Must(t, err)
		status, _, err := newRunning(cfg, runningTimeout).ask(t.Context(), http.MethodGet, "/", nil)
		if (status == http.StatusOK) != want || (got != "") != want {
			t.Errorf("account %d: status %d, %q, %v", account, status, got, err)
		}
		s.Close()
	}
}
