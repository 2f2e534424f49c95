package wpconfig

import (
	"math"
	"strconv"
	"strings"

	"wpsitemapd/wp/php"
)

// maxString bounds a computed string, in bytes.
const maxString = 1 << 20

// value is a PHP value, or the reason why it is not known.
type value struct {
	php.Value
	why    string    // not known, and why; never text from the file other than names, which are no secrets
	elems  []element // of an array; never changed in place
	env    string    // name of the unset environment variable for which this value stands
	note   string    // what was assumed to get this value
	dotenv *dotenv   // the value is a loader of .env files
}

type element struct {
	key   php.Key
	value value
}

func unknown(why string) value  { return value{why: why} }
func text(s string) value       { return value{Value: php.NewString(s)} }
func integer(n int64) value     { return value{Value: php.NewInt(n)} }
func boolean(b bool) value      { return value{Value: php.NewBool(b)} }
func (v value) known() bool     { return v.why == "" }
func (v value) isArray() bool   { return v.Kind == php.Array }
func (v value) isMissing() bool { return v.why == "" && v.Kind == php.Null }

func arrayOf(elems []element) value {
	return value{Value: php.Value{Kind: php.Array}, elems: elems}
}

// Truthy differs from php.Value's in that arrays have their elements here.
func (v value) Truthy() bool {
	if v.isArray() {
		return len(v.elems) > 0
	}
	return v.dotenv != nil || v.Value.Truthy()
}

func (v value) find(key php.Key) (value, bool) {
	for i := range v.elems {
		if v.elems[i].key == key {
			return v.elems[i].value, true
		}
	}
	return value{}, false
}

// with is the array with one element set; a nil key appends.
func (v value) with(key *php.Key, e value) value {
	elems := make([]element, len(v.elems), len(v.elems)+1)
	copy(elems, v.elems)
	k := php.Key{}
	if key != nil {
		k = *key
		for i := range elems {
			if elems[i].key == k {
				elems[i].value = e
				return arrayOf(elems)
			}
		}
	} else {
		for i := range elems {
			if o := elems[i].key; !o.IsString && o.Int >= k.Int && o.Int < math.MaxInt64 {
				k.Int = o.Int + 1
			}
		}
	}
	return arrayOf(append(elems, element{k, e}))
}

// keyOf is the array key that PHP makes of v.
func keyOf(v value) (php.Key, bool) {
	switch v.Kind {
	case php.Int, php.Bool, php.Float:
		return php.Key{Int: v.Int()}, true
	case php.String, php.Null:
		return php.KeyOf(v.Str()), true
	}
	return php.Key{}, false
}

// same reports whether two values are known and identical (===).
func same(a, b value) bool {
	if !a.known() || !b.known() || a.Kind != b.Kind || a.dotenv != b.dotenv || len(a.elems) != len(b.elems) {
		return false
	}
	for i := range a.elems {
		if a.elems[i].key != b.elems[i].key || !same(a.elems[i].value, b.elems[i].value) {
			return false
		}
	}
	if a.Kind == php.Float {
		return number64(a) == number64(b)
	}
	return a.Str() == b.Str() && a.Truthy() == b.Truthy()
}

func number64(v value) float64 {
	if v.Kind == php.Int || v.Kind == php.Bool || v.Kind == php.Null {
		return float64(v.Int())
	}
	f, _ := numeric(v.Str())
	return f
}

// floatval reads the number at the start of a string.
func floatval(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\r\v\f")
	n := 0
	for n < len(s) && n < 400 && strings.IndexByte("0123456789.eE+-", s[n]) >= 0 {
		n++
	}
	for ; n > 0; n-- {
		if f, err := strconv.ParseFloat(s[:n], 64); err == nil {
			return f
		}
	}
	return 0
}

// numeric reads a string that PHP takes for a number as a whole.
func numeric(s string) (float64, bool) {
	s = strings.Trim(s, " \t\n\r\v\f")
	if s == "" || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// compare orders two scalars by PHP 8's == and <; ok is false for what it does not order.
func compare(a, b value) (order int, ok bool) {
	if a.isArray() || b.isArray() || a.dotenv != nil || b.dotenv != nil {
		return 0, false
	}
	if a.Kind == php.Bool || b.Kind == php.Bool ||
		a.Kind == php.Null && b.Kind != php.String || b.Kind == php.Null && a.Kind != php.String {
		return order3(a.Truthy() == b.Truthy(), !a.Truthy()), true
	}
	x, y := number64(a), number64(b)
	xOK, yOK := a.Kind == php.Int || a.Kind == php.Float, b.Kind == php.Int || b.Kind == php.Float
	if a.Kind == php.String {
		_, xOK = numeric(a.Str())
	}
	if b.Kind == php.String {
		_, yOK = numeric(b.Str())
	}
	if xOK && yOK {
		return order3(x == y, x < y), true
	}
	return strings.Compare(a.Str(), b.Str()), true
}

func order3(equal, less bool) int {
	switch {
	case equal:
		return 0
	case less:
		return -1
	}
	return 1
}

// arithmetic applies an operator to two known scalars.
func arithmetic(op string, a, b value) value {
	numberOf := func(v value) bool {
		switch v.Kind {
		case php.Int, php.Float, php.Bool, php.Null:
			return true
		case php.String:
			_, ok := numeric(v.Str())
			return ok
		}
		return false
	}
	if !numberOf(a) || !numberOf(b) {
		return unknown("calculates with text")
	}
	x, y := a.Int(), b.Int()
	switch op {
	case "|":
		return integer(x | y)
	case "&":
		return integer(x & y)
	case "^":
		return integer(x ^ y)
	case "<<", ">>":
		if y < 0 || y > 63 {
			return unknown("calculates out of range")
		}
		if op == "<<" {
			return integer(x << y)
		}
		return integer(x >> y)
	case "%":
		if y == 0 || y == -1 {
			return unknown("calculates out of range")
		}
		return integer(x % y)
	}
	f, g := number64(a), number64(b)
	var r float64
	switch op {
	case "+":
		r = f + g
	case "-":
		r = f - g
	case "*":
		r = f * g
	case "**":
		r = math.Pow(f, g)
	case "/":
		if g == 0 {
			return unknown("calculates out of range")
		}
		r = f / g
	default:
		return unknown("uses an operator that is not known")
	}
	whole := f == math.Trunc(f) && g == math.Trunc(g) && a.Kind != php.Float && b.Kind != php.Float
	if whole && r == math.Trunc(r) && math.Abs(r) < 1<<53 {
		return integer(int64(r))
	}
	return value{Value: php.NewFloat(r)}
}
