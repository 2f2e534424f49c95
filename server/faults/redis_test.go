package faults

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	goredis "github.com/gomodule/redigo/redis"

	"wpsitemapd/wp/wptest"
)

// redis is a Redis of the suite's own that two daemons share their copies through.
type redis struct {
	t    testing.TB
	port string
	link *link // that the daemons use
	proc *process
	out  wptest.Buffer
}

// noRedis says why there is none.
func noRedis(t *testing.T) string {
	if installed("redis-server") != "" {
		return ""
	}
	if os.Getenv("WPSITEMAPD_REDIS") == "required" {
		t.Fatal("redis-server is not installed")
	}
	return "redis-server is not installed"
}

func newRedis(t testing.TB) *redis {
	t.Helper()
	r := &redis{t: t, port: wptest.FreePort(t)}
	r.start()
	r.link = newLink(t, loopback(r.port))
	return r
}

func (r *redis) start() {
	r.t.Helper()
	cmd := exec.Command(installed("redis-server"), "--bind", "127.0.0.1", "--port", r.port, "--dir", folder(r.t), "--save", "")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: servant(r.t)}
	r.proc = launch(r.t, &r.out, cmd)
	until(r.t, "Redis answers", func() bool {
		if !r.proc.running() {
			r.t.Fatalf("Redis has ended\n%s", &r.out)
		}
		_, err := r.do("PING")
		return err == nil
	})
}

// do sends it a command, past the link that the daemons use.
func (r *redis) do(command string, args ...any) (any, error) {
	c, err := goredis.Dial("tcp", loopback(r.port))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Do(command, args...)
}

// peer is a second daemon with the same configuration, which a load balancer would ask in turn.
type peer struct {
	daemon  *daemon
	checker *checker
}

// without lets two daemons work while something is the matter with their Redis, and edits seen by
// both as soon as ever. What was written meanwhile has to be there afterwards: a daemon that starts
// without a database has nothing else.
func (s *scene) without(breaks, mends func(*scene), lasts time.Duration) {
	s.Helper()
	s.kept()
	breaks(s)
	for range 3 {
		s.seen("meanwhile")
		rest(s, lasts/3)
	}
	mends(s)
	s.seen("afterwards")
	s.kept()
	s.peer.daemon.kill()
	s.link.set(refusing)
	s.peer.daemon.start()
	rest(s, 2*time.Second)
	s.link.set(passing)
}

// seen makes an edit, which has to be seen in time.
func (s *scene) seen(when string) {
	s.Helper()
	start := time.Now()
	s.await(s.edit())
	if took := time.Since(start); took > mostRecovery() {
		s.Errorf("%s an edit is seen after %v only", when, took)
	}
	s.site.supersede()
}

func redisFaults() []fault {
	broken := func(name string, quick bool, lasts time.Duration, breaks, mends func(*scene)) fault {
		return fault{name: name, quick: quick, shared: true, missing: noRedis, do: func(s *scene) time.Time {
			s.without(breaks, mends, lasts)
			return time.Now()
		}}
	}
	return []fault{
		broken("Redis killed (kill -9), two daemons", false, hold, func(s *scene) { s.redis.proc.kill() }, func(s *scene) { s.redis.start() }),
		broken("Redis stopped (SIGSTOP), two daemons", false, hang, func(s *scene) { s.redis.proc.signal(syscall.SIGSTOP) },
			func(s *scene) { s.redis.proc.signal(syscall.SIGCONT) }),
		broken("Redis out of reach (packets swallowed), two daemons", false, hang,
			func(s *scene) { s.redis.link.set(swallow) }, func(s *scene) { s.redis.link.set(passing) }),
		broken("Redis emptied (FLUSHALL), two daemons", true, hold, (*scene).emptyRedis, func(*scene) {}),
		{name: "one of two daemons killed (kill -9), then the other", shared: true, missing: noRedis, do: (*scene).eachKilled},
	}
}

// eachKilled kills the daemons in turn. The other goes on, and sees edits as ever.
func (s *scene) eachKilled() time.Time {
	s.Helper()
	for i, d := range s.daemons() {
		s.kept()
		d.kill()
		other, start := s.checkers()[1-i], time.Now()
		version := s.edit()
		until(s, "the other daemon sees an edit", func() bool { return other.fresh(version) })
		if took := time.Since(start); took > mostRecovery() {
			s.Errorf("an edit is seen after %v only", took)
		}
		d.start()
		s.settle()
	}
	return time.Now()
}

// inRedis reports whether a daemon that starts finds all it needs in Redis: the copies, and the records
// of the site and its blog.
func (s *scene) inRedis() bool {
	s.Helper()
	keys, err := goredis.Strings(s.redis.do("KEYS", "*{"+s.site.schema+"}:blobs"))
	wptest.Must(s, err)
	if len(keys) == 0 {
		return false
	}
	fields, err := goredis.Strings(s.redis.do("HKEYS", keys[0]))
	wptest.Must(s, err)
	copies, records := 0, 0
	for _, field := range fields {
		switch kind, _, _ := strings.Cut(field, "\n"); kind {
		case "page":
			copies++
		case "blog", "site":
			records++
		}
	}
	return copies >= len(s.site.paths()) && records == 2
}

// emptyRedis takes everything from Redis.
func (s *scene) emptyRedis() {
	s.Helper()
	if _, err := s.redis.do("FLUSHALL"); err != nil {
		s.Fatal(err)
	}
}
