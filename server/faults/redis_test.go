package faults

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"

	"github.com/gomodule/redigo/redis"
)

// noRedis says why there is none.
func noRedis(*testing.T) string {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return err.Error()
	}
	return ""
}

// redisFaults are the faults of two daemons that share their copies through a Redis, as behind a load balancer.
func redisFaults() []fault {
	broken := func(name string, quick bool, lasts time.Duration, breaks, mends func(*scene)) fault {
		return fault{name: name, quick: quick, shared: true, missing: noRedis, do: func(s *scene) { s.without(breaks, mends, lasts) }}
	}
	return []fault{
		broken("Redis killed (kill -9), two daemons", false, hold, func(s *scene) { s.redis.Kill() }, func(s *scene) { s.redis.Start() }),
		broken("Redis stopped (SIGSTOP), two daemons", false, hang, func(s *scene) { s.redis.Signal(syscall.SIGSTOP) },
			func(s *scene) { s.redis.Signal(syscall.SIGCONT) }),
		broken("Redis emptied (FLUSHALL), two daemons", true, hold, func(s *scene) { s.redis.Do(s.T, "FLUSHALL") }, func(*scene) {}),
		{name: "one of two daemons killed (kill -9), then the other", shared: true, missing: noRedis, do: eachKilled},
	}
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
	s.daemons[1].kill()
	s.link.Set(wptest.Refusing)
	s.daemons[1].start()
	rest(s, 2*time.Second)
	heal(s)
}

// seen makes an edit, which has to be seen in time.
func (s *scene) seen(when string) {
	s.Helper()
	start := time.Now()
	s.await(s.edit())
	if took := time.Since(start); took > mostRecovery {
		s.Errorf("%s an edit is seen after %v only", when, took)
	}
	s.site.supersede()
}

// eachKilled kills the daemons in turn. The other goes on, and sees edits as ever.
func eachKilled(s *scene) {
	for i, d := range s.daemons {
		s.kept()
		d.kill()
		other, start := s.checkers[1-i], time.Now()
		version := s.edit()
		wptest.Eventually(s, "the other daemon sees an edit", func() bool { return other.fresh(version) })
		if took := time.Since(start); took > mostRecovery {
			s.Errorf("an edit is seen after %v only", took)
		}
		d.start()
		s.settle()
	}
}

// inRedis reports whether a daemon that starts finds all it needs in Redis: the copies, and the records
// of the site and its blog.
func (s *scene) inRedis() bool {
	s.Helper()
	keys, err := redis.Strings(s.redis.Do(s.T, "KEYS", "*{"+s.site.schema+"}:blobs"), nil)
	wptest.Must(s, err)
	if len(keys) == 0 {
		return false
	}
	fields, err := redis.Strings(s.redis.Do(s.T, "HKEYS", keys[0]), nil)
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
