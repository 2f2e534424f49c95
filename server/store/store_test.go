package store_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// open opens a store in a folder for the site a.
func open(t *testing.T, dir string, opt store.Options) (s *store.Store, stop func()) {
	t.Helper()
	if opt.Limit == 0 {
		opt.Limit = 1 << 30
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return servertest.OpenStore(t, sqlite.Backend, dir, opt, "a")
}

func TestWhatIsSavedIsThereAfterTheStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "below", "state")
	s, stop := open(t, dir, store.Options{})
	p := servertest.StoredPage(t, "a", servertest.BlogKey, "post", 2)
	if !s.SaveSite("a", []string{servertest.BlogKey, "2 https://b.test"}, "of a") ||
		!s.SaveBlog("a", servertest.BlogKey, servertest.Outline(2), "of a blog") ||
		!s.SavePage(p) {
		t.Fatal("not taken")
	}
	stop() // and what waits is written

	s, _ = open(t, dir, store.Options{})
	var site, blog string
	if !s.Site("a", &site) || site != "of a" || !s.Blog("a", servertest.BlogKey, &blog) || blog != "of a blog" {
		t.Errorf("%q, %q", site, blog)
	}
	expect.Same(t, p, s.Page(p.Key))
	if got := s.Page(store.Key{Site: "a", Blog: servertest.BlogKey, Name: "post", Page: 3}); got != nil {
		t.Errorf("a page nobody saved: %+v", got)
	}
	if s.Site("b", &site) || s.Blog("a", "2 https://b.test", &blog) {
		t.Errorf("a record nobody saved: %q, %q", site, blog)
	}
	if stats := s.Stats(); stats.Damaged != 0 || stats.Error != "" || stats.Blobs != 3 || stats.Place != "on disk" {
		t.Errorf("%+v", stats)
	}
}

// A blob that is damaged, or that belongs to another name, is dropped, logged once and counted.
func TestDamageIsNeverReturned(t *testing.T) {
	dir, log := t.TempDir(), &wptest.Buffer{}
	s, _ := open(t, dir, store.Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	want := servertest.StoredPage(t, "a", servertest.BlogKey, "post", 1)
	s.SavePage(want)
	s.SavePage(servertest.StoredPage(t, "a", servertest.BlogKey, "post", 2))
	servertest.Written(t, s)
	servertest.ChangeBlobs(t, dir, "UPDATE blobs SET data = (SELECT data FROM blobs WHERE key = 'post 2') WHERE key = 'post 1'")
	for range 3 {
		if got := s.Page(want.Key); got != nil {
			t.Fatalf("returned: %+v", got)
		}
		servertest.Written(t, s)
	}
	if stats := s.Stats(); stats.Damaged != 1 || stats.Blobs != 1 || log.Count("damaged entry") != 1 {
		t.Errorf("%+v\n%s", stats, log)
	}
	s.SavePage(want)
	servertest.Written(t, s)
	if got := s.Page(want.Key); got == nil || got.Hash != want.Hash {
		t.Errorf("saved anew: %+v", got)
	}
}

func TestQueue(t *testing.T) {
	s, err := store.New(sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 30})
	wptest.Must(t, err)
	wptest.Must(t, s.Open())
	first, second := servertest.StoredPage(t, "a", servertest.BlogKey, "post", 1), servertest.StoredPage(t, "a", servertest.BlogKey, "post", 1)
	second.Hash = "second"
	if !s.SavePage(first) || !s.SavePage(second) {
		t.Fatal("not taken")
	}
	if stats := s.Stats(); stats.Queued != 1 || !s.Has(first.Key) {
		t.Errorf("a later page does not take the place of the earlier one: %+v", stats)
	}
	large := &store.PageRecord{Key: store.Key{Site: "a", Name: "large"}, Body: make([]byte, store.MaxQueue/2)}
	for i := range 4 {
		large.Page = i
		taken := s.SavePage(large)
		expect.Equal(t, taken, i < 1, "large page", i, "is taken")
	}
	if stats := s.Stats(); stats.Missed != 3 || stats.Queued != 2 {
		t.Errorf("%+v", stats)
	}
}

// A stored page is not written again, not even by the next process.
func TestWrittenOnce(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		s, stop := open(t, dir, store.Options{})
		p := servertest.StoredPage(t, "a", servertest.BlogKey, "post", 1)
		wptest.Eventually(t, "it is known what there is", func() bool { return s.Has(p.Key) == (i > 0) })
		for range 3 {
			s.SavePage(p)
			servertest.Written(t, s)
		}
		expect.Equal(t, s.Stats().Written, 1-i, "process", i, "wrote", "times")
		stop()
	}
}

func TestPruning(t *testing.T) {
	s, _ := open(t, t.TempDir(), store.Options{})
	other := "2 https://a.test/two"
	for page := range 3 {
		s.SavePage(servertest.StoredPage(t, "a", servertest.BlogKey, "post", page+1))
	}
	for _, name := range []string{"1", "news", catalog.TextName} {
		s.SavePage(servertest.StoredPage(t, "a", servertest.BlogKey, name, 1))
	}
	s.SavePage(servertest.StoredPage(t, "a", servertest.BlogKey, store.RobotsName, 0))
	s.SavePage(servertest.StoredPage(t, "a", other, "post", 1))
	ofSite, ofBlog := store.Note{Site: "a", Name: "n"}, store.Note{Site: "a", Blog: servertest.BlogKey, Name: "n"}
	ofOther := store.Note{Site: "a", Blog: other, Name: "n"}
	for _, n := range []store.Note{ofSite, ofBlog, ofOther} {
		s.SaveNote(n, 1)
	}
	s.SaveBlog("a", servertest.BlogKey, servertest.Outline(1), 1)
	servertest.Written(t, s)
	for page, want := range map[int]bool{1: true, 2: false, 3: false} {
		key := store.Key{Site: "a", Blog: servertest.BlogKey, Name: "post", Page: page}
		expect.Equal(t, s.Page(key) != nil, want, "page", page)
		expect.Equal(t, s.Has(key), want, "page", page)
	}
	for _, name := range []string{"1", "news", catalog.TextName} {
		if s.Page(store.Key{Site: "a", Blog: servertest.BlogKey, Name: name, Page: 1}) == nil {
			t.Errorf("%s is gone", name)
		}
	}
	s.SaveSite("a", []string{servertest.BlogKey}, 1)
	servertest.Written(t, s)
	if s.Page(store.Key{Site: "a", Blog: other, Name: "post", Page: 1}) != nil {
		t.Error("a blog that is gone is still there")
	}
	n := 0
	if !s.Note(ofSite, &n) || !s.Note(ofBlog, &n) || s.Note(ofOther, &n) || n != 1 {
		t.Error("notes do not stay as long as their blogs")
	}
	if text := ""; s.Note(ofSite, &text) {
		t.Error("a note of another form is read")
	}
	if stats := s.Stats(); stats.Pruned != 4 || stats.Missed != 0 {
		t.Errorf("%+v", stats)
	}
}

// At the limit the least recently used pages are removed. Records stay.
func TestLimit(t *testing.T) {
	s, _ := open(t, t.TempDir(), store.Options{})
	s.SaveBlog("a", servertest.BlogKey, servertest.Outline(9), 1)
	save := func(page int) {
		time.Sleep(2 * time.Millisecond) // which the store tells apart
		s.SavePage(servertest.StoredPage(t, "a", servertest.BlogKey, "post", page))
		servertest.Written(t, s)
	}
	for page := range 4 {
		save(page + 1)
	}
	left := func() (keys []string) {
		all, err := s.List()
		wptest.Must(t, err)
		for _, b := range all {
			if b.Kind == "page" {
				keys = append(keys, b.Key)
			}
		}
		slices.Sort(keys)
		return keys
	}
	for i, want := range [][]string{{"post 2", "post 3", "post 4", "post 5"}, {"post 3", "post 4", "post 5", "post 6"}} {
		s.SetLimit(s.Stats().Bytes + 200) // less than a page, and more than the room to spare
		save(5 + i)
		expect.List(t, left(), want, "after", i+1, "pages more")
	}
	s.SetLimit(s.Stats().Bytes - 2*291 + 180) // room for two pages
	save(7)
	expect.List(t, left(), []string{"post 6", "post 7"})
	if s.SavePage(&store.PageRecord{Key: store.Key{Site: "a", Name: "x"}, Body: make([]byte, 5000), Ahead: true}) {
		t.Error("a page that nobody asked for is taken without room")
	}
	missed := s.Stats().Missed
	s.SetLimit(100)
	s.SavePage(servertest.StoredPage(t, "a", servertest.BlogKey, "post", 5))
	wptest.Eventually(t, "counted", func() bool { return s.Stats().Missed == missed+1 })
	if n := 0; !s.Blog("a", servertest.BlogKey, &n) || s.Stats().Error != "" {
		t.Errorf("%+v", s.Stats())
	}
}

func TestSitesOutOfTheConfiguration(t *testing.T) {
	var shift atomic.Int64
	s, _ := open(t, t.TempDir(), store.Options{Now: func() time.Time { return time.Now().Add(time.Duration(shift.Load())) }})
	for _, site := range []string{"a", "b"} {
		s.SaveSite(site, []string{servertest.BlogKey}, 1)
		s.SavePage(servertest.StoredPage(t, site, servertest.BlogKey, "post", 1))
	}
	servertest.Written(t, s)
	count := func(want int) {
		t.Helper()
		s.Keep()
		servertest.Written(t, s)
		wptest.Must(t, s.Look())
		expect.Equal(t, s.Stats().Blobs, want, "blobs")
	}
	count(4)
	shift.Store(int64(6 * 24 * time.Hour))
	count(4)
	shift.Store(int64(8 * 24 * time.Hour))
	count(2)
	if s.Page(store.Key{Site: "a", Blog: servertest.BlogKey, Name: "post", Page: 1}) == nil {
		t.Error("the other site's pages went too")
	}
}

// slow is a shared store that takes a second for each answer. It has one blob under every name.
type slow struct {
	store.Backend
	store.Blobs
	blob []byte
}

func (slow) Kind() store.Kind {
	return store.Kind{Shared: true, Timeout: time.Second / 4, Beat: time.Second}
}

func (s slow) Open(string, *slog.Logger) (store.Blobs, string, error) { return s, "slow", nil }

func (s slow) Load(ctx context.Context, _ store.Name) ([]byte, error) {
	select {
	case <-time.After(time.Second):
		return s.blob, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (slow) Claim(context.Context, string, string, string, time.Duration) (bool, error) {
	time.Sleep(time.Second)
	return false, nil
}

// A request does not wait long for a page of a slow store. For a record or a claim no request waits, so they have the time.
func TestSlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blob, err := store.Encode("of a", nil)
		wptest.Must(t, err)
		s, err := store.New(slow{blob: blob}, "", store.Options{Log: slog.New(slog.DiscardHandler)})
		wptest.Must(t, err)
		record := ""
		expect.Equal(t, s.Site("a", &record), true)
		expect.Equal(t, record, "of a")
		expect.Equal(t, s.Claim("a", "text", time.Minute), false)
		began := time.Now()
		if s.Page(store.Key{Site: "a", Name: "post", Page: 1}) != nil || time.Since(began) > time.Second/2 {
			t.Errorf("a page after %v", time.Since(began))
		}
	})
}

func TestPageKeepsItsForm(t *testing.T) {
	if _, err := store.EncodePage(&store.PageRecord{Body: make([]byte, store.MaxBody+1)}); err == nil {
		t.Error("a body beyond the limit is taken")
	}
	whole := servertest.StoredPage(t, "a", "1 https://a.test", "post", 2)
	plain := servertest.StoredPage(t, "a", "1 https://a.test", "post", 1)
	plain.Gzipped = nil
	slim := servertest.StoredPage(t, "a", "1 https://a.test", "post", 5)
	body := slim.Body
	slim.Body = nil // of which the compressed form has everything
	timed := servertest.StoredPage(t, "ä", "2 https://a.test/ü", "news", 1)
	timed.Expires, timed.Version = servertest.Noon.Add(48*time.Hour), "binary \x00\x01 no"
	for name, p := range map[string]*store.PageRecord{"compressed": whole, "compressed alone": slim, "plain": plain, "with an end": timed} {
		data, err := store.EncodePage(p)
		wptest.Must(t, err)
		got, err := store.DecodePage(data, p.Key)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p == slim {
			p.Body = body
		}
		expect.Same(t, p, got, name)
	}
}

// A blob is refused if any byte of it was changed, or if it was cut off or extended.
func TestDamageIsNoticed(t *testing.T) {
	p := servertest.StoredPage(t, "a", "1 https://a.test", "post", 2)
	data, err := store.EncodePage(p)
	wptest.Must(t, err)
	refused := func(data []byte, what string) {
		t.Helper()
		if got, err := store.DecodePage(data, p.Key); got != nil || err == nil {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	for i := range data {
		for _, bits := range []byte{1, 0x80, 0xff} {
			changed := bytes.Clone(data)
			changed[i] ^= bits
			refused(changed, fmt.Sprintf("byte %d changed by %x", i, bits))
		}
		refused(data[:i], fmt.Sprintf("cut off after %d bytes", i))
	}
	refused(append(bytes.Clone(data), 0), "a byte more")
	refused(append(bytes.Clone(data), data...), "twice")
	refused(make([]byte, len(data)), "zeros")
	another, err := store.EncodePage(servertest.StoredPage(t, "a", "1 https://a.test", "post", 3))
	wptest.Must(t, err)
	refused(another, "another page")
	refused([]byte("<?xml version=\"1.0\"?><urlset/>"), "a sitemap")
}

// FuzzDecode reads what anybody may have written.
func FuzzDecode(f *testing.F) {
	p := servertest.StoredPage(f, "a", "1 https://a.test", "post", 2)
	data, err := store.EncodePage(p)
	wptest.Must(f, err)
	f.Add(data)
	f.Add([]byte(strings.Repeat("\x00", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := store.DecodePage(data, p.Key)
		if err != nil {
			return
		}
		again, err := store.EncodePage(got)
		wptest.Must(t, err)
		if back, err := store.DecodePage(again, p.Key); err != nil || !bytes.Equal(back.Body, got.Body) {
			t.Fatalf("%v: written again it differs", err)
		}
	})
}
