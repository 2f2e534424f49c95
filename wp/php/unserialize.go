package php

import (
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"strings"
)

// Bounds on what one call reads. PHP has none but memory; real options stay far below.
const (
	maxDepth    = 200
	maxNodes    = 1 << 20
	maxPrealloc = 4096
)

// A SyntaxError says why and where data is not what serialize() writes.
type SyntaxError struct {
	Offset int // in bytes from the start of the data
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("php: malformed serialized data at byte %d: %s", e.Offset, e.Reason)
}

// Unserialize reads one value as PHP's unserialize() does, without instantiating anything. The whole of data
// must be that value. Strings share the memory of data.
//
// References (R: and r:) become copies of what they refer to; a reference to an array or object that is still
// open, a cycle in PHP, becomes null. More than 200 levels or 1,048,576 values, counted after references were
// copied, are an error. Every error is a *SyntaxError.
func Unserialize(data string) (Value, error) {
	v, end, err := unserialize(data)
	if err == nil && end != len(data) {
		return Value{}, &SyntaxError{end, "trailing data"}
	}
	return v, err
}

// MaybeUnserialize reads an option or meta value by WordPress' rule (maybe_unserialize in wp-includes/functions.php):
// a value that looks serialized is unserialized once, everything else is the string itself. What looks
// serialized and is broken is an error, where WordPress has false: the option then counts as unsaved.
// As in PHP, data after the value is ignored.
func MaybeUnserialize(data string) (Value, error) {
	if !IsSerialized(data) {
		return NewString(data), nil
	}
	v, _, err := unserialize(trim(data))
	return v, err
}

func trim(data string) string { return strings.Trim(data, " \t\n\r\x00\v") }

// IsSerialized reports whether a value looks serialized, whole or broken (is_serialized in wp-includes/functions.php).
func IsSerialized(data string) bool {
	data = trim(data)
	if data == "N;" {
		return true
	}
	if len(data) < 4 || data[1] != ':' {
		return false
	}
	last := data[len(data)-1]
	if last != ';' && last != '}' {
		return false
	}
	switch data[0] {
	case 's':
		if data[len(data)-2] != '"' {
			return false
		}
		fallthrough
	case 'a', 'O', 'E':
		i := 2
		for i < len(data) && isDigit(data[i]) {
			i++
		}
		return i > 2 && i < len(data) && data[i] == ':'
	case 'b', 'i', 'd':
		body := data[2 : len(data)-1]
		return last == ';' && body != "" && strings.Trim(body, "0123456789.E+-") == ""
	}
	return false
}

func unserialize(data string) (Value, int, error) {
	d := decoder{data: data}
	v, err := d.value(0)
	if err != nil {
		return Value{}, d.pos, err
	}
	return v, d.pos, nil
}

// slot is what a reference by number finds. Every value takes one in the order of the data, array keys none;
// "r:" takes one of its own, "R:" does not.
type slot struct {
	value Value
	nodes int // values below and including this one; 0 while still open
}

type decoder struct {
	data  string
	pos   int
	nodes int
	slots []slot // kept only when data holds a reference at all
	refs  int8   // 0 not known yet, 1 slots are kept, -1 they are not
	dedup deduper
}

func (d *decoder) fail(offset int, reason string) error { return &SyntaxError{offset, reason} }

// value reads one value at the given depth.
func (d *decoder) value(depth int) (Value, error) {
	start := d.pos
	if d.nodes++; d.nodes > maxNodes {
		return Value{}, d.fail(start, "too many values")
	}
	if len(d.data)-start < 2 {
		return Value{}, d.fail(start, "unexpected end")
	}
	kind := d.data[start]
	if kind == 'N' {
		if d.data[start+1] != ';' {
			return Value{}, d.fail(start+1, "expected ';'")
		}
		d.pos += 2
		d.keep(Value{}, 1)
		return Value{}, nil
	}
	if d.data[start+1] != ':' {
		return Value{}, d.fail(start, "expected a value")
	}
	d.pos += 2
	switch kind {
	case 'R', 'r':
		return d.reference(kind == 'r', start)
	case 'a', 'O':
		return d.compound(kind, depth)
	}
	var v Value
	var err error
	switch kind {
	case 'b':
		v, err = d.bool()
	case 'i':
		var n int64
		n, err = d.int()
		v = NewInt(n)
	case 'd':
		v, err = d.float()
	case 's', 'S':
		var s string
		s, err = d.string(kind == 'S', ';')
		v = NewString(s)
	case 'C':
		v, err = d.custom()
	case 'E':
		v, err = d.enum()
	default:
		return Value{}, d.fail(start, "unknown type "+strconv.QuoteRune(rune(kind)))
	}
	if err != nil {
		return Value{}, err
	}
	d.keep(v, 1)
	return v, nil
}

// keep notes v as the next slot and returns its index, -1 when the data has no references.
func (d *decoder) keep(v Value, nodes int) int {
	if d.refs == 0 {
		d.refs = -1
		if strings.Contains(d.data, "R:") || strings.Contains(d.data, "r:") {
			d.refs = 1
		}
	}
	if d.refs < 0 {
		return -1
	}
	d.slots = append(d.slots, slot{v, nodes})
	return len(d.slots) - 1
}

func (d *decoder) reference(object bool, start int) (Value, error) {
	n, err := d.count(';')
	if err != nil {
		return Value{}, err
	}
	if n < 1 || n > len(d.slots) {
		return Value{}, d.fail(start, "reference to an unknown value")
	}
	s := d.slots[n-1]
	if object {
		switch s.value.Kind {
		case Object, Custom, Enum:
		default:
			return Value{}, d.fail(start, "reference to a value that is no object")
		}
	}
	if s.nodes == 0 { // an enclosing value
		s = slot{Value{}, 1}
	}
	// Copies count in full, so that nested references cannot describe a tree too large to walk.
	if d.nodes += s.nodes - 1; d.nodes > maxNodes {
		return Value{}, d.fail(start, "too many values")
	}
	if object {
		d.keep(s.value, s.nodes)
	}
	return s.value, nil
}

func (d *decoder) compound(kind byte, depth int) (Value, error) {
	if depth >= maxDepth {
		return Value{}, d.fail(d.pos-2, "nested too deeply")
	}
	v := Value{Kind: Array}
	if kind == 'O' {
		at := d.pos
		class, err := d.string(false, ':')
		if err != nil {
			return Value{}, err
		}
		if !validClass(class) {
			return Value{}, d.fail(at, "invalid class name")
		}
		v = Value{Kind: Object, s: class}
	}
	nodes := d.nodes
	index := d.keep(v, 0)
	at := d.pos
	n, err := d.count(':')
	if err != nil {
		return Value{}, err
	}
	if err := d.expect('{'); err != nil {
		return Value{}, err
	}
	// The shortest element, i:0;N;, has six bytes.
	if n > (len(d.data)-d.pos)/5+1 {
		return Value{}, d.fail(at, "more elements announced than the data can hold")
	}
	if n > 0 {
		v.pairs = make([]Pair, 0, min(n, maxPrealloc))
	}
	for range n {
		key, err := d.key(kind == 'a')
		if err != nil {
			return Value{}, err
		}
		element, err := d.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.pairs = append(v.pairs, Pair{key, element})
	}
	if err := d.expect('}'); err != nil {
		return Value{}, err
	}
	v.pairs = d.dedup.unique(v.pairs)
	if index >= 0 {
		d.slots[index] = slot{v, 1 + d.nodes - nodes}
	}
	return v, nil
}

// validClass allows what PHP allows; a name is never looked up here.
func validClass(s string) bool {
	if s == "" || s[0] == '\\' {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', isDigit(c), c == '_', c == '\\', c >= 0x7f:
		default:
			return false
		}
	}
	return true
}

// key reads an array key or a property name. PHP turns "5" into 5 in arrays and 5 into "5" in objects.
func (d *decoder) key(array bool) (Key, error) {
	start := d.pos
	if len(d.data)-start < 2 {
		return Key{}, d.fail(start, "unexpected end")
	}
	kind := d.data[start]
	if d.data[start+1] != ':' || kind != 'i' && kind != 's' && kind != 'S' {
		return Key{}, d.fail(start, "expected a key")
	}
	d.pos += 2
	if kind == 'i' {
		n, err := d.int()
		if !array {
			return Key{Str: strconv.FormatInt(n, 10), IsString: true}, err
		}
		return Key{Int: n}, err
	}
	s, err := d.string(kind == 'S', ';')
	if err != nil {
		return Key{}, err
	}
	if array {
		return KeyOf(s), nil
	}
	return Key{Str: s, IsString: true}, nil
}

func (d *decoder) expect(c byte) error {
	if d.pos >= len(d.data) {
		return d.fail(d.pos, "unexpected end")
	}
	if d.data[d.pos] != c {
		return d.fail(d.pos, "expected '"+string(rune(c))+"'")
	}
	d.pos++
	return nil
}

// until returns the text before the next end, which it skips. Numbers are short: 400 bytes hold every float
// that PHP writes, and the bound keeps hostile input linear.
func (d *decoder) until(end byte) (string, error) {
	rest := d.data[d.pos:]
	i := strings.IndexByte(rest[:min(len(rest), 400)], end)
	if i < 0 {
		return "", d.fail(d.pos, "no '"+string(rune(end))+"' after a number")
	}
	d.pos += i + 1
	return rest[:i], nil
}

// count reads an unsigned length, count or slot number.
func (d *decoder) count(end byte) (int, error) {
	at := d.pos
	n := 0
	for d.pos < len(d.data) && isDigit(d.data[d.pos]) {
		if n = n*10 + int(d.data[d.pos]-'0'); n > math.MaxInt32 {
			return 0, d.fail(at, "number too large")
		}
		d.pos++
	}
	if d.pos == at {
		return 0, d.fail(at, "expected a number")
	}
	return n, d.expect(end)
}

func (d *decoder) bool() (Value, error) {
	at := d.pos
	s, err := d.until(';')
	if err != nil {
		return Value{}, err
	}
	if s != "0" && s != "1" {
		return Value{}, d.fail(at, "invalid boolean")
	}
	return NewBool(s == "1"), nil
}

func (d *decoder) int() (int64, error) {
	at := d.pos
	s, err := d.until(';')
	if err != nil {
		return 0, err
	}
	if !isInteger(s) {
		return 0, d.fail(at, "invalid integer")
	}
	n, _ := strconv.ParseInt(s, 10, 64) // saturates out of range, as PHP does
	return n, nil
}

// isInteger reports whether s is an optional sign and digits.
func isInteger(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (d *decoder) float() (Value, error) {
	at := d.pos
	s, err := d.until(';')
	if err != nil {
		return Value{}, err
	}
	switch s {
	case "INF":
		return NewFloat(math.Inf(1)), nil
	case "-INF":
		return NewFloat(math.Inf(-1)), nil
	case "NAN":
		return NewFloat(math.NaN()), nil
	}
	// Go also reads hexadecimal, underscores and words.
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return Value{}, d.fail(at, "invalid float")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return Value{}, d.fail(at, "invalid float")
	}
	return NewFloat(f), nil
}

// string reads length, quoted bytes and the end byte. In the escaped form S: the length counts decoded bytes,
// each of them either literal or a backslash and two hexadecimal digits.
func (d *decoder) string(escaped bool, end byte) (string, error) {
	at := d.pos
	n, err := d.count(':')
	if err != nil {
		return "", err
	}
	if err := d.expect('"'); err != nil {
		return "", err
	}
	if n > len(d.data)-d.pos {
		return "", d.fail(at, "string longer than the data")
	}
	s := d.data[d.pos : d.pos+n]
	if !escaped {
		d.pos += n
	} else {
		raw := make([]byte, n)
		for i := range raw {
			if d.pos >= len(d.data) {
				return "", d.fail(d.pos, "unexpected end")
			}
			raw[i] = d.data[d.pos]
			d.pos++
			if raw[i] != '\\' {
				continue
			}
			if len(d.data)-d.pos < 2 {
				return "", d.fail(d.pos, "unexpected end")
			}
			hex, err := strconv.ParseUint(d.data[d.pos:d.pos+2], 16, 8)
			if err != nil {
				return "", d.fail(d.pos, "invalid escape")
			}
			raw[i] = byte(hex)
			d.pos += 2
		}
		s = string(raw)
	}
	if d.pos >= len(d.data) || d.data[d.pos] != '"' {
		return "", d.fail(d.pos, "string does not end where its length says")
	}
	d.pos++
	return s, d.expect(end)
}

// custom reads a class that serialises itself; the payload has a form only that class knows.
func (d *decoder) custom() (Value, error) {
	at := d.pos
	class, err := d.string(false, ':')
	if err != nil {
		return Value{}, err
	}
	if !validClass(class) {
		return Value{}, d.fail(at, "invalid class name")
	}
	n, err := d.count(':')
	if err != nil {
		return Value{}, err
	}
	if err := d.expect('{'); err != nil {
		return Value{}, err
	}
	if n > len(d.data)-d.pos {
		return Value{}, d.fail(d.pos, "payload longer than the data")
	}
	d.pos += n
	return Value{Kind: Custom, s: class}, d.expect('}')
}

func (d *decoder) enum() (Value, error) {
	at := d.pos
	s, err := d.string(false, ';')
	if err != nil {
		return Value{}, err
	}
	class, name, ok := strings.Cut(s, ":")
	if !ok || !validClass(class) || name == "" {
		return Value{}, d.fail(at, "invalid enum case")
	}
	return Value{Kind: Enum, s: s}, nil
}

// deduper finds repeated keys with one scratch table for all arrays of a value.
type deduper struct {
	table []int32 // 1 + index into the pairs, 0 for empty
	seed  maphash.Seed
}

// unique drops repeated keys in place: as in PHP the last value takes the place of the first. serialize() never
// writes them, edited data may.
func (d *deduper) unique(pairs []Pair) []Pair {
	if ascending(pairs) {
		return pairs
	}
	size := 16
	for size < 2*len(pairs) {
		size *= 2
	}
	if cap(d.table) < size {
		d.table = make([]int32, size)
		d.seed = maphash.MakeSeed()
	}
	table := d.table[:size]
	clear(table)
	kept := pairs[:0]
	for _, p := range pairs {
		h := uint64(p.Key.Int) * 0x9e3779b97f4a7c15 >> 20
		if p.Key.IsString {
			h = maphash.String(d.seed, p.Key.Str)
		}
		i := h & uint64(size-1)
		for table[i] != 0 && kept[table[i]-1].Key != p.Key {
			i = (i + 1) & uint64(size-1)
		}
		if table[i] != 0 {
			kept[table[i]-1].Value = p.Value
			continue
		}
		kept = append(kept, p)
		table[i] = int32(len(kept))
	}
	return kept
}

// ascending reports whether the keys are growing integers, as in every list: nothing can repeat then.
func ascending(pairs []Pair) bool {
	for i := range pairs {
		if pairs[i].Key.IsString || i > 0 && pairs[i].Key.Int <= pairs[i-1].Key.Int {
			return false
		}
	}
	return true
}
