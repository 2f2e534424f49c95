package explainer

import (
	"fmt"
	"strings"

	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/weburl"
)

// place is an address as routing takes it.
type place struct {
	address, host, uri string
}

func splitAddress(address string) (place, error) {
	address = strings.TrimSpace(address)
	scheme, rest, ok := strings.Cut(address, "://")
	if scheme = strings.ToLower(scheme); !ok || scheme != "http" && scheme != "https" {
		return place{}, fmt.Errorf("%q is %w: it has to begin with http:// or https://", address, explain.ErrAddress)
	}
	rest, _, _ = strings.Cut(rest, "#")
	i := strings.IndexAny(rest, "/?")
	if i < 0 {
		i = len(rest)
	}
	p := place{address: address, host: weburl.Host(rest[strings.LastIndexByte(rest[:i], '@')+1 : i]), uri: rest[i:]}
	if p.host == "" {
		return place{}, fmt.Errorf("%q is %w: it names no host", address, explain.ErrAddress)
	}
	if !strings.HasPrefix(p.uri, "/") {
		p.uri = "/" + p.uri
	}
	return p, nil
}
