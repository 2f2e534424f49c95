package formatting

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestPlainText(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"as it is", "A pier", "A pier"},
		{"white space around", " A pier\t", "A pier"},
		{"line ends", "A\r\npier", "A pier"},
		{"markup", "The <em>old</em> <a href='/x'>pier</a>", "The old pier"},
		{"references", "Fish &amp; chips &#8211; fresh&hellip;", "Fish & chips – fresh…"},
		{"a comparison", "5 < 6 > 4", "5 < 6 > 4"},
		{"a lone ampersand", "R&D", "R&D"},
		{"cut in a tag", "A <a href=", "A"},
		{"only markup", "<img src=x>", ""},
		{"nothing", "", ""},
	} {
		expect.Equal(t, PlainText(tt.in), tt.want, tt.name)
	}
}
