package sitemap_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// indexed returns a statement that fills yoast_indexable with permalinks of posts, computed by an
// expression.
func indexed(permalink string) string {
	return `INSERT INTO wp_yoast_indexable (permalink, permalink_hash, object_id, object_type, object_sub_type, post_status, version, blog_id,
object_last_modified, updated_at) SELECT link, CONCAT(LENGTH(link), ':', MD5(link)), ID, 'post', post_type, post_status, 2, 1,
post_modified_gmt, '2026-01-01 00:00:00' FROM (SELECT ` + permalink + ` link, p.* FROM wp_posts p WHERE post_type = 'post') l`
}

// rules is a statement that makes one rewrite rule the only one.
const rules = "REPLACE INTO wp_options (option_name, option_value) VALUES ('rewrite_rules', 'a:1:{%s}')"

// If there is a site to ask, the comparison of a page's addresses costs one statement. If the
// addresses agree, the page does not change.
func TestStoredAddressesCostAStatement(t *testing.T) {
	t.Parallel()
	dsn := sitemaptest.Bulk(t, wptest.MariaDB, 1200)
	var c sitemaptest.Counter
	var ask func(context.Context, string) (wp.Response, error)
	render := func() (*address.Book, string, int) {
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe, Ask: ask})
		cat := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, PageSize: 1000})
		c.Take()
		return blog, string(sitemaptest.Render(t, cat, "post", 1).Body), len(c.Take())
	}
	_, before, cost := render()
	wptest.Exec(t, dsn, indexed("CONCAT('https://bulk.example.test/', post_name, '/')"), fmt.Sprintf(rules, `s:10:"([^/]+)/?$";s:26:"index.php?name=$matches[1]";`))
	blog, after, more := render()
	if a := blog.Addressing(blog.Blog.Registry().PostType("post")); a.Compared == 0 || a.Differ > 0 {
		t.Fatalf("compared: %+v", a)
	}
	expect.Equal(t, before, after, cost, before == after)
	expect.Equal(t, more, cost, "without a site to ask")
	ask = func(context.Context, string) (wp.Response, error) { return wp.Response{}, nil }
	_, after, more = render()
	expect.Equal(t, before, after, cost, before == after)
	expect.Equal(t, more, cost+1, "with a site to ask")
}

// Without a site to ask, stored addresses do not make an edit more expensive.
func TestStoredAddressesCostAnEditNothing(t *testing.T) {
	t.Parallel()
	var cost [2]int
	for i := range cost {
		dsn := sitemaptest.Bulk(t, wptest.MariaDB, 300)
		if i == 1 {
			wptest.Exec(t, dsn, indexed("CONCAT('https://bulk.example.test/', post_name, '/')"))
		}
		var c sitemaptest.Counter
		cat := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe}), seo.Options{Compat: seo.SpecLevel, Keep: true})
		db, _ := wptest.DB(t, dsn)
		e := &editor{t: t, db: db, dsn: dsn, rand: rand.New(rand.NewPCG(1, 1)), now: time.Now().UTC()}
		e.edit(e.post(), ", post_content = 'new'")
		c.Take()
		delta, _, err := cat.Delta(t.Context(), nil)
		wptest.Must(t, err)
		sitemaptest.Render(t, delta, "post", 1)
		cost[i] = len(c.Take())
	}
	if cost[1] > cost[0] {
		t.Errorf("%d statements without stored addresses, %d with them", cost[0], cost[1])
	}
}

// BenchmarkStoredAddresses prints how much longer a page of 1,000 posts and a full scan of 20,000 take
// if addresses are compared. It uses the shortest of several alternating runs.
func BenchmarkStoredAddresses(b *testing.B) {
	var dsns [2]string
	var catalogs [2]*sitemap.Catalog
	for i := range dsns {
		dsns[i] = sitemaptest.Bulk(b, wptest.MariaDB, 20_000)
		if i == 1 {
			wptest.Exec(b, dsns[i], indexed("CONCAT('https://bulk.example.test/', post_name, '/')"), "ANALYZE TABLE wp_yoast_indexable")
		}
	}
	scan := func(i int) time.Duration {
		start := time.Now()
		blog := sitemaptest.OpenSite(b, wp.Source{DSN: dsns[i]})
		catalogs[i] = sitemaptest.Build(b, blog, seo.Options{Compat: seo.SpecLevel, PageSize: 1000})
		return time.Since(start)
	}
	page := func(i int) time.Duration {
		start := time.Now()
		sitemaptest.Render(b, catalogs[i], "post", 7)
		return time.Since(start)
	}
	ratio := func(run func(int) time.Duration) float64 {
		var shortest [2]time.Duration
		for n := range 2 * max(b.N, 15) {
			if d := run(n % 2); shortest[n%2] == 0 || d < shortest[n%2] {
				shortest[n%2] = d
			}
		}
		return float64(shortest[1]) / float64(shortest[0])
	}
	b.ReportMetric(ratio(scan), "x/scan")
	b.ReportMetric(ratio(page), "x/page")
}

// If plugins filter the addresses of a type, objects without a stored address are left out, counted
// and explained. The others are listed as stored.
func TestAddressUnknown(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn, sitemaptest.YoastActive, "DELETE FROM wp_yoast_indexable", fmt.Sprintf(rules, `s:19:"hand-made-([0-9]+)$";s:23:"index.php?p=$matches[1]";`),
		indexed("CONCAT('https://example.test/hand-made-', ID)"), "DELETE FROM wp_yoast_indexable WHERE object_id = 101")
	blog, filtered := sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), map[seo.Level]uint64{}
	for _, level := range sitemaptest.Levels {
		cat := sitemaptest.Build(t, blog, seo.Options{Compat: level})
		filtered[level] = cat.Fingerprint("post", 1)
		body := string(sitemaptest.Render(t, cat, "post", 1).Body)
		if !strings.Contains(body, "<loc>https://example.test/hand-made-100</loc>") || strings.Contains(body, "101") || cat.LeftOut[seo.AddressUnknown] != 1 {
			t.Errorf("%s: left out: %v\n%s", level, cat.LeftOut, body)
		}
		x, err := cat.Explain(t.Context(), "https://example.test/hand-made-100")
		if err != nil || !x.In || x.Object != "post 100" || x.Evidence[len(x.Evidence)-1].Source != "wp_yoast_indexable.permalink" {
			t.Errorf("%s: %+v, %v", level, x, err)
		}
		if x, err = cat.Explain(t.Context(), "https://example.test/?p=101"); err != nil || x.In || x.Rule != "address unknown" {
			t.Errorf("%s: %+v, %v", level, x, err)
		}
	}
	wptest.Exec(t, dsn, "DELETE FROM wp_yoast_indexable", indexed("CONCAT('https://example.test/', post_name, '/')")) // the filter is gone
	blog = sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	for _, level := range sitemaptest.Levels {
		cat := sitemaptest.Build(t, blog, seo.Options{Compat: level})
		body := string(sitemaptest.Render(t, cat, "post", 1).Body)
		if strings.Contains(body, "hand-made") || cat.LeftOut[seo.AddressUnknown] != 0 || cat.Fingerprint("post", 1) == filtered[level] {
			t.Errorf("%s, without the filter: left out: %v\n%s", level, cat.LeftOut, body)
		}
	}
}

// For an unpublished post, Yoast SEO stores /?p=102, which is not an address. explain finds the post
// at the address that it would have.
func TestUnpublishedPosts(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"draft": "It is a draft.", "pending": "It is pending: it waits for a review.", "trash": "It is in the trash.", "future": "It is scheduled for 2",
	} {
		dsn := wptest.Load(t, wptest.MariaDB, "basic")
		wptest.Exec(t, dsn, sitemaptest.YoastActive, "DELETE FROM wp_yoast_indexable", fmt.Sprintf(rules, `s:10:"([^/]+)/?$";s:26:"index.php?name=$matches[1]";`),
			"UPDATE wp_posts SET post_status = '"+status+"' WHERE ID = 102",
			indexed("CASE ID WHEN 102 THEN 'https://example.test/?p=102' ELSE CONCAT('https://example.test/', post_name, '/') END"))
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
		former, err := blog.FormerLinks(t.Context(), []int64{102})
		if err != nil || len(former) != 1 || strings.Contains(former[0].Link, "?") {
			t.Fatalf("%s: %+v, %v", status, former, err)
		}
		for _, level := range sitemaptest.Levels {
			cat := sitemaptest.Build(t, blog, seo.Options{Compat: level})
			x, err := cat.Explain(t.Context(), former[0].Link)
			if err != nil || x.Object != "post 102" || x.Rule != "not published" || !strings.HasPrefix(x.Because, want) || !strings.Contains(x.Edit, "post=102") {
				t.Errorf("%s, %s: %+v, %v", level, status, x, err)
			}
		}
	}
}

// explain reports a stored address that is not used, for posts and for terms.
func TestDoubtsAreExplained(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn, sitemaptest.YoastActive, "DELETE FROM wp_yoast_indexable", fmt.Sprintf(rules, `s:10:"([^/]+)/?$";s:26:"index.php?name=$matches[1]";`),
		indexed("CASE ID WHEN 102 THEN 'https://example.test/once/' ELSE CONCAT('https://example.test/', post_name, '/') END"))
	ask := func(_ context.Context, address string) (wp.Response, error) {
		if address == "https://example.test/once/" {
			return wp.Response{Status: 404}, nil
		}
		return wp.Response{Status: 200, Elsewhere: address}, nil
	}
	for name, tt := range map[string]struct {
		ask   func(context.Context, string) (wp.Response, error)
		asked bool // after the blog was read
	}{
		"wpsitemapd cannot ask the site which URL is right. Set upstream in the configuration":             {nil, false},
		"the site was not asked yet which URL is right. A running daemon asks it within minutes":           {ask, false},
		"the site answers only the computed URL. To have Yoast SEO store it, save the object in WordPress": {ask, true},
	} {
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Ask: tt.ask})
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel})
		if tt.asked {
			_, err := blog.Posts(t.Context(), []int64{102}, nil) // which compares the URL with the stored one
			wptest.Must(t, err)
			_, _, err = blog.Inquire(t.Context(), time.Now(), 0)
			wptest.Must(t, err)
		}
		x, err := c.Explain(t.Context(), "https://example.test/?p=102")
		want := "Yoast SEO has stored https://example.test/once/. The sitemap lists the computed URL instead, because " + name + "."
		if err != nil || !x.In || !slices.Contains(x.Notes, want) {
			t.Errorf("%+v, %v, want %q", x, err, want)
		}
	}
}
