package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// failingStore is a store in memory that fails when a test says so.
type failingStore struct {
	Backend
	Blobs
	shared bool

	mu    sync.Mutex
	blobs map[Name]Blob
	saves []string // the names of pages, in the order in which they were saved; a failed one in brackets
	fails error
}

func (s *failingStore) Kind() Kind {
	return Kind{Place: "in memory", Shared: s.shared, Timeout: time.Second, Beat: time.Minute}
}

func (s *failingStore) Open(string, *slog.Logger) (Blobs, string, error) { return s, "the memory", nil }
func (s *failingStore) Close() error                                     { return nil }

func (s *failingStore) Save(_ context.Context, b Blob, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		s.saves = append(s.saves, "("+b.Key+")")
		return s.fails
	}
	b.Size, b.Used = int64(len(data)), time.Now()
	s.blobs[b.Name] = b
	s.saves = append(s.saves, b.Key)
	return nil
}

func (s *failingStore) List(_ context.Context, site string) (all []Blob, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.blobs {
		if site == "" || b.Site == site {
			all = append(all, b)
		}
	}
	return all, s.fails
}

func (s *failingStore) Delete(_ context.Context, names []Name) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range names {
		delete(s.blobs, n)
	}
	return s.fails
}

func (s *failingStore) Stats(context.Context, []string) (map[string]Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	usage := map[string]Usage{}
	for _, b := range s.blobs {
		u := usage[b.Site]
		u.Blobs, u.Bytes = u.Blobs+1, u.Bytes+b.Size
		usage[b.Site] = u
	}
	return usage, s.fails
}

func (s *failingStore) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = err
}

// saved returns what was saved since the last call.
func (s *failingStore) saved() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.saves, ", ")
	s.saves = nil
	return text
}

// inMemory calls a test with a store that runs, in which time passes at once.
func inMemory(t *testing.T, opt Options, test func(t *testing.T, s *Store, in *failingStore, log *wptest.Buffer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in, log := &failingStore{blobs: map[Name]Blob{}}, new(wptest.Buffer)
		opt.Log = slog.New(slog.NewTextHandler(log, nil))
		s, err := New(in, "", opt)
		wptest.Must(t, err)
		wptest.Must(t, s.Open())
		s.Retain([]string{"a"})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { defer close(ended); s.Run(ctx) }()
		synctest.Wait()
		test(t, s, in, log)
		cancel()
		<-ended
	})
}

// page is a page of the site a with a body of some bytes.
func page(name string, bytes int) *PageRecord {
	return &PageRecord{Key: Key{Site: "a", Blog: "1 https://a.test", Name: name, Page: 1}, Hash: name, Body: make([]byte, bytes)}
}

// What fails is written again after a second, then after growing pauses up to half a minute. That is logged once.
func TestWritesAreRepeated(t *testing.T) {
	inMemory(t, Options{}, func(t *testing.T, s *Store, in *failingStore, log *wptest.Buffer) {
		in.fail(errors.New("no space"))
		expect.Equal(t, s.SavePage(page("one", 10)), true)
		synctest.Wait()
		expect.Equal(t, in.saved(), "(one 1)")
		expect.Equal(t, s.Stats().Error, "no space")
		expect.Equal(t, s.Has(page("one", 10).Key), true, "it waits")
		expect.Equal(t, s.Stats().Queued, 1)
		expect.Equal(t, s.SavePage(page("two", 10)), true)
		synctest.Wait()
		expect.Equal(t, in.saved(), "", "nothing is written until the store answers again")
		expect.Equal(t, s.SavePage(&PageRecord{Key: Key{Site: "a", Name: "ahead"}, Ahead: true}), false, "a page that nobody asked for has no room")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		expect.Equal(t, in.saved(), "", "the store does not answer")
		in.fail(nil)
		time.Sleep(lastPause)
		synctest.Wait()
		expect.Equal(t, in.saved(), "one 1, two 1")
		stats := s.Stats()
		expect.Equal(t, fmt.Sprint(stats.Error, stats.Queued, stats.Written, stats.Failed, stats.Missed, stats.Blobs), "0 2 1 1 2")
		expect.Equal(t, log.Count("cached pages cannot be stored"), 1)
		expect.Equal(t, log.Count("cached pages can be stored again"), 1)
	})
}

// If blobs disappear, what was saved counts as lost. The daemon is told, and the operator too.
func TestLostBlobs(t *testing.T) {
	lost := 0
	inMemory(t, Options{Lost: func() { lost++ }}, func(t *testing.T, s *Store, in *failingStore, log *wptest.Buffer) {
		s.SavePage(page("one", 10))
		s.SavePage(page("two", 10))
		synctest.Wait()
		expect.Equal(t, s.Saving(), 1)
		time.Sleep(3 * time.Minute)
		expect.Equal(t, s.Saving(), 1, "nothing is lost")
		wptest.Must(t, in.Delete(t.Context(), []Name{page("one", 10).name()}))
		time.Sleep(time.Minute)
		synctest.Wait()
		expect.Equal(t, s.Saving(), 2)
		expect.Equal(t, lost, 1)
		expect.Equal(t, log.Count("the store has lost cached pages"), 1)
		expect.Equal(t, s.Has(page("one", 10).Key), false)
		expect.Equal(t, s.Has(page("two", 10).Key), true)
		expect.Equal(t, s.Stats().Blobs, 1)
		in.saved()
		s.SavePage(page("one", 10))
		s.SavePage(page("two", 10))
		synctest.Wait()
		expect.Equal(t, in.saved(), "one 1", "what is still there is not written again")
	})
}

// A new page takes the room of the pages that were used longest ago, and a little more. A record always has room.
func TestRoomForPages(t *testing.T) {
	inMemory(t, Options{Limit: 100_000}, func(t *testing.T, s *Store, in *failingStore, _ *wptest.Buffer) {
		save := func(p *PageRecord) {
			t.Helper()
			s.SavePage(p)
			synctest.Wait()
			time.Sleep(time.Second)
		}
		for i := range 9 {
			save(page(fmt.Sprint("p", i), 10_000))
		}
		expect.Equal(t, s.Stats().Blobs, 9)
		ahead := page("ahead", 20_000)
		ahead.Ahead = true
		save(ahead)
		expect.Equal(t, s.Has(ahead.Key), false, "a page that nobody asked for removes no other page")
		save(page("large", 200_000))
		expect.Equal(t, s.Has(page("large", 0).Key), false, "a page beyond the limit removes no other page")
		expect.Equal(t, s.Stats().Blobs, 9)
		save(page("new", 10_000))
		expect.Equal(t, s.Has(page("new", 0).Key), true)
		expect.Equal(t, s.Has(page("p0", 0).Key), false, "the page used longest ago")
		expect.Equal(t, s.Has(page("p2", 0).Key), true)
		expect.Equal(t, s.SaveNote(Note{Site: "a", Name: "n"}, strings.Repeat("x", 150_000)), true)
		synctest.Wait()
		if stats := s.Stats(); stats.Bytes < 150_000 || stats.Blobs != 1 {
			t.Errorf("a note that needs all room: %+v", stats)
		}
		in.saved()
	})
}

// A value that cannot be encoded is dropped, because another try would fail too.
func TestValueThatCannotBeEncoded(t *testing.T) {
	inMemory(t, Options{}, func(t *testing.T, s *Store, in *failingStore, log *wptest.Buffer) {
		s.SaveNote(Note{Site: "a", Name: "n"}, func() {})
		s.SavePage(page("one", 10))
		synctest.Wait()
		expect.Equal(t, in.saved(), "one 1")
		expect.Equal(t, s.Stats().Failed, 1)
		expect.Equal(t, s.Stats().Error, "")
		expect.Equal(t, log.Count("cannot be encoded"), 1)
	})
}

// The blobs of a site are removed a week after it has left the configuration, by the date of its newest blob.
func TestOldSites(t *testing.T) {
	now := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		rule   string
		shared bool
		used   []time.Duration // how long ago the blobs were used
		left   int
	}{
		{"a week ago", false, []time.Duration{ForgetAfter}, 1}, {"more than a week ago", false, []time.Duration{ForgetAfter + 1}, 0},
		{"one of them later", false, []time.Duration{2 * ForgetAfter, time.Hour}, 2}, {"a shared store", true, []time.Duration{2 * ForgetAfter}, 1},
	} {
		in := &failingStore{blobs: map[Name]Blob{}, shared: tt.shared}
		s, err := New(in, "", Options{Now: func() time.Time { return now }})
		wptest.Must(t, err)
		for i, ago := range tt.used {
			n := Name{kindPage, "old", "", fmt.Sprint(i)}
			in.blobs[n] = Blob{Name: n, Used: now.Add(-ago)}
		}
		s.removeOld(t.Context())
		expect.Equal(t, len(in.blobs), len(tt.used), tt.rule, "before the sites are known")
		s.Retain([]string{"a"})
		s.removeOld(t.Context())
		expect.Equal(t, len(in.blobs), tt.left, tt.rule)
	}
}

// The queue has one job for each name, in the order in which they came, and a bounded size.
func TestQueueOfJobs(t *testing.T) {
	t.Parallel()
	n := func(key string) Name { return Name{Key: key} }
	var q queue
	add := func(key string, size int64, ahead bool) bool {
		return q.add(&job{Name: n(key), size: size, ahead: ahead})
	}
	expect.Equal(t, add("a", 100, true), true)
	expect.Equal(t, add("b", 100, false), true)
	expect.Equal(t, q.bytes, 200+2*jobOverhead)
	expect.Equal(t, add("a", 300, true), true)
	expect.Equal(t, q.bytes, 400+2*jobOverhead, "the newer job takes the place of the older one")
	expect.Equal(t, q.at(n("a")).ahead, true)
	add("a", 300, false)
	add("a", 300, true)
	expect.Equal(t, q.at(n("a")).ahead, false, "somebody has asked for it once")
	expect.Equal(t, add("c", MaxQueue-q.bytes-jobOverhead+1, false), false, "too much")
	expect.Equal(t, q.at(n("c")) == nil, true)
	expect.Equal(t, add("c", MaxQueue-q.bytes-jobOverhead, false), true, "all room")
	first := q.next()
	expect.Equal(t, first.Key+q.next().Key, "ab")
	q.retry(first)
	q.retry(&job{Name: n("c"), size: 7})
	expect.Equal(t, q.bytes, MaxQueue-100-jobOverhead, "a newer job for the same name stays")
	expect.Equal(t, q.next().Key+q.next().Key, "ca")
	expect.Equal(t, q.next() == nil && q.bytes == 0 && len(q.byName) == 0, true, q.bytes)
}

// A store begins with the clock, the log and the beat of its kind. A shared store has no limit of its own.
func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := New(&failingStore{}, "", Options{Limit: 7})
	wptest.Must(t, err)
	expect.Equal(t, s.Now != nil && s.Log != nil, true)
	expect.Equal(t, s.Beat, time.Minute)
	expect.Equal(t, s.Stats(), Stats{Place: "in memory", Limit: 7})
	expect.Equal(t, s.String(), "the memory")
	s, err = New(&failingStore{shared: true}, "", Options{Limit: 7, Beat: time.Second})
	wptest.Must(t, err)
	expect.Equal(t, s.Beat, time.Second)
	expect.Equal(t, s.Stats().Limit, 0)
	expect.Equal(t, s.room(), MaxQueue)
	s.unwritable = errors.New("x")
	expect.Equal(t, s.room(), 0)
	s.unreachable = errors.New("y")
	expect.Equal(t, s.Stats().Error, "y")
}

// A page is stored again if anything of it changes that visitors could notice.
func TestMarkOfPage(t *testing.T) {
	t.Parallel()
	noon := time.Unix(1e9, 0)
	p := PageRecord{Hash: "h", Version: "v", Modified: noon, Expires: noon, Gzipped: []byte{}}
	for rule, change := range map[string]func(*PageRecord){
		"bytes": func(p *PageRecord) { p.Hash = "x" }, "version": func(p *PageRecord) { p.Version = "x" }, "date": func(p *PageRecord) { p.Modified = noon.Add(1) },
		"end": func(p *PageRecord) { p.Expires = noon.Add(1) }, "compressed form": func(p *PageRecord) { p.Gzipped = nil },
	} {
		o := p
		change(&o)
		expect.Equal(t, o.mark() != p.mark(), true, rule)
	}
	o := p
	o.Built, o.Ahead = noon, true
	expect.Equal(t, o.mark(), p.mark(), "when it was rendered does not matter")
}

// Only complete blobs are read: with the checksum, and of a size that a page may have.
func TestBlobs(t *testing.T) {
	t.Parallel()
	head := ""
	data, err := encode("head", []byte("body\nof two lines"))
	wptest.Must(t, err)
	body, err := decode(data, &head)
	wptest.Must(t, err)
	expect.Equal(t, head+" "+string(body), "head body\nof two lines")
	for _, bad := range [][]byte{nil, data[:3], data[:4], data[1:], data[:len(data)-1], append(bytes.Clone(data), 0)} {
		_, err := decode(bad, &head)
		expect.Equal(t, err != nil, true, len(bad))
	}
	_, err = encode("", make([]byte, maxBlob-len("\"\"\n")-4))
	expect.Equal(t, err, nil, "the largest blob")
	_, err = encode("", make([]byte, maxBlob-len("\"\"\n")-3))
	expect.Equal(t, err != nil, true, "a blob that is too large")
	_, err = gunzip([]byte("no gzip"))
	expect.Equal(t, err != nil, true)
}

// The pages of a blog are those that its outline lists, the first pages of open sitemaps, and its robots.txt.
func TestPagesOfBlog(t *testing.T) {
	t.Parallel()
	keep := pagesOf(&catalog.Outline{
		Files: []catalog.File{{Name: "post", Page: 2}}, Others: []catalog.File{{Name: "txt", Page: 1}}, Open: []string{"news"},
	})
	expect.Equal(t, fmt.Sprint(keep), "map[news 1:true post 2:true robots.txt 0:true txt 1:true]")
}
