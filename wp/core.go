package wp

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // containers often have no zone database

	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/php"
)

// Core holds the options that WordPress' own sitemaps at /wp-sitemap.xml depend on.
type Core struct {
	// Sitemaps reports whether WordPress' own sitemaps answer. The site must be public by option blog_public, and
	// WordPress must be 5.5 or later and have their rewrite rules. No active plugin may be known to switch them off or
	// to change what they list.
	Sitemaps bool

	Replaced bool // an active plugin replaces WordPress' own sitemaps

	Zone         *time.Location // of the site, by timezone_string or gmt_offset; dates are written in it
	PostsPerPage int            // posts on the front page, by posts_per_page; 0: all
	Sticky       []int64        // sticky_posts: further posts on the front page
}

// firstCoreDatabase is the db_version of WordPress 5.5, the first version with sitemaps of its own.
const firstCoreDatabase = 48748

// coreRule is the rewrite rule of the sitemap index, as option rewrite_rules has it.
const coreRule = `^wp-sitemap\.xml$`

// core decodes the options that WordPress' own sitemaps depend on.
func (r *reading) core() Core {
	c := Core{
		Replaced:     r.blog.any(replacesCore),
		Zone:         zone(r.options["timezone_string"], r.options["gmt_offset"]),
		PostsPerPage: int(min(max(r.options.integer("posts_per_page"), -1<<31), 1<<31)),
	}
	c.Sitemaps = php.NewString(r.options["blog_public"]).Truthy() && !c.Replaced
	// A multilingual plugin replaces the sitemaps by separate files for each language.
	if multilingual.OptionOf(r.blog.set.ActivePlugins) != "" {
		c.Sitemaps = false
	}
	if v, known := r.options["db_version"]; known && php.NewString(v).Int() < firstCoreDatabase {
		c.Sitemaps = false
	}
	if rules := r.options["rewrite_rules"]; rules != "" && !strings.Contains(rules, coreRule) {
		c.Sitemaps = false
	}
	switch n := c.PostsPerPage; { // as in WP_Query
	case n == -1:
		c.PostsPerPage = 0
	case n == 0:
		c.PostsPerPage = 1
	case n < 0:
		c.PostsPerPage = -n
	}
	for _, p := range r.array("sticky_posts").Pairs() {
		c.Sticky = append(c.Sticky, p.Value.Int())
	}
	return c
}

// zone returns a time zone as wp_timezone() does: by its name or, if name is "", by its hours from UTC. For an
// unknown name, PHP fails. zone then returns UTC, so that the dates are still right.
func zone(name, hours string) *time.Location {
	if name != "" {
		if z, err := time.LoadLocation(name); err == nil && name != "Local" {
			return z
		}
		return time.UTC
	}
	offset, err := strconv.ParseFloat(strings.TrimSpace(hours), 64)
	if err != nil || !(-24 < offset && offset < 24) {
		return time.UTC
	}
	return time.FixedZone(hours, int(offset*60)*60) // the name distinguishes zones in Blog.Fingerprint
}

// UTC converts seconds of the blog's wall clock to Unix seconds.
func (b *Blog) UTC(local int64) int64 {
	t := time.Unix(local, 0).UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, b.set.Core.Zone).Unix()
}
