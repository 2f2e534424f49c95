package wp

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // containers often have no zone database

	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/php"
)

// Core holds what WordPress' own sitemaps at /wp-sitemap.xml depend on, and the time zone, which the sitemaps of all plugins
// depend on. inputs.go lists the options that are read.
type Core struct {
	// Sitemaps reports whether WordPress' own sitemaps answer. It is false if option blog_public is off, if db_version is older than
	// WordPress 5.5, if the stored rewrite_rules lack theirs, or if an active plugin is known to switch them off or to change what
	// they list. If db_version or rewrite_rules is not stored, it does not count.
	Sitemaps bool

	Zone         *time.Location // of the site, by timezone_string or gmt_offset; every plugin writes dates in it
	PostsPerPage int            // posts on the front page, by posts_per_page; 0: all
	Sticky       []int64        // sticky_posts: further posts on the front page
}

// firstCoreDatabase is the db_version of WordPress 5.5, the first version with sitemaps of its own.
const firstCoreDatabase = 48748

// coreRule is the rewrite rule of the sitemap index, as option rewrite_rules has it.
const coreRule = `^wp-sitemap\.xml$`

// core decodes the options of Core.
func (r *reading) core() Core {
	c := Core{
		Sitemaps: r.coreSitemaps(), Zone: zone(r.options["timezone_string"], r.options["gmt_offset"]),
		PostsPerPage: postsPerPage(r.options.integer("posts_per_page")),
	}
	for _, p := range r.array("sticky_posts").Pairs() {
		c.Sticky = append(c.Sticky, p.Value.Int())
	}
	return c
}

// coreSitemaps reports whether WordPress' own sitemaps answer, see Core.Sitemaps.
func (r *reading) coreSitemaps() bool {
	version, knowsVersion := r.options["db_version"]
	rules := r.options["rewrite_rules"]
	switch {
	case !php.NewString(r.options["blog_public"]).Truthy(), r.blog.any(replacesCore):
		return false
	case multilingual.OptionOf(r.blog.set.ActivePlugins) != "": // such a plugin replaces the sitemaps by separate files for each language
		return false
	case knowsVersion && php.NewString(version).Int() < firstCoreDatabase:
		return false
	}
	return rules == "" || strings.Contains(rules, coreRule)
}

// postsPerPage returns how many posts WP_Query shows on a page for a value of option posts_per_page. The result 0 means
// all posts.
func postsPerPage(n int64) int {
	switch n = min(max(n, -1<<31), 1<<31); {
	case n == -1:
		return 0
	case n == 0:
		return 1
	case n < 0:
		return int(-n)
	}
	return int(n)
}

// zone returns a time zone as wp_timezone() does: by its name or, if name is "", by its hours from UTC. For an
// unknown name, PHP fails. zone then returns UTC: dates that are stored in UTC are still right, but local ones are read as UTC.
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
