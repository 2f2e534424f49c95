package formatting

import "strings"

// EncodeRFC3986 is Yoast's best effort to make url conform to RFC 3986 before it is escaped
// (spec: yoast-sitemaps.md, section 11, "URL encoding"). A URL that PHP finds valid is
// returned as it is, so the lower-case escapes of WordPress slugs survive. Otherwise the
// path is decoded and encoded again, and the query rebuilt with "&amp;" between its
// variables. As in the plugin, each is replaced wherever its text occurs in the URL.
func EncodeRFC3986(url string) string {
	if ValidURL(url) {
		return url
	}
	if p, ok := wpParseURL(url); ok && p.path != "" && p.path != "0" && p.path != "/" {
		url = strings.ReplaceAll(url, p.path, EncodePath(p.path))
	}
	if p, ok := wpParseURL(url); ok && p.query != "" && p.query != "0" {
		url = strings.ReplaceAll(url, p.query, EncodeQuery(p.query, "&amp;"))
	}
	return url
}

// EncodePath decodes each segment of path and encodes it again by RFC 3986: only letters,
// digits and -._~ stay, escapes are in upper case, an encoded slash stays encoded.
func EncodePath(path string) string {
	out := make([]byte, 0, len(path)+len(path)/2)
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '/' {
			out = append(out, c)
			continue
		}
		if c == '%' && i+2 < len(path) && is(path[i+1], hexDigit) && is(path[i+2], hexDigit) {
			c = unhex(path[i+1])<<4 | unhex(path[i+2])
			i += 2
		}
		out = appendRawEncoded(out, c)
	}
	return string(out)
}

// EncodeQuery reads query as PHP's parse_str does and writes it as http_build_query with RFC
// 3986 escapes, sep between the variables. So a variable without a value gets an equals
// sign, of equal names the last value stays at the first place, dots and spaces in names
// become underscores, a[] is numbered. PHP's default limits hold: 1,000 variables, 64 levels.
func EncodeQuery(query, sep string) string {
	var root array
	root.parse(query)
	return string(root.build(nil, "", "", sep))
}

func appendRawEncoded(out []byte, c byte) []byte {
	if is(c, unreserved) {
		return append(out, c)
	}
	const hex = "0123456789ABCDEF"
	return append(out, '%', hex[c>>4], hex[c&15])
}

func rawEncode(out []byte, s string) []byte {
	for i := range len(s) {
		out = appendRawEncoded(out, s[i])
	}
	return out
}

// unhex is for hexadecimal digits only.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
