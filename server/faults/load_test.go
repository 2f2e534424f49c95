package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// burden is what TestLoad puts on the daemon, by the variables that "make load" sets.
type burden struct {
	lasts time.Duration
	rate  int // requests a second, of all sites together
	sites int
}

func loadBurden(t *testing.T) (b burden) {
	t.Helper()
	text := os.Getenv("WPSITEMAPD_LOAD_TIME")
	if text == "" {
		t.Skip("a measurement, which wants a machine of its own: make load")
	}
	var err error
	if b.lasts, err = time.ParseDuration(text); err != nil || b.lasts < time.Second {
		t.Fatalf("WPSITEMAPD_LOAD_TIME: %q: want a second or more", text)
	}
	for name, number := range map[string]*int{"WPSITEMAPD_LOAD_RATE": &b.rate, "WPSITEMAPD_LOAD_SITES": &b.sites} {
		if *number, err = strconv.Atoi(os.Getenv(name)); err != nil || *number < 1 {
			t.Fatalf("%s: %q is no number above 0", name, os.Getenv(name))
		}
	}
	return b
}

const (
	loadClients = 32
	loadEditors = 4 // each with sites of its own
	editRest    = 250 * time.Millisecond
)

// load is one daemon of many sites, and who asks them.
type load struct {
	*testing.T
	burden
	daemon   *daemon
	checkers []*checker

	mu    sync.Mutex
	took  []time.Duration // answers, and judging them
	edits []time.Duration // until seen in every sitemap they are in
}

// TestLoad asks for the sitemaps of many sites while they are edited. Every answer is judged; an
// answer that is older than the last edit which was seen is wrong. The daemon must take no more memory,
// goroutines and descriptors in the end than early on.
func TestLoad(t *testing.T) {
	t.Parallel()
	l := &load{T: t, burden: loadBurden(t)}
	db := newDatabase(t)
	db.exec("SET GLOBAL max_connections = 1000")
	var config strings.Builder
	var sites []*site
	for i := range l.sites {
		name := fmt.Sprintf("load%d", i+1)
		s := db.newSite(name, name+".test", 180, 100) // two pages, also with a quarter in the trash
		sites = append(sites, s)
		fmt.Fprintf(&config, "[[site]]\nname = %q\ndsn = %q\npage_size = %d\n", name,
			fmt.Sprintf("%s:%s@tcp(%s)/%[1]s", name, password, loopback(db.port)), s.pageSize)
	}
	l.daemon = newDaemon(t, "", config.String())
	for _, s := range sites {
		c := newChecker(s, l.daemon.address, loadClients)
		if len(l.checkers) > 0 {
			c.client = l.checkers[0].client // one client's connections serve all sites
		}
		l.checkers = append(l.checkers, c)
	}
	l.daemon.whenStarts = func(up bool) {
		for _, c := range l.checkers {
			c.expect(up)
		}
	}
	l.daemon.start()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for i := range loadClients {
		all.Go(func() { l.ask(ctx, i) })
	}
	for _, c := range l.checkers {
		until(t, "every sitemap is served", func() bool { return c.fresh(1) })
	}
	for i := range min(loadEditors, l.sites) {
		all.Go(func() { l.edit(ctx, i) })
	}
	asked := l.requests()
	start := time.Now()
	samples := l.watch(start.Add(l.lasts))
	lasted := time.Since(start)
	asked = l.requests() - asked
	cancel()
	all.Wait()
	l.judge(asked, lasted, samples)
}

// ask sends the requests of one of the clients, at its times. Who is late does not wait.
func (l *load) ask(ctx context.Context, client int) {
	every := time.Second * loadClients / time.Duration(l.rate)
	next := time.Now().Add(every * time.Duration(client) / loadClients)
	for ctx.Err() == nil {
		if late := time.Since(next); late > time.Second { // what was missed is not made up for
			next = next.Add(late)
		}
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
			return
		}
		next = next.Add(every)
		c := l.checkers[rand.IntN(len(l.checkers))]
		paths := c.site.paths()
		start := time.Now()
		c.ask(ctx, paths[rand.IntN(len(paths))])
		took := time.Since(start)
		l.mu.Lock()
		l.took = append(l.took, took)
		l.mu.Unlock()
	}
}

// edit changes the sites of one of the editors, one after the other.
func (l *load) edit(ctx context.Context, editor int) {
	for ctx.Err() == nil {
		c := l.checkers[editor+loadEditors*rand.IntN((len(l.checkers)-editor+loadEditors-1)/loadEditors)]
		start := time.Now()
		version := c.site.edit()
		if !within(ctx, patience, func() bool { return c.fresh(version) }) {
			if ctx.Err() == nil {
				l.Errorf("an edit is not seen after %v:\n%s", patience, c.behind(version))
			}
			return
		}
		took := time.Since(start)
		c.site.supersede()
		l.mu.Lock()
		l.edits = append(l.edits, took)
		l.mu.Unlock()
		select {
		case <-time.After(editRest):
		case <-ctx.Done():
		}
	}
}

func (l *load) requests() (n int) {
	for _, c := range l.checkers {
		c.mu.Lock()
		n += c.requests
		c.mu.Unlock()
	}
	return n
}

// usage is what the daemon takes at one moment.
type usage struct{ memory, goroutines, descriptors float64 }

// watch looks at the daemon until a moment has come.
func (l *load) watch(end time.Time) (samples []usage) {
	l.Helper()
	every := min(time.Second, l.lasts/40)
	for time.Now().Before(end) && l.Context().Err() == nil {
		m := l.daemon.metrics()
		samples = append(samples, usage{m["process_resident_memory_bytes"], m["go_goroutines"], m["process_open_fds"]})
		rest(l, every)
	}
	return samples
}

// judge prints what came of it.
func (l *load) judge(asked int, lasted time.Duration, samples []usage) {
	l.Helper()
	wrong, fails := 0, 0
	for _, c := range l.checkers {
		c.mu.Lock()
		if wrong += c.wrongs; c.wrongs > 0 {
			l.Errorf("%d wrong answers of %s, the first of them:\n%s", c.wrongs, c.site.schema, strings.Join(c.wrong, "\n"))
		}
		fails += c.fails
		c.mu.Unlock()
	}
	if strings.Contains(l.daemon.out.String(), "level=ERROR") {
		l.Error("the daemon has logged an error")
	}
	rate := float64(asked) / lasted.Seconds()
	if rate < 0.95*float64(l.rate) {
		l.Errorf("%.0f requests a second instead of %d", rate, l.rate)
	}
	if len(l.edits) == 0 {
		l.Error("no edit was seen")
	}
	fmt.Printf("| load | |\n| --- | --- |\n| sites | %d |\n| requests | %d, %.0f a second for %v |\n", l.sites, asked, rate, lasted.Round(time.Second))
	fmt.Printf("| wrong answers, 5xx among them | %d, %d |\n", wrong, fails)
	fmt.Printf("| answer and its judgement, half and 99%% of them within | %v, %v |\n",
		percentile(l.took, 50).Round(10*time.Microsecond), percentile(l.took, 99).Round(10*time.Microsecond))
	fmt.Printf("| edits | %d, half and 99%% of them seen everywhere within %v, %v |\n", len(l.edits),
		percentile(l.edits, 50).Round(10*time.Millisecond), percentile(l.edits, 99).Round(10*time.Millisecond))
	quarter := len(samples) / 4
	if quarter == 0 {
		l.Fatalf("the daemon was looked at %d times", len(samples))
	}
	flat := func(name, unit string, of func(usage) float64, scale, room float64) {
		early, late := middle(samples[quarter:2*quarter], of), middle(samples[3*quarter:], of)
		fmt.Printf("| %s in the second and last quarter | %.0f, %.0f%s |\n", name, early/scale, late/scale, unit)
		if early == 0 || late > 1.1*early+room {
			l.Errorf("%s: %.0f in the second quarter, %.0f in the last", name, early, late)
		}
	}
	flat("memory", " MB", func(u usage) float64 { return u.memory }, 1e6, 16<<20)
	flat("goroutines", "", func(u usage) float64 { return u.goroutines }, 1, 20)
	flat("descriptors", "", func(u usage) float64 { return u.descriptors }, 1, 10)
}

// middle is the median.
func middle(samples []usage, of func(usage) float64) float64 {
	var all []float64
	for _, u := range samples {
		all = append(all, of(u))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// percentile sorts what it is given.
func percentile(all []time.Duration, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, len(all)*percent/100)]
}
