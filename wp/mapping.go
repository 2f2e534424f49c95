package wp

import (
	"context"
	"fmt"
	"net"
	"strings"

	"wpsitemapd/wp/db"
)

// sqlMappings is bounded like nothing else of a network: one row for each domain.
const sqlMappings = `SELECT id, blog_id, domain, active FROM wp_domain_mapping WHERE id > ? ORDER BY id LIMIT 1000`

// mapping is what the table domain_mapping says of one blog. It belongs to the plugin
// WordPress MU Domain Mapping, from before WordPress knew domains of its own; its
// wp-content/sunrise.php looks a request's host up there.
type mapping struct {
	domains []string // in the order of their rows, as stored
	primary string   // the first that is active, "" without one
}

// readMappings reads the mapped domains of all blogs. They count only where wp-config.php
// defines SUNRISE, since the table stays behind when a network has moved on. notice is for the operator.
func (n *Network) readMappings(ctx context.Context) (of map[int64]*mapping, notice string, err error) {
	if n.config == nil || !n.config.Defined("SUNRISE") {
		return nil, "", nil
	}
	mappings := map[int64]*mapping{}
	var id, blog, active int64
	var stored string
	err = n.byThousand(ctx, sqlMappings, &id, func() {
		domain := strings.TrimSpace(stored)
		if !isHostName(domain) {
			return
		}
		m := mappings[blog]
		if m == nil {
			m = &mapping{}
			mappings[blog] = m
		}
		m.domains = append(m.domains, domain)
		if active == 1 && m.primary == "" {
			m.primary = domain
		}
	}, &id, &blog, &stored, &active)
	switch {
	case db.MissingTable(err): // another sunrise.php
		return nil, "", nil
	case db.Denied(err): // a table without grants looks the same whether it exists or not
		return nil, fmt.Sprintf("wp-config.php defines SUNRISE, and the account may not read %sdomain_mapping, if there is one: %v", n.base, err), nil
	case err != nil:
		return nil, "", fmt.Errorf("site %s: reading %sdomain_mapping: %w%s", n.source.Name, n.base, err, hint(err))
	}
	return mappings, "", nil
}

// isHostName reports whether a text can stand for the host in an address.
func isHostName(s string) bool {
	return s != "" && len(s) <= 253 && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`/\?#@%<>"'`, r)
	})
}

// mapHome gives a blog the address of its primary domain, as the plugin's filters on the options home and siteurl do
// for visitors of a mapped domain. Uploads stay where they were: their address is made before plugins are loaded.
// Without a primary domain the address depends on what a visitor asked for (dm_no_primary_domain); then the stored
// one counts.
func (s *Blog) mapHome(home string) string {
	scheme, _, ok := strings.Cut(home, "://")
	if !ok || !s.mapped() {
		return home
	}
	return scheme + "://" + s.mapping.primary
}

func (s *Blog) mapped() bool {
	m := s.mapping
	return m != nil && m.primary != "" && s.network.meta.integer("dm_no_primary_domain") != 1 && s.network.source.Home == ""
}

// mappedHosts are the hosts that sunrise.php leads to a mapped blog: its domains, each with and without www.
func (s *Blog) mappedHosts() []string {
	if !s.mapped() {
		return nil
	}
	var hosts []string
	for _, domain := range s.mapping.domains {
		domain = strings.ToLower(domain)
		hosts = append(hosts, domain)
		if !strings.HasPrefix(domain, "www.") && net.ParseIP(domain) == nil {
			hosts = append(hosts, "www."+domain)
		}
	}
	return hosts
}
