// Package rankmath makes the sitemaps of Rank Math. options.go reads its options. By these, settings.go decides which types, posts
// and terms are listed, and authors.go decides about users. checks.go has the reasons. policy.go orders and dates the lists, with
// authordates.go and images.go. urls.go holds the addresses.
package rankmath

import (
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/release"
)

// Plugin is Rank Math.
var Plugin = seo.Plugin{
	Name:            "Rank Math",
	URLs:            scheme{},
	Compared:        [2]release.Version{"1.0.201", "1.0.273"},
	ContentType:     "text/xml; charset=UTF-8",
	RobotsTag:       "noindex",
	StylesheetCache: "max-age=31536000",
	IndexFile:       catalog.RuleIndex,
	OtherIndex:      "wp-sitemap.xml", // the plugin redirects it to the index, or it does not exist
	Copies: "Rank Math serves files from uploads/rank-math, and does not notice changes that are made outside of WordPress' admin. " +
		"Save the sitemap settings of Rank Math, which deletes these files, and compare again",
}

// presence says whether Rank Math is active on a blog and answers for its sitemaps.
func presence(blog *wp.Blog, level seo.Level) seo.Presence {
	o := of(blog)
	p := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), Plugin.IndexFile)}
	switch {
	case o.folder == "":
	case o.answers():
		var notes []string
		if blog.Settings().ActivePlugins[paid] {
			notes = append(notes, "Rank Math PRO is active. wpsitemapd does not read its settings of news, videos and places. For "+
				"sitemaps of news and videos set [site.news] and [site.video]")
		}
		if level == seo.PluginLevel && o.images() {
			notes = append(notes, "Rank Math looks for images in posts as they are displayed. Images of dynamic blocks and page builders, and changes by "+
				"filters in code (rank_math/sitemap/…), are not in the database; wpsitemapd diff shows what differs")
		}
		p.Note = strings.Join(notes, "; ")
	case !o.setUp:
		p.Off = seo.OffBy(blog, Plugin.Name, optionSkipped, "not done")
		p.Off.Sentence = "The set-up of Rank Math is not done (" + optionSkipped + ", " + optionConnect + "), so it makes no sitemaps."
	default:
		p.Off = seo.OffBy(blog, Plugin.Name, optionModules, "without sitemap")
	}
	return p
}
