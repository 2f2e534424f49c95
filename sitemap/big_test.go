package sitemap_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const bigVariable = "WPSITEMAPD_BIG"

// big returns normal in a usual run, and big in "make big".
func big(normal, big int) int {
	if os.Getenv(bigVariable) != "" {
		return big
	}
	return normal
}

// watchHeap runs do. It returns the time that do took and the growth of the heap in bytes, with little
// garbage.
func watchHeap(t *testing.T, do func()) (took time.Duration, grown int64) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	held := func() int64 {
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	runtime.GC()
	base, peak := held(), int64(0)
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			peak = max(peak, held())
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	start := time.Now()
	do()
	took = time.Since(start)
	close(done)
	watching.Wait()
	t.Logf("%v, %d MB more", took.Round(time.Millisecond), (peak-base)>>20)
	return took, peak - base
}

// within checks time and memory against their limits. Times are checked only by "make big".
func within(t *testing.T, what string, took, most time.Duration, grown, bytes int64) {
	t.Helper()
	if took > most && os.Getenv(bigVariable) != "" {
		t.Errorf("%s took %v, want %v at most", what, took, most)
	}
	if grown > bytes {
		t.Errorf("%s took %d MB, want %d at most", what, grown>>20, bytes>>20)
	}
}

// Half of the terms are tags, half are categories. The categories are a chain of 100 and a tree with
// ten children each. Every term has a post.
func TestManyTerms(t *testing.T) {
	n := big(4_000, 100_000)
	dsn := wptest.Load(t, wptest.MariaDB)
	db, _ := wptest.DB(t, dsn)
	const posts = 500
	wptest.Must(t, wptest.Bulk(t.Context(), db, wptest.Size{Posts: posts, Content: 200, Drafts: -1}))
	half := fmt.Sprint(n / 2)
	wptest.Exec(t, dsn, sitemaptest.YoastActive,
		"DELETE FROM wp_terms", "DELETE FROM wp_term_taxonomy", "DELETE FROM wp_term_relationships",
		"INSERT INTO wp_terms (term_id, name, slug) SELECT seq, 'Term ' || seq, 'term-' || seq FROM "+wptest.Sequence(n),
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) "+
			"SELECT seq, seq, 'post_tag', '', 0, 1 FROM "+wptest.Sequence(n/2),
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) SELECT seq + "+
			half+", seq + "+half+", 'category', '', "+
			"CASE WHEN seq = 1 THEN 0 WHEN seq <= 100 THEN seq + "+half+" - 1 ELSE seq DIV 10 + "+half+" END, 1 FROM "+wptest.Sequence(n/2),
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT (SELECT MAX(ID) FROM wp_posts) - seq MOD "+
			fmt.Sprint(posts)+", seq FROM "+wptest.Sequence(n),
	)
	_, err := db.Exec("ANALYZE TABLE wp_terms, wp_term_taxonomy, wp_term_relationships")
	wptest.Must(t, err)
	watched, read := serverLog(t, dsn)
	var c sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: watched, Observe: c.Observe})
	told := len(c.Take())
	for _, level := range sitemaptest.Levels {
		var cat *sitemap.Catalog
		before := len(read(told))
		took, grown := watchHeap(t, func() { cat = sitemaptest.Build(t, blog, seo.Options{Compat: level}) })
		within(t, string(level)+": the catalog", took, 30*time.Second, grown, 24<<20+int64(n)*600)
		told += len(c.Take())
		examined := 0
		for _, s := range read(told)[before:] {
			examined += s.examined
		}
		if most := 12*n + 20_000; examined > most {
			t.Errorf("%s: %d rows examined for %d terms, want %d at most", string(level), examined, n, most)
		}
		for _, name := range []string{"post_tag", "category"} {
			listed := 0
			took, grown := watchHeap(t, func() {
				for _, f := range cat.Files() {
					if f.Name == name {
						listed += sitemaptest.Render(t, cat, f.Name, f.Page).Entries
					}
				}
			})
			within(t, string(level)+": "+name, took, 60*time.Second, grown, 32<<20)
			expect.Equal(t, listed, n/2, string(level), name, "listed")
		}
		told += len(c.Take())
	}
}

// Authors are looked up by their posts. Users without posts cost nothing.
func TestManyUsersFewAuthors(t *testing.T) {
	n := big(20_000, 1_000_000)
	dsn := wptest.Load(t, wptest.MariaDB)
	db, _ := wptest.DB(t, dsn)
	const authors = 7
	wptest.Must(t, wptest.Bulk(t.Context(), db, wptest.Size{Posts: 500, Content: 200, Authors: authors}))
	all := wptest.Sequence(n)
	wptest.Exec(t, dsn, sitemaptest.YoastActive,
		"INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, user_registered, display_name) SELECT seq + 100, "+
			"'reader-' || seq, '', 'reader-' || seq, '', '2020-01-01 00:00:00', 'Reader' FROM "+all,
		`INSERT INTO wp_usermeta (user_id, meta_key, meta_value) SELECT seq + 100, 'wp_capabilities', 'a:1:{s:10:"subscriber";b:1;}' FROM `+all,
		"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) SELECT seq + 100, '_yoast_wpseo_profile_updated', '1700000000' FROM "+all,
	)
	_, err := db.Exec("ANALYZE TABLE wp_users, wp_usermeta")
	wptest.Must(t, err)
	watched, read := serverLog(t, dsn)
	var c sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: watched, Observe: c.Observe})
	for _, level := range sitemaptest.Levels {
		var cat *sitemap.Catalog
		took, grown := watchHeap(t, func() { cat = sitemaptest.Build(t, blog, seo.Options{Compat: level}) })
		within(t, string(level)+": the catalog", took, 20*time.Second, grown, 24<<20)
		expect.Equal(t, sitemaptest.Render(t, cat, "author", 1).Entries, authors, string(level), "authors listed")
	}
	asked := 0
	for _, s := range read(len(c.Take())) {
		if !strings.Contains(s.text, "FROM wp_user") {
			continue
		}
		asked++
		if s.examined > 20*authors {
			t.Errorf("%d rows examined of %d users: %s", s.examined, n, s.text)
		}
		for _, extra := range explainQuery(t, db, s.text) {
			if strings.Contains(extra, "key ,") || strings.Contains(extra, "Using filesort") || strings.Contains(extra, "Using temporary") {
				t.Errorf("%s: %s", extra, s.text)
			}
		}
	}
	if asked < 4 {
		t.Errorf("only %d statements about users seen", asked)
	}
}

// A post has 2,000 images, in the content and in a gallery, and 5,000 rows of meta. The protocol
// allows 1,000 images; the plugin lists them all.
func TestPostWithManyImages(t *testing.T) {
	const images = 2000
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e)
		db, _ := wptest.DB(t, dsn)
		wptest.Must(t, wptest.Bulk(t.Context(), db, wptest.Size{Posts: 5, Images: images, Pictures: images, Content: 400_000, Drafts: -1}))
		wptest.Exec(t, dsn, sitemaptest.YoastActive, `INSERT INTO wp_postmeta (post_id, meta_key, meta_value)
			SELECT (SELECT MAX(ID) FROM wp_posts WHERE post_type = 'post'), '_thumbnail_id', '0' FROM wp_posts a, wp_posts b LIMIT 5000`)
		var c sitemaptest.Counter
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe})
		for _, level := range sitemaptest.Levels {
			cat := sitemaptest.Build(t, blog, seo.Options{Compat: level})
			c.Take()
			var doc *catalog.Document
			took, grown := watchHeap(t, func() { doc = sitemaptest.Render(t, cat, "post", 1) })
			within(t, string(level), took, 20*time.Second, grown, 32<<20)
			if statements := c.Take(); len(statements) > 3 {
				t.Errorf("%s: %d statements", string(level), len(statements))
			}
			want := images
			if level == seo.SpecLevel {
				want = provider.MaxImages
			}
			for _, u := range sitemaptest.Parse(t, doc.Body).Entries[1:] {
				got := len(u.Images)
				if level != seo.SpecLevel {
					got-- // the featured image comes a second time
				}
				expect.Equal(t, got, want, string(level), u.Loc, "images")
			}
		}
	})
}

// Contents are read one at a time. A page of posts with 16 MB each takes the memory of one post.
func TestHugeContent(t *testing.T) {
	posts := big(4, 40)
	dsn := wptest.Load(t, wptest.MariaDB)
	db, _ := wptest.DB(t, dsn)
	if err := wptest.Bulk(t.Context(), db,
		wptest.Size{Posts: posts, Content: 500, Drafts: -1, Noindexed: -1, Elsewhere: -1}); err != nil {
		t.Fatal(err)
	}
	// This is a little less than the maximum that is read of a content, see wp/db/bounds.go.
	wptest.Exec(t, dsn, sitemaptest.YoastActive, `UPDATE wp_posts SET post_content = REPEAT('<p>A paragraph of a very long post, with <b>some</b> markup.</p>
', 128000) || '<!--nextpage--><p><img src="/wp-content/uploads/at-the-end.jpg"></p>' WHERE post_type = 'post'`)
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	for _, level := range sitemaptest.Levels {
		cat := sitemaptest.Build(t, blog, seo.Options{Compat: level})
		var doc *catalog.Document
		took, grown := watchHeap(t, func() { doc = sitemaptest.Render(t, cat, "post", 1) })
		within(t, string(level), took, time.Duration(posts)*10*time.Second, grown, 128<<20)
		expect.Equal(t, bytes.Count(doc.Body, []byte("at-the-end.jpg")), posts, string(level), "images at the end of", "posts")
	}
}

// An option of 8 MB that nothing needs is not read. An option that is needed costs time and memory
// once.
func TestHugeOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	var terms strings.Builder
	n := 0
	for terms.Len() < 8<<20 {
		n++
		value := fmt.Sprintf("https://elsewhere.test/%d/%s", n, strings.Repeat("x", 60))
		fmt.Fprintf(&terms, `i:%d;a:1:{s:15:"wpseo_canonical";s:%d:"%s";}`, 1000+n, len(value), value)
	}
	var rules strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&rules, `s:30:"made-up-rule-%06d/([^/]+)/?$";s:27:"index.php?x=1&name=$matches";`, i)
	}
	taxonomyMeta := fmt.Sprintf(`a:1:{s:8:"category";a:%d:{%s}}`, n, terms.String())
	for _, tt := range []struct {
		rule, option, value string
		bytes               int64
	}{
		{"of another plugin", "transient_of_somebody", taxonomyMeta, 8 << 20},
		{"of Yoast", "wpseo_taxonomy_meta", taxonomyMeta, 128 << 20},
		{"of rewrite rules", "rewrite_rules", "a:100000:{" + rules.String() + "}", 128 << 20},
		{"broken", "wpseo_titles", taxonomyMeta[:len(taxonomyMeta)-1000], 128 << 20},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "basic")
				db, _ := wptest.DB(t, dsn)
				_, err := db.Exec("DELETE FROM wp_options WHERE option_name = ?", tt.option)
				wptest.Must(t, err)
				if _, err := db.Exec("INSERT INTO wp_options (option_name, option_value, autoload) VALUES (?, ?, 'yes')", tt.option, tt.value); err != nil {
					t.Fatal(err)
				}
				var doc *catalog.Document
				took, grown := watchHeap(t, func() {
					doc = sitemaptest.Render(t, sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel}), "post", 1)
				})
				within(t, tt.option, took, 20*time.Second, grown, tt.bytes)
				if doc.Entries == 0 {
					t.Error("an empty sitemap")
				}
			})
		})
	}
}
