package wp

import (
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // hosts without a zone database are common in containers

	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/php"
)

// Core is what decides about WordPress' own sitemaps, those at /wp-sitemap.xml.
type Core struct {
	// Sitemaps reports whether they answer: the site is public (option blog_public), WordPress is 5.5 or later and still
	// has their rewrite rules, and no plugin is active that is known to switch them off or to change what they list.
	Sitemaps bool

	Replaced bool // a plugin is active that puts its own in their place

	Zone         *time.Location // of the site, in which dates are written: timezone_string or gmt_offset
	PostsPerPage int            // posts_per_page: how many the front page shows; 0: all
	Sticky       []int64        // sticky_posts, which the front page shows beside them
}

// firstCoreDatabase is db_version of WordPress 5.5, the first with sitemaps of its own.
const firstCoreDatabase = 48748

// coreRule is the rewrite rule of their index, as the option rewrite_rules holds it.
const coreRule = `^wp-sitemap\.xml$`

// core decodes the options that WordPress' own sitemaps depend on.
func (s *Blog) core(o options, plugins map[string]bool) Core {
	c := Core{
		Replaced:     s.any(replacesCore),
		Zone:         zone(o["timezone_string"], o["gmt_offset"]),
		PostsPerPage: int(min(max(o.integer("posts_per_page"), -1<<31), 1<<31)),
	}
	c.Sitemaps = php.NewString(o["blog_public"]).Truthy() && !c.Replaced
	// A multilingual plugin gives each language files of its own.
	for _, names := range [][]string{multilingual.Polylang, multilingual.WPML} {
		if slices.ContainsFunc(names, func(name string) bool { return plugins[name] }) {
			c.Sitemaps = false
		}
	}
	if v, known := o["db_version"]; known && php.NewString(v).Int() < firstCoreDatabase {
		c.Sitemaps = false
	}
	if rules := o["rewrite_rules"]; rules != "" && !strings.Contains(rules, coreRule) {
		c.Sitemaps = false
	}
	switch n := c.PostsPerPage; { // as WP_Query reads it
	case n == -1:
		c.PostsPerPage = 0
	case n == 0:
		c.PostsPerPage = 1
	case n < 0:
		c.PostsPerPage = -n
	}
	for _, p := range o.serialized("sticky_posts", s.Notice).Pairs() {
		c.Sticky = append(c.Sticky, p.Value.Int())
	}
	return c
}

// zone is wp_timezone(): a name, or else hours before or after UTC. An unknown name stops WordPress; here it is UTC,
// in which the dates are as true.
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
	return time.FixedZone(hours, int(offset*60)*60) // named so that Blog.Fingerprint tells one from another
}

// UTC turns seconds of the blog's wall clock into those of UTC.
func (s *Blog) UTC(local int64) int64 {
	t := time.Unix(local, 0).UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, s.set.Core.Zone).Unix()
}
