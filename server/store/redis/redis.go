// Package redis is a store in a Redis or Valkey, which many processes share.
package redis

import (
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"wpsitemapd/server/store"

	"github.com/redis/go-redis/v9"
)

// These are the bounds of dealing with Redis. A request waits for readTimeout at most, and only the first one that
// gets no answer: until Redis answers once more, it is not asked.
const (
	readTimeout  = 250 * time.Millisecond
	beatTimeout  = time.Second
	dialTimeout  = 2 * time.Second
	writeTimeout = 10 * time.Second  // a file may have many megabytes
	maxReads     = 8                 // at a time
	flushTime    = 5 * time.Second   // for what waits when the store is closed
	lastDown     = 30 * time.Second  // the longest pause after it failed again and again
	beatEvery    = time.Second       // between checks whether it answers, and holds the same data
	touchEvery   = 3                 // beats from one look at all sites to the next
	lossEvery    = 60                // beats at least from one loss of some keys to the next: memory may be short
	keptFor      = store.ForgetAfter // after the last write
	pruneAfter   = 10 * time.Minute  // a page that another process may not know of yet is that old
	maxSites     = 500               // asked for in one go
)

// Store is a store in a Redis or Valkey that many processes share. It is safe for concurrent use. Set its fields before
// Open. Each process writes what it has made; the last one to write a page or a record is right.
//
// What comes from Redis is checked as what comes from a disk. Redis may vanish, hang or be emptied at any time: then
// nothing is found, nothing waits, and what was written is written again later.
type Store struct {
	Address *Address
	Limit   int64         // bytes of each site; copies written longest ago go first
	Lost    func()        // called once Redis has lost what was written; nil: not
	Beat    time.Duration // 0: beatEvery
	Log     *slog.Logger  // nil: slog.Default

	client   redis.UniversalClient
	id       string        // of this process
	reads    chan struct{} // slots
	lossSeen time.Time     // of some keys; for touchAll alone

	mu      sync.Mutex
	waiting store.Queue
	writing bool
	marks   map[string]map[string]string // what was written, by site and path
	records map[string]*store.Job        // the last of every blog and site, by path
	sites   []string
	held    map[string][2]int64 // number and bytes of files, by site
	up      bool
	until   time.Time // Redis is not asked before
	fails   int       // in a row
	epoch   string    // of the data in Redis; "" is not known
	stats   store.Stats
	wake    chan struct{}
}

// New returns a store in the Redis of an address. Open connects.
func New(address string, opt store.Options) (*Store, error) {
	a, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return &Store{
		Address: a,
		Limit:   opt.Limit,
		Lost:    opt.Lost,
		Beat:    opt.Beat,
		Log:     opt.Log,
	}, nil
}

// String is the address without users and passwords.
func (r *Store) String() string { return r.Address.String() }

type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// The library writes to the standard error by itself, addresses among it; what matters comes back as an error.
func init() { redis.SetLogger(quiet{}) }

// Open connects. Where Redis does not answer, nothing is found in it until it does.
func (r *Store) Open() error {
	if r.Log == nil {
		r.Log = slog.Default()
	}
	if r.Beat == 0 {
		r.Beat = beatEvery
	}
	r.id = rand.Text()
	r.client = r.Address.connect()
	r.reads = make(chan struct{}, maxReads)
	r.wake = make(chan struct{}, 1)
	r.marks, r.records = map[string]map[string]string{}, map[string]*store.Job{}
	r.held = map[string][2]int64{}
	return r.beat(context.Background())
}

// Stats returns what happened since the start, and what is there.
func (r *Store) Stats() store.Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	stats := r.stats
	stats.Queued, stats.Limit, stats.Redis = r.waiting.Len(), r.Limit, true
	if r.writing {
		stats.Queued++
	}
	for _, n := range r.held {
		stats.Files += int(n[0])
		stats.Bytes += n[1]
	}
	return stats
}

// beat checks whether Redis answers and still holds what was written.
func (r *Store) beat(ctx context.Context) error {
	r.mu.Lock()
	early := time.Now().Before(r.until)
	r.mu.Unlock()
	if early {
		return nil
	}
	timed, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	key := r.Address.root() + "epoch"
	err := r.client.SetNX(timed, key, rand.Text(), 0).Err()
	epoch := ""
	if err == nil {
		epoch, err = r.client.Get(timed, key).Result()
	}
	if err != nil {
		if ctx.Err() != nil {
			return err // it is the end
		}
		r.fail(err, false)
		return err
	}
	r.mu.Lock()
	lost := r.epoch != "" && r.epoch != epoch
	r.epoch = epoch
	before := r.stats.Error
	r.up, r.stats.Error = true, ""
	r.mu.Unlock()
	if before != "" {
		r.Log.Info("Redis answers again; stored pages are shared", "state", r.Address)
	}
	if lost {
		r.lost()
	}
	r.poke()
	return nil
}

// lost has everything written once more.
func (r *Store) lost() {
	r.mu.Lock()
	clear(r.marks)
	for _, j := range r.records {
		again := *j
		r.addLocked(&again)
	}
	r.mu.Unlock()
	r.Log.Warn("Redis has lost its data; it is written anew", "state", r.Address)
	if r.Lost != nil {
		r.Lost()
	}
}

// fail notes that Redis did not answer; asked reports that a query failed, not the attempt to connect.
func (r *Store) fail(err error, asked bool) {
	r.mu.Lock()
	before := r.stats.Error
	r.up = false
	r.stats.Error = err.Error()
	if asked {
		r.until = time.Now().Add(min(r.Beat<<min(r.fails, 10), lastDown))
		r.fails++
	}
	r.mu.Unlock()
	if before == "" {
		r.Log.Error("Redis does not answer correctly; each process works on its own",
			"state", r.Address, "reason", err, "hint", "check Redis; the daemon retries automatically")
	}
}

func (r *Store) answered() {
	r.mu.Lock()
	r.fails = 0
	r.mu.Unlock()
}

func (r *Store) usable() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up
}

func (r *Store) poke() {
	select {
	case r.wake <- struct{}{}:
	default: // Run has a signal already
	}
}

// Run writes what is saved until ctx ends, and then for some seconds what still
// waits.
func (r *Store) Run(ctx context.Context) {
	beats := make(chan struct{})
	ended, stop := context.WithCancel(context.Background())
	go func() {
		defer close(beats)
		tick := time.NewTicker(r.Beat)
		defer tick.Stop()
		for n := 0; ; n++ {
			if n%touchEvery == 0 && r.usable() {
				r.touchAll(ended)
			}
			select {
			case <-ended.Done():
				return
			case <-tick.C:
			}
			_ = r.beat(ended) // it has logged why
		}
	}()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-r.wake:
			r.write(ctx)
		}
	}
	last, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	r.write(last)
	stop()
	<-beats
	r.client.Close()
}

// put writes a file and makes room for it.
//
//	KEYS files, order; ARGV field, value, milliseconds to live, limit, rank or "", "ahead" or ""
//
// Files without a rank are records, which stay. The sum of all bytes is a field of its own: a server
// short of memory may drop a key, and nothing must be out of step then.
var put = redis.NewScript(`
local bytes = tonumber(redis.call('HGET', KEYS[1], ':bytes') or '0')
bytes = bytes - redis.call('HSTRLEN', KEYS[1], ARGV[1]) + #ARGV[2]
if ARGV[6] ~= '' and bytes > tonumber(ARGV[4]) then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[5] ~= '' then
  redis.call('ZADD', KEYS[2], tonumber(redis.call('TIME')[1]) + tonumber(ARGV[5]), ARGV[1])
end
local dropped = 0
while bytes > tonumber(ARGV[4]) do
  local victim = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  if not victim or victim == ARGV[1] then break end
  bytes = bytes - redis.call('HSTRLEN', KEYS[1], victim)
  redis.call('HDEL', KEYS[1], victim)
  redis.call('ZREM', KEYS[2], victim)
  dropped = dropped + 1
end
redis.call('HSET', KEYS[1], ':bytes', bytes)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return dropped`)

// indexRank has indexes go last.
const indexRank = 1 << 32

// drop removes files, those with a sum only while they have it.
//
//	KEYS files, order; ARGV sum or "", fields
var drop = redis.NewScript(`
local dropped = 0
for i = 2, #ARGV do
  local value = ARGV[1] ~= '' and redis.call('HGET', KEYS[1], ARGV[i])
  if not value or redis.sha1hex(value) == ARGV[1] then
    redis.call('HINCRBY', KEYS[1], ':bytes', -redis.call('HSTRLEN', KEYS[1], ARGV[i]))
    dropped = dropped + redis.call('HDEL', KEYS[1], ARGV[i])
    redis.call('ZREM', KEYS[2], ARGV[i])
  end
end
return dropped`)

func (r *Store) keys(dir string) []string {
	site := store.TopDir(dir)
	return []string{r.keyOf(site, "files"), r.keyOf(site, "order")}
}

// keyOf is the key of something of a site. All of a site's are in one slot of a cluster, so that
// scripts may use them together. Records of another version are others.
func (r *Store) keyOf(dir, what string) string { return r.Address.root() + "{" + dir + "}:" + what }

// write writes what waits.
func (r *Store) write(ctx context.Context) {
	for ctx.Err() == nil && r.usable() {
		r.mu.Lock()
		j := r.waiting.Next()
		r.writing = j != nil
		r.mu.Unlock()
		if j == nil {
			return
		}
		data, err := j.Encode()
		if err != nil { // the next try would fail, too
			r.count(func(s *store.Stats) { s.Failed++ })
			r.Log.Error("a file cannot be encoded for Redis", "file", j.Path(), "reason", err, "hint", "report it with this log entry")
			continue
		}
		if int64(len(data)) > r.Limit && j.Mark != "" {
			r.count(func(s *store.Stats) { s.Missed++ })
			continue
		}
		rank := ""
		if j.Mark != "" {
			if rank = "0"; j.Name == store.IndexName {
				rank = strconv.FormatInt(indexRank, 10)
			}
		}
		ahead := ""
		if j.Ahead {
			ahead = "ahead"
		}
		timed, cancel := context.WithTimeout(ctx, writeTimeout)
		dropped, err := put.Run(timed, r.client, r.keys(j.Dir), j.Path(), data, keptFor.Milliseconds(), r.Limit, rank, ahead).Int()
		cancel()
		if err != nil {
			r.mu.Lock()
			r.stats.Failed++
			r.writing = false
			r.waiting.Retry(j)
			r.mu.Unlock()
			if ctx.Err() == nil {
				r.fail(err, true)
			}
			return
		}
		r.answered()
		if dropped < 0 {
			continue
		}
		r.mu.Lock()
		r.stats.Written++
		r.stats.Pruned += dropped
		if top := store.TopDir(j.Dir); j.Mark != "" {
			if r.marks[top] == nil || dropped > 0 { // Redis does not say which were dropped
				r.marks[top] = map[string]string{}
			}
			r.marks[top][j.Path()] = j.Mark
		}
		r.mu.Unlock()
		if j.After != nil {
			j.After()
		}
	}
	r.mu.Lock()
	r.writing = false
	r.mu.Unlock()
}

func (r *Store) count(f func(*store.Stats)) {
	r.mu.Lock()
	f(&r.stats)
	r.mu.Unlock()
}

// read hands a file to decode. What is damaged is removed.
func (r *Store) read(dir, name string, decode func([]byte) error) bool {
	path := filepath.Join(dir, name)
	data, err := r.ask(func(ctx context.Context) ([]byte, error) {
		return r.client.HGet(ctx, r.keys(dir)[0], path).Bytes()
	})
	if err == nil {
		err = decode(data)
	}
	if err == nil {
		return true
	}
	if !errors.Is(err, store.ErrDamaged) {
		return false // fail has logged it, or there is none
	}
	r.count(func(s *store.Stats) { s.Damaged++ })
	r.Log.Error("discarded a corrupt file in Redis",
		"state", r.Address, "file", path, "reason", err, "hint", "if this repeats, find out who else writes there")
	sum := sha1.Sum(data) // by which Redis distinguishes it from a newer one
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), beatTimeout)
		defer cancel()
		_ = drop.Run(ctx, r.client, r.keys(dir), hex.EncodeToString(sum[:]), path).Err() // the next read finds it, too
	}()
	return false
}

var errBusy = errors.New("no answer of Redis, or it has enough to do")

// ask reads something from Redis and waits for that no longer than readTimeout, whatever the library does.
func (r *Store) ask(get func(context.Context) ([]byte, error)) ([]byte, error) {
	if !r.usable() {
		return nil, errBusy
	}
	select {
	case r.reads <- struct{}{}:
	default:
		return nil, errBusy
	}
	type answer struct {
		data []byte
		err  error
	}
	answers := make(chan answer, 1)
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	go func() {
		defer func() { <-r.reads }()
		data, err := get(ctx)
		answers <- answer{data, err}
	}()
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	switch {
	case a.err == nil, errors.Is(a.err, redis.Nil):
		r.answered()
	case redis.HasErrorPrefix(a.err, "WRONGTYPE"): // somebody else's
	default:
		r.fail(a.err, true)
	}
	return a.data, a.err
}

// Copy returns a page's copy, nil when there is none.
func (r *Store) Copy(key store.Key) *store.Copy { return store.ReadCopy(r.read, key) }

// Site returns what was remembered of a site and of those of its blogs that can be served;
// nil when there is nothing.
func (r *Store) Site(name string) (*store.Site, []*store.Blog) { return store.ReadSite(r.read, name) }

// Note reads a note into value, and returns its body. It is false where there is none, or none
// that is whole.
func (r *Store) Note(n store.Note, value any) (body []byte, ok bool) {
	return store.ReadNote(r.read, n, value)
}

// Save has a copy written, unless that very copy was. It reports whether it will be: not when the
// queue is full, and then it may be saved again. Its bytes must not change.
func (r *Store) Save(c *store.Copy) bool {
	j := store.CopyJob(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.waiting.Has(j) && r.marks[store.TopDir(j.Dir)][j.Path()] == j.Mark {
		return true
	}
	return r.addLocked(j)
}

func (r *Store) addLocked(j *store.Job) bool {
	if !r.waiting.Add(j) {
		r.stats.Missed++
		return false
	}
	r.poke()
	return true
}

// Has reports whether this process has written that page's copy, or will in a moment.
func (r *Store) Has(key store.Key) bool {
	path := filepath.Join(store.BlogDir(key.Site, key.Blog), store.CopyName(key.Name, key.Page))
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.marks[store.SiteDir(key.Site)][path] != "" || r.waiting.At(path) != nil
}

// Room is about the number of bytes that are free for a site.
func (r *Store) Room(site string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.up {
		return 0
	}
	return r.Limit - r.held[store.SiteDir(site)][1]
}

// SaveBlog has a blog's record written. Copies of pages that it does not list are removed then, a while
// after they were written.
func (r *Store) SaveBlog(b *store.Blog) bool {
	j := store.BlogJob(b)
	j.After = func() { r.prune(j.Dir, b.FileNames()) }
	return r.saveRecord(j)
}

// SaveSite has a site's record written.
func (r *Store) SaveSite(site *store.Site) bool { return r.saveRecord(store.SiteJob(site)) }

// saveRecord has a record written, again where Redis loses it.
func (r *Store) saveRecord(j *store.Job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := *j
	r.records[j.Path()] = &kept
	return r.addLocked(j)
}

// SaveNote has a note written.
func (r *Store) SaveNote(n store.Note, value any, body []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.addLocked(store.NoteJob(n, value, body))
}

// Claim reports whether this process is the first to claim a text of a site. Nobody else gets the same for a while.
// Where Redis does not answer everybody is the first.
func (r *Store) Claim(site, text string, lasts time.Duration) bool {
	if !r.usable() {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), beatTimeout)
	defer cancel()
	sum := sha1.Sum([]byte(text))
	key := r.keyOf(store.SiteDir(site), "claim:"+hex.EncodeToString(sum[:]))
	first, err := r.client.SetNX(ctx, key, r.id, lasts).Result()
	if err == nil && !first {
		var holder string
		holder, err = r.client.Get(ctx, key).Result()
		first = holder == r.id // it tries again
	}
	if err != nil {
		r.fail(err, true)
		return true
	}
	return first
}

// prune removes a blog's copies of pages that its record does not list. Another process may know of
// a page already of which this one will learn.
func (r *Store) prune(dir string, keep map[string]bool) {
	ctx, cancel := context.WithTimeout(context.Background(), beatTimeout)
	defer cancel()
	keys := r.keys(dir)
	now, err := r.client.Time(ctx).Result()
	if err != nil {
		return // with the next record
	}
	old := strconv.FormatInt(now.Add(-pruneAfter).Unix(), 10)
	paths, err := r.client.ZRangeArgs(ctx, redis.ZRangeArgs{Key: keys[1], Start: "-inf", Stop: old, ByScore: true}).Result()
	if err != nil {
		return
	}
	args := []any{""}
	for _, path := range paths {
		if d, name := filepath.Split(path); filepath.Clean(d) == dir && !keep[name] {
			args = append(args, path)
		}
	}
	if len(args) == 1 {
		return
	}
	if n, err := drop.Run(ctx, r.client, keys, args...).Int(); err == nil && n > 0 {
		r.count(func(s *store.Stats) { s.Pruned += n })
	}
}

// Retain sets the sites of the configuration. What is kept of others expires by itself.
func (r *Store) Retain(sites []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sites = nil
	for _, name := range sites {
		r.sites = append(r.sites, store.SiteDir(name))
	}
	gone := func(dir string) bool { return !slices.Contains(r.sites, dir) }
	maps.DeleteFunc(r.marks, func(dir string, _ map[string]string) bool { return gone(dir) })
	maps.DeleteFunc(r.held, func(dir string, _ [2]int64) bool { return gone(dir) })
	for path, j := range r.records {
		if gone(store.TopDir(j.Dir)) {
			delete(r.records, path)
		}
	}
}

// touch keeps the files of a site for another while, and returns their number and bytes.
//
//	KEYS files, order; ARGV milliseconds to live
var touch = redis.NewScript(`
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return {redis.call('HLEN', KEYS[1]), tonumber(redis.call('HGET', KEYS[1], ':bytes') or '0')}`)

// touchAll keeps what there is of all sites, and notices what has gone.
func (r *Store) touchAll(ctx context.Context) {
	r.mu.Lock()
	sites := slices.Clone(r.sites)
	written := map[string]bool{}
	for site, marks := range r.marks {
		written[site] = len(marks) > 0
	}
	r.mu.Unlock()
	lost := false
	for part := range slices.Chunk(sites, maxSites) {
		timed, cancel := context.WithTimeout(ctx, 2*beatTimeout)
		cmds := make([]*redis.Cmd, len(part))
		_, err := r.client.Pipelined(timed, func(p redis.Pipeliner) error {
			for i, site := range part {
				cmds[i] = touch.Eval(timed, p, r.keys(site), keptFor.Milliseconds())
			}
			return nil
		})
		cancel()
		for i, cmd := range cmds {
			n, err := cmd.Int64Slice()
			if err != nil || len(n) != 2 {
				continue
			}
			files := max(0, n[0]-1) // the sum is a field, too
			lost = lost || written[part[i]] && files == 0
			r.mu.Lock()
			r.held[part[i]] = [2]int64{files, n[1]}
			r.mu.Unlock()
		}
		if err != nil && ctx.Err() == nil {
			r.fail(err, true)
			return
		}
	}
	if lost && time.Since(r.lossSeen) > lossEvery*r.Beat { // one server of a cluster, or a server short of memory
		r.lossSeen = time.Now()
		r.lost()
	}
}
