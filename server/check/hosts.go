package check

import (
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
	"wpsitemapd/wp/weburl"
)

// noteHosts notes what cannot be right of the hosts of a site.
func (r *SiteReport) noteHosts(s *config.Site) {
	if s.Hosts == nil || len(r.Blogs) == 0 {
		return
	}
	names := make([]string, len(s.Hosts))
	for i, h := range s.Hosts {
		names[i] = string(h)
	}
	first, _ := weburl.Split(r.Blogs[0].Home)
	homes, shared, unserved := map[string]bool{}, true, 0
	for _, b := range r.Blogs {
		home, _ := weburl.Split(b.Home)
		shared = shared && home == first
		served := false
		for _, h := range append([]string{home}, b.hosts...) {
			homes[weburl.Host(h)] = true
			served = served || slices.Contains(names, weburl.Host(h))
		}
		if !served {
			unserved++
		}
	}
	if shared {
		if !slices.Contains(names, first) {
			r.trouble(fmt.Sprintf("hosts names %s, but home is %s: the sitemaps list URLs of %s. For a copy of that site set home = \"https://%s\"; "+
				"else add %q to hosts", strings.Join(names, ", "), r.Blogs[0].Home, first, names[0], first))
		}
		return
	}
	for _, h := range names {
		if !homes[h] {
			r.trouble(fmt.Sprintf("hosts names %s, which no blog of the network has: correct it, or take it out", h))
		}
	}
	if unserved > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("hosts names no host of %s of the network, which therefore have no sitemaps here",
			report.Count(unserved, "blog")))
	}
}

// homeWarning says that home and the address of WordPress itself differ in www or the scheme alone; "" where they do not. A redirect
// then leads from one to the other.
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
