package check

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// noteRobots records which robots.txt the daemon would serve for a blog. It warns of Sitemap lines whose URL is not a
// sitemap.
func (c *Check) noteRobots(ctx context.Context, b *BlogReport, s *config.Site, blog *wp.Blog, found *sitemap.Catalog) {
	if _, path := weburl.Split(blog.Home()); path != "" { // robots.txt is at the root of a host
		return
	}
	if s.Upstream.URL() != nil {
		b.Robots = "from the upstream; the daemon adds the Sitemap line if it is missing"
		crawler := live.CrawlerOf(s, blog, c.Agent, c.Rate)
		address := blog.Home() + "/robots.txt"
		if a, err := crawler.Get(ctx, address, live.MaxPage); err == nil && a.Status == http.StatusOK {
			crawler.Hosts = append(crawler.Hosts, weburl.HostPort(weburl.Authority(blog.Settings().SiteURL)))
			for _, line := range otherSitemaps(string(a.Body), blog, found) {
				if dead(ctx, crawler, line, found) {
					b.Warnings = append(b.Warnings, address+" names "+live.Shorten(line, 200)+
						", which is no sitemap: remove that line from the file, or from the plugin that writes it")
				}
			}
		}
		return
	}
	text, path, err := site.ReadRobots(blog.WebRoots(), s.Within)
	switch {
	case err == nil:
		b.Robots = "from " + path + "; the daemon adds the Sitemap line if it is missing"
		if index := found.Outline().Index; !bytes.Contains(text, []byte(index)) {
			b.Warnings = append(b.Warnings, path+" does not name the sitemaps: if the web server serves this file itself, add the "+
				"line \"Sitemap: "+index+"\"")
		}
		for _, line := range otherSitemaps(string(text), blog, found) { // without an upstream, nobody can be asked whether a file is a sitemap
			if isIndexFile(line, blog, found) {
				b.Warnings = append(b.Warnings, path+" names "+line+", which wpsitemapd does not serve: remove that line, unless "+
					"another program serves that sitemap")
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		b.Robots = "503, because the file in the web root cannot be read"
		b.Warnings = append(b.Warnings, "robots.txt is answered with 503: "+err.Error()+
			"; let the web server serve it, as the files in docs/deploy do, or let the daemon's user read it")
	case blog.Settings().Permalinks.Structure == "":
		b.Robots = "none: without permalinks, WordPress has none"
	case len(blog.WebRoots()) == 0:
		b.Robots = "from the daemon, with the text that WordPress would make. If the web root has a robots.txt, set wp_config: the " +
			"daemon then serves that file"
	default:
		b.Robots = "from the daemon, with the text that WordPress would make; the web root has no file"
	}
}

// maxOtherSitemaps is how many sitemaps of a robots.txt are examined.
const maxOtherSitemaps = 20

// otherSitemaps returns the sitemaps that a robots.txt names and that are not ours. It looks only at the hosts of home and of
// siteurl, with and without www. It leaves out the lines that the daemon removes.
func otherSitemaps(text string, blog *wp.Blog, found *sitemap.Catalog) (others []string) {
	bare := func(address string) string {
		return strings.TrimPrefix(strings.ToLower(weburl.HostOf(address)), "www.")
	}
	hosts := []string{bare(blog.Home()), bare(blog.Settings().SiteURL)}
	known := []string{blog.Home() + "/" + found.Whose.Plugin().OtherIndex}
	if found.Outline().Chosen {
		for _, name := range seo.IndexFiles {
			known = append(known, blog.Home()+"/"+name)
		}
	}
	for _, f := range found.Files() {
		known = append(known, f.URL)
	}
	for _, line := range parseRobots(text, "googlebot").sitemaps {
		if slices.Contains(hosts, bare(line)) && !slices.Contains(known, line) && !slices.Contains(others, line) && len(others) < maxOtherSitemaps {
			others = append(others, line)
		}
	}
	return others
}

// isIndexFile reports whether an address is in the folder of home or of siteurl, and has the file name of one of our files or of
// a plugin's index.
func isIndexFile(address string, blog *wp.Blog, found *sitemap.Catalog) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	dir, name := path.Split(u.Path)
	_, home := weburl.Split(blog.Home())
	_, own := weburl.Split(blog.Settings().SiteURL)
	inFolder := slices.Contains([]string{strings.Trim(home, "/"), strings.Trim(own, "/")}, strings.Trim(dir, "/"))
	named := func(f catalog.File) bool { return path.Base(f.URL) == name }
	return inFolder && (slices.Contains(seo.IndexFiles, name) || slices.ContainsFunc(found.Files(), named))
}

// dead reports whether an address answers with 404 or 410, or with 200 and something that is no sitemap. It follows redirects. An
// address that does not answer is not dead.
func dead(ctx context.Context, crawler *live.Crawler, address string, found *sitemap.Catalog) bool {
	for range 3 {
		a, err := crawler.Get(ctx, address, live.MaxPage)
		if err != nil {
			return false
		}
		if a.Status/100 != 3 {
			_, err = live.Parse(a.Body)
			return a.Status == http.StatusNotFound || a.Status == http.StatusGone || a.Status == http.StatusOK && err != nil && !a.Truncated
		}
		from, err := url.Parse(address)
		if err != nil {
			return false
		}
		to, err := from.Parse(a.Header.Get("Location"))
		if err != nil {
			return true
		}
		address = to.String()
		if slices.ContainsFunc(found.Files(), func(f catalog.File) bool { return f.URL == address }) {
			return false
		}
	}
	return false
}

// robotsRules holds what a robots.txt says to one crawler (RFC 9309).
type robotsRules struct {
	sitemaps []string
	rules    []robotsRule
}

type robotsRule struct {
	line, path string
	allow      bool
}

// parseRobots reads the rules of a robots.txt for a crawler. If no group names the crawler, it reads the group for all crawlers.
func parseRobots(text, agent string) *robotsRules {
	r, groups := &robotsRules{}, map[string][]robotsRule{}
	var agents []string // the crawlers that the current group names
	inRules := false
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); key {
		case "sitemap":
			r.sitemaps = append(r.sitemaps, value)
		case "user-agent":
			if inRules {
				agents, inRules = nil, false
			}
			name := strings.ToLower(value)
			agents = append(agents, name)
			groups[name] = append([]robotsRule{}, groups[name]...)
		case "allow", "disallow":
			inRules = true
			for _, name := range agents {
				if value != "" {
					groups[name] = append(groups[name], robotsRule{strings.TrimSpace(line), value, key == "allow"})
				}
			}
		}
	}
	if r.rules = groups[agent]; r.rules == nil {
		r.rules = groups["*"]
	}
	return r
}

// forbids returns the line of robots.txt that forbids an address, or "" if the address is allowed. The line with the longest
// matching path decides. If two paths have the same length, the line that allows decides.
func (r *robotsRules) forbids(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	path := u.RequestURI()
	var best robotsRule
	for _, rule := range r.rules {
		if matchesRobots(rule.path, path) && (len(rule.path) > len(best.path) || len(rule.path) == len(best.path) && rule.allow) {
			best = rule
		}
	}
	if best.allow {
		return ""
	}
	return best.line
}

// matchesRobots reports whether the path of a rule matches the beginning of a path. In a rule, * stands for any characters. A
// $ at the end of a rule means that the whole path must match.
func matchesRobots(rule, path string) bool {
	rule, whole := strings.CutSuffix(rule, "$")
	form := "^" + strings.ReplaceAll(regexp.QuoteMeta(rule), `\*`, ".*")
	if whole {
		form += "$"
	}
	matches, err := regexp.MatchString(form, path)
	return err == nil && matches
}
