package content

import (
	"strings"

	"wpsitemapd/wp/php"
)

// Uploads says where attached files are, as wp_upload_dir does. Neither field ends with a slash.
type Uploads struct {
	Dir string // basedir, an absolute path; "" if unknown
	URL string // baseurl
}

// FileURL returns the address of an attachment's file. file is its meta value _wp_attached_file; if that is "" or
// "0", FileURL returns "". The address is not percent-encoded.
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

// Home is the home address of a site, split into the parts that decide whether an image belongs to the site.
type Home struct {
	URL    string // as given
	Host   string // the host without any "www."; "" if the address has no host
	Scheme string // "http" if the address has no scheme
}

// NewHome parses a home address as home_url() returns it: without a slash at the end, perhaps with a path.
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

// Absolute returns the absolute address of an image. An address that starts with "//" gets the scheme of home. An
// address that starts with "/" gets the home address, with its path. Any other address is returned unchanged.
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

// Own reports whether an absolute address counts as the site's own: it contains the host of home at any place.
func (h Home) Own(src string) bool { return strings.Contains(src, h.Host) }

// WithQuery appends the query of original to src. original is the address in the content, and src is the address of
// the full file that replaces it. WithQuery appends nothing if the query is empty or "0", or if PHP's parse_url
// refuses original. It appends the query even if src is empty.
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
