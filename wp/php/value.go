// Package php imitates the functions of PHP that WordPress reads its data with. It reads serialized values, JSON, URLs and HTML
// references.
package php

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kind is the PHP type of a Value.
type Kind uint8

// The kinds of value that serialize() writes.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	Array  // ordered, keys are int or string
	Object // class name and properties
)

// Value is one PHP value; the zero Value is null. Values share the memory of the input. A Value never changes, so many goroutines
// may read it.
type Value struct {
	Kind  Kind
	num   uint64 // Bool as 0 or 1, Int in two's complement, Float as IEEE 754 bits
	s     string // the string, or the class name of an object
	pairs []Pair // Array and Object, in stored order
}

// Pair is one element of an array or one property of an object.
type Pair struct {
	Key   Key
	Value Value
}

// Key is an array key: a string if IsString is set, an integer if not. As in PHP, a string that spells an integer as PHP prints
// it ("5", not "05") is an integer key.
type Key struct {
	Str      string
	Int      int64
	IsString bool
}

// String returns the key as PHP prints it.
func (k Key) String() string {
	if k.IsString {
		return k.Str
	}
	return strconv.FormatInt(k.Int, 10)
}

// KeyOf returns the array key that PHP makes of the string s: an integer, if PHP would print that integer as s.
func KeyOf(s string) Key {
	if s != "" && (s[0] == '-' || isDigit(s[0])) {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
			return Key{Int: n}
		}
	}
	return Key{Str: s, IsString: true}
}

// NewString returns the PHP string s.
func NewString(s string) Value { return Value{Kind: String, s: s} }

// NewInt returns the PHP integer n.
func NewInt(n int64) Value { return Value{Kind: Int, num: uint64(n)} }

// NewFloat returns the PHP float f.
func NewFloat(f float64) Value { return Value{Kind: Float, num: math.Float64bits(f)} }

// NewBool returns the PHP boolean b.
func NewBool(b bool) Value {
	if b {
		return Value{Kind: Bool, num: 1}
	}
	return Value{Kind: Bool}
}

// NewArray returns the array of pairs in their order; see Element. As in PHP, the value of a repeated key replaces the first
// value.
func NewArray(pairs ...Pair) Value {
	return Value{Kind: Array, pairs: unique(slices.Clone(pairs))}
}

// NewList returns the array of values under the keys 0, 1, 2 and so on.
func NewList(values ...Value) Value {
	pairs := make([]Pair, len(values))
	for i, v := range values {
		pairs[i] = Pair{Key{Int: int64(i)}, v}
	}
	return Value{Kind: Array, pairs: pairs}
}

// Element returns an array element under the key that PHP makes of the string key.
func Element(key string, v Value) Pair { return Pair{KeyOf(key), v} }

// IsNull reports whether v is null. Get and Index return null for missing elements.
func (v Value) IsNull() bool { return v.Kind == Null }

// IsTrue reports whether v === true.
func (v Value) IsTrue() bool { return v.Kind == Bool && v.num == 1 }

// IsFalse reports whether v === false.
func (v Value) IsFalse() bool { return v.Kind == Bool && v.num == 0 }

// Get returns the element or property named key, or null if it is missing; see Lookup.
func (v Value) Get(key string) Value {
	e, _ := v.Lookup(key)
	return e
}

// Lookup returns an array element by its string key. As in PHP, a key that spells an integer finds the element under that
// integer. In an object Lookup returns a property of any visibility. It searches from the start: O(Len).
func (v Value) Lookup(key string) (Value, bool) {
	want := KeyOf(key)
	for i := range v.pairs {
		if k := v.pairs[i].Key; v.Kind == Array && k == want || v.Kind == Object && propertyName(k) == key {
			return v.pairs[i].Value, true
		}
	}
	return Value{}, false
}

// propertyName removes the marks of visibility: "\0*\0name" is protected, "\0Class\0name" is private.
func propertyName(k Key) string {
	s := k.String()
	if len(s) > 0 && s[0] == 0 {
		if i := strings.IndexByte(s[1:], 0); i >= 0 {
			return s[i+2:]
		}
	}
	return s
}

// Index returns the array element under the integer key i (not the i-th element), or null if it is missing.
func (v Value) Index(i int64) Value {
	if i >= 0 && i < int64(len(v.pairs)) && v.pairs[i].Key == (Key{Int: i}) {
		return v.pairs[i].Value // a list
	}
	return v.Get(strconv.FormatInt(i, 10))
}

// Len returns the number of elements or properties, 0 for other kinds.
func (v Value) Len() int { return len(v.pairs) }

// Pairs returns the elements or properties in stored order, nil for scalars. The caller must not change them.
func (v Value) Pairs() []Pair { return v.pairs }

// Str returns PHP's string conversion of a scalar: "" for null and false, "1" for true. An array becomes "Array" as in PHP. An
// object becomes "", because PHP refuses to convert it.
func (v Value) Str() string {
	switch v.Kind {
	case String:
		return v.s
	case Int:
		return strconv.FormatInt(int64(v.num), 10)
	case Float:
		return formatFloat(math.Float64frombits(v.num))
	case Bool:
		if v.num == 1 {
			return "1"
		}
	case Array:
		return "Array"
	}
	return ""
}

// formatFloat writes 14 significant digits (PHP's default precision), with an exponent below 1E-4 and from 1E+14 on.
func formatFloat(f float64) string {
	text := strings.TrimPrefix(strings.ToUpper(strconv.FormatFloat(f, 'G', 14, 64)), "+") // NAN, INF
	mantissa, exponent, ok := strings.Cut(text, "E")
	if !ok {
		return text
	}
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%sE%+d", mantissa, n)
}

// Int returns the result of PHP's intval. A string becomes its leading number, truncated, and saturated if out of range. An array
// becomes 0 if it is empty and 1 if not. An object becomes 1.
func (v Value) Int() int64 {
	switch v.Kind {
	case Bool, Int:
		return int64(v.num)
	case Float:
		return saturate(math.Float64frombits(v.num))
	case String:
		return intval(v.s)
	case Array:
		if len(v.pairs) > 0 {
			return 1
		}
	case Object:
		return 1
	}
	return 0
}

// saturate truncates a float to an integer. Out of range it returns the nearest integer; INF and NAN become 0.
func saturate(f float64) int64 {
	switch {
	case math.IsNaN(f), math.IsInf(f, 0):
		return 0
	case f >= 1<<63:
		return math.MaxInt64
	case f < -(1 << 63):
		return math.MinInt64
	}
	return int64(f)
}

// number matches what PHP reads at the start of a text as a number.
var number = regexp.MustCompile(`^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`)

const numberSpace = " \t\n\r\v\f"

// intval reads the number at the start of s, after white space.
func intval(s string) int64 {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	s = number.FindString(strings.TrimLeft(s, numberSpace))
	if !strings.ContainsAny(s, ".eE") {
		n, _ := strconv.ParseInt(s, 10, 64) // saturates if out of range, as PHP does
		return n
	}
	f, _ := strconv.ParseFloat(s, 64)
	return saturate(f)
}

// IsNumeric returns the result of PHP's is_numeric(). "1e5" and " 1.5" are numbers, too.
func IsNumeric(s string) bool {
	s = strings.Trim(s, numberSpace)
	return s != "" && number.FindString(s) == s
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Truthy returns PHP's boolean conversion: null, false, 0, 0.0, "", "0" and the empty array are false.
func (v Value) Truthy() bool {
	switch v.Kind {
	case Null:
		return false
	case Bool, Int:
		return v.num != 0
	case Float:
		return math.Float64frombits(v.num) != 0
	case String:
		return v.s != "" && v.s != "0"
	case Array:
		return len(v.pairs) > 0
	}
	return true
}

// Strings returns the values of an array, each converted by Str, in stored order. It returns nil for other kinds.
func (v Value) Strings() []string {
	if v.Kind != Array {
		return nil
	}
	out := make([]string, len(v.pairs))
	for i := range v.pairs {
		out[i] = v.pairs[i].Value.Str()
	}
	return out
}
