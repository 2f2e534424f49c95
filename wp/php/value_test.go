package php

import (
	"math"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// Conversions were checked against PHP 8.2: (string), (int) and (bool) of each value.
func TestConversions(t *testing.T) {
	for _, c := range []struct {
		rule   string
		v      Value
		str    string
		n      int64
		truthy bool
	}{
		{"null", Value{}, "", 0, false},
		{"true", NewBool(true), "1", 1, true},
		{"false", NewBool(false), "", 0, false},
		{"integer", NewInt(-7), "-7", -7, true},
		{"integer zero", NewInt(0), "0", 0, false},
		{"float is cut toward zero", NewFloat(-1.9), "-1.9", -1, true},
		{"float has 14 digits", NewFloat(0.1 + 0.2), "0.3", 0, true},
		{"float rounds at 14 digits", NewFloat(123456789012345.6), "1.2345678901235E+14", 123456789012345, true},
		{"float whole", NewFloat(100000), "100000", 100000, true},
		{"float 1e14 has an exponent", NewFloat(1e14), "1.0E+14", 100000000000000, true},
		{"float 1e13 has none", NewFloat(1e13), "10000000000000", 10000000000000, true},
		{"float 1e-4 has none", NewFloat(0.00012345), "0.00012345", 0, true},
		{"float 1e-5 has an exponent", NewFloat(1.5e-5), "1.5E-5", 0, true},
		{"float -0 is false", NewFloat(math.Copysign(0, -1)), "-0", 0, false},
		{"float saturates", NewFloat(1e19), "1.0E+19", math.MaxInt64, true},
		{"float saturates below", NewFloat(-3e19), "-3.0E+19", math.MinInt64, true},
		{"infinity", NewFloat(math.Inf(-1)), "-INF", 0, true},
		{"not a number is true", NewFloat(math.NaN()), "NAN", 0, true},
		{"empty string", NewString(""), "", 0, false},
		{"string zero", NewString("0"), "0", 0, false},
		{"string 0.0 is true", NewString("0.0"), "0.0", 0, true},
		{"blank string is true", NewString(" "), " ", 0, true},
		{"empty array", NewList(), "Array", 0, false},
		{"array", NewList(Value{}), "Array", 1, true},
		{"object is true", Value{Kind: Object, s: "a"}, "", 1, true},
	} {
		expect.Equal(t, c.v.Str(), c.str, c.rule, "Str")
		expect.Equal(t, c.v.Int(), c.n, c.rule, "Int")
		expect.Equal(t, c.v.Truthy(), c.truthy, c.rule, "Truthy")
	}
}

func TestStrictBooleans(t *testing.T) {
	for _, c := range []struct {
		rule            string
		v               Value
		isTrue, isFalse bool
	}{
		{"true", NewBool(true), true, false},
		{"false", NewBool(false), false, true},
		{"1 is not true", NewInt(1), false, false},
		{"empty string is not false", NewString(""), false, false},
		{"null is not false", Value{}, false, false},
	} {
		expect.Equal(t, c.v.IsTrue(), c.isTrue, c.rule)
		expect.Equal(t, c.v.IsFalse(), c.isFalse, c.rule)
	}
}

func TestLookup(t *testing.T) {
	v := NewArray(
		Element("a", NewString("x")),
		Element("5", NewInt(50)),
		Element("05", NewInt(51)),
		Element("-0", NewInt(52)),
		Element("null", Value{}),
	)
	for _, c := range []struct {
		rule, key, want string
		ok              bool
	}{
		{"string key", "a", `"x"`, true},
		{"a number finds an integer key", "5", "50", true},
		{"a leading zero stays a string key", "05", "51", true},
		{"minus zero stays a string key", "-0", "52", true},
		{"a null element is there", "null", "null", true},
		{"keys are compared byte by byte", "A", "null", false},
		{"no such key", "b", "null", false},
	} {
		e, ok := v.Lookup(c.key)
		if dump(e) != c.want || ok != c.ok || dump(v.Get(c.key)) != c.want {
			t.Errorf("%s: got %s, %v", c.rule, dump(e), ok)
		}
	}
	expect.Equal(t, dump(v.Index(5)), "50", "Index finds a key, not a position")
	if got := v.Index(0); !got.IsNull() {
		t.Errorf("Index 0 without such a key: got %s", dump(got))
	}
	expect.Equal(t, dump(NewList(NewInt(1), NewInt(2)).Index(1)), "2", "Index in a list")
	expect.Equal(t, dump(NewArray(Element("17", NewInt(1))).Index(17)), "1", "Index of two digits")
	for _, none := range []Value{{}, NewString("abc"), NewInt(5)} {
		if e, ok := none.Lookup("0"); ok || !e.IsNull() || !none.Index(0).IsNull() || none.Len() != 0 {
			t.Errorf("%s has no elements", dump(none))
		}
	}
}

func TestObjectProperties(t *testing.T) {
	v, err := MaybeUnserialize("O:3:\"Foo\":4:{s:1:\"a\";i:1;s:4:\"\x00*\x00b\";i:2;s:6:\"\x00Foo\x00c\";i:3;s:1:\"5\";i:4;}")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"a": 1, "b": 2, "c": 3, "5": 4, "d": 0} {
		expect.Equal(t, v.Get(name).Int(), want, "property", name)
	}
}

func TestStrings(t *testing.T) {
	v := NewArray(Element("x", NewString("a")), Element("y", NewInt(5)), Element("z", NewBool(true)), Element("n", Value{}))
	expect.List(t, v.Strings(), []string{"a", "5", "1", ""})
	if got := NewString("a").Strings(); got != nil {
		t.Errorf("a string is no list: got %q", got)
	}
}

func TestNewArrayLastValueWins(t *testing.T) {
	expect.Equal(t, dump(NewArray(Element("a", NewInt(1)), Element("b", NewInt(2)), Element("a", NewInt(3)))), `["a":3,"b":2]`)
}

func TestIntval(t *testing.T) {
	for s, want := range map[string]int64{
		"": 0, "12": 12, " \n12 ": 12, "+12": 12, "-12": -12, "12abc": 12, "abc": 0, "0x1A": 0, "1.9": 1, "-1.9": -1, ".5": 0, "5.": 5,
		".": 0, "-": 0, "1e3": 1000, "1e": 1, "1e+2x": 100, "1E-1": 0, "99999999999999999999": 1<<63 - 1, "-99999999999999999999": -1 << 63,
		" \t\n\r\v\f12": 12, "007": 7, "- 5": 0, "1.e2": 100, "1e+": 1, "-.5e1": -5, "1e19": 1<<63 - 1, "-1e1000": 0,
		"1e30": 1<<63 - 1, "-1e30": -1 << 63, "1e1000": 0,
	} {
		expect.Equal(t, intval(s), want, "intval", s, "=")
	}
}

func TestIsNumeric(t *testing.T) {
	for s, want := range map[string]bool{
		"12": true, "0": true, "-1": true, "+.5": true, "1.": true, "1.e5": true, "1e+5": true, " 1": true, "1 ": true, "\v1": true,
		"": false, ".": false, "-": false, "1e": false, "0x1a": false, "1-2": false, "1_0": false, "1a": false, "١": false, "1\x00": false,
	} {
		expect.Equal(t, IsNumeric(s), want, "IsNumeric", s, "=")
	}
}

func TestDecodeJSON(t *testing.T) {
	v, err := DecodeJSON(`{"a":{"b":[1,"x",true,null,0.5,12345678901234567890]},"7":"seven","a2":"\u00e9\/"}`)
	if err != nil {
		t.Fatal(err)
	}
	list := v.Get("a").Get("b")
	if list.Len() != 6 || list.Index(0).Int() != 1 || list.Index(1).Str() != "x" || !list.Index(2).IsTrue() || !list.Index(3).IsNull() ||
		list.Index(4).Str() != "0.5" || list.Index(5).Kind != Float {
		t.Errorf("list: %+v", list)
	}
	expect.Equal(t, v.Index(7).Str(), "seven", v)
	expect.Equal(t, v.Get("a2").Str(), "é/", v)
	for n, ok := range map[int]bool{1: true, 511: true, 512: false, 600: false} { // as json_decode() of PHP 8.2
		for _, inner := range []string{"", "1"} {
			for _, brackets := range []string{"[]", `{}`} {
				open := brackets[:1]
				if open == "{" {
					open, inner = `{"a":`, "1"
				}
				text := strings.Repeat(open, n) + inner + strings.Repeat(brackets[1:], n)
				_, err := DecodeJSON(text)
				expect.Equal(t, err == nil, ok, n, "levels of", brackets, err)
			}
		}
	}
	for number, want := range map[string]string{"1e999": "INF", "-1e999": "-INF", "1e3": "1000", "-7": "-7",
		"9223372036854775808": "9.2233720368548E+18"} {
		v, err := DecodeJSON("[" + number + "]")
		expect.Equal(t, err, nil, number)
		expect.Equal(t, v.Index(0).Str(), want, number)
	}
	for _, bad := range []string{
		"", "{", `{"a":`, `{"a":1`, `[1,2`, `{"a":1}}`, `{a:1}`, `{"a":1} x`, strings.Repeat("[", 600) + strings.Repeat("]", 600),
	} {
		if v, err := DecodeJSON(bad); err == nil {
			t.Errorf("%.20q decoded to %+v", bad, v)
		}
	}
}

func FuzzDecodeJSON(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := DecodeJSON(text); err != nil && !v.IsNull() {
			t.Errorf("an error and a value: %v", err)
		}
	})
}

func TestDecodersAreBounded(t *testing.T) {
	many := strings.Repeat("0,", maxNodes)
	if _, err := DecodeJSON("[" + many + "0]"); err == nil {
		t.Error("JSON of any number of values is decoded")
	}
	if _, err := DecodeJSON("[" + many[:len(many)/2] + "0]"); err != nil {
		t.Error(err)
	}
}
