package check

import (
	"bytes"
	"errors"
	"io/fs"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
)

// noteRobots notes where the robots.txt of a blog comes from, as the handler of requests decides it.
func (b *BlogReport) noteRobots(s *config.Site, blog *wp.Blog, found *sitemap.Catalog) {
	if _, path := weburl.Split(blog.Home()); path != "" { // robots.txt is at the root of a host
		return
	}
	if s.Upstream.URL() != nil {
		b.Robots = "the upstream's, with a line for the sitemaps"
		return
	}
	text, path, err := site.ReadRobots(blog.WebRoots())
	switch {
	case err == nil:
		b.Robots = path + ", with a line for the sitemaps"
		if index := found.Outline().Index; !bytes.Contains(text, []byte(index)) {
			b.Warnings = append(b.Warnings, path+" does not name the sitemaps: where the web server serves it, add the line \"Sitemap: "+index+"\"")
		}
	case !errors.Is(err, fs.ErrNotExist):
		b.Robots = "503, since the file in the web root cannot be read"
		b.Warnings = append(b.Warnings, "robots.txt is answered with 503: "+err.Error()+
			"; let the web server serve it, as the files in docs/deploy do, or let the daemon's user read it")
	case blog.Settings().Permalinks.Structure == "":
		b.Robots = "none, as WordPress has none without permalinks"
	case len(blog.WebRoots()) == 0:
		b.Robots = "made as WordPress makes it; without wp_config it is not known whether the web root has a file, which should win"
	default:
		b.Robots = "made as WordPress makes it; the web root has no file"
	}
}
