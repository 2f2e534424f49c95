package formatting

import (
	"fmt"
	"strings"

	"wpsitemapd/wp/php"
)

// EncodeRFC3986 returns url in the form in which Yoast tries to conform to RFC 3986. If PHP finds url valid, it returns
// url unchanged, so that the lower-case escapes of WordPress slugs survive. If not, it decodes the path and encodes it
// again, and rebuilds the query with "&amp;" between the variables.
//
// As in the plugin, the new path and the new query replace the old text at every place in the URL.
func EncodeRFC3986(url string) string {
	if php.ValidURL(url) {
		return url
	}
	p, _ := php.ParseURL(url) // empty if PHP cannot parse it
	url = strings.ReplaceAll(url, p.Path, EncodePath(p.Path))
	if p, _ = php.ParseURL(url); p.Query != "0" {
		url = strings.ReplaceAll(url, p.Query, php.RebuildQuery(p.Query, "&amp;"))
	}
	return url
}

// EncodePath decodes each segment of path and encodes it again by RFC 3986. Only letters, digits and -._~ stay.
// Escapes are in upper case, and an encoded slash stays encoded.
func EncodePath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = php.RawURLEncode(php.RawURLDecode(segment))
	}
	return strings.Join(segments, "/")
}

// StoredSlug returns a name as WordPress stores it in a slug: bytes outside ASCII are percent-encoded, in lower
// case.
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
