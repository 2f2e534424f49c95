package address

import (
	"net/url"
	"strings"

	"wpsitemapd/wp/php"
)

// concerns reports whether a stored address is below home and has the scheme and host of the computed one.
func (b *Book) concerns(w storedRow, link string) bool {
	stored, err := url.Parse(w.address)
	computed, other := url.Parse(link)
	if err != nil || other != nil || stored.Scheme != computed.Scheme || stored.Host != computed.Host || stored.User != nil {
		return false
	}
	_, ok := b.below(stored)
	return ok
}

// below returns the path of an address relative to home, and whether the address is below home.
func (b *Book) below(u *url.URL) (string, bool) {
	home, err := url.Parse(b.Blog.LinksHome())
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(u.Path, strings.TrimRight(home.Path, "/"))
	return path, ok && (path == "" || path[0] == '/')
}

// path returns the decoded path of an address. It is relative to home if the address is below home.
func (b *Book) path(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	path, _ := b.below(u)
	return path
}

// sameAddress reports whether two addresses are equal after percent-decoding.
func sameAddress(a, b string) bool { return a == b || php.RawURLDecode(a) == php.RawURLDecode(b) }
