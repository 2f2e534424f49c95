package wpconfig

import (
	"cmp"
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
)

// maxString limits the size of a computed text, in bytes.
const maxString = 64 << 10

// value is a PHP value, or the reason why the value is not known. A text may contain unknown parts: requestHost
// stands for the host of the request, and hole for any other unknown part.
type value struct {
	php.Value
	why   string    // why it is not known; may contain names, but no other text of the file
	elems []element // elements of an array

	loader *loader // set for an object that loads .env files

	// Every value that is made of this one inherits:
	missing string // why the environment variable that the value should be is not set
	note    string // what was assumed to get this value
	secret  bool   // made of a variable of the daemon's environment that may hold a secret

	unset   bool // a variable that is not set; PHP reads it as null
	present bool // not known, but set in every request
}

type element struct {
	key   php.Key
	value value
}

const (
	hole        = "\x00"
	requestHost = "\x00host\x00"
)

func unknown(why string) value { return value{why: why, Value: php.NewString(hole)} }
func text(s string) value      { return value{Value: php.NewString(s)} }
func integer(n int64) value    { return value{Value: php.NewInt(n)} }
func boolean(b bool) value     { return value{Value: php.NewBool(b)} }

func (v value) known() bool   { return v.why == "" }
func (v value) isNull() bool  { return v.known() && v.Kind == php.Null && v.loader == nil }
func (v value) isArray() bool { return v.Kind == php.Array }

// isText reports whether PHP converts the value to text without a warning.
func (v value) isText() bool { return v.known() && !v.isArray() && v.loader == nil }

// of returns a copy of v, which was computed from sources. The copy gets the fields missing, note and secret of sources.
func (v value) of(sources ...value) value {
	for _, s := range sources {
		v.missing, v.note, v.secret = cmp.Or(v.missing, s.missing), cmp.Or(v.note, s.note), v.secret || s.secret
	}
	return v
}

// quiet returns null for a variable that is not set, and any other value unchanged. It is for operators that
// read such a variable without a warning of PHP.
func (v value) quiet() value {
	if v.unset {
		return value{}
	}
	return v
}

// Truthy reports whether PHP reads the value as true. It replaces php.Value's method because arrays hold their
// elements here.
func (v value) Truthy() bool {
	if v.isArray() {
		return len(v.elems) > 0
	}
	return v.loader != nil || v.Value.Truthy()
}

// not applies the operator !.
func (v value) not() value {
	if !v.known() {
		return unknown(v.why)
	}
	return boolean(!v.Truthy()).of(v)
}

// keyOf returns the array key that PHP makes of v. It returns false if v is not known or cannot be a key.
func keyOf(v value) (php.Key, bool) {
	switch v.Kind {
	case php.Int, php.Bool:
		return php.Key{Int: v.Int()}, v.known()
	case php.String, php.Null:
		return php.KeyOf(v.Str()), v.known()
	}
	return php.Key{}, false
}

// member returns the element of an array under a key, or null if there is none. ok is false if the key is unknown,
// and then the result is unknown, too.
func (v value) member(key php.Key, ok bool) value {
	switch {
	case !v.known():
		return v
	case !ok:
		return unknown("uses a key that cannot be evaluated")
	case !v.isArray():
		return unknown("takes a part of what is no array")
	}
	for i := len(v.elems) - 1; i >= 0; i-- { // the last one counts if a key is repeated
		if v.elems[i].key == key {
			return v.elems[i].value.of(v)
		}
	}
	return value{}.of(v)
}

// join applies PHP's operator that joins texts.
func (in *interpreter) join(a, b value) value {
	s := a.Str() + b.Str()
	switch {
	case len(s) > maxString || !in.spend(len(s)/32):
		return unknown("is too long")
	case a.isArray() || b.isArray() || a.loader != nil || b.loader != nil:
		return unknown("joins what is not text")
	}
	v := text(s).of(a, b)
	v.why = cmp.Or(a.why, b.why)
	return v
}

// isScheme matches the text that may precede the host of the request.
var isScheme = regexp.MustCompile(`^https?(://)?$`)

// requestPath returns the path of an address that consists of a scheme, the host of the request and that path.
func (v value) requestPath() (path string, ok bool) {
	_, rest, ok := strings.Cut(v.Str(), "://")
	path, begins := strings.CutPrefix(rest, requestHost)
	return path, ok && begins && !v.secret && (path == "" || path[0] == '/') && !strings.ContainsAny(path, hole+"?#")
}

// equal compares two known values by ==, or by === if strict is set.
func equal(a, b value, strict bool) value {
	switch {
	case !a.isText() || !b.isText():
		return unknown("compares arrays")
	case strict || a.Kind == php.Int && b.Kind == php.Int:
		return boolean(a.Kind == b.Kind && a.Str() == b.Str())
	case a.Kind == php.Bool || b.Kind == php.Bool || a.Kind == php.Null && b.Kind != php.String || b.Kind == php.Null && a.Kind != php.String:
		return boolean(a.Truthy() == b.Truthy())
	case a.Str() != b.Str() && maybeNumber.MatchString(a.Str()) && maybeNumber.MatchString(b.Str()):
		return unknown("compares numbers in words")
	}
	return boolean(a.Str() == b.Str())
}

// maybeNumber matches texts that PHP may compare as numbers.
var maybeNumber = regexp.MustCompile(`^\s*[-+.0-9]`)
