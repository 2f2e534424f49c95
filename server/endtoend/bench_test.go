package endtoend

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

// bulk is a site of many posts for benchmarks, of which a daemon's account reads.
type bulk struct {
	size    wptest.Size
	db      *sql.DB
	account string
	dsn     string // of that account
	dir     string
}

const bulkHost = "bulk.example.test" // of wptest.Bulk's sites

// newBulk loads a site of so many posts.
func newBulk(b *testing.B, posts int) *bulk {
	b.Helper()
	s := &bulk{size: wptest.Size{Posts: posts}, dir: wptest.Folder(b)}
	dsn := wptest.Load(b, wptest.MariaDB)
	s.db, _ = wptest.DB(b, dsn)
	wptest.Must(b, wptest.Bulk(b.Context(), s.db, s.size))
	s.exec(b, "ANALYZE TABLE wp_posts, wp_postmeta, wp_term_relationships, wp_terms, wp_term_taxonomy")
	s.exec(b, "SET GLOBAL userstat = 1")
	b.Cleanup(func() { s.exec(b, "SET GLOBAL userstat = 0") })
	s.dsn = wptest.ReadOnlyDSN(b, dsn)
	cfg, err := mysql.ParseDSN(s.dsn)
	wptest.Must(b, err)
	s.account = cfg.User
	syscall.Sync() // else the system would go on writing beside what is measured
	return s
}

func (s *bulk) exec(b *testing.B, statement string, args ...any) {
	b.Helper()
	if _, err := s.db.Exec(statement, args...); err != nil {
		b.Fatal(err)
	}
}

// config writes the configuration of a daemon and returns its path.
func (s *bulk) config(b *testing.B, listen, more string) string {
	b.Helper()
	path := filepath.Join(s.dir, "config.toml")
	write(b, path, fmt.Sprintf("listen = %q\n[[site]]\nname = \"bulk\"\ndsn = %q\n%s\n", listen, s.dsn, more))
	return path
}

// start starts a daemon in this process, and returns its address once it serves the index.
func (s *bulk) start(b *testing.B, more string) string {
	b.Helper()
	address := daemon(b, s.config(b, "127.0.0.1:0", more))
	s.awaitIndex(b, address)
	return address
}

func (s *bulk) awaitIndex(b *testing.B, address string) {
	b.Helper()
	wptest.Eventually(b, "the index is served", func() bool {
		a := connect(b, address)
		defer a.Close()
		return a.get("/sitemap_index.xml").status == http.StatusOK
	})
}

// page returns the path of a page of 1,000 posts, which is neither the first nor the last; another one for each i.
func (s *bulk) page(i int) string {
	return fmt.Sprintf("/post-sitemap%d.xml", 2+i*7%max(1, s.size.Listed()/1000-1))
}

// counters returns how many statements the account has run so far, and how many rows it has read.
func (s *bulk) counters(b *testing.B) (queries, rows float64) {
	b.Helper()
	is := s.used(b)
	return is.queries, is.rows
}

// usage is what an account has used of its server.
type usage struct{ queries, rows, processor, sent float64 } // seconds of processor time; bytes that the server has sent

// used returns what the account has used so far.
func (s *bulk) used(b *testing.B) (is usage) {
	b.Helper()
	const statement = "SELECT SELECT_COMMANDS, ROWS_READ, CPU_TIME, BYTES_SENT FROM information_schema.USER_STATISTICS WHERE USER = ?"
	err := s.db.QueryRow(statement, s.account).Scan(&is.queries, &is.rows, &is.processor, &is.sent)
	if err != nil && err != sql.ErrNoRows {
		b.Fatal(err)
	}
	return is
}

// settle returns after a second in which the account has done nothing but poll.
func (s *bulk) settle(b *testing.B) {
	b.Helper()
	for range 600 { // the pages of a million posts are rendered ahead for minutes
		before, _ := s.counters(b)
		time.Sleep(time.Second)
		if now, _ := s.counters(b); now-before <= 2 {
			return
		}
	}
	b.Fatal("the daemon has not come to rest in ten minutes")
}

// batch reads the slugs, dates and contents of posts on a connection, and does nothing with them.
func batch(b *testing.B, db *sql.DB, ids []int64) {
	b.Helper()
	scan(b, db, 4, "SELECT post_name, post_date, post_modified_gmt, post_content FROM wp_posts WHERE ID IN ("+listOf(ids)+")", nil)
}

// batchOfRows reads what batch reads, and the pictures of the posts: all rows that a page is made of.
func batchOfRows(b *testing.B, db *sql.DB, ids []int64) {
	b.Helper()
	batch(b, db, ids)
	var pictures []int64
	scan(b, db, 2, "SELECT post_id, meta_value FROM wp_postmeta WHERE meta_key = '_thumbnail_id' AND post_id IN ("+listOf(ids)+")",
		func(row []sql.RawBytes) {
			id, _ := strconv.ParseInt(string(row[1]), 10, 64)
			pictures = append(pictures, id, id+1) // the second picture of wptest.Bulk follows the first
		})
	scan(b, db, 4, "SELECT a.ID, a.post_title, a.post_excerpt, f.meta_value FROM wp_posts a "+
		"LEFT JOIN wp_postmeta f ON f.post_id = a.ID AND f.meta_key = '_wp_attached_file' WHERE a.ID IN ("+listOf(pictures)+")", nil)
}

func listOf(ids []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
}

// scan calls each, which may be nil, with the columns of every row.
func scan(b *testing.B, db *sql.DB, columns int, query string, each func([]sql.RawBytes)) {
	b.Helper()
	rows, err := db.Query(query)
	wptest.Must(b, err)
	defer rows.Close()
	values, into := make([]sql.RawBytes, columns), make([]any, columns)
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		wptest.Must(b, rows.Scan(into...))
		if each != nil {
			each(values)
		}
	}
	wptest.Must(b, rows.Err())
}

// bareLoop reads what an export has to read: ids and dates of all posts, then everything in batches of 1,000 by primary key. It
// returns the ids.
func (s *bulk) bareLoop(b *testing.B) (ids []int64) {
	b.Helper()
	s.db.SetMaxOpenConns(1)
	defer s.db.SetMaxOpenConns(0)
	scan(b, s.db, 5, "SELECT ID, post_date, post_date_gmt, post_modified, post_modified_gmt FROM wp_posts "+
		"WHERE post_type = 'post' AND post_status = 'publish'", func(row []sql.RawBytes) {
		id, _ := strconv.ParseInt(string(row[0]), 10, 64)
		ids = append(ids, id)
	})
	for part := range slices.Chunk(ids, 1000) {
		batch(b, s.db, part)
	}
	return ids
}

// connection is one that is kept and asks for one thing at a time.
type connection struct {
	net.Conn
	host string
	b    *testing.B
	r    *bufio.Reader
}

type reply struct {
	status int
	header http.Header
	body   string
}

func connect(b *testing.B, address string) *connection {
	b.Helper()
	return connectTo(b, address, bulkHost)
}

func connectTo(b *testing.B, address, host string) *connection {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	wptest.Must(b, err)
	return &connection{conn, host, b, bufio.NewReaderSize(conn, 64<<10)}
}

// get asks for a path with more lines of a header, and reads the answer.
func (c *connection) get(path string, lines ...string) reply {
	resp, err := c.ask(path, lines...)
	if err != nil {
		c.b.Error(err)
		return reply{}
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.b.Error(err)
	}
	return reply{resp.StatusCode, resp.Header, string(body)}
}

func (c *connection) ask(path string, lines ...string) (*http.Response, error) {
	_, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: "+c.host+"\r\n"+strings.Join(append(lines, ""), "\r\n")+"\r\n")
	if err != nil {
		return nil, err
	}
	return http.ReadResponse(c.r, nil)
}

// perProcessor asks as answers does. It returns the number of answers, and how many this process gives in a second of processor
// time, its clients included. Other work on the machine takes answers a second, but hardly changes this.
func perProcessor(b *testing.B, address, path string, want int, lines ...string) (number, rate float64) {
	b.Helper()
	before := processor()
	number, _ = answers(b, address, bulkHost, path, want, lines...)
	return number, number / (processor() - before)
}

// processor returns how many seconds of processor time this process has used.
func processor() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// answers asks on sixteen connections for two seconds, and returns the number of answers and how many seconds they took.
func answers(b *testing.B, address, host, path string, want int, lines ...string) (number, took float64) {
	b.Helper()
	var count atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range 16 {
		all.Go(func() {
			c := connectTo(b, address, host)
			defer func() { c.Close() }()
			for time.Since(start) < 2*time.Second {
				resp, err := c.ask(path, lines...)
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
				}
				if err != nil || resp.StatusCode != want {
					b.Errorf("%s: %v, %v", path, resp, err)
					return
				}
				count.Add(1)
				if resp.Close { // as PHP's own server does
					c.Close()
					c = connectTo(b, address, host)
				}
			}
		})
	}
	all.Wait()
	return float64(count.Load()), time.Since(start).Seconds()
}

// BenchmarkRate asks the server of WPSITEMAPD_RATE, its address with a host and a path, for .ci/compare.
func BenchmarkRate(b *testing.B) {
	of := strings.Fields(os.Getenv("WPSITEMAPD_RATE"))
	if len(of) != 3 {
		b.Skip("no server is named")
	}
	var rates []float64
	for b.Loop() {
		number, took := answers(b, of[0], of[1], of[2], http.StatusOK, "Accept-Encoding: gzip")
		rates = append(rates, number/took)
	}
	report(b, map[string]float64{"answers/s": quantile(rates, 0.5)})
}

// seconds returns how long something takes.
func seconds(do func()) float64 {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}

// quantile returns the value at q, from 0 to 1.
func quantile(values []float64, q float64) float64 {
	return slices.Sorted(slices.Values(values))[int(q*float64(len(values)-1)+0.5)]
}

// pairs measures two things in turn, A B A B …, and reports the median, the lowest and the highest of the ratios.
func pairs(b *testing.B, ours, bare func() float64) {
	b.Helper()
	var ratios, first, second []float64
	for b.Loop() {
		x, y := ours(), bare()
		first, second, ratios = append(first, x), append(second, y), append(ratios, x/y)
	}
	report(b, map[string]float64{
		"ratio": quantile(ratios, 0.5), "lowest": quantile(ratios, 0), "highest": quantile(ratios, 1),
		"ours": quantile(first, 0.5), "bare": quantile(second, 0.5),
	})
}

func report(b *testing.B, figures map[string]float64) {
	for _, unit := range slices.Sorted(maps.Keys(figures)) {
		b.ReportMetric(figures[unit], unit)
	}
	b.ReportMetric(0, "ns/op") // not printed
}

// BenchmarkProgram measures the whole program beside something bare that reads or sends the same. The site has
// WPSITEMAPD_BENCH_POSTS posts, or 10,000 if that is not set. .ci/bench prints the table.
func BenchmarkProgram(b *testing.B) {
	posts, err := strconv.Atoi(os.Getenv("WPSITEMAPD_BENCH_POSTS"))
	if err != nil {
		posts = 10_000
	}
	s := newBulk(b, posts)
	b.Run("export", s.export)
	b.Run("kept", s.kept)
	b.Run("cold", s.cold)
	b.Run("edit", s.edit)
	b.Run("rest", s.rest)
	b.Run("memory", s.memory)
	b.Run("first", s.first)
}

// program builds the program and returns its path.
func (s *bulk) program(b *testing.B) string {
	b.Helper()
	path := filepath.Join(s.dir, "wpsitemapd")
	if text, err := exec.Command("go", "build", "-trimpath", "-o", path, "wpsitemapd").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	return path
}

// export measures the program, and the one that WPSITEMAPD_BENCH_OTHER names, which may be of another version, against the bare loop.
func (s *bulk) export(b *testing.B) {
	config, ours, other := s.config(b, "127.0.0.1:0", ""), s.program(b), os.Getenv("WPSITEMAPD_BENCH_OTHER")
	megabytes := 0.0
	export := func(program string) float64 {
		run := exec.CommandContext(b.Context(), program, "export", "--config", config, "--out", wptest.Folder(b))
		return seconds(func() {
			if text, err := run.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, text)
			}
			megabytes = float64(run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
		})
	}
	queries, rows := s.counters(b)
	export(ours) // fills the buffer pool, too
	time.Sleep(200 * time.Millisecond)
	afterwards, rowsNow := s.counters(b)
	var others []float64
	pairs(b, func() float64 { return export(ours) }, func() float64 {
		bare := seconds(func() { s.bareLoop(b) })
		if other != "" {
			others = append(others, export(other)/bare)
		}
		return bare
	})
	if other != "" {
		report(b, map[string]float64{"other": quantile(others, 0.5), "other-lowest": quantile(others, 0), "other-highest": quantile(others, 1)})
	}
	export(ours)
	report(b, map[string]float64{
		"queries": afterwards - queries, "rows/post": (rowsNow - rows) / float64(s.size.Posts), "MB": megabytes,
	})
}

// bareHandler sends a page with some fields of its header, with nothing around it but net/http. configure sets the server's limits.
func bareHandler(b *testing.B, page reply, fields, notModified []string, configure func(*http.Server)) string {
	body, etag := []byte(page.body), page.header.Get("ETag")
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		send := func(names []string) {
			for _, name := range names {
				w.Header()[name] = page.header[name]
			}
		}
		if r.Header.Get("If-None-Match") == etag {
			send(notModified)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		send(fields)
		_, _ = w.Write(body)
	}))
	configure(h.Config)
	h.Start()
	b.Cleanup(h.Close)
	return h.Listener.Addr().String()
}

// kept asks for a cached page, in turn with two handlers that send the same bytes: a bare one, which sends only the fields that a
// client needs, and an equal one, which sends the same fields as the program and has its limits of time.
func (s *bulk) kept(b *testing.B) {
	const zip = "Accept-Encoding: gzip"
	address, path := s.start(b, ""), s.page(1)
	s.settle(b)
	page := connect(b, address).get(path, zip)
	same := connect(b, address).get(path, zip, "If-None-Match: "+page.header.Get("ETag"))
	all := func(of reply) []string {
		return slices.DeleteFunc(slices.Collect(maps.Keys(of.header)), func(name string) bool { return name == "Date" })
	}
	bare := bareHandler(b, page, []string{"Content-Type", "Etag", "Content-Length"}, []string{"Etag"}, func(*http.Server) {})
	equal := bareHandler(b, page, all(page), all(same), func(s *http.Server) {
		s.ReadHeaderTimeout, s.WriteTimeout, s.IdleTimeout = 15*time.Second, 10*time.Minute, 2*time.Minute
	})
	for _, want := range []int{http.StatusOK, http.StatusNotModified} {
		lines := []string{zip}
		if want == http.StatusNotModified {
			lines = append(lines, "If-None-Match: "+page.header.Get("ETag"))
		}
		for name, other := range map[string]string{"bare": bare, "equal": equal} {
			b.Run(fmt.Sprint(want, "/", name), func(b *testing.B) {
				before, _ := s.counters(b)
				asked := 0.0
				pairs(b, func() float64 {
					number, rate := perProcessor(b, address, path, want, lines...)
					asked += number
					return rate
				}, func() float64 {
					_, rate := perProcessor(b, other, path, want, lines...)
					return rate
				})
				now, _ := s.counters(b)
				report(b, map[string]float64{"queries/answer": (now - before) / asked})
			})
		}
	}
}

// cold asks for pages that are not in memory any more, ten in a row, and reads the contents of as many posts, or all rows of as
// many pages.
func (s *bulk) cold(b *testing.B) {
	if s.size.Listed() < 90_000 {
		b.Skip("the pages of a site of 90,000 posts do not fit into the smallest cache, those of this one may")
	}
	const pages, zip = 10, "Accept-Encoding: gzip"
	path := filepath.Join(s.dir, "cold.toml")
	text, err := os.ReadFile(s.config(b, "127.0.0.1:0", ""))
	wptest.Must(b, err)
	write(b, path, "cache_size = \"1MB\"\n"+string(text))
	address := daemon(b, path)
	s.awaitIndex(b, address)
	s.settle(b)
	c, ids, i := connect(b, address), s.bareLoop(b), 0
	for i = range s.size.Listed() / 1000 { // in the order of what is measured, so that each page is gone when its turn comes
		c.get(s.page(i), zip)
	}
	for name, bare := range map[string]func(*testing.B, *sql.DB, []int64){"contents": batch, "rows": batchOfRows} {
		b.Run(name, func(b *testing.B) {
			before, _ := s.counters(b)
			asked := 0.0
			pairs(b, func() float64 {
				asked += pages
				return seconds(func() {
					for range pages {
						i++
						c.get(s.page(i), zip)
					}
				}) / pages
			}, func() float64 {
				return seconds(func() {
					for n := range pages {
						bare(b, s.db, ids[n*1000:(n+1)*1000])
					}
				}) / pages
			})
			now, _ := s.counters(b)
			report(b, map[string]float64{"queries": (now - before) / asked})
		})
	}
}

// first measures how long after its start the program answers for the index of a site: of one site of 10,000 posts, with and
// without state, and of the last of 500 small sites with state.
func (s *bulk) first(b *testing.B) {
	program := s.program(b)
	answered := func(config, address string, hosts ...int) (took float64) {
		start := time.Now()
		daemon := wptest.Launch(b, new(wptest.Buffer), exec.Command(program, "serve", "--config", config))
		defer daemon.Stop(b)
		for _, i := range hosts {
			s.await(b, address, firstHost(i))
		}
		return time.Since(start).Seconds()
	}
	for _, is := range []struct {
		name         string
		sites, posts int
		state        bool
	}{{"new", 1, 10_000, false}, {"state", 1, 10_000, true}, {"many", 500, 10, true}} {
		b.Run(is.name, func(b *testing.B) {
			of := newBulk(b, is.posts)
			address, config := "127.0.0.1:"+wptest.FreePort(b), filepath.Join(of.dir, "first.toml")
			text := fmt.Sprintf("listen = %q\n", address)
			if is.state {
				text += fmt.Sprintf("state = %q\n", filepath.Join(of.dir, "state"))
			}
			var all []int
			for i := range is.sites {
				all = append(all, i)
				text += fmt.Sprintf("[[site]]\nname = \"s%d\"\ndsn = %q\nhome = \"https://%s\"\n", i, of.dsn, firstHost(i))
			}
			write(b, config, text)
			answered(config, address, all...) // fills the state
			var took []float64
			for b.Loop() {
				took = append(took, 1000*answered(config, address, is.sites-1))
			}
			report(b, map[string]float64{"ms": quantile(took, 0.5), "lowest": quantile(took, 0), "highest": quantile(took, 1)})
		})
	}
}

func firstHost(i int) string { return fmt.Sprintf("s%d.example.test", i) }

// await returns as soon as the index is served at a host.
func (s *bulk) await(b *testing.B, address, host string) {
	b.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			continue
		}
		c := &connection{conn, host, b, bufio.NewReader(conn)}
		is := c.get("/sitemap_index.xml").status
		if conn.Close(); is == http.StatusOK {
			return
		}
	}
	b.Fatalf("%s is not served after a minute", host)
}

var locs = regexp.MustCompile(`<loc>https://` + bulkHost + `(/[^<]+)</loc>`)

// edit edits twenty posts a loop, one after the other, as WordPress does, and waits until the page of each shows it.
func (s *bulk) edit(b *testing.B) {
	address := s.start(b, "")
	s.settle(b)
	c := connect(b, address) // now, because an idle connection ends after two minutes
	var took, queries, rows []float64
	for i := 0; b.Loop(); {
		for range 20 {
			i++
			queriesBefore, rowsBefore := s.counters(b)
			took = append(took, 1000*s.change(b, c, s.page(i), i))
			queriesNow, rowsNow := s.counters(b)
			queries, rows = append(queries, queriesNow-queriesBefore), append(rows, rowsNow-rowsBefore)
			time.Sleep(time.Duration(i*37%1000) * time.Millisecond) // not in step with the poll
		}
	}
	report(b, map[string]float64{
		"p50-ms": quantile(took, 0.5), "p99-ms": quantile(took, 0.99), "queries": quantile(queries, 0.5), "rows": quantile(rows, 0.5),
	})
}

// change changes the slug of a post on a page, as saving it does, and returns after how many seconds the page shows it.
func (s *bulk) change(b *testing.B, c *connection, page string, i int) float64 {
	before := c.get(page)
	found := locs.FindAllStringSubmatch(before.body, -1)
	slug := strings.Trim(found[1+i*31%(len(found)-1)][1], "/")
	var id int64
	if err := s.db.QueryRow("SELECT ID FROM wp_posts WHERE post_name = ? AND post_type = 'post'", slug).Scan(&id); err != nil {
		b.Fatalf("%s: %v", slug, err)
	}
	changed := fmt.Sprintf("edited-%d-%d", i, id)
	s.exec(b, "UPDATE wp_posts SET post_name = ?, post_modified = NOW(), post_modified_gmt = UTC_TIMESTAMP() WHERE ID = ?", changed, id)
	s.exec(b, "INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, post_status, post_name, "+
		"to_ping, pinged, post_modified, post_modified_gmt, post_content_filtered, post_parent, post_type) "+
		"SELECT post_author, NOW(), UTC_TIMESTAMP(), post_content, post_title, post_excerpt, 'inherit', CONCAT(ID, '-revision-v1'), '', "+
		"'', NOW(), UTC_TIMESTAMP(), '', ID, 'revision' FROM wp_posts WHERE ID = ?", id)
	return seconds(func() {
		for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(2 * time.Millisecond) {
			if a := c.get(page, "If-None-Match: "+before.header.Get("ETag")); strings.Contains(a.body, "/"+changed+"/") {
				return
			}
		}
		b.Fatalf("an edit on %s is not visible after a minute", page)
	})
}

// rest measures what a site costs that nobody edits or asks for: a poll a second, and at most one full scan an hour.
func (s *bulk) rest(b *testing.B) {
	const day, hours = 24 * 60 * 60, 24
	before, own := s.used(b), processor()
	s.start(b, "")
	read, ownRead := s.used(b), processor()
	for range 5 { // the pages that are rendered ahead may pause for a second
		s.settle(b)
	}
	resting, from, ownFrom := s.used(b), time.Now(), processor()
	for b.Loop() {
		time.Sleep(5 * time.Second)
	}
	now, took := s.used(b), time.Since(from).Seconds()
	polls := now.queries - resting.queries
	report(b, map[string]float64{
		"polls": polls, "poll-us": 1e6 * (now.processor - resting.processor) / polls, "poll-B": (now.sent - resting.sent) / polls,
		"scan-s": read.processor - before.processor, "scan-MB": (read.sent - before.sent) / 1e6, "own-scan-s": ownRead - own,
		"server-s/day":  day/took*(now.processor-resting.processor) + hours*(read.processor-before.processor),
		"MB/day":        (day/took*(now.sent-resting.sent) + hours*(read.sent-before.sent)) / 1e6,
		"program-s/day": day/took*(processor()-ownFrom) + hours*(ownRead-own),
	})
}

var resident = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// memory crawls everything and looks at what a daemon in a process of its own then holds.
func (s *bulk) memory(b *testing.B) {
	program := s.program(b)
	for b.Loop() {
		address := "127.0.0.1:" + wptest.FreePort(b)
		daemon := wptest.Launch(b, new(wptest.Buffer), exec.Command(program, "serve", "--config", s.config(b, address, "")))
		wptest.Eventually(b, "the daemon listens", func() bool {
			conn, err := net.Dial("tcp", address)
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
		s.awaitIndex(b, address)
		c, urls := connect(b, address), 0
		for _, m := range locs.FindAllStringSubmatch(c.get("/sitemap_index.xml").body, -1) {
			urls += strings.Count(c.get(m[1]).body, "<url>")
		}
		time.Sleep(5 * time.Second) // what requests have left behind is collected
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", daemon.Cmd.Process.Pid))
		daemon.Stop(b)
		m := resident.FindSubmatch(text)
		if m == nil {
			b.Fatalf("no VmRSS in %q", text)
		}
		kilobytes, _ := strconv.Atoi(string(m[1]))
		report(b, map[string]float64{"MB": float64(kilobytes) / 1024, "URLs": float64(urls)})
	}
}
