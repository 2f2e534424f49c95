package redis

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// patient is the store of this package for a slow machine: a read has much time.
type patient struct{ store.Backend }

func (p patient) Kind() store.Kind {
	k := p.Backend.Kind()
	k.Timeout = wptest.Patience
	return k
}

// openRedis opens a store for the site a, as another process would.
func openRedis(t *testing.T, location string) *store.Store {
	return openAs(t, patient{Backend}, location)
}

func openAs(t *testing.T, b store.Backend, location string) *store.Store {
	t.Helper()
	s, _ := servertest.OpenStore(t, b, location, store.Options{Beat: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}, "a")
	return s
}

func TestObeys(t *testing.T) {
	servertest.ObeyStore(t, Backend, servertest.StartRedis(t).URL())
}

func TestRedisIsShared(t *testing.T) {
	server := servertest.StartRedis(t)
	one, two := openRedis(t, server.URL()), openRedis(t, server.URL())
	sharing(t, one, two, 1, "a")
	p := servertest.StoredPage(t, "a", "1 https://a.test", "post", 1)
	if got := one.Page(p.Key); got == nil || got.Hash != p.Hash || string(got.Body) != string(p.Body) {
		t.Errorf("%+v", got)
	}
	hasty := openAs(t, Backend, server.URL())
	server.Signal(syscall.SIGSTOP)
	defer server.Signal(syscall.SIGCONT)
	var done atomic.Bool
	go func() {
		for range 1000 { // which would take minutes if each waited
			hasty.Page(p.Key)
		}
		done.Store(true)
	}()
	wptest.Eventually(t, "1000 reads of a server that hangs are done", done.Load)
}

// The store notices if Redis has lost everything or one site, and can save it again.
func TestLossIsNoticed(t *testing.T) {
	t.Parallel()
	server := servertest.StartRedis(t)
	page := func(site string) *store.PageRecord {
		return servertest.StoredPage(t, site, "1 https://a.test", "post", 1)
	}
	var opened atomic.Pointer[store.Store]
	s, _ := servertest.OpenStore(t, patient{Backend}, server.URL(), store.Options{
		Beat: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		Lost: func() {
			for _, site := range []string{"a", "b"} {
				opened.Load().SaveSite(site, []string{page(site).Blog}, 1)
				opened.Load().SavePage(page(site))
			}
		},
	}, "a", "b")
	opened.Store(s)
	there := func() bool {
		for _, name := range []string{"a", "b"} {
			if record := 0; !s.Site(name, &record) || s.Page(page(name).Key) == nil {
				return false
			}
		}
		return true
	}
	for _, name := range []string{"a", "b"} {
		s.SaveSite(name, []string{page(name).Blog}, 1)
		s.SavePage(page(name))
	}
	wptest.Eventually(t, "all is there", there)
	for range 3 {
		saving := s.Saving()
		server.Do(t, "FLUSHALL")
		wptest.Eventually(t, "all is written again", there)
		if s.Saving() == saving {
			t.Error("what was saved before counts as saved")
		}
		server.Do(t, "DEL", (&address{}).root()+"{b}:blobs")
		wptest.Eventually(t, "the site is written again", there)
	}
}

func TestRedisErrorsHoldNoPassword(t *testing.T) {
	r := openRedis(t, "redis://:topsecret@"+servertest.StartRedis(t).Addr)
	if text := r.Stats().Error; text == "" || strings.Contains(text, "topsecret") || strings.Contains(fmt.Sprint(r), "topsecret") {
		t.Errorf("%q", text)
	}
	for _, text := range []string{
		"redis://u:topsecret@a:x", "http://u:topsecret@a", "redis://u:topsecret%zz@a", "redis://u:topsecret@a/x",
		"redis://u:topsecret@a,b", "redis+cluster://u:topsecret@a", "redis://a?x=topsecret", "redis://u:top/secret@a",
	} {
		if _, err := parseAddress(text); err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: %v", text, err)
		}
		if trouble := probe(t.Context(), text); !strings.Contains(trouble, "; correct it") || strings.Contains(trouble, "topsecret") {
			t.Errorf("%s: %s", text, trouble)
		}
	}
}

func TestAddresses(t *testing.T) {
	for text, shown := range map[string]string{
		"redis://a":                        "redis://a",
		"redis://a/":                       "redis://a/",
		"redis://:secret@127.0.0.1:6379/3": "redis://127.0.0.1:6379/3",
		"redis://u:s%2Fcret@[::1]:6379?prefix=one": "redis://[::1]:6379",
		"redis://a:1234567890":                     "",
		"redis://a:6379/123456":                    "",
	} {
		a, err := parseAddress(text)
		if (err == nil) != (shown != "") || err == nil && a.String() != shown {
			t.Errorf("%s: %v, %v", text, a, err)
		}
	}
}

func TestOptionsOfAddresses(t *testing.T) {
	authority, _ := wptest.WriteCertificate(t, t.TempDir(), "a.test")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	wptest.Must(t, os.WriteFile(empty, []byte("none"), 0o600))
	for _, tt := range []struct{ text, root, complaint string }{
		{"redis://a", "wpsitemapd:" + store.Version + ":", ""},
		{"redis://a?prefix=one", "wpsitemapd:one:" + store.Version + ":", ""},
		{"rediss://a?ca=" + authority, "wpsitemapd:" + store.Version + ":", ""},
		{"rediss://a?prefix=one&ca=" + authority, "wpsitemapd:one:" + store.Version + ":", ""},
		{"redis://a?ca=" + authority, "", "with rediss by ca="},
		{"rediss://a?ca=" + empty, "", "holds no certificate in PEM"},
		{"rediss://a?ca=/missing", "", "names a file of ca that cannot be read: "},
		{"redis://a?prefix=" + strings.Repeat("x", 65), "", "must have as prefix up to 64 letters"},
		{"redis://a?prefix=a*b", "", "must have as prefix up to 64 letters"},
		{"redis://a?db=1", "", "can be followed by ?prefix= only"},
		{"redis://a?prefix=%zz", "", "is not escaped correctly after ?"},
	} {
		a, err := parseAddress(tt.text)
		switch {
		case tt.complaint == "" && err != nil || !strings.Contains(fmt.Sprint(err), tt.complaint):
			t.Errorf("%s: %v", tt.text, err)
		case err == nil:
			expect.Equal(t, a.root(), tt.root, tt.text)
			expect.Equal(t, a.tls != nil, strings.HasPrefix(tt.text, "rediss:"), tt.text)
			expect.Equal(t, a.tls != nil && a.tls.RootCAs != nil, strings.Contains(tt.text, "ca="), tt.text)
		}
	}
}

// A field holds the whole name of a blob. Fields that another program stored are read as far as possible.
func TestFieldsOfBlobs(t *testing.T) {
	for _, n := range []store.Name{
		{Kind: "scan", Site: "a", Blog: "1", Key: "posts"}, {Kind: "scan", Site: "a"}, {Kind: "page", Site: "a", Blog: "", Key: "x\ny"},
	} {
		expect.Equal(t, nameOf("a", field(n)), n)
	}
	expect.Equal(t, nameOf("a", "other"), store.Name{Kind: "other", Site: "a"})
	expect.Equal(t, nameOf("a", "other\n2"), store.Name{Kind: "other", Site: "a", Blog: "2"})
}

// A key that another program has taken counts as a missing page; other failures are told. A claim is the holder's until it expires.
func TestKeysOfOtherPrograms(t *testing.T) {
	t.Parallel()
	server := servertest.StartRedis(t)
	a, err := parseAddress(server.URL())
	wptest.Must(t, err)
	b := &blobs{root: a.root(), pool: a.pool()}
	defer b.Close()
	ctx, page := t.Context(), store.Blob{Name: store.Name{Kind: "page", Site: "b", Key: "x"}}
	wptest.Must(t, b.Save(ctx, page, []byte("text")))
	data, err := b.Load(ctx, page.Name)
	expect.Equal(t, string(data), "text", err)
	listed, err := b.List(ctx, "b")
	expect.Equal(t, len(listed) == 1 && listed[0].Name == page.Name, true, listed, err)

	server.Do(t, "SET", a.root()+"{b}:blobs", "theirs")
	data, err = b.Load(ctx, page.Name)
	expect.Equal(t, data == nil && err == nil, true, err)
	_, err = b.List(ctx, "b")
	expect.Equal(t, err != nil, true)

	for _, claim := range []struct {
		text, holder string
		want         bool
	}{{"one", "me", true}, {"one", "me", true}, {"one", "another", false}, {"two", "another", true}} {
		got, err := b.Claim(ctx, "c", claim.text, claim.holder, time.Minute)
		wptest.Must(t, err)
		expect.Equal(t, got, claim.want, claim)
	}
	wptest.Must(t, b.Close())
	_, err = b.Load(ctx, page.Name)
	expect.Equal(t, err != nil, true, "a closed pool has no pages:")
}
