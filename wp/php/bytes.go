package php

// The classes of bytes that PHP's functions for URLs speak of.
const (
	alnum      = 1 << iota // ASCII letter or digit
	unreserved             // RFC 3986 unreserved: rawurlencode keeps it
	filterByte             // FILTER_SANITIZE_URL keeps it
	userinfo               // FILTER_VALIDATE_URL takes it in user and password
	schemeByte             // parse_url takes it in a scheme
	hexDigit
)

var class = func() (t [256]uint8) {
	set := func(chars string, bits uint8) {
		for i := range len(chars) {
			t[chars[i]] |= bits
		}
	}
	set("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", alnum|unreserved|filterByte|userinfo|schemeByte)
	set("-._~", unreserved)
	set("$-_.+!*'(),{}|\\^~[]`<>#%\";/?:@&=", filterByte)
	set("-._~!$&'()*+,;=:", userinfo)
	set("+-.", schemeByte)
	set("0123456789abcdefABCDEF", hexDigit)
	return t
}()

func is(c byte, bits uint8) bool { return class[c]&bits != 0 }

func isAlnum(c byte) bool { return is(c, alnum) }

// EqualFold compares as PHP's strcasecmp does. strings.EqualFold would not do: it also
// folds letters beyond ASCII, and takes the Kelvin sign for a k.
func EqualFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
