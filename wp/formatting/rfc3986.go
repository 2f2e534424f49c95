package formatting

import (
	"fmt"
	"strings"

	"wpsitemapd/wp/php"
)

// EncodeRFC3986 is Yoast's best effort to make url conform to RFC 3986 before it is escaped
// (spec: yoast-sitemaps.md, section 11, "URL encoding"). A URL that PHP finds valid is
// returned as it is, so the lower-case escapes of WordPress slugs survive. Otherwise the
// path is decoded and encoded again, and the query rebuilt with "&amp;" between its
// variables. As in the plugin, each is replaced wherever its text occurs in the URL.
func EncodeRFC3986(url string) string {
	if php.ValidURL(url) {
		return url
	}
	if p, ok := php.ParseURL(url); ok && p.Path != "" && p.Path != "0" && p.Path != "/" {
		url = strings.ReplaceAll(url, p.Path, EncodePath(p.Path))
	}
	if p, ok := php.ParseURL(url); ok && p.Query != "" && p.Query != "0" {
		url = strings.ReplaceAll(url, p.Query, php.RebuildQuery(p.Query, "&amp;"))
	}
	return url
}

// EncodePath decodes each segment of path and encodes it again by RFC 3986: only letters,
// digits and -._~ stay, escapes are in upper case, an encoded slash stays encoded.
func EncodePath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = php.RawURLEncode(php.RawURLDecode(segment))
	}
	return strings.Join(segments, "/")
}

// StoredSlug is a name as WordPress stores it in a slug: what is not ASCII percent-encoded, in lower case.
func StoredSlug(name string) string {
	b := make([]byte, 0, len(name))
	for i := range len(name) {
		if c := name[i]; c < 0x80 {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, "%%%02x", c)
		}
	}
	return string(b)
}
