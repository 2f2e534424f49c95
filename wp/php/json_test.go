package php

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

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
