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

	"wpsitemapd/wp/wptest"
)

const (
	loadClients = 32
	loadEditors = 4 // each with sites of its own
	editRest    = 250 * time.Millisecond
)

// load is one daemon of many sites, and who asks them.
type load struct {
	*testing.T
	rate     int // requests a second, of all sites together
	daemon   *daemon
	checkers []*checker // one for each site

	mu    sync.Mutex
	took  []time.Duration // answers, and judging them
	edits []time.Duration // until seen in every sitemap they are in
}

// TestLoad asks for the sitemaps of many sites while they are edited, as the variables that "make load" sets say. Every answer
// is judged; an answer that is older than the last edit which was seen is wrong. The daemon must take no more memory,
// goroutines and descriptors in the end than early on.
func TestLoad(t *testing.T) {
	if os.Getenv("WPSITEMAPD_LOAD_TIME") == "" {
		t.Skip("a measurement, which wants a machine of its own: make load")
	}
	lasts, err := time.ParseDuration(os.Getenv("WPSITEMAPD_LOAD_TIME"))
	wptest.Must(t, err)
	rate, err := strconv.Atoi(os.Getenv("WPSITEMAPD_LOAD_RATE"))
	wptest.Must(t, err)
	sites, err := strconv.Atoi(os.Getenv("WPSITEMAPD_LOAD_SITES"))
	wptest.Must(t, err)

	l := &load{T: t, rate: rate}
	db := newDatabase(t)
	db.exec("SET GLOBAL max_connections = 1000")
	var config strings.Builder
	for i := range sites {
		name := fmt.Sprintf("load%d", i+1)
		c := newChecker(db.newSite(name, name+".test", 180, 100), "", loadClients) // two pages, also with a quarter in the trash
		l.checkers = append(l.checkers, c)
		c.client = l.checkers[0].client // one client's connections serve all sites
		fmt.Fprintf(&config, "[[site]]\nname = %q\ndsn = %q\npage_size = %d\n", name,
			fmt.Sprintf("%s:%s@tcp(%s)/%[1]s", name, password, db.address()), c.site.pageSize)
	}
	l.daemon = newDaemon(t, "", config.String())
	l.daemon.whenStarts = func(up bool) {
		for _, c := range l.checkers {
			c.address = l.daemon.address
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
		if !within(ctx, wptest.Patience, func() bool { return c.fresh(1) }) {
			t.Fatalf("not every sitemap is served after %v:\n%s%s", wptest.Patience, c.behind(1), strings.Join(c.wrong, "\n"))
		}
	}
	for i := range min(loadEditors, sites) {
		all.Go(func() { l.edit(ctx, i) })
	}
	before, start := l.figures(), time.Now()
	samples := map[string][]float64{}
	for time.Since(start) < lasts && t.Context().Err() == nil {
		for name, value := range l.daemon.metrics() {
			samples[name] = append(samples[name], value)
		}
		rest(t, min(time.Second, lasts/40))
	}
	lasted, after := time.Since(start), l.figures()
	cancel()
	all.Wait()
	l.judge(after.requests-before.requests, lasted, samples)
}

// ask sends the requests of one of the clients, at its times. Who is late does not wait.
func (l *load) ask(ctx context.Context, client int) {
	every := time.Second * loadClients / time.Duration(l.rate)
	next := time.Now().Add(every * time.Duration(client) / loadClients)
	for ctx.Err() == nil {
		if late := time.Since(next); late > time.Second { // what was missed is not made up for
			next = next.Add(late)
		}
		pause(ctx, time.Until(next))
		next = next.Add(every)
		c := l.checkers[rand.IntN(len(l.checkers))]
		paths := c.site.paths()
		start := time.Now()
		c.ask(ctx, paths[rand.IntN(len(paths))])
		l.note(&l.took, start)
	}
}

// edit changes the sites of one of the editors, one after the other.
func (l *load) edit(ctx context.Context, editor int) {
	for ctx.Err() == nil {
		c := l.checkers[editor+loadEditors*rand.IntN((len(l.checkers)-editor+loadEditors-1)/loadEditors)]
		start := time.Now()
		version := c.site.edit()
		if !within(ctx, wptest.Patience, func() bool { return c.fresh(version) }) {
			if ctx.Err() == nil {
				l.Errorf("an edit is not seen after %v:\n%s", wptest.Patience, c.behind(version))
			}
			return
		}
		l.note(&l.edits, start)
		c.site.supersede()
		pause(ctx, editRest)
	}
}

func (l *load) note(times *[]time.Duration, start time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*times = append(*times, time.Since(start))
}

// figures returns the figures of all sites, added up.
func (l *load) figures() (sum figures) {
	for _, c := range l.checkers {
		sum.add(l.T, c)
	}
	return sum
}

// judge prints what came of it.
func (l *load) judge(asked int, lasted time.Duration, samples map[string][]float64) {
	l.Helper()
	all := l.figures()
	if strings.Contains(l.daemon.out.String(), "level=ERROR") {
		l.Error("the daemon has logged an error")
	}
	rate := float64(asked) / lasted.Seconds()
	if rate < 0.95*float64(l.rate) {
		l.Errorf("%.0f requests a second instead of %d", rate, l.rate)
	}
	if len(l.edits) == 0 {
		l.Fatal("no edit was seen")
	}
	fmt.Printf("| load | |\n| --- | --- |\n| sites | %d |\n| requests | %d, %.0f a second for %v |\n",
		len(l.checkers), asked, rate, lasted.Round(time.Second))
	fmt.Printf("| wrong answers, 5xx among them | %d, %d |\n", all.wrongs, all.fails)
	fmt.Printf("| answer and its judgement, half and 99%% of them within | %v, %v |\n",
		percentile(l.took, 50).Round(10*time.Microsecond), percentile(l.took, 99).Round(10*time.Microsecond))
	fmt.Printf("| edits | %d, half and 99%% of them seen everywhere within %v, %v |\n", len(l.edits),
		percentile(l.edits, 50).Round(10*time.Millisecond), percentile(l.edits, 99).Round(10*time.Millisecond))
	for name, room := range map[string]float64{"process_resident_memory_bytes": 16 << 20, "go_goroutines": 20, "process_open_fds": 10} {
		quarter := len(samples[name]) / 4
		early, late := percentile(samples[name][quarter:2*quarter], 50), percentile(samples[name][3*quarter:], 50)
		fmt.Printf("| %s in the second and last quarter | %.0f, %.0f |\n", name, early, late)
		if early == 0 || late > 1.1*early+room {
			l.Errorf("%s: %.0f in the second quarter, %.0f in the last", name, early, late)
		}
	}
}

// percentile is 0 of nothing.
func percentile[N ~int64 | ~float64](all []N, percent int) (n N) {
	if len(all) > 0 {
		n = slices.Sorted(slices.Values(all))[min(len(all)-1, len(all)*percent/100)]
	}
	return n
}
