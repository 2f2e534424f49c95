package faults

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"wpsitemapd/wp/wptest"
)

// networkBlogs is how many blogs the network beside the site has: more than a daemon keeps in memory.
const networkBlogs = 1000

const networkHost = "net.test"

// besideNetwork adds a network to the configuration, whose blogs are alike.
func besideNetwork(s *scene) {
	net := s.db.newSite(s.site.schema+"_net", networkHost, 3, 20)
	net.exec(wptest.NetworkSchema(wptest.MariaDB, "wp_")...)
	blog := "INSERT INTO wp_blogs (blog_id, site_id, domain, path, registered, last_updated, public) VALUES (%d, 1, '" + networkHost +
		"', '%s', '2025-01-01', '2025-01-01', 1)"
	net.exec("INSERT INTO wp_site (id, domain, path) VALUES (1, '"+networkHost+"', '/')", fmt.Sprintf(blog, 1, "/"),
		"INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, 'siteurl', 'https://"+networkHost+"/'), (1, 'main_site', '1'), "+
			"(1, 'subdomain_install', '0')")
	for id := 2; id < 2+networkBlogs; id++ {
		for _, table := range []string{"options", "posts", "postmeta", "terms", "term_taxonomy", "term_relationships"} {
			net.exec(fmt.Sprintf("CREATE TABLE wp_%d_%s LIKE wp_%[2]s", id, table), fmt.Sprintf("INSERT INTO wp_%d_%s SELECT * FROM wp_%[2]s", id, table))
		}
		net.exec(fmt.Sprintf("UPDATE wp_%d_options SET option_value = 'https://%s/b%[1]d' WHERE option_name IN ('home', 'siteurl')", id, networkHost),
			fmt.Sprintf(blog, id, fmt.Sprintf("/b%d/", id)))
	}
	s.daemon.configure(s.configuration(loopback(s.db.port), password) + fmt.Sprintf("[[site]]\nname = \"net\"\ndsn = %q\n",
		fmt.Sprintf("%s:%s@tcp(%s)/%[1]s", net.schema, password, loopback(s.db.port))))
}

// networkKilled kills the database of a network and of the site beside it. Blogs with cached pages are served from these; what is
// answered for another is its own or 503.
func networkKilled(s *scene) time.Time {
	v := newVisitor(s.daemon.address, networkHost)
	served := func(id int) int {
		status, body, err := v.get(fmt.Sprintf("/b%d/post-sitemap.xml", id))
		own := strings.Contains(body, fmt.Sprintf("https://%s/b%d/post-", networkHost, id))
		if err != nil || status != http.StatusServiceUnavailable && (status != http.StatusOK || !own) {
			s.Errorf("blog %d: %d %v %.200s", id, status, err, body)
		}
		return status
	}
	const asked, every = 40, networkBlogs / 50
	all := func() bool {
		for id := 2; id < 2+networkBlogs; id += every {
			if served(id) != http.StatusOK {
				return false
			}
		}
		return true
	}
	for id := 2; id < 2+asked; id++ {
		until(s, "a blog is served", func() bool { return served(id) == http.StatusOK })
	}
	s.kept()
	s.db.proc.kill()
	for end := time.Now().Add(hold); time.Now().Before(end); {
		for id := 2; id < 2+asked; id++ {
			if status := served(id); status != http.StatusOK {
				s.Errorf("blog %d has cached pages, and is %d", id, status)
			}
		}
		served(2 + networkBlogs - 1)
	}
	s.db.start()
	mended := time.Now()
	until(s, "blogs of the whole network are served", all)
	return mended
}
