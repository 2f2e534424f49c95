package content

import (
	"strings"

	"wpsitemapd/wp/php"
)

// Uploads says where attached files lie, as wp_upload_dir does. Neither field ends with a slash.
type Uploads struct {
	Dir string // basedir, absolute path; "" when not known
	URL string // baseurl
}

// FileURL is the address of the file of an attachment, from its meta value _wp_attached_file; "" when that is empty or
// "0". It is not percent-encoded. (yoast-sitemaps.md 9.3)
func (u Uploads) FileURL(file string) string {
	const marker = "wp-content/uploads"
	if isEmpty(file) {
		return ""
	}
	if u.Dir != "" && strings.HasPrefix(file, u.Dir) {
		return strings.ReplaceAll(file, u.Dir, u.URL)
	}
	if _, after, ok := strings.Cut(file, marker); ok {
		return u.URL + after
	}
	return u.URL + "/" + file
}

// Home is a site's home address and what images are measured by.
type Home struct {
	URL    string // as given
	Host   string // host without any "www."; "" when the address has none
	Scheme string // "http" when the address has none
}

// NewHome reads a home address as home_url() returns it: without a slash at the end, perhaps with a path.
func NewHome(homeURL string) Home {
	h := Home{URL: homeURL, Scheme: "http"}
	u, ok := php.ParseURL(homeURL)
	if !ok {
		return h
	}
	if !isEmpty(u.Host) {
		h.Host = strings.ReplaceAll(u.Host, "www.", "")
	}
	if !isEmpty(u.Scheme) {
		h.Scheme = u.Scheme
	}
	return h
}

// Absolute completes the address of an image: scheme for one that starts with "//", home (with its path) for one
// that starts with "/". What starts with "http" and any other address is returned as it is. (yoast-sitemaps.md 9.5)
func (h Home) Absolute(src string) string {
	switch {
	case isEmpty(src), strings.HasPrefix(src, "http"):
		return src
	case strings.HasPrefix(src, "//"):
		return h.Scheme + ":" + src
	case src[0] == '/':
		return h.URL + src
	}
	return src
}

// Own reports whether an absolute address counts as the site's own: it contains the home host, anywhere.
func (h Home) Own(src string) bool { return strings.Contains(src, h.Host) }

// WithQuery re-adds the query string of original, the src an attachment's full file src stands in for. A query that is
// empty or "0", and that of an address PHP's parse_url refuses, is not kept. An empty src is treated like any other.
func WithQuery(src, original string) string {
	if strings.IndexByte(original, '?') < 0 {
		return src
	}
	u, ok := php.ParseURL(original)
	if !ok || isEmpty(u.Query) {
		return src
	}
	return src + "?" + u.Query
}
