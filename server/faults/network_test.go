package faults

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"wpsitemapd/wp/wptest"
)

const (
	networkBlogs = 1000 // more than a daemon keeps in memory
	networkHost  = "net.test"
)

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
	s.daemon.configure(s.configuration(password) + fmt.Sprintf("[[site]]\nname = \"net\"\nhosts = [%q]\ndsn = %q\n", networkHost,
		fmt.Sprintf("%s:%s@tcp(%s)/%[1]s", net.schema, password, s.link.Address))) // by its host, or nobody knows whose PHP pages are at first
}

// networkKilled kills the database of a network and of the site beside it. Blogs with cached pages are served from these; what is
// answered for another is its own or 503.
func networkKilled(s *scene) {
	client := &http.Client{Timeout: wptest.Patience}
	served := func(id int) bool {
		status, body, err := fetch(client, s.daemon.address, networkHost, fmt.Sprintf("/b%d/post-sitemap.xml", id))
		own := strings.Contains(body, fmt.Sprintf("https://%s/b%d/post-", networkHost, id))
		if err != nil || status != http.StatusServiceUnavailable && (status != http.StatusOK || !own) {
			s.Errorf("blog %d: %d %v %.200s", id, status, err, body)
		}
		return status == http.StatusOK
	}
	const asked, every = 40, networkBlogs / 50
	for id := 2; id < 2+asked; id++ {
		wptest.Eventually(s, "a blog is served", func() bool { return served(id) })
	}
	s.kept()
	s.db.kill()
	for end := time.Now().Add(hold); time.Now().Before(end); {
		for id := 2; id < 2+asked; id++ {
			if !served(id) {
				s.Errorf("blog %d has cached pages, and is not served", id)
			}
		}
		served(2 + networkBlogs - 1)
	}
	s.db.Start()
	back := time.Now()
	for id := 2; id < 2+networkBlogs; id += every {
		wptest.Eventually(s, "blogs of the whole network are served", func() bool { return served(id) })
	}
	if took := time.Since(back); took > mostRecovery {
		s.Errorf("the network is served after %v, want %v at most", took, mostRecovery)
	}
}
