package php

import (
	"net/url"
	"strconv"
	"strings"
)

// URLDecode returns the result of PHP's urldecode(): plus becomes a space, and malformed escapes stay.
func URLDecode(s string) string { return RawURLDecode(strings.ReplaceAll(s, "+", " ")) }

// RawURLDecode returns the result of PHP's rawurldecode(): malformed escapes stay.
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

// Escaped decodes the percent-escape at the start of s. ok is false if there is none.
func Escaped(s string) (c byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:3], 16, 8)
	return byte(n), err == nil
}

// URLEncode returns the result of PHP's urlencode(): letters, digits and -_. stay, and a space becomes a plus.
func URLEncode(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "~", "%7E") }

// RawURLEncode returns the result of PHP's rawurlencode(): letters, digits and -._~ stay.
func RawURLEncode(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

var mangled = strings.NewReplacer(" ", "_", ".", "_")

// RebuildQuery reads a query like PHP's parse_str and writes it like http_build_query with the escapes of RFC 3986 and sep
// between the variables. A variable without a value gets an equals sign. If a name repeats, the last value replaces the first one
// at its place. Dots and spaces in names become underscores. Unlike PHP it leaves names with brackets unchanged and does not
// number them.
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
