package sitemap_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

const (
	// mostMemory is the maximum memory in kB that a site may cost, whatever its rows are. It includes
	// the test program.
	mostMemory = 512 << 10

	envHostileSite   = "WPSITEMAPD_TEST_HOSTILE_SITE"
	envHostilePlugin = "WPSITEMAPD_TEST_HOSTILE_PLUGIN"
)

// Rows of any size lead to a warning or an error, and not to memory that other sites need.
func TestHostileRows(t *testing.T) {
	if dsn := os.Getenv(envHostileSite); dsn != "" {
		readHostile(t, dsn)
		return
	}
	if testing.Short() {
		t.Skip("takes long")
	}
	option := func(name, value string) string {
		return "REPLACE INTO wp_options (option_id, option_name, option_value, autoload) VALUES ((SELECT x FROM (SELECT option_id AS x FROM wp_options " +
			"WHERE option_name = '" + name + "') y), '" + name + "', " + value + ", 'yes')"
	}
	quoted := func(s string) string { return "'" + s + "'" }
	few := func(id string) string { return " WHERE " + id + " IN (1, 2)" }
	tiny := "a:500000:{" + strings.Repeat("i:0;N;", 500_000) + "}"
	deep := strings.Repeat("a:1:{i:0;", 300_000)
	elements := "[" + strings.Repeat("0,", 500_000) + "0]"
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		big := "REPEAT('x', 15000000)" // by max_allowed_packet
		images := "REPEAT('<img src=x>', 700000)"
		if e == wptest.SQLite {
			big = "CAST(ZEROBLOB(200000000) AS TEXT)"
			images = "REPLACE(HEX(ZEROBLOB(700000)), '00', '<img src=x>')"
		}
		table := `CREATE TABLE wp_aioseo_posts (id INTEGER PRIMARY KEY, post_id INT, robots_default INT, robots_noindex INT, priority FLOAT, images LONGTEXT, canonical_url TEXT)`
		for _, tt := range []struct {
			name, plugin string
			rows         []string
			warning      string
			parsed       bool // the engine hands it over as any other value: what Go makes of it is tried with SQLite only
		}{
			{"options", "yoast", []string{option("wpseo_titles", big), option("rewrite_rules", big), option("wpseo_taxonomy_meta", big)}, "option wpseo_titles is longer", false},
			{"tiny elements", "yoast", []string{option("rewrite_rules", quoted(tiny)), option("wpseo_titles", quoted(tiny)), option("wpseo_taxonomy_meta", quoted(tiny))}, "", true},
			{"nested", "yoast", []string{option("rewrite_rules", quoted(deep)), option("wpseo_titles", quoted(deep+"}"))}, "", true},
			{"contents", "yoast", []string{"UPDATE wp_posts SET post_content = " + big + few("ID"), "UPDATE wp_posts SET post_title = " + big + few("ID")}, "of post_content are longer", false},
			{"images", "yoast", []string{"UPDATE wp_posts SET post_content = " + images + " WHERE post_type = 'post' AND " +
				"post_status = 'publish'"}, "one page has too many images", true},
			{"meta", "yoast", []string{
				"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) SELECT ID, '_yoast_wpseo_canonical', " + big + " FROM wp_posts" + few("ID"),
				"INSERT INTO wp_termmeta (term_id, meta_key, meta_value) SELECT term_id, 'x', " + big + " FROM wp_terms" + few("term_id"),
			}, "of _yoast_wpseo_canonical are longer", false},
			{"JSON", "aioseo", []string{table, "INSERT INTO wp_aioseo_posts (id, post_id, images) SELECT ID, ID, " + quoted(elements) + " FROM wp_posts LIMIT 10",
				"INSERT INTO wp_aioseo_posts (id, post_id, images) SELECT ID + 100000, ID, " + big + " FROM wp_posts" + few("ID")}, "", false},
			{"JSON options", "aioseo", []string{option("aioseo_options", quoted(elements)), option("aioseo_options_dynamic", big)}, "", false},
		} {
			if tt.parsed && e == wptest.MariaDB {
				continue
			}
			t.Run(tt.name, func(t *testing.T) {
				dsn := wptest.Load(t, e, "basic")
				wptest.Exec(t, dsn, tt.rows...)
				child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostileRows$", "-test.v")
				child.Env = append(os.Environ(), envHostileSite+"="+dsn, envHostilePlugin+"="+tt.plugin)
				out, err := child.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out[max(0, len(out)-2000):])
				}
				_, peak, _ := strings.Cut(string(out), "VmHWM:")
				kB, err := strconv.Atoi(strings.Fields(peak + " ?")[0])
				if err != nil || kB > mostMemory {
					t.Errorf("it costs %d kB: %v", kB, err)
				}
				t.Logf("%d MB", kB>>10)
				if !strings.Contains(string(out), tt.warning) {
					t.Errorf("no warning says %q: %s", tt.warning, out[:min(len(out), 2000)])
				}
			})
		}
	})
}

// readHostile reads a whole site and prints its messages and its costs.
func readHostile(t *testing.T, dsn string) {
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	c := sitemaptest.Build(t, blog, seo.Options{
		Sitemaps: os.Getenv(envHostilePlugin), Compat: seo.SpecLevel, Log: slog.New(slog.NewTextHandler(os.Stdout, nil)),
	})
	for _, f := range c.Files() {
		if _, err := c.Render(t.Context(), f.Name, max(1, f.Page)); err != nil {
			fmt.Println("error:", err)
		}
	}
	for _, w := range blog.Blog.Warnings() {
		fmt.Println("warning:", w[:min(len(w), 300)])
	}
	status, err := os.ReadFile("/proc/self/status")
	wptest.Must(t, err)
	_, peak, _ := bytes.Cut(status, []byte("VmHWM:"))
	fmt.Printf("VmHWM:%s\n", peak[:bytes.IndexByte(peak, '\n')])
}
