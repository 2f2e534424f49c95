package php

import "strings"

// URLDecode is PHP's urldecode(): plus is a space, and malformed escapes stay.
func URLDecode(s string) string { return RawURLDecode(strings.ReplaceAll(s, "+", " ")) }

// RawURLDecode is PHP's rawurldecode(): malformed escapes stay.
func RawURLDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if escaped, ok := Escaped(s[i:]); ok {
			c = escaped
			i += 2
		}
		out = append(out, c)
	}
	return string(out)
}

// Escaped decodes the percent-escape at the start of s; ok is false without one.
func Escaped(s string) (c byte, ok bool) {
	if len(s) < 3 || s[0] != '%' || !is(s[1], hexDigit) || !is(s[2], hexDigit) {
		return 0, false
	}
	return unhex(s[1])<<4 | unhex(s[2]), true
}

// RebuildQuery reads query as PHP's parse_str does and writes it as http_build_query with RFC
// 3986 escapes, sep between the variables. So a variable without a value gets an equals
// sign, of equal names the last value stays at the first place, dots and spaces in names
// become underscores, a[] is numbered. PHP's default limits hold: 1,000 variables, 64 levels.
func RebuildQuery(query, sep string) string {
	var root array
	root.parse(query)
	return string(root.build(nil, "", "", sep))
}

// AppendRawURLEncoded appends a byte as PHP's rawurlencode writes it.
func AppendRawURLEncoded(out []byte, c byte) []byte {
	if is(c, unreserved) {
		return append(out, c)
	}
	const hex = "0123456789ABCDEF"
	return append(out, '%', hex[c>>4], hex[c&15])
}

func rawEncode(out []byte, s string) []byte {
	for i := range len(s) {
		out = AppendRawURLEncoded(out, s[i])
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
