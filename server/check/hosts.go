package check

import (
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/server/route"
	"wpsitemapd/wp/weburl"
)

// noteHosts reports hosts in a site's configuration that do not fit the homes of its blogs.
func (r *SiteReport) noteHosts(s *config.Site) {
	if s.Hosts == nil || len(r.Blogs) == 0 {
		return
	}
	var names []string
	for _, h := range s.Hosts {
		names = append(names, string(h))
	}
	unserved := 0
	for _, b := range r.Blogs {
		home, _ := weburl.Split(b.Home)
		if !slices.ContainsFunc(append([]string{home}, b.hosts...), func(h string) bool { return slices.Contains(names, weburl.Host(h)) }) {
			unserved++
		}
	}
	switch first, _ := weburl.Split(r.Blogs[0].Home); unserved {
	case 0:
	case len(r.Blogs):
		r.trouble(fmt.Sprintf("hosts does not contain %[1]s, the host of home. Requests for %[1]s get no sitemap. Add %[1]q to "+
			"hosts. If this is a copy of the site that should list its own URLs, set home = \"https://%[2]s\" instead",
			first, names[0]))
	default:
		r.Warnings = append(r.Warnings, fmt.Sprintf("hosts contains no host of %s of the network. Requests for their hosts get no "+
			"sitemap: add the hosts",
			report.Count(unserved, "blog")))
	}
}

// noteRedirected records the other host of a blog, with or without www, if the daemon redirects it to home.
func (b *BlogReport) noteRedirected(table *route.Table) {
	host, path := weburl.Split(b.Home)
	if other := route.WithOrWithoutWWW(host); path == "" {
		if at, _ := table.Find(other, "/"); at.Moved {
			b.Redirect = other
		}
	}
}

// homeWarning returns a warning if home and the address of WordPress itself differ only in www or in the scheme. WordPress
// may then redirect visitors of URLs in the sitemaps. homeWarning returns "" in all other cases.
func homeWarning(home, siteURL string) string {
	host, own := weburl.HostOf(home), weburl.HostOf(siteURL)
	scheme, _, _ := strings.Cut(home, ":")
	ownScheme, _, ok := strings.Cut(siteURL, ":")
	if !ok || strings.TrimPrefix(host, "www.") != strings.TrimPrefix(own, "www.") || host == own && scheme == ownScheme {
		return ""
	}
	return fmt.Sprintf("home is %s, but WordPress itself is at %s. The site may redirect the URLs of the sitemaps; check --fetch "+
		"finds out. Correct the addresses in WordPress (Settings, General), or set home in the configuration to the address that "+
		"visitors get", home, siteURL)
}
