package php

import (
	"net/url"
	"strconv"
	"strings"
)

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
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:3], 16, 8)
	return byte(n), err == nil
}

// URLEncode is PHP's urlencode(): only letters, digits and -_. stay, and a space is a plus.
func URLEncode(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "~", "%7E") }

// RawURLEncode is PHP's rawurlencode(): only letters, digits and -._~ stay.
func RawURLEncode(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

var mangled = strings.NewReplacer(" ", "_", ".", "_")

// RebuildQuery reads a query as PHP's parse_str does and writes it as http_build_query with RFC 3986 escapes, sep between the
// variables: one without a value gets an equals sign, of equal names the last value stays at the first place, dots and spaces
// in names become underscores. Other than in PHP names with brackets stay as they are, and are not numbered.
func RebuildQuery(query, sep string) string {
	var names, values []string
	at := map[string]int{}
	for variable := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(variable, "=")
		name, _, _ = strings.Cut(strings.TrimLeft(URLDecode(name), " "), "\x00")
		list := strings.Contains(name, "[")
		if !list {
			name = mangled.Replace(name)
		}
		i, known := at[name]
		switch {
		case name == "":
			continue
		case list || !known:
			i, at[name] = len(names), len(names)
			names, values = append(names, name), append(values, "")
		}
		values[i] = URLDecode(value)
	}
	for i, name := range names {
		names[i] = RawURLEncode(name) + "=" + RawURLEncode(values[i])
	}
	return strings.Join(names, sep)
}
