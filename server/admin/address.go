package admin

import (
	"fmt"
	"strings"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/weburl"
)

// place is an address, split into the parts that the routing table needs.
type place struct {
	asked     string // the address as it was written
	scheme    string // "" if it is missing
	authority string // as it was written; "" if it is missing
	host, uri string // host is the authority in the form that routing compares
}

// address returns the address with scheme and host. If one of them is missing, complete must be called first.
func (p *place) address() string {
	if strings.Contains(p.asked, "://") {
		return p.asked
	}
	return p.scheme + "://" + p.authority + p.uri
}

func splitAddress(address string) (place, error) {
	p := place{asked: strings.TrimSpace(address)}
	scheme, rest, whole := strings.Cut(p.asked, "://")
	if p.scheme = strings.ToLower(scheme); !whole {
		p.scheme, rest = "", p.asked
	}
	rest, _, _ = strings.Cut(rest, "#")
	i := strings.IndexAny(rest, "/?")
	if i < 0 {
		i = len(rest)
	}
	p.authority, p.uri = rest[strings.LastIndexByte(rest[:i], '@')+1:i], rest[i:]
	p.host = weburl.Host(p.authority)
	switch {
	case whole && p.scheme != "http" && p.scheme != "https":
		return place{}, fmt.Errorf("%q is %w: it has to begin with http:// or https://", address, explain.ErrAddress)
	case whole && p.host == "":
		return place{}, fmt.Errorf("%q is %w: it names no host", address, explain.ErrAddress)
	case !whole && p.host == "" && p.uri == "", !whole && p.host != "" && !strings.ContainsAny(p.host, ".:") && p.host != "localhost":
		return place{}, fmt.Errorf("%q is %w: write it with its host, or begin it with a slash", address, explain.ErrAddress)
	}
	if !strings.HasPrefix(p.uri, "/") {
		p.uri = "/" + p.uri
	}
	return p, nil
}

// meant finds the site of an address without a host: the site with the given name, or the only site if name is "". If there
// is no such site, meant returns an error.
func (p *place) meant(sites []*site.Site, name string) (*site.Site, error) {
	for _, s := range sites {
		if s.Config.Name == name || name == "" && len(sites) == 1 {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%q is %w: it names no host, and there are several sites; write the host, or name the site", p.asked, explain.ErrAddress)
}

// complete takes the scheme and the host from home, the address of a blog, if the address lacks them.
func (p *place) complete(home string) {
	scheme, rest, _ := strings.Cut(home, "://")
	if p.scheme == "" {
		p.scheme = scheme
	}
	if p.host == "" {
		p.authority, _, _ = strings.Cut(rest, "/")
		p.host = weburl.Host(p.authority)
	}
}
