package aioseo

import (
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// Presence is what All in One SEO is on a blog.
func Presence(blog *wp.Blog, level seo.Level) seo.Presence {
	o := optionsOf(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: blog.Home() + "/" + NewURLs(blog).File(seo.IndexName, 1, 1)}
	switch {
	case o.folder == "":
	case !o.enabled():
		is.Off = seo.OffBy(blog, Plugin.Name, optionMain+".sitemap.general.enable", "false")
	case o.static:
		is.Note = "All in One SEO writes its sitemaps as files into the web root (static sitemaps of version 3), which the web server " +
			"sends before it asks anybody: remove them"
	case strings.HasSuffix(o.folder, "-pro"):
		is.Note = "All in One SEO Pro is active, whose sitemaps of news and videos, and whose boxes of terms, are not read: " +
			"[site.news] and [site.video] make such sitemaps here, and [site.exclude] term_ids leaves terms out"
	}
	return is
}
