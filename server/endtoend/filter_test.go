package endtoend

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server"
	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// Two must-use plugins: one that registers a post type, and one that has its posts elsewhere without a trace in the database.
const (
	bookType = `<?php
add_action( 'init', function () {
	register_post_type( 'book', [ 'public' => true, 'show_in_rest' => true, 'label' => 'Books', 'rewrite' => [ 'slug' => 'library' ] ] );
	if ( ! get_option( 'books_flushed' ) ) {
		flush_rewrite_rules( false );
		update_option( 'books_flushed', 1 );
	}
}, 20 );
`
	shelfFilter = `<?php
add_filter( 'post_type_link', function ( $link, $post ) {
	return 'book' === $post->post_type ? home_url( "/shelf/$post->post_name/" ) : $link;
}, 10, 2 );
add_filter( 'request', function ( $vars ) {
	return preg_match( '#^/shelf/([^/?]+)/$#', $_SERVER['REQUEST_URI'], $m ) ? [ 'post_type' => 'book', 'name' => $m[1] ] : $vars;
} );
`
)

// library is a daemon before WordPress, whose clock can be put forward.
type library struct {
	*wordpress
	address string // of the daemon
	later   atomic.Int64
	books   int
}

// startLibrary starts a daemon at a level.
func startLibrary(t *testing.T, w *wordpress, level string) *library {
	l := &library{wordpress: w}
	c, err := config.Parse(read(t, w.config)+fmt.Sprintf("compat = %q\nrefresh = \"1s\"\n[site.post_type.book]\npublic = true\n", level),
		w.config, w.dir)
	wptest.Must(t, err)
	var log wptest.Buffer
	s := server.New(c, slog.New(slog.NewTextHandler(&log, nil)))
	s.Now = func() time.Time { return time.Now().Add(time.Duration(l.later.Load())) }
	ready, ended := make(chan string, 1), make(chan error, 1)
	s.Ready = func(public, _ []net.Addr) { ready <- public[0].String() }
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		wptest.Must(t, <-ended)
		if t.Failed() {
			t.Log(log.End())
		}
	})
	l.address = <-ready
	return l
}

// ask returns what the daemon answers for a sitemap, and whether it is its own answer.
func (l *library) ask(t *testing.T, path string) (body string, own bool) {
	t.Helper()
	at := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.address)
	}}}
	resp, body := do(t, at, "GET", l.home+path, "", nil)
	return body, resp.StatusCode == 200 && resp.Header.Get("ETag") != ""
}

// scan has the next full scan come: a book is published after ten minutes.
func (l *library) scan(t *testing.T) {
	t.Helper()
	l.later.Add(int64(10 * time.Minute))
	l.publishBook(t)
}

func (l *library) publishBook(t *testing.T) {
	t.Helper()
	l.books++
	text := fmt.Sprintf(`{"title": "Book %d", "slug": "book-%d", "status": "publish"}`, l.books, l.books)
	l.rest(t, "POST", "book", text, &struct{}{}, "Content-Type", "application/json")
}

// lists waits until a sitemap has all books at one place and nowhere else, by the daemon's own answer or PHP's.
func (l *library) lists(t *testing.T, when, path, at string, own bool) {
	t.Helper()
	var body string
	wptest.Eventually(t, when, func() bool {
		var ours bool
		body, ours = l.ask(t, path)
		listed := ours == own && strings.Count(body, "<loc>"+l.home+at) == strings.Count(body, "/book-") &&
			strings.Contains(body, fmt.Sprintf("/book-%d/</loc>", l.books))
		if !listed && !ours {
			time.Sleep(200 * time.Millisecond) // PHP has answered, which takes a processor for long
		}
		return listed
	}, func() any { return body })
}

// filters plants a filter of addresses in WordPress: it is noticed at the next full scan, at both levels, and so is that it is
// gone. Of Yoast's rows none is believed that the site contradicts.
func (w *wordpress) filters(t *testing.T) {
	plugin := func(name string) string { return filepath.Join(w.www, "wp-content", "mu-plugins", name+".php") }
	write(t, plugin("books"), bookType)
	books := 0
	const core, yoast = "/wp-sitemap-posts-book-1.xml", "/book-sitemap.xml"
	for _, level := range []string{"plugin", "spec"} {
		t.Run(level, func(t *testing.T) {
			l := startLibrary(t, w, level)
			for l.books = books; l.books < books+4; {
				l.publishBook(t)
			}
			l.lists(t, "no filter", core, "/library/", true)
			write(t, plugin("shelf"), shelfFilter)
			l.scan(t)
			l.lists(t, "a filter", core, "/shelf/", false)
			for range 3 {
				l.publishBook(t)
				l.lists(t, "still filtered", core, "/shelf/", false)
			}
			wptest.Must(t, os.Remove(plugin("shelf")))
			l.scan(t)
			l.lists(t, "the filter is gone", core, "/library/", true)
			books = l.books
		})
	}
	t.Run("Yoast", func(t *testing.T) {
		l := startLibrary(t, w, "plugin")
		l.books = books
		for _, statement := range wptest.BlogSchema(wptest.MariaDB, "wp_") {
			if strings.Contains(statement, "yoast_indexable") {
				w.exec(t, statement)
			}
		}
		store := func(at string) {
			w.exec(t, "DELETE FROM wp_yoast_indexable")
			permalink := fmt.Sprintf("CONCAT('%s%s', post_name, '/')", l.home, at)
			w.exec(t, `INSERT INTO wp_yoast_indexable (permalink, permalink_hash, object_id, object_type, object_sub_type, post_status, version,
				object_last_modified, updated_at) SELECT `+permalink+`, CONCAT(LENGTH(`+permalink+`), ':', MD5(`+permalink+`)), ID, 'post', 'book',
				'publish', 2, UTC_TIMESTAMP(), UTC_TIMESTAMP() FROM wp_posts WHERE post_type = 'book'`)
		}
		store("/old/")
		w.exec(t, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}')`)
		l.lists(t, "rows of before", yoast, "/library/", true)
		write(t, plugin("shelf"), shelfFilter)
		l.scan(t)
		wptest.Eventually(t, "a filter of which there are no rows", func() bool {
			_, own := l.ask(t, yoast)
			return !own
		})
		store("/shelf/")
		l.scan(t)
		store("/shelf/") // the new book's, too
		l.lists(t, "rows of a filter", yoast, "/shelf/", true)
		wptest.Must(t, os.Remove(plugin("shelf")))
		l.scan(t)
		l.lists(t, "the filter is gone, its rows are not", yoast, "/library/", true)
	})
}
