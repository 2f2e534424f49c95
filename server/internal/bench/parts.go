package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const host = "bulk.example.test" // of sample.Bulk's sites

// export compares a cold export, from the start of the process to the last file, with the
// bare loop.
func (b *bench) export(ctx context.Context) error {
	before, err := b.site.counters(ctx)
	if err != nil {
		return err
	}
	if _, err := b.exportOf(ctx, b.site); err != nil { // it warms the buffer pool, and the statistics are on
		return err
	}
	work, err := b.site.since(ctx, before)
	if err != nil {
		return err
	}
	b.table.add(fmt.Sprintf("database work of an export, %s posts", thousands(b.posts)), fmt.Sprintf("**%.0f** queries", work.queries),
		"%.0f rows read, %.1f a post", work.rows, work.rows/float64(b.posts))
	var export, bare, processor, bareProcessor values
	peak := 0.0
	for range b.runs {
		e, err := b.exportOf(ctx, b.site)
		if err != nil {
			return err
		}
		l, err := b.measure(ctx, b.self, "bare", b.site.cfg.FormatDSN())
		if err != nil {
			return err
		}
		export, bare = append(export, e.Seconds), append(bare, l.Seconds)
		processor, bareProcessor = append(processor, e.Processor), append(bareProcessor, l.Processor)
		peak = max(peak, e.Peak)
		progress(fmt.Sprintf("  export %s, bare loop %s", duration(e.Seconds), duration(l.Seconds)))
	}
	b.table.must(fmt.Sprintf("full cold `export` of %s posts ÷ bare loop, data in the buffer pool", thousands(b.posts)), "≤ 2.5",
		"%s; %s against %s", export.ratio(bare).spread("%.2f"), duration(export.median()), duration(bare.median()))
	b.table.add("the same by processor time of the process itself", processor.ratio(bareProcessor).spread("%.1f"),
		"%s against %s", duration(processor.median()), duration(bareProcessor.median()))
	b.table.add(fmt.Sprintf("peak resident memory of that export, %s posts", thousands(b.posts)), "**"+megabytes(peak)+"**", "")
	return nil
}

// exportOf runs one export. What it writes stays until the end: for seconds after files are removed, ext4
// without a journal steps over each of their inodes for every file that is made.
func (b *bench) exportOf(ctx context.Context, d *database) (cost, error) {
	out, err := os.MkdirTemp(b.dir, "out-")
	if err != nil {
		return cost{}, err
	}
	return b.measure(ctx, b.binary, "export", "--config", d.config, "--out", out)
}

// bigSite compares the export of a big site with that of the site, and measures its memory.
func (b *bench) bigSite(ctx context.Context) error {
	if b.big == 0 {
		return nil
	}
	big, err := b.load(ctx, b.big)
	if err != nil {
		return err
	}
	defer b.drop(big)
	if _, err := b.exportOf(ctx, big); err != nil { // it warms the buffer pool
		return err
	}
	var large, small values
	peak := 0.0
	for range min(b.runs, 3) {
		l, err := b.exportOf(ctx, big)
		if err != nil {
			return err
		}
		s, err := b.exportOf(ctx, b.site)
		if err != nil {
			return err
		}
		large, small, peak = append(large, l.Seconds), append(small, s.Seconds), max(peak, l.Peak)
		progress(fmt.Sprintf("  export of %s posts %s, of %s %s", thousands(b.big), duration(l.Seconds), thousands(b.posts), duration(s.Seconds)))
	}
	b.table.must(fmt.Sprintf("full cold `export` of %s posts ÷ of %s posts", thousands(b.big), thousands(b.posts)), "≤ 11",
		"%s; %s against %s", large.ratio(small).spread("%.1f"), duration(large.median()), duration(small.median()))
	b.table.must(fmt.Sprintf("peak resident memory of the export of %s posts", thousands(b.big)), "≤ 256 MB", "**%s**", megabytes(peak))
	return b.residentAfterCrawl(ctx, big)
}

// work is what a server did for the account of the daemon.
type work struct{ queries, rows float64 }

// counters reads what the account has cost so far, and has the server count from now on.
func (d *database) counters(ctx context.Context) (w work, err error) {
	if !strings.Contains(d.version, "MariaDB") {
		return d.serverCounters(ctx)
	}
	if _, err := d.db.ExecContext(ctx, "SET GLOBAL userstat = 1"); err != nil {
		return w, err
	}
	err = d.db.QueryRowContext(ctx, "SELECT SELECT_COMMANDS, ROWS_READ FROM information_schema.USER_STATISTICS WHERE USER = ?",
		d.account).Scan(&w.queries, &w.rows)
	if err == sql.ErrNoRows {
		err = nil
	}
	return w, err
}

// serverCounters reads what the whole server has done, where it counts by no account. Few others ask it meanwhile.
func (d *database) serverCounters(ctx context.Context) (w work, err error) {
	for name, count := range map[string]*float64{"Com_select": &w.queries, "Innodb_rows_read": &w.rows} {
		if err = d.db.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE '"+name+"'").Scan(&name, count); err != nil {
			return w, err
		}
	}
	return w, nil
}

// since returns what the account has cost since, and has the server cease to count.
func (d *database) since(ctx context.Context, before work) (work, error) {
	time.Sleep(200 * time.Millisecond) // a connection that closes is counted then
	now, err := d.counters(ctx)
	if err == nil && strings.Contains(d.version, "MariaDB") {
		_, err = d.db.ExecContext(ctx, "SET GLOBAL userstat = 0")
	}
	return work{now.queries - before.queries, now.rows - before.rows}, err
}

// get asks for a path of the site, without compression.
func (s *service) get(path string) (status int, body string, err error) {
	c, err := dial(s.address)
	if err != nil {
		return 0, "", err
	}
	defer c.close()
	return c.get(request(path))
}

// middle is a page in the middle of the posts.
func (b *bench) middle() string {
	return fmt.Sprintf("/post-sitemap%d.xml", max(2, b.site.listed/2000))
}

// pages measures the first and the later answers.
func (b *bench) pages(ctx context.Context) error {
	var index, warmIndex, page, warmPage, query values
	paths := []string{b.middle()}
	for i := range b.runs {
		s, err := b.daemon(b.site, "")
		if err != nil {
			return err
		}
		c, err := dial(s.address)
		if err != nil {
			s.stop()
			return err
		}
		ask := func(path string) float64 {
			start := time.Now()
			if status, _, e := c.get(request(path, "Accept-Encoding: gzip")); e != nil || status != http.StatusOK {
				err = fmt.Errorf("%s: status %d, %v", path, status, e)
			}
			return time.Since(start).Seconds()
		}
		path := paths[0]
		if i > 0 { // not always the same rows
			path = fmt.Sprintf("/post-sitemap%d.xml", 2+(i*7)%max(1, b.site.listed/1000-1))
		}
		page = append(page, ask(path))
		took, e := b.oneBatch(ctx, i)
		if e != nil {
			err = e
		}
		query = append(query, took)
		var again, indexAgain values
		for range 200 {
			again, indexAgain = append(again, ask(path)), append(indexAgain, ask("/sitemap_index.xml"))
		}
		warmPage, warmIndex = append(warmPage, again.median()), append(warmIndex, indexAgain.median())
		c.close()
		s.stop()
		if err != nil {
			return err
		}
		start := time.Now()
		s, err = b.daemon(b.site, "")
		if err != nil {
			return err
		}
		index = append(index, time.Since(start).Seconds())
		s.stop()
	}
	b.table.add("index, cold", "**"+duration(index.median())+"**", "from the start of the daemon to its first index")
	b.table.add("index, kept", "**"+duration(warmIndex.median())+"**", "compressed, one at a time")
	b.table.add("page of 1,000 posts, cold", page.ratio(query).spread("%.1f"),
		"times one bare query for the slugs, dates and contents of 1,000 posts (%s against %s)",
		duration(page.median()), duration(query.median()))
	b.table.add("page of 1,000 posts, kept", "**"+duration(warmPage.median())+"**", "compressed, one at a time")
	return nil
}

// oneBatch reads 1,000 posts as the bare loop does, and returns the seconds it took.
func (b *bench) oneBatch(ctx context.Context, i int) (float64, error) {
	var first int64
	err := b.site.db.QueryRowContext(ctx,
		"SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' ORDER BY post_date, ID LIMIT 1").Scan(&first)
	if err != nil {
		return 0, err
	}
	first += int64((1 + i*7%max(1, b.site.listed/1000-1)) * 1000)
	var list strings.Builder
	for id := first; id < first+1000; id++ {
		list.WriteString("," + strconv.FormatInt(id, 10))
	}
	start := time.Now()
	rows, err := b.site.db.QueryContext(ctx,
		"SELECT post_name, post_date, post_modified_gmt, post_content FROM wp_posts WHERE ID IN ("+list.String()[1:]+")")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var columns [4]sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&columns[0], &columns[1], &columns[2], &columns[3]); err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds(), rows.Err()
}

var locs = regexp.MustCompile(`<loc>(https://[^<]+)</loc>`)

// freshness edits posts as WordPress does and waits until their page shows it.
func (b *bench) freshness(ctx context.Context) error {
	s, err := b.daemon(b.site, "")
	if err != nil {
		return err
	}
	defer s.stop()
	_, index, err := s.get("/sitemap_index.xml")
	if err != nil {
		return err
	}
	var pages []string
	for _, m := range locs.FindAllStringSubmatch(index, -1) {
		if u, err := url.Parse(m[1]); err == nil && strings.HasPrefix(u.Path, "/post-sitemap") {
			pages = append(pages, u.Path)
		}
	}
	if err := b.idle(ctx, s); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.close()
	for _, page := range pages { // as crawlers have done before
		if status, _, err := c.get(request(page)); err != nil || status != http.StatusOK {
			return fmt.Errorf("%s: status %d, %v", page, status, err)
		}
	}
	var seen, queries, rows values
	first, err := b.site.counters(ctx)
	if err != nil {
		return err
	}
	before, began := first, time.Now()
	for i := range b.edits {
		took, err := b.edit(ctx, c, pages[random.IntN(len(pages))], i, random)
		if err != nil {
			return err
		}
		seen = append(seen, took)
		// the next one at any place within the beat of the daemon, and not before all is done
		if err := pause(ctx, time.Second+time.Duration(random.IntN(1000))*time.Millisecond); err != nil {
			return err
		}
		now, err := b.site.counters(ctx)
		if err != nil {
			return err
		}
		queries, rows = append(queries, now.queries-before.queries), append(rows, now.rows-before.rows)
		before = now
	}
	each := time.Since(began).Seconds() / float64(b.edits)
	if _, err := b.site.since(ctx, first); err != nil { // which ends the counting
		return err
	}
	b.table.must(fmt.Sprintf("one edit on a site of %s posts → visible, default settings", thousands(b.site.posts)), "p99 ≤ 2 s",
		"p50 **%s**, p99 **%s**; %d edits", duration(seen.median()), duration(seen.quantile(0.99)), b.edits)
	b.table.must("database work of that edit",
		fmt.Sprintf("≤ 20 queries; ≤ 5,000 rows beyond one pass over an index, which has %s", thousands(b.site.posts)),
		"**%.0f** queries, **%.0f** rows, median, with the page and the looks at the tables in the %s that passed; %.1f and %.0f on average, with audits",
		queries.median(), rows.median(), duration(each), queries.mean(), rows.mean())
	return nil
}

// idle measures what a daemon costs that nobody asks for anything, once it has made every page ahead of requests.
func (b *bench) idle(ctx context.Context, s *service) error {
	if err := b.settled(ctx); err != nil {
		return err
	}
	before, err := b.site.counters(ctx)
	if err != nil {
		return err
	}
	used, start := s.processor(), time.Now()
	if err := pause(ctx, 10*time.Second); err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	used = s.processor() - used
	cost, err := b.site.since(ctx, before)
	if err != nil {
		return err
	}
	b.table.must("idle", "one query a tick and database account; at most 50 a second on one server",
		"**%.1f** queries a second, %.0f rows; %.1f %% of a processor", cost.queries/took, cost.rows/took, 100*used/took)
	return nil
}

// settled returns after a second in which the account has asked for nothing but whether something was written.
func (b *bench) settled(ctx context.Context) error {
	for range 120 {
		before, err := b.site.counters(ctx)
		if err != nil {
			return err
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
		now, err := b.site.counters(ctx)
		if err != nil {
			return err
		}
		if now.queries-before.queries <= 2 {
			return nil
		}
	}
	return errors.New("the daemon has not come to rest in two minutes")
}

// edit changes the slug of a post on a page, as saving it does, and returns after how many
// seconds the page has the new one.
func (b *bench) edit(ctx context.Context, c *client, page string, i int, random *rand.Rand) (float64, error) {
	status, body, err := c.get(request(page))
	if err != nil || status != http.StatusOK {
		return 0, fmt.Errorf("%s: status %d, %v", page, status, err)
	}
	found := locs.FindAllStringSubmatch(body, -1)
	slug := strings.Trim(strings.TrimPrefix(found[1+random.IntN(len(found)-1)][1], "https://"+host), "/")
	var id int64
	if err := b.site.db.QueryRowContext(ctx, "SELECT ID FROM wp_posts WHERE post_name = ? AND post_type = 'post'", slug).Scan(&id); err != nil {
		return 0, fmt.Errorf("%s: %w", slug, err)
	}
	changed := "edited-" + strconv.Itoa(i) + "-" + strconv.FormatInt(id, 10)
	for _, statement := range []string{
		"UPDATE wp_posts SET post_name = '" + changed +
			"', post_modified = NOW(), post_modified_gmt = UTC_TIMESTAMP() WHERE ID = " + strconv.FormatInt(id, 10),
		"INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, post_status, post_name, " +
			"to_ping, pinged, post_modified, post_modified_gmt, post_content_filtered, post_parent, post_type) " +
			"SELECT post_author, NOW(), UTC_TIMESTAMP(), post_content, post_title, post_excerpt, 'inherit', CONCAT(ID, '-revision-v1'), '', " +
			"'', NOW(), UTC_TIMESTAMP(), '', ID, 'revision' FROM wp_posts WHERE ID = " + strconv.FormatInt(id, 10),
	} {
		if _, err := b.site.db.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	for time.Since(start) < time.Minute {
		tag := c.etag
		status, body, err := c.get(request(page, "If-None-Match: "+tag))
		if err != nil {
			return 0, err
		}
		if status == http.StatusOK && strings.Contains(body, "/"+changed+"/") {
			return time.Since(start).Seconds(), nil
		}
		if err := pause(ctx, 2*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("an edit on %s is not visible after a minute", page)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// memory crawls everything once and looks at what the daemon then holds.
func (b *bench) memory(ctx context.Context) error {
	if b.posts > 10_000 {
		d, err := b.load(ctx, 10_000)
		if err != nil {
			return err
		}
		err = b.residentAfterCrawl(ctx, d)
		b.drop(d)
		if err != nil {
			return err
		}
	}
	return b.residentAfterCrawl(ctx, b.site)
}

func (b *bench) residentAfterCrawl(ctx context.Context, d *database) error {
	s, err := b.daemon(d, "")
	if err != nil {
		return err
	}
	defer s.stop()
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.close()
	_, index, err := c.get(request("/sitemap_index.xml"))
	if err != nil {
		return err
	}
	urls, bytes := 0, 0
	for _, m := range locs.FindAllStringSubmatch(index, -1) {
		u, err := url.Parse(m[1])
		if err != nil {
			return err
		}
		status, body, err := c.get(request(u.Path))
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("%s: status %d, %v", u.Path, status, err)
		}
		urls += strings.Count(body, "<url>")
		bytes += len(body)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := pause(ctx, 5*time.Second); err != nil {
		return err
	}
	bound := float64(memoryBase + memoryPerEntry*urls + cacheSize)
	measure := fmt.Sprintf("daemon serving %s posts after a full crawl", thousands(d.posts))
	b.table.must(measure, "≤ 64 MB + 64 B × entries + `cache_size`, here "+megabytes(bound),
		"**%s**, peak %s; %s addresses in %s of sitemaps", megabytes(s.status("VmRSS")),
		megabytes(s.status("VmHWM")), thousands(urls), megabytes(float64(bytes)))
	return nil
}

// What a daemon may take, with the default cache_size.
const (
	memoryBase     = 64 << 20
	memoryPerEntry = 64
	cacheSize      = 64 << 20
)

// goTest runs a test or benchmark of the server, and returns what is found in its output, of one
// that failed, too.
func (b *bench) goTest(ctx context.Context, find *regexp.Regexp, environment []string, args ...string) ([][]string, error) {
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"test", "-count", "1", "-timeout", "30m"}, args...), "./server")...)
	cmd.Env = append(os.Environ(), environment...)
	out, err := cmd.CombinedOutput()
	found := find.FindAllStringSubmatch(string(out), -1)
	if err == nil && found == nil {
		err = fmt.Errorf("go test %s tells nothing", strings.Join(args, " "))
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return found, err
}

var fleetLine = regexp.MustCompile(`(\d+) sites up in (\S+); at most (\d+) connections; at rest (\S+) statements a second, ` +
	`(\S+) % of one processor, (\d+) MB resident`)

// fleet runs TestFleet, whose daemon shares its process with the test.
func (b *bench) fleet(ctx context.Context) error {
	found, err := b.goTest(ctx, fleetLine, []string{"WPSITEMAPD_FLEET_SITES=" + strconv.Itoa(b.sites)}, "-run", "^TestFleet$/^one_account", "-v")
	if found == nil {
		return err
	}
	m := found[0]
	b.table.must(m[1]+" small sites, idle", "≤ 250 MB resident, ≤ 2 % of a core",
		"**%s MB**, **%s %%**; one account, %s statements a second; all up in %s with at most %s connections",
		m[6], m[5], m[4], m[2], m[3])
	return err
}
