package site

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// walked opens a database, and returns it with the list of its blogs.
func walked(t *testing.T, seeds ...string) (n *wp.Network, list *wp.Walk, s *Site) {
	t.Helper()
	c := config.DefaultSite()
	c.Name, c.DSN = "a", config.Secret(wptest.Load(t, wptest.SQLite, seeds...))
	n, err := wp.Open(t.Context(), SourceOf(&c))
	wptest.Must(t, err)
	t.Cleanup(func() { n.Close() })
	list, err = n.Walk(t.Context(), nil)
	wptest.Must(t, err)
	return n, list, New(c, slog.New(slog.DiscardHandler))
}

// What is read of a blog is what requests need before its catalog is built.
func TestSettingsOfBlogs(t *testing.T) {
	t.Parallel()
	_, list, s := walked(t, "basic")
	blogs, err := s.ReadBlogs(t.Context(), list)
	wptest.Must(t, err)
	b := blogs[0]
	expect.Equal(t, fmt.Sprint(len(blogs), b.ID, " ", b.Home, b.Network, b.Plain, b.Apart, b.Plugin.Name), "1 1 https://example.testfalse false falseYoast SEO")
	expect.Equal(t, strings.Join(b.Hosts, " ") != "" && b.Key() == "1 https://example.test" && b.Address.Plugin == b.Plugin, true, b.Hosts, b.Key())
	expect.Contains(t, b.RobotsText, "User-agent: *")
	expect.Equal(t, b.Known(), false, "it has no catalog")
	c, err := Build(t.Context(), &s.Config, b.Book, nil, slog.New(slog.DiscardHandler), false)
	wptest.Must(t, err)
	b.Serve(c, 7, noon)
	expect.Equal(t, fmt.Sprint(b.Resident(), b.Generation, b.Built == noon, b.Catalog == c, b.Lists("post", 1)), "true 7 true true true")

	_, list, s = walked(t, "basic")
	wptest.Exec(t, s.Config.DSN.Reveal(), "UPDATE wp_options SET option_value = '' WHERE option_name = 'permalink_structure'")
	blogs, err = s.ReadBlogs(t.Context(), list)
	wptest.Must(t, err)
	expect.Equal(t, blogs[0].Plain, true, "without permalinks")
	wptest.Exec(t, s.Config.DSN.Reveal(), "DROP TABLE wp_posts")
	_, err = Build(t.Context(), &s.Config, blogs[0].Book, nil, slog.New(slog.DiscardHandler), false)
	expect.Equal(t, err != nil && strings.HasPrefix(err.Error(), "site a, blog 1: "), true, err)
}

// Of a network, the blogs that can be read are read, and the error names the others.
func TestSettingsOfNetwork(t *testing.T) {
	t.Parallel()
	_, list, s := walked(t, "basic", "network")
	wptest.Exec(t, s.Config.DSN.Reveal(), "DROP TABLE wp_2_options")
	blogs, err := s.ReadBlogs(t.Context(), list)
	expect.Equal(t, err != nil && strings.Contains(err.Error(), "wp_2_options"), true, err)
	expect.Equal(t, len(blogs), len(list.Live)-1)
	for _, b := range blogs {
		expect.Equal(t, b.Network, true, b.ID)
		expect.Equal(t, b.Row.ID, b.ID)
	}
	n, books, err := Blogs(t.Context(), &s.Config)
	expect.Equal(t, n != nil && len(books) == len(blogs) && err != nil, true, err)
	n.Close()
	n, books, err = Blogs(t.Context(), &config.Site{DSN: "sqlite:/nowhere/x"})
	expect.Equal(t, n == nil && books == nil && err != nil, true, err)
}

// The files of other programs are read within the folder of their install. A catalog that deltas will update is kept.
func TestOptions(t *testing.T) {
	t.Parallel()
	c := config.Site{Within: "/www/a", Extra: []seo.Extra{{Name: "one"}, {Name: "two"}}}
	opt := OptionsOf(&c, nil, nil)
	for i := range opt.Extra {
		expect.Equal(t, opt.Extra[i].Within, "/www/a", i)
		expect.Equal(t, c.Extra[i].Within, "", "the configuration stays as it is")
	}
	expect.Equal(t, opt.Keep, false)
	expect.Equal(t, New(c, slog.New(slog.DiscardHandler)).Options(1, nil).Keep, true)
}

// A site whose plugin filters addresses is asked where its posts are. A network is not asked.
func TestInquire(t *testing.T) {
	t.Parallel()
	asked := 0
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if name, book := strings.CutPrefix(r.URL.Path, "/library/"); book {
			http.Redirect(w, r, "/by/ann/"+name, http.StatusMovedPermanently)
		}
	}))
	defer up.Close()
	inquire := func(upstream bool, seeds ...string) (changed bool, blogs int) {
		c := config.DefaultSite()
		c.Name, c.DSN = "a", config.Secret(wptest.Load(t, wptest.SQLite, seeds...))
		if upstream {
			wptest.Must(t, c.Upstream.UnmarshalText([]byte(up.URL)))
		}
		n, books, err := Blogs(t.Context(), &c)
		wptest.Must(t, err)
		defer n.Close()
		again, changed, err := Inquire(t.Context(), n, books, 1000)
		wptest.Must(t, err)
		expect.Equal(t, again[0] != books[0], changed, "it is read again:")
		return changed, len(again)
	}
	changed, _ := inquire(true, "basic", "types")
	expect.Equal(t, changed, true)
	expect.Equal(t, asked > 0, true)
	asked = 0
	changed, _ = inquire(false, "basic", "types")
	expect.Equal(t, changed, false, "without an upstream")
	changed, blogs := inquire(true, "basic", "network")
	expect.Equal(t, fmt.Sprint(changed, blogs > 1, asked), "false true 0", "a network")
}

// At most one visit a second is told. The time of each visit is known to about ten milliseconds.
func TestVisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite()
		b := remembered(1, "https://a.test")
		told := func() bool {
			s.Visit(b)
			select {
			case <-s.Visits():
				return true
			default:
				return false
			}
		}
		expect.Equal(t, told(), true)
		first := b.Asked()
		expect.Equal(t, first, time.Now().UnixNano())
		time.Sleep(10 * time.Millisecond)
		expect.Equal(t, told(), false)
		expect.Equal(t, b.Asked(), first, "a visit just after another")
		time.Sleep(time.Millisecond)
		expect.Equal(t, told(), false)
		expect.Equal(t, b.Asked(), time.Now().UnixNano())
		time.Sleep(time.Second)
		expect.Equal(t, told(), true)
		expect.Equal(t, (&Blog{}).Asked(), 0)
		expect.Equal(t, (&Blog{}).ask(), true, "a blog without a clock of its visits")
	})
}

// A request that waits for a snapshot finds the new routes.
func TestRoutesComeBeforeRequestsGoOn(t *testing.T) {
	t.Parallel()
	s := newSite()
	next := *s.next.Load()
	routed := false
	s.PublishMoved(&Snapshot{Opened: true}, func() {
		routed = true
		expect.Equal(t, s.Snapshot().Opened, true, "the routes are made of the new snapshot")
		select {
		case <-next:
			t.Error("a request goes on before the routes are new")
		default:
		}
	})
	<-next
	expect.Equal(t, routed, true)
}
