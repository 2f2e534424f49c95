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
		r.trouble(fmt.Sprintf("hosts names %s, but home is %s: the sitemaps list URLs of %s. For a copy of that site set home = \"https://%s\"; "+
			"else add %q to hosts", strings.Join(names, ", "), r.Blogs[0].Home, first, names[0], first))
	default:
		r.Warnings = append(r.Warnings, fmt.Sprintf("hosts names no host of %s of the network, which therefore have no sitemaps here",
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
	return fmt.Sprintf("home is %s, but WordPress itself is at %s: visitors of URLs in the sitemaps may be redirected. "+
		"Correct it in WordPress (Settings, General), or set home; check --fetch asks the site", home, siteURL)
}
