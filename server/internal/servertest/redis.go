package servertest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"wpsitemapd/wp/wptest"
)

// RedisPassword is the password of all Redis servers that need one.
const RedisPassword = "sesame"

// Redis is a redis-server that runs.
type Redis struct {
	Addr string

	t    *testing.T
	args []string
	cmd  *exec.Cmd
	said *bytes.Buffer
	port string
}

// StartRedis starts a server with RedisPassword on a port of its own, and returns its address.
func StartRedis(t *testing.T) (address string, process *os.Process) {
	t.Helper()
	s := NewRedis(t, "--requirepass", RedisPassword)
	return s.Addr, s.cmd.Process
}

// NewRedis starts a server with arguments beside those for its port. Without the program the test is skipped,
// or fails where WPSITEMAPD_REDIS=required.
func NewRedis(t *testing.T, args ...string) *Redis {
	t.Helper()
	port := freePort(t)
	return runRedis(t, port, append([]string{"--port", port, "--save", ""}, args...))
}

// NewRedisTLS starts a server that speaks nothing but TLS, with the files of a certificate and its key.
func NewRedisTLS(t *testing.T, certificate, key string, args ...string) *Redis {
	t.Helper()
	port := freePort(t)
	return runRedis(t, port, append([]string{"--port", "0", "--save", "", "--tls-port", port,
		"--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate, "--tls-auth-clients", "no"}, args...))
}

// freePort returns a port that nothing listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func runRedis(t *testing.T, port string, args []string) *Redis {
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
	s := &Redis{Addr: "127.0.0.1:" + port, t: t, args: args, port: port}
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

// Start starts it again.
func (s *Redis) Start() {
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
func (s *Redis) Kill() {
	s.Signal(syscall.SIGKILL)
	_ = s.cmd.Wait()
}

// Signal sends it a signal.
func (s *Redis) Signal(signal os.Signal) { _ = s.cmd.Process.Signal(signal) }

// Do sends it a command, and returns the answer.
func (s *Redis) Do(t *testing.T, command string, args ...any) any {
	t.Helper()
	const patience = 2 * time.Minute
	c, err := redis.Dial("tcp", s.Addr, redis.DialPassword(RedisPassword), redis.DialConnectTimeout(patience), redis.DialReadTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answer, err := c.Do(command, args...)
	if err != nil {
		t.Fatalf("%s %v: %v", command, args, err)
	}
	return answer
}
