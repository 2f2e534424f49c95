// Package redistest starts Redis servers for tests: one, several with a Sentinel, or a Cluster.
package redistest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"wpsitemapd/wp/wptest"
)

// Password is that of all servers which need one.
const Password = "sesame"

// Server is a redis-server that runs.
type Server struct {
	Addr string

	t    *testing.T
	args []string
	cmd  *exec.Cmd
	said *bytes.Buffer
	port string
}

// Start starts a server with Password on a port of its own, and returns its address.
func Start(t *testing.T) (address string, process *os.Process) {
	t.Helper()
	s := New(t, "--requirepass", Password)
	return s.Addr, s.cmd.Process
}

// New starts a server with arguments beside those for its port. Without the program the test is skipped,
// or fails where WPSITEMAPD_REDIS=required.
func New(t *testing.T, args ...string) *Server {
	t.Helper()
	port := Port(t)
	return run(t, port, append([]string{"--port", port, "--save", ""}, args...))
}

// NewTLS starts a server that speaks nothing but TLS, with a certificate and its key in PEM.
func NewTLS(t *testing.T, certificate, key []byte, args ...string) *Server {
	t.Helper()
	dir, port := t.TempDir(), Port(t)
	for name, text := range map[string][]byte{"cert.pem": certificate, "key.pem": key} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return run(t, port, append([]string{"--port", "0", "--save", "", "--tls-port", port,
		"--tls-cert-file", filepath.Join(dir, "cert.pem"), "--tls-key-file", filepath.Join(dir, "key.pem"),
		"--tls-ca-cert-file", filepath.Join(dir, "cert.pem"), "--tls-auth-clients", "no"}, args...))
}

// NewSentinel starts a Sentinel that watches a master with Password, and is to be called with it too.
func NewSentinel(t *testing.T, name, master string) *Server {
	t.Helper()
	dir, port := t.TempDir(), Port(t)
	host, masterPort, _ := net.SplitHostPort(master)
	file := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("port %s\nrequirepass %s\nsentinel monitor %s %s %s 1\nsentinel auth-pass %s %s\n"+
		"sentinel down-after-milliseconds %s 500\nsentinel failover-timeout %s 2000\n",
		port, Password, name, host, masterPort, name, Password, name, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return run(t, port, []string{file, "--sentinel"})
}

// NewCluster starts a cluster of three masters with Password.
func NewCluster(t *testing.T) []*Server {
	t.Helper()
	const slots, masters = 16384, 3
	servers := make([]*Server, masters)
	buses := make([]string, masters)
	for i := range servers {
		buses[i] = Port(t)
		servers[i] = New(t, "--requirepass", Password, "--cluster-enabled", "yes", "--cluster-port", buses[i], "--cluster-config-file", "nodes.conf")
	}
	for i, s := range servers {
		s.Do(t, "CLUSTER", "ADDSLOTSRANGE", i*slots/masters, (i+1)*slots/masters-1)
		host, port, _ := net.SplitHostPort(s.Addr)
		servers[0].Do(t, "CLUSTER", "MEET", host, port, buses[i])
	}
	for _, s := range servers {
		for from := time.Now(); !strings.Contains(fmt.Sprint(s.Do(t, "CLUSTER", "INFO")), "cluster_state:ok"); time.Sleep(20 * time.Millisecond) {
			if time.Since(from) > 2*time.Minute {
				t.Fatal("the cluster does not form")
			}
		}
	}
	return servers
}

// Port is one that nothing listens at.
func Port(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func run(t *testing.T, port string, args []string) *Server {
	t.Helper()
	wptest.NeedsServer(t)
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("WPSITEMAPD_REDIS") == "required" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	args = append([]string{program}, args...)
	args = append(args, "--bind", "127.0.0.1", "--dir", t.TempDir())
	s := &Server{Addr: "127.0.0.1:" + port, t: t, args: args, port: port}
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

// Start starts it again.
func (s *Server) Start() {
	s.t.Helper()
	s.said = &bytes.Buffer{}
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.Stdout, s.cmd.Stderr = s.said, s.said
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for from := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", s.Addr); err == nil {
			c.Close()
			return
		}
		if time.Since(from) > 2*time.Minute {
			s.Kill()
			s.t.Fatalf("redis-server does not come up\n%s", s.said)
		}
	}
}

// Kill ends it at once. It may have ended.
func (s *Server) Kill() {
	s.Signal(syscall.SIGKILL)
	_ = s.cmd.Wait()
}

// Signal sends it a signal.
func (s *Server) Signal(signal os.Signal) { _ = s.cmd.Process.Signal(signal) }

// Do sends it a command, and returns the answer.
func (s *Server) Do(t *testing.T, command ...any) any {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: s.Addr, Password: Password, Protocol: 2, DisableIdentity: true})
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	answer, err := c.Do(ctx, command...).Result()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	return answer
}
