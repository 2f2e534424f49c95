package php

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// dump writes v as testdata/oracle.php does.
func dump(v Value) string {
	open, end := "[", "]"
	switch v.Kind {
	case Null:
		return "null"
	case Bool:
		return strconv.FormatBool(v.Truthy())
	case Int:
		return v.Str()
	case Float:
		return "float(" + v.Str() + ")"
	case String:
		return strconv.Quote(v.s)
	case Object:
		open, end = v.s+"{", "}"
	}
	var elements []string
	for _, p := range v.pairs {
		key := p.Key.String()
		if p.Key.IsString {
			key = strconv.Quote(key)
		}
		elements = append(elements, key+":"+dump(p.Value))
	}
	return open + strings.Join(elements, ",") + end
}

type recorded struct{ input, want string }

// recordings are inputs with what PHP 8.2 made of them; see testdata/oracle.php.
func recordings(tb testing.TB) []recorded {
	tb.Helper()
	file, err := os.ReadFile("testdata/php82.txt")
	wptest.Must(tb, err)
	var out []recorded
	for line := range strings.Lines(string(file)) {
		quoted, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		input, err := strconv.Unquote(quoted)
		if !ok || err != nil {
			tb.Fatalf("testdata/php82.txt: bad line %q", line)
		}
		out = append(out, recorded{input, want})
	}
	if len(out) < 100 {
		tb.Fatalf("testdata/php82.txt: only %d lines", len(out))
	}
	return out
}

// normal rewrites the octal escapes of PHP's addcslashes as Go's.
func normal(t *testing.T, s string) string {
	var b strings.Builder
	for s != "" {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		plain, err := strconv.Unquote(quoted)
		wptest.Must(t, err)
		b.WriteString(strconv.Quote(plain))
		s = s[len(quoted):]
	}
	return b.String()
}

func TestUnserializeAsPHP(t *testing.T) {
	for _, r := range recordings(t) {
		want := normal(t, r.want)
		got := "error"
		v, _, err := unserialize(r.input)
		if err == nil {
			got = dump(v)
		}
		expect.Equal(t, got, want, r.input, err)
	}
}

func TestUnserializeBounds(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`a:1:{i:0;`, n) + `N;` + strings.Repeat(`}`, n)
	}
	// Every level refers twice to the one before: 2^60 values when written out.
	doubling := `a:60:{i:0;a:1:{i:0;N;}`
	slot := 2
	for i := 1; i < 60; i++ {
		doubling += fmt.Sprintf("i:%d;a:2:{i:0;R:%d;i:1;R:%d;}", i, slot, slot)
		if slot++; i == 1 {
			slot++ // the null of the first array
		}
	}
	doubling += "}"
	for _, c := range []struct {
		rule, data string
		offset     int // -1 for success
	}{
		{"200 levels are read", nested(200), -1},
		{"201 levels are refused", nested(201), 200 * 9},
		{"very deep input does not exhaust the stack", strings.Repeat(`a:1:{i:0;`, 1<<20), 200 * 9},
		{"an impossible count allocates nothing", `a:999999999:{`, 2},
		{"a count beyond the type is refused", `a:99999999999999999999999:{}`, 2},
		{"a count beyond 31 bits is refused", `a:2147483648:{}`, 2},
		{"an impossible length is refused", `s:999999999:"a";`, 2},
		{"a class with a form of its own is refused", `C:1:"a":0:{}`, 0},
		{"an enum is refused", `E:11:"Suit:Hearts";`, 0},
		{"a wrong length is found where the quote is missing", `s:5:"abcdefgh";`, 10},
		{"a missing semicolon is found at the end", `s:1:"a"`, 7},
		{"doubling references are refused", doubling, 477},
		{"nothing is no value", ``, 0},
	} {
		_, _, err := unserialize(c.data)
		if place := fmt.Sprintf(" byte %d:",
			c.offset); c.offset < 0 && err != nil || c.offset >= 0 && (err == nil || !strings.Contains(err.Error(), place)) {
			t.Errorf("%s: got %v, want%s", c.rule, err, place)
		}
	}
}

func TestUnserializeTruncated(t *testing.T) {
	for _, r := range recordings(t) {
		full, end, err := unserialize(r.input)
		if err != nil || end != len(r.input) || full.Kind != Array && full.Kind != Object {
			continue
		}
		for i := range r.input {
			if v, _, err := unserialize(r.input[:i]); err == nil {
				t.Errorf("%q: truncated at %d gives %s", r.input, i, dump(v))
			}
		}
	}
}

func TestUnserializeNotInPHPTable(t *testing.T) {
	for _, c := range []struct{ rule, data, want string }{
		{"a reference to the enclosing array is null", `a:2:{i:0;R:1;i:1;i:5;}`, `[0:null,1:5]`},
		{"a reference to an array further out is null", `a:1:{i:0;a:2:{i:0;R:2;i:1;R:1;}}`, `[0:[0:null,1:null]]`},
		{"an object within itself is null", `O:8:"stdClass":1:{s:1:"x";r:1;}`, `stdClass{"x":null}`},
		{"the last of many repeated keys wins in the place of the first",
			`a:4:{s:1:"a";i:1;s:1:"b";i:2;i:7;i:3;s:1:"a";i:4;}`, `["a":4,"b":2,7:3]`},
	} {
		v, _, err := unserialize(c.data)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
		} else {
			expect.Equal(t, dump(v), c.want, c.rule)
		}
	}
}

func TestMaybeUnserialize(t *testing.T) {
	for _, c := range []struct{ rule, data, want string }{
		{"a plain string stays", `hello`, `"hello"`},
		{"the empty string stays", ``, `""`},
		{"a number stays a string", `1`, `"1"`},
		{"white space around serialized data is ignored", " \t\r\n\x00\va:1:{i:0;b:1;}\n ", `[0:true]`},
		{"white space around a plain string is kept", " a ", `" a "`},
		{"null", `N;`, `null`},
		{"a boolean", `b:0;`, `false`},
		{"a float with exponent", `d:1.5E-3;`, `float(0.0015)`},
		{"a lone INF is not taken for serialized", `d:INF;`, `"d:INF;"`},
		{"double serialisation loses one level", `s:10:"s:3:"a:b";";`, `"s:3:\"a:b\";"`},
		{"a custom object is not taken for serialized", `C:1:"a":0:{}`, `"C:1:\"a\":0:{}"`},
		{"the escaped string form is not taken for serialized", `S:1:"a";`, `"S:1:\"a\";"`},
		{"a reference is not taken for serialized", `R:1;`, `"R:1;"`},
		{"three bytes are not serialized", `i:;`, `"i:;"`},
		{"a time is not serialized", `a:1`, `"a:1"`},
		{"a sentence is not serialized", `a: see b;`, `"a: see b;"`},
		{"a string without closing quote is not serialized", `s:1:a;`, `"s:1:a;"`},
		{"an array ends with a brace or semicolon", `a:0:{}x`, `"a:0:{}x"`},
		{"a number ends with a semicolon", `i:5}`, `"i:5}"`},
		{"data after the value is ignored, as in PHP", `a:0:{};`, `[]`},
		{"a wrong length after search and replace is an error", `a:1:{s:1:"u";s:18:"http://old.example.com";}`, `error`},
		{"a truncated array that ends like one is an error", `a:2:{i:0;s:1:"a";}`, `error`},
		{"a number that is none is an error", `i:1.5;`, `error`},
	} {
		got := "error"
		v, err := MaybeUnserialize(c.data)
		if err == nil {
			got = dump(v)
		}
		expect.Equal(t, got, c.want, c.rule)
	}
}

func FuzzUnserialize(f *testing.F) {
	for _, r := range recordings(f) {
		f.Add(r.input)
	}
	f.Fuzz(func(t *testing.T, data string) {
		v, end, err := unserialize(data)
		if end > len(data) || err != nil && !v.IsNull() {
			t.Fatalf("%q: %s up to byte %d, %v", data, dump(v), end, err)
		}
	})
}
