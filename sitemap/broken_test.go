package sitemap_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// serve renders all sitemaps of a single site.
func serve(t *testing.T, dsn string, level seo.Level) (docs map[string]string, warnings []string, err error) {
	return serveSource(t.Context(), wp.Source{Name: "shop", DSN: dsn}, seo.Options{Compat: level}, nil)
}

// serveSource does what a daemon does for a site: it reads the blogs and makes every sitemap. It returns the sitemaps by address and
// the warnings, or the first error. A sitemap that does not exist is an error, because the catalog named it. If each is not nil,
// it gets the catalogs.
func serveSource(
	ctx context.Context, src wp.Source, opt seo.Options, each func(*sitemap.Catalog) error,
) (docs map[string]string, warnings []string, err error) {
	src.Name, src.Declared, opt.Log = cmp.Or(src.Name, "test"), sitemap.Declared, sitemaptest.Quiet
	n, err := wp.Open(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	defer n.Close()
	books, err := address.ReadAll(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	docs = map[string]string{}
	for _, book := range books {
		warnings = append(warnings, book.Blog.Warnings()...)
		c, err := sitemap.Build(ctx, book, opt)
		if err != nil {
			return nil, warnings, err
		}
		for _, f := range c.Files() {
			if f.Elsewhere {
				continue
			}
			doc, err := c.Render(ctx, f.Name, f.Page)
			if err != nil {
				return nil, warnings, err
			}
			docs[f.URL] = string(doc.Body)
		}
		if each != nil {
			if err := each(c); err != nil {
				return nil, warnings, err
			}
		}
	}
	return docs, warnings, nil
}

// A missing table is an error that names the site, the table and what to do. It never leads to an
// empty or missing sitemap.
func TestMissingTables(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		for _, table := range []string{"options", "posts", "postmeta", "terms", "term_taxonomy", "term_relationships", "users", "usermeta"} {
			t.Run(table, func(t *testing.T) {
				dsn := wptest.Load(t, e, "basic")
				wptest.Exec(t, dsn, "DROP TABLE wp_"+table)
				for _, level := range sitemaptest.Levels {
					docs, _, err := serve(t, dsn, level)
					if err == nil || errors.Is(err, catalog.ErrNotFound) {
						t.Fatalf("%s: %v and %d sitemaps", string(level), err, len(docs))
					}
					for _, s := range []string{"site shop", "wp_" + table, "check table_prefix"} {
						expect.Contains(t, err.Error(), s, string(level), "the error does not say", err)
					}
				}
			})
		}
	})
}

// Tables of plugins may be missing. Everything that does not need them is served.
func TestMissingTablesOfPlugins(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic", "woo")
		before, _, err := serve(t, dsn, seo.SpecLevel)
		wptest.Must(t, err)
		wptest.Exec(t, dsn, "DROP TABLE wp_yoast_indexable", "DROP TABLE wp_woocommerce_attribute_taxonomies",
			"DROP TABLE wp_termmeta", "DROP TABLE wp_comments")
		after, warnings, err := serve(t, dsn, seo.SpecLevel)
		wptest.Must(t, err)
		for name := range before {
			if _, ok := after[name]; !ok && !strings.HasSuffix(name, "/pa_colour-sitemap.xml") {
				t.Errorf("%s is gone", name)
			}
		}
		if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "woocommerce_attribute_taxonomies") }) {
			t.Errorf("no warning of the missing table: %q", warnings)
		}
	})
}

// An option with broken serialisation counts as never saved, as in WordPress. check reports it.
func TestCorruptedOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		option string
		silent bool // core repairs it
		yoast  bool
	}{
		{"wpseo", false, true}, {"wpseo_titles", false, true}, {"wpseo_taxonomy_meta", false, true}, {"rewrite_rules", false, true},
		{"wp_user_roles", false, true}, {"cptui_post_types", false, true}, {"category_children", true, true},
		{"active_plugins", false, false}, // so that Yoast is not active, as in WordPress
	} {
		dsn := wptest.Load(t, wptest.SQLite, "basic")
		values := []string{`a:1:{i:0;s:99:"wordpress-seo/wp-seo.php";}`}
		if tt.option == "wpseo_titles" {
			values = append(values, `a:999999999:{i:0;s:1:"x";}`, strings.Repeat(`a:1:{i:0;`, 2000))
		}
		for _, value := range values {
			wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES ('"+tt.option+"', '"+value+"')")
			docs, warnings, err := serve(t, dsn, seo.SpecLevel)
			if _, yoast := docs["https://example.test/sitemap_index.xml"]; err != nil || yoast != tt.yoast {
				t.Errorf("%s = %.20s…: %d sitemaps, %v", tt.option, value, len(docs), err)
			}
			warned := slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "option "+tt.option+" is corrupted") })
			if warned == tt.silent {
				t.Errorf("%s = %.20s…: warnings %q", tt.option, value, warnings)
			}
		}
	}
}

// Texts with characters that XML does not allow reach every part of a sitemap.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const nasty = "\x01\x08\x0b\x1f ]]> <!-- & \" ' \uFFFE\uFFFF \U0010FFFF \r\n\t %00%zz é"
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		db, _ := wptest.DB(t, dsn)
		for _, set := range []struct{ table, column string }{
			{"posts", "post_title"}, {"posts", "post_excerpt"}, {"posts", "post_name"}, {"terms", "slug"},
			{"terms", "name"}, {"term_taxonomy", "description"}, {"users", "user_nicename"},
		} {
			_, err := db.Exec("UPDATE wp_"+set.table+" SET "+set.column+" = ? WHERE "+set.column+" <> ''", nasty)
			wptest.Must(t, err)
		}
		text := `<img src="/a` + nasty + `.jpg"><img class="wp-image-50" src='/b'>[gallery ids="58,59,` + nasty + `"]`
		_, err := db.Exec("UPDATE wp_posts SET post_content = ? WHERE post_content <> ''", text)
		wptest.Must(t, err)
		if _, err := db.Exec("UPDATE wp_postmeta SET meta_value = ? WHERE meta_key = '_wp_attached_file' AND post_id > 50", "2024/05/"+nasty); err != nil {
			t.Fatal(err)
		}
		for _, level := range sitemaptest.Levels {
			docs, _, err := serve(t, dsn, level)
			wptest.Must(t, err)
			for name, body := range docs {
				if sitemaptest.Parse(t, []byte(body)); level == seo.SpecLevel { // the plugin's addresses need not be valid
					schematest.Validate(t, []byte(body))
				}
				if strings.ContainsAny(body, "\x01\x08\x0b\x1f\uFFFE\uFFFF") {
					t.Errorf("%s: %s holds what no XML may", string(level), name)
				}
			}
		}
	})
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		blog := sitemaptest.OpenSite(t, wp.Source{Name: "shop", DSN: wptest.Load(t, e, "basic")})
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := sitemap.Build(ctx, blog, seo.Options{Compat: seo.SpecLevel}); !errors.Is(err, context.Canceled) {
			t.Errorf("Build: %v", err)
		}
		for _, n := range c.Types() {
			doc, err := c.Render(ctx, n.Name, 1)
			if doc != nil || !errors.Is(err, context.Canceled) || errors.Is(err, catalog.ErrNotFound) ||
				!strings.Contains(err.Error(), c.Filename(n.Name, 1)) {
				t.Errorf("%s: %v, %v", n.Name, doc, err)
			}
		}
		if _, err := c.Render(ctx, seo.IndexName, 1); err != nil {
			t.Errorf("the index needs no database, and yet: %v", err)
		}
		if _, err := c.Render(t.Context(), "post", 1); err != nil {
			t.Errorf("after a cancelled request: %v", err)
		}
	})
}

// lockPosts locks the posts table of a site until unlock is called.
func lockPosts(t *testing.T, db *sql.DB) (unlock func()) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	wptest.Must(t, err)
	_, err = conn.ExecContext(t.Context(), "LOCK TABLES wp_posts WRITE")
	wptest.Must(t, err)
	return sync.OnceFunc(func() {
		if _, err := conn.ExecContext(context.Background(), "UNLOCK TABLES"); err != nil {
			t.Error(err)
		}
		conn.Close()
	})
}

// waiting returns the id of the connection that waits for a lock on the tables of a site.
func waiting(t *testing.T, db *sql.DB) (id int64) {
	t.Helper()
	wptest.Eventually(t, "somebody waits for the lock", func() bool {
		err := db.QueryRow("SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE LIKE 'Waiting for table%'").Scan(&id)
		if err != nil && err != sql.ErrNoRows {
			t.Fatal(err)
		}
		return err == nil
	})
	return id
}

// Another client ends the statement, or its connection, while the server executes it.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for kill, says := range map[string][]string{
		"KILL QUERY": {"site shop", "reading posts", "somebody ended the statement"}, "KILL": {"site shop", "reading posts"},
	} {
		t.Run(kill, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.MariaDB, "basic")
			db, _ := wptest.DB(t, dsn)
			blog := sitemaptest.OpenSite(t, wp.Source{Name: "shop", DSN: dsn})
			c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel})
			for what, do := range map[string]func() error{
				"Build": func() error {
					_, err := sitemap.Build(t.Context(), blog, seo.Options{Compat: seo.SpecLevel})
					return err
				},
				"Render": func() error { _, err := c.Render(t.Context(), "post", 1); return err },
			} {
				unlock := lockPosts(t, db)
				defer unlock()
				result := make(chan error, 1)
				go func() { result <- do() }()
				_, err := db.Exec(fmt.Sprintf("%s %d", kill, waiting(t, db)))
				wptest.Must(t, err)
				if kill == "KILL" { // the driver may try again on another connection: that must not hang
					unlock()
				}
				select {
				case err = <-result:
				case <-time.After(wptest.Patience):
					t.Fatalf("%s: no answer", what)
				}
				if err == nil || errors.Is(err, catalog.ErrNotFound) {
					t.Errorf("%s: %v, want another error", what, err)
					continue
				}
				for _, s := range says {
					expect.Contains(t, err.Error(), s, what, "the error does not say", err)
				}
				unlock()
				sitemaptest.Render(t, c, "post", 1)
			}
		})
	}
}

// Requests share catalogs, and one site is built while another build runs.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: wptest.Load(t, e, "basic", "types")})
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, PageSize: 7})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := sitemap.Build(t.Context(), blog, seo.Options{Compat: seo.PluginLevel}); err != nil {
					t.Error(err)
				}
				for _, f := range c.Files() {
					if _, err := c.Render(t.Context(), f.Name, f.Page); err != nil {
						t.Errorf("%s: %v", f.Filename, err)
					}
				}
			})
		}
		wg.Wait()
	})
}
