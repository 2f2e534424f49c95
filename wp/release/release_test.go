package release

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestBefore(t *testing.T) {
	for _, c := range []struct {
		v, other Version
		want     bool
	}{
		{"27.7", "27.8", true},
		{"27.8", "27.8", false},
		{"27.10", "27.8", false},
		{"16.9", "28", true},
		{"16.9", "16.9.0", false},
		{"16.9.0", "16.9", false},
		{"1.0.218", "1.0.240", true},
		{"1.0.201.1", "1.0.201", false},
		{"28.4-RC1", "28.4", false}, // has the rules of 28.4
		{"28.4RC1", "28.5", true},
		{"6.5.10", "6.5.9", false},
		{"", "1.0", false}, // unknown
		{"trunk", "1.0", true},
	} {
		expect.Equal(t, c.v.Before(c.other), c.want, c.v, "before", c.other)
	}
}

func TestValid(t *testing.T) {
	for text, want := range map[string]Version{
		" 28.3\n": "28.3", "28.4-RC1": "28.4-RC1", "": "", "trunk": "", "9\x00": "", "99999999999999999999": "",
		"1.2.3.4.5.6.7.8.9.10.11.12.13.14.15": "",
	} {
		expect.Equal(t, Valid(text), want, text)
	}
}
