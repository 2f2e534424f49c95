package server

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// Database servers that answer as none does are the trouble of their own sites. The others serve all the while.
func TestHostileDatabaseServers(t *testing.T) {
	good := realSite("good", wptest.Load(t, wptest.SQLite, "basic"))
	sites := []config.Site{good}
	add := func(name string, h *wptest.Hostile) {
		site := realSite(name, h.Start(t).DSN())
		site.Hosts = []config.Host{config.Host(fmt.Sprintf("hostile%d.test", len(sites)))}
		sites = append(sites, site)
	}
	for name, attack := range wptest.Attacks {
		for _, secured := range []bool{false, true} {
			if secured && name == "rows without end" { // half a gigabyte is enough once
				continue
			}
			h := &wptest.Hostile{TLS: secured, Answer: func(w *wptest.Wire, _ string) { attack(w) }}
			if secured {
				name += " by TLS"
			}
			add(name, h)
		}
	}
	for name, login := range wptest.Logins {
		add(name, &wptest.Hostile{Login: login})
	}
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	ts, public := startReal(t, 1, sites...)
	refused := func() bool {
		for _, s := range ts.Status() {
			if s.Name != "good" && s.Error == "" {
				return false
			}
		}
		return true
	}
	deadline := time.Now().Add(5 * time.Minute)
	for done := false; !done; done = refused() {
		if time.Now().After(deadline) {
			t.Fatalf("not every attack has ended in an error: %+v", ts.Status())
		}
		if status, text, err := ask(public, "good.test", "/post-sitemap.xml"); err != nil || status != 200 || !strings.Contains(text, "<loc>") {
			t.Fatalf("beside the attacks a good site answers %d, %v", status, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	runtime.ReadMemStats(&now)
	if grown := int64(now.HeapSys) - int64(before.HeapSys); grown > 1<<30 {
		t.Errorf("the heap has grown by %d MB", grown>>20)
	}
	if !strings.Contains(ts.log.String(), "columns, more than 4096") {
		t.Errorf("the log does not name the bound\n%s", ts.log)
	}
}
