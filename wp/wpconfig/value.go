package wpconfig

import (
	"cmp"
	"regexp"
	"strings"

	"wpsitemapd/wp/php"
)

// maxString bounds a computed string, in bytes.
const maxString = 1 << 20

// value is a PHP value, or the reason why it is not known.
type value struct {
	php.Value
	why   string    // why it is not known; names may be in it, but no other text of the file
	elems []element // of an array or object
	marks

	dotenv *dotenv // a loader of .env files

	// request is the text of a value that is known but for the host of the request, with requestHost in its place; "" for others.
	request string

	place   string // the name in interpreter.names that an assignment would set
	part    bool   // only a part of what place names
	unset   bool   // a variable that is not set, which is null where PHP does not mind
	present bool   // not known, but set in every request
}

type element struct {
	key   php.Key
	value value
}

// marks are properties of a value that everything made of it inherits.
type marks struct {
	missing string // why the environment variable that it would be is not there
	note    string // what was assumed to get this value
	secret  bool   // made of a variable of the daemon's own environment that may hold a secret
}

func (m marks) and(o marks) marks {
	return marks{cmp.Or(m.missing, o.missing), cmp.Or(m.note, o.note), m.secret || o.secret}
}

func unknown(why string) value { return value{why: why} }
func text(s string) value      { return value{Value: php.NewString(s)} }
func integer(n int64) value    { return value{Value: php.NewInt(n)} }
func boolean(b bool) value     { return value{Value: php.NewBool(b)} }

func arrayOf(elems []element) value { return value{Value: php.Value{Kind: php.Array}, elems: elems} }

func (v value) known() bool   { return v.why == "" }
func (v value) isNull() bool  { return v.known() && v.Kind == php.Null && v.dotenv == nil }
func (v value) isArray() bool { return v.Kind == php.Array }

// isText reports whether PHP makes text of the value without a complaint.
func (v value) isText() bool { return v.known() && !v.isArray() && v.dotenv == nil }

// with adds marks to a value.
func (v value) with(m marks) value {
	v.marks = v.marks.and(m)
	return v
}

// quiet is the value where PHP takes a variable that is not set for null.
func (v value) quiet() value {
	if v.unset {
		return value{}
	}
	return v
}

// not is the operator !.
func (v value) not() value {
	if !v.known() {
		return unknown(v.why)
	}
	return boolean(!v.Truthy()).with(v.marks)
}

// Truthy differs from php.Value's in that arrays have their elements here.
func (v value) Truthy() bool {
	if v.isArray() {
		return len(v.elems) > 0
	}
	return v.dotenv != nil || v.Value.Truthy()
}

// keyOf is the array key that PHP makes of v.
func keyOf(v value) (php.Key, bool) {
	switch v.Kind {
	case php.Int, php.Bool:
		return php.Key{Int: v.Int()}, v.known()
	case php.String, php.Null:
		return php.KeyOf(v.Str()), v.known()
	}
	return php.Key{}, false
}

// member is an element of an array or a property of an object.
func (v value) member(key php.Key, ok bool) value {
	switch {
	case !v.known():
		return value{why: v.why, unset: v.unset}
	case !ok:
		return unknown("uses a key that cannot be evaluated")
	case v.isArray():
		for i := len(v.elems) - 1; i >= 0; i-- { // the last one counts where a key is repeated
			if v.elems[i].key == key {
				return v.elems[i].value.with(v.marks)
			}
		}
		return value{marks: v.marks}
	case v.Kind == php.Null || v.Kind == php.Bool:
		return value{marks: v.marks}
	}
	return unknown("takes a part of text")
}

// join is PHP's operator for text.
func join(a, b value) value {
	switch {
	case a.request != "" && (b.request != "" || b.isText()), b.request != "" && a.isText():
		v := unknown(cmp.Or(a.why, b.why))
		if v.request = a.orRequest() + b.orRequest(); len(v.request) > maxString || a.secret || b.secret {
			v.request = ""
		}
		return v
	case !a.known() || !b.known():
		return unknown(cmp.Or(a.why, b.why))
	case !a.isText() || !b.isText():
		return unknown("joins what is not text")
	case len(a.Str())+len(b.Str()) > maxString:
		return unknown("is too long")
	}
	return text(a.Str() + b.Str()).with(a.marks.and(b.marks))
}

// requestHost is the placeholder of the request's host in value.request, and isScheme matches what may be before it.
const requestHost = "\x00host\x00"

var isScheme = regexp.MustCompile(`^https?(://)?$`)

// orRequest is the text of a value that is known but for the request's host.
func (v value) orRequest() string {
	if v.request != "" {
		return v.request
	}
	return v.Str()
}

// requestPath is the path of an address that begins with a scheme and the request's host.
func (v value) requestPath() (path string, ok bool) {
	_, rest, ok := strings.Cut(v.request, "://")
	path, begins := strings.CutPrefix(rest, requestHost)
	return path, ok && begins && (path == "" || path[0] == '/') && !strings.ContainsAny(path, "\x00?#")
}

// equal compares two known values by PHP's == or, strictly, by ===, and reports whether they are or are not the same.
func equal(a, b value, strict, same bool) value {
	if a.isArray() || b.isArray() || a.dotenv != nil || b.dotenv != nil {
		return unknown("compares arrays")
	}
	switch {
	case strict || a.Kind == php.Int && b.Kind == php.Int:
		return boolean((a.Kind == b.Kind && a.Str() == b.Str()) == same)
	case a.Kind == php.Bool || b.Kind == php.Bool || a.Kind == php.Null && b.Kind != php.String || b.Kind == php.Null && a.Kind != php.String:
		return boolean((a.Truthy() == b.Truthy()) == same)
	case a.Str() == b.Str():
		return boolean(same)
	case maybeNumber.MatchString(a.Str()) && maybeNumber.MatchString(b.Str()):
		return unknown("compares numbers in words")
	}
	return boolean(!same)
}

// maybeNumber matches what PHP may compare as a number.
var maybeNumber = regexp.MustCompile(`^\s*[-+.0-9]`)
