package servertest

import (
	"net"
	"os/exec"
	"testing"

	"github.com/gomodule/redigo/redis"

	"wpsitemapd/wp/wptest"
)

// RedisPassword is the password of all Redis servers.
const RedisPassword = "sesame"

// Redis is a redis-server that runs.
type Redis struct {
	Addr string
	*wptest.Process

	t    *testing.T
	args []string
}

// StartRedis starts a server on a port of its own. Without the program the test is skipped, or fails where WPSITEMAPD_REDIS=required.
func StartRedis(t *testing.T) *Redis {
	t.Helper()
	port := wptest.FreePort(t)
	return startRedis(t, port, "--port", port)
}

// StartRedisTLS starts a server that speaks nothing but TLS, with the files of a certificate and its key.
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

// Start starts it again.
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

// URL is its address as the configuration has it.
func (s *Redis) URL() string { return "redis://:" + RedisPassword + "@" + s.Addr }

// Do sends it a command, and returns the answer.
func (s *Redis) Do(t *testing.T, command string, args ...any) any {
	t.Helper()
	c, err := redis.Dial("tcp", s.Addr, redis.DialPassword(RedisPassword),
		redis.DialConnectTimeout(wptest.Patience), redis.DialReadTimeout(wptest.Patience))
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
