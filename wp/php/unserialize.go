package php

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// These limits hold for one call. PHP has no such limits. Real options stay far below them.
const (
	maxDepth    = 200
	maxNodes    = 1 << 19
	maxPrealloc = 4096
)

// MaybeUnserialize reads an option or meta value like maybe_unserialize in WordPress' wp-includes/functions.php. A value that
// looks serialized is unserialized once, any other value is the string itself. A value that looks serialized but is broken is an
// error. WordPress returns false for such a value, and the option counts as unsaved. As in PHP, data after the value is ignored.
//
// Nothing is instantiated, and strings share the memory of data. References (R: and r:) become copies of their target. A
// reference to an array or object that encloses it, a cycle in PHP, becomes null. More than 200 levels or 524,288 values are an
// error, and the values of copies count, too. Enums and classes with their own format are an error.
func MaybeUnserialize(data string) (Value, error) {
	if !IsSerialized(data) {
		return NewString(data), nil
	}
	v, _, err := unserialize(trim(data))
	return v, err
}

func trim(data string) string { return strings.Trim(data, " \t\n\r\x00\v") }

// IsSerialized reports whether a value looks serialized, complete or broken, like is_serialized in WordPress'
// wp-includes/functions.php.
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

// unserialize reads the value at the start of data. It returns the value and the position of its end.
func unserialize(data string) (v Value, end int, err error) {
	d := decoder{data: data, referenced: strings.Contains(data, "R:") || strings.Contains(data, "r:")}
	if v = d.value(0); d.err != nil {
		return Value{}, 0, d.err
	}
	return v, d.pos, nil
}

// slot is a value that a reference can name by its number. Values are numbered in the order of the data. Array keys and "R:" have
// no number, "r:" has one.
type slot struct {
	value Value
	nodes int // number of values in this one, itself included; 0 while it is not complete
}

type decoder struct {
	data       string
	pos        int
	nodes      int
	referenced bool   // data may hold references
	slots      []slot // used only if referenced is set
	err        error
}

// fail records the first error and ends the decoding. Everything that is read afterwards is empty.
func (d *decoder) fail(offset int, reason string) {
	if d.err == nil {
		d.err = fmt.Errorf("php: malformed serialized data at byte %d: %s", offset, reason)
	}
	d.pos = len(d.data)
}

// value reads one value at the given depth.
func (d *decoder) value(depth int) (v Value) {
	start := d.pos
	d.nodes++
	rest := d.data[start:]
	switch {
	case d.nodes > maxNodes:
		d.fail(start, "too many values")
		return v
	case len(rest) < 2:
		d.fail(start, "unexpected end")
		return v
	case rest[:2] == "N;":
		d.pos += 2
		d.keep(v, 1)
		return v
	case rest[1] != ':':
		d.fail(start, "expected a value")
		return v
	}
	d.pos += 2
	switch kind := rest[0]; kind {
	case 'R', 'r':
		return d.reference(kind == 'r', start)
	case 'a':
		return d.compound(Value{Kind: Array}, depth)
	case 'O':
		return d.compound(Value{Kind: Object, s: d.string(':')}, depth)
	case 'b':
		digit := d.until(';')
		if digit != "0" && digit != "1" {
			d.fail(start+2, "invalid boolean")
		}
		v = NewBool(digit == "1")
	case 'i':
		v = NewInt(d.int())
	case 'd':
		v = d.float()
	case 's':
		v = NewString(d.string(';'))
	default:
		d.fail(start, "unknown type "+strconv.QuoteRune(rune(kind)))
	}
	d.keep(v, 1)
	return v
}

// keep stores v as the next slot, if data may hold references.
func (d *decoder) keep(v Value, nodes int) {
	if d.referenced {
		d.slots = append(d.slots, slot{v, nodes})
	}
}

func (d *decoder) reference(object bool, start int) Value {
	n := d.count(';')
	if n < 1 || n > len(d.slots) {
		d.fail(start, "reference to an unknown value")
		return Value{}
	}
	s := d.slots[n-1]
	if object && s.value.Kind != Object {
		d.fail(start, "reference to a value that is no object")
	}
	if s.nodes == 0 { // the value encloses the reference
		s = slot{Value{}, 1}
	}
	// A copy counts with all its values, so that nested references cannot describe a tree that is too large to walk.
	if d.nodes += s.nodes - 1; d.nodes > maxNodes {
		d.fail(start, "too many values")
	}
	if object {
		d.keep(s.value, s.nodes)
	}
	return s.value
}

// compound reads the elements of an array or the properties of an object into v.
func (d *decoder) compound(v Value, depth int) Value {
	if depth >= maxDepth {
		d.fail(d.pos-2, "nested too deeply")
		return Value{}
	}
	nodes, index, at := d.nodes, len(d.slots), d.pos
	d.keep(v, 0)
	n := d.count(':')
	d.expect('{')
	// The shortest element, i:0;N;, has six bytes.
	if n > (len(d.data)-d.pos)/5+1 {
		d.fail(at, "more elements announced than the data can hold")
	}
	if n > 0 {
		v.pairs = make([]Pair, 0, min(n, maxPrealloc))
	}
	for i := 0; i < n && d.err == nil; i++ {
		key := d.key(v.Kind == Object)
		v.pairs = append(v.pairs, Pair{key, d.value(depth + 1)})
	}
	d.expect('}')
	v.pairs = unique(v.pairs)
	if d.referenced {
		d.slots[index] = slot{v, 1 + d.nodes - nodes}
	}
	return v
}

// key reads an array key or a property name. PHP makes "5" an integer in arrays, and 5 a string in objects.
func (d *decoder) key(object bool) (k Key) {
	start := d.pos
	d.pos = min(start+2, len(d.data))
	switch d.data[start:d.pos] {
	case "i:":
		k.Int = d.int()
	case "s:":
		k = KeyOf(d.string(';'))
	default:
		d.fail(start, "expected a key")
	}
	if object {
		k = Key{Str: k.String(), IsString: true}
	}
	return k
}

func (d *decoder) expect(c byte) {
	if d.pos >= len(d.data) || d.data[d.pos] != c {
		d.fail(d.pos, "expected '"+string(rune(c))+"'")
		return
	}
	d.pos++
}

// until returns the text before the next end and skips both. It searches 400 bytes, enough for every float that PHP writes, so
// that hostile input takes linear time.
func (d *decoder) until(end byte) string {
	rest := d.data[d.pos:]
	i := strings.IndexByte(rest[:min(len(rest), 400)], end)
	if i < 0 {
		d.fail(d.pos, "no '"+string(rune(end))+"' after a number")
		return ""
	}
	d.pos += i + 1
	return rest[:i]
}

// count reads an unsigned length, a number of elements or a slot number.
func (d *decoder) count(end byte) int {
	at := d.pos
	n, err := strconv.ParseUint(d.until(end), 10, 31)
	if err != nil {
		d.fail(at, "invalid number")
		return 0
	}
	return int(n)
}

// int reads an integer with an optional sign.
func (d *decoder) int() int64 {
	at := d.pos
	n, err := strconv.ParseInt(d.until(';'), 10, 64) // saturates if out of range, as PHP does
	if errors.Is(err, strconv.ErrSyntax) {
		d.fail(at, "invalid integer")
	}
	return n
}

func (d *decoder) float() Value {
	at := d.pos
	s := d.until(';')
	// ParseFloat also reads hexadecimal numbers, underscores and words.
	plain := s == "INF" || s == "-INF" || s == "NAN" || strings.Trim(s, "0123456789.eE+-") == ""
	f, err := strconv.ParseFloat(s, 64)
	if !plain || errors.Is(err, strconv.ErrSyntax) {
		d.fail(at, "invalid float")
	}
	return NewFloat(f)
}

// string reads a length, the quoted bytes and the end byte.
func (d *decoder) string(end byte) string {
	at := d.pos
	n := d.count(':')
	d.expect('"')
	if n > len(d.data)-d.pos {
		d.fail(at, "string longer than the data")
		return ""
	}
	s := d.data[d.pos : d.pos+n]
	if d.pos += n; d.pos >= len(d.data) || d.data[d.pos] != '"' {
		d.fail(d.pos, "string does not end where its length says")
		return ""
	}
	d.pos++
	d.expect(end)
	return s
}

// unique removes repeated keys in place. As in PHP, the last value of a key counts, at the place of the first one.
// serialize() never writes a key twice, but people edit stored data.
func unique(pairs []Pair) []Pair {
	list := true // the keys are increasing integers, so none repeats
	for i, p := range pairs {
		list = list && !p.Key.IsString && (i == 0 || p.Key.Int > pairs[i-1].Key.Int)
	}
	if list {
		return pairs
	}
	at, kept := make(map[Key]int, len(pairs)), pairs[:0]
	for _, p := range pairs {
		if i, ok := at[p.Key]; ok {
			kept[i].Value = p.Value
			continue
		}
		at[p.Key] = len(kept)
		kept = append(kept, p)
	}
	return kept
}
