package servertest

import (
	"net"
	"os/exec"
	"testing"

	"github.com/gomodule/redigo/redis"

	"wpsitemapd/wp/wptest"
)

// RedisPassword is the password of every Redis server here.
const RedisPassword = "sesame"

// Redis is a running redis-server.
type Redis struct {
	Addr string
	*wptest.Process

	t    *testing.T
	args []string
}

// StartRedis starts a server on a free port. If the program is missing, the test is skipped. If WPSITEMAPD_REDIS is
// "required", the test fails instead.
func StartRedis(t *testing.T) *Redis {
	t.Helper()
	port := wptest.FreePort(t)
	return startRedis(t, port, "--port", port)
}

// StartRedisTLS starts a server that accepts TLS only, with the given files of a certificate and its key.
func StartRedisTLS(t *testing.T, certificate, key string) *Redis {
	t.Helper()
	port := wptest.FreePort(t)
	return startRedis(t, port, "--port", "0", "--tls-port", port,
		"--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate, "--tls-auth-clients", "no")
}

func startRedis(t *testing.T, port string, args ...string) *Redis {
	t.Helper()
	args = append([]string{wptest.Program(t, "WPSITEMAPD_REDIS", "redis-server"), "--requirepass", RedisPassword, "--save", "",
		"--bind", "127.0.0.1", "--dir", t.TempDir()}, args...)
	s := &Redis{Addr: "127.0.0.1:" + port, t: t, args: args}
	s.Start()
	return s
}

// Start starts the server, also after it was stopped.
func (s *Redis) Start() {
	s.t.Helper()
	var said wptest.Buffer
	s.Process = wptest.Launch(s.t, &said, exec.Command(s.args[0], s.args[1:]...))
	wptest.Eventually(s.t, "redis-server comes up", func() bool {
		c, err := net.Dial("tcp", s.Addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, &said)
}

// URL returns the address of the server as a configuration contains it.
func (s *Redis) URL() string { return "redis://:" + RedisPassword + "@" + s.Addr }

// Do sends a command to the server and returns the answer.
func (s *Redis) Do(t *testing.T, command string, args ...any) any {
	t.Helper()
	c, err := redis.Dial("tcp", s.Addr, redis.DialPassword(RedisPassword),
		redis.DialConnectTimeout(wptest.Patience), redis.DialReadTimeout(wptest.Patience))
	wptest.Must(t, err)
	defer c.Close()
	answer, err := c.Do(command, args...)
	if err != nil {
		t.Fatalf("%s %v: %v", command, args, err)
	}
	return answer
}
