package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const host = "bulk.example.test" // of sample.Bulk's sites

// export compares a cold export, from the start of the process to the last file, with the
// bare loop; and that of a big site with it.
func (b *bench) export(ctx context.Context) error {
	small, err := b.exports(ctx, b.site, b.runs)
	if err != nil {
		return err
	}
	if b.big == 0 {
		return nil
	}
	big, err := b.load(ctx, b.big)
	if err != nil {
		return err
	}
	defer b.drop(big)
	large, err := b.exports(ctx, big, min(b.runs, 3))
	if err != nil {
		return err
	}
	b.table.add(fmt.Sprintf("cold export, %d posts", b.big), fmt.Sprintf("**%.1f**", large.median()/small.median()), "times that of %d posts (%s against %s)",
		b.posts, duration(large.median()), duration(small.median()))
	return b.residentAfterCrawl(ctx, big)
}

func (b *bench) exports(ctx context.Context, d *database, runs int) (values, error) {
	var export, bare, processor, bareProcessor values
	peak := 0.0
	before, err := d.counters(ctx)
	if err != nil {
		return nil, err
	}
	for i := range runs + 1 {
		out := filepath.Join(b.dir, "out")
		e, err := b.measure(ctx, b.binary, "export", "--config", d.config, "--out", out)
		if err != nil {
			return nil, err
		}
		if i == 0 { // it warmed the buffer pool, and the statistics were on
			work, err := d.since(ctx, before)
			if err != nil {
				return nil, err
			}
			b.table.add(fmt.Sprintf("database work of an export, %d posts", d.posts), fmt.Sprintf("**%.0f** queries", work.queries),
				"%.0f rows read, %.1f a post", work.rows, work.rows/float64(d.posts))
		}
		l, err := b.measure(ctx, b.self, "bare", d.cfg.FormatDSN())
		if err != nil {
			return nil, err
		}
		if err := os.RemoveAll(out); err != nil {
			return nil, err
		}
		if i == 0 {
			continue
		}
		export, bare = append(export, e.Seconds), append(bare, l.Seconds)
		processor, bareProcessor = append(processor, e.Processor), append(bareProcessor, l.Processor)
		peak = max(peak, e.Peak)
		progress(fmt.Sprintf("  export %s, bare loop %s", duration(e.Seconds), duration(l.Seconds)))
	}
	b.table.add(fmt.Sprintf("cold export, %d posts", d.posts), export.ratio(bare).spread("%.2f"), "times the bare loop over the same rows (%s against %s; processor time of the process itself %.1f times)",
		duration(export.median()), duration(bare.median()), processor.ratio(bareProcessor).median())
	b.table.add(fmt.Sprintf("peak resident memory of that export, %d posts", d.posts), "**"+megabytes(peak)+"**", "")
	return export, nil
}

// work is what a server did for the account of the daemon.
type work struct{ queries, rows float64 }

// counters reads what the account has cost so far, and has the server count from now on.
func (d *database) counters(ctx context.Context) (w work, err error) {
	if _, err := d.db.ExecContext(ctx, "SET GLOBAL userstat = 1"); err != nil {
		return w, err
	}
	err = d.db.QueryRowContext(ctx, "SELECT SELECT_COMMANDS, ROWS_READ FROM information_schema.USER_STATISTICS WHERE USER = ?", d.account).Scan(&w.queries, &w.rows)
	if err == sql.ErrNoRows {
		err = nil
	}
	return w, err
}

// since returns what the account has cost since, and has the server cease to count.
func (d *database) since(ctx context.Context, before work) (work, error) {
	time.Sleep(200 * time.Millisecond) // a connection that closes is counted then
	now, err := d.counters(ctx)
	if err == nil {
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
	b.table.add("page of 1,000 posts, cold", page.ratio(query).spread("%.1f"), "times one bare query for the slugs, dates and contents of 1,000 posts (%s against %s)", duration(page.median()), duration(query.median()))
	b.table.add("page of 1,000 posts, kept", "**"+duration(warmPage.median())+"**", "compressed, one at a time")
	return nil
}

// oneBatch reads 1,000 posts as the bare loop does, and returns the seconds it took.
func (b *bench) oneBatch(ctx context.Context, i int) (float64, error) {
	var first int64
	err := b.site.db.QueryRowContext(ctx, "SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' ORDER BY post_date, ID LIMIT 1").Scan(&first)
	if err != nil {
		return 0, err
	}
	first += int64((1 + i*7%max(1, b.site.listed/1000-1)) * 1000)
	var list strings.Builder
	for id := first; id < first+1000; id++ {
		list.WriteString("," + strconv.FormatInt(id, 10))
	}
	start := time.Now()
	rows, err := b.site.db.QueryContext(ctx, "SELECT post_name, post_date, post_modified_gmt, post_content FROM wp_posts WHERE ID IN ("+list.String()[1:]+")")
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
	var seen values
	before, err := b.site.counters(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	for i := range b.edits {
		took, err := b.edit(ctx, c, pages[random.IntN(len(pages))], i, random)
		if err != nil {
			return err
		}
		seen = append(seen, took)
		// at any place within the beat of the daemon
		if err := pause(ctx, 500*time.Millisecond+time.Duration(random.IntN(1000))*time.Millisecond); err != nil {
			return err
		}
	}
	cost, err := b.site.since(ctx, before)
	if err != nil {
		return err
	}
	edits := float64(b.edits)
	b.table.add("an edit is visible, default settings", fmt.Sprintf("p50 **%s**, p99 **%s**", duration(seen.median()), duration(seen.quantile(0.99))), "%d edits on %d posts", b.edits, b.site.posts)
	b.table.add("database work of an edit", fmt.Sprintf("**%.1f** queries, **%.0f** rows", cost.queries/edits, cost.rows/edits), "with the looks at the tables in the %s that passed; the index over type, status and date has %d rows",
		duration(time.Since(began).Seconds()/edits), b.site.posts)
	return nil
}

// idle measures what a daemon costs that nobody asks for anything.
func (b *bench) idle(ctx context.Context, s *service) error {
	if err := pause(ctx, 3*time.Second); err != nil {
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
	b.table.add("idle", fmt.Sprintf("**%.1f** queries a second", cost.queries/took), "%.0f rows a second, %.1f %% of a processor", cost.rows/took, 100*used/took)
	return nil
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
		"UPDATE wp_posts SET post_name = '" + changed + "', post_modified = NOW(), post_modified_gmt = UTC_TIMESTAMP() WHERE ID = " + strconv.FormatInt(id, 10),
		"INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, post_status, post_name, to_ping, pinged, post_modified, post_modified_gmt, post_content_filtered, post_parent, post_type) " +
			"SELECT post_author, NOW(), UTC_TIMESTAMP(), post_content, post_title, post_excerpt, 'inherit', CONCAT(ID, '-revision-v1'), '', '', NOW(), UTC_TIMESTAMP(), '', ID, 'revision' FROM wp_posts WHERE ID = " + strconv.FormatInt(id, 10),
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
	b.table.add(fmt.Sprintf("daemon after a full crawl, %d posts", d.posts), "**"+megabytes(s.status("VmRSS"))+"** resident", "%d addresses in %s of sitemaps; peak %s",
		urls, megabytes(float64(bytes)), megabytes(s.status("VmHWM")))
	return nil
}

var fleetLine = regexp.MustCompile(`(?m)^.*?: (\d+ sites up in .*)$`)

// fleet runs TestFleet, whose daemon shares its process with the test.
func (b *bench) fleet(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^TestFleet$/^one_account", "-count", "1", "-v", "./server")
	cmd.Env = append(os.Environ(), "WPSITEMAPD_FLEET_SITES="+strconv.Itoa(b.sites))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	m := fleetLine.FindSubmatch(out)
	if m == nil {
		return fmt.Errorf("TestFleet tells nothing:\n%s", out)
	}
	b.table.add(fmt.Sprintf("%d small sites of one account, idle", b.sites), string(m[1]), "")
	return nil
}
