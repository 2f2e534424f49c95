package server

import (
	"errors"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/redistest"
	"wpsitemapd/server/site"
)

// twoWithOneHost are an original and its copy, of which the former may be out of reach.
func twoWithOneHost(reachable bool) map[string]*fakeNetwork {
	nets := map[string]*fakeNetwork{}
	for _, name := range []string{"live", "a-copy"} {
		nets[name] = &fakeNetwork{blogs: []site.Settings{fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))}}
	}
	if !reachable {
		nets["live"].err = errors.New("connection refused")
	}
	return nets
}

// ownerOfHost waits until every site was tried and returns the site at a.test, "?" where nothing tells.
func (ts *testServer) ownerOfHost() string {
	for _, w := range ts.running() {
		<-w.FirstAttempt()
	}
	at, _ := ts.front.Table().Find("a.test", "/")
	if at.Contest != nil {
		return "?"
	}
	return at.Site.Config.Name
}

// In a Redis the memory outlives the process, too.
func TestOwnerInRedis(t *testing.T) {
	address, _ := redistest.Start(t)
	run := func(nets map[string]*fakeNetwork, sites ...config.Site) (owner string) {
		ts := newTestServer(t, nets, sites...)
		ts.config.StateAddress, ts.config.StateSize, ts.pace = config.Secret("redis://:"+redistest.Password+"@"+address), 1<<30, inHurry
		_, _, stop := start(t, ts)
		owner = ts.ownerOfHost()
		if err := stop(); err != nil {
			t.Error(err)
		}
		return owner
	}
	live, copied := config.Site{Name: "live", Within: "/www"}, config.Site{Name: "a-copy", Within: "/www"}
	for i, got := range []string{
		run(twoWithOneHost(true), live), run(twoWithOneHost(true), copied, live),
		run(map[string]*fakeNetwork{"a-copy": twoWithOneHost(true)["a-copy"]}, copied, live),
	} {
		if got != "live" {
			t.Errorf("run %d: the host belongs to %s", i, got)
		}
	}
}
